/** The median of values that come one by one, exact, without keeping them all. */
import { select } from "./statistics.ts";

/** Values kept by default; ours. */
const KEPT = 2 ** 17;

/**
 * Keeps the values around the middle of what came so far, and counts those on either side. When values come in an order that
 * says nothing of their size, the middle stays among the kept ones; when it does not, that is told.
 */
export class RunningMedian {
  readonly #inside: Float64Array;
  #count = 0;
  /** Values strictly between these are kept; others are counted. */
  #low = Number.NEGATIVE_INFINITY;
  #high = Number.POSITIVE_INFINITY;
  #below = 0;
  #atLow = 0;
  #atHigh = 0;
  #above = 0;

  constructor(kept = KEPT) {
    this.#inside = new Float64Array(kept);
  }

  get count(): number {
    return this.#below + this.#atLow + this.#count + this.#atHigh + this.#above;
  }

  add(value: number): void {
    if (value > this.#low && value < this.#high) {
      if (this.#count === this.#inside.length) {
        this.#narrow();
        this.add(value);
        return;
      }
      this.#inside[this.#count++] = value;
    } else if (value === this.#low) this.#atLow++;
    else if (value === this.#high) this.#atHigh++;
    else if (value < this.#low) this.#below++;
    else this.#above++;
  }

  /** NaN without values; nothing when the middle is no longer among the kept ones. */
  get value(): number | undefined {
    const { count } = this;
    if (count === 0) return Number.NaN;
    const [lower, upper] = [this.#at(Math.floor((count - 1) / 2)), this.#at(Math.ceil((count - 1) / 2))];
    return lower === undefined || upper === undefined ? undefined : lower + (upper - lower) / 2;
  }

  /** The value of a rank, from 0. */
  #at(rank: number): number | undefined {
    const inside = rank - this.#below - this.#atLow;
    if (rank < this.#below || inside >= this.#count + this.#atHigh) return undefined;
    if (inside < 0) return this.#low;
    return inside < this.#count ? select(this.#inside.subarray(0, this.#count), inside) : this.#high;
  }

  /** Keeps half of the values at most, those next to the middle. */
  #narrow(): void {
    const kept = this.#inside.subarray(0, this.#count);
    const middle = (this.count - 1) / 2 - this.#below - this.#atLow;
    const quarter = Math.floor(kept.length / 4);
    const last = kept.length - 1;
    const low = select(kept, Math.max(0, Math.min(last, Math.floor(middle) - quarter)));
    const high = select(kept, Math.max(0, Math.min(last, Math.ceil(middle) + quarter)));
    let [below, atLow, atHigh, above, count] = [0, 0, 0, 0, 0];
    for (const value of kept) {
      if (value > low && value < high) kept[count++] = value;
      else if (value === low) atLow++;
      else if (value === high) atHigh++;
      else if (value < low) below++;
      else above++;
    }
    this.#below += this.#atLow + below;
    this.#above += this.#atHigh + above;
    [this.#low, this.#high, this.#atLow, this.#atHigh, this.#count] = [low, high, atLow, atHigh, count];
  }
}
