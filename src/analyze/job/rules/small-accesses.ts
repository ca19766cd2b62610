/** Small calls in the POSIX layer that no other pattern explains: what small-writes and small-reads report. */
import type { Job } from "../job.ts";
import {
  hdf5MetadataFiles,
  type Matched,
  posixFiles,
  randomFiles,
  rewrittenFiles,
  SMALL,
  smallCalls,
  stridedFiles,
  subBlockFiles,
} from "./access-patterns.ts";
import { viewlessFiles } from "./mpi-io-files.ts";
import { callsOf, total, type Way } from "./words-a.ts";

export interface Small {
  readonly files: readonly Matched[];
  readonly count: number;
  /** Calls of this direction in the files that were looked at. */
  readonly calls: number;
}

/** Small calls that no other pattern explains, when there are many. */
export function smallAccesses(
  job: Job,
  way: Way,
  limits: { bytes: number; share: number; calls: number } = SMALL,
): Small | undefined {
  const taken = new Set([
    ...randomFiles(job, way).map(({ record }) => record.fileId),
    ...stridedFiles(job)
      .filter((one) => one.way === way)
      .map(({ record }) => record.fileId),
    ...hdf5MetadataFiles(job).map(({ record }) => record.fileId),
    ...viewlessFiles(job)
      .filter((one) => one.way === way)
      .map(({ record }) => record.fileId),
    ...(way === "write" ? subBlockFiles(job) : rewrittenFiles(job)).map(({ record }) => record.fileId),
  ]);
  const looked = posixFiles(job).filter(
    (record) => callsOf(record, way) > 0 && smallCalls(record, way, limits.bytes) >= 0,
  );
  const files = looked
    .filter(({ fileId }) => !taken.has(fileId))
    .map((record) => ({ record, count: smallCalls(record, way, limits.bytes) }))
    .filter(({ count }) => count > 0);
  const count = total(files, (file) => file.count);
  const calls = total(looked, (record) => callsOf(record, way));
  return count >= limits.calls && count >= limits.share * calls ? { files, count, calls } : undefined;
}
