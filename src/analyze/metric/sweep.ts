/** Goes along starts and ends in order of time and sums up how long how many accesses were under way. */
import { longer } from "../../base/room.ts";
import type { TimeColumns } from "./time-columns.ts";

/** T of the time at each level. */
export function busyNsOf(levelNs: Float64Array): number {
  let sum = 0;
  for (let level = 1; level < levelNs.length; level++) sum += levelNs[level] as number;
  return sum;
}

const NO_TIMES = new Float64Array(0);

export class LevelSweep {
  /** Nanoseconds with this many accesses in flight; [0] is idle time between accesses. */
  levelNs = new Float64Array(64);
  /** Stretches of time with accesses under way, without a gap. */
  stretches = 0;
  /** Whether an access was under way right after the begin. */
  beganBusy = false;
  #idle = true;
  #begin = 0;
  #level = 0;
  #at = 0;
  /** What goes to the current columns; less what earlier ones have of the time since the last event. */
  #busyNs = 0;
  #accessNs = 0;
  readonly #columns: readonly TimeColumns[];
  /** Start and end of the first stretches by turns. */
  readonly #spans: Float64Array;

  /** Time begins at 0, with the first start. `kept`: how many stretches are kept. */
  constructor(columns: readonly TimeColumns[] = [], kept = 0) {
    this.#columns = columns;
    this.#spans = new Float64Array(2 * kept);
  }

  /** Begins later, with this many accesses in flight. */
  beginAt(ns: number, level: number): void {
    this.#begin = this.#at = ns;
    this.#level = level;
    if (level >= this.levelNs.length) this.levelNs = longer(this.levelNs, level + 1);
    for (const columns of this.#columns) columns.goTo(ns);
  }

  /** Ends when nothing starts or ends: what is under way goes on until then. */
  endAt(ns: number): void {
    this.add(NO_TIMES, 0, Float64Array.of(ns), 1);
    this.#level++;
  }

  /** Gives the last columns what they had. */
  close(): void {
    for (const columns of this.#columns) columns.add(this.#busyNs, this.#accessNs);
    this.#busyNs = this.#accessNs = 0;
  }

  /** All events up to some time, both in order; those of later calls lie behind. */
  add(starts: Float64Array, startCount: number, ends: Float64Array, endCount: number): void {
    const last = Math.max(
      startCount > 0 ? (starts[startCount - 1] as number) : 0,
      endCount > 0 ? (ends[endCount - 1] as number) : 0,
    );
    let [fromStart, fromEnd] = [0, 0];
    for (;;) {
      const edge = this.#columns.reduce((least, { edge }) => Math.min(least, edge), Number.POSITIVE_INFINITY);
      if (edge > last) break;
      const toStart = lowerBound(starts, fromStart, startCount, edge);
      const toEnd = lowerBound(ends, fromEnd, endCount, edge);
      this.#go(starts, fromStart, toStart, ends, fromEnd, toEnd);
      this.#cross(edge);
      [fromStart, fromEnd] = [toStart, toEnd];
    }
    this.#go(starts, fromStart, startCount, ends, fromEnd, endCount);
  }

  /** The sums so far, with those of what is under way, go to the columns that end here. */
  #cross(edge: number): void {
    const part = this.#level > 0 ? edge - this.#at : 0;
    for (const columns of this.#columns) {
      columns.add(this.#busyNs + part, this.#accessNs + this.#level * part);
      columns.goTo(edge);
    }
    this.#busyNs = -part;
    this.#accessNs = -this.#level * part;
  }

  #go(
    starts: Float64Array,
    fromStart: number,
    toStart: number,
    ends: Float64Array,
    fromEnd: number,
    toEnd: number,
  ): void {
    let { levelNs } = this;
    const spans = this.#spans;
    const kept = spans.length / 2;
    let { stretches } = this;
    let [level, at, idle] = [this.#level, this.#at, this.#idle];
    // Of accesses by themselves, and of others.
    let [idleNs, aloneNs, busyNs, accessNs] = [0, 0, 0, 0];
    let [i, j] = [fromStart, fromEnd];
    let start = i < toStart ? (starts[i] as number) : Number.POSITIVE_INFINITY;
    let end = j < toEnd ? (ends[j] as number) : Number.POSITIVE_INFINITY;
    while (i < toStart || j < toEnd) {
      // At the same time starts come first, so that accesses that touch leave no gap and none ends before it starts.
      const starting = start <= end;
      const time = starting ? start : end;
      if (time > at) {
        const passed = time - at;
        if (level === 0) {
          idleNs += passed;
          if (!idle && stretches <= kept) spans[2 * stretches - 1] = at;
          idle = true;
        } else {
          if (idle) {
            if (at === this.#begin) this.beganBusy = true;
            if (stretches < kept) spans[2 * stretches] = at;
            stretches++;
            idle = false;
          }
          levelNs[level]! += passed;
          busyNs += passed;
          accessNs += level * passed;
        }
        at = time;
      }
      if (starting) {
        start = ++i < toStart ? (starts[i] as number) : Number.POSITIVE_INFINITY;
        if (++level === levelNs.length) levelNs = this.levelNs = longer(levelNs, level + 1);
        if (level === 1 && end < start && end > at && idle && at > this.#begin) {
          // It ends before another starts.
          if (stretches < kept) spans[2 * stretches] = at;
          stretches++;
          idle = false;
          aloneNs += end - at;
          at = end;
          end = ++j < toEnd ? (ends[j] as number) : Number.POSITIVE_INFINITY;
          level = 0;
        }
      } else {
        end = ++j < toEnd ? (ends[j] as number) : Number.POSITIVE_INFINITY;
        level--;
      }
    }
    this.stretches = stretches;
    [this.#level, this.#at, this.#idle] = [level, at, idle];
    levelNs[0]! += idleNs;
    levelNs[1]! += aloneNs;
    this.#busyNs += busyNs + aloneNs;
    this.#accessNs += accessNs + aloneNs;
  }

  /** Start and end of each stretch by turns; null when there are more than are kept. */
  get spans(): number[] | null {
    if (2 * this.stretches > this.#spans.length) return null;
    const spans = [...this.#spans.subarray(0, 2 * this.stretches)];
    if (!this.#idle) spans[spans.length - 1] = this.#at;
    return spans;
  }

  /** T: time with at least one access under way. */
  get busyNs(): number {
    return busyNsOf(this.levelNs);
  }

  /** Whether the last time that went by had an access under way. */
  get busy(): boolean {
    return !this.#idle;
  }

  /** The number that are under way now; 0 when every access has ended. */
  get open(): number {
    return this.#level;
  }
}

/** The first of the sorted values [from, to) that is not below `bound`. */
export function lowerBound(values: Float64Array, from: number, to: number, bound: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
