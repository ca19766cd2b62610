import { describe, expect, it } from "vitest";
import type { CmfChart } from "../../model/figure.ts";
import { figureCsv, figureTable, renderSvg } from "../index.ts";
import { svgTexts, figureOf, gapsOf } from "../test-kit.ts";

describe("cumulative shares", () => {
  const one = (
    values: readonly number[],
    shares: readonly number[],
    changes: Partial<CmfChart> = {},
  ): CmfChart => ({
    kind: "cmf",
    x: { label: "runs", unit: "count" },
    series: [{ name: "a", role: "read", values, shares, mean: 20, n: 4 }],
    ...changes,
  });
  /** The first curve: pairs of x and y in pixels. */
  const curve = (svg: string) =>
    /<path d="(M[^"]*)"[^>]*stroke-linejoin="round"><title>a</.exec(svg)?.[1] ?? "";

  it("are drawn as steps, level between values and upright at them", () => {
    const svg = renderSvg(figureOf(one([10, 100], [0.25, 1])));
    const [, x1, y1, x2, y2] = /^M[\d.]+ [\d.]+H([\d.]+)V([\d.]+)H([\d.]+)V([\d.]+)H[\d.]+$/
      .exec(curve(svg))!
      .map(Number);
    expect(x2! - x1!).toBeGreaterThan(300);
    const bottom = Number(/^M[\d.]+ ([\d.]+)/.exec(curve(svg))![1]);
    expect((bottom - y1!) / (bottom - y2!)).toBeCloseTo(0.25, 3);
  });

  it("have a dotted line at each mean with its value, n in the legend, and names beside the curves", () => {
    const svg = renderSvg(figureOf(gapsOf(200)));
    expect(svg.match(/stroke-dasharray="0\.1 4"/g)).toHaveLength(2);
    expect(svg).toContain(">read mean 37 h</text>");
    expect(svg).toContain(">write mean 2 d 10 h</text>");
    expect(svg).toContain(">read (n = 4,210)</text>");
    expect(svg).toMatch(/paint-order="stroke">read<\/text>/);
    expect(svg).toMatch(/paint-order="stroke">write<\/text>/);
  });

  it("differ by dashes when their roles do not", () => {
    const [series] = gapsOf(20).series;
    const same = [0, 1, 2].map((index) => ({ ...series!, name: `s${index}` }));
    const svg = renderSvg(figureOf({ ...gapsOf(20), series: same }));
    const dashes = [...svg.matchAll(/stroke-width="2"(?: stroke-dasharray="([^"]*)")?[^>]*><title>s/g)];
    expect(new Set(dashes.map((match) => match[1])).size).toBe(3);
  });

  it("gather zeros in a gutter of a log axis, so that the curve starts at their share", () => {
    const svg = renderSvg(figureOf(one([0, 10, 100], [0.5, 0.75, 1])));
    expect(svg).toContain(">0</text>");
    const steps = [...curve(svg).matchAll(/V([\d.]+)/g)].map((match) => Number(match[1]));
    const bottom = Number(/^M[\d.]+ ([\d.]+)/.exec(curve(svg))![1]);
    expect(steps).toHaveLength(3);
    expect((bottom - steps[0]!) / (bottom - steps[2]!)).toBeCloseTo(0.5, 3);
    expect(renderSvg(figureOf(one([-4, 10], [0.5, 1])))).toContain(">≤ 0</text>");
  });

  it("say on hover what share has at most which value", () => {
    const svg = renderSvg(figureOf(one([10, 100], [0.25, 1])));
    expect(svg).toContain("<title>a: 20 % have runs of 10 or less</title>");
    expect(svg).toContain("<title>a: 30 % have runs of 100 or less</title>");
  });

  it("keep curves of many steps near together within a pixel", () => {
    const values = Array.from({ length: 2000 }, (_, index) => 1000 + index);
    const shares = values.map((_, index) => (index + 1) / 2000);
    const linear = one(values, shares, { x: { label: "x", unit: "count", scale: "linear" } });
    const d = curve(renderSvg(figureOf(linear), { width: 280 }));
    const heights = [...d.matchAll(/V([\d.]+)/g)].map((match) => Number(match[1]));
    for (let index = 1; index < heights.length; index++)
      expect(heights[index - 1]! - heights[index]!).toBeLessThan(1.5);
  });

  it("survive nothing, one value, NaN, infinities, all zeros, twenty series, and long ones", () => {
    expect(svgTexts(one([], []))).toContain("nothing to draw");
    expect(svgTexts({ ...one([], []), series: [] })).toContain("nothing to draw");
    for (const scale of ["linear", "log"] as const) {
      const x = { label: "x", unit: "bytes", scale } as const;
      const odd = [
        Number.NEGATIVE_INFINITY,
        -1e308,
        -3,
        0,
        5e-324,
        1,
        1e308,
        Number.POSITIVE_INFINITY,
        Number.NaN,
      ];
      svgTexts(
        one(
          odd,
          odd.map((_, index) => (index + 1) / 9),
          { x },
        ),
      );
      svgTexts(one(odd, odd, { x }));
      svgTexts(one([7], [1], { x }));
      svgTexts(one([0], [1], { x }));
      svgTexts(one([1, 2], [0.5], { x }));
      const [series] = one([1, 5, 9], [0.2, 0.6, 1]).series;
      for (const mean of odd)
        svgTexts({
          ...one([], [], { x }),
          series: [
            { ...series!, mean },
            { ...series!, values: [] },
          ],
        });
      const many = Array.from({ length: 20 }, (_, i) => ({ ...series!, name: `series ${i}`, mean: i }));
      svgTexts({ ...one([], [], { x }), series: many });
    }
    expect(renderSvg(figureOf(gapsOf(5000)), { width: 900 }).length).toBeLessThan(60_000);
  });

  it("have quantiles as their table and every point in their CSV", () => {
    const chart = one([0, 10, 100], [0.25, 0.8, 1]);
    expect(figureTable(figureOf(chart)).rows).toEqual([["a", 4, 20, 0, 0, 10, 10, 10, 100, 100]]);
    expect(figureCsv(figureOf(chart)).split("\r\n")).toEqual([
      "series,n (count),mean runs (count),runs (count),share at or below (share)",
      "a,4,20,0,0.25",
      "a,4,20,10,0.8",
      "a,4,20,100,1",
      "",
    ]);
    const none = {
      ...chart,
      series: [{ ...chart.series[0]!, values: [], shares: [], n: 0, mean: Number.NaN }],
    };
    expect(figureCsv(figureOf(none)).split("\r\n")[1]).toBe("a,0,,,");
    expect(figureTable(figureOf(none)).rows[0]!.slice(1, 4)).toEqual([0, null, null]);
  });
});
