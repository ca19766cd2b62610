import { describe, expect, it } from "vitest";
import { figureCsv, figureTable, renderSvg } from "../index.ts";
import { svgTexts, figureOf, pointsOf } from "../test-kit.ts";
import { ROLES } from "../theme.ts";

describe("points", () => {
  it("differ in shape by role, and are named while they are few", () => {
    const svg = renderSvg(figureOf(pointsOf(14)));
    expect(svg).toContain("<title>app-05 (after): bytes per run 65,536,000,000 B; I/O time per run ");
    expect(svg.match(/>app-\d\d<\/text>/g)!.length).toBeGreaterThan(11);
    expect(renderSvg(figureOf(pointsOf(25)))).not.toMatch(/>app-\d\d<\/text>/);
    const shapes = ROLES.map((role) => {
      const chart = { ...pointsOf(1), points: [{ ...pointsOf(1).points[0]!, role }] };
      return /<path d="([^"]*)" fill="[^"]*" fill-rule/.exec(renderSvg(figureOf(chart)))?.[1];
    });
    expect(new Set(shapes).size).toBe(ROLES.length);
  });

  it("at zero stand in a gutter of a log axis, and those not recorded are counted", () => {
    const [point] = pointsOf(1).points;
    const chart = { ...pointsOf(5), points: [...pointsOf(5).points, { ...point!, y: Number.NaN }] };
    const svg = renderSvg(figureOf(chart));
    expect(svg).toContain(">0</text>");
    expect(svg).toContain(">1 not recorded or infinite</text>");
  });

  it("survive none, one, odd numbers and fifty thousand", () => {
    const [point] = pointsOf(1).points;
    expect(svgTexts({ ...pointsOf(1), points: [] })).toContain("nothing to draw");
    expect(svgTexts({ ...pointsOf(1), points: [{ ...point!, x: Number.NaN }] })).toContain("nothing to draw");
    const odd = [Number.NEGATIVE_INFINITY, -1e308, -3, 0, 5e-324, 1, 1e308, Number.NaN];
    for (const scale of ["linear", "log"] as const) {
      const axis = { label: "a", unit: "seconds", scale } as const;
      svgTexts({ ...pointsOf(1), x: axis, y: axis });
      const points = odd.flatMap((x) => odd.map((y) => ({ ...point!, x, y })));
      svgTexts({ ...pointsOf(1), x: axis, y: axis, points });
    }
    const many = Array.from({ length: 50_000 }, (_, i) => ({
      ...point!,
      x: 1 + ((i * 7919) % 997),
      y: 1 + (i % 613),
    }));
    expect(renderSvg(figureOf({ ...pointsOf(1), points: many })).length).toBeLessThan(3_000_000);
  });

  it("are rows of CSV and of the table", () => {
    const [point] = pointsOf(1).points;
    const chart = { ...pointsOf(1), points: [{ ...point!, x: 0.1, y: Number.NaN, label: "a,b" }] };
    expect(figureCsv(figureOf(chart))).toContain('\r\n"a,b",0.1,,before\r\n');
    expect(figureTable(figureOf(chart)).rows).toEqual([["a,b", 0.1, null, "before"]]);
  });
});
