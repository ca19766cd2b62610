/** Jobs of a replay that threads take one by one. The result depends on the job alone. */
import { assert } from "../../../base/assert.ts";
import type { ReplayPair } from "../../../model/index.ts";
import { EventQueue } from "../../sim/events.ts";
import { runTwin } from "../calibrate/index.ts";
import { runSample, type Sample, type Series, specOf } from "../../sim/experiments/series.ts";
import type { Machine } from "../../sim/machines/index.ts";
import { type PolicyRun, type PolicyStep, runPolicy } from "../../sim/policies/compare.ts";
import { runPair } from "./pairs.ts";
import { runProtocol } from "./protocol-run.ts";

export type Job =
  /** Samples `from` to `to` of a series. */
  | SamplesJob
  | { readonly kind: "pair"; readonly series: Series; readonly sample: number }
  | { readonly kind: "policy"; readonly run: PolicyRun };

export interface SamplesJob {
  readonly kind: "samples";
  readonly series: Series;
  readonly from: number;
  readonly to: number;
  /** A machine other than the one named by the series, without messages or jitter: for calibration. */
  readonly tried?: Machine;
}

export type JobResult =
  | { readonly kind: "samples"; readonly samples: readonly Sample[] }
  | { readonly kind: "pair"; readonly pair: ReplayPair }
  | { readonly kind: "policy"; readonly steps: readonly PolicyStep[] };

type MachineNamed = (name: string) => Machine;

export class JobRunner {
  readonly #machine: MachineNamed;
  /** Reused for each run. */
  readonly #queue = new EventQueue();

  constructor(machine: MachineNamed) {
    this.#machine = machine;
  }

  run(job: Job): JobResult {
    const queue = this.#queue;
    switch (job.kind) {
      case "samples": {
        const { tried } = job;
        const bench =
          tried === undefined
            ? { machine: this.#machine, adaptive: runProtocol, queue }
            : { machine: () => tried, adaptive: runTwin, queue, jitter: false };
        assert(job.from < job.to && job.to <= job.series.samples, "a job has samples of its series");
        const samples: Sample[] = [];
        for (let sample = job.from; sample < job.to; sample++)
          samples.push(runSample(job.series, sample, bench));
        return { kind: "samples", samples };
      }
      case "pair": {
        const spec = specOf(job.series, job.sample, this.#machine(job.series.machine));
        return { kind: "pair", pair: runPair(spec, queue) };
      }
      case "policy":
        return { kind: "policy", steps: runPolicy(job.run, this.#machine("jaguar"), queue) };
    }
  }
}

/** Writes that a job simulates: its time grows with them. */
export function writesOf(job: Job): number {
  switch (job.kind) {
    case "samples":
      return job.series.writers * (job.to - job.from);
    case "pair":
      return 2 * job.series.writers;
    case "policy":
      return job.run.writers * job.run.steps;
  }
}

/** Small enough that the last jobs end at about the same time on all threads. */
const WRITES_MAX = 40_000;

/** A series as jobs. */
export function samplesJobs(series: Series, tried?: Machine): SamplesJob[] {
  const each = Math.max(1, Math.floor(WRITES_MAX / series.writers));
  const jobs: SamplesJob[] = [];
  const machine = tried === undefined ? {} : { tried };
  for (let from = 0; from < series.samples; from += each)
    jobs.push({ kind: "samples", series, from, to: Math.min(series.samples, from + each), ...machine });
  const covered = jobs.reduce((sum, { from, to }) => sum + to - from, 0);
  assert(covered === series.samples, "every sample is in one job");
  return jobs;
}
