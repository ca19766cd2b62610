/** Counts of files and of metadata operations that several rules judge by. */
import type { JobFile } from "../job.ts";
import { isProgramFile } from "../program-files.ts";
import { bytesMoved, extentOf, ioSeconds, known, sum } from "./measures.ts";
import { oncePerJob } from "../once-per-job.ts";
import { callsPerOpen, fileCalls, realFiles } from "./per-job.ts";

interface MetadataFacts {
  readonly opens: number;
  readonly stats: number;
  /** Opens, as many closes, and stats. Seeks stay in the client, and Darshan counts the time of syncs with writes. */
  readonly operations: number;
  /** Files × ranks that use them. */
  readonly uses: number;
  /** Summed over ranks, in the layers that the application calls. */
  readonly seconds: number;
  /** Of the I/O time. */
  readonly share: number;
  /** Mean over ranks. */
  readonly meanSeconds: number;
  readonly shareOfRun: number;
  /** Mean of an operation. */
  readonly operationSeconds: number;
}

export const metadataFacts = oncePerJob((job): MetadataFacts => {
  let [opens, stats, uses] = [0, 0, 0];
  for (const file of realFiles(job)) {
    const calls = fileCalls(job, file);
    uses += known(file.called.ranks);
    opens += calls.opens;
    stats += calls.stats;
  }
  const seconds = job.io.metaSeconds;
  const meanSeconds = seconds / job.ranks;
  const operations = callsPerOpen(job) * opens + stats;
  return {
    opens,
    stats,
    operations,
    uses,
    seconds,
    share: seconds / ioSeconds(job),
    meanSeconds,
    shareOfRun: meanSeconds / job.runSeconds,
    operationSeconds: seconds / operations,
  };
});

interface OwnFiles {
  /** Files with data that a single rank uses. */
  readonly files: readonly JobFile[];
  /** Ranks that have such files. */
  readonly ranks: number;
  readonly bytes: number;
  /** Nearly all ranks have some, about as many each, and they hold nearly all bytes. */
  readonly perProcess: boolean;
}

/** Some checkpoints of a rank; a rank with more files has a set of files, not a file. */
const PER_RANK_MOST = 16;

export const ownFiles = oncePerJob((job): OwnFiles => {
  const { files: all, bytes: allBytes } = dataFiles(job);
  const files = all.filter(({ called }) => called.ranks === 1);
  const perRank = new Map<number, number>();
  for (const { called } of files) perRank.set(called.slowestRank, (perRank.get(called.slowestRank) ?? 0) + 1);
  const most = [...perRank.values()].reduce((a, b) => Math.max(a, b), 0);
  const bytes = sum(files, bytesMoved);
  return {
    files,
    ranks: perRank.size,
    bytes,
    perProcess:
      job.ranks > 1 &&
      perRank.size >= 0.9 * job.ranks &&
      files.length <= PER_RANK_MOST * perRank.size &&
      most <= (2 * files.length) / perRank.size &&
      bytes >= 0.9 * allBytes,
  };
});

interface DataFiles {
  readonly files: readonly JobFile[];
  /** Moved to and from them. */
  readonly bytes: number;
  /** Mean of their sizes, as far as they were touched. */
  readonly meanBytes: number;
}

/** Files with data, without those of the program. */
export const dataFiles = oncePerJob((job): DataFiles => {
  const files = realFiles(job).filter((file) => bytesMoved(file) > 0 && !isProgramFile(file));
  return { files, bytes: sum(files, bytesMoved), meanBytes: sum(files, extentOf) / files.length };
});
