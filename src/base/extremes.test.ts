import { describe, expect, it } from "vitest";
import { type AmountSum, leastOverMostInterval } from "./extremes.ts";
import { Random } from "./prng.ts";

function poisson(random: Random, mean: number): number {
  let n = 0;
  for (let time = random.exponential(1); time < mean; time += random.exponential(1)) n++;
  return n;
}

const normal = (random: Random) =>
  Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit());

/** What runs of a size make of OSTs whose long-run loads are known. */
function seen(random: Random, loads: readonly number[], size: (random: Random) => number): AmountSum[] {
  return loads.map((load) => {
    let [sum, squares, largest] = [0, 0, 0];
    for (let n = poisson(random, 200 * load); n > 0; n--) {
      const amount = size(random);
      sum += amount;
      squares += amount * amount;
      largest = Math.max(largest, amount);
    }
    return { sum, squares, largest };
  });
}

const LOADS = {
  "all equal": Array<number>(60).fill(1),
  "spread from 1 to 8": Array.from({ length: 60 }, (_, i) => 8 ** (i / 59)),
  "a few that carry a fifth": Array.from({ length: 60 }, (_, i) => (i < 50 ? 1 : 0.2)),
};
const SIZES = {
  exponential: (random: Random) => random.exponential(1),
  "log-normal": (random: Random) => Math.exp(1.2 * normal(random)),
};

describe("the least over the most of sums", () => {
  describe.each(Object.entries(LOADS))("of loads %s", (_, loads) => {
    it.each(Object.entries(SIZES))("covers the long-run ratio with sizes %s", (_, size) => {
      const truth = Math.min(...loads) / Math.max(...loads);
      const centres = 60;
      let [covered, holds] = [0, 0];
      for (let seed = 0; seed < centres; seed++) {
        const sums = seen(new Random(seed), loads, size);
        const { low, high } = leastOverMostInterval(sums, 0.95);
        const ratio = Math.min(...sums.map(({ sum }) => sum)) / Math.max(...sums.map(({ sum }) => sum));
        if (low <= truth && truth <= high) covered++;
        if (low <= ratio && ratio <= high) holds++;
      }
      expect(covered / centres).toBeGreaterThanOrEqual(0.93);
      expect(holds).toBe(centres);
    });
  });

  it("narrows as more is seen", () => {
    const sum = (n: number): AmountSum => ({ sum: n, squares: n, largest: 1 });
    const width = (n: number) => {
      const { low, high } = leastOverMostInterval([sum(n), sum(4 * n)], 0.95);
      return high - low;
    };
    expect(width(10_000)).toBeLessThan(width(100) / 5);
    expect(width(100)).toBeLessThan(0.25);
  });

  it("allows for what might have come to a sum of nothing", () => {
    const { low, high } = leastOverMostInterval(
      [
        { sum: 0, squares: 0, largest: 0 },
        { sum: 1000, squares: 1000, largest: 1 },
      ],
      0.95,
    );
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(0.001);
    expect(high).toBeLessThan(0.02);
  });

  it("has nothing to say of nothing", () => {
    expect(leastOverMostInterval([], 0.95).low).toBeNaN();
  });
});
