/** Bootstrap intervals: how far a number could move had other units been seen. The seed decides all of it. */
import { Random } from "./prng.ts";
import { quantile, sorted } from "./statistics.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  readonly seed: number;
  /** How many times the units are drawn anew. */
  readonly replicates: number;
  /** Share of the replicates inside the interval: 0.95. */
  readonly level: number;
}

/**
 * Percentile intervals of several statistics of the same `units` units. `statistics` gets how often each unit was drawn
 * (drawing with replacement) and returns one number per statistic; NaN where a replicate has none, which is left out.
 */
export function bootstrap(
  units: number,
  statistics: (weights: Float64Array) => readonly number[],
  { seed, replicates, level }: BootstrapOptions,
): Interval[] {
  const random = new Random(seed);
  const weights = new Float64Array(units);
  const drawn: number[][] = [];
  for (let replicate = 0; replicate < replicates; replicate++) {
    weights.fill(0);
    for (let i = 0; i < units; i++) {
      // 32 bits are enough to choose among the units of a sample, and twice as fast as 53.
      const at = Math.floor((random.bits() / 4294967296) * units);
      weights[at] = (weights[at] as number) + 1;
    }
    statistics(weights).forEach((value, index) => {
      (drawn[index] ??= []).push(value);
    });
  }
  const tail = (1 - level) / 2;
  return drawn.map((values) => {
    const rising = sorted(values);
    return { low: quantile(rising, tail), high: quantile(rising, 1 - tail) };
  });
}

/** Mean of the values that are numbers, each counted as often as its weight says. */
export function weightedMean(values: ArrayLike<number>, weights: Float64Array): number {
  let total = 0;
  let count = 0;
  for (let i = 0; i < weights.length; i++) {
    const value = values[i] as number;
    const weight = weights[i] as number;
    if (weight === 0 || Number.isNaN(value)) continue;
    total += weight * value;
    count += weight;
  }
  return count === 0 ? Number.NaN : total / count;
}

/** Order of the values from low to high, for `weightedQuantile`; what is not a number is left out. */
export function risingOrder(values: ArrayLike<number>): Uint32Array {
  const known = Uint32Array.from({ length: values.length }, (_, i) => i).filter(
    (i) => !Number.isNaN(values[i] as number),
  );
  return known.sort((a, b) => (values[a] as number) - (values[b] as number));
}

/** The value with at least this share of all weight at or below it. */
export function weightedQuantile(
  values: ArrayLike<number>,
  order: Uint32Array,
  weights: Float64Array,
  share: number,
): number {
  let total = 0;
  for (const i of order) total += weights[i] as number;
  let passed = 0;
  for (const i of order) {
    passed += weights[i] as number;
    if (passed > 0 && passed >= share * total) return values[i] as number;
  }
  return Number.NaN;
}
