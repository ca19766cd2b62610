/** Ranks that take much longer than others for the same bytes. */
import type { Healthy } from "../cost/ledger.ts";
import type { Job, JobFile } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { isCollective } from "./access-patterns.ts";
import { accessSeconds, bytesMoved, known, mainWay, median, sum } from "./measures.ts";
import { realFiles } from "./per-job.ts";
import { ownFileGroups } from "./rank-spread.ts";

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
  /** Other ranks that are slow as well. */
  readonly alike: number;
  readonly healthy: readonly Healthy[];
}

interface LateLimits {
  readonly ratio: number;
  readonly bytes: number;
  readonly ranks: number;
}

/** Collective calls take as long for all; below them each aggregator has its own time. */
export function timedByRank({ called, layers }: JobFile): LayerRecord {
  const isTogether = called.layer === "MPI-IO" && isCollective(called, mainWay(called));
  return (isTogether ? layers.get("POSIX") : undefined) ?? called;
}

/**
 * The rank with the least time in collective calls on a file waits for nobody: it is the late one where the others wait
 * alike, `ratio` times as long or longer.
 */
export function lateInCalls(record: LayerRecord, ratio: number) {
  const { ranks, fastestSeconds: least, slowestSeconds: most } = record;
  const others = (accessSeconds(record) + known(record.metaSeconds) - least) / (ranks - 1);
  const isLate =
    record.shared && isCollective(record, mainWay(record)) && others >= ratio * least && most <= 1.5 * others;
  return isLate ? { least, others, most } : undefined;
}

/** The rank that loses most in files that several ranks use, over all files in which it is the late one. */
export function lateInSharedFiles(job: Job, limits: LateLimits): Late | undefined {
  const byRank = new Map<number, { file: JobFile; one: SharedTime }[]>();
  let all = 0;
  for (const file of realFiles(job)) {
    if (!(file.called.ranks >= limits.ranks)) continue;
    const one = sharedTime(timedByRank(file));
    all += one.seconds || 0;
    const isLate =
      one.mean > 0 &&
      one.record.slowestRank >= 0 &&
      one.record.ranks >= limits.ranks &&
      one.seconds >= limits.ratio * one.others &&
      // Below collective calls only aggregators move data: the mean of all ranks is that of none of them.
      one.bytes <= (one.record.layer === file.called.layer ? limits.bytes : AGGREGATOR_BYTES) * one.meanBytes;
    if (!isLate) continue;
    const known = byRank.get(one.record.slowestRank);
    if (known === undefined) byRank.set(one.record.slowestRank, [{ file, one }]);
    else known.push({ file, one });
  }
  // In each of many files some rank is the last: one that is so by chance is not in most of them.
  return [...byRank]
    .map(([rank, list]) => lateInAll(rank, list))
    .filter(({ seconds }) => seconds >= 0.5 * all)
    .sort((a, b) => b.excess - a.excess)[0];
}

/** Ours: all ranks are aggregators, but for the last part of the file. */
const AGGREGATOR_BYTES = 1.2;

/** Time of the slowest rank of a record beside the others. */
interface SharedTime {
  readonly record: LayerRecord;
  readonly seconds: number;
  readonly mean: number;
  readonly others: number;
  readonly bytes: number;
  readonly meanBytes: number;
}

function sharedTime(record: LayerRecord): SharedTime {
  const { ranks, slowestSeconds: seconds, slowestBytes: bytes } = record;
  const all = accessSeconds(record) + known(record.metaSeconds);
  return {
    ...{ record, seconds, bytes, mean: all / ranks, meanBytes: bytesMoved(record) / ranks },
    others: Math.max(0, all - seconds) / (ranks - 1),
  };
}

function lateInAll(rank: number, list: readonly { file: JobFile; one: SharedTime }[]): Late {
  const total = (value: (one: SharedTime) => number) => sum(list, ({ one }) => value(one));
  const seconds = total((one) => one.seconds);
  const mean = total((one) => one.mean);
  return {
    ...{ rank, seconds, mean, excess: seconds - mean, alike: 0, shared: true },
    others: total((one) => one.others),
    bytes: total((one) => one.bytes),
    meanBytes: total((one) => one.meanBytes),
    ranks: list.reduce((most, { one }) => Math.max(most, one.record.ranks), 0),
    files: list.map(({ file }) => file),
    healthy: list.map(({ one }) => ({ record: one.record, remains: one.others / one.seconds })),
  };
}

/** In files of single ranks: by layer, since a phase in another layer would hide a late rank, and by files that belong together. */
export function lateInOwnFiles(job: Job, limits: LateLimits): Late | undefined {
  const byLayer = new Map<string, JobFile[]>();
  for (const file of realFiles(job)) {
    const { ranks, layer } = file.called;
    if (ranks !== 1 || !(file.seconds > 0)) continue;
    const files = byLayer.get(layer);
    if (files === undefined) byLayer.set(layer, [file]);
    else files.push(file);
  }
  return [...byLayer.values(), ...ownFileGroups(job).values()]
    .flatMap((files) => lateAmong(loadsOf(files), limits) ?? [])
    .sort((a, b) => b.excess - a.excess)[0];
}

interface OwnLoad {
  readonly rank: number;
  seconds: number;
  bytes: number;
  readonly files: JobFile[];
}

function loadsOf(files: readonly JobFile[]): OwnLoad[] {
  const byRank = new Map<number, OwnLoad>();
  for (const file of files) {
    const rank = file.called.slowestRank;
    let load = byRank.get(rank);
    if (load === undefined) byRank.set(rank, (load = { rank, seconds: 0, bytes: 0, files: [] }));
    load.seconds += file.seconds;
    load.bytes += bytesMoved(file.called);
    load.files.push(file);
  }
  return [...byRank.values()].sort((a, b) => b.seconds - a.seconds);
}

/** Ours: more than a quarter of the ranks are no exception. */
const SLOW_SHARE = 0.25;

function lateAmong(loads: readonly OwnLoad[], limits: LateLimits): Late | undefined {
  const [slowest] = loads;
  if (slowest === undefined || loads.length < limits.ranks) return undefined;
  const meanBytes = sum(loads, ({ bytes }) => bytes) / loads.length;
  const usual = median(loads.map(({ seconds }) => seconds));
  const isSlow = ({ seconds, bytes }: OwnLoad) =>
    seconds >= limits.ratio * usual && bytes <= limits.bytes * meanBytes;
  const first = loads.findIndex((load) => !isSlow(load));
  const slow = loads.slice(0, Math.max(1, Math.min(first, Math.floor(SLOW_SHARE * loads.length))));
  const all = sum(loads, ({ seconds }) => seconds);
  const others = (all - sum(slow, ({ seconds }) => seconds)) / (loads.length - slow.length);
  if (!(slowest.seconds >= limits.ratio * others && slowest.bytes <= limits.bytes * meanBytes))
    return undefined;
  const mean = all / loads.length;
  return {
    ...{ ...slowest, mean, others, meanBytes, excess: slowest.seconds - mean, ranks: loads.length },
    ...{ shared: false, alike: slow.length - 1 },
    healthy: slow.flatMap(({ files, seconds }) =>
      files.map(({ called }) => ({ record: called, remains: others / seconds })),
    ),
  };
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
