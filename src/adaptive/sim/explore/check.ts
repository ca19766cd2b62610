/** Runs a scenario and checks every invariant. */
import { AssertionError } from "../../../base/assert.ts";
import {
  InvariantViolation,
  type Outcome,
  type Process,
  type Rank,
  type Setup,
} from "../../protocol/index.ts";
import { EventQueue } from "../events.ts";
import { runAdaptive } from "../host/index.ts";
import { makeWorld, withDefaults } from "../storage/index.ts";
import { withCause } from "./orphans.ts";
import { HEARTBEAT_SECONDS, type Scenario } from "./scenario.ts";

export interface Checked {
  /** The invariant that broke, or `assertion` when the code itself stopped; undefined when all held. */
  readonly violation: string | undefined;
  readonly detail: string;
  readonly outcome: Outcome | "nobody left";
  readonly reason: string;
  readonly events: number;
  readonly hash: string;
}

interface CheckOptions {
  readonly log?: (line: string) => void;
  /** For tests: processes that break the rules. */
  readonly makeProcess?: (setup: Setup, rank: Rank) => Process;
}

/** An idle machine with small latencies: only the order of events matters here. */
const PARAMETERS = withDefaults({ opOverhead: 0.005, dirtyLimit: 64 });

/** Far beyond the end of any run: leases last seconds. */
const SECONDS_MAX = 20_000;

const queue = new EventQueue();

export function checkScenario(scenario: Scenario, options: CheckOptions = {}): Checked {
  const { seed, policy, writers, targets, sizes, faults, network, noticeSeconds, priorRates } = scenario;
  const run = { seed, sample: 0, samples: 1 };
  const world = makeWorld({ parameters: PARAMETERS, machineTargets: targets, targets, run }, queue);
  try {
    const result = runAdaptive({
      world,
      policy,
      writers,
      bytes: sizes,
      targets,
      seed,
      sharedSources: scenario.sharedSources,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      leaseSeconds: 3,
      leaseBytesPerSecond: 20 * 2 ** 20,
      openStaggerSeconds: scenario.openStaggerSeconds,
      openSeconds: 0.002,
      syncSeconds: 0.01,
      commitSeconds: 0.005,
      jitterSeconds: 0.02,
      priorRates: priorRates ?? undefined,
      plan: {
        faults,
        network: network ?? undefined,
        ...(noticeSeconds === null ? {} : { noticeSeconds }),
      },
      check: true,
      hash: true,
      secondsMax: SECONDS_MAX,
      ...options,
    });
    const { outcome, reason, events, hash } = result;
    const fullReason = withCause(reason, scenario);
    return {
      violation: undefined,
      detail: "",
      outcome: outcome ?? "nobody left",
      reason: fullReason,
      events,
      hash,
    };
  } catch (error) {
    const none = { outcome: "nobody left", reason: "", events: queue.taken, hash: "" } as const;
    if (error instanceof InvariantViolation)
      return { violation: error.invariant, detail: error.message, ...none };
    if (error instanceof AssertionError || error instanceof TypeError)
      return { violation: "assertion", detail: (error.stack ?? error.message).slice(0, 600), ...none };
    throw error;
  }
}
