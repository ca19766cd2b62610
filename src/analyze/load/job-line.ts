/** One line about a job for its user: bytes, rate, share of the file system, advice. */
import { formatBytes, formatCount, formatRate, formatSeconds, formatShare } from "../../base/units.ts";
import type { Queryable } from "../../model/index.ts";
import { AMOUNT_COLUMNS, amountsOf, measured, SUMS_AGAIN, shareOf } from "./amounts.ts";
import type { JobRun } from "./job.ts";
import { loadRows } from "./levels.ts";

/** Smaller calls cost a server about as much as calls of this size. */
const SMALL_CALL_BYTES = 64 * 1024;
/** Fewer calls are negligible. */
const SMALL_CALLS_LEAST = 10_000;
/** Share of all metadata operations in that time that others notice. */
const METADATA_SHARE = 0.1;
/** With fewer bytes, one target is as good as many. */
const ONE_TARGET_BYTES = 10 * 2 ** 30;
const ONE_TARGET_SHARE = 0.8;

interface JobShares {
  /** Share of all load during the run, from targets, else from jobs; NaN: unknown. */
  readonly bytes: number;
  readonly metadata: number;
}

interface JobLine {
  readonly line: string;
  /** The most important change; null: none. */
  readonly change: { readonly id: string; readonly text: string } | null;
  readonly bytesRead: bigint | null;
  readonly bytesWritten: bigint | null;
  readonly seconds: number;
  readonly bytesPerSecond: number;
  readonly shares: JobShares;
}

/** The job's share of all load from its first to its last minute. */
export async function jobShares(db: Queryable, run: JobRun): Promise<JobShares> {
  const [first, last] = [run.series[0]?.minuteUnix, run.series.at(-1)?.minuteUnix];
  if (run.servers === null || first === undefined || last === undefined)
    return { bytes: Number.NaN, metadata: Number.NaN };
  const grain = run.spanMinutes;
  const window = { from: first, to: last + grain, grain };
  const sums = async (base: "targets" | "minutes") => {
    const rows = await loadRows(db, AMOUNT_COLUMNS, { base, window, condition: "true", smallBytes: 0 });
    return amountsOf((await db.rows(`select ${SUMS_AGAIN} from ${rows}`))[0] ?? {});
  };
  const [ofTargets, ofJobs] = [await sums("targets"), await sums("minutes")];
  const own = {
    bytes: run.servers.bytesRead + run.servers.bytesWritten,
    metadata: run.servers.metadataCalls,
  };
  // Targets may have been sampled less often than jobs; the share is of the larger sum.
  const share = (measure: "bytes" | "metadata") => {
    const [a, b] = [measured(ofTargets, measure), measured(ofJobs, measure)];
    return shareOf(own[measure], a > b ? a : b);
  };
  return { bytes: share("bytes"), metadata: share("metadata") };
}

export function jobLine(run: JobRun, shares: JobShares): JobLine {
  const { facts } = run;
  const counted = run.servers ?? run.clients;
  const id = facts.jobId.replace(/[\p{C}\s]+/gu, " ").trim();
  const seconds =
    facts.startUnix === null || facts.endUnix === null
      ? run.series.length === 0
        ? Number.NaN
        : 60 * ((run.series.at(-1)?.minuteUnix ?? 0) + run.spanMinutes - (run.series[0]?.minuteUnix ?? 0))
      : facts.endUnix - facts.startUnix;
  if (counted === null) {
    const nothing = { bytesRead: null, bytesWritten: null, seconds, bytesPerSecond: Number.NaN, shares };
    return { line: `Job ${id}: no I/O was recorded.`, change: null, ...nothing };
  }
  const { bytesRead, bytesWritten, metadataCalls } = counted;
  const bytes = Number(bytesRead + bytesWritten);
  const bytesPerSecond = seconds > 0 ? bytes / seconds : Number.NaN;
  const time = seconds > 0 ? ` in ${runTime(seconds)} (${formatRate(bytesPerSecond)})` : "";
  const share = Number.isNaN(shares.bytes)
    ? ""
    : `, ${formatShare(Math.min(1, shares.bytes))} of all bytes of the file system in that time`;
  const change = changeOf(run, shares);
  const advice = change === null ? "Nothing to change." : `To change: ${change.text}.`;
  const line = `Job ${id} read ${formatBytes(Number(bytesRead))} and wrote ${formatBytes(Number(bytesWritten))}${time} with ${formatCount(Number(metadataCalls))} metadata operations${share}. ${advice}`;
  return { line, change, bytesRead, bytesWritten, seconds, bytesPerSecond, shares };
}

/** The first that applies, in order of server cost per byte. */
function changeOf(run: JobRun, shares: JobShares): JobLine["change"] {
  const counted = run.servers ?? run.clients;
  if (counted === null) return null;
  const small = (["write", "read"] as const)
    .map((way) => {
      const [calls, bytes] =
        way === "write" ? [counted.writeCalls, counted.bytesWritten] : [counted.readCalls, counted.bytesRead];
      return { way, calls: Number(calls), size: Number(bytes) / Number(calls) };
    })
    .filter(({ calls, size }) => calls >= SMALL_CALLS_LEAST && size < SMALL_CALL_BYTES)
    .sort((a, b) => b.calls - a.calls)[0];
  if (small !== undefined)
    return {
      id: `small-${small.way}s`,
      text: `use larger ${small.way}s (1 MiB or more); ${formatCount(small.calls)} ${small.way}s have ${formatBytes(small.size)} on average`,
    };
  if (shares.metadata >= METADATA_SHARE)
    return {
      id: "metadata",
      text: `open, stat and create fewer files; the job caused ${formatShare(Math.min(1, shares.metadata))} of all metadata operations`,
    };
  const [first] = run.targets.filter(({ target }) => /OST[0-9a-f]{4}$/i.test(target));
  const bytes = Number(counted.bytesRead + counted.bytesWritten);
  const onFirst = first === undefined ? 0 : Number(first.bytesRead + first.bytesWritten);
  if (first !== undefined && onFirst >= ONE_TARGET_BYTES && onFirst >= ONE_TARGET_SHARE * bytes)
    return {
      id: "one-target",
      text: `stripe large files (lfs setstripe -c 4 DIR); ${formatShare(onFirst / bytes)} of its bytes were on ${first.target}`,
    };
  return null;
}

/** "45 s", "12 min", "3.1 h". */
function runTime(seconds: number): string {
  if (seconds < 120) return formatSeconds(seconds);
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
