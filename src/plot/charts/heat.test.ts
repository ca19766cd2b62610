import { describe, expect, it } from "vitest";
import type { HeatChart } from "../../model/figure.ts";
import { renderSvg } from "../index.ts";
import { figureOf, heatOf } from "../test-kit.ts";

describe("heat maps side by side", () => {
  it("have the same length for the same number, where they are told what to reach", () => {
    const small = heatOf(2, 10);
    const parts = small.parts.map((part) => ({
      ...part,
      cells: Array.from(part.cells, (cell) => 10 * cell),
    }));
    const large = { ...small, parts };
    const limits = (chart: HeatChart) =>
      new Set(renderSvg(figureOf(chart, { id: "h" }), { width: 640 }).match(/max [^<]+/g));
    expect(limits(small)).not.toEqual(limits(large));
    const reach = { cells: [1, 1e12], column: 2e12, row: 3e12 } as const;
    expect(limits({ ...small, reach })).toEqual(new Set(["max 2 TB", "max 3 TB"]));
    expect(limits({ ...large, reach })).toEqual(limits({ ...small, reach }));
  });
});
