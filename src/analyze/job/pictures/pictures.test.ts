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

  it("of times stands without marks where no cause is known", () => {
    const chart = timeFigure(singleJob("control"))?.chart as CulpritChart;
    expect(chart.marked).toEqual([]);
    expect(chart.items.map(({ name }) => name)).toContain("writes");
    expect(timeFigure({ ranks: 1, layer: () => [], io: {} } as unknown as Job)).toBeUndefined();
  });
});
