/**
 * How long how many accesses were under way, from starts and ends in blocks. The time axis can be cut into slices that are
 * swept by themselves, each perhaps by another thread, and put together again; the sums are whole numbers, so the result is
 * the same however it was cut.
 */
import { IntegerSorter } from "../../base/integer-sort.ts";
import type { Concurrency } from "./metrics.ts";
import type { StoredRuns } from "./access-runs.ts";
import { busyNsOf } from "./sweep.ts";

/** The result of a sweep. */
export interface LevelTimes {
  /** Nanoseconds with this many accesses in flight; [0] is idle time between accesses. */
  readonly levelNs: Float64Array;
  /** Stretches of time with accesses under way, without a gap. */
  readonly stretches: number;
}

/** [fromNs, toNs); the first one begins at 0 and the last one ends with `Infinity`. */
export interface Slice {
  readonly fromNs: number;
  readonly toNs: number;
}

export const ALL_TIME: Slice = { fromNs: 0, toNs: Number.POSITIVE_INFINITY };

/** Cuts time so that about as many accesses start in each slice; fewer slices where many start at once. */
export function slicesOf(
  runs: Pick<StoredRuns, "blocks" | "base" | "source" | "rows">,
  shift: Float64Array,
  count: number,
): Slice[] {
  const bases = new Float64Array(runs.blocks);
  for (let block = 0; block < runs.blocks; block++)
    bases[block] = (runs.base[block] as number) + (shift[runs.source[block] as number] as number);
  const order = new IntegerSorter().order(bases, bases.length);
  const rows = runs.rows.subarray(0, runs.blocks).reduce((sum, one) => sum + one, 0);
  const edges = [0];
  let before = 0;
  for (let at = 0; at < runs.blocks; at++) {
    const block = order === undefined ? at : (order[at] as number);
    const edge = bases[block] as number;
    if (before >= (edges.length * rows) / count && edge > (edges.at(-1) as number)) edges.push(edge);
    before += runs.rows[block] as number;
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
