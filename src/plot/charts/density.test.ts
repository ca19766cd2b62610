import { describe, expect, it } from "vitest";
import type { DensityChart } from "../../model/figure.ts";
import { decadeClasses } from "../classes.ts";
import { figureCsv, figureTable, renderSvg } from "../index.ts";
import { clustersOf, svgTexts, figureOf } from "../test-kit.ts";

describe("joint densities", () => {
  const small: DensityChart = {
    kind: "density",
    x: { label: "bytes read", unit: "bytes", edges: [1, 10, 100, 1000] },
    y: { label: "bytes written", unit: "bytes", edges: [1, 10, 100] },
    countLabel: "files",
    counts: [1, 0, 10, 0, 11, 5_000_000],
    zeroX: [2, 0],
    zeroY: [0, 0, 101],
    zeroBoth: 1,
  };

  it("fall into decades: 1, up to 10, up to 100, and so on", () => {
    const classes = decadeClasses([0, 3, 1234]);
    expect(classes.bounds).toEqual([0, 1, 10, 100, 1000, 10_000]);
    expect([1, 2, 10, 11, 100, 101, 1000, 1001].map((count) => classes.of(count))).toEqual([
      0, 1, 1, 2, 2, 3, 3, 4,
    ]);
    for (const blank of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) expect(classes.of(blank)).toBe(-1);
    expect(decadeClasses([1]).bounds).toEqual([0, 1]);
    expect(decadeClasses([]).bounds).toEqual([]);
  });

  it("have a legend of decades, blank for none, and the count on hover", () => {
    const svg = renderSvg(figureOf(small));
    for (const text of ["1", "≤ 10", "≤ 10 M", "files per bin; blank: none"])
      expect(svg).toContain(`>${text}</text>`);
    expect(svg).toContain("<title>bytes read 10 B to 100 B; bytes written 10 B to 100 B: 11 files</title>");
    expect(svg).toContain("<title>bytes read 0; bytes written 1 B to 10 B: 2 files</title>");
    expect(svg).toContain("<title>bytes read 0; bytes written 0: 1 files</title>");
    expect(svg.match(/ files<\/title>/g)).toHaveLength(7);
  });

  it("have gutters only where there are zeros to show", () => {
    const outlines = (chart: DensityChart) =>
      renderSvg(figureOf(chart)).split('fill="none" stroke="var(--plot-grid)"').length - 1;
    const { zeroX, zeroY, zeroBoth, ...plain } = small;
    expect(outlines(small)).toBe(4);
    expect(outlines({ ...plain, zeroX: zeroX! })).toBe(2);
    expect(outlines({ ...plain, zeroY: zeroY! })).toBe(2);
    expect(outlines({ ...plain, zeroBoth: zeroBoth! })).toBe(4);
    expect(outlines(plain)).toBe(1);
  });

  it("draw marks as named lines, and none that is off the axes", () => {
    const marks = [
      { axis: "x", value: 50, label: "50 B" },
      { axis: "y", value: 0, label: "nothing" },
      { axis: "y", value: 1e6, label: "too high" },
      { axis: "x", value: Number.NaN, label: "not known" },
    ] as const;
    const svg = renderSvg(figureOf({ ...small, marks }));
    expect(svg).toContain("<title>50 B: 50 B</title>");
    expect(svg).toContain(">nothing</text>");
    expect(svg).not.toMatch(/too high|not known/);
  });

  it("of 200 × 200 bins stay small", () => {
    const edges = Array.from({ length: 201 }, (_, index) => 10 ** (index / 20));
    const noise = Float64Array.from({ length: 40_000 }, (_, i) => Math.floor(10 ** (((i * 7919) % 97) / 12)));
    const chart = { ...small, x: { ...small.x, edges }, y: { ...small.y, edges }, counts: noise };
    for (const width of [280, 900])
      expect(renderSvg(figureOf(chart), { width }).length).toBeLessThan(400_000);
    expect(renderSvg(figureOf(clustersOf(20, 20_000))).length).toBeLessThan(40_000);
  });

  it("survive one bin, none, all empty, linear and uneven edges, odd counts, and bins finer than pixels", () => {
    const edges = (x: readonly number[], y: readonly number[]): DensityChart => ({
      ...small,
      ...{ x: { ...small.x, edges: x }, y: { ...small.y, edges: y } },
    });
    svgTexts({ ...edges([1, 10], [1, 10]), counts: [4] });
    for (const none of [[], [1], [1, 1], [1, Number.NaN], [2, 1]])
      expect(svgTexts(edges(none, [1, 10]))).toContain("nothing to draw");
    const { zeroX: _, zeroY: __, zeroBoth: ___, ...plain } = small;
    expect(svgTexts({ ...plain, counts: [] })).toContain("all bins are empty");
    svgTexts(edges([0, 1, 10, 100], [-5, 5, 1000]));
    svgTexts(edges([1e-300, 1, 1e300], [1, 1.001, 1.002]));
    svgTexts({ ...small, counts: [Number.NaN, Number.POSITIVE_INFINITY, -2, 1e308, 0.3, 5e-324] });
    const fine = Array.from({ length: 3001 }, (_, index) => 10 ** (index / 500));
    expect(svgTexts({ ...edges(fine, [1, 10, 100]), counts: new Float64Array(6000).fill(1) })).toContain(
      "files per bin, bins joined; blank: none",
    );
  });

  it("have a cross table by decades with sums, and a row of CSV per bin that is not blank", () => {
    const { columns, rows } = figureTable(figureOf(small));
    expect(columns.map(({ label }) => label)).toEqual([
      ...["bytes written by bytes read", "0", "1 B to 10 B", "10 B to 100 B", "100 B to 1 kB", "all files"],
    ]);
    expect(rows).toEqual([
      ["0", 1, 0, 0, 101, 102],
      ["1 B to 10 B", 2, 1, 0, 10, 13],
      ["10 B to 100 B", 0, 0, 11, 5_000_000, 5_000_011],
    ]);
    expect(figureCsv(figureOf(small)).split("\r\n").slice(1)).toEqual([
      ...["0,0,0,0,1", "100,1000,0,0,101", "0,0,1,10,2", "1,10,1,10,1", "100,1000,1,10,10"],
      ...["10,100,10,100,11", "100,1000,10,100,5000000", ""],
    ]);
    const many = clustersOf(25, 5000);
    const table = figureTable(figureOf(many));
    expect(table.rows.length).toBeLessThanOrEqual(13);
    const all = (table.rows.map((row) => row.at(-1)) as number[]).reduce((a, b) => a + b, 0);
    expect(all).toBe([...many.counts, ...many.zeroX!, ...many.zeroY!, 3].reduce((a, b) => a + b, 0));
  });
});
