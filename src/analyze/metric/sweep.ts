/** Goes along starts and ends in order of time and sums up how long how many accesses were under way. */
import { longer } from "./exact-sums.ts";

/** Wants to know of each stretch of time in which the number of accesses under way stays the same and is not zero. */
export interface LevelListener {
  stretch(fromNs: number, toNs: number, level: number): void;
}

export class LevelSweep {
  /** Nanoseconds with so many accesses under way; [0] is idle time between accesses. */
  levelNs = new Float64Array(64);
  /** Stretches of time with accesses under way, without a gap. */
  stretches = 0;
  #idle = true;
  #level = 0;
  #at = 0;
  readonly #listeners: readonly LevelListener[];

  /** Time begins at 0, with the first start. */
  constructor(listeners: readonly LevelListener[] = []) {
    this.#listeners = listeners;
  }

  /** All events up to some time, both in order; those of later calls lie behind. */
  add(starts: Float64Array, startCount: number, ends: Float64Array, endCount: number): void {
    let { levelNs } = this;
    let level = this.#level;
    let at = this.#at;
    let idle = this.#idle;
    const listening = this.#listeners.length > 0;
    let i = 0;
    let j = 0;
    while (i < startCount || j < endCount) {
      // At the same time starts come first, so that accesses that touch leave no gap and none ends before it starts.
      const starting = i < startCount && (j >= endCount || (starts[i] as number) <= (ends[j] as number));
      const time = (starting ? starts[i++] : ends[j++]) as number;
      if (time > at) {
        levelNs[level]! += time - at;
        if (level === 0) idle = true;
        else {
          if (idle) {
            this.stretches++;
            idle = false;
          }
          if (listening) this.#tell(at, time, level);
        }
        at = time;
      }
      if (!starting) level--;
      else if (++level === levelNs.length) levelNs = this.levelNs = longer(levelNs, level + 1);
    }
    this.#level = level;
    this.#at = at;
    this.#idle = idle;
  }

  #tell(from: number, to: number, level: number): void {
    for (const listener of this.#listeners) listener.stretch(from, to, level);
  }

  /** Time with at least one access under way. */
  get busyNs(): number {
    let sum = 0;
    for (let level = 1; level < this.levelNs.length; level++) sum += this.levelNs[level] as number;
    return sum;
  }

  /** The number that are under way now; 0 when every access has ended. */
  get open(): number {
    return this.#level;
  }
}
