/** Sums of whole numbers below 2^52, exact beyond: what a double would round goes to a second column. */
import { longer } from "../../base/room.ts";

export const SUMMAND_LIMIT = 2 ** 52;

export class GrowingSums {
  low: Float64Array;
  /** Multiples of 2^52. */
  high: Float64Array;

  constructor(count: number) {
    this.low = new Float64Array(count);
    this.high = new Float64Array(count);
  }

  reach(count: number): void {
    if (count <= this.low.length) return;
    this.low = longer(this.low, count);
    this.high = longer(this.high, count);
  }

  add(at: number, value: number): void {
    const sum = (this.low[at] as number) + value;
    if (sum < SUMMAND_LIMIT) this.low[at] = sum;
    else {
      this.low[at] = sum - SUMMAND_LIMIT;
      this.high[at]!++;
    }
  }

  /** The same for a sum of summands that has not been rounded, up to 2^53. */
  addSum(at: number, sum: number): void {
    const rest = sum % SUMMAND_LIMIT;
    this.high[at]! += (sum - rest) / SUMMAND_LIMIT;
    this.add(at, rest);
  }

  /** Adds a sum of another column. */
  addFrom(
    at: number,
    other: { readonly low: Float64Array; readonly high: Float64Array },
    from: number,
  ): void {
    this.high[at]! += other.high[from] as number;
    this.add(at, other.low[from] as number);
  }

  total(at: number): bigint {
    return BigInt(this.low[at] as number) + (BigInt(this.high[at] as number) << 52n);
  }

  get memoryBytes(): number {
    return this.low.byteLength + this.high.byteLength;
  }
}
