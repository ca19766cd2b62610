/** The OST that takes much longer than the others for the same load, if there is one. */
import type { Job, JobFile, OstLoad } from "../job.ts";
import { accessesOf, accessSeconds, bytesMoved, heaviest, known, median } from "./measures.ts";
import { realFiles } from "./per-job.ts";
import { ownFileGroups } from "./rank-spread.ts";

interface SlowTarget {
  readonly ost: number;
  readonly seconds: number;
  readonly bytes: number;
  /** Seconds per byte over those of the median target. */
  readonly ratio: number;
  /** Seconds beyond what the median target would have taken, summed over ranks. */
  readonly excess: number;
  /** Seconds per byte of the median target. */
  readonly typical: number;
  /** Targets that were compared. */
  readonly compared: number;
  /** Ranks that met it, at least. */
  readonly ranks: number;
  readonly source: OstLoad["source"];
  /** Only of these files, where others hide it. */
  readonly files?: readonly JobFile[];
}

interface Limits {
  readonly ratio: number;
  readonly osts: number;
  readonly ranks: number;
}

/** Of all files together, or of files on one OST each that belong together: files on all OSTs would hide it. */
export function slowestTarget(job: Job, limits: Limits): SlowTarget | undefined {
  let worst: SlowTarget | undefined;
  for (const files of ownFileGroups(job).values()) {
    const slow = slowestInGroup(job, files, limits);
    if (slow !== undefined && slow.excess > (worst?.excess ?? 0)) worst = slow;
  }
  const all = slowestOf(job.osts, limits);
  if (all === undefined) return worst;
  // Files on one OST each tell its rate exactly; those over several lend it the time of their other ones.
  if (worst?.ost === all.ost && all.source === "files") return worst;
  const ranks = ranksOn(realFiles(job).filter(({ osts }) => osts.includes(all.ost)));
  return ranks >= limits.ranks && all.excess > (worst?.excess ?? 0) ? { ...all, ranks } : worst;
}

function slowestInGroup(job: Job, files: readonly JobFile[], limits: Limits): SlowTarget | undefined {
  if (files.length < limits.osts) return undefined;
  const loads = new Map<number, { -readonly [Key in keyof OstLoad]: OstLoad[Key] }>();
  for (const { osts, called } of files) {
    const [ost] = osts;
    if (ost === undefined || osts.length !== 1) return undefined;
    let load = loads.get(ost);
    if (load === undefined)
      loads.set(
        ost,
        (load = { ost, files: 0, bytesRead: 0, bytesWritten: 0, calls: 0, seconds: 0, source: "files" }),
      );
    load.files++;
    load.bytesRead += called.bytesRead || 0;
    load.bytesWritten += called.bytesWritten || 0;
    load.calls += accessesOf(called);
    load.seconds += accessSeconds(called);
  }
  const slow = slowestOf([...loads.values()], limits);
  if (slow === undefined) return undefined;
  const own = files.filter(({ osts }) => osts[0] === slow.ost);
  const ranks = ranksOn(own);
  // A single rank on it may be slow itself, unless it is as fast as others in other files.
  if (ranks < limits.ranks && !isFastElsewhere(job, own[0]?.called.slowestRank ?? Number.NaN, files))
    return undefined;
  return { ...slow, ranks, files: own };
}

/** Ours: what ranks of equal nodes differ by. */
const LIKE_OTHERS = 1.5;

/** In other files, of each rank its own or of all, it takes no longer for a byte than others do. */
function isFastElsewhere(job: Job, rank: number, apart: readonly JobFile[]): boolean {
  let isSeen = false;
  for (const { called } of realFiles(job)) {
    // A collective call takes as long for all.
    if (!called.shared || called.layer === "MPI-IO" || called.varianceBytes !== 0) continue;
    if (!(accessSeconds(called) > 0)) continue;
    isSeen = true;
    const mean = (accessSeconds(called) + known(called.metaSeconds)) / called.ranks;
    if (called.slowestRank === rank && !(called.slowestSeconds <= LIKE_OTHERS * mean)) return false;
  }
  for (const files of ownFileGroups(job).values()) {
    if (files === apart) continue;
    const perByte = (file: JobFile) => accessSeconds(file.called) / bytesMoved(file.called);
    const own = files.filter(({ called }) => called.slowestRank === rank);
    if (own.length === 0 || own.length === files.length) continue;
    isSeen = true;
    if (!(median(own.map(perByte)) <= LIKE_OTHERS * median(files.map(perByte)))) return false;
  }
  return isSeen;
}

function slowestOf(osts: readonly OstLoad[], limits: Limits): Omit<SlowTarget, "ranks"> | undefined {
  const meanBytes = osts.reduce((total, ost) => total + bytesMoved(ost), 0) / osts.length;
  // A few bytes take as long as their latency and say nothing of a target.
  const loads = osts.filter((ost) => bytesMoved(ost) >= 0.1 * meanBytes && ost.seconds > 0 && ost.calls > 0);
  if (loads.length < limits.osts) return undefined;
  const perByte = (ost: OstLoad) => ost.seconds / bytesMoved(ost);
  const perCall = (ost: OstLoad) => bytesMoved(ost) / ost.calls;
  const readShare = (ost: OstLoad) => ost.bytesRead / bytesMoved(ost);
  const typical = median(loads.map(perByte));
  const slow = heaviest(loads, perByte);
  const ratio = perByte(slow) / typical;
  // Smaller calls, or reads where the others have writes, take longer on any target.
  const alike =
    perCall(slow) >= 0.5 * median(loads.map(perCall)) &&
    Math.abs(readShare(slow) - median(loads.map(readShare))) <= 0.25;
  if (!(ratio >= limits.ratio && alike)) return undefined;
  const bytes = bytesMoved(slow);
  return {
    ...{ ost: slow.ost, seconds: slow.seconds, bytes, ratio, excess: slow.seconds - typical * bytes },
    ...{ typical, compared: loads.length, source: slow.source },
  };
}

function ranksOn(files: readonly JobFile[]): number {
  const ranks = new Set<number>();
  let most = 0;
  for (const { called } of files) {
    most = Math.max(most, called.ranks);
    ranks.add(called.slowestRank);
  }
  return Math.max(most, ranks.size);
}
