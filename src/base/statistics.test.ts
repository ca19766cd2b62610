import { describe, expect, it } from "vitest";
import { Random } from "./prng.ts";
import {
  averageRanks,
  coefficientOfVariation,
  gini,
  mean,
  pearson,
  quantile,
  quantileOf,
  sorted,
  spearman,
  standardDeviation,
  sum,
  variance,
} from "./statistics.ts";

describe("statistics", () => {
  it("sums without losing small values beside large ones", () => {
    expect(sum([1e16, 1, -1e16, 1])).toBe(2);
    expect(sum([])).toBe(0);
  });

  it("tells population and sample spread apart, which differ by the root of two for two values", () => {
    expect(standardDeviation([1, 3])).toBe(1);
    expect(standardDeviation([1, 3], 1)).toBeCloseTo(Math.SQRT2, 15);
    expect(variance([2, 4, 4, 4, 5, 5, 7, 9])).toBe(4);
    expect(coefficientOfVariation([1, 3])).toBe(0.5);
  });

  it("has no mean of nothing, no spread of one, no variation about zero", () => {
    expect(mean([])).toBeNaN();
    expect(standardDeviation([5], 1)).toBeNaN();
    expect(coefficientOfVariation([5])).toBeNaN();
    expect(coefficientOfVariation([-1, 1])).toBeNaN();
  });

  it("interpolates quantiles as numpy's default does", () => {
    expect(quantile([1, 2, 3, 4], 0.8)).toBeCloseTo(3.4, 14);
    expect(quantile([1, 2, 3, 4], 0)).toBe(1);
    expect(quantile([1, 2, 3, 4], 1)).toBe(4);
    expect(quantile([7], 0.3)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it("gives ties the mean of their ranks", () => {
    expect([...averageRanks([10, 20, 20, 30])]).toEqual([1, 2.5, 2.5, 4]);
    expect(spearman([1, 2, 3], [9, 4, 1])).toBeCloseTo(-1, 14);
    // scipy.stats.spearmanr([1, 2, 2, 4], [3, 1, 2, 4])
    expect(spearman([1, 2, 2, 4], [3, 1, 2, 4])).toBeCloseTo(0.316227766016838, 12);
    expect(pearson([1, 1], [1, 2])).toBeNaN();
  });

  it("measures inequality", () => {
    expect(gini([1, 1, 1])).toBeCloseTo(0, 14);
    expect(gini([0, 0, 0, 1])).toBeCloseTo(0.75, 14);
    expect(gini([0, 0])).toBeNaN();
  });

  it("sorts numbers as numbers and leaves out what is none", () => {
    expect([...sorted([10, Number.NaN, 9, -1])]).toEqual([-1, 9, 10]);
  });
});

describe("a quantile without sorting", () => {
  it("is that of the sorted values", () => {
    const random = new Random(4);
    for (const n of [1, 2, 3, 10, 1001]) {
      // Few distinct values, many, and already sorted ones.
      for (const make of [() => random.below(5), () => random.unit(), (i: number) => i]) {
        const values = Float64Array.from({ length: n }, (_, i) => make(i));
        for (const share of [0, 0.2, 0.5, 0.8, 0.99, 1]) {
          expect(quantileOf(values, share)).toBe(quantile(sorted(values), share));
        }
      }
    }
    expect(quantileOf([], 0.5)).toBeNaN();
  });
});
