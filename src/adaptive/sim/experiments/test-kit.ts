/** Whole plans, and the paper's method without a replay. */
import { assert, AssertionError } from "../../../base/assert.ts";
import type { EventQueue } from "../events.ts";
import { runAdaptive } from "../host/index.ts";
import { sampleSeed } from "../storage/index.ts";
import { HOURLY, hourlySeries } from "./plans.ts";
import { type RunResult, type RunSpec, worldOf } from "./run.ts";
import { type Bench, type Measured, runSample, type Sample, type Series, seriesKey } from "./series.ts";

export const tablePlan = (seed: number, most = Number.POSITIVE_INFINITY): Series[] =>
  HOURLY.map((line) => hourlySeries(line, Math.min(line.tests, most), seed));

export function runPlan(plan: readonly Series[], bench: Bench): Measured {
  const measured = new Map<string, readonly Sample[]>();
  for (const series of plan) {
    assert(!measured.has(seriesKey(series)), `${seriesKey(series)} is twice in the plan`);
    const samples = Array.from({ length: series.samples }, (_, i) => runSample(series, i, bench));
    measured.set(seriesKey(series), samples);
  }
  return measured;
}

/** The full protocol on virtual time. */
export function runPaper(spec: RunSpec, queue?: EventQueue): RunResult {
  const { writers, bytes, targets, run } = spec;
  const result = runAdaptive({
    world: worldOf(spec, queue),
    policy: "paper",
    writers,
    bytes,
    targets,
    seed: sampleSeed(run),
    // As in the paper: a writer is free once its data is written.
    retainData: false,
  });
  if (result.outcome !== "complete")
    throw new AssertionError(`a run without faults ended as ${result.outcome}: ${result.reason}`);
  const { seconds, events, starts, ends, firstTargets } = result;
  return { seconds, bytes: writers * bytes, events, starts, ends, targets: firstTargets };
}
