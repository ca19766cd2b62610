import { describe, expect, it } from "vitest";
import { bootstrap, risingOrder, UnitMeans, weightedQuantile } from "./bootstrap.ts";
import { Random } from "./prng.ts";
import { mean, standardDeviation } from "./statistics.ts";

/** Mean of the values that are numbers, each counted as often as its weight says. */
function weightedMean(values: ArrayLike<number>, weights: Float64Array): number {
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

const OPTIONS = { seed: 7, replicates: 2000, level: 0.95 };

describe("bootstrap", () => {
  const random = new Random(3);
  const values = Float64Array.from({ length: 400 }, () => random.exponential(10));

  it("gives an interval of the mean near the one of the normal theory", () => {
    const [interval] = bootstrap(values.length, (weights) => [weightedMean(values, weights)], OPTIONS);
    const half = (1.96 * standardDeviation(values)) / Math.sqrt(values.length);
    expect(interval!.low).toBeCloseTo(mean(values) - half, 0);
    expect(interval!.high).toBeCloseTo(mean(values) + half, 0);
  });

  it("gives the same interval for the same seed, another for another", () => {
    const run = (seed: number) =>
      bootstrap(values.length, (weights) => [weightedMean(values, weights)], { ...OPTIONS, seed });
    expect(run(1)).toEqual(run(1));
    expect(run(1)).not.toEqual(run(2));
  });

  it("has no interval where no replicate has a value", () => {
    const [interval] = bootstrap(3, () => [Number.NaN], OPTIONS);
    expect(interval).toEqual({ low: Number.NaN, middle: Number.NaN, high: Number.NaN });
  });

  it("weighs means and quantiles, and leaves out what is not a number", () => {
    const some = [5, Number.NaN, 1];
    expect(weightedMean(some, Float64Array.of(1, 9, 3))).toBe(2);
    expect(weightedQuantile(some, risingOrder(some), Float64Array.of(1, 9, 3), 0.5)).toBe(1);
    expect(weightedQuantile(some, risingOrder(some), Float64Array.of(1, 9, 3), 0.9)).toBe(5);
  });
});

describe("means of columns", () => {
  it("are those of each column for itself", () => {
    const columns = [
      Float64Array.of(1, Number.NaN, 3, 4),
      Float64Array.of(5, Number.NaN, 7, 9),
      Float64Array.of(2, 4, 8, 16),
      Float64Array.of(Number.NaN, Number.NaN, 1, Number.NaN),
    ];
    const means = new UnitMeans(4, columns);
    for (const weights of [
      Float64Array.of(1, 1, 1, 1),
      Float64Array.of(0, 3, 2, 1),
      Float64Array.of(2, 2, 0, 0),
    ])
      expect(means.of(weights)).toEqual(columns.map((values) => weightedMean(values, weights)));
  });
});
