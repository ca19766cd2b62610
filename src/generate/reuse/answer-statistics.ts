/** Sums, means and ranks for the true answers. */
import { withRoom } from "../../base/room.ts";

/** A sum of whole numbers that may pass 2^53. */
export class ExactSum {
  #large = 0n;
  #small = 0;

  add(value: number): void {
    this.#small += value;
    if (this.#small > 2 ** 52) this.#carry();
  }

  get total(): bigint {
    this.#carry();
    return this.#large;
  }

  #carry(): void {
    this.#large += BigInt(this.#small);
    this.#small = 0;
  }
}

export class Mean {
  sum = 0;
  count = 0;

  add(value: number): void {
    this.sum += value;
    this.count++;
  }

  get value(): number {
    return this.sum / this.count;
  }
}

/** Numbers that are kept one by one, as doubles. */
export class Values {
  #values = new Float64Array(1024);
  count = 0;

  add(value: number): void {
    if (this.count === this.#values.length) this.#values = withRoom(this.#values, 2 * this.count);
    this.#values[this.count++] = value;
  }

  get mean(): number {
    let sum = 0;
    for (let i = 0; i < this.count; i++) sum += this.#values[i] as number;
    return sum / this.count;
  }

  /** Share of the values that are at least `bound`. */
  atLeast(bound: number): number {
    let count = 0;
    for (let i = 0; i < this.count; i++) if ((this.#values[i] as number) >= bound) count++;
    return count / this.count;
  }

  /** Linear interpolation between the two nearest: position (count - 1) × p in the sorted values. */
  percentile(p: number): number {
    if (this.count === 0) return Number.NaN;
    const sorted = this.#values.slice(0, this.count).sort();
    const at = (this.count - 1) * p;
    const low = Math.floor(at);
    const below = sorted[low] as number;
    const above = sorted[Math.min(low + 1, this.count - 1)] as number;
    return below + (above - below) * (at - low);
  }
}

/** Coefficient of variation with the population's standard deviation, as a fraction. */
export function cov(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  const mean = sum / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += ((values[i] as number) - mean) ** 2;
  return Math.sqrt(squares / values.length) / mean;
}

/** Correlation of ranks, with average ranks for ties, over the pairs that have both values. */
export function spearman(x: readonly number[], y: readonly number[]): number {
  const kept = x.map((_, i) => i).filter((i) => !Number.isNaN(x[i]) && !Number.isNaN(y[i]));
  const rank = (values: readonly number[]) =>
    values.map((value) => {
      const below = values.filter((other) => other < value).length;
      const equal = values.filter((other) => other === value).length;
      return below + (equal + 1) / 2;
    });
  const a = rank(kept.map((i) => x[i] as number));
  const b = rank(kept.map((i) => y[i] as number));
  const middle = (kept.length + 1) / 2;
  let both = 0;
  let own = 0;
  let other = 0;
  for (let i = 0; i < kept.length; i++) {
    const p = (a[i] as number) - middle;
    const q = (b[i] as number) - middle;
    both += p * q;
    own += p * p;
    other += q * q;
  }
  return both / Math.sqrt(own * other);
}
