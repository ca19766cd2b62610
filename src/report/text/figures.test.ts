import { describe, expect, it } from "vitest";
import type { Chart } from "../../model/figure.ts";
import { clustersOf, figureOf, files, gapsOf, pointsOf, violinsOf } from "../../plot/test-kit.ts";
import { figureText } from "./figures.ts";

const linesOf = (chart: Chart, width = 80) => figureText(figureOf(chart), width);

describe("figures in a terminal", () => {
  it("give cumulative shares as a line of quantiles and the mean per series", () => {
    expect(linesOf(gapsOf(2000))).toEqual([
      "mean time between accesses, not exceeded by 10, 50, 80 and 90 %",
      "           n         10 %         50 %      80 %      90 %      mean",
      "read   4,210  52 min 34 s  13 h 17 min       2 d  3 d 21 h      37 h",
      "write  2,833   6 h 45 min  30 h 23 min  3 d 11 h  5 d 21 h  2 d 10 h",
    ]);
  });

  it("give violins as a line of quartiles and the mean per group, and say where there are no data", () => {
    expect(linesOf(violinsOf(40))).toEqual([
      "bytes per run and file",
      "interface        n  lower quartile   median  upper quartile     mean",
      "POSIX        5,120         12.8 GB  39.7 GB          124 GB   139 GB",
      "MPI-IO       1,871          468 MB  1.87 GB         7.96 GB  14.2 GB",
      "STDIO          640         1.43 MB  2.91 MB          6.5 MB  5.51 MB",
      "HDF5             3            2 GB     4 GB            4 GB     5 GB",
      "PnetCDF    no data",
    ]);
  });

  it("give densities as characters by decade, zeros apart", () => {
    const chart: Chart = {
      kind: "density",
      x: { label: "bytes read", unit: "bytes", edges: [1, 10, 100, 1000] },
      y: { label: "runs", unit: "count", edges: [1, 10, 100] },
      countLabel: "files",
      counts: [1, 0, 10, 0, 11, 5_000_000],
      zeroX: [2, 0],
      zeroY: [0, 0, 101],
      zeroBoth: 1,
    };
    expect(linesOf(chart)).toEqual([
      "runs (up) by bytes read (right)",
      "         100  │ 27",
      "           1 1│· 1",
      "             ─┼───",
      "           0 ·│  3",
      "             0 1 B 1 kB",
      "files: · is 1, 1 is ≤ 10, 2 is ≤ 100, …; blank: none",
    ]);
    const { zeroX: _, zeroY: __, zeroBoth: ___, ...plain } = chart;
    expect(linesOf(plain).slice(1, 4)).toEqual([
      "         100 │ 27",
      "           1 │· 1",
      "             └───",
    ]);
  });

  it("give points as a table of at most 24 rows", () => {
    const lines = linesOf(pointsOf(30));
    expect(lines.slice(0, 2)).toEqual([
      "        bytes per run  I/O time per run    kind",
      "app-00           1 MB            500 ms  before",
    ]);
    expect(lines).toHaveLength(26);
    expect(lines.at(-1)).toBe("… 6 more");
    expect(linesOf(pointsOf(24)).at(-1)).toMatch(/^app-23 /);
  });

  it("stay within 80 characters also when there are very many bins, and with long names", () => {
    const long = "a name that goes on ".repeat(20);
    const cmf = { ...gapsOf(10), series: gapsOf(10).series.map((of) => ({ ...of, name: long })) };
    for (const chart of [clustersOf(25, 5000), cmf, violinsOf(10), pointsOf(5)])
      for (const line of linesOf(chart)) expect(line.length).toBeLessThanOrEqual(80);
    expect(linesOf(clustersOf(25, 5000)).length).toBeLessThanOrEqual(26);
  });

  it("survive nothing, NaN, and empty edges", () => {
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, 0, -1];
    const [point] = pointsOf(1).points;
    for (const chart of [
      { ...gapsOf(5), series: [] },
      { ...gapsOf(5), series: [{ ...gapsOf(5).series[0]!, values: [], shares: [], mean: Number.NaN, n: 0 }] },
      { ...violinsOf(5), groups: [] },
      { ...clustersOf(1, 10), x: { ...clustersOf(1, 10).x, edges: [] } },
      { ...clustersOf(1, 10), counts: odd },
      { ...pointsOf(1), points: odd.flatMap((x) => odd.map((y) => ({ ...point!, x, y }))) },
    ])
      expect(linesOf(chart).join("")).not.toMatch(/NaN|undefined/);
  });

  it("give lanes as heights of how much is covered, and of many lanes the first and the last", () => {
    const span = (x1: number, x2: number, lane: number) => ({
      ...{ x1, x2, y1: lane, y2: lane + 1, role: "read" as const },
    });
    const chart: Chart = {
      kind: "spans",
      x: { label: "time", unit: "seconds" },
      y: { label: "process", unit: "index" },
      laneNames: ["one", "two"],
      spans: [span(0, 5, 0), span(7.5, 10, 0), span(2, 2.5, 1), span(2, 2.25, 1)],
    };
    const lines = linesOf(chart, 16);
    expect(lines.slice(0, 3)).toEqual(["one █████  ▄██", "two   ▆", "    0 s   10 s"]);
    const many = { ...chart, laneNames: Array.from({ length: 30 }, (_, i) => `lane ${i}`) };
    const names = linesOf(many, 40).map((line) => line.trim());
    expect(names).toContain("… 14 more");
    expect(names).toContain("lane 29");
    expect(names).not.toContain("lane 15");
    expect(linesOf({ ...chart, spans: [] })).toHaveLength(1);
    expect(linesOf({ ...chart, spans: [span(1, 1, 0)] })).toHaveLength(1);
  });

  it("give many bars as a line of heights", () => {
    const chart: Chart = {
      ...{ kind: "bars", direction: "vertical", stacked: false, categoryLabel: "time" },
      categories: Array.from({ length: 50 }, (_, i) => `${i} s`),
      value: { label: "calls", unit: "count" },
      series: [
        { name: "a", role: "neutral", values: Array.from({ length: 50 }, (_, i) => (i < 25 ? 8 : 1)) },
      ],
    };
    expect(linesOf(chart, 27)).toEqual(["a █████▁▁▁▁▁ up to 8", "  0 s   49 s"]);
  });

  it("show what a terminal would obey as symbols, in every kind", () => {
    const hostile = "a\x1b[31mb\r\nc\u202e";
    const axis = { label: hostile, unit: "bytes" as const };
    for (const chart of [
      { ...files, categories: [hostile], value: axis },
      { ...gapsOf(5), x: axis, series: gapsOf(5).series.map((of) => ({ ...of, name: hostile })) },
      { ...violinsOf(5), value: axis, groupLabel: hostile },
      { ...clustersOf(1, 10), countLabel: hostile },
      { ...pointsOf(1), x: axis, points: [{ ...pointsOf(1).points[0]!, label: hostile }] },
    ]) {
      const text = linesOf(chart as Chart).join("");
      expect(text).not.toMatch(/[\x00-\x1f\u202e]/);
      expect(text).toContain("␛[31m");
    }
  });
});
