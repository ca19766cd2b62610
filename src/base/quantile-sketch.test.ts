import { describe, expect, it } from "vitest";
import { Random } from "./prng.ts";
import { QuantileSketch } from "./quantile-sketch.ts";

/** Half of a bucket, of which a power of two has 64. */
const SKETCH_ERROR = 1 / 128;

/** Nearest rank, by sorting. */
function exact(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] as number;
}

const SHARES = [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1];

function drawn(random: Random, count: number, octaves: number): number[] {
  return Array.from({ length: count }, () => Math.floor(2 ** (octaves * random.unit())));
}

const sketchOf = (values: readonly number[]) => {
  const sketch = new QuantileSketch();
  for (const value of values) sketch.add(value);
  return sketch;
};

describe("QuantileSketch", () => {
  it.each([1, 2, 3, 5, 100, 255, 256])("is exact for %i values", (count) => {
    const values = drawn(new Random(count), count, 40);
    const sketch = sketchOf(values);
    for (const share of SHARES) expect(sketch.quantile(share)).toBe(exact(values, share));
  });

  it.each([
    [257, 20],
    [1000, 6],
    [5000, 30],
    [20_000, 52],
  ])("is off by less than 0.8 %% for %i values over %i powers of two", (count, octaves) => {
    const values = drawn(new Random(count), count, octaves);
    const sketch = sketchOf(values);
    for (const share of SHARES) {
      const right = exact(values, share);
      expect(Math.abs(sketch.quantile(share) - right)).toBeLessThanOrEqual(SKETCH_ERROR * right);
    }
    expect(sketch.most).toBe(Math.max(...values));
    expect(sketch.count).toBe(count);
  });

  it.each([
    [10, 20],
    [200, 200],
    [10, 3000],
    [3000, 10],
    [3000, 3000],
  ])("adds up sketches of %i and %i values", (one, two) => {
    const random = new Random(one + two);
    const [a, b] = [drawn(random, one, 30), drawn(random, two, 30)];
    const sketch = sketchOf(a);
    sketch.merge(structuredClone(sketchOf(b).data()));
    const all = sketchOf([...a, ...b]);
    expect([sketch.count, sketch.most]).toEqual([all.count, all.most]);
    for (const share of SHARES) expect(sketch.quantile(share)).toBe(all.quantile(share));
    expect(sketch.countAbove(1e6)).toBe(all.countAbove(1e6));
  });

  it("counts what is above a limit", () => {
    const values = drawn(new Random(9), 10_000, 30);
    const sketch = sketchOf(values);
    const above = (limit: number) => values.filter((value) => value > limit).length;
    expect(sketch.countAbove(1e5)).toBeGreaterThanOrEqual(above(1e5 * (1 + 2 * SKETCH_ERROR)));
    expect(sketch.countAbove(1e5)).toBeLessThanOrEqual(above(1e5 * (1 - 2 * SKETCH_ERROR)));
    expect(sketchOf([1, 2, 3]).countAbove(1)).toBe(2);
  });

  it("stays small", () => {
    expect(new QuantileSketch().memoryBytes).toBeLessThan(200);
    expect(sketchOf(drawn(new Random(1), 100_000, 53)).memoryBytes).toBeLessThan(32_000);
  });

  it("has no quantile without values", () => {
    expect(new QuantileSketch().quantile(0.5)).toBeNaN();
  });

  it.each([
    [10, 30],
    [1200, 6],
    [5000, 32],
    [20_000, 53],
  ])("differences of %i rows over %i powers of two count like single values", (count, octaves) => {
    const values = [
      ...drawn(new Random(count), count, octaves),
      0,
      63,
      64,
      2 ** 31,
      2 ** 32 - 1,
      2 ** 32,
      2 ** 53,
    ];
    const bases = values.map((_, row) => row);
    const sketch = new QuantileSketch();
    const sums = Float64Array.from(values, (value, row) => (value > 2 ** 52 ? value : value + row));
    const own = Float64Array.from(bases, (base, row) => ((values[row] as number) > 2 ** 52 ? 0 : base));
    const half = values.length >> 1;
    sketch.addDifferences(sums, own, 0, half);
    sketch.addDifferences(sums, own, half, values.length);
    expect(sketch.data()).toEqual(sketchOf(values).data());
  });
});
