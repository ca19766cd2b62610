import { describe, expect, it } from "vitest";
import type { BarsChart } from "../../model/figure.ts";
import type { PolicyFacts, ReplayCheck, ReplayData, ReplaySeries, TradeoffRow } from "../../model/replay.ts";
import { policyCells, policyText, replayDocument, replayVerdict } from "./replay.ts";
import { largeText, smallText, tradeoffSection, tradeoffText } from "./replay-tradeoff.ts";
import { fig1, fig2, fig3, fig56, fig7, gains } from "./replay-figures.ts";

const seriesOf = (changes: Partial<ReplaySeries>, bandwidths: readonly number[]): ReplaySeries => ({
  ...{ machine: "jaguar", method: "posix", sizeMb: 128, writers: 512, targets: 512 },
  ...{ interference: false, twoJobs: false, hourly: false, ...changes },
  results: bandwidths.map((bandwidth) => ({
    ...{ seconds: 1000 / bandwidth, bandwidth, writerBandwidth: bandwidth / 512, imbalance: 2 },
  })),
});

const dataOf = (changes: Partial<ReplayData> = {}): ReplayData => ({
  ...{ seed: 1, machines: [], parts: ["fig1", "table1", "fig5", "fig7"], checks: [], series: [], pairs: [] },
  ...{ policies: [], contradictions: [], runs: 0, events: 0 },
  ...changes,
});

const bars = (chart: unknown) => chart as BarsChart;

describe("the paper's figures", () => {
  it("Fig 1 has the mean of each point with its least and greatest sample; Table I's runs are not in it", () => {
    const [a, b] = fig1(
      dataOf({
        series: [
          seriesOf({}, [100, 200, 600]),
          seriesOf({ writers: 1024 }, [50]),
          seriesOf({ sizeMb: 1 }, [7, 9]),
          seriesOf({ hourly: true }, [1e9]),
        ],
      }),
    );
    const chart = bars(a?.chart);
    expect(chart.categories).toEqual(["512", "1024"]);
    expect(chart.series.map(({ name }) => name)).toEqual(["1 MB", "128 MB"]);
    expect(chart.series[1]).toMatchObject({ values: [300, 50], low: [100, 50], high: [600, 50] });
    expect(chart.series[0]?.values).toEqual([8, Number.NaN]);
    expect(bars(b?.chart).series[1]?.values[0]).toBeCloseTo(300 / 512, 9);
    expect(a?.simulated).toBe(true);
  });

  it("Fig 2 counts every test once", () => {
    const values = [0, 5, 99, 100, 101, 2400, 2400.5];
    const [figure] = fig2(dataOf({ series: [seriesOf({ hourly: true }, values)] }));
    const { categories, series, publishedPlaces } = bars(figure?.chart);
    // 2400.5 over 24 bins is just above 100, so bins are 200 wide.
    expect(categories[0]).toBe("0–200");
    expect(series[0]?.values.reduce((sum, one) => sum + one, 0)).toBe(values.length);
    expect(series[0]?.values[0]).toBe(5);
    expect(series[0]?.values[12]).toBe(2);
    // Table I's mean of 17,800 MB/s lies beyond all tests; the axis reaches it.
    expect(publishedPlaces).toEqual([{ from: 89, label: "paper, mean 17,800 MB/s" }]);
    expect(categories.length).toBe(90);
  });

  it("Fig 3 shows the pair that comes nearest to the published factors", () => {
    const pair = (sample: number, first: number, second: number) => ({
      ...{ sample, first: Float64Array.of(1, first), second: Float64Array.of(2, 2 * second) },
    });
    const [a, b] = fig3(dataOf({ pairs: [pair(1, 3.4, 9), pair(2, 3.5, 1.9), pair(3, 3, 3)] }));
    expect(a?.options).toMatchObject({ sample: 2 });
    expect(a?.caption).toContain("Imbalance factor 3.50 (published: 3.44)");
    expect(b?.caption).toContain("Imbalance factor 1.90 (published: 1.86)");
    expect(bars(b?.chart).series[0]?.values).toEqual([2, 3.8]);
  });

  it("Figs 5 and 7 set MPI-IO beside adaptive; runs on all targets are another experiment", () => {
    const of = (method: string, interference: boolean, bandwidths: readonly number[], targets = 512) =>
      seriesOf({ method, interference, targets }, bandwidths);
    const data = dataOf({
      series: [
        of("mpi-io", false, [100, 200], 160),
        of("paper", false, [300, 600]),
        of("mpi-io", true, [50, 50], 160),
        of("paper", true, [200, 100]),
        of("paper", false, [1e6], 672),
      ],
    });
    const [five] = fig56(data, "5");
    expect(five?.id).toBe("fig-5b");
    expect(bars(five?.chart).series.map(({ values }) => values[0])).toEqual([150, 450, 50, 150]);
    expect(five?.summary).toContain("3.00 to 3.00 times as fast");
    expect(gains(data.series.slice(0, 4), true)).toEqual([{ writers: 512, gain: 3 }]);
    const [seven] = fig7(data);
    // Times of MPI-IO: 10 and 5 s, so 3.54 s; adaptive a third of it.
    expect(bars(seven?.chart).series[0]?.values[0]).toBeCloseTo(3.5355, 3);
    expect(bars(seven?.chart).series[1]?.values[0]).toBeCloseTo(3.5355 / 3, 3);
    expect(bars(seven?.chart).series[0]?.low).toBeUndefined();
  });
});

const check = (id: string, verdict: ReplayCheck["verdict"]) => ({
  ...{ id, row: id.split(" ")[0] as string, place: "IV", claim: "a claim", published: "1", measured: "2" },
  ...{ tolerance: "10 %", method: "a way", verdict, computed: /^[JN]/.test(id), note: "" },
  why: verdict === "missed" ? `${id} is out of reach.` : "",
});

describe("the page", () => {
  it("counts verdicts, and shows misses as misses", () => {
    const checks = [
      check("J1", "met"),
      check("I2", "met"),
      check("P4 base", "missed"),
      check("N1", "contradiction"),
      check("I7", "not run"),
      check("I4", "not enough samples"),
    ];
    expect(replayVerdict(checks)).toBe(
      "Simulated: 1 of 3 published numbers and relations are met; 1 missed; 1 without enough samples to decide; 1 fact of machines and experiments agrees; 1 contradicts itself in the paper; 1 not run.",
    );
    const { sections } = replayDocument(dataOf({ checks }), { command: "x", madeBy: "y" });
    const missed = sections[0]?.blocks.find(
      (block) => block.kind === "table" && block.id === "checks-missed",
    );
    expect(missed?.kind === "table" && missed.rows.map(([id]) => id)).toEqual(["P4 base"]);
    expect(sections[0]?.blocks).toContainEqual({ kind: "text", text: "P4 base: P4 base is out of reach." });
  });

  it("has chapters only for what was run", () => {
    const { sections } = replayDocument(dataOf(), { command: "x", madeBy: "y" });
    expect(sections.map(({ id }) => id)).toEqual(["overview", "contradictions", "machines"]);
  });
});

const policyOf = (policy: string, writers: number, seconds: readonly number[], seed = 1): PolicyFacts => ({
  ...{ policy, sizeMb: 128, writers, targets: 512, interference: false, seed },
  results: seconds.map((one) => ({
    ...{ seconds: one, bandwidth: 1 / one, imbalance: 2, spread: 0.5 },
    ...{ movedShare: 0, unusedShare: 0.01, messages: 100 },
  })),
});

describe("policies", () => {
  const facts = [
    policyOf("paper", 2048, [8, 8]),
    policyOf("static", 2048, [2, 2]),
    policyOf("plimsoll", 2048, [2, 8]),
    policyOf("plimsoll, no history", 2048, [2, 4]),
    policyOf("paper", 512, [4, 4]),
    policyOf("static", 512, [4, 4]),
    policyOf("plimsoll", 512, [8, 8]),
  ];

  it("compare step by step: geometric mean, least and greatest", () => {
    const [many, few] = policyCells(facts);
    expect(many).toMatchObject({ writers: 2048, steps: 2, seeds: 1 });
    expect(many?.gain).toEqual({ low: 1, mean: 2, high: 4 });
    expect(many?.overStatic).toBeCloseTo(0.5, 9);
    // From the second step on: 4 s without, 8 s with.
    expect(many?.history).toBeCloseTo(0.5, 9);
    expect(few?.gain.mean).toBeCloseTo(0.5, 9);
    expect(few?.history).toBeNaN();
  });

  it("say where not, as well", () => {
    const text = policyText(policyCells(facts)).join("\n");
    expect(text).toContain(
      "plimsoll is 1.00 times as fast as paper (geometric mean); it is faster in 1 of 2 settings",
    );
    expect(text).toContain(
      "Losses: paper is faster in 1 setting: 512 writers of 128 MB (plimsoll takes 2.00 times as long)",
    );
    expect(text).toContain("Static writing, all at once, is faster than plimsoll in 2 settings");
    expect(text).toContain("it is slower with them for 2048 writers of 128 MB (2.00 times as long)");
  });
});

describe("the trade-off", () => {
  const row = (changed: string, gainFew: number, gainMany: number) => ({
    ...{ changed, gainFew, gainMany, hourlyMean: 17800, imbalance: 7 },
    small: { base: [1.1, 1.1], interference: [1.2, 1.3] } as TradeoffRow["small"],
    large: { gains: [1.8, 4], mpiIo: [10000, 9000] } as TradeoffRow["large"],
  });

  it("counts what holds together, and names the nearest", () => {
    const rows = [row("as fitted", 3, 5), row("a 1", 4.2, 7), row("b 2", 3.3, 5)];
    const [counts, shares] = tradeoffText(rows);
    expect(counts).toContain("Of 3 parameter sets, 1 reach 4 times or more at 1024 processes");
    expect(counts).toContain("2 about 4.8 times at 16384 (within 10 %), 0 both; 0 of these");
    expect(shares).toContain("at least 0.72 of that at 16384; it is 0.60 as fitted");
    expect(shares).toContain("keep Table I the largest share is 0.66 (b 2).");
    expect(shares).not.toContain("instead of 7.1");
    const slow = { ...row("d 4", 4, 5), imbalance: 4 };
    expect(tradeoffText([...rows, slow])[0]).toContain("1 both; 0 of these");
    expect(tradeoffText([...rows, slow])[1]).toContain("1 set reaches that share, with imbalances of 4.0");
    expect(tradeoffText([...rows, row("c 3", 4, 5)])[0]).toContain("1 both; 1 of these");
    expect(tradeoffText([...rows, row("c 3", 4, 5)])[0]).toContain(
      "(0 of them hold all four), they give 1.10, 1.10, 1.20, 1.30 (c 3).",
    );
  });

  it("says how interference changes small output, and which sets hold all four numbers", () => {
    const published = { base: [1.1, 1.1], interference: [1.03, 1.35] } as const;
    const [text] = smallText([row("as fitted", 3, 5), { ...row("b 2", 3, 5), small: published }]);
    expect(text).toContain(
      "a factor of 1.31 between the two. Over 2 parameter sets that factor is 1.08 to 1.31",
    );
    expect(text).toContain("raises the gain at 8192 by 0.94 to 1.09; published is 0.94, and tolerances");
    expect(text).toContain("at both allow 1.14. 1 set holds all four numbers (b 2).");
    expect(smallText([row("as fitted", 3, 5)])[0]).toContain("0 sets hold all four numbers.");
  });

  it("says what a gain of 1.01 needs of MPI-IO, and which sets come there", () => {
    const equal = { ...row("b 2", 3, 5), large: { gains: [1.05, 4.6], mpiIo: [17000, 8000] } } as const;
    const slow = { ...equal, changed: "c 3", hourlyMean: 9000 };
    const [needs, counts] = largeText([row("as fitted", 3, 5), equal, slow]);
    expect(needs).toContain("needs 15.9 to 19.4 GB/s of MPI-IO");
    expect(needs).toContain("As fitted it has 10.0 GB/s at 512 and 9.0 at 16384 processes");
    expect(counts).toContain(
      "Of 3 parameter sets, 2 have a gain of 1.01 at 512 (within 10 %), 1 of these keep",
    );
    expect(counts).toContain("and 1 of these a gain of 4.5 at 16384");
  });

  it("has a section only where it was run", () => {
    expect(tradeoffSection(dataOf({}))).toEqual([]);
    const [section] = tradeoffSection(dataOf({ tradeoff: [row("as fitted", 3, 5)] }));
    const tables = section?.blocks.filter(({ kind }) => kind === "table") ?? [];
    expect(tables.map((table) => "rows" in table && table.rows)).toEqual([
      [["as fitted", 3, 5, 17.8e9, 7]],
      [["as fitted", 1.1, 1.1, 1.2, 1.3, expect.closeTo(1.3 / 1.2, 9)]],
      [["as fitted", 1.8, 4, 10e9, 9e9, 17.8e9]],
    ]);
  });
});
