import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../base/prng.ts";
import { NO_PERIOD, PeriodFinder } from "./periods.ts";

const find = (bytes: readonly number[]) =>
  new PeriodFinder().find(Float64Array.from(bytes), bytes.length, new Random(1), 99, 10);

/** Place and strength of the highest peak, by the definition and nothing else. */
function peakByDefinition(bytes: readonly number[]): { minutes: number; strength: number } {
  const n = bytes.length;
  const logs = bytes.map((one) => Math.log10(1 + one));
  const mean = logs.reduce((sum, one) => sum + one, 0) / n;
  const at = (k: number) => {
    let sum = 0;
    for (let i = 0; i + k < n; i++) sum += ((logs[i] as number) - mean) * ((logs[i + k] as number) - mean);
    return sum / square;
  };
  let square = 1;
  square = at(0);
  let best = { minutes: 0, strength: 0 };
  let height = 0;
  for (let k = 2; k <= Math.floor(n / 2); k++) {
    const here = at(k);
    if (here <= 0 || here - at(k - 1) <= 1e-9 || here < at(k + 1) - 1e-9 || here <= height + 1e-9) continue;
    height = here;
    best = { minutes: k, strength: Math.min(1, (here * n) / (n - k)) };
  }
  return best;
}

describe("periods", () => {
  it("that were planted are found, in short and long series", () => {
    for (const bins of [24, 60, 200, 1000, 10_080])
      for (const period of [5, 12]) {
        const bytes = Array.from({ length: bins }, (_, i) => (i % period === 0 ? 1e9 + i : 0));
        if (bins < 4 * period) continue;
        const found = find(bytes);
        expect(found.minutes, `${bins} minutes`).toBe(period);
        expect(found.strength).toBeCloseTo(1, 2);
        expect(found.confidence).toBeGreaterThanOrEqual(0.95);
      }
  });

  it("are found when single writes are late or missing, and the sizes differ", () => {
    const random = new Random(7);
    for (let trial = 0; trial < 20; trial++) {
      const bytes = new Array<number>(600).fill(0);
      for (let at = 0; at < 600; at += 20)
        if (random.below(12) > 0) bytes[at + (random.below(12) === 0 ? 1 : 0)] = 1e6 + random.below(1e8);
      const { minutes, confidence } = find(bytes);
      expect([minutes % 20, confidence >= 0.95]).toEqual([0, true]);
    }
  });

  it("are seldom seen in writes by chance", () => {
    const random = new Random(11);
    let seen = 0;
    for (let trial = 0; trial < 200; trial++) {
      const bytes = Array.from({ length: 120 }, () => (random.below(8) === 0 ? 1e6 : 0));
      if (find(bytes).confidence >= 0.95) seen++;
    }
    // 5 % are expected; 20 of 200 or more would come once in 500 such tests.
    expect(seen).toBeLessThan(20);
  });

  it("are at the highest peak, whichever way the sums are made", () => {
    const series = fc.array(fc.constantFrom(0, 0, 0, 1e3, 5e6, 1e9), { minLength: 4, maxLength: 300 });
    fc.assert(
      fc.property(series, (bytes) => {
        fc.pre(new Set(bytes).size > 1);
        const { minutes, strength } = find(bytes);
        const wanted = peakByDefinition(bytes);
        expect(strength).toBeCloseTo(wanted.strength, 8);
        expect(minutes).toBe(wanted.minutes);
      }),
      { numRuns: 150 },
    );
  });

  it("are in no series that never changes", () => {
    for (const bytes of [[], [5], new Array<number>(500).fill(0), new Array<number>(500).fill(1e9)])
      expect(find(bytes)).toEqual(NO_PERIOD);
  });
});
