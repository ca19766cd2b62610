/** Counts of files and of metadata operations that several rules judge by. */
import type { Job, JobFile } from "../job.ts";
import { bytesOf, extentOf, known, lowestRecords, realFiles, sum } from "./words-b.ts";

export interface MetadataFacts {
  readonly opens: number;
  readonly stats: number;
  readonly syncs: number;
  /** Opens, as many closes, stats and syncs; seeks stay in the client. */
  readonly operations: number;
  /** Files × ranks that use them. */
  readonly uses: number;
  /** Summed over ranks, in the layers that the application calls. */
  readonly seconds: number;
  readonly ioSeconds: number;
  readonly share: number;
  /** Mean over ranks. */
  readonly meanSeconds: number;
  readonly shareOfRun: number;
  /** Mean of an operation. */
  readonly operationSeconds: number;
}

export function metadataFacts(job: Job): MetadataFacts {
  let [opens, stats, syncs, uses] = [0, 0, 0, 0];
  for (const file of realFiles(job)) {
    uses += known(file.called.ranks);
    for (const record of lowestRecords(file)) {
      opens += known(record.opens);
      stats += known(record.stats);
      syncs += known(record.syncs);
    }
  }
  const { readSeconds, writeSeconds, metaSeconds } = job.io;
  const ioSeconds = readSeconds + writeSeconds + metaSeconds;
  const meanSeconds = metaSeconds / job.ranks;
  const operations = 2 * opens + stats + syncs;
  return {
    opens,
    stats,
    syncs,
    operations,
    uses,
    seconds: metaSeconds,
    ioSeconds,
    share: metaSeconds / ioSeconds,
    meanSeconds,
    shareOfRun: meanSeconds / job.runSeconds,
    operationSeconds: metaSeconds / operations,
  };
}

export interface OwnFiles {
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

export function ownFiles(job: Job): OwnFiles {
  const all = realFiles(job).filter((file) => bytesOf(file) > 0);
  const files = all.filter(({ called }) => called.ranks === 1);
  const perRank = new Map<number, number>();
  for (const { called } of files) perRank.set(called.slowestRank, (perRank.get(called.slowestRank) ?? 0) + 1);
  const most = [...perRank.values()].reduce((a, b) => Math.max(a, b), 0);
  const bytes = sum(files, bytesOf);
  return {
    files,
    ranks: perRank.size,
    bytes,
    perProcess:
      job.ranks > 1 &&
      perRank.size >= 0.9 * job.ranks &&
      files.length <= PER_RANK_MOST * perRank.size &&
      most <= (2 * files.length) / perRank.size &&
      bytes >= 0.9 * sum(all, bytesOf),
  };
}

/** Files with data and their mean size. */
export function dataFiles(job: Job): { readonly files: readonly JobFile[]; readonly meanBytes: number } {
  const files = realFiles(job).filter((file) => bytesOf(file) > 0);
  return { files, meanBytes: sum(files, extentOf) / files.length };
}
