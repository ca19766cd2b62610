// What a sweep says, on sweeps whose answers are planted: factors, crossovers, noise.

import { describe, expect, it } from "vitest";
import {
  adviceLines,
  adviseOn,
  guidelinesOf,
  hintsOf,
  judgeSweep,
  METHOD_ORDER,
  METHOD_WORDS,
  pointsCsv,
  ratioOf,
  readSweep,
  seen,
  sweepDocument,
  sweepFigures,
} from "../../src/ncio/judge/index.ts";
import { MPIIO_METHODS } from "../../src/launch/mpi/hints.ts";
import type { NcioMethod, NcioPoint } from "../../src/model/ncio.ts";
import { figureFiles } from "../../src/report/page/index.ts";
import { renderText } from "../../src/report/text/index.ts";
import { DEFAULTS, type Planted, plantedPoint, plantedSweep } from "./advice-kit.ts";

const MB = 1e6;

/** As in the paper: POSIX 260 times slower, datatype best of the individual ones, two phase best with holes in the file. */
function paperRate({ method, case: name, count, size, spacing }: Planted): number {
  const holes = name.endsWith("-nc");
  const scale = (size / 8) * (holes ? (128 / spacing) ** 0.9 : 1) * (name === "c-c" ? 4 : 1);
  if (name === "c-c") return scale * MB * (method === "two-phase" ? 10 : 20);
  const base: Record<NcioMethod, number> = {
    posix: 0.1,
    sieving: 1,
    list: 1,
    datatype: name === "nc-c" ? 90 : 10,
    "two-phase": name === "nc-c" ? 60 : 26,
  };
  // With holes datatype I/O falls as regions grow in number: it meets two phase nowhere below 2,048.
  const fall = holes && method === "datatype" ? (2048 / count) ** 0.5 : 1;
  return base[method] * fall * scale * MB;
}

describe("the guidelines", () => {
  it("are all confirmed by a sweep like the paper's, with the planted factors", () => {
    const found = guidelinesOf(plantedSweep({ rate: paperRate }));
    expect(found.map(({ number, verdict }) => [number, verdict])).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((number) => [number, "confirmed"]),
    );
    const ratio = (number: number, at: number) => found[number - 1]?.measures[at]?.ratio?.value;
    expect(ratio(1, 0)).toBeCloseTo(260, 9);
    expect(ratio(2, 0)).toBeCloseTo(90, 9);
    expect(ratio(2, 1)).toBeCloseTo(900, 9);
    expect(found[1]?.measures[0]?.where).toBe("nc-c, 65,536 regions of 8 B every 128 B");
    // (1024 / 512) ** 0.9
    expect(ratio(4, 0)).toBeCloseTo(2 ** 0.9, 9);
    expect(ratio(5, 0)).toBeCloseTo(1, 9);
    expect(ratio(7, 0)).toBeCloseTo(2, 9);
    expect(found[6]?.measures[1]?.measured).toBe("2×");
  });

  it("are refuted by the opposite", () => {
    const opposite = (planted: Planted) => 1e12 / paperRate(planted);
    const verdicts = guidelinesOf(
      plantedSweep({
        // Memory matters much here.
        rate: (planted) => opposite(planted) * (planted.case === "nc-nc" ? 3 : 1),
      }),
    ).map(({ verdict }) => verdict);
    expect(verdicts[0]).toBe("refuted");
    expect(verdicts[1]).toBe("refuted");
    expect(verdicts.slice(3)).toEqual(["refuted", "refuted", "refuted", "refuted"]);
  });

  it("are open when differences lie within the spreads", () => {
    const sweep = plantedSweep({ rate: paperRate, noise: 0.999 });
    const verdicts = guidelinesOf(sweep).map(({ verdict }) => verdict);
    expect(verdicts).toEqual([
      ...Array(4).fill("no difference seen"),
      "confirmed",
      ...Array(2).fill("no difference seen"),
    ]);
    expect(adviceLines(sweep, 100).join("\n")).toContain("NO DIFFERENCE SEEN");
  });

  it("are neither confirmed nor refuted by single repeats", () => {
    for (const repeats of [1, 3]) {
      const sweep = plantedSweep({ rate: paperRate, repeats });
      expect([...new Set(guidelinesOf(sweep).map(({ verdict }) => verdict))]).toEqual(["not enough samples"]);
      const { verdict, cautions } = judgeSweep(sweep);
      expect(verdict).toContain("7 not enough samples");
      expect(cautions.join(" ")).toContain("confirm and refute nothing");
    }
    // A few such points change nothing where the others decide.
    const change = (point: NcioPoint): NcioPoint => (point.count === 2048 ? { ...point, repeats: 1 } : point);
    const [first] = guidelinesOf(plantedSweep({ rate: paperRate, change }));
    expect(first?.verdict).toBe("confirmed");
    expect(first?.statement).toContain("not enough repetitions in 3");
  });

  it("are not measured where points are missing", () => {
    const rate = paperRate;
    const only = guidelinesOf(
      plantedSweep({ rate, methods: ["posix"], cases: ["c-nc"], variables: { count: [4096] } }),
    );
    expect(only.every(({ verdict }) => verdict === "not measured")).toBe(true);
    const few = guidelinesOf(plantedSweep({ rate, variables: { count: [2048, 16384] } }));
    expect(few[5]?.verdict).toBe("not measured");
    expect(few[5]?.statement).toContain("No pattern with more than 16,384 regions per rank");
    expect(few[3]?.statement).toBe("Spacing was not varied.");
    // Of two counts that are as far from the paper's, the one above its limit.
    const around = guidelinesOf(plantedSweep({ rate, variables: { count: [16384, 65536] } }));
    expect(around[5]?.measures[0]?.where).toContain("65,536 regions");
  });

  it("leave out methods that the storage has no requests for", () => {
    const change = (point: NcioPoint): NcioPoint =>
      point.method === "datatype"
        ? { ...point, notes: ["posix has no datatype requests: contiguous requests were used instead"] }
        : point;
    const [, second] = guidelinesOf(plantedSweep({ rate: paperRate, change }));
    expect(second?.verdict).toBe("not measured");
    expect(second?.statement).toContain("no datatype requests");
  });
});

describe("ratios", () => {
  const point = (rate: number, noise: number, repeats: number, more: Partial<Planted> = {}) =>
    plantedPoint(
      { ...DEFAULTS, method: "posix", case: "c-nc", direction: "write", ...more },
      rate,
      noise,
      repeats,
    );

  it("have the interval of both spreads", () => {
    const ratio = ratioOf(point(200, 0.1, 6), point(100, 0.2, 6));
    expect(ratio.value).toBe(2);
    expect(ratio.low).toBeCloseTo(180 / 120, 12);
    expect(ratio.high).toBeCloseTo(220 / 80, 12);
    expect(seen(ratio)).toBe("faster");
    expect(seen(ratioOf(point(100, 0.2, 6), point(200, 0.1, 6)))).toBe("slower");
    expect(seen(ratioOf(point(110, 0.1, 6), point(100, 0.1, 6)))).toBe("no difference seen");
  });

  it("are wider with fewer repeats, and one repeat is no certainty", () => {
    // Two of four count: the range to the power of two.
    expect(ratioOf(point(100, 0.1, 4), point(100, 0, 6)).low).toBeCloseTo(0.81, 12);
    // One of three counts: a quarter up and down.
    expect(ratioOf(point(100, 0, 3), point(100, 0, 6))).toMatchObject({ low: 0.75, high: 1.25 });
    expect(seen(ratioOf(point(120, 0, 3), point(100, 0, 3)))).toBe("no difference seen");
  });

  it("have a middle between the two of an even number", () => {
    const of = (size: readonly number[]) =>
      guidelinesOf(
        plantedSweep({
          rate: (one) => paperRate(one) * (one.case === "nc-c" ? one.size : 1),
          variables: { size },
        }),
      )
        .find(({ number }) => number === 3)
        ?.measures.find(({ label }) => label.includes("datatype"))?.ratio;
    const [small, large] = [of([32]), of([512])];
    const both = of([32, 512]);
    expect(both?.value).toBeCloseTo(Math.sqrt((small?.value ?? 0) * (large?.value ?? 0)), 9);
    expect(both?.low).toBe(Math.min(small?.low ?? 0, large?.low ?? 0));
    expect(of([8, 32, 512])?.value).toBeCloseTo(small?.value ?? 0, 9);
  });

  it("see no difference between methods that make the same request", () => {
    const [a, b] = [point(300, 0, 6, { case: "c-c" }), point(100, 0, 6, { case: "c-c", method: "list" })];
    expect(seen(ratioOf(a, b))).toBe("no difference seen");
    expect(seen(ratioOf(a, point(100, 0, 6, { case: "c-c", method: "two-phase" })))).toBe("faster");
    expect(seen(ratioOf(a, point(100, 0, 6, { case: "c-c", count: 8192 })))).toBe("faster");
  });
});

describe("crossovers", () => {
  /** List I/O and two phase meet where the variable is `at`. */
  const meeting = (variable: "count" | "size" | "spacing", at: number, slope: number, noise: number) =>
    judgeSweep(
      plantedSweep({
        noise,
        methods: ["list", "two-phase"],
        cases: ["c-nc"],
        rate: (planted) => (planted.method === "list" ? MB : MB * (planted[variable] / at) ** slope),
      }),
    ).leaders.find((one) => one.variable === variable);

  it.each([
    ["count", 20_000, 1, "list", "two-phase", [16384, 32768]],
    ["size", 100, 0.5, "list", "two-phase", [32, 128]],
    ["spacing", 700, -1, "two-phase", "list", [512, 1024]],
  ] as const)("of %s at %d is found by interpolation", (variable, at, slope, from, to, between) => {
    const found = meeting(variable, at, slope, 0.01);
    expect(found?.crossovers).toHaveLength(1);
    expect(found?.crossovers[0]).toMatchObject({ from, to, between });
    expect(found?.crossovers[0]?.at).toBeCloseTo(at, 6);
    expect(found?.leads.map(({ method }) => method)).toEqual([from, to]);
  });

  it("lie between the values where a difference is seen", () => {
    // At 16,384 and 32,768 the two differ by less than the spreads of 30 %: 20,000 / 16,384 = 1.22.
    const found = meeting("count", 20_000, 1, 0.25);
    expect(found?.crossovers[0]?.between).toEqual([8192, 65536]);
    expect(found?.crossovers[0]?.at).toBeCloseTo(20_000, 6);
  });

  it("are none when one method leads everywhere, or nothing is seen", () => {
    expect(meeting("count", 1e9, 1, 0.01)).toMatchObject({
      crossovers: [],
      leads: [{ method: "list", ties: [] }],
    });
    const noisy = meeting("count", 20_000, 1, 0.95);
    expect(noisy?.crossovers).toEqual([]);
    expect(noisy?.leads).toHaveLength(1);
    expect(noisy?.leads[0]?.ties).toHaveLength(1);
  });

  it("are not made by luck at one end", () => {
    // Two phase is ahead by 1 % at first, within the noise, and far behind afterwards.
    const found = judgeSweep(
      plantedSweep({
        noise: 0.05,
        methods: ["list", "two-phase"],
        cases: ["c-nc"],
        variables: { count: [2048, 4096, 8192] },
        rate: ({ method, count }) => (method === "list" ? MB : count === 2048 ? 1.01 * MB : 0.2 * MB),
      }),
    ).leaders[0];
    expect(found?.leads).toEqual([{ method: "list", first: 2048, last: 8192, ties: [] }]);
    expect(found?.crossovers).toEqual([]);
  });

  it("come of every pair, several times if need be", () => {
    const rates = [1, 3, 1, 3];
    const { pairs } = judgeSweep(
      plantedSweep({
        methods: ["list", "two-phase"],
        cases: ["nc-nc"],
        variables: { count: [1000, 2000, 4000, 8000] },
        rate: ({ method, count }) =>
          MB * (method === "list" ? 2 : (rates[Math.log2(count / 1000)] as number)),
      }),
    );
    expect(pairs[0]?.crossovers.map(({ to, between }) => [to, ...between])).toEqual([
      ["two-phase", 1000, 2000],
      ["list", 2000, 4000],
      ["two-phase", 4000, 8000],
    ]);
  });
});

describe("advice on a pattern", () => {
  const sweep = plantedSweep({ rate: paperRate, directions: ["write", "read"] });
  const query = { ...DEFAULTS, case: "c-nc", direction: "write", ranks: 4, method: "posix" } as const;

  it("names the best method, its factor and its hints", () => {
    const advice = adviseOn(sweep, query);
    expect(advice).toMatchObject({
      best: "two-phase",
      ties: [],
      confidence: "high",
      hints: ["romio_cb_write=enable"],
    });
    const change = (kind: string) => advice.changes.filter((one) => one.kind === kind);
    expect(change("method")[0]?.ratio.value).toBeCloseTo(260, 9);
    // 32 B and 4,096 B: 4 and 512 times as large, and 120 B farther apart than they are long.
    const [first, last] = change("larger regions").map(({ ratio }) => ratio.value);
    expect(first).toBeCloseTo(4 * (128 / 152) ** 0.9, 9);
    expect(last).toBeCloseTo(512 * (128 / 4216) ** 0.9, 9);
    // c-c of a direct method: 80 MB/s over 26 MB/s.
    expect(change("contiguous file")[0]?.ratio.value).toBeCloseTo(80 / 26, 9);
    expect(change("smaller spacing")).toEqual([]);
  });

  it("goes to the nearest pattern, and says how far it is", () => {
    const near = adviseOn(sweep, { ...query, count: 5000, spacing: 1000 });
    expect(near.near[0]?.regions).toEqual({ count: 4096, size: 8, spacing: 1024 });
    expect(near.confidence).toBe("medium");
    expect(near.changes.find(({ kind }) => kind === "smaller spacing")?.ratio.value).toBeCloseTo(8 ** 0.9, 9);
    const far = adviseOn(sweep, { ...query, count: 10_000_000, ranks: 64 });
    expect(far.confidence).toBe("low");
    expect(far.confidenceReason).toContain("measured with 4 ranks, not 64");
    expect(adviseOn(sweep, { ...query, direction: "read" }).hints).toEqual(["romio_cb_read=enable"]);
  });

  it("says which points there are where there are none of the case", () => {
    const other = plantedSweep({ rate: paperRate, cases: ["c-c"] });
    expect(() => adviseOn(other, query, "other.json")).toThrow(
      "other.json has no points of c-nc write; it has c-c write",
    );
  });

  it("asks for the sweep's own pattern where fields are left out", () => {
    expect(adviseOn(sweep, { method: "posix" }).query).toEqual(query);
    expect(() => adviseOn(sweep, { method: "posix", size: 64, spacing: 8 })).toThrow("below the size 64");
  });

  it("has the hints that the runner gives to MPI-IO", () => {
    for (const method of METHOD_ORDER) {
      const { hints, collective } = MPIIO_METHODS[method];
      const given = Object.entries(hints).map(([key, value]) => `${key}=${value}`);
      expect([...hintsOf(method, "write"), ...hintsOf(method, "read")].sort()).toEqual(given.sort());
      expect(METHOD_WORDS[method].individual).toBe(!collective);
    }
  });
});

describe("figures, table and page of a sweep", () => {
  const sweep = plantedSweep({ rate: paperRate, directions: ["write", "read"] });
  const figures = sweepFigures(sweep);

  it("have a panel for each case, a bar for each method and value, and whiskers", () => {
    expect(new Set(figures.map(({ id }) => id)).size).toBe(figures.length);
    // Two directions, three variables, four cases, three quantities.
    expect(figures).toHaveLength(2 * 3 * 4 * 3);
    const panel = figures.find(({ id }) => id === "figure-4-c-nc");
    expect(panel?.chart).toMatchObject({
      kind: "bars",
      stacked: false,
      value: { scale: "log", unit: "bytes/s" },
    });
    if (panel?.chart.kind !== "bars") throw new Error("no bars");
    expect(panel.chart.categories).toHaveLength(6);
    expect(panel.chart.series.map(({ name }) => name)).toEqual([
      "POSIX",
      "list I/O",
      "datatype I/O",
      "two phase",
    ]);
    expect(panel.chart.series[3]?.values[0]).toBeCloseTo(26 * MB, 3);
    expect(panel.chart.series[3]?.low?.[0]).toBeCloseTo(0.95 * 26 * MB, 3);
  });

  it("show one group of bars for all spacings where there are no holes, as the paper does", () => {
    const panel = figures.find(({ id }) => id === "figure-6-c-c");
    expect(panel?.chart).toMatchObject({ categories: ["any spacing"] });
  });

  it("become SVG and CSV", () => {
    for (const figure of figures.slice(0, 12)) {
      const { svg, csv } = figureFiles(figure);
      expect(svg).toContain("</svg>");
      expect(svg).not.toMatch(/NaN|undefined/);
      expect(csv.split("\n").length).toBeGreaterThan(1);
    }
  });

  it("make a document that a terminal shows too", () => {
    const document = sweepDocument(sweep, { command: "plimsoll ncio sweep", madeBy: "a test" });
    expect(document.verdict).toContain("two phase is the fastest to write in");
    expect(document.sections.map(({ id }) => id)).toEqual([
      "guidelines",
      "claims",
      "figure-4",
      "figure-5",
      "figure-6",
      "crossovers",
      "requests",
      "sync",
      "points",
      "method",
    ]);
    const text = renderText(document, { width: 100, color: false, full: true });
    expect(text).toContain("confirmed");
    expect(text).not.toMatch(/undefined|NaN/);
  });

  it("have a CSV with a row for each point and quoted notes", () => {
    const [first] = sweep.points as [NcioPoint];
    const csv = pointsCsv([{ ...first, notes: ['a "b", c'], requests: null }]);
    const [head, row] = csv.trimEnd().split("\n") as [string, string];
    expect(row).toContain('"a ""b"", c"');
    expect(row.split(",").length).toBe(head.split(",").length + 1);
    expect(row.split(",")[head.split(",").indexOf("requests")]).toBe("");
    expect(pointsCsv(sweep.points).trimEnd().split("\n")).toHaveLength(sweep.points.length + 1);
  });

  it("fit a terminal of any width", () => {
    for (const columns of [60, 100])
      for (const line of adviceLines(sweep, columns)) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it("come back from JSON as they were", () => {
    expect(readSweep(JSON.parse(JSON.stringify(sweep)), "x")).toEqual(sweep);
  });
});
