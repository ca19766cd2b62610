import { describe, expect, it } from "vitest";
import {
  type Change,
  findingChanges,
  isNoise,
  isSameWork,
  layerChanges,
  mainChanges,
  mismatches,
  tracedChanges,
} from "./compare.ts";
import { compareDocument, compareSummary, compareVerdict } from "./compare-document.ts";
import type { Job } from "./job.ts";
import { judge } from "./judge.ts";
import { readLogs, singleLog } from "./test-kit.ts";

const side = (id: string) => {
  const { job, tables } = readLogs([singleLog(id)]);
  return { job, tables, verdicts: judge(job) };
};
const [before, after, empty, traced] = [
  side("fix-before"),
  side("fix-after"),
  side("no-io"),
  side("dxt-only"),
];
const input = (a = before, b = after) => ({
  before: a,
  after: b,
  names: ["a.darshan", "b.darshan"] as const,
  noise: 0.1,
  madeBy: "Plimsoll",
  command: "plimsoll diff",
});

describe("noise", () => {
  const change = (before: number, after: number, measured = true): Change => ({
    id: "x",
    label: "x",
    unit: "seconds",
    before,
    after,
    measured,
  });
  it.each([
    [10, 11, true],
    [10, 11.1, true],
    [10, 11.2, false],
    [11.2, 10, false],
    [0, 0, true],
    [0, 1, false],
    [Number.NaN, Number.NaN, true],
    [Number.NaN, 1, false],
    [1, Number.NaN, false],
  ])("%d → %d: %s", (a, b, noise) => {
    expect(isNoise(change(a, b), 0.1)).toBe(noise);
  });

  it("is only for what is measured", () => {
    expect(isNoise(change(1000, 1001, false), 0.1)).toBe(false);
    expect(isNoise(change(1000, 1000, false), 0)).toBe(true);
  });
});

describe("changes", () => {
  it("have the numbers of both sides", () => {
    const values = Object.fromEntries(
      mainChanges(before.job, after.job).map(({ id, before: a, after: b }) => [id, [a, b]]),
    );
    expect(values).toMatchObject({
      ranks: [16, 16],
      bytesWritten: [134_217_728, 134_217_728],
      runSeconds: [before.job.runSeconds, after.job.runSeconds],
      writeSeconds: [before.job.io.writeSeconds, after.job.io.writeSeconds],
    });
    const layers = new Map(layerChanges(before.job, after.job).map((one) => [one.id, one]));
    // 16 ranks × 2048 independent writes became collective ones.
    expect(layers.get("MPI-IO.writes")).toMatchObject({ before: 32_768 });
    expect(layers.get("MPI-IO.collectiveWrites")).toMatchObject({ before: 0 });
    expect(layers.get("MPI-IO.collectiveWrites")?.after).toBe(layers.get("MPI-IO.writes")?.after);
    expect([...layers.keys()].some((id) => id.startsWith("STDIO"))).toBe(false);
    expect(layerChanges(empty.job, empty.job)).toEqual([]);
  });

  it("of traces need traces on both sides", () => {
    expect(tracedChanges(before.job, traced.job)).toEqual([]);
    const same = tracedChanges(traced.job, traced.job);
    expect(same.length).toBeGreaterThan(0);
    for (const { before: a, after: b } of same) expect(a).toBe(b);
  });

  it("of findings say what appeared, went and stayed", () => {
    const ids = (a = before, b = after) =>
      findingChanges(a.verdicts, b.verdicts).map(({ change, finding }) => `${finding.id} ${change}`);
    expect(ids()).toEqual(["independent-mpiio gone"]);
    expect(ids(after, before)).toEqual(["independent-mpiio appeared"]);
    expect(ids(before, before)).toEqual(["independent-mpiio stayed"]);
    expect(findingChanges(before.verdicts, before.verdicts)[0]?.before).toBe(before.verdicts.findings[0]);
  });
});

describe("what makes two runs incomparable", () => {
  it("is named, and nothing is when they are alike", () => {
    expect(mismatches(before, after)).toEqual([]);
    expect(mismatches(before, before)).toEqual([]);
    const texts = mismatches(before, side("stdio-bulk")).join("\n");
    expect(texts).toMatch(/The programs differ: heat and \w+/);
    expect(texts).toMatch(/The recorded modules differ: /);
    expect(mismatches(side("partial"), before).join()).toContain("The first log is incomplete in POSIX");
  });
});

describe("the comparison as text", () => {
  it("says how much faster or slower", () => {
    const factor = Number((before.job.io.slowestSeconds / after.job.io.slowestSeconds).toPrecision(3));
    expect(compareVerdict(input())).toContain(`I/O is ${factor} times faster`);
    expect(compareVerdict(input(after, before))).toContain(`I/O is ${factor} times slower`);
    expect(compareVerdict(input(empty, empty))).toBe(
      "I/O takes about as long as before (0 s → 0 s on the slowest rank). It is 0 % → 0 % of the run time on average. The findings are the same.",
    );
  });

  it("says no factor where the work differs, but how much was moved", () => {
    const text = compareVerdict(input(before, side("stdio-bulk")));
    expect(text).toMatch(
      /^I\/O takes \S+ s → \S+ s on the slowest rank, but the work differs \(134 MB in 1 file → .*B in \d+ files?\)\./,
    );
    expect(text).not.toMatch(/faster|slower/);
    expect(compareVerdict(input(empty, before))).toContain(
      "but the work differs (0 B in 0 files → 134 MB in 1 file)",
    );
    const times = (job: Job, factor: number) => ({
      ...job,
      kept: new Map(),
      io: { ...job.io, bytesWritten: factor * job.io.bytesWritten },
    });
    expect(isSameWork(before.job, times(before.job, 1.04))).toBe(true);
    expect(isSameWork(before.job, times(before.job, 1.06))).toBe(false);
    expect(isSameWork(empty.job, empty.job)).toBe(true);
  });

  it("gives differences of shares in percentage points", () => {
    const [main] = compareDocument(input()).sections[0]!.blocks.filter(({ kind }) => kind === "table");
    const rows = main?.kind === "table" ? main.rows : [];
    const share = rows.find(([label]) => label === "I/O share, average rank");
    expect(share?.[1]).toMatch(/ %$/);
    expect(share?.[3]).toMatch(/^-[\d.]+ percentage points$/);
  });

  it("never shows NaN or raw doubles", () => {
    for (const [a, b] of [
      [before, after],
      [empty, empty],
      [empty, before],
      [traced, before],
    ] as const) {
      const { sections, ...rest } = compareDocument(input(a, b));
      const figures = sections.flatMap(({ blocks }) =>
        blocks.flatMap((block) =>
          block.kind === "figure" ? [block.figure.summary, block.figure.caption] : [],
        ),
      );
      const tables = sections.flatMap(({ blocks }) =>
        blocks.flatMap((block) => (block.kind === "table" ? block.rows.flat() : [])),
      );
      const texts = [
        rest.verdict,
        ...rest.facts.map(({ text }) => text),
        ...figures,
        ...tables.filter((cell) => typeof cell === "string"),
      ];
      for (const text of texts) expect(text).not.toMatch(/NaN|undefined|Infinity|\d\.\d{9}/);
    }
  });

  it("has a dash, not a number, for a ratio to nothing", () => {
    const [main] = compareDocument(input(empty, before)).sections[0]!.blocks.filter(
      ({ kind }) => kind === "table",
    );
    const rows = main?.kind === "table" ? main.rows : [];
    expect(rows.find(([label]) => label === "Bytes written")?.[4]).toBe("–");
    expect(rows.find(([label]) => label === "Processes")?.[4]).toBe("0.25×");
  });

  it("is JSON with null for what is not known", () => {
    const { metrics } = compareSummary(input(empty, before));
    expect(metrics.throughputBytesPerSecond).toMatchObject({ before: null, difference: null, ratio: null });
    expect(metrics.bytesWritten).toMatchObject({ before: 0, after: 134_217_728, ratio: null });
    expect(metrics.ranks).toMatchObject({ before: 64, after: 16, difference: -48, ratio: 0.25 });
  });
});

describe("sections of a comparison", () => {
  const section = (id: string) => compareDocument(input()).sections.find((one) => one.id === id);

  it("hold every counter of both logs with its difference, equal ones pale", () => {
    const [table] = section("counters")?.blocks ?? [];
    if (table?.kind !== "table") throw new Error("no table");
    const row = table.rows.findIndex(([name]) => name === "POSIX_WRITES");
    const [, was, is, difference] = table.rows[row] ?? [];
    const writes = (job: typeof before.job) =>
      BigInt(job.layer("POSIX").reduce((sum, one) => sum + one.writes, 0));
    expect([was, is]).toEqual([writes(before.job), writes(after.job)]);
    expect(difference).toBe(writes(after.job) - writes(before.job));
    expect(table.pale?.[row]).toBe(false);
    const same = table.rows.findIndex(([name]) => name === "POSIX_BYTES_WRITTEN");
    expect(table.pale?.[same]).toBe(true);
  });

  it("hold the load of the OSTs of both, whose bytes add up to those of the jobs", () => {
    const [table] = section("storage")?.blocks ?? [];
    if (table?.kind !== "table") throw new Error("no table");
    expect(table.rows.length).toBe(
      2 * new Set([...before.job.osts, ...after.job.osts].map(({ ost }) => ost)).size,
    );
  });
});

describe("heat maps of a comparison", () => {
  it("share their axis of time and their scales, whichever run is longer", () => {
    const [long, short] = [side("straggler"), traced];
    for (const pair of [input(long, short), input(short, long)]) {
      const section = compareDocument(pair).sections.find(({ id }) => id === "heat");
      const axes = (section?.blocks ?? []).map((block) => {
        if (block.kind !== "figure" || block.figure.chart.kind !== "heat") throw new Error("no heat map");
        const { x, y, parts } = block.figure.chart;
        const columns = x.edges.length - 1;
        const bytes = Array.from(parts[0]?.cells ?? [], (value, at) => value + (parts[1]?.cells[at] ?? 0));
        const most = bytes.reduce((high, value) => Math.max(high, value), 0);
        for (const { cells } of parts) expect(cells.length).toBe(columns * (y.edges.length - 1));
        return { from: x.edges[0], to: x.edges[columns], columns, most, reach: block.figure.chart.reach };
      });
      expect(axes).toHaveLength(2);
      expect(axes[0]).toMatchObject({ from: axes[1]?.from, to: axes[1]?.to });
      expect(axes[0]?.to).toBeGreaterThan(0);
      // Colours and bars mean the same on both sides.
      expect(axes[0]?.reach).toEqual(axes[1]?.reach);
      expect(axes[0]?.reach?.cells[1]).toBe(Math.max(...axes.map(({ most }) => most)));
    }
  });
});
