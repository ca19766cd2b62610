/**
 * The policies against each other: the same data on the same targets, with the same background, several output steps in a row.
 * Hardware keeps its speed from step to step, so that a policy can learn it; the background load differs in each step.
 */
import { AssertionError, assert } from "../../../base/assert.ts";
import { mean, standardDeviation } from "../../../base/statistics.ts";
import { CALL_MOVED, CALL_UNUSED, type PolicyStepFacts } from "../../../model/index.ts";
import type { EventQueue } from "../events.ts";
import { checkSpec } from "../experiments/run.ts";
import { PAPER_INTERFERENCE } from "../experiments/series.ts";
import { type AdaptiveResult, runAdaptive } from "../host/index.ts";
import type { Machine } from "../machines/index.ts";
import { makeWorld, MB, sampleSeed } from "../storage/index.ts";

/** The first is the baseline. The last discards its measurements, to show the value of history. */
export const COMPARED = ["paper", "static", "plimsoll", "plimsoll, no history"] as const;
type Compared = (typeof COMPARED)[number];

interface PolicySetting {
  readonly sizeMb: number;
  readonly writers: number;
  readonly targets: number;
  readonly interference: boolean;
}

export interface PolicyRun extends PolicySetting {
  readonly policy: Compared;
  readonly steps: number;
  readonly seed: number;
}

/** Result of one output step. */
export interface PolicyStep extends PolicyStepFacts {
  readonly events: number;
}

const SIZES = [2, 38, 128, 1024] as const;
const COUNTS = [256, 512, 2048, 8192] as const;
const TARGETS = 512;

/** Every size, number of writers and condition; small and quick ones first. */
export const policySettings = (): PolicySetting[] =>
  SIZES.flatMap((sizeMb) =>
    COUNTS.flatMap((writers) =>
      [false, true].map((interference) => ({ sizeMb, writers, targets: TARGETS, interference })),
    ),
  );

export function runPolicy(asked: PolicyRun, machine: Machine, queue?: EventQueue): PolicyStep[] {
  const { policy, writers, sizeMb, targets, interference, steps, seed } = asked;
  const bytes = sizeMb * MB;
  const forgets = policy === "plimsoll, no history";
  const results: PolicyStep[] = [];
  let learned: { rates: Float64Array; slots: Float64Array } | undefined;
  for (let sample = 0; sample < steps; sample++) {
    const run = { seed, sample, samples: steps };
    checkSpec({ machine, writers, bytes, targets, run });
    const setting = {
      parameters: machine.parameters,
      machineTargets: machine.targets,
      targets,
      run,
      // The same speeds in all steps of a seed.
      speedsOf: { seed, sample: 0, samples: 1 },
      interference: interference ? PAPER_INTERFERENCE : undefined,
    };
    const result = runAdaptive({
      world: makeWorld(setting, queue),
      policy: forgets ? "plimsoll" : policy,
      writers,
      bytes,
      targets,
      seed: sampleSeed(run),
      jitterSeconds: machine.parameters.startJitter,
      priorRates: learned?.rates,
      priorSlots: learned?.slots,
    });
    if (result.outcome !== "complete")
      throw new AssertionError(`a run without faults ended: ${result.reason}`);
    if (!forgets) learned = { rates: result.learnedRates, slots: result.learnedSlots };
    results.push(stepOf(result));
  }
  return results;
}

function stepOf(result: AdaptiveResult): PolicyStep {
  const { calls, seconds, bytes, starts, ends, events, messages } = result;
  const times = ends.map((end, i) => end - (starts[i] as number));
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const time of times) {
    if (time < low) low = time;
    if (time > high) high = time;
  }
  assert(low > 0 && low <= high, "every writer ended after it began");
  let [moved, unused] = [0, 0];
  for (let i = 0; i < calls.count; i++) {
    const flags = calls.flags[i] as number;
    if (flags & CALL_UNUSED) unused += calls.bytes[i] as number;
    else if (flags & CALL_MOVED) moved += calls.bytes[i] as number;
  }
  assert(moved <= bytes, "no more bytes move than are written");
  let sent = 0;
  for (const count of messages.values()) sent += count;
  return {
    seconds,
    bandwidth: bytes / MB / seconds,
    imbalance: high / low,
    spread: standardDeviation(times) / mean(times),
    movedShare: moved / bytes,
    unusedShare: unused / bytes,
    messages: sent,
    events,
  };
}
