/** Goes along starts and ends in order of time and sums up how long how many accesses were under way. */
import { longer } from "./exact-sums.ts";

/** Stretches of time in which the number of accesses under way stays the same and is not zero, in order. */
export interface Stretches {
  readonly count: number;
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  readonly level: Float64Array;
}

/** Hears of stretches, many at a time: a call for each would cost more than what is done about it. */
export interface LevelListener {
  stretches(stretches: Stretches): void;
}

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
  readonly #listeners: readonly LevelListener[];
  readonly #told = { count: 0, fromNs: NO_TIMES, toNs: NO_TIMES, level: NO_TIMES };

  /** Time begins at 0, with the first start. */
  constructor(listeners: readonly LevelListener[] = []) {
    this.#listeners = listeners;
  }

  /** Begins later, with this many accesses in flight. */
  beginAt(ns: number, level: number): void {
    this.#begin = this.#at = ns;
    this.#level = level;
    if (level >= this.levelNs.length) this.levelNs = longer(this.levelNs, level + 1);
  }

  /** Ends when nothing starts or ends: what is under way goes on until then. */
  endAt(ns: number): void {
    this.add(NO_TIMES, 0, Float64Array.of(ns), 1);
    this.#level++;
  }

  /** All events up to some time, both in order; those of later calls lie behind. */
  add(starts: Float64Array, startCount: number, ends: Float64Array, endCount: number): void {
    let { levelNs } = this;
    let level = this.#level;
    let at = this.#at;
    let idle = this.#idle;
    const listening = this.#listeners.length > 0;
    if (listening) this.#makeRoom(startCount + endCount);
    const { fromNs, toNs, level: levels } = this.#told;
    let told = 0;
    let i = 0;
    let j = 0;
    let start = startCount > 0 ? (starts[0] as number) : Number.POSITIVE_INFINITY;
    let end = endCount > 0 ? (ends[0] as number) : Number.POSITIVE_INFINITY;
    while (i < startCount || j < endCount) {
      // At the same time starts come first, so that accesses that touch leave no gap and none ends before it starts.
      const starting = start <= end;
      const time = starting ? start : end;
      if (time > at) {
        levelNs[level]! += time - at;
        if (level === 0) idle = true;
        else {
          if (idle) {
            if (at === this.#begin) this.beganBusy = true;
            this.stretches++;
            idle = false;
          }
          if (listening) {
            fromNs[told] = at;
            toNs[told] = time;
            levels[told++] = level;
          }
        }
        at = time;
      }
      if (starting) {
        start = ++i < startCount ? (starts[i] as number) : Number.POSITIVE_INFINITY;
        if (++level === levelNs.length) levelNs = this.levelNs = longer(levelNs, level + 1);
      } else {
        end = ++j < endCount ? (ends[j] as number) : Number.POSITIVE_INFINITY;
        level--;
      }
    }
    this.#level = level;
    this.#at = at;
    this.#idle = idle;
    this.#told.count = told;
    for (const listener of this.#listeners) listener.stretches(this.#told);
  }

  /** Every event ends one stretch at most. */
  #makeRoom(events: number): void {
    const told = this.#told;
    if (events <= told.fromNs.length) return;
    told.fromNs = new Float64Array(events + (events >> 2));
    told.toNs = new Float64Array(told.fromNs.length);
    told.level = new Float64Array(told.fromNs.length);
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
