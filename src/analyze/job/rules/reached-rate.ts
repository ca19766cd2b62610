/** The rate that many ranks reach together in files of a job, where a log shows it. */
import type { Job, JobFile } from "../job.ts";
import { accessesOf, accessSeconds, bytesMoved, MIB, sum } from "./measures.ts";
import { realFiles } from "./per-job.ts";

/** Ours: transfers of other files say what storage gives when calls are large and most ranks take part. */
const CALL_BYTES = MIB;
const RANKS_SHARE = 0.5;

/**
 * Bytes per second of all ranks together in large calls on other files; infinite where no file shows it. Shared files by
 * their slowest rank; files of single ranks as if they were moved at the same time, which gives at least the true rate.
 */
export function reachedTogether(job: Job, apart: ReadonlySet<JobFile>): number {
  let best = 0;
  const own = { bytes: 0, seconds: new Map<number, number>() };
  for (const file of realFiles(job)) {
    const { called } = file;
    if (apart.has(file) || !isLarge(file)) continue;
    if (called.ranks === 1) {
      own.bytes += bytesMoved(called);
      own.seconds.set(called.slowestRank, (own.seconds.get(called.slowestRank) ?? 0) + accessSeconds(called));
    } else if (called.ranks >= RANKS_SHARE * job.ranks && called.slowestSeconds > 0)
      best = Math.max(best, bytesMoved(called) / called.slowestSeconds);
  }
  if (own.seconds.size >= RANKS_SHARE * job.ranks) {
    const mean = sum(own.seconds.values(), (seconds) => seconds) / own.seconds.size;
    if (mean > 0) best = Math.max(best, own.bytes / mean);
  }
  return best > 0 ? best : Number.POSITIVE_INFINITY;
}

const isLarge = ({ called }: JobFile) =>
  accessesOf(called) > 0 && bytesMoved(called) >= CALL_BYTES * accessesOf(called);
