/** One simulated output step under a policy, from the machine to the measurements. */
import { assert } from "../../../base/assert.ts";
import { UsageError } from "../../../base/errors.ts";
import { Random } from "../../../base/prng.ts";
import {
  makeSetup,
  type MessageKind,
  type Outcome,
  type Policy,
  policyNamed,
  type Process,
  type Rank,
  type Setup,
  type SetupOptions,
  sizeOf,
} from "../../protocol/index.ts";
import { CALL_MOVED, CALL_UNUSED } from "../../../model/index.ts";
import type { FaultPlan } from "./faults.ts";
import { Host } from "./host.ts";
import type { WriteColumns } from "./write-columns.ts";
import type { HostWorld } from "./setting.ts";

export interface AdaptiveOptions extends SetupOptions {
  readonly world: HostWorld;
  readonly policy: Policy | string;
  readonly writers: number;
  /** Bytes of each writer; a number if all are equal. */
  readonly bytes: number | ArrayLike<number>;
  readonly targets: number;
  /** Seed of start times and network faults. */
  readonly seed: number;
  readonly priorRates?: ArrayLike<number> | undefined;
  readonly priorSlots?: ArrayLike<number> | undefined;
  readonly plan?: FaultPlan | undefined;
  /** Writers start within this time. */
  readonly jitterSeconds?: number;
  readonly latencySeconds?: number;
  readonly serviceSeconds?: number;
  readonly openSeconds?: number;
  readonly syncSeconds?: number;
  readonly commitSeconds?: number;
  /** Check all invariants at every step. */
  readonly check?: boolean;
  /** Keep a hash of all events. */
  readonly hash?: boolean;
  readonly log?: (line: string) => void;
  readonly secondsMax?: number;
  readonly makeProcess?: (setup: Setup, rank: Rank) => Process;
}

export interface AdaptiveResult {
  readonly outcome: Outcome | undefined;
  readonly reason: string;
  /** From the last open to the end of the last write, flushed. */
  readonly seconds: number;
  /** Time of the commit: all files synced, index written. */
  readonly commitSeconds: number;
  /** Open time of each file. */
  readonly openSeconds: readonly number[];
  readonly bytes: number;
  /** Per writer: start of its first write and end of its last; NaN without one. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Per writer: the target of its first write; -1 without one. */
  readonly firstTargets: Int32Array;
  readonly perTarget: readonly TargetUse[];
  /** Writes to another group's file, and writes that the index does not name. */
  readonly moved: number;
  readonly unused: number;
  readonly messages: ReadonlyMap<MessageKind, number>;
  readonly events: number;
  readonly hash: string;
  /** Rate and number of writers of each target, for the next step; NaN where none was measured. */
  readonly learnedRates: Float64Array;
  readonly learnedSlots: Float64Array;
  readonly calls: WriteColumns;
}

interface TargetUse {
  bytes: number;
  writes: number;
  /** End of its last write. */
  seconds: number;
}

/** Random stream of start times: the same as in static runs, so that both get the same times. */
const STREAM_JITTER = 8;

export function runAdaptive(options: AdaptiveOptions): AdaptiveResult {
  const policy = typeof options.policy === "string" ? policyNamed(options.policy) : options.policy;
  const { world, writers, targets, bytes: sizes, priorRates, priorSlots, seed } = options;
  if (targets > world.storage.targets)
    throw new UsageError(`${targets} targets: the storage has ${world.storage.targets}`);
  const setup = makeSetup(policy, { writers, targets, sizes, priorRates, priorSlots }, options);
  const host = new Host({
    setup,
    world,
    seed,
    ready: startTimes(writers, options.jitterSeconds ?? 0, seed),
    latencySeconds: options.latencySeconds ?? 60e-6,
    serviceSeconds: options.serviceSeconds ?? 8e-6,
    openSeconds: options.openSeconds ?? 0,
    syncSeconds: options.syncSeconds ?? 0,
    commitSeconds: options.commitSeconds ?? 0,
    plan: options.plan,
    check: options.check ?? false,
    hash: options.hash ?? false,
    log: options.log,
    secondsMax: options.secondsMax ?? Number.POSITIVE_INFINITY,
    ...(options.makeProcess === undefined ? {} : { makeProcess: options.makeProcess }),
  });
  host.run();
  return resultOf(host, setup);
}

function totalBytes(setup: Setup): number {
  let total = 0;
  for (let rank = 0; rank < setup.writers; rank++) total += sizeOf(setup, rank);
  return total;
}

function startTimes(writers: number, jitter: number, seed: number): Float64Array | undefined {
  if (jitter === 0) return undefined;
  const random = Random.stream(seed, STREAM_JITTER, 0);
  const times = new Float64Array(writers);
  for (let rank = 0; rank < writers; rank++) times[rank] = random.unit() * jitter;
  return times;
}

function resultOf(host: Host, setup: Setup): AdaptiveResult {
  const { writers, targets } = setup;
  const { calls, files } = host;
  const { writingFrom } = files;
  const starts = new Float64Array(writers).fill(Number.NaN);
  const ends = new Float64Array(writers).fill(Number.NaN);
  const firstTargets = new Int32Array(writers).fill(-1);
  const perTarget = Array.from({ length: targets }, () => ({ bytes: 0, writes: 0, seconds: 0 }));
  const { count, flags: allFlags, startNs, endNs, file: allTargets, bytes: allBytes, process } = calls;
  let [last, bytes, moved, unused] = [writingFrom, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    const flags = allFlags[i] as number;
    if (flags & CALL_MOVED) moved++;
    if (flags & CALL_UNUSED) unused++;
    const start = (startNs[i] as number) / 1e9;
    const end = (endNs[i] as number) / 1e9;
    const use = perTarget[allTargets[i] as number];
    assert(use !== undefined && end >= start, "a write was on a target, and took time");
    use.bytes += allBytes[i] as number;
    use.writes++;
    if (end - writingFrom > use.seconds) use.seconds = end - writingFrom;
    if (flags & CALL_UNUSED) continue;
    if (end > last) last = end;
    bytes += allBytes[i] as number;
    const rank = process[i] as number;
    if (!(ends[rank]! >= end)) ends[rank] = end;
    if (starts[rank]! <= start) continue;
    starts[rank] = start;
    firstTargets[rank] = allTargets[i] as number;
  }
  assert(host.outcome !== "complete" || bytes === totalBytes(setup), "a complete run wrote every byte once");
  const learnedRates = new Float64Array(targets).fill(Number.NaN);
  const learnedSlots = new Float64Array(targets).fill(Number.NaN);
  for (const { target, rate, slots } of host.coordinator?.learned.values() ?? []) {
    assert(target < targets && rate > 0 && slots >= 1, "a measurement belongs to a used target");
    learnedRates[target] = rate;
    learnedSlots[target] = slots;
  }
  return {
    outcome: host.outcome,
    reason: host.reason,
    seconds: last - writingFrom,
    commitSeconds: host.decidedAt - writingFrom,
    openSeconds: files.opens,
    bytes,
    starts,
    ends,
    firstTargets,
    perTarget,
    moved,
    unused,
    messages: host.network.counts,
    events: host.events,
    hash: host.digest(),
    learnedRates,
    learnedSlots,
    calls,
  };
}
