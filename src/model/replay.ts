/** A replay of the paper's experiments: what the simulator gives, and what a page about it is made of. */

/**
 * `not run`: the experiments of this check were left out. `not enough samples`: there are fewer than in the paper's
 * experiments, and drawn again they could be met or missed. `contradiction`: the paper disagrees with itself.
 */
export type Verdict = "met" | "missed" | "not enough samples" | "not run" | "contradiction";

export interface ReplayCheck {
  /** `I6 128MB`: the row of the list of published numbers, and which part of it. */
  readonly id: string;
  readonly row: string;
  /** Section, table or figure of the paper. */
  readonly place: string;
  readonly claim: string;
  readonly published: string;
  readonly measured: string;
  readonly tolerance: string;
  /** How the simulation measures it. */
  readonly method: string;
  readonly verdict: Verdict;
  /** Follows from the machines' data and the plan; nothing was simulated for it. */
  readonly computed: boolean;
  readonly note: string;
  /** Of what is missed, why the model cannot give it; empty where nobody knows. */
  readonly why: string;
}

/** What one run gives. */
export interface ReplaySample {
  readonly seconds: number;
  /** All bytes over the time of the slowest, MB/s. */
  readonly bandwidth: number;
  /** Mean of the writers' own, MB/s. */
  readonly writerBandwidth: number;
  /** Slowest over fastest write time. */
  readonly imbalance: number;
}

export interface ReplaySeries {
  readonly machine: string;
  readonly method: string;
  readonly sizeMb: number;
  readonly writers: number;
  readonly targets: number;
  readonly interference: boolean;
  /** Two such jobs at once; this one is measured. */
  readonly twoJobs: boolean;
  /** One of the hourly tests of Table I; they are counted apart from equal runs of Fig 1. */
  readonly hourly: boolean;
  readonly results: readonly ReplaySample[];
}

/** Write times of each writer in two tests on the same storage. */
export interface ReplayPair {
  readonly sample: number;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/** One output step under a policy. */
export interface PolicyStepFacts {
  readonly seconds: number;
  /** MB/s. */
  readonly bandwidth: number;
  /** Slowest over fastest writer, and the standard deviation of their times over its mean. */
  readonly imbalance: number;
  readonly spread: number;
  /** Share of the bytes that went to another group's file. */
  readonly movedShare: number;
  /** Bytes written a second time in vain, as a share. */
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

/** Where the paper disagrees with itself, or prints what cannot be meant. */
export interface Contradiction {
  readonly place: string;
  readonly printed: string;
  readonly found: string;
  /** What is used here instead. */
  readonly used: string;
}

/** One parameter set of a sweep for published numbers that are hard to reach together. Gains are adaptive over MPI-IO. */
export interface TradeoffRow {
  /** "as fitted", or the parameter with its value. */
  readonly changed: string;
  /** 1 GB each, at 1024 (the lower of base and interference) and at 16384 processes. */
  readonly gainFew: number;
  readonly gainMany: number;
  /** Hourly tests of Jaguar: mean bandwidth in MB/s, mean imbalance. */
  readonly hourlyMean: number;
  readonly imbalance: number;
  /** 2 MB each, at 8192 and 16384 processes, base and interference. */
  readonly small: {
    readonly base: readonly [number, number];
    readonly interference: readonly [number, number];
  };
  /** 128 MB each, base, at 512 and 16384 processes, and MPI-IO's bandwidth there in MB/s. */
  readonly large: { readonly gains: readonly [number, number]; readonly mpiIo: readonly [number, number] };
}

export interface ReplayData {
  readonly seed: number;
  readonly machines: readonly ReplayMachine[];
  readonly parts: readonly string[];
  readonly checks: readonly ReplayCheck[];
  readonly series: readonly ReplaySeries[];
  readonly pairs: readonly ReplayPair[];
  readonly policies: readonly PolicyFacts[];
  readonly contradictions: readonly Contradiction[];
  /** Where it was run. */
  readonly tradeoff?: readonly TradeoffRow[] | undefined;
  /** Simulated runs and events. */
  readonly runs: number;
  readonly events: number;
}
