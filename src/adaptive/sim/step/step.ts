/** Simulated output steps under a policy, in the form of real ones. */
import { assert } from "../../../base/assert.ts";
import { CALL_UNUSED, Operation, type WriteCalls, type WriteRun } from "../../../model/index.ts";
import { makeSetup, type Policy, policyNamed } from "../../protocol/index.ts";
import { checkSpec, type RunSpec, worldOf } from "../experiments/run.ts";
import { runStatic } from "../experiments/static.ts";
import { type AdaptiveResult, runAdaptive } from "../host/index.ts";
import { sampleSeed } from "../storage/index.ts";

interface StepOptions {
  readonly spec: RunSpec;
  readonly policy: string;
  /** For the title: "Jaguar, 128 MB per writer". */
  readonly title: string;
  /** Output steps, of which the last counts; of `spec.run` each has the seed. */
  readonly steps?: number;
}

interface Learned {
  readonly rates: Float64Array;
  readonly slots: Float64Array;
}

export interface SimulatedStep {
  readonly run: WriteRun;
  readonly events: number;
  /** Measurements for the next step; undefined without any. */
  readonly learned: Learned | undefined;
  /** Hash of all events; the same for the same seed and parameters. */
  readonly hash: string;
}

/** Time of the metadata server per open, as in Lustre of the time: a few thousand creates per second. */
const OPEN_SECONDS = 0.0004;
const SYNC_SECONDS = 0.01;

/** Each step meets another hour of background load, and begins with what earlier steps learned of the targets. */
export function simulateStep({ spec, policy, title, steps = 1 }: StepOptions): SimulatedStep {
  assert(steps >= 1, "there is a last step");
  checkSpec(spec);
  // Checked before the run, so that an unknown name or too few targets cost no time.
  const how = policyNamed(policy);
  let last: SimulatedStep | undefined;
  for (let sample = 0; sample < steps; sample++) {
    const one = { ...spec, run: { ...spec.run, sample, samples: steps } };
    last = policy === "mpi-io" ? sharedFile(one, title) : adaptiveStep(one, how, title, last?.learned);
  }
  return last as SimulatedStep;
}

function adaptiveStep(
  spec: RunSpec,
  policy: Policy,
  title: string,
  learned: Learned | undefined,
): SimulatedStep {
  const result = runOf(spec, policy, learned);
  return {
    run: {
      ...aboutOf(spec, policy.name, title),
      bytes: result.bytes,
      seconds: result.seconds,
      commitSeconds: result.commitSeconds,
      openSeconds: result.openSeconds,
      calls: fromFirstOpen(result),
      messages: [...result.messages].map(([kind, count]) => ({ kind, count })),
      outcome: result.outcome === "complete" ? "complete" : result.reason,
    },
    events: result.events,
    hash: result.hash,
    learned: { rates: result.learnedRates, slots: result.learnedSlots },
  };
}

function runOf(spec: RunSpec, policy: Policy, learned: Learned | undefined): AdaptiveResult {
  const { machine, writers, bytes, targets, run } = spec;
  // Refuses impossible work before the storage is created.
  makeSetup(policy, { writers, targets, sizes: bytes });
  return runAdaptive({
    world: worldOf(spec),
    policy,
    writers,
    bytes,
    targets,
    seed: sampleSeed(run),
    jitterSeconds: machine.parameters.startJitter,
    openSeconds: OPEN_SECONDS,
    openStaggerSeconds: OPEN_SECONDS,
    syncSeconds: SYNC_SECONDS,
    priorRates: learned?.rates,
    priorSlots: learned?.slots,
    hash: true,
  });
}

/** One shared file on as many targets as the file system allows; no messages, no subfiles. */
function sharedFile(spec: RunSpec, title: string): SimulatedStep {
  const targets = Math.min(spec.targets, spec.machine.targetsPerFile);
  const shared = { ...spec, targets, sharedFile: true };
  const { seconds, bytes, events, starts, ends, targets: places } = runStatic(shared);
  const count = starts.length;
  const ranks = Uint32Array.from({ length: count }, (_, rank) => rank);
  const calls: WriteCalls = {
    count,
    process: ranks,
    owner: ranks,
    file: Uint32Array.from(places),
    bytes: new Float64Array(count).fill(spec.bytes),
    startNs: starts.map((one) => Math.round(1e9 * one)),
    endNs: ends.map((one) => Math.round(1e9 * one)),
    operation: new Uint8Array(count).fill(Operation.write),
    layer: new Uint8Array(count),
    flags: new Uint8Array(count),
  };
  const about = aboutOf(spec, "mpi-io", title);
  const run = {
    ...about,
    bytes,
    seconds,
    commitSeconds: Number.NaN,
    openSeconds: [],
    calls,
    outcome: "complete",
  };
  return { run, events, hash: "", learned: undefined };
}

const aboutOf = ({ writers, targets }: RunSpec, policy: string, title: string) => ({
  label: policy,
  title,
  simulated: true,
  policy,
  writers,
  targets,
});

/** Host times start with the step; times of a run start when files are open. */
function fromFirstOpen({ calls, seconds }: AdaptiveResult): WriteCalls {
  const { count, flags, startNs, endNs } = calls;
  let last = 0;
  for (let i = 0; i < count; i++)
    if (((flags[i] as number) & CALL_UNUSED) === 0) last = Math.max(last, endNs[i] as number);
  const from = last - Math.round(1e9 * seconds);
  const shifted = (values: Float64Array) => values.subarray(0, count).map((one) => one - from);
  return { ...calls, startNs: shifted(startNs), endNs: shifted(endNs) };
}
