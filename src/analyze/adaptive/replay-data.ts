/** What a page about the paper's experiments is made of; the simulator's results have this shape. */

export type Verdict = "met" | "missed" | "not run" | "contradiction";

export interface ReplayCheck {
  readonly id: string;
  /** Of the list of published numbers: "I6". */
  readonly row: string;
  readonly place: string;
  readonly claim: string;
  readonly published: string;
  readonly measured: string;
  readonly tolerance: string;
  readonly method: string;
  readonly verdict: Verdict;
  /** Follows from the machines' data and the plan; nothing was simulated for it. */
  readonly computed: boolean;
  readonly note: string;
}

/** One run; bandwidths in MB/s. */
export interface ReplaySample {
  readonly seconds: number;
  readonly bandwidth: number;
  readonly writerBandwidth: number;
  readonly imbalance: number;
}

export interface ReplaySeries {
  readonly machine: string;
  readonly method: string;
  readonly sizeMb: number;
  readonly writers: number;
  readonly targets: number;
  readonly interference: boolean;
  readonly twoJobs: boolean;
  readonly hourly: boolean;
  readonly results: readonly ReplaySample[];
}

/** Write times of each writer in two tests on the same storage. */
export interface ReplayPair {
  readonly sample: number;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

export interface PolicyStepFacts {
  readonly seconds: number;
  readonly bandwidth: number;
  readonly imbalance: number;
  readonly spread: number;
  readonly movedShare: number;
  readonly unusedShare: number;
  readonly messages: number;
}

export interface PolicyFacts {
  readonly policy: string;
  readonly sizeMb: number;
  readonly writers: number;
  readonly targets: number;
  readonly interference: boolean;
  readonly seed: number;
  readonly results: readonly PolicyStepFacts[];
}

export interface ReplayMachine {
  readonly name: string;
  readonly title: string;
  readonly targets: number;
  readonly parameters: Readonly<Record<string, number>>;
  readonly origins: Readonly<Record<string, string | undefined>>;
  readonly fit?: { readonly loss: number; readonly seed: number; readonly samples: number } | undefined;
}

export interface ReplayData {
  readonly seed: number;
  readonly machines: readonly ReplayMachine[];
  readonly parts: readonly string[];
  readonly checks: readonly ReplayCheck[];
  readonly series: readonly ReplaySeries[];
  readonly pairs: readonly ReplayPair[];
  readonly policies: readonly PolicyFacts[];
  readonly contradictions: readonly {
    readonly place: string;
    readonly printed: string;
    readonly found: string;
    readonly used: string;
  }[];
  readonly runs: number;
  readonly events: number;
}

/** Least, mean and greatest of a number of each sample; NaN without samples. */
export function rangeOf(values: readonly number[]): { low: number; mean: number; high: number } {
  if (values.length === 0) return { low: Number.NaN, mean: Number.NaN, high: Number.NaN };
  let [low, high, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
    sum += value;
  }
  return { low, mean: sum / values.length, high };
}

/** Distinct values of a field, rising. */
export const distinct = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
