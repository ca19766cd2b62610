import { describe, expect, it } from "vitest";
import { Random } from "./prng.ts";
import { RunningMedian } from "./running-median.ts";
import { quantile, sorted } from "./statistics.ts";

function medianOf(values: readonly number[], kept: number): number | undefined {
  const median = new RunningMedian(kept);
  for (const value of values) median.add(value);
  expect(median.count).toBe(values.length);
  return median.value;
}

describe("a running median", () => {
  it.each([
    ["of any size", (random: Random) => random.unit() * 1e12],
    ["with many that are equal", (random: Random) => Math.floor(random.unit() * 7)],
    ["with two large heaps", (random: Random) => (random.unit() < 0.1 ? random.unit() : random.below(2))],
    ["that are all equal", () => 5],
    [
      "on both sides of zero, and beyond all bounds",
      (random: Random) => Math.tan(3.14 * (random.unit() - 0.5)),
    ],
  ])("is that of the sorted values, %s", (_, draw) => {
    const random = new Random(11);
    for (const count of [1, 2, 3, 63, 64, 65, 1000, 4001, 20_000]) {
      const values = Array.from({ length: count }, () => draw(random));
      expect(medianOf(values, 2000)).toBe(quantile(sorted(values), 0.5));
    }
  });

  it("is NaN without values", () => {
    expect(medianOf([], 16)).toBeNaN();
  });

  it("is told to be lost when the order of the values leads away from it", () => {
    const rising = Array.from({ length: 5000 }, (_, i) => i);
    expect(medianOf(rising, 64)).toBeUndefined();
    expect(medianOf([...rising].reverse(), 64)).toBeUndefined();
    // Those that are all kept cannot be lost.
    expect(medianOf(rising, 5000)).toBe(2499.5);
  });
});
