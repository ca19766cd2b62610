import { expect, it } from "vitest";
import { type CallProcess, type CallSink, Operation, TablesBuilder } from "../../model/index.ts";
import { buildJob, JobStreams } from "./build.ts";
import { CallSurvey } from "./call-survey.ts";
import type { Job } from "./job.ts";
import { judge } from "./judge.ts";

interface Part {
  readonly process: CallProcess;
  /** Seconds: start, end. */
  readonly reads?: readonly (readonly [number, number])[];
  readonly spans?: readonly (readonly [category: string, name: string, start: number, end: number])[];
}

function feed(parts: readonly Part[], sink: CallSink): void {
  sink.clock({ kind: "own", epochNs: 0n });
  for (const { process: owner, reads = [], spans = [] } of parts) {
    const number = sink.process(owner);
    const file = sink.file({ path: "/scratch/data" });
    const doubles = (values: readonly number[]) => Float64Array.from(values);
    sink.block({
      count: reads.length,
      startNs: doubles(reads.map(([start]) => start * 1e9)),
      endNs: doubles(reads.map(([, end]) => end * 1e9)),
      bytes: doubles(reads.map(() => 2 ** 20)),
      process: new Uint32Array(reads.length).fill(number),
      file: new Uint32Array(reads.length).fill(file),
      operation: new Uint8Array(reads.length).fill(Operation.read),
      layer: new Uint8Array(reads.length),
      flags: new Uint8Array(reads.length),
    });
    sink.spans?.({
      count: spans.length,
      startNs: doubles(spans.map(([, , start]) => start * 1e9)),
      endNs: doubles(spans.map(([, , , end]) => end * 1e9)),
      process: new Uint32Array(spans.length).fill(number),
      thread: new Float64Array(spans.length),
      name: Uint32Array.from(spans.keys()),
      names: spans.map(([category, name]) => ({ category, name })),
    });
  }
}

function jobOf(...parts: readonly Part[]): Job {
  const survey = new CallSurvey();
  feed(parts, survey.sink());
  const tables = new TablesBuilder();
  const run = { runId: "1", source: "test", kind: "dftracer", recorder: "test" };
  const streams = new JobStreams([survey.finish(run, tables)]);
  feed(parts, streams.callsAs(survey.naming()));
  return buildJob(tables.finish(), streams);
}

const alone = { pid: 10, host: "a" };

it("I/O is hidden while a compute span is open", () => {
  const { spans } = jobOf({
    process: alone,
    reads: [
      [0, 4],
      [1, 2],
      [9, 14],
      [30, 31],
    ],
    spans: [
      ["app", "main", 0, 40],
      ["ai_framework", "TorchFramework.compute", 2, 10],
      ["ai_framework", "TorchFramework.compute", 12, 20],
      ["data_loader", "next", 20, 40],
    ],
  });
  // Hidden: 2 to 4, 9 to 10, 12 to 14; the rest of 10 s of I/O is not.
  expect(spans).toMatchObject({ computeSeconds: 16, hidingSeconds: 5, ioSeconds: 10, unhiddenSeconds: 5 });
  expect([...(spans?.unhidden ?? [])]).toEqual([0, 2e9, 10e9, 12e9, 30e9, 31e9]);
  expect(spans?.names.filter(({ isCompute }) => isCompute).map(({ name, count }) => [name, count])).toEqual([
    ["TorchFramework.compute", 2],
  ]);
});

it("a worker without spans works for the process that started it", () => {
  const { spans } = jobOf(
    { process: alone, spans: [["compute", "forward", 0, 10]] },
    { process: { pid: 20, host: "a" }, spans: [["compute", "forward", 50, 60]] },
    { process: { pid: 11, host: "a", parent: 10 }, reads: [[5, 15]] },
    { process: { pid: 21, host: "a", parent: 20 }, reads: [[5, 15]] },
  );
  const unhidden = spans?.processes.filter(({ ioSeconds }) => ioSeconds > 0);
  expect(unhidden?.map(({ unhiddenSeconds }) => unhiddenSeconds)).toEqual([5, 10]);
  expect(spans).toMatchObject({ computeSeconds: 20, hidingSeconds: 5 });
});

it("without the word, spans that are neither I/O nor the whole program compute", () => {
  const { spans } = jobOf({
    process: alone,
    reads: [[0, 10]],
    spans: [
      ["CPP_APP", "main", 0, 100],
      ["CPP_APP", "read_input", 0, 10],
      ["CPP_APP", "solve", 5, 50],
    ],
  });
  expect(spans).toMatchObject({ computeSeconds: 45, unhiddenSeconds: 5 });
});

const loop = (wait: number): Part => ({
  process: alone,
  reads: [0, 1, 2, 3].map((step) => [10 * step, 10 * step + wait] as const),
  spans: [0, 1, 2, 3].map((step) => ["ai", "compute", 10 * step + wait, 10 * step + 10] as const),
});

it("unhidden-io speaks when the job waits for it, and says what it costs", () => {
  const [finding] = judge(jobOf(loop(4))).findings.filter(({ id }) => id === "unhidden-io");
  expect(finding).toMatchObject({ severity: "high", cost: { atMost: true } });
  expect(finding?.cost.seconds).toBeCloseTo(16, 6);
  expect(finding?.statement).toContain("100 % of the I/O time");
});

it.each([
  ["under a twentieth of the run", jobOf(loop(0.4))],
  ["hidden", jobOf({ ...loop(4), spans: [["ai", "compute", 0, 40]] })],
  ["without compute spans", jobOf({ ...loop(4), spans: [["app", "main", 0, 40]] })],
])("unhidden-io is silent when I/O is %s", (_, job) => {
  expect(judge(job).findings.map(({ id }) => id)).not.toContain("unhidden-io");
});

it("unhidden-io is not applied without spans", () => {
  const { reads = [], process: owner } = loop(4);
  expect(judge(jobOf({ process: owner, reads })).unjudged.map(({ id }) => id)).toContain("unhidden-io");
});
