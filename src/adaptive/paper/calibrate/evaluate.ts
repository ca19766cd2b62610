/** The misfit between a machine's parameters and the published numbers. */

import { assert } from "../../../base/assert.ts";
import { UsageError } from "../../../base/errors.ts";
import { mean } from "../../../base/statistics.ts";
import {
  adaptivePlan,
  allTargetsPlan,
  fig1Plan,
  HOURLY,
  hourlySeries,
  IOR_TARGETS,
  xtpPlan,
} from "../../sim/experiments/plans.ts";
import { type Measured, type Sample, type Series, seriesKey } from "../../sim/experiments/series.ts";
import { type Machine, MACHINES } from "../../sim/machines/index.ts";
import { CHECKS, type Check, Evidence, type Judged, judgeAll } from "../checks.ts";
import { samplesJobs, writesOf } from "../replay/jobs.ts";
import { type PoolOptions, runJobs } from "../replay/pool.ts";

export interface Effort {
  /** Samples of figures and of Table I. */
  readonly samples: number;
  readonly tests: number;
  readonly seed: number;
  /** Number of seeds, starting at `seed`; their losses are averaged. Default 1. */
  readonly seeds?: number;
  readonly judgedOnly?: boolean;
}

export interface Evaluation {
  /** Mean over seeds. */
  readonly loss: number;
  /** On each seed. */
  readonly losses: readonly number[];
  /** On the first seed. */
  readonly judged: readonly Judged[];
  readonly measured: Measured;
}

/** Hourly tests have the seed after that of the figures, so neighbours would share theirs. */
const SEED_STEP = 10;

/** Below this many simulated writes, starting threads takes longer than the runs. */
const WORTH_THREADS = 200_000;

/** Series used by checks with a weight in the loss; omitting the rest makes a search faster. */
const isJudged = ({ sizeMb, writers, interference, targets }: Series): boolean =>
  targets <= IOR_TARGETS && (sizeMb !== 2 || writers >= (interference ? 8192 : 2048));

/** The experiments of one machine. */
function planOf(machine: string, { samples, tests, seed }: Effort): Series[] {
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

const checksOf = (machine: string): readonly Check[] => CHECKS.filter(({ row }) => rowsOf(machine).test(row));

/** Checks of a machine: those of the paper's experiments, or of a table of targets. */
export interface Judging {
  readonly checks: readonly Check[];
  readonly plan: (effort: Effort) => Series[];
}

/** The published numbers of a machine. */
export function judgingOf(machine: string): Judging {
  const known = MACHINES.map(({ name }) => name);
  if (!known.includes(machine))
    throw new UsageError(
      `no published numbers for ${machine}: give your measurements with --targets (for the paper's machines, set "name" in the file to one of ${known.join(", ")})`,
    );
  const plan = (effort: Effort) =>
    planOf(machine, effort).filter((series) => effort.judgedOnly !== true || isJudged(series));
  return { checks: checksOf(machine), plan };
}

/** Threads for the runs of an evaluation. */
export type Pool = Omit<PoolOptions, "machines" | "onProgress">;

export const HERE: Pool = { threads: 0 };

/** Several machines at once, so that all threads have something to do. */
export async function evaluateAll(
  machines: readonly Machine[],
  effort: Effort,
  judging: Judging,
  pool: Pool = HERE,
): Promise<Evaluation[]> {
  const seeds = Array.from({ length: effort.seeds ?? 1 }, (_, i) => effort.seed + SEED_STEP * i);
  const cases = machines.flatMap((machine) =>
    seeds.map((seed) => {
      const plan = judging.plan({ ...effort, seed });
      const measured = new Map(plan.map((series) => [seriesKey(series), [] as Sample[]]));
      assert(measured.size === plan.length, "a series appears twice in the plan");
      return { machine, measured, jobs: plan.flatMap((series) => samplesJobs(series, machine)) };
    }),
  );
  const jobs = cases.flatMap((one) => one.jobs);
  const writes = jobs.reduce((sum, job) => sum + writesOf(job), 0);
  const threads = writes < WORTH_THREADS ? 0 : pool.threads;
  const { results } = await runJobs(jobs, { ...pool, threads, machines });
  let next = 0;
  const judged = cases.map(({ machine, measured, jobs: own }) => {
    // Jobs of a series are in the order of their samples.
    for (const { series } of own) {
      const result = results[next++];
      if (result?.kind === "samples") measured.get(seriesKey(series))?.push(...result.samples);
    }
    return { measured, judged: judgeAll(new Evidence(measured, () => machine), judging.checks) };
  });
  assert(next === jobs.length && results.length === jobs.length, "every result belongs to one case");
  return machines.map((_, i) => {
    const own = judged.slice(i * seeds.length, (i + 1) * seeds.length);
    const losses = own.map((one) => lossOf(one.judged));
    return { loss: mean(losses), losses, ...own[0]! };
  });
}

export async function evaluate(
  machine: Machine,
  effort: Effort,
  judging: Judging = judgingOf(machine.name),
  pool: Pool = HERE,
): Promise<Evaluation> {
  const [only] = await evaluateAll([machine], effort, judging, pool);
  return only as Evaluation;
}

/**
 * Within its tolerance a check costs little; beyond it the cost grows logarithmically, so that a single hopeless check does not
 * dominate.
 */
function lossOf(judged: readonly Judged[]): number {
  let loss = 0;
  for (const { check, misfit } of judged)
    if (!Number.isNaN(misfit))
      loss += check.weight * (misfit <= 1 ? 0.2 * misfit * misfit : 0.2 + 1.5 * Math.log(misfit));
  return loss;
}
