import { describe, expect, it } from "vitest";
import { cmfPoints, kernelDensity, logBins } from "./density.ts";
import { Random } from "./prng.ts";

/** Sum of twelve uniform numbers: near enough to normal, mean 0 and deviation 1. */
function normals(count: number, seed: number): Float64Array {
  const random = new Random(seed);
  return Float64Array.from({ length: count }, () => {
    let sum = -6;
    for (let term = 0; term < 12; term++) sum += random.unit();
    return sum;
  });
}

/** The definition, term by term. */
function directSum(values: ArrayLike<number>, at: number, bandwidth: number): number {
  let sum = 0;
  for (const value of Array.from(values))
    sum += Math.exp((-0.5 * (value - at) ** 2) / bandwidth ** 2) / (bandwidth * Math.sqrt(2 * Math.PI));
  return sum / values.length;
}

function integral({ values, densities }: { values: number[]; densities: number[] }): number {
  let sum = 0;
  for (let index = 1; index < values.length; index++)
    sum += ((densities[index]! + densities[index - 1]!) / 2) * (values[index]! - values[index - 1]!);
  return sum;
}

describe("kernel density", () => {
  it("is the direct sum of kernels for few values", () => {
    const values = [1, 2, 2.5, 7, 11];
    const result = kernelDensity(values, { bandwidth: 0.8, points: 40 });
    expect(result.values).toHaveLength(40);
    for (const [index, at] of result.values.entries())
      expect(result.densities[index]).toBeCloseTo(directSum(values, at, 0.8), 12);
  });

  it("of many values is binned and agrees with the direct sum to a thousandth of its height", () => {
    const values = normals(20_000, 7);
    for (const bandwidth of [0.02, 0.1, 1.5]) {
      const result = kernelDensity(values, { bandwidth, points: 64 });
      const exact = result.values.map((at) => directSum(values, at, bandwidth));
      const highest = Math.max(...exact);
      for (const [index, density] of exact.entries())
        expect(Math.abs(result.densities[index]! - density)).toBeLessThan(0.001 * highest);
    }
  });

  it("takes Silverman's bandwidth: a known normal has its known height", () => {
    const { values, densities } = kernelDensity(normals(50_000, 3), {});
    const peak = densities.indexOf(Math.max(...densities));
    expect(Math.abs(values[peak]!)).toBeLessThan(0.2);
    expect(densities[peak]).toBeGreaterThan(0.38);
    expect(densities[peak]).toBeLessThan(0.41);
  });

  it("has an integral of one, also for skewed values whose range is a million bandwidths", () => {
    const random = new Random(5);
    const skewed = Float64Array.from({ length: 5000 }, (_, i) => (i % 500 === 0 ? 1e9 : random.unit()));
    for (const values of [normals(3000, 1), skewed.map((v) => v - 1e6), [4, 4, 4, 9]])
      expect(integral(kernelDensity(values, { points: 200 }))).toBeCloseTo(1, 1);
  });

  it("over logarithms is per decade, and leaves out zeros, negatives, infinities and NaN", () => {
    const values = [10, 100, 1000, 0, -5, Number.NaN, Number.POSITIVE_INFINITY];
    const result = kernelDensity(values, { log: true, bandwidth: 0.2, points: 60 });
    for (const [index, at] of result.values.entries())
      expect(result.densities[index]).toBeCloseTo(directSum([1, 2, 3], Math.log10(at), 0.2), 9);
  });

  it("of equal values is a narrow bump around them, of none it is nothing", () => {
    for (const log of [true, false]) {
      const { values, densities } = kernelDensity([42, 42, 42], { log, points: 101 });
      const peak = densities.indexOf(Math.max(...densities));
      expect(values[peak]).toBeCloseTo(42, 6);
      expect(values[0]).toBeGreaterThan(25);
      expect(values.at(-1)).toBeLessThan(65);
    }
    expect(kernelDensity([0, 0], {}).densities.every(Number.isFinite)).toBe(true);
    expect(kernelDensity([1e300, -1e300, 3], {}).densities.every(Number.isFinite)).toBe(true);
    expect(kernelDensity([], {})).toEqual({ values: [], densities: [] });
    expect(kernelDensity([Number.NaN], {})).toEqual({ values: [], densities: [] });
    expect(kernelDensity([-1, 0], { log: true })).toEqual({ values: [], densities: [] });
  });

  it("does not reach below zero when no value does", () => {
    expect(kernelDensity([0, 1, 5], {}).values[0]).toBe(0);
    expect(kernelDensity([-1, 1, 5], {}).values[0]).toBeLessThan(-1);
  });

  it("leaves the values as they were", () => {
    const values = Float64Array.from([3, 1, 2]);
    kernelDensity(values, {});
    expect([...values]).toEqual([3, 1, 2]);
  });
});

describe("cumulative shares", () => {
  const shareAt = (sorted: Float64Array, x: number) => sorted.filter((v) => v <= x).length / sorted.length;

  it("of few values are exact, ties being one step", () => {
    expect(cmfPoints(Float64Array.from([1, 2, 2, 5]))).toEqual({
      values: [1, 2, 5],
      shares: [0.25, 0.75, 1],
    });
    expect(cmfPoints(new Float64Array(0))).toEqual({ values: [], shares: [] });
    expect(cmfPoints(Float64Array.from([7]))).toEqual({ values: [7], shares: [1] });
  });

  it("at every kept point are #{v <= x} / n", () => {
    const random = new Random(11);
    for (const n of [10, 500, 3000]) {
      const sorted = Float64Array.from({ length: n }, () =>
        random.unit() < 0.3 ? random.below(4) : random.unit() * 10,
      ).sort();
      const { values, shares } = cmfPoints(sorted, 100);
      for (const [index, value] of values.entries()) expect(shares[index]).toBe(shareAt(sorted, value));
      expect(shares.at(-1)).toBe(1);
      expect(values[0]).toBe(sorted[0]);
    }
  });

  it("that are thinned lose no large step and stay within 1 / pointsMax of the exact ones", () => {
    const random = new Random(2);
    const sorted = Float64Array.from({ length: 20_000 }, (_, index) =>
      index % 3 === 0 ? 1 + random.below(5) : random.exponential(3),
    ).sort();
    const pointsMax = 50;
    const { values, shares } = cmfPoints(sorted, pointsMax);
    expect(values.length).toBeLessThanOrEqual(2 * pointsMax + 2);
    let kept = -1;
    for (let index = 0; index < sorted.length; ) {
      let end = index + 1;
      while (sorted[end] === sorted[index]) end++;
      if ((end - index) / sorted.length > 1 / pointsMax) {
        const at = values.indexOf(sorted[index]!);
        // The step stands at its place and has its height.
        expect(at).toBeGreaterThanOrEqual(0);
        expect(shares[at]! - (shares[at - 1] ?? 0)).toBeCloseTo((end - index) / sorted.length, 10);
      }
      while (kept + 1 < values.length && values[kept + 1]! <= sorted[index]!) kept++;
      expect(Math.abs(end / sorted.length - shares[kept]!)).toBeLessThanOrEqual(1 / pointsMax + 1e-12);
      index = end;
    }
  });

  it("leave NaN out, which sorting puts last", () => {
    expect(cmfPoints(Float64Array.from([Number.NaN, 3, 1]).sort())).toEqual({
      values: [1, 3],
      shares: [0.5, 1],
    });
  });
});

describe("logarithmic bins", () => {
  it("have powers of ten among their edges and hold both ends", () => {
    expect(logBins(1, 1000, 1)).toEqual([1, 10, 100, 1000, 10_000]);
    expect(logBins(5, 9, 1)).toEqual([1, 10]);
    expect(logBins(2, 150, 2)).toEqual([1, 3.16227766017, 10, 31.6227766017, 100, 316.227766017]);
    expect(logBins(1e-3, 1e-3, 3)[0]).toBe(1e-3);
    for (const [low, high] of [
      [0.1, 0.3],
      [1e-12, 1e18],
      [7, 7],
      [999.999999, 1000],
    ] as const)
      for (const perDecade of [1, 3, 10, 25]) {
        const edges = logBins(low, high, perDecade);
        expect(edges[0]).toBeLessThanOrEqual(low);
        expect(edges[1]).toBeGreaterThan(low);
        expect(edges.at(-1)).toBeGreaterThan(high);
        expect(edges.at(-2)).toBeLessThanOrEqual(high);
        for (let index = 1; index < edges.length; index++)
          expect(edges[index]! / edges[index - 1]!).toBeCloseTo(10 ** (1 / perDecade), 9);
      }
  });

  it("are refused for zero and for bounds in the wrong order", () => {
    expect(() => logBins(0, 1, 3)).toThrow("0 < low <= high");
    expect(() => logBins(2, 1, 3)).toThrow("0 < low <= high");
    expect(() => logBins(1, 2, 0)).toThrow("whole number");
  });
});
