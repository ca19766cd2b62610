import { describe, expect, it } from "vitest";
import type { CulpritChart } from "../../model/figure.ts";
import { figureCsv, figureTable, renderSvg, sparkSvg } from "../index.ts";
import { figureOf, heatOf, stripOf, xmlFault } from "../test-kit.ts";

const chart = (values: readonly number[], more: Partial<CulpritChart> = {}): CulpritChart => ({
  kind: "culprit",
  direction: "vertical",
  itemLabel: "OST",
  items: values.map((value, at) => ({ name: `t${at}`, value })),
  value: { label: "rate", unit: "bytes/s" },
  severity: "high",
  marked: [1],
  markLabel: "t1: slow",
  ...more,
});
const svg = (one: CulpritChart, width = 640) => renderSvg(figureOf(one, { id: "c" }), { width });
const rects = (text: string) => [
  ...text.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g),
];

describe("the chart of a culprit", () => {
  it("has the culprit hatched in the colour of severity, the others in slate, and says what it is", () => {
    const text = svg(chart([24, 0.5, 25, 23]));
    expect(xmlFault(text)).toBeUndefined();
    expect(text).toContain('<g fill="url(#c-high)">');
    expect(text).toContain('<g fill="var(--plot-context)">');
    expect(text).toContain(">t1: slow</text>");
    expect(text).toMatch(/fill="var\(--plot-severity-high\)"[^>]*>t1</);
    expect(svg(chart([24, 0.5], { severity: "warn" }))).toContain("url(#c-warn)");
  });

  it("draws heights in proportion, and a trace of something as something", () => {
    const bars = rects(svg(chart([20, 0.001, 10]))).map((match) => Number(match[4]));
    // Context first, then the culprit.
    expect(bars[0]! / bars[1]!).toBeCloseTo(2, 1);
    expect(bars[2]).toBe(2);
  });

  it("of many items is an area whose culprits are one shape", () => {
    const values = Array.from({ length: 2000 }, (_, at) => (at < 100 ? 500 - at : 10));
    const marked = Array.from({ length: 100 }, (_, at) => at);
    const line = { value: 800, label: "end of the run" };
    const text = svg(chart(values, { marked, line, emptyLabel: "waiting", restLabel: "1,900 others" }));
    expect(xmlFault(text)).toBeUndefined();
    expect(text.match(/<path d="[^"]*" fill="url\(#c-high\)"/g)).toHaveLength(1);
    for (const words of ["end of the run", "waiting", "1,900 others", "t1: slow"])
      expect(text).toContain(words);
  });

  it("names a line where no bar and no other word stands, or leaves that to the caption", () => {
    const place = (values: readonly number[], marked: readonly number[]) => {
      const line = { value: 94, label: "median 94" };
      const figure = figureOf(chart(values, { marked, line }), { id: "c" });
      const [, x, anchor] = />?<text x="([\d.]+)"[^>]*text-anchor="(\w+)"[^>]*>median 94</.exec(
        renderSvg(figure, { width: 320 }),
      ) ?? ["", "", "none"];
      return x === "" ? "none" : anchor;
    };
    expect(place([94, 93, 8, 94], [2])).toBe("end");
    expect(place([94, 93, 8, 100], [2])).toBe("start");
    expect(place([94, 93, 94, 94], [])).toBe("end");
    // A bar higher than the line on the one side, the culprit's name over the other.
    expect(place([8, 93, 93, 100], [0])).toBe("end");
  });

  it("to the right has each name and value", () => {
    const text = svg(chart([3, 5, Number.NaN], { direction: "horizontal", restLabel: "7 more" }));
    expect(xmlFault(text)).toBeUndefined();
    for (const words of [">t0<", ">t1<", ">not recorded<", "7 more"]) expect(text).toContain(words);
  });

  it("survives nothing, one, zeros, odd values and hostile names, narrow and wide", () => {
    const hostile = ["<script>", `" onload="x`, "\u202e", "x".repeat(5000), ""];
    for (const direction of ["vertical", "horizontal"] as const)
      for (const values of [[], [1], [0, 0], [Number.NaN, -1, Number.POSITIVE_INFINITY], [1e300, 1e-300]])
        for (const width of [320, 900])
          for (const name of hostile) {
            const one = chart(values, { direction, marked: values.length > 0 ? [0] : [], markLabel: name });
            const items = one.items.map(({ value }) => ({ name, value }));
            const figure = figureOf({ ...one, items, itemLabel: name }, { id: "c" });
            const text = renderSvg(figure, { width });
            expect(xmlFault(text)).toBeUndefined();
            expect(text).not.toMatch(/<script|="?NaN/);
            expect(xmlFault(sparkSvg(figure))).toBeUndefined();
          }
  });

  it("says in CSV and table which the cause is", () => {
    const figure = figureOf(chart([24, 0.5]), { id: "c" });
    expect(figureCsv(figure).split("\r\n").slice(1, 3)).toEqual(['t0,24,""', "t1,0.5,cause"]);
    expect(figureTable(figure).rows).toEqual([
      ["t0", 24, ""],
      ["t1", 0.5, "cause"],
    ]);
  });
});

describe("a figure in a few pixels", () => {
  it("keeps the culprit in its colour, also among thousands", () => {
    const values = Array.from({ length: 5000 }, (_, at) => (at === 4321 ? 1 : 10));
    const text = sparkSvg(figureOf(chart(values, { marked: [4321] })));
    expect(xmlFault(text)).toBeUndefined();
    expect(text.match(/--plot-high/g)).toHaveLength(1);
    expect(rects(text)).toHaveLength(60);
  });

  it("is there for other figures too, without words, and empty where nothing is", () => {
    for (const one of [heatOf(3, 5), stripOf(6)]) {
      const text = sparkSvg(figureOf(one));
      expect(text).toContain("<rect");
      expect(text).not.toContain("<text");
    }
    expect(sparkSvg(figureOf(chart([0, 0])))).toBe("");
  });

  it("has all times in seconds, no finer than the largest needs", () => {
    const texts = (...values: number[]) =>
      [
        ...svg(
          chart(values, {
            ...{ direction: "horizontal", marked: [0], markLabel: "" },
            value: { label: "time", unit: "seconds" },
          }),
        ).matchAll(/>([^<>]* s)<\/text>/g),
      ].map((match) => match[1]?.replace("&lt;", "<"));
    expect(texts(5.61, 0.0144, 0.000163)).toEqual(expect.arrayContaining(["5.61 s", "0.01 s", "< 0.01 s"]));
    expect(texts(11_217.6, 431)).toEqual(expect.arrayContaining(["11,200 s", "400 s", "5,000 s"]));
    expect(texts(0.0303, 0.002)).toEqual(expect.arrayContaining(["0.0303 s", "0.002 s"]));
  });
});
