import { expect, it } from "vitest";
import { type IngestSummary, joinedSummary } from "./summary.ts";

it("slices together: sums, the time of the slowest, and at most 1,000 names of what was skipped", () => {
  const part = (seconds: number): IngestSummary => ({
    ...{ read: 900, new: 100, known: 50, foreign: 50, skippedTotal: 700, seconds, bytes: 1e6 },
    skipped: Array.from({ length: 700 }, (_, i) => ({ path: `${i}`, reason: "damaged" })),
  });
  const { skipped, ...sums } = joinedSummary([part(3), part(7)]);
  expect(skipped.length).toBe(1000);
  expect(sums).toEqual({
    ...{ read: 1800, new: 200, known: 100, foreign: 100, skippedTotal: 1400, seconds: 7, bytes: 2e6 },
  });
});
