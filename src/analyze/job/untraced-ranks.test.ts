import { describe, expect, it } from "vitest";
import { type CallProcess, Operation, TablesBuilder } from "../../model/index.ts";
import { buildJob, JobStreams } from "./build.ts";
import { CallSurvey } from "./call-survey.ts";
import { judge } from "./judge.ts";

/** A job of processes with a file each: 100 writes of 1 MB that take 9 of 10 ms. */
function jobOf(processes: readonly CallProcess[], isWhole = false) {
  const survey = new CallSurvey();
  const read = (sink: ReturnType<CallSurvey["sink"]>) => {
    sink.clock({ kind: "own", epochNs: 0n });
    for (const one of processes) {
      const [process, file] = [sink.process(one), sink.file({ path: `/data/of.${one.rank ?? one.pid}` })];
      const column = <T>(make: { from(values: number[]): T }, of: (i: number) => number) =>
        make.from(Array.from({ length: 100 }, (_, i) => of(i)));
      sink.block({
        count: 100,
        startNs: column(Float64Array, (i) => i * 1e7),
        endNs: column(Float64Array, (i) => i * 1e7 + 9e6),
        bytes: column(Float64Array, () => 1e6),
        offset: column(Float64Array, (i) => i * 1e6),
        process: column(Uint32Array, () => process),
        file: column(Uint32Array, () => file),
        operation: column(Uint8Array, () => Operation.write),
        ...{ layer: new Uint8Array(100), flags: new Uint8Array(100) },
      });
    }
  };
  read(survey.sink());
  if (isWhole) survey.takeAsWhole();
  const tables = new TablesBuilder();
  const run = { runId: "r", source: "r", kind: "trace", recorder: "" };
  const streams = new JobStreams([survey.finish(run, tables)]);
  read(streams.callsAs(survey.naming()));
  return buildJob(tables.finish(), streams);
}

describe("ranks without a trace", () => {
  it("do not count where nothing tells that they exist", () => {
    const job = jobOf(Array.from({ length: 8 }, (_, at) => ({ pid: 1 + at, rank: 40 + at })));
    expect(job).toMatchObject({ ranks: 8, rankEnd: 48 });
    expect(job.io.meanShare).toBeCloseTo(0.9, 1);
    expect(job.facts.has("ranks")).toBe(true);
    expect(job.runs[0]?.warnings).toEqual([]);
    expect(judge(job).findings.map(({ id }) => id)).not.toContain("idle-ranks");
    expect([...job.ledger.ownSeconds.keys()].sort()).toEqual([40, 41, 42, 43, 44, 45, 46, 47]);
  });

  it("are named where the size of the job is known, and nothing is said of ranks", () => {
    const one = jobOf([{ pid: 1, rank: 0, ranks: 4 }]);
    expect(one.ranks).toBe(1);
    expect(one.io.meanShare).toBeCloseTo(0.9, 1);
    expect(one.facts.has("ranks")).toBe(false);
    expect(one.runs[0]?.warnings).toEqual([expect.stringMatching(/^3 of 4 ranks have no trace/)]);
    expect(judge(one).findings.map(({ id }) => id)).not.toContain("one-rank-io");
    const whole = jobOf([{ pid: 1, rank: 0, ranks: 4 }], true);
    expect(whole.ranks).toBe(4);
    expect(whole.facts.has("ranks")).toBe(true);
    expect(whole.runs[0]?.warnings).toEqual([]);
    const all = jobOf([0, 1, 2, 3].map((rank) => ({ pid: 1 + rank, rank, ranks: 4 })));
    expect(all.facts.has("ranks")).toBe(true);
    expect(all.runs[0]?.warnings).toEqual([]);
  });
});
