/** A series: repetitions of a run, each with the background load of a different hour. */

import { assert } from "../../../base/assert.ts";
import type { ReplaySample, ReplaySeries } from "../../../model/index.ts";
import type { EventQueue } from "../events.ts";
import type { Machine } from "../machines/index.ts";
import { type Interference, MB } from "../storage/index.ts";
import { bandwidth, imbalance, type RunResult, type RunSpec, writerBandwidth } from "./run.ts";
import { runStatic } from "./static.ts";

/** Mapping of writers to targets. `posix`: a file each, r mod targets; `mpi-io`: one shared file; `paper`: the adaptive method. */
export type Method = "posix" | "mpi-io" | "paper";

export interface Series extends Omit<ReplaySeries, "method" | "results"> {
  readonly method: Method;
  readonly samples: number;
  readonly seed: number;
}

/** Result of one run. */
export interface Sample extends ReplaySample {
  readonly events: number;
}

/** Three processes on each of eight targets, as in the paper's experiments. */
export const PAPER_INTERFERENCE: Interference = { targets: 8, streams: 3 };

export const paperInterference = (targets: number): Interference => ({
  ...PAPER_INTERFERENCE,
  targets: Math.min(PAPER_INTERFERENCE.targets, targets),
});

/** Those of a run that does not say: the paper's largest runs had 512. */
export const usualTargets = ({ targets }: Machine): number => Math.min(512, targets);

/** The adaptive method: the protocol on virtual time, or its twin. */
type AdaptiveRun = (spec: RunSpec, queue?: EventQueue) => RunResult;

export interface Bench {
  /** The machine of that name. */
  readonly machine: (name: string) => Machine;
  readonly adaptive: AdaptiveRun;
  /** Reused for each run. */
  readonly queue?: EventQueue;
  /** Whether static writers start within `startJitter`, or at once, which is several times faster. */
  readonly jitter?: boolean;
}

/** Key of a series, independent of its samples and seed. */
export const seriesKey = (one: Omit<Series, "samples" | "seed">): string =>
  [
    one.machine,
    one.method,
    `${one.sizeMb}MB`,
    `${one.writers}w`,
    `${one.targets}t`,
    ...(one.interference ? ["interference"] : []),
    ...(one.twoJobs ? ["two-jobs"] : []),
    ...(one.hourly ? ["hourly"] : []),
  ].join(" ");

export function specOf(series: Series, sample: number, machine: Machine): RunSpec {
  const { method, sizeMb, writers, targets, interference, twoJobs, samples, seed } = series;
  assert(sample >= 0 && sample < samples, "a sample number is within its series");
  return {
    machine,
    writers,
    bytes: sizeMb * MB,
    targets,
    run: { seed, sample, samples },
    sharedFile: method === "mpi-io",
    interference: interference ? PAPER_INTERFERENCE : undefined,
    secondJobStreams: twoJobs ? writers / targets : undefined,
  };
}

export function runSample(series: Series, sample: number, bench: Bench): Sample {
  const spec = specOf(series, sample, bench.machine(series.machine));
  const result =
    series.method === "paper"
      ? bench.adaptive(spec, bench.queue)
      : runStatic(spec, bench.queue, bench.jitter ?? true);
  return {
    seconds: result.seconds,
    bandwidth: bandwidth(result),
    writerBandwidth: writerBandwidth(result),
    imbalance: imbalance(result),
    events: result.events,
  };
}

/** Samples of all series of a plan, by `seriesKey`. */
export type Measured = ReadonlyMap<string, readonly Sample[]>;
