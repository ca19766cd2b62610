import { expect, it } from "vitest";
import type { SpanFacts } from "./spans.ts";
import { traceSpans } from "./trace-spans.ts";

const facts = (pairs: Float64Array) =>
  ({
    names: [{ category: "ai", name: "step", count: 1, seconds: 1, isCompute: true }],
    lanes: [pairs],
  }) as unknown as SpanFacts;

it("lanes are seconds of the run", () => {
  expect(traceSpans(facts(Float64Array.of(1e9, 2e9, 3e9, 4.5e9)))).toEqual([
    {
      category: "ai",
      name: "step",
      startSeconds: Float64Array.of(1, 3),
      endSeconds: Float64Array.of(2, 4.5),
    },
  ]);
});

it("many stretches become fewer: short gaps are closed, long ones stay", () => {
  const pairs = Float64Array.from(
    { length: 200_000 },
    (_, i) => 10_000 * (i >> 1) + (i % 2) * 9000 + (i >= 100_000 ? 1e9 : 0),
  );
  const [lane] = traceSpans(facts(pairs));
  expect(Array.from(lane?.startSeconds ?? [])).toEqual([0, 1e9 / 1e9 + 0.5]);
  expect(lane?.endSeconds[1]).toBeCloseTo((pairs.at(-1) as number) / 1e9, 9);
});
