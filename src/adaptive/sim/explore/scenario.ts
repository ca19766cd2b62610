/** Random scenarios for the explorer: a seed always gives the same run with the same faults. */
import { assert } from "../../../base/assert.ts";
import { FormatError } from "../../../base/errors.ts";
import { Random } from "../../../base/prng.ts";
import { type Fault, faultText, type NetworkFaults } from "../host/index.ts";

/** All inputs of a run, as plain data. */
export interface Scenario {
  readonly seed: number;
  readonly policy: string;
  readonly writers: number;
  readonly targets: number;
  /** Bytes of each writer. */
  readonly sizes: readonly number[];
  readonly sharedSources: boolean;
  readonly faults: readonly Fault[];
  readonly network: NetworkFaults | null;
  /** Seconds until the transport reports a death; null: never. */
  readonly noticeSeconds: number | null;
  /** Bytes per second in earlier steps, or null. */
  readonly priorRates: readonly number[] | null;
  readonly openStaggerSeconds: number;
}

export const EXPLORED_POLICIES = ["paper", "plimsoll", "static"] as const;

/** Heartbeat of the processes in every scenario. */
export const HEARTBEAT_SECONDS = 0.5;

const STREAM_SCENARIO = 201;
const MIB = 2 ** 20;
/** Most faults strike while data is written, which takes about this long. */
const BUSY_SECONDS = 3;

export function scenarioOf(seed: number, policies: readonly string[] = EXPLORED_POLICIES): Scenario {
  const random = Random.stream(seed, STREAM_SCENARIO, 0);
  const policy = random.pick(policies);
  const targets = 1 + random.below(6);
  const writers = 1 + random.below(random.unit() < 0.2 ? 40 : 14);
  const largest = random.pick([1, 8, 64, 256]) * MIB;
  const sizes = Array.from({ length: writers }, () => (random.unit() < 0.08 ? 0 : 1 + random.below(largest)));
  sizes[random.below(writers)] = largest;
  assert(sizes.length === writers, "every writer has a size");
  const faults = Array.from({ length: random.below(5) }, () => faultOf(random, writers, targets));
  const network = random.unit() < 0.5 ? networkOf(random) : null;
  return {
    seed,
    policy,
    writers,
    targets,
    sizes,
    sharedSources: random.unit() < 0.6,
    faults,
    network,
    noticeSeconds: random.unit() < 0.5 ? random.pick([0.001, 0.1, 1]) : null,
    priorRates:
      random.unit() < 0.3 ? Array.from({ length: targets }, () => (0.05 + random.unit()) * 100 * MIB) : null,
    openStaggerSeconds: random.unit() < 0.3 ? 0.05 : 0,
  };
}

function networkOf(random: Random): NetworkFaults {
  return {
    lateShare: random.pick([0, 0.02, 0.3]),
    lateSeconds: random.pick([0.001, 0.1, 2, 8]),
    repeatedShare: random.pick([0, 0.05, 0.5]),
  };
}

function faultOf(random: Random, writers: number, targets: number): Fault {
  const rank = random.unit() < 0.35 ? 0 : random.below(writers);
  const target = random.below(targets);
  const at = random.unit() * BUSY_SECONDS * (random.unit() < 0.2 ? 5 : 1);
  const which = random.unit();
  if (which < 0.2) return { kind: "kill", rank, at };
  if (which < 0.45) return { kind: "kill-at-input", rank, input: 1 + random.below(30) };
  if (which < 0.53) return { kind: "pause", rank, at, seconds: random.pick([0.1, 3, 10]) };
  if (which < 0.63) return { kind: "slow", target, at, factor: random.pick([0.02, 0.1, 0.5]) };
  if (which < 0.72) return { kind: "slow", target, at, factor: 0 };
  if (which < 0.8) return { kind: "full", target, bytes: random.below(512 * MIB) };
  if (which < 0.86) return { kind: "eio", target, at };
  return { kind: random.pick(["open-fails", "open-hangs", "sync-fails", "sync-hangs"] as const), target };
}

/** Reads a scenario from JSON; `path` is for messages. */
export function readScenario(text: string, path: string): Scenario {
  let scenario: Partial<Scenario>;
  try {
    scenario = JSON.parse(text) as Partial<Scenario>;
  } catch (error) {
    throw new FormatError(path, {}, `expected a scenario as JSON: ${(error as Error).message}`);
  }
  const { writers, targets, sizes, faults, policy } = scenario;
  if (typeof policy !== "string" || !Array.isArray(sizes) || !Array.isArray(faults))
    throw new FormatError(path, {}, "expected a scenario: policy, writers, targets, sizes and faults");
  if (sizes.length !== writers)
    throw new FormatError(
      path,
      {},
      `expected one size per writer: ${sizes.length} sizes, ${writers} writers`,
    );
  for (const fault of faults as Scenario["faults"]) {
    const isOutside =
      ("rank" in fault && !(fault.rank < (writers ?? 0))) ||
      ("target" in fault && !(fault.target < (targets ?? 0)));
    if (isOutside) throw new FormatError(path, {}, `no such rank or target: ${faultText(fault)}`);
  }
  const rest = {
    network: null,
    noticeSeconds: null,
    priorRates: null,
    openStaggerSeconds: 0,
    sharedSources: false,
  };
  return { seed: 0, ...rest, ...scenario } as Scenario;
}
