/**
 * Correlation of a metric with execution time over the cases of a set (C05). As the paper normalises it, a coefficient is
 * positive when its direction is the one of Table 1; that is the product of the coefficient and the expected sign.
 *
 * With fixed data execution time goes with 1/BPS, so a wide range of cases bends the line and Pearson's coefficient
 * understates; Spearman's and Pearson's against 1/time stand beside it.
 */
import type { Interval } from "../../../base/bootstrap.ts";
import { Random } from "../../../base/prng.ts";
import { mean, pearson, quantile, sorted, spearman } from "../../../base/statistics.ts";
import { type Average, averageOf, type Case, type Measure, caseValue } from "./runs.ts";
import { METRIC_NAMES, METRICS, type MetricName, type SetId } from "./sets.ts";

/** Normalised: positive is the expected direction. NaN: not defined. */
export interface Correlation {
  readonly metric: MetricName;
  /** Cases. */
  readonly n: number;
  /** Runs of the case that has fewest. */
  readonly runs: number;
  /** As it is, not normalised. */
  readonly raw: number;
  readonly pearson: number;
  readonly spearman: number;
  /** Of the metric and 1/time. */
  readonly inverse: number;
  /** Of `pearson`, cases and the runs of each resampled. */
  readonly interval: Interval;
  readonly spearmanInterval: Interval;
  /** Of `pearson`, the cases kept and only their runs resampled: how much of it is noise of the machine. */
  readonly noiseInterval: Interval;
}

export interface ResampleOptions {
  readonly seed: number;
  readonly replicates: number;
  readonly level: number;
  readonly average: Average;
}

/** With fewer, every coefficient is near 1 or undefined. */
export const CASES_MIN = 3;
/** With fewer, an interval knows nothing of the noise of the machine. */
export const RUNS_MIN = 2;

export type SetCorrelations = Readonly<Record<MetricName, Correlation>>;

export interface CorrelatedSets {
  readonly sets: ReadonlyMap<SetId, SetCorrelations>;
  /** Mean over the sets of each metric's normalised coefficient, with its interval. */
  readonly overall: Readonly<Record<MetricName, { readonly mean: number; readonly interval: Interval }>>;
}

export function correlate(
  cases: ReadonlyMap<SetId, readonly Case[]>,
  options: ResampleOptions,
): CorrelatedSets {
  const sets = new Map<SetId, SetCorrelations>();
  const draws = new Map<SetId, Draws>();
  for (const [set, of] of cases) {
    const drawn = resample(of, options, set);
    draws.set(set, drawn);
    sets.set(
      set,
      perMetric((metric) => correlation(of, metric, drawn, options)),
    );
  }
  const overall = perMetric((metric) => {
    const values = [...sets.values()].map((one) => one[metric].pearson).filter((one) => !Number.isNaN(one));
    const replicates = Array.from({ length: options.replicates }, (_, i) =>
      mean([...draws.values()].map((one) => one[metric].pearson[i] as number)),
    );
    return { mean: mean(values), interval: intervalOf(replicates, options.level) };
  });
  return { sets, overall };
}

const perMetric = <T>(make: (metric: MetricName) => T) =>
  Object.fromEntries(METRIC_NAMES.map((metric) => [metric, make(metric)])) as Record<MetricName, T>;

function correlation(
  cases: readonly Case[],
  metric: MetricName,
  drawn: Draws,
  { average, level }: ResampleOptions,
): Correlation {
  const { expected } = METRICS[metric];
  const x = cases.map((one) => caseValue(one, metric, average));
  const y = cases.map((one) => caseValue(one, "executionSeconds", average));
  const enough = cases.length >= CASES_MIN;
  const raw = enough ? pearson(x, y) : Number.NaN;
  return {
    metric,
    n: cases.length,
    runs: Math.min(...cases.map(({ runs }) => runs.length)),
    raw,
    pearson: expected * raw,
    spearman: enough ? expected * spearman(x, y) : Number.NaN,
    inverse: enough
      ? -expected *
        pearson(
          x,
          y.map((seconds) => 1 / seconds),
        )
      : Number.NaN,
    interval: intervalOf(drawn[metric].pearson, level),
    spearmanInterval: intervalOf(drawn[metric].spearman, level),
    noiseInterval: intervalOf(drawn[metric].noise, level),
  };
}

interface Draw {
  readonly pearson: number[];
  readonly spearman: number[];
  readonly noise: number[];
}
type Draws = Readonly<Record<MetricName, Draw>>;

/**
 * Draws cases with replacement, and for each drawn case its runs with replacement; all metrics of a replicate share the
 * draw. A replicate with fewer than three different cases has no coefficient.
 */
function resample(cases: readonly Case[], { seed, replicates, average }: ResampleOptions, set: SetId): Draws {
  const draws = perMetric<Draw>(() => ({ pearson: [], spearman: [], noise: [] }));
  // A stream for each set: the interval of one does not depend on which others were run.
  const id = [...set].reduce((sum, letter) => sum * 256 + letter.charCodeAt(0), 0);
  const random = Random.stream(seed, 1, id);
  const measures = [...METRIC_NAMES, "executionSeconds"] as const;
  const redrawn = (of: Case) => {
    const picked = of.runs.map(() => random.pick(of.runs));
    return Object.fromEntries(
      measures.map((measure) => [
        measure,
        averageOf(
          picked.map((run) => run[measure]),
          average,
        ),
      ]),
    ) as Record<Measure, number>;
  };
  for (let i = 0; i < replicates; i++) {
    const chosen = cases.map(() => random.below(cases.length));
    const both = chosen.map((at) => redrawn(cases[at] as Case));
    const kept = cases.map(redrawn);
    const enough = new Set(chosen).size >= CASES_MIN;
    for (const metric of METRIC_NAMES) {
      const of = (list: typeof both, statistic: typeof pearson) =>
        METRICS[metric].expected *
        statistic(
          list.map((value) => value[metric]),
          list.map((value) => value.executionSeconds),
        );
      draws[metric].pearson.push(enough ? of(both, pearson) : Number.NaN);
      draws[metric].spearman.push(enough ? of(both, spearman) : Number.NaN);
      draws[metric].noise.push(cases.length >= CASES_MIN ? of(kept, pearson) : Number.NaN);
    }
  }
  return draws;
}

function intervalOf(values: readonly number[], level: number): Interval {
  const rising = sorted(values);
  const tail = (1 - level) / 2;
  return { low: quantile(rising, tail), high: quantile(rising, 1 - tail) };
}
