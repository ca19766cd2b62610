/** Draws from the ranges of a time model. */
import type { Random } from "../../base/prng.ts";

export class Draw {
  readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  chance(probability: number): boolean {
    return this.random.unit() < probability;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.random.unit();
  }

  /** Every order of magnitude is as likely as every other. */
  log(low: number, high: number): number {
    return low * (high / low) ** this.random.unit();
  }

  whole(low: number, high: number): number {
    return Math.round(this.log(low, high));
  }

  /** A power of two in the range, or for one in three some other size: records of real programs are not all round. */
  size(low: number, high: number): number {
    if (this.chance(1 / 3)) return 8 * Math.ceil(this.log(low, high) / 8);
    return 2 ** Math.round(Math.log2(this.log(low, high)));
  }

  pick<T>(list: readonly T[]): T {
    return this.random.pick(list);
  }
}
