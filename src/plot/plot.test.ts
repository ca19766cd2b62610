import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { BarsChart, Chart, HeatChart } from "../model/figure.ts";
import { classesOf } from "./classes.ts";
import { figureCsv, figureTable, renderSvg } from "./index.ts";
import {
  accessSizes,
  clustersOf,
  costs,
  svgTexts,
  figureOf,
  files,
  gapsOf,
  heatOf,
  lanes,
  offsetsOf,
  oneSided,
  pointsOf,
  stripOf,
  violinsOf,
  whiskers,
  xmlFault,
} from "./test-kit.ts";
import { cleanText, fitMiddle, fitNames, shortenMiddle, textWidth, wrapText } from "./text.ts";
import { linearTicks, logMarks, spreadAxis, valueAxis } from "./ticks.ts";

const SAMPLES: Readonly<Record<string, Chart>> = {
  "access-sizes": accessSizes,
  costs,
  files,
  whiskers,
  heat: heatOf(6, 20),
  strip: stripOf(24),
  lanes,
  offsets: offsetsOf(40),
  "cmf-gaps": gapsOf(40),
  "cmf-linear": oneSided,
  violins: violinsOf(40),
  density: clustersOf(3, 8500),
  points: pointsOf(14),
};

describe.each(Object.entries(SAMPLES))("the sample %s", (name, chart) => {
  const figure = figureOf(chart, { id: name });

  it("is svgTexts as in its golden", () => {
    const svg = renderSvg(figure, { standalone: true }).replaceAll("><", ">\n<");
    const path = fileURLToPath(new URL(`../../test/golden/plot/${name}.svg`, import.meta.url));
    if (process.env.PLIMSOLL_GOLDEN === "write") {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${svg}\n`);
    }
    if (!existsSync(path))
      throw new Error(
        `no golden ${name}.svg; run once with PLIMSOLL_GOLDEN=write and look at it before you keep it`,
      );
    expect(`${svg}\n`.split("\n")).toEqual(readFileSync(path, "utf8").split("\n"));
  });

  it("is the same bytes each time, with short numbers", () => {
    expect(svgTexts(chart)).toBe(svgTexts(chart));
    const geometry = renderSvg(figure).replace(/<title>[^<]*<\/title>|>[^<]*</g, "><");
    expect(geometry.replace(/scale\([^)]*\)/g, "")).not.toMatch(/\d\.\d{4}/);
  });

  it("says who it is: role, title, summary, a box that scales", () => {
    const svg = renderSvg(figure, { width: 500 });
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*role="img"/);
    expect(svg).toMatch(/viewBox="0 0 500 \d+"/);
    expect(svg).toContain("<title>What the job did</title><desc>Most writes are smaller than 4 KiB.</desc>");
  });

  it("keeps to itself inside a page: no style, ids of its own", () => {
    const svg = renderSvg(figure);
    expect(svg).not.toMatch(/<style|style=/);
    for (const [, id] of svg.matchAll(/ id="([^"]*)"/g)) expect(id).toMatch(new RegExp(`^${name}-`));
    for (const [, id] of svg.matchAll(/url\(#([^)]*)\)/g)) expect(svg).toContain(` id="${id}"`);
    expect(svg).toMatch(/(fill|stroke)="var\(--plot-/);
  });

  it("carries all it needs in a file of its own", () => {
    const svg = renderSvg(figure, { standalone: true });
    expect(svg).toContain("<style>:root{--plot-background:#ffffff");
    expect(svg).toContain("3 records without a name were left out.");
    expect(svg).toContain("Definition J05@1 · module = POSIX · bins = 10");
    expect(svg).toContain("<metadata>{&quot;id&quot;:");
    // Programs without custom properties still find colours.
    expect(svg.replace(/<style>.*<\/style>/, "")).not.toContain("var(");
  });
});

describe("bars", () => {
  it("tell what was not recorded from zero", () => {
    const svg = renderSvg(figureOf(accessSizes));
    expect(svg).toContain("100 MiB–1 GiB: write: not recorded</title>");
    expect(svg).toContain(">not recorded</text>");
    expect(svg).not.toContain("10–100 MiB: read");
    expect(svg).toMatch(/fill="var\(--plot-muted\)"[^>]*>10–100 MiB<\/text>/);
  });

  it("show exact values on hover and shorten long names in their middle", () => {
    const svg = renderSvg(figureOf(files));
    expect(svg).toContain(": write: 31,000,000,000 B</title>");
    expect(svg).toContain(`<title>${files.categories[0]}</title>`);
    expect(svg).toMatch(/>\/lustre[^<]*…[^<]*restart\.0001\.nc<\/text>/);
  });

  it("stand in the order and lengths of their values", () => {
    const chart: BarsChart = {
      ...files,
      categories: ["a", "b"],
      series: [{ name: "n", role: "neutral", values: [10, 40] }],
      value: { label: "calls", unit: "calls" },
    };
    const svg = renderSvg(figureOf(chart));
    const widths = [...svg.matchAll(/<rect [^>]*width="([\d.]+)"[^>]*><title>/g)].map((match) =>
      Number(match[1]),
    );
    expect(widths).toHaveLength(2);
    expect(widths[1]! / widths[0]!).toBeCloseTo(4, 1);
  });

  it("have whiskers from the least to the greatest, which the CSV and the table name", () => {
    const svg = renderSvg(figureOf(whiskers));
    expect(svg).toContain("512: 1 MB: 7,000,000,000 B/s (5,000,000,000 B/s to 8,000,000,000 B/s)</title>");
    // Five of six bars: where an end is not known there is no whisker.
    const [, path = ""] = /<path d="([^"]*)" stroke="var\(--plot-text\)"/.exec(svg) ?? [];
    expect(path.match(/M/g)).toHaveLength(15);
    const [head, first] = figureCsv(figureOf(whiskers)).split("\r\n");
    expect(head).toBe("writers,series,bandwidth (bytes/s),least (bytes/s),greatest (bytes/s)");
    expect(first).toBe("512,1 MB,7000000000,5000000000,8000000000");
    const { columns, rows } = figureTable(figureOf(whiskers));
    expect(columns.map(({ label }) => label).slice(1, 4)).toEqual(["1 MB", "1 MB: least", "1 MB: greatest"]);
    expect(rows[2]?.slice(4)).toEqual([31e9, null, 40e9]);
    for (const direction of ["vertical", "horizontal"] as const)
      for (const scale of ["linear", "log"] as const)
        svgTexts({
          ...whiskers,
          direction,
          value: { ...whiskers.value, scale },
          series: [
            { ...whiskers.series[0]!, low: [-3, 0, Number.NEGATIVE_INFINITY], high: [1e300, 0, 5e-324] },
            { ...whiskers.series[1]!, low: [4, 4], high: [] },
          ],
        });
  });

  it("survive one category, all zeros, infinite and negative values, and very many", () => {
    const of = (changes: Partial<BarsChart>) => svgTexts({ ...accessSizes, ...changes });
    for (const direction of ["vertical", "horizontal"] as const)
      for (const stacked of [true, false])
        for (const scale of ["linear", "log"] as const) {
          const base = { direction, stacked, value: { ...accessSizes.value, scale } };
          const odd = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -3, 1e308, 5e-324, Number.NaN];
          const one = { name: "x", role: "read" as const };
          of({ ...base, categories: ["only"], series: [{ ...one, values: [3] }] });
          of({ ...base, categories: ["a", "b"], series: [{ ...one, values: [0, 0] }] });
          of({ ...base, categories: ["a", "b"], series: [{ ...one, values: [] }] });
          const names = odd.map(String);
          of({ ...base, categories: names.map((n) => n.slice(0, 2)), series: [{ ...one, values: odd }] });
          const many = Array.from({ length: 300 }, (_, i) => i);
          of({ ...base, categories: many.map((i) => `c${i}`), series: [{ ...one, values: many }] });
        }
  });
});

describe("heat maps", () => {
  it("of 128 ranks and 200 columns stay small", () => {
    const chart = heatOf(128, 200);
    expect(renderSvg(figureOf(chart), { standalone: true }).length).toBeLessThan(200_000);
    // The worst case: no two neighbours alike.
    const noise = chart.parts.map((part) => ({
      ...part,
      cells: Float64Array.from({ length: 128 * 200 }, (_, i) => 10 ** (((i * 7919) % 97) / 12)),
    }));
    expect(renderSvg(figureOf({ ...chart, parts: noise })).length).toBeLessThan(400_000);
  });

  it("leave blank what is zero, negative, infinite or not recorded", () => {
    const chart: HeatChart = {
      ...heatOf(1, 5),
      parts: [
        { name: "read", role: "read", cells: [0, Number.NaN, -5, Number.POSITIVE_INFINITY, 7] },
        { name: "write", role: "write", cells: [0, 0, 0, 0, 0] },
      ],
    };
    expect(renderSvg(figureOf(chart))).toContain('d="M4 0h1"');
    svgTexts(chart);
  });

  it("have sums at their margins, by part, which are the table", () => {
    const chart: HeatChart = {
      ...heatOf(2, 3),
      parts: [
        { name: "read", role: "read", cells: [1, 2, 3, 4, 5, 6] },
        { name: "write", role: "write", cells: [10, 0, 0, 0, 0, Number.NaN] },
      ],
    };
    const { columns, rows } = figureTable(figureOf(chart));
    expect(columns.map(({ label, unit }) => `${label} ${unit}`)).toEqual([
      ...["sum text", "over text", "read bytes", "write bytes"],
    ]);
    expect(rows.map((row) => row.slice(2))).toEqual([
      [5, 10],
      [7, 0],
      [9, 0],
      [6, 10],
      [15, 0],
    ]);
    expect(rows[3]!.slice(0, 2)).toEqual(["bytes per rank", "rank 0"]);
    const svg = renderSvg(figureOf(chart));
    expect(svg).toContain("<title>rank 1; read: 15 B; write: 0 B</title>");
    expect(svg).toContain(">bytes over time</text>");
  });

  it("survive one cell, all zeros, no cells, uneven edges and 2,048 rows", () => {
    svgTexts(heatOf(1, 1));
    svgTexts({ ...heatOf(3, 3), parts: [{ name: "r", role: "read", cells: new Float64Array(9) }] });
    svgTexts({ ...heatOf(3, 3), parts: [] });
    for (const edges of [[], [0]])
      expect(svgTexts({ ...heatOf(1, 1), x: { ...heatOf(1, 1).x, edges } })).toContain("nothing to draw");
    svgTexts({ ...heatOf(3, 3), x: { ...heatOf(3, 3).x, edges: [0, 1, 10, 100] } });
    const many = renderSvg(figureOf(heatOf(2048, 200)));
    expect(many).toContain("bytes, highest of 11 cells; blank: none");
    expect(many.length).toBeLessThan(500_000);
  });

  it("fall into classes that hold every value once", () => {
    for (const scale of ["linear", "log"] as const) {
      const values = [1, 3, 10, 99, 1000, 54_321, 1e9, 5];
      const classes = classesOf(values, scale, "bytes");
      for (const value of values) {
        const index = classes.of(value);
        expect(value).toBeGreaterThanOrEqual(classes.bounds[index]!);
        expect(value).toBeLessThanOrEqual(classes.bounds[index + 1]!);
      }
      expect(classes.of(0)).toBe(-1);
      expect(classes.bounds.length).toBeLessThanOrEqual(11);
    }
    expect(classesOf([7, 7], "log", "bytes").of(7)).toBe(0);
  });
});

describe("strips", () => {
  it("say how many of all targets were used", () => {
    expect(renderSvg(figureOf(stripOf(10)))).toContain(">8 of 248 OSTs used</text>");
  });

  it("survive one target, none, a thousand, and odd values", () => {
    svgTexts(stripOf(1));
    expect(svgTexts(stripOf(0))).toContain("nothing to draw");
    expect(renderSvg(figureOf(stripOf(1000))).length).toBeLessThan(300_000);
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, -4, 0, 1e300];
    const items = odd.flatMap((height) => odd.map((colour) => ({ name: "t", height, colour })));
    for (const scale of ["linear", "log"] as const) {
      const [height, colour] = [stripOf(1).height, stripOf(1).colour].map((axis) => ({ ...axis, scale }));
      svgTexts({ ...stripOf(1), items, height: height!, colour: colour! });
    }
  });
});

describe("spans", () => {
  it("tell their notes on hover", () => {
    expect(renderSvg(figureOf(lanes))).toContain("<title>write: call 95</title>");
  });

  it("have no legend where lanes say what they are, and name the lane in the table", () => {
    const span = { x1: 1, x2: 3, y1: 1.1, y2: 1.9, role: "neutral" as const };
    const chart = { ...lanes, laneNames: ["a", "computing"], spans: [span] };
    expect(svgTexts(chart)).toContain(">neutral</text>");
    expect(svgTexts({ ...chart, namedByLane: true })).not.toContain(">neutral</text>");
    expect(figureTable(figureOf({ ...chart, namedByLane: true })).rows).toEqual([["computing", 1, 3]]);
  });

  it("survive one, none, five thousand, and odd values", () => {
    const span = { x1: 1, x2: 1, y1: 0, y2: 0, role: "read" as const };
    svgTexts({ ...lanes, spans: [span] });
    expect(svgTexts({ ...lanes, spans: [] })).toContain("nothing to draw");
    expect(svgTexts({ ...lanes, spans: [{ ...span, x2: Number.NaN }] })).toContain("nothing to draw");
    svgTexts({
      ...offsetsOf(3),
      spans: [span, { ...span, x1: -1e300, x2: 1e300 }, { ...span, x1: 9, x2: 2 }],
    });
    expect(renderSvg(figureOf(offsetsOf(5000))).length).toBeLessThan(300_000);
  });
});

describe("hostile text", () => {
  const HOSTILE = [
    "<script>alert(1)</script>",
    `" onload="alert(1)`,
    "</text></svg><img src=x onerror=alert(1)>",
    "a\0b\x1b[31mc\x7f\x85\ufffe",
    "lone \ud800 and \udfff",
    "right\u202eto left",
    "]]>&amp;<!--",
    "x".repeat(10_000),
    "\u{1f600}".repeat(3000),
    "line\r\nbreak\ttab",
    'fill="var(--plot-read)" data-class="x"',
    "",
  ];

  it("is svgTexts as text wherever it stands, and stays on the picture", () => {
    for (const text of HOSTILE) {
      const axis = { label: text, unit: "bytes" as const };
      const charts: Chart[] = [
        {
          ...accessSizes,
          categories: [text, `${text}2`],
          categoryLabel: text,
          value: axis,
          series: [
            { name: text, role: "read", values: [1, 2] },
            { name: text, role: "write", values: [1, Number.NaN] },
          ],
        },
        { ...files, categories: HOSTILE, value: axis },
        {
          ...heatOf(2, 2),
          topLabel: text,
          rightLabel: text,
          value: axis,
          x: { ...heatOf(2, 2).x, label: text },
        },
        {
          ...stripOf(3),
          itemLabel: text,
          items: [{ name: text, height: 1, colour: 1, note: text }],
          height: axis,
        },
        { ...lanes, laneNames: [text, text], x: axis, y: axis, spans: [{ ...lanes.spans[0]!, note: text }] },
        { ...gapsOf(5), x: axis, series: gapsOf(5).series.map((of) => ({ ...of, name: text })) },
        {
          ...violinsOf(5),
          groupLabel: text,
          value: axis,
          groups: violinsOf(5).groups.map((of) => ({ ...of, name: text })),
        },
        {
          ...clustersOf(1, 20),
          countLabel: text,
          x: { ...clustersOf(1, 20).x, label: text },
          marks: [{ axis: "x", value: 1e9, label: text }],
        },
        {
          ...pointsOf(2),
          x: axis,
          y: axis,
          points: pointsOf(2).points.map((of) => ({ ...of, label: text })),
        },
      ];
      for (const chart of charts) {
        const figure = figureOf(chart, {
          id: text,
          title: text,
          caption: text,
          summary: text,
          definition: text,
          options: { [text]: text },
        });
        for (const standalone of [true, false]) {
          const svg = renderSvg(figure, { standalone });
          expect(xmlFault(svg), text.slice(0, 40)).toBeUndefined();
          expect(svg).not.toMatch(/<script|<img|<!--/i);
          expect(svg).not.toMatch(/<[^>]* onload=/);
          expect(svg.length).toBeLessThan(200_000);
        }
        expect(() => [figureCsv(figure), figureTable(figure)]).not.toThrow();
      }
    }
  });

  it("that differs gives ids that differ", () => {
    const idOf = (id: string) => / id="([^"]*)"/.exec(renderSvg(figureOf(accessSizes, { id })))?.[1];
    expect(new Set(["a b", "a-b", "a.b", "a/b"].map(idOf)).size).toBe(4);
  });

  it("is found out by the check that these tests use", () => {
    expect(xmlFault("<a><b></a></b>")).toMatch(/closes another/);
    expect(xmlFault('<a x="1" x="2"/>')).toMatch(/twice/);
    expect(xmlFault("<a>&nbsp;</a>")).toMatch(/bare &/);
    expect(xmlFault("<a>\0</a>")).toMatch(/forbidden/);
    expect(xmlFault("<a>")).toMatch(/not closed/);
    expect(xmlFault('<a x="1"><b/>t</a>')).toBeUndefined();
  });

  it("is cleaned once and for all", () => {
    for (const text of HOSTILE) expect(cleanText(cleanText(text))).toBe(cleanText(text));
    expect(cleanText("a\0b\n\x7f")).toBe("a\u2400b \u2421");
  });
});

describe("text", () => {
  it("is shortened in the middle and keeps its end", () => {
    expect(shortenMiddle("/a/very/long/path/file.nc", 12)).toBe("/a/v…file.nc");
    expect(shortenMiddle("short", 12)).toBe("short");
    expect([...shortenMiddle("\u{1f600}".repeat(100), 11)]).toHaveLength(11);
    for (const width of [5, 50, 200])
      expect(textWidth(fitMiddle("W".repeat(500), width, 11), 11)).toBeLessThanOrEqual(Math.max(width, 11));
  });

  it("that differs only in its middle is shortened to ends that differ", () => {
    const names = ["/lustre/project/atmosphere/restart.nc", "/lustre/project/ocean/restart.nc"];
    const fitted = fitNames(names, 100, 11);
    expect(new Set(fitted).size).toBe(2);
    for (const name of fitted) expect(name).toMatch(/^….*restart\.nc$/);
  });

  it("is wrapped into lines that fit", () => {
    const lines = wrapText("some words that go on ".repeat(20), 200, 11, 4);
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(textWidth(line, 11)).toBeLessThanOrEqual(212);
    expect(lines.at(-1)).toMatch(/…$/);
  });
});

describe("axes", () => {
  it("are marked at round numbers, and time at those of a clock", () => {
    expect(linearTicks(0, 1, 5, "share")).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(linearTicks(0, 742, 7, "seconds")).toEqual([0, 120, 240, 360, 480, 600, 720]);
    expect(linearTicks(0, 3, 6, "index")).toEqual([0, 1, 2, 3]);
  });

  it("reach below the smallest value when logarithmic, so that it has a length", () => {
    const { domain, ticks } = valueAxis([1, 0, 900], "log", 5, "calls");
    expect(domain[0]).toBeLessThan(1);
    expect(ticks).toEqual([1, 10, 100, 1000]);
  });
});

describe("log axes", () => {
  it("are marked at decades, at 2 and 5 when they are short, and by the clock when they are time", () => {
    expect(logMarks(1, 1e6, 8, "bytes")).toEqual([1, 10, 100, 1000, 10_000, 100_000, 1_000_000]);
    expect(logMarks(1, 1e6, 4, "bytes")).toEqual([1, 100, 10_000, 1_000_000]);
    expect(logMarks(3, 60, 8, "bytes")).toEqual([5, 10, 20, 50]);
    expect(logMarks(1, 5e5, 6, "seconds")).toEqual([1, 10, 60, 600, 3600, 86_400]);
    expect(logMarks(1800, 4e5, 8, "seconds")).toEqual([1800, 3600, 7200, 18_000, 36_000, 86_400, 172_800]);
    expect(logMarks(3.1, 3.9, 4, "bytes").length).toBeGreaterThan(1);
  });

  it("hold all positive values, and give one value room", () => {
    for (const values of [[5], [1, 1e9], [1e-300, 1e300], [5e-324], [0, -3, 8]]) {
      const { scale, domain } = spreadAxis(values, "log", 6, "bytes");
      expect(scale).toBe("log");
      expect(domain[1]).toBeGreaterThan(domain[0]);
      for (const value of values.filter((v) => v > 1e-280)) {
        if (value < 1e280) expect(value).toBeLessThan(domain[1]);
        expect(value).toBeGreaterThan(domain[0]);
      }
    }
    expect(spreadAxis([0, Number.NaN], "log", 6, "bytes").scale).toBe("linear");
    expect(spreadAxis([3, 3], "linear", 6, "none").domain[1]).toBeGreaterThan(3);
  });
});

describe("CSV", () => {
  it("has units in its header, exact numbers, and nothing where nothing was recorded", () => {
    const lines = figureCsv(figureOf(accessSizes)).split("\r\n");
    expect(lines[0]).toBe("access size,series,calls (calls)");
    expect(lines[2]).toBe("0–100 B,write,1204331");
    expect(lines).toContain("100 MiB–1 GiB,write,");
    expect(lines).toContain("10–100 MiB,read,0");
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe("");
  });

  it("quotes what would break a row", () => {
    const chart = { ...files, categories: ['a "b", c', "d\ne", " f", "g"] };
    expect(figureCsv(figureOf(chart))).toContain('"a ""b"", c",read,0\r\n');
    expect(figureCsv(figureOf(chart))).toContain('"d\ne",read,');
  });

  it("of a heat map has a row per cell that is not blank", () => {
    const chart: HeatChart = {
      ...heatOf(1, 2),
      parts: [
        { name: "read", role: "read", cells: [0, 0.1] },
        { name: "write", role: "write", cells: [Number.NaN, 3] },
      ],
    };
    expect(figureCsv(figureOf(chart)).split("\r\n")).toEqual([
      "time since start from (seconds),time since start to (seconds),rank from,rank to,part,bytes (bytes)",
      "0,371,0,1,write,",
      "371,742,0,1,read,0.1",
      "371,742,0,1,write,3",
      "",
    ]);
  });
});

it("tables have null where nothing was recorded", () => {
  const { columns, rows } = figureTable(figureOf(accessSizes));
  expect(columns.map(({ label }) => label)).toEqual(["access size", "read", "write"]);
  expect(rows[8]).toEqual(["100 MiB–1 GiB", 0, null]);
  expect(figureTable(figureOf(stripOf(3))).rows[0]).toEqual(["OST0000", 1e9, 0, null]);
  expect(figureTable(figureOf(lanes)).rows).toHaveLength(96);
});

it("a simulated figure says so, in a page and in a file", () => {
  for (const standalone of [true, false]) {
    const draw = (simulated: boolean) => renderSvg(figureOf(files, { simulated }), { standalone });
    expect(draw(true)).toContain(">simulated</text>");
    expect(draw(false)).not.toContain(">simulated</text>");
  }
});
