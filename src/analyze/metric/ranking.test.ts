import { describe, expect, it } from "vitest";
import { accessMetrics } from "./access-metrics.ts";
import { rankingOf, rankingVerdict, type Variant } from "./ranking.ts";

/** `count` calls of `bytes` each, `seconds` long, `side` of them at a time. */
function variant(name: string, count: number, bytes: number, seconds: number, side = 1): Variant {
  const startNs = Array.from({ length: count }, (_, i) => Math.floor(i / side) * seconds * 1e9);
  const { overall } = accessMetrics({
    startNs,
    endNs: startNs.map((start) => start + seconds * 1e9),
    bytes: startNs.map(() => bytes),
  });
  return { name, values: overall };
}

/** The same work of 8 MiB: small calls, large calls, and large calls two at a time that each take longer. */
const MIB = 2 ** 20;
const VARIANTS = [
  variant("small", 64, MIB / 8, 0.1),
  variant("large", 8, MIB, 0.5),
  variant("two at a time", 8, MIB, 0.6, 2),
];

describe("ranking", () => {
  const ranking = rankingOf(VARIANTS);

  it("puts the fastest first", () => {
    expect(ranking.variants.map(({ name }) => name)).toEqual(["two at a time", "large", "small"]);
    expect(ranking.variants.map(({ values }) => values.spanSeconds)).toEqual([2.4, 4, 6.4]);
    expect(ranking.otherWork).toEqual([]);
  });

  it("counts pairs as a loop over all of them does", () => {
    const hand = { same: 0, other: 0 };
    for (const a of VARIANTS)
      for (const b of VARIANTS) {
        if (a.values.spanSeconds >= b.values.spanSeconds) continue;
        // Calls over I/O time by hand: 8 / 2.4, 8 / 4, 64 / 6.4 per second.
        const iops = (name: string) => ({ small: 64 / 6.4, large: 8 / 4 })[name] ?? 8 / 2.4;
        if (iops(a.name) > iops(b.name)) hand.same++;
        else hand.other++;
      }
    const iops = ranking.agreements.find(({ key }) => key === "iops");
    expect(iops).toMatchObject({ ...hand, pairs: 3, tau: (hand.same - hand.other) / 3 });
  });

  it("shows that BPS follows time where the others mislead", () => {
    const tau = Object.fromEntries(ranking.agreements.map((one) => [one.key, one.tau]));
    expect(tau.bps).toBe(1);
    expect(tau.iops).toBeLessThan(1);
    // Response times rise from 0.1 to 0.6 s while the work gets faster: every pair is reversed.
    expect(tau.arpt).toBe(-1);
    expect(rankingVerdict(ranking)).toMatch(
      /^two at a time is the fastest \(2\.4 s\)\. BPS orders 3 of 3 pairs/,
    );
  });

  it("says when the work is not the same, and when there is nothing to rank", () => {
    expect(rankingOf([...VARIANTS, variant("half", 4, MIB, 0.5)]).otherWork).toEqual(["half"]);
    expect(rankingVerdict(rankingOf([VARIANTS[0]!]))).toMatch(/^Nothing to rank/);
  });
});
