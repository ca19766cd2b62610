/**
 * The length that a set of intervals covers, overlap counted once and gaps not at all:
 *
 *   0    2    4    6    8   10
 *   |---------|                    [0, 4]
 *        |---------|               [2, 6]
 *                       |----|     [8, 10]
 *   |==============|    |====|     length 8 in 2 groups
 *
 * Lengths are in the unit of the input. An interval that ends before it starts, or has an end that is not a
 * finite number, is rejected and counted. Intervals that touch are one group.
 */
import { AssertionError } from "./assert.ts";

export interface UnionLength {
  /**
   * Exact for whole numbers below 2^53. A plain sum is enough for other times from zero on too: lengths of groups
   * ever farther from zero are as coarse as the sum so far, so it rounds about once each time it doubles.
   */
  readonly length: number;
  /** Stretches without a gap. */
  readonly groups: number;
  readonly rejected: number;
}

/** The union of intervals that come in order of their start, in constant memory. */
export class IntervalUnion {
  /** Length of the groups before the open one. */
  #closed = 0;
  #groups = 0;
  #rejected = 0;
  #start = Number.NEGATIVE_INFINITY;
  #end = Number.NEGATIVE_INFINITY;

  /**
   * Intervals need not be in order to the letter: one may start before its predecessor, but not before the group
   * that is still open. That would make the length wrong, and is an assertion.
   */
  add(start: number, end: number): void {
    if (!isInterval(start, end)) {
      this.#rejected++;
      return;
    }
    // Not an `assert`, whose message would be made for every interval.
    if (start < this.#start)
      throw new AssertionError(`interval from ${start} comes after the group from ${this.#start}`);
    if (start <= this.#end) {
      if (end > this.#end) this.#end = end;
      return;
    }
    if (this.#groups > 0) this.#closed += this.#end - this.#start;
    this.#groups++;
    this.#start = start;
    this.#end = end;
  }

  /** What came so far; more may be added afterwards. */
  result(): UnionLength {
    const open = this.#groups > 0 ? this.#end - this.#start : 0;
    return { length: this.#closed + open, groups: this.#groups, rejected: this.#rejected };
  }
}

/** Whether it counts: not NaN, both ends finite, and the end not before the start. */
export function isInterval(start: number, end: number): boolean {
  return start <= end && start > Number.NEGATIVE_INFINITY && end < Number.POSITIVE_INFINITY;
}
