import { describe, expect, it } from "vitest";
import { Random } from "./prng.ts";

const bits = (seed: number, count: number) => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => random.bits());
};

/** Sum over the classes of (seen - expected)^2 / expected. */
function chiSquare(seen: readonly number[], expected: number): number {
  return seen.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe("Random", () => {
  it("gives the numbers of the published generator", () => {
    // From another program, in another language, written after the paper.
    expect(bits(0, 5)).toEqual([3809008728, 1133695204, 53579671, 2891528803, 139681546]);
    expect(bits(1, 5)).toEqual([2442144158, 3238099751, 3819917871, 2104621829, 2021136066]);
    expect(bits(0xffffffff, 5)).toEqual([835879718, 1921286648, 2356199249, 1873990004, 2599905452]);
    expect(bits(1, 10_000).at(-1)).toBe(1682345761);
  });

  it("gives units and whole numbers from two draws each", () => {
    const units = new Random(42);
    expect([units.unit(), units.unit(), units.unit()]).toEqual([
      0.6606157208001621, 0.1117019639532224, 0.0791056456144914,
    ]);
    const wholes = new Random(42);
    expect([wholes.below(1000), wholes.below(1000), wholes.below(1000)]).toEqual([660, 111, 79]);
  });

  it("starts again with the same seed, and differs with another", () => {
    expect(bits(77, 100)).toEqual(bits(77, 100));
    expect(bits(77, 100)).not.toEqual(bits(78, 100));
    // A seed is 32 bits.
    expect(bits(2 ** 32 + 5, 3)).toEqual(bits(5, 3));
    expect(bits(-1, 3)).toEqual(bits(0xffffffff, 3));
  });

  it("stays in range, for small and for large bounds", () => {
    const random = new Random(5);
    for (const bound of [1, 2, 3, 10, 2 ** 31, 2 ** 40, 2 ** 53]) {
      for (let i = 0; i < 1000; i++) {
        const value = random.below(bound);
        expect(Number.isInteger(value) && value >= 0 && value < bound).toBe(true);
      }
    }
    for (let i = 0; i < 1000; i++) {
      const word = random.bits();
      expect(word >= 0 && word < 2 ** 32 && Number.isInteger(word)).toBe(true);
    }
  });

  it("reaches every value below a small bound", () => {
    const random = new Random(6);
    expect(new Set(Array.from({ length: 500 }, () => random.below(10))).size).toBe(10);
    expect(new Set(Array.from({ length: 200 }, () => random.pick(["a", "b", "c"])))).toEqual(
      new Set(["a", "b", "c"]),
    );
  });

  it("spreads evenly over 100 classes, and over the low bits too", () => {
    // 99 degrees of freedom: 99.98 % of honest generators lie between 50 and 165.
    const random = new Random(8);
    const high = new Array<number>(100).fill(0);
    const low = new Array<number>(100).fill(0);
    for (let i = 0; i < 100_000; i++) {
      const a = random.below(100);
      high[a] = (high[a] as number) + 1;
      const b = random.bits() % 100;
      low[b] = (low[b] as number) + 1;
    }
    for (const seen of [high, low]) {
      const value = chiSquare(seen, 1000);
      expect(value).toBeGreaterThan(50);
      expect(value).toBeLessThan(165);
    }
  });

  it("draws exponential times with the mean and the spread that were asked for", () => {
    const random = new Random(9);
    const times = Array.from({ length: 100_000 }, () => random.exponential(3));
    expect(Math.min(...times.slice(0, 1000))).toBeGreaterThanOrEqual(0);
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / times.length;
    // Six standard errors: 3 / sqrt(100,000) for the mean, 9 * sqrt(8 / 100,000) for the variance.
    expect(Math.abs(mean - 3)).toBeLessThan(0.057);
    expect(Math.abs(variance - 9)).toBeLessThan(0.49);
  });
});

describe("Random.stream", () => {
  const draw = (seed: number, kind: number, id: number) => {
    const random = Random.stream(seed, kind, id);
    return Array.from({ length: 4 }, () => random.bits());
  };

  it("has numbers of its own for each seed, kind and id, ids beyond 32 bits included", () => {
    const streams = new Set<string>();
    const firsts = new Set<number>();
    for (const seed of [0, 1, 2]) {
      for (const kind of [0, 1, 2, 100]) {
        for (const id of [0, 1, 2, 1000, 2 ** 32, 2 ** 32 + 1, 2 ** 40]) {
          streams.add(draw(seed, kind, id).join());
          firsts.add(draw(seed, kind, id)[0] as number);
        }
      }
    }
    expect(streams.size).toBe(84);
    expect(firsts.size).toBe(84);
  });

  it("starts again where it began", () => {
    const random = Random.stream(7, 3, 12);
    const first = [random.bits(), random.unit()];
    random.restart(8, 3, 12);
    random.restart(7, 3, 12);
    expect([random.bits(), random.unit()]).toEqual(first);
  });

  it("is even over ids: the first number of each stream is as good as the next of one", () => {
    const classes = new Array<number>(100).fill(0);
    for (let id = 0; id < 100_000; id++) {
      const at = Random.stream(1, 3, id).below(100);
      classes[at] = (classes[at] as number) + 1;
    }
    const value = chiSquare(classes, 1000);
    expect(value).toBeGreaterThan(50);
    expect(value).toBeLessThan(165);
  });
});
