/** Ranks that take much longer than others for the same bytes. */
import type { Job, JobFile } from "../job.ts";
import { bytesMoved, sum } from "./measures.ts";
import { realFiles } from "./per-job.ts";

interface Late {
  readonly rank: number;
  readonly seconds: number;
  readonly mean: number;
  /** Mean of the others in the same files. */
  readonly others: number;
  readonly bytes: number;
  readonly meanBytes: number;
  readonly excess: number;
  readonly ranks: number;
  readonly files: readonly JobFile[];
  readonly shared: boolean;
}

interface LateLimits {
  readonly ratio: number;
  readonly bytes: number;
  readonly ranks: number;
}

/** The rank that loses most in files that several ranks use, over all files in which it is the late one. */
export function lateInSharedFiles(job: Job, limits: LateLimits): Late | undefined {
  const byRank = new Map<number, { -readonly [Key in keyof Late]: Late[Key] } & { files: JobFile[] }>();
  for (const file of realFiles(job)) {
    const { ranks, slowestRank: rank, slowestSeconds: seconds, slowestBytes: bytes } = file.called;
    const mean = file.seconds / ranks;
    const rest = Math.max(0, file.seconds - seconds) / (ranks - 1);
    const meanBytes = bytesMoved(file.called) / ranks;
    const late =
      mean > 0 &&
      rank >= 0 &&
      ranks >= limits.ranks &&
      seconds >= limits.ratio * rest &&
      bytes <= limits.bytes * meanBytes;
    if (!late) continue;
    const known = byRank.get(rank);
    if (known === undefined) {
      const excess = seconds - mean;
      const own = { rank, seconds, mean, others: rest, bytes, meanBytes, excess, ranks };
      byRank.set(rank, { ...own, files: [file], shared: true });
      continue;
    }
    known.seconds += seconds;
    known.mean += mean;
    known.others += rest;
    known.bytes += bytes;
    known.meanBytes += meanBytes;
    known.excess += seconds - mean;
    known.ranks = Math.max(known.ranks, ranks);
    known.files.push(file);
  }
  return [...byRank.values()].sort((a, b) => b.excess - a.excess)[0];
}

/** In files of single ranks; layers apart, since a phase in another layer would hide a late rank. */
export function lateInOwnFiles(job: Job, limits: LateLimits): Late | undefined {
  const byLayer = new Map<string, Map<number, OwnLoad>>();
  for (const file of realFiles(job)) {
    const { ranks, slowestRank: rank, layer } = file.called;
    if (ranks !== 1 || !(file.seconds > 0)) continue;
    const byRank = byLayer.get(layer) ?? new Map<number, OwnLoad>();
    byLayer.set(layer, byRank);
    const load = byRank.get(rank) ?? { rank, seconds: 0, bytes: 0, files: [] };
    byRank.set(rank, load);
    load.seconds += file.seconds;
    load.bytes += bytesMoved(file.called);
    load.files.push(file);
  }
  return [...byLayer.values()]
    .flatMap((byRank) => lateAmong([...byRank.values()], limits) ?? [])
    .sort((a, b) => b.excess - a.excess)[0];
}

interface OwnLoad {
  readonly rank: number;
  seconds: number;
  bytes: number;
  readonly files: JobFile[];
}

function lateAmong(loads: OwnLoad[], limits: LateLimits): Late | undefined {
  const slowest = loads.sort((a, b) => b.seconds - a.seconds)[0];
  if (slowest === undefined || loads.length < limits.ranks) return undefined;
  const mean = sum(loads, ({ seconds }) => seconds) / loads.length;
  const others = (mean * loads.length - slowest.seconds) / (loads.length - 1);
  const meanBytes = sum(loads, ({ bytes }) => bytes) / loads.length;
  if (!(slowest.seconds >= limits.ratio * others && slowest.bytes <= limits.bytes * meanBytes))
    return undefined;
  const excess = slowest.seconds - mean;
  return { ...slowest, mean, others, meanBytes, excess, ranks: loads.length, shared: false };
}

/** A single call that is most of what the rank lost. */
export function longestCall(files: readonly JobFile[], mean: number) {
  let longest: { way: "read" | "write"; seconds: number } | undefined;
  for (const { called } of files)
    for (const [way, seconds] of [
      ["read", called.longestReadSeconds],
      ["write", called.longestWriteSeconds],
    ] as const)
      if (seconds > Math.max(longest?.seconds ?? 0, mean)) longest = { way, seconds };
  const lost = sum(files, ({ slowestSeconds }) => slowestSeconds) - mean;
  return longest !== undefined && longest.seconds >= 0.5 * lost ? longest : undefined;
}

export const timeOn = (files: readonly JobFile[], ost: number) =>
  sum(
    files.filter(({ osts }) => osts.includes(ost)),
    ({ seconds, osts }) => seconds / osts.length,
  );

/** The OST that holds the files of this rank and of no other; undefined when there is none. */
export function soleTarget(job: Job, rank: number, files: readonly JobFile[]): number | undefined {
  const [ost] = files[0]?.osts ?? [];
  if (ost === undefined || files.some(({ osts }) => osts.length !== 1 || osts[0] !== ost)) return undefined;
  const shares = realFiles(job).filter(({ osts }) => osts.includes(ost));
  return shares.every(({ called }) => called.ranks === 1 && called.slowestRank === rank) ? ost : undefined;
}
