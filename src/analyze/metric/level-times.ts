/**
 * How long how many accesses were under way, from starts and ends in blocks. The time axis can be cut into slices that are
 * swept by themselves, each perhaps by another thread, and put together again; the sums are whole numbers, so the result is
 * the same however it was cut.
 */
import { assert } from "../../base/assert.ts";
import { IntegerSorter } from "../../base/integer-sort.ts";
import type { Concurrency } from "./metrics.ts";
import { busyNsOf, LevelSweep } from "./sweep.ts";
import type { TimeBlocks } from "./time-runs.ts";
import { TimeStream } from "./time-stream.ts";

/** The result of a sweep. */
export interface LevelTimes {
  /** Nanoseconds with this many accesses in flight; [0] is idle time between accesses. */
  readonly levelNs: Float64Array;
  /** Stretches of time with accesses under way, without a gap. */
  readonly stretches: number;
}

/** Times in blocks, and what to add to those of each source to get to the axis that begins with the first start. */
export interface SweepInput {
  readonly starts: TimeBlocks;
  readonly ends: TimeBlocks;
  readonly shift: Float64Array;
}

/** [fromNs, toNs); the first one begins at 0 and the last one ends with `Infinity`. */
export interface Slice {
  readonly fromNs: number;
  readonly toNs: number;
}

export interface SliceTimes extends LevelTimes {
  /** Whether an access is under way right after its begin, and right before its end. */
  readonly beginsBusy: boolean;
  readonly endsBusy: boolean;
}

export const ALL_TIME: Slice = { fromNs: 0, toNs: Number.POSITIVE_INFINITY };

export function sweepSlice(input: SweepInput, { fromNs, toNs }: Slice): SliceTimes {
  const sorter = new IntegerSorter();
  const starts = new TimeStream(input.starts, input.shift, fromNs, toNs, sorter);
  const ends = new TimeStream(input.ends, input.shift, fromNs, toNs, sorter);
  const sweep = new LevelSweep();
  let begun = false;
  for (let doneNs = Number.NEGATIVE_INFINITY; doneNs < toNs; ) {
    doneNs = Math.min(starts.load(doneNs), ends.load(doneNs));
    if (doneNs <= fromNs) continue;
    starts.take(doneNs);
    ends.take(doneNs);
    if (!begun) sweep.beginAt(fromNs, starts.before - ends.before);
    begun = true;
    sweep.add(starts.values, starts.count, ends.values, ends.count);
  }
  if (toNs < Number.POSITIVE_INFINITY) sweep.endAt(toNs);
  else assert(sweep.open === 0, `${sweep.open} accesses never ended`);
  return {
    levelNs: sweep.levelNs,
    stretches: sweep.stretches,
    beginsBusy: sweep.beganBusy,
    endsBusy: sweep.busy,
  };
}

/** Slices one after the other, from the first to the last. */
export function joinSlices(slices: readonly SliceTimes[]): LevelTimes {
  const levelNs = new Float64Array(slices.reduce((most, one) => Math.max(most, one.levelNs.length), 0));
  let stretches = 0;
  slices.forEach((slice, at) => {
    slice.levelNs.forEach((ns, level) => {
      levelNs[level]! += ns;
    });
    stretches += slice.stretches;
    if (slice.beginsBusy && slices[at - 1]?.endsBusy) stretches--;
  });
  return { levelNs, stretches };
}

/** Cuts time so that about as many accesses start in each slice; fewer slices where many start at once. */
export function slicesOf(
  starts: Pick<TimeBlocks, "blocks" | "base" | "source" | "rows">,
  shift: Float64Array,
  count: number,
): Slice[] {
  const bases = new Float64Array(starts.blocks);
  for (let block = 0; block < starts.blocks; block++)
    bases[block] = (starts.base[block] as number) + (shift[starts.source[block] as number] as number);
  const order = new IntegerSorter().order(bases, bases.length);
  const rows = starts.rows.subarray(0, starts.blocks).reduce((sum, one) => sum + one, 0);
  const edges = [0];
  let before = 0;
  for (let at = 0; at < starts.blocks; at++) {
    const block = order === undefined ? at : (order[at] as number);
    const edge = bases[block] as number;
    if (before >= (edges.length * rows) / count && edge > (edges.at(-1) as number)) edges.push(edge);
    before += starts.rows[block] as number;
  }
  return edges.map((fromNs, at) => ({ fromNs, toNs: edges[at + 1] ?? Number.POSITIVE_INFINITY }));
}

export function concurrencyOf({ levelNs }: Pick<LevelTimes, "levelNs">): Concurrency {
  const ioTimeNs = busyNsOf(levelNs);
  const levels: { level: number; seconds: number }[] = [];
  let weighted = 0;
  for (let level = 1; level < levelNs.length; level++) {
    const ns = levelNs[level] as number;
    if (ns === 0) continue;
    levels.push({ level, seconds: ns / 1e9 });
    weighted += level * ns;
  }
  return { max: levels.at(-1)?.level ?? 0, mean: ioTimeNs > 0 ? weighted / ioTimeNs : null, levels };
}
