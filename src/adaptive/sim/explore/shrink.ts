/** Makes a scenario that breaks an invariant smaller, as long as it still breaks the same one. */
import { assert } from "../../../base/assert.ts";
import type { Fault } from "../host/index.ts";
import { checkScenario } from "./check.ts";
import type { Violation } from "./explore.ts";
import { type Scenario, scenarioOf } from "./scenario.ts";

/** Runs that a scenario may cost; each takes about a millisecond. */
const TRIES_MAX = 2000;
const SMALL = 2 ** 20;

/** The smallest scenario that still breaks the invariant of the violation. */
export const smallestWith = (
  { seed, invariant }: Pick<Violation, "seed" | "invariant">,
  policies: readonly string[],
): Scenario =>
  shrink(scenarioOf(seed, policies), (smaller) => checkScenario(smaller).violation === invariant);

/** `breaks` tells whether a scenario still does. The result cannot be reduced by any single step. */
function shrink(scenario: Scenario, breaks: (smaller: Scenario) => boolean): Scenario {
  let smallest = scenario;
  let tries = 0;
  for (let found = true; found; ) {
    found = false;
    for (const candidate of smallerOnes(smallest)) {
      if (++tries > TRIES_MAX) return smallest;
      if (!breaks(candidate)) continue;
      assert(candidate.sizes.length === candidate.writers, "a smaller scenario is valid");
      smallest = candidate;
      found = true;
      break;
    }
  }
  return smallest;
}

function* smallerOnes(scenario: Scenario): Generator<Scenario> {
  const { faults, writers, targets, sizes, network } = scenario;
  for (let i = 0; i < faults.length; i++)
    yield { ...scenario, faults: faults.filter((_, index) => index !== i) };
  for (const fewer of [writers >> 1, writers - 1]) if (fewer >= 1) yield withWriters(scenario, fewer);
  for (const fewer of [targets >> 1, targets - 1]) if (fewer >= 1) yield withTargets(scenario, fewer);
  if (network !== null) {
    yield { ...scenario, network: null };
    if (network.repeatedShare > 0) yield { ...scenario, network: { ...network, repeatedShare: 0 } };
    if (network.lateShare > 0) yield { ...scenario, network: { ...network, lateShare: 0 } };
  }
  if (scenario.priorRates !== null) yield { ...scenario, priorRates: null };
  if (scenario.openStaggerSeconds > 0) yield { ...scenario, openStaggerSeconds: 0 };
  if (scenario.noticeSeconds !== null) yield { ...scenario, noticeSeconds: null };
  if (sizes.some((size) => size > SMALL))
    yield { ...scenario, sizes: sizes.map((size) => Math.min(size, SMALL)) };
  if (sizes.some((size) => size !== sizes[0]))
    yield { ...scenario, sizes: sizes.map(() => Math.max(...sizes)) };
}

function withWriters(scenario: Scenario, writers: number): Scenario {
  const kept = scenario.sizes.slice(0, writers);
  const sizes = kept.some((size) => size > 0) ? kept : kept.map(() => SMALL);
  return { ...scenario, writers, sizes, faults: scenario.faults.filter((fault) => rankOf(fault) < writers) };
}

function withTargets(scenario: Scenario, targets: number): Scenario {
  const faults = scenario.faults.filter((fault) => !("target" in fault) || fault.target < targets);
  const priorRates = scenario.priorRates?.slice(0, targets) ?? null;
  return { ...scenario, targets, faults, priorRates };
}

const rankOf = (fault: Fault): number => ("rank" in fault ? fault.rank : -1);
