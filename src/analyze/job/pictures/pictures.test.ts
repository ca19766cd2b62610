import { describe, expect, it } from "vitest";
import { SINGLE_LOGS } from "../../../generate/single/index.ts";
import type { CulpritChart, Finding } from "../../../model/index.ts";
import type { Job } from "../job.ts";
import { judge } from "../judge.ts";
import { RULES } from "../rules/index.ts";
import { singleJob } from "../test-kit.ts";
import { pictured, secondFigure, timeFigure } from "./index.ts";

const chartOf = (finding: Finding) => finding.figure?.chart as CulpritChart;
const sound = (chart: CulpritChart) => {
  expect(chart.items.length).toBeGreaterThan(0);
  expect(chart.items.length).toBeLessThanOrEqual(1100);
  expect(chart.marked.length).toBeGreaterThan(0);
  for (const at of chart.marked) expect(chart.items[at]).toBeDefined();
  expect([...chart.marked].sort((a, b) => a - b)).toEqual(chart.marked);
  expect(chart.markLabel).not.toMatch(/NaN|undefined|^$/);
};

describe("pictures of causes", () => {
  it.each(SINGLE_LOGS.map(({ id }) => id))("of %s: every high and warning has one", (id) => {
    const job = singleJob(id);
    for (const finding of judge(job).findings.map((one) => pictured(job, one))) {
      if (finding.severity === "info") expect(finding.figure).toBeUndefined();
      else if (RULES.find((rule) => rule.id === finding.id)?.picture !== undefined) {
        sound(chartOf(finding));
        expect(finding.figure).toMatchObject({ id: `cause-${finding.id}` });
        for (const text of [finding.figure?.caption, finding.figure?.summary])
          expect(text).not.toMatch(/NaN|undefined/);
      }
    }
  });

  const named = (id: string, changes: Partial<Finding> = {}): Finding =>
    ({
      id,
      severity: "high",
      evidence: { numbers: [], files: [], filesTotal: 0, ranks: [] },
      threshold: [],
      ...changes,
    }) as unknown as Finding;

  it("of all rules can be made from any log with I/O", () => {
    for (const log of ["straggler", "metadata-storm", "dxt-only", "unbalanced-osts"]) {
      const job = singleJob(log);
      for (const { id, picture } of RULES) {
        if (picture === undefined) continue;
        sound(chartOf(pictured(job, named(id))));
      }
    }
  });

  it("of ranks is sorted, with the named rank marked", () => {
    const job = singleJob("straggler");
    const finding = judge(job).findings.find(({ id }) => id === "straggler") as Finding;
    const chart = chartOf(pictured(job, { ...finding, severity: "high" }));
    const values = chart.items.map(({ value }) => value);
    expect([...values].sort((a, b) => b - a)).toEqual(values);
    expect(chart.markLabel).toContain(`rank ${finding.evidence.ranks[0]}`);
  });

  it("of ranks keeps every culprit when it thins a large job", () => {
    const own = new Map(Array.from({ length: 20_000 }, (_, rank) => [rank, rank === 7 ? 100 : 1]));
    const job = {
      ranks: 20_000,
      runSeconds: 120,
      files: [],
      ledger: { ownSeconds: own, sharedSeconds: 0 },
    } as unknown as Job;
    const chart = chartOf(
      pictured(job, named("straggler", { evidence: { numbers: [], files: [], filesTotal: 0, ranks: [7] } })),
    );
    expect(chart.items.length).toBeLessThanOrEqual(520);
    expect(chart.items[chart.marked[0] as number]).toEqual({ name: "7", value: 100 });
    expect(chart.restLabel).toBe("19,999 other ranks: at most 1 s");
    expect(chart.emptyLabel).toBe("waiting, up to 99 s");
    expect(chart.line?.value).toBe(120);
  });

  it("of targets gives rates where one is slow, and marks the slowest; mounts without layouts", () => {
    const file = (mount: string, bytes: number, seconds: number) => ({
      mount,
      path: `${mount}/x`,
      bytesRead: 0,
      bytesWritten: bytes,
      seconds,
    });
    const job = {
      osts: [],
      files: [file("/t0", 100, 1), file("/t1", 100, 50), file("/t1", 100, 50), file("/t2", 100, 1)],
    } as unknown as Job;
    const chart = chartOf(pictured(job, named("slow-ost")));
    expect(chart.items).toEqual([
      { name: "/t0", value: 100 },
      { name: "/t1", value: 2 },
      { name: "/t2", value: 100 },
    ]);
    expect(chart.marked).toEqual([1]);
    expect(chart.line?.value).toBe(100);
  });

  it("shows who waits beside a slow target, where somebody stands out", () => {
    const job = (slow: number) =>
      ({
        ranks: 4,
        runSeconds: 100,
        files: [],
        ledger: {
          ownSeconds: new Map([0, 1, 2, 3].map((rank) => [rank, rank === 2 ? slow : 10])),
          sharedSeconds: 0,
        },
      }) as unknown as Job;
    const figure = secondFigure(job(90), named("slow-ost"));
    expect(figure).toMatchObject({
      id: "cause-slow-ost-ranks",
      title: "I/O time of each rank, slowest first",
    });
    expect(secondFigure(job(11), named("slow-ost"))).toBeUndefined();
    expect(secondFigure(job(90), named("small-writes"))).toBeUndefined();
  });

  const evidence = (...numbers: { value: number; unit: string; of?: number }[]) => ({
    evidence: { numbers, files: [], filesTotal: 0, ranks: [3] } as unknown as Finding["evidence"],
  });
  const io = { readSeconds: 3, writeSeconds: 1, metaSeconds: 0 };
  const numbersJob = { ranks: 4, io, layer: () => [], files: [] } as unknown as Job;
  const numbersOf = (id: string, ...numbers: { value: number; unit: string; of?: number }[]) =>
    pictured(numbersJob, named(id, evidence(...numbers))).figure;

  it("of numbers know every rule that asks for one", () => {
    const any = [
      { value: 8, unit: "bytes", of: 16 },
      { value: 2, unit: "bytes" },
      { value: 1, unit: "seconds" },
    ];
    const ids = RULES.filter(({ picture }) => picture?.kind === "numbers").map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(8);
    for (const id of ids) expect(numbersOf(id, ...any)?.title, id).not.toMatch(/^I\/O time/);
  });

  it("of numbers mark what is too much, and say how they compare", () => {
    const again = numbersOf("re-reads", { value: 800, unit: "bytes" }, { value: 100, unit: "bytes" });
    expect(again?.chart).toMatchObject({
      items: [
        { name: "read", value: 800 },
        { name: "different", value: 100 },
      ],
      ...{ marked: [0], markLabel: "read: 8 times as much" },
    });
    expect(numbersOf("random-reads", { value: 50, unit: "calls", of: 200 })?.chart).toMatchObject({
      ...{ marked: [1], markLabel: "go back: 25 % of all reads" },
    });
    const one = numbersOf(
      "single-aggregator",
      { value: 1, unit: "ranks", of: 4 },
      { value: 100, unit: "bytes" },
    );
    expect(one?.chart).toMatchObject({
      items: [
        { name: "rank 3", value: 100 },
        { name: "3 others", value: 0 },
      ],
      markLabel: "rank 3: all 100 B",
    });
    // The late rank is the one with the least time.
    const late = numbersOf("late-rank", { value: 1, unit: "seconds" }, { value: 4, unit: "seconds" });
    expect(late?.chart).toMatchObject({
      marked: [1],
      markLabel: "the late rank: 25 % of mean of the others",
    });
    expect(numbersOf("stdio-small", { value: 3, unit: "seconds" })?.chart).toMatchObject({
      items: [
        { name: "all I/O", value: 4 },
        { name: "small stream calls", value: 3 },
      ],
      markLabel: "small stream calls: 75 % of all I/O",
    });
  });

  it("of files show what the rule says: opens of a set of small files", () => {
    const record = { layer: "POSIX", opens: 7, stats: 1, bytesRead: 9, seconds: 5 };
    const file = { ...record, fileId: "1", path: "/x", called: record, layers: new Map([["POSIX", record]]) };
    const job = { files: [file] } as unknown as Job;
    const title = (id: string) => pictured(job, named(id)).figure?.title;
    expect(title("small-file-set")).toBe("Files by opens");
    expect(title("excess-stats")).toBe("Files by stats");
    expect(title("shared-input")).toBe("Files by bytes moved");
    expect(title("unused-files")).toBe("Files by time");
  });

  it("of sizes show the direction of the rule, and mark calls up to its limit", () => {
    const sizes = Array.from({ length: 10 }, () => 1);
    const record = { fileId: "1", readSizes: sizes, writeSizes: sizes };
    const layer = (name: string) => (name === "POSIX" ? [record] : []);
    const job = { layer, io: { readSeconds: 9, writeSeconds: 1 } } as unknown as Job;
    const title = (id: string) => pictured(job, named(id)).figure?.title;
    expect(title("no-hints")).toBe("Sizes of reads, POSIX");
    expect(title("tiny-appends")).toBe("Sizes of writes, POSIX");
    expect(title("independent-mpiio")).toBe("Sizes of writes, POSIX");
    const threshold = [
      { name: "bytes", value: 4 * 2 ** 20, unit: "bytes" },
    ] as unknown as Finding["threshold"];
    expect(chartOf(pictured(job, named("small-writes", { threshold }))).markLabel).toMatch(
      /of at most 4 MiB$/,
    );
  });

  it("of ranks name those that did nothing", () => {
    const job = {
      ...{ ranks: 4, runSeconds: 10, files: [] },
      ledger: { ownSeconds: new Map([[2, 9]]), sharedSeconds: 0 },
    } as unknown as Job;
    const chart = chartOf(pictured(job, named("one-rank-io")));
    expect(chart.items.map(({ name }) => name)).toEqual(["2", "0", "1", "3"]);
    expect(chart.restLabel).toBe("3 other ranks: no I/O");
  });

  it("of times stands without marks where no cause is known", () => {
    const chart = timeFigure(singleJob("control"))?.chart as CulpritChart;
    expect(chart.marked).toEqual([]);
    expect(chart.items.map(({ name }) => name)).toContain("writes");
    expect(timeFigure({ ranks: 1, layer: () => [], io: {} } as unknown as Job)).toBeUndefined();
  });
});
