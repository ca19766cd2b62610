/**
 * A union of intervals that grows in any order and holds only what is needed: now and then it is sorted and what
 * overlaps or touches becomes one, so memory follows the number of gaps, not of intervals.
 */
import { withRoom } from "./room.ts";
import { sortPairs } from "./radix-sort.ts";

/** Room for this many intervals at first. */
const FEW = 8;
/** Merging pays from here on. */
const MANY = 4096;

export class IntervalSet {
  #pairs = new Float64Array(2 * FEW);
  #used = 0;
  /** How much of `#pairs` is sorted and merged already. */
  #merged = 0;
  #mergeAt = 2 * MANY;

  /** False when it is no interval: the end before the start, or not a number. */
  add(start: number, end: number): boolean {
    if (!isInterval(start, end)) return false;
    // Calls of one process mostly follow one another: what touches the last one extends it.
    if (this.#used > 0) {
      const lastStart = this.#pairs[this.#used - 2] as number;
      const lastEnd = this.#pairs[this.#used - 1] as number;
      if (start >= lastStart && start <= lastEnd) {
        if (end > lastEnd) {
          this.#pairs[this.#used - 1] = end;
          if (this.#merged === this.#used) this.#merged -= 2;
        }
        return true;
      }
    }
    if (this.#used === this.#pairs.length) this.#makeRoom();
    this.#pairs[this.#used++] = start;
    this.#pairs[this.#used++] = end;
    return true;
  }

  addAll(other: IntervalSet): void {
    const pairs = other.pairs();
    for (let i = 0; i < pairs.length; i += 2) this.add(pairs[i] as number, pairs[i + 1] as number);
  }

  clear(): void {
    this.#used = 0;
    this.#merged = 0;
  }

  /** Length of the union. */
  get length(): number {
    const pairs = this.pairs();
    let length = 0;
    for (let i = 0; i < pairs.length; i += 2) length += (pairs[i + 1] as number) - (pairs[i] as number);
    return length;
  }

  /** Start, end, start, end, … in order, without overlap. A view; valid until the next `add`. */
  pairs(): Float64Array {
    this.#merge();
    return this.#pairs.subarray(0, this.#used);
  }

  #makeRoom(): void {
    if (this.#used >= this.#mergeAt) {
      this.#merge();
      this.#mergeAt = Math.max(2 * MANY, 2 * this.#used);
    }
    if (this.#used * 2 <= this.#pairs.length && this.#used < this.#pairs.length) return;
    this.#pairs = withRoom(this.#pairs, 2 * this.#pairs.length);
  }

  #merge(): void {
    if (this.#merged === this.#used) return;
    const pairs = this.#pairs.subarray(0, this.#used);
    sortPairs(pairs);
    let kept = 0;
    for (let i = 0; i < pairs.length; i += 2) {
      const start = pairs[i] as number;
      const end = pairs[i + 1] as number;
      if (kept > 0 && start <= (pairs[kept - 1] as number)) {
        if (end > (pairs[kept - 1] as number)) pairs[kept - 1] = end;
      } else {
        pairs[kept++] = start;
        pairs[kept++] = end;
      }
    }
    this.#used = kept;
    this.#merged = kept;
  }
}

/** Length of what two sets have in common. */
export function commonLength(a: IntervalSet, b: IntervalSet): number {
  const [one, two] = [a.pairs(), b.pairs()];
  let [i, j, length] = [0, 0, 0];
  while (i < one.length && j < two.length) {
    const start = Math.max(one[i] as number, two[j] as number);
    const end = Math.min(one[i + 1] as number, two[j + 1] as number);
    if (end > start) length += end - start;
    if ((one[i + 1] as number) < (two[j + 1] as number)) i += 2;
    else j += 2;
  }
  return length;
}

/** Whether it counts: not NaN, both ends finite, and the end not before the start. */
function isInterval(start: number, end: number): boolean {
  return start <= end && start > Number.NEGATIVE_INFINITY && end < Number.POSITIVE_INFINITY;
}
