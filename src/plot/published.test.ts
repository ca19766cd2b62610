import { describe, expect, it } from "vitest";
import type { BarsChart, Chart, CmfChart, Figure, StripChart, ViolinChart } from "../model/index.ts";
import { figureCsv, figureTable, renderSvg } from "./index.ts";

const figure = (chart: Chart, published?: string): Figure => ({
  ...{ id: "f", title: "t", caption: "c", summary: "s", definition: "X@1", options: {}, chart },
  ...(published === undefined ? {} : { published }),
});

const cmf: CmfChart = {
  kind: "cmf",
  x: { label: "gap", unit: "seconds", scale: "log" },
  series: [{ name: "reads", role: "read", values: [10, 100], shares: [0.5, 1], mean: 55, n: 2 }],
  published: [
    { value: 5000, label: "paper, mean" },
    { value: 100, share: 0.8, label: "paper, 80 %" },
  ],
};
const bars: BarsChart = {
  kind: "bars",
  direction: "vertical",
  stacked: false,
  categories: ["a", "b"],
  categoryLabel: "case",
  value: { label: "share", unit: "share" },
  series: [{ name: "here", role: "read", values: [0.1, 0.2] }],
  published: [{ value: 0.9, label: "paper" }],
};
const violin: ViolinChart = {
  kind: "violin",
  value: { label: "data", unit: "bytes", scale: "log" },
  groupLabel: "layer",
  groups: [
    {
      ...{ name: "POSIX", role: "neutral", n: 9, values: [1e9, 1e10], densities: [1, 2] },
      ...{ mean: 5e9, median: 5e9, lowerQuartile: 2e9, upperQuartile: 8e9 },
    },
  ],
  published: [{ value: 260e9, label: "paper, POSIX" }],
};
const strip: StripChart = {
  kind: "strip",
  itemLabel: "OST",
  items: [{ name: "0", height: 1, colour: 1 }],
  height: { label: "data", unit: "share" },
  colour: { label: "files", unit: "share" },
  published: [{ value: 0.13, label: "paper, least" }],
};

/** Where a label stands: x and y of the text. */
const textAt = (svg: string, text: string): [number, number] | undefined => {
  const found = new RegExp(`<text x="([\\d.]+)" y="([\\d.]+)"[^>]*>(?:<title>[^<]*</title>)?${text}`).exec(
    svg,
  );
  return found ? [Number(found[1]), Number(found[2])] : undefined;
};

describe.each([
  ["cmf", cmf, "paper, mean \\d"],
  ["bars", bars, "paper 90 %"],
  ["violin", violin, "paper, POSIX 260 GB"],
  ["strip", strip, "paper, least 13 %"],
] as const)("published values in %s", (_, chart, text) => {
  it("are drawn inside the picture with their number, wide and narrow", () => {
    for (const width of [900, 320]) {
      const svg = renderSvg(figure(chart), { width });
      const at = textAt(svg, text);
      expect(at, text).toBeDefined();
      expect(at![0]).toBeLessThan(width);
    }
  });

  it("are in the CSV and in the table", () => {
    const label = chart.published![0]!.label;
    expect(figureCsv(figure(chart))).toContain(label.includes(",") ? `"${label}"` : label);
    expect(figureTable(figure(chart)).rows.some((row) => row.includes(label))).toBe(true);
    const { columns, rows } = figureTable(figure(chart));
    expect(rows.every((row) => row.length === columns.length)).toBe(true);
  });
});

it("the axis reaches a published value beyond all data", () => {
  const line = /<path d="M([\d.]+) [\d.]+V[\d.]+" stroke="[^"]+" stroke-width="1.2"/.exec(
    renderSvg(figure(cmf), { width: 900 }),
  );
  expect(Number(line?.[1])).toBeLessThan(900);
});

it("what the paper says stands below the picture, which grows for it", () => {
  const height = (svg: string) => Number(/height="(\d+)"/.exec(svg)?.[1]);
  const [without, withText] = [renderSvg(figure(bars)), renderSvg(figure(bars, "81 % of the files"))];
  expect(withText).toContain("Paper: 81 % of the files");
  expect(height(withText)).toBeGreaterThan(height(without));
});

describe("the CSV of a figure of generated data", () => {
  it.each([cmf, bars, violin, strip])(
    "calls what a paper prints published, and the rest synthetic",
    (chart) => {
      const [head, ...rows] = figureCsv({ ...figure(chart), synthetic: true })
        .trim()
        .split("\r\n");
      expect(head).toMatch(/,origin$/);
      const origins = rows.map((row) => row.split(",").at(-1));
      const published = chart.published?.length ?? 0;
      expect(origins.slice(-published)).toEqual(Array.from({ length: published }, () => "published"));
      expect(new Set(origins.slice(0, -published))).toEqual(new Set(["synthetic"]));
    },
  );
});

describe("the text of a published value", () => {
  const grounds = (svg: string) => (svg.match(/rx="3"/g) ?? []).length;

  it("stands beside bars where there is room, else on a ground of its own", () => {
    const categories = Array.from({ length: 12 }, (_, index) => String(index));
    const of = (height: (index: number) => number): BarsChart => ({
      ...bars,
      categories,
      series: [{ name: "here", role: "read", values: categories.map((_, index) => height(index)) }],
      published: [{ value: 0.5, label: "paper" }],
    });
    // High bars are at the right, where the text would stand first.
    const half = renderSvg(figure(of((index) => (index < 6 ? 0.1 : 0.9))), { width: 900 });
    expect(grounds(half)).toBe(0);
    expect(textAt(half, "paper 50 %")![0]).toBeLessThan(450);
    expect(grounds(renderSvg(figure(of(() => 0.9)), { width: 900 }))).toBe(1);
  });

  it("stands above bars that grow to the right", () => {
    const svg = renderSvg(
      figure({ ...bars, direction: "horizontal", published: [{ value: 0.1, label: "paper" }] }),
      {
        width: 900,
      },
    );
    const line = /<path d="M[\d.]+ ([\d.]+)V[\d.]+"[^>]*stroke-dasharray="10 3 2 3"/.exec(svg);
    expect(textAt(svg, "paper 10 %")![1] - Number(line?.[1])).toBeLessThan(15);
  });

  it("is not crossed by a curve", () => {
    const steep: CmfChart = {
      ...cmf,
      series: [{ ...cmf.series[0]!, values: [10, 100, 1000], shares: [0.1, 0.2, 1], mean: 200 }],
      published: [{ value: 100, share: 0.2, label: "paper" }],
    };
    expect(grounds(renderSvg(figure(steep), { width: 900 }))).toBe(0);
  });
});

describe("places of a paper among categories", () => {
  const placed: BarsChart = {
    ...bars,
    published: [],
    categories: ["0", "1", "2", "3"],
    series: [{ name: "here", role: "read", values: [0.1, 0.2, 0.3, 0.4] }],
    publishedPlaces: [
      { from: 1, to: 3, label: "paper, 1 to 3 h" },
      { from: 0.5, label: "paper, 0 h" },
    ],
  };

  it("are a line, or two around a range, with their text", () => {
    const svg = renderSvg(figure(placed), { width: 900 });
    const lines = [...svg.matchAll(/<path d="([^"]+)"[^>]*stroke-dasharray="10 3 2 3"/g)];
    expect(lines.map(([, d]) => d!.split("M").length - 1)).toEqual([2, 1]);
    for (const { label } of placed.publishedPlaces!) expect(textAt(svg, label)).toBeDefined();
  });

  it("are in the CSV, without a value that they do not have", () => {
    const csv = figureCsv({ ...figure(placed), synthetic: true })
      .trim()
      .split("\r\n");
    expect(csv.slice(-2)).toEqual(['"","paper, 1 to 3 h",,published', '"","paper, 0 h",,published']);
  });
});
