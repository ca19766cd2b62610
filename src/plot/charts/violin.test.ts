import { describe, expect, it } from "vitest";
import type { ViolinChart } from "../../model/figure.ts";
import { figureCsv, figureTable, renderSvg } from "../index.ts";
import { svgTexts, figureOf, violinsOf } from "../test-kit.ts";

describe("violins", () => {
  const [posix] = violinsOf(20).groups;

  it("name n and mean under each group, and say which have no data", () => {
    const svg = renderSvg(figureOf(violinsOf(20)));
    for (const text of ["POSIX", "n = 5,120", "mean 139 GB", "n = 3", "n = 0", "no data"])
      expect(svg).toContain(`>${text}</text>`);
    expect(svg).toMatch(
      /<title>POSIX: n = 5,120; mean [\d.,]+ B; median [\d.,]+ B; quartiles [\d.,]+ B and /,
    );
  });

  it("have no shape for fewer than five values, only their mean", () => {
    const shapes = (n: number) =>
      renderSvg(figureOf({ ...violinsOf(20), groups: [{ ...posix!, n }] })).split("fill-opacity").length - 1;
    expect(shapes(4)).toBe(0);
    expect(shapes(5)).toBe(1);
  });

  it("are as wide as their density, the widest of all filling the room, and mirrored", () => {
    const group = {
      ...posix!,
      n: 9,
      values: [1, 2, 3],
      mean: 2,
      median: 2,
      lowerQuartile: 1.5,
      upperQuartile: 2.5,
    };
    const chart: ViolinChart = {
      ...violinsOf(20),
      value: { label: "v", unit: "count" },
      groups: [
        { ...group, densities: [0, 4, 0] },
        { ...group, densities: [0, 1, 0] },
      ],
    };
    const svg = renderSvg(figureOf(chart));
    const widths = [...svg.matchAll(/d="M([^"]*)z" fill="[^"]*" fill-opacity/g)].map((match) => {
      const xs = match[1]!.split("L").map((pair) => Number(pair.split(" ")[0]));
      expect(xs[0]).toBe(xs.at(-1));
      expect(xs[1]! - xs[0]!).toBeCloseTo(xs[0]! - xs[4]!, 1);
      return Math.max(...xs) - Math.min(...xs);
    });
    expect(widths[0]! / widths[1]!).toBeCloseTo(4, 2);
  });

  it("survive nothing, zeros on a log axis, odd numbers, and forty groups", () => {
    expect(svgTexts({ ...violinsOf(20), groups: [] })).toContain("nothing to draw");
    const odd = [Number.NEGATIVE_INFINITY, -3, 0, 1, 1e308, Number.POSITIVE_INFINITY, Number.NaN];
    for (const scale of ["linear", "log"] as const) {
      const value = { label: "v", unit: "bytes", scale } as const;
      const of = (groups: ViolinChart["groups"]) => svgTexts({ ...violinsOf(20), value, groups });
      of([{ ...posix!, values: odd, densities: odd }]);
      of([{ ...posix!, densities: [] }]);
      of([{ ...posix!, values: [], densities: [] }]);
      of([{ ...posix!, values: [3], densities: [1] }]);
      for (const mean of odd)
        of([{ ...posix!, n: mean, mean, median: mean, lowerQuartile: mean, upperQuartile: mean }]);
      of(Array.from({ length: 40 }, (_, i) => ({ ...posix!, name: `group number ${i}` })));
    }
  });

  it("have their numbers as a table and their densities in CSV", () => {
    const chart: ViolinChart = {
      ...violinsOf(20),
      groups: [
        {
          ...posix!,
          n: 6,
          values: [1, 10],
          densities: [0.5, 0.25],
          mean: 4,
          median: 3,
          lowerQuartile: 2,
          upperQuartile: 5,
        },
        { ...violinsOf(20).groups[4]! },
      ],
    };
    expect(figureTable(figureOf(chart)).rows).toEqual([
      ["POSIX", 6, 4, 2, 3, 5],
      ["PnetCDF", 0, null, null, null, null],
    ]);
    expect(figureCsv(figureOf(chart)).split("\r\n").slice(1)).toEqual([
      "POSIX,6,4,2,3,5,1,0.5",
      "POSIX,6,4,2,3,5,10,0.25",
      "PnetCDF,0,,,,,,",
      "",
    ]);
  });
});
