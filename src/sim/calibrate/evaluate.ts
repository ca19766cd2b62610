/** How far a machine's parameters are from the published numbers. */

import { EventQueue } from "../events.ts";
import {
  adaptivePlan,
  allTargetsPlan,
  fig1Plan,
  HOURLY,
  hourlySeries,
  IOR_TARGETS,
  xtpPlan,
} from "../experiments/plans.ts";
import { type AdaptiveRun, type Measured, runPlan, type Series } from "../experiments/series.ts";
import type { Machine } from "../machines/machine.ts";
import { CHECKS, type Check, Evidence, type Judged, judgeAll } from "../published/index.ts";
import { runTwin } from "./twin.ts";

export interface Effort {
  /** Samples of figures and of Table I. */
  readonly samples: number;
  readonly tests: number;
  readonly seed: number;
  readonly judgedOnly?: boolean;
}

export interface Evaluation {
  readonly loss: number;
  readonly judged: readonly Judged[];
  readonly measured: Measured;
}

/** Series that some check with a weight in the loss looks at; leaving out the rest makes a search faster. */
const isJudged = ({ sizeMb, writers, interference, targets }: Series): boolean =>
  targets <= IOR_TARGETS && (sizeMb !== 2 || writers >= (interference ? 8192 : 2048));

/** The experiments of one machine: all, or those that a search needs. */
export function planOf(machine: string, effort: Effort): Series[] {
  const plan = wholePlan(machine, effort);
  return effort.judgedOnly === true ? plan.filter(isJudged) : plan;
}

function wholePlan(machine: string, { samples, tests, seed }: Effort): Series[] {
  const hourly = HOURLY.filter((line) => line.machine === machine).map((line) =>
    hourlySeries(line, tests, seed + 1),
  );
  if (machine === "jaguar")
    return [
      ...hourly,
      ...fig1Plan(samples, seed),
      ...adaptivePlan(samples, seed),
      ...allTargetsPlan(samples, seed),
    ];
  return machine === "xtp" ? [...hourly, ...xtpPlan(samples, seed)] : hourly;
}

/** Checks that depend on a machine's parameters. */
const rowsOf = (machine: string): RegExp =>
  machine === "jaguar" ? /^(I[1-6]|E1|E5|P|N2)/ : machine === "franklin" ? /^E2/ : /^(E3|E4|I7)/;

export const checksOf = (machine: string): readonly Check[] =>
  CHECKS.filter(({ row }) => rowsOf(machine).test(row));

const queue = new EventQueue();

/** What a machine is judged by: the paper's experiments unless a table of targets says otherwise. */
export interface Judging {
  readonly checks: readonly Check[];
  readonly plan: (effort: Effort) => Series[];
}

export function judgingOf(machine: string): Judging {
  return { checks: checksOf(machine), plan: (effort) => planOf(machine, effort) };
}

export function evaluate(
  machine: Machine,
  effort: Effort,
  judging: Judging = judgingOf(machine.name),
  adaptive: AdaptiveRun = runTwin,
): Evaluation {
  const bench = { machine: () => machine, adaptive, queue, jitter: false };
  const measured = runPlan(judging.plan(effort), bench);
  const judged = judgeAll(new Evidence(measured, () => machine), judging.checks);
  return { loss: lossOf(judged), judged, measured };
}

/**
 * Within its tolerance a check costs little; beyond, the cost grows with the logarithm, so that one hopeless check does
 * not decide everything.
 */
export function lossOf(judged: readonly Judged[]): number {
  let loss = 0;
  for (const { check, misfit } of judged)
    if (!Number.isNaN(misfit))
      loss += check.weight * (misfit <= 1 ? 0.2 * misfit * misfit : 0.2 + 1.5 * Math.log(misfit));
  return loss;
}
