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
import { AssertionError, assert } from "./assert.ts";
import { sortPairs } from "./radix-sort.ts";

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

/** Length of the union of [starts[i], ends[i]], in any order. Takes twice the memory of the input. */
export function unionLength(
  starts: Float64Array | readonly number[],
  ends: Float64Array | readonly number[],
): UnionLength {
  assert(starts.length === ends.length, `${starts.length} starts do not match ${ends.length} ends`);
  return unionLengthOfPairs(interleave(toDoubles(starts), toDoubles(ends)));
}

/** The same for start, end, start, end, …; sorts `pairs` on the way, so give a copy of what you want to keep. */
export function unionLengthOfPairs(pairs: Float64Array): UnionLength {
  const kept = pairs.subarray(0, moveValidToFront(pairs));
  sortPairs(kept);
  const rejected = (pairs.length - kept.length) / 2;
  if (kept.length === 0) return { length: 0, groups: 0, rejected };
  let length = 0;
  let groups = 1;
  let groupStart = kept[0] as number;
  let groupEnd = kept[1] as number;
  for (let i = 2; i < kept.length; i += 2) {
    const start = kept[i] as number;
    const end = kept[i + 1] as number;
    if (groupEnd < start) {
      length += groupEnd - groupStart;
      groups++;
      groupStart = start;
      groupEnd = end;
    } else if (end > groupEnd) groupEnd = end;
  }
  return { length: length + (groupEnd - groupStart), groups, rejected };
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

/** Moves the intervals in front of what is rejected; returns how many values they take. */
function moveValidToFront(pairs: Float64Array): number {
  assert(pairs.length % 2 === 0, `pairs need an even number of values, not ${pairs.length}`);
  let kept = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const start = pairs[i] as number;
    const end = pairs[i + 1] as number;
    if (!isInterval(start, end)) continue;
    pairs[kept] = start;
    pairs[kept + 1] = end;
    kept += 2;
  }
  return kept;
}

function interleave(starts: Float64Array, ends: Float64Array): Float64Array {
  const pairs = new Float64Array(2 * starts.length);
  for (let i = 0; i < starts.length; i++) {
    pairs[2 * i] = starts[i] as number;
    pairs[2 * i + 1] = ends[i] as number;
  }
  return pairs;
}

function toDoubles(values: Float64Array | readonly number[]): Float64Array {
  return values instanceof Float64Array ? values : Float64Array.from(values);
}
