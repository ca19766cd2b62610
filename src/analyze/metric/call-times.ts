/**
 * The times of calls of many groups, kept packed and gone through once in order of time. T, concurrency, phases and turns are
 * what listeners make of that one pass; `bps` and the analysis of a job share it.
 */
import { IntegerSorter } from "../../base/integer-sort.ts";
import { AccessBatches } from "./access-batches.ts";
import { AccessRuns } from "./access-runs.ts";
import { longer } from "../../base/room.ts";
import { ALL_TIME } from "./level-times.ts";
import { LevelSweep } from "./sweep.ts";

/** Calls in order of their start; later batches start at `boundNs` or after. Valid during the call. */
export interface CallBatch {
  readonly starts: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly tally: Uint32Array;
  /** What was given with the call. */
  readonly bytes: Float64Array;
  readonly boundNs: number;
  /** All ends before `boundNs`, in order; none where nobody wants them. */
  readonly ends: number;
  readonly sortedEnds: Float64Array;
}

export interface BatchListener {
  batch(batch: CallBatch): void;
}

/** Times that a double holds exactly, with a margin. */
export const TIME_LIMIT_NS = 2 ** 52;
const MEMORY_MAX = 2 ** 30;
/** Beyond the memory, calls of a group this close to each other are kept as one. */
const JOIN_NS = 1e6;

export class CallTimes {
  readonly #runs = new AccessRuns();
  readonly #memoryMax: number;
  #full = false;
  /** Last row of a group in the chunk, once calls are joined. */
  readonly #lastRow = new Map<number, number>();

  constructor(memoryMax = MEMORY_MAX) {
    this.#memoryMax = memoryMax;
  }

  /** Gaps up to this long may count as time in calls; 0 when all calls are kept. */
  get joinedNs(): number {
    return this.#full ? JOIN_NS : 0;
  }

  /** Times are whole, `tally` and `value` too and not negative. */
  add(startNs: number, endNs: number, tally: number, value: number): void {
    const runs = this.#runs;
    if (this.#full && this.#join(startNs, endNs, tally)) return;
    const row = runs.count++;
    runs.start[row] = startNs;
    runs.end[row] = endNs;
    runs.tally[row] = tally;
    runs.bytes[row] = value;
    this.#makeRoom();
  }

  #makeRoom(): void {
    const runs = this.#runs;
    if (runs.count < runs.start.length) return;
    runs.makeRoom(0);
    if (runs.count === 0) this.#lastRow.clear();
    this.#full ||= runs.memoryBytes > this.#memoryMax;
  }

  /** Calls [0, count) of these columns, of one tally. */
  addAll(
    startNs: Float64Array,
    endNs: Float64Array,
    tally: number,
    values: Float64Array,
    count: number,
  ): void {
    const runs = this.#runs;
    for (let from = 0; from < count; ) {
      if (this.#full) {
        this.add(startNs[from] as number, endNs[from] as number, tally, values[from++] as number);
        continue;
      }
      const rows = Math.min(count - from, runs.start.length - runs.count);
      const to = from + rows;
      runs.start.set(startNs.subarray(from, to), runs.count);
      runs.end.set(endNs.subarray(from, to), runs.count);
      runs.bytes.set(values.subarray(from, to), runs.count);
      runs.tally.fill(tally, runs.count, runs.count + rows);
      runs.count += rows;
      from = to;
      this.#makeRoom();
    }
  }

  #join(startNs: number, endNs: number, tally: number): boolean {
    const { start, end, count } = this.#runs;
    const row = this.#lastRow.get(tally);
    if (row === undefined || startNs < (start[row] as number) || startNs > (end[row] as number) + JOIN_NS) {
      this.#lastRow.set(tally, count);
      return false;
    }
    if (endNs > (end[row] as number)) end[row] = endNs;
    return true;
  }

  /** One pass over all calls in order of their start; batches have no `sortedEnds`. */
  sweep(listeners: readonly BatchListener[]): void {
    this.#runs.flush(0);
    const batches = new AccessBatches(this.#runs, new Float64Array(1), ALL_TIME, { ends: false });
    while (batches.next()) for (const listener of listeners) listener.batch(batches);
  }
}

/** Time at each level of concurrency, for a few groups. */
export class GroupLevels implements BatchListener {
  readonly #groupOf: Uint32Array;
  readonly #groups: { sweep: LevelSweep; starts: Times; ends: Times }[];
  readonly #sorter = new IntegerSorter();

  /** Tallies of groups from `groups` on take no part. */
  constructor(groupOf: Uint32Array, groups: number) {
    this.#groupOf = groupOf;
    this.#groups = Array.from({ length: groups }, () => ({
      sweep: new LevelSweep(),
      starts: new Times(),
      ends: new Times(),
    }));
  }

  batch({ starts, start, end, tally, boundNs }: CallBatch): void {
    const groupOf = this.#groupOf;
    this.#groups.forEach(({ starts: own, ends }, group) => {
      own.reach(starts);
      ends.reach(starts);
      for (let i = 0; i < starts; i++) {
        if (groupOf[tally[i] as number] !== group) continue;
        own.values[own.count++] = start[i] as number;
        ends.values[ends.count++] = end[i] as number;
      }
    });
    for (const { sweep, starts: own, ends } of this.#groups) {
      this.#sorter.sort(ends.values, ends.count);
      let before = ends.count;
      while (before > 0 && (ends.values[before - 1] as number) >= boundNs) before--;
      sweep.add(own.values, own.count, ends.values, before);
      own.drop(own.count);
      ends.drop(before);
    }
  }

  /** Nanoseconds at each number of calls under way. */
  levels(group: number): { readonly levelNs: Float64Array } {
    return this.#groups[group]?.sweep ?? { levelNs: new Float64Array(0) };
  }
}

class Times {
  values = new Float64Array(64);
  count = 0;

  /** Makes room for more. */
  reach(more: number): void {
    if (this.count + more > this.values.length) this.values = longer(this.values, this.count + more);
  }

  /** Lets the first ones go. */
  drop(count: number): void {
    this.values.copyWithin(0, count, this.count);
    this.count -= count;
  }
}
