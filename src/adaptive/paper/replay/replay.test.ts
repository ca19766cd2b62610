import { describe, expect, it } from "vitest";
import { HOURLY, hourlySeries, outputSeries } from "../../sim/experiments/plans.ts";
import { imbalance } from "../../sim/experiments/run.ts";
import { specOf } from "../../sim/experiments/series.ts";
import { runStatic } from "../../sim/experiments/static.ts";
import { MACHINES, machineNamed, withParameters } from "../../sim/machines/index.ts";
import { type JobResult, JobRunner, samplesJobs, writesOf } from "./jobs.ts";
import { machinesWith } from "./machines.ts";
import { runPair } from "./pairs.ts";
import { effortOf, ONLY_NAMES, PAPER_EFFORT, PARTS, selectionOf, seriesOf } from "./parts.ts";
import { runJobs } from "./pool.ts";
import type { Machine } from "../../sim/machines/machine.ts";
import { PARAMETER_NAMES } from "../../sim/storage/index.ts";
import { tradeoffRows, tradeoffs } from "./tradeoff.ts";
import { runProtocol } from "./protocol-run.ts";
import { type Replay, runReplay } from "./replay.ts";

const tiny = { fig1: 2, output: 2, tests: 3, pairs: 2, seeds: 1, steps: 1, tradeoff: 1 };
const replay = (only: readonly string[], changes = {}): Promise<Replay> =>
  runReplay({
    selection: selectionOf(only),
    effort: tiny,
    seed: 1,
    machines: MACHINES,
    threads: 0,
    ...changes,
  });

describe("parts of a replay", () => {
  it("have the paper's samples unless told otherwise", () => {
    const counts = (part: (typeof PARTS)[number]) => [
      ...new Set(seriesOf(part, PAPER_EFFORT, 1).map(({ samples }) => samples)),
    ];
    expect(counts("fig1")).toEqual([40]);
    expect(counts("table1")).toEqual([469, 2581, 400, 320]);
    expect(counts("fig5")).toEqual([20]);
    expect(seriesOf("table1", effortOf(3), 1).map(({ samples }) => samples)).toEqual([30, 30, 30, 30]);
    // Five sizes and six counts; three sizes, two methods, six counts, two conditions, and two runs on all targets.
    expect(seriesOf("fig1", PAPER_EFFORT, 1)).toHaveLength(30);
    expect(seriesOf("fig5", PAPER_EFFORT, 1)).toHaveLength(74);
    expect(seriesOf("fig6", PAPER_EFFORT, 1)).toHaveLength(24);
    expect(seriesOf("fig7", PAPER_EFFORT, 1)).toHaveLength(48);
  });

  it("--only takes parts and rows of checks, in any case", () => {
    expect(selectionOf([])).toEqual({ parts: PARTS, rows: undefined });
    expect(selectionOf(["FIG6"]).parts).toEqual(["fig6"]);
    expect(selectionOf(["i7"])).toEqual({ parts: ["xtp"], rows: new Set(["I7"]) });
    expect(selectionOf(["J1"])).toEqual({ parts: [], rows: new Set(["J1"]) });
    expect(() => selectionOf(["fig4"], () => " (did you mean fig5?)")).toThrow(
      "--only fig4: unknown part (did you mean fig5?) (parts: fig1,",
    );
  });

  it("every row of the checks can be asked for, and gets all that it looks at", async () => {
    const { CHECKS } = await import("../checks.ts");
    for (const { row } of CHECKS) expect(ONLY_NAMES).toContain(row);
  });
});

describe("the sweep for two numbers", () => {
  it("moves one or two parameters at a time, and gives each set what its own runs gave", () => {
    const jaguar = MACHINES.find(({ name }) => name === "jaguar") as Machine;
    const all = tradeoffs(jaguar, 1, 1);
    expect(all[0]?.changed).toBe("as fitted");
    for (const { machine } of all.slice(1)) {
      const moved = PARAMETER_NAMES.filter((one) => machine.parameters[one] !== jaguar.parameters[one]);
      expect([1, 2, 24]).toContain(moved.length);
    }
    // Bandwidth 6 for the adaptive method and 2 for MPI-IO; twice that in the second set's many-writer runs.
    const results = all.flatMap(({ jobs }, set) =>
      jobs.map(({ series, from, to }): JobResult => {
        const speed =
          (series.method === "paper" ? 6 : 2) * (set === 1 && series.writers > 1024 ? set + 1 : 1);
        const bandwidth = series.method === "paper" ? speed : 2;
        const one = { seconds: 1, bandwidth, writerBandwidth: 1, imbalance: 3, events: 1 };
        return { kind: "samples", samples: Array.from({ length: to - from }, () => one) };
      }),
    );
    const rows = tradeoffRows(all, results);
    expect(rows).toHaveLength(all.length);
    expect(rows[0]).toEqual({
      ...{ changed: "as fitted", gainFew: 3, gainMany: 3, hourlyMean: 2, imbalance: 3 },
      small: { base: [3, 3], interference: [3, 3] },
      large: { gains: [3, 3], mpiIo: [2, 2] },
    });
    expect(rows[1]).toMatchObject({ gainFew: 3, gainMany: 6, large: { gains: [3, 6] } });
    expect(rows[1]?.small).toEqual({ base: [6, 6], interference: [6, 6] });
    expect(rows[2]).toMatchObject({ gainFew: 3, gainMany: 3 });
  });
});

describe("a replay", () => {
  it("judges what was run, and leaves out what was not asked for", async () => {
    const { checks, series, runs } = await replay(["xtp"]);
    expect(checks.map(({ id }) => id)).toEqual(["I7 512MB", "I7 1024MB"]);
    const judged = ["met", "missed", "not enough samples"];
    expect(checks.filter(({ verdict }) => !judged.includes(verdict))).toEqual([]);
    expect(series).toHaveLength(4);
    expect(runs).toBe(8);
  });

  it("facts need no run; the paper's own contradiction is none of ours", async () => {
    const { checks, runs, contradictions } = await replay(["J2", "N1"]);
    expect(runs).toBe(0);
    expect(checks.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["J2", "met"],
      ["N1", "contradiction"],
    ]);
    expect(contradictions.map(({ printed }) => printed).join()).toContain("3 TB");
  });

  it("a machine of another speed changes the numbers: misses are shown as misses", async () => {
    const slow = withParameters(machineNamed("franklin"), { diskRate: 20, ingestRate: 20 });
    const machines = machinesWith([slow]);
    // Below five samples nothing is missed.
    const few = (await replay(["E2"], { machines })).checks.find(({ id }) => id === "E2 mean");
    expect(few?.verdict).toBe("not enough samples");
    const { checks } = await replay(["E2"], { machines, effort: { ...tiny, tests: 6 } });
    const mean = checks.find(({ id }) => id === "E2 mean");
    expect(mean?.verdict).toBe("missed");
    expect(mean?.measured).toMatch(/^\d+ MB\/s$/);
    expect(() => machinesWith([{ ...slow, name: "frontier" }])).toThrow('machine file of "frontier"');
  });

  it("does not depend on how its samples are cut into jobs", async () => {
    const series = hourlySeries(HOURLY[3], 7, 3);
    const runner = new JobRunner(machineNamed);
    const whole = runner.run({ kind: "samples", series, from: 0, to: 7 });
    const parts = [
      [0, 2],
      [2, 3],
      [3, 7],
    ].map(([from, to]) => runner.run({ kind: "samples", series, from: from!, to: to! }));
    expect(parts.flatMap((one) => (one.kind === "samples" ? one.samples : []))).toEqual(
      whole.kind === "samples" ? whole.samples : [],
    );
    const large = outputSeries("paper", 2, 16384, false, 9, 1);
    const jobs = samplesJobs(large);
    expect(jobs).toHaveLength(5);
    expect(jobs.reduce((sum, job) => sum + writesOf(job), 0)).toBe(9 * 16384);
  });

  it("stops when it is told to", async () => {
    const jobs = samplesJobs(hourlySeries(HOURLY[1], 1000, 3));
    const stop = new AbortController();
    const running = runJobs(jobs, {
      machines: MACHINES,
      threads: 0,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(running).rejects.toThrow();
  });
});

describe("two tests three minutes apart", () => {
  it("the first is the hourly test itself, the second another one on the same storage", () => {
    const series = hourlySeries(HOURLY[0], 5, 2);
    const spec = specOf(series, 3, machineNamed("jaguar"));
    const { first, second } = runPair(spec);
    expect(Math.max(...first) / Math.min(...first)).toBeCloseTo(imbalance(runStatic(spec)), 9);
    expect(second).toHaveLength(512);
    expect(second.every((time) => time > 0)).toBe(true);
    expect([...second]).not.toEqual([...first]);
    expect(runPair(spec)).toEqual(runPair(spec));
  });
});

describe("the protocol as an experiment", () => {
  it("writes every byte, within the time of its slowest writer", () => {
    const spec = specOf(outputSeries("paper", 2, 1024, false, 2, 1), 0, machineNamed("jaguar"));
    const result = runProtocol(spec);
    expect(result.bytes).toBe(1024 * 2 * 1048576);
    expect(Math.max(...result.ends)).toBeLessThanOrEqual(result.seconds + 1e-9 + Math.min(...result.starts));
  });
});
