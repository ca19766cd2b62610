/** Exact sums of bytes and the few statistics that answers need; on their own, apart from the analyses. */
import { withRoom } from "../../base/room.ts";

const CARRY = 2 ** 52;

/** Sums of whole numbers below 2^52 for each of n, exact beyond 2^53. */
export class ByteSums {
  readonly #low: Float64Array;
  readonly #high: Float64Array;

  constructor(size: number) {
    this.#low = new Float64Array(size);
    this.#high = new Float64Array(size);
  }

  add(index: number, value: number): void {
    let low = (this.#low[index] as number) + value;
    if (low >= CARRY) {
      low -= CARRY;
      this.#high[index] = (this.#high[index] as number) + 1;
    }
    this.#low[index] = low;
  }

  exact(index: number): bigint {
    return (BigInt(this.#high[index] as number) << 52n) + BigInt(this.#low[index] as number);
  }

  number(index: number): number {
    return (this.#high[index] as number) * CARRY + (this.#low[index] as number);
  }
}

/** Numbers, as many as come. */
export class Numbers {
  #values = new Float64Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) this.#values = withRoom(this.#values, 2 * this.length);
    this.#values[this.length++] = value;
  }

  get values(): Float64Array {
    return this.#values.subarray(0, this.length);
  }
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum / values.length;
}

/** Middle of sorted values, or between the two; `zeros` more of them are 0. */
export function medianOfSorted(sorted: ArrayLike<number>, zeros = 0): number {
  const n = sorted.length + zeros;
  const at = (place: number) => (place < zeros ? 0 : (sorted[place - zeros] as number));
  return n === 0 ? Number.NaN : (at((n - 1) >> 1) + at(n >> 1)) / 2;
}

/** Of values that are counted by a table: place of the middle. */
export function medianOfCounts(counts: ArrayLike<number>): number {
  let n = 0;
  for (let i = 0; i < counts.length; i++) n += counts[i] as number;
  const at = (place: number) => {
    let so = 0;
    for (let value = 0; value < counts.length; value++)
      if ((so += counts[value] as number) > place) return value;
    return Number.NaN;
  };
  return (at(Math.floor((n - 1) / 2)) + at(Math.floor(n / 2))) / 2;
}

/** Pearson's r, while pairs pass by. Values are moved by the first pair, which keeps the sums small. */
export class Pearson {
  n = 0;
  #x0 = 0;
  #y0 = 0;
  #x = 0;
  #y = 0;
  #xx = 0;
  #yy = 0;
  #xy = 0;

  add(x: number, y: number): void {
    if (this.n++ === 0) [this.#x0, this.#y0] = [x, y];
    const a = x - this.#x0;
    const b = y - this.#y0;
    this.#x += a;
    this.#y += b;
    this.#xx += a * a;
    this.#yy += b * b;
    this.#xy += a * b;
  }

  get r(): number {
    const { n } = this;
    const covariance = n * this.#xy - this.#x * this.#y;
    return covariance / Math.sqrt((n * this.#xx - this.#x ** 2) * (n * this.#yy - this.#y ** 2));
  }
}

/** Largest distance of the distribution of values in [0, 1] from an even one. */
export function distanceToUniform(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  return sorted.reduce((most, x, i) => Math.max(most, (i + 1) / n - x, x - i / n), 0);
}

/** Kruskal and Wallis's H with mean ranks for ties, over groups of values. */
export function kruskalWallis(groups: readonly (readonly number[])[]): number {
  const all = groups.flatMap((values, group) => values.map((value) => ({ value, group })));
  all.sort((a, b) => a.value - b.value);
  const n = all.length;
  const ranks = new Float64Array(groups.length);
  let ties = 0;
  for (let i = 0; i < n; ) {
    let to = i;
    while (to < n && all[to]?.value === all[i]?.value) to++;
    for (let k = i; k < to; k++) {
      const { group } = all[k] as (typeof all)[number];
      ranks[group] = (ranks[group] as number) + (i + to + 1) / 2;
    }
    ties += (to - i) ** 3 - (to - i);
    i = to;
  }
  let sum = 0;
  groups.forEach((values, group) => {
    if (values.length > 0) sum += (ranks[group] as number) ** 2 / values.length;
  });
  return ((12 / (n * (n + 1))) * sum - 3 * (n + 1)) / (1 - ties / (n ** 3 - n));
}
