/**
 * The numbers of the scenario: two clusters shaped like Cab and Quartz of the study of job I/O (Paul et al.). Shapes are those
 * of docs/generate.md; what is marked "calibrated" was set against the published marginals.
 */

const KB = 1e3;
export const MB = 1e6;
export const GB = 1e9;
const TB = 1e12;

type ClusterName = "cab" | "quartz";
export const CLUSTER_CHOICES = ["cab", "quartz", "both"] as const;
export type ClusterChoice = (typeof CLUSTER_CHOICES)[number];

export const FILE_SYSTEM = "lustre1";
export const ZONE = "America/Los_Angeles";
/** Jobs of this length and more are outside the study. */
export const LONG_SECONDS = 86_400;

export interface ClusterModel {
  readonly name: ClusterName;
  readonly jobs: number;
  readonly users: number;
  /** First local day and number of months. */
  readonly from: readonly [year: number, month: number];
  readonly months: number;
  readonly nodesMin: number;
  readonly nodesMax: number;
  readonly coresPerNode: number;
  readonly nodeMemoryBytes: number;
  /** Hours: medians of short jobs and the second parameter of long ones are calibrated. */
  readonly duration: {
    readonly shortMedian: number;
    readonly longBeta: number;
    /** Shares of short, mid and long jobs; of all, and of those with I/O. */
    readonly shares: readonly [number, number, number];
    readonly sharesWithIo: readonly [number, number, number];
  };
  /** Share of node-hours in jobs of 24 h and more, and node-hours of a shorter job on average. */
  readonly longShare: number;
  readonly nodeHoursMean: number;
  readonly written: { readonly mean: number; readonly min: number; readonly max: number };
  readonly perCall: { readonly mean: number; readonly max: number };
  /** Of the jobs that write more than the mean, those with less than the mean per call. */
  readonly inefficient: number;
  /** Of the users who write more than the mean, those with more than the mean per call. */
  readonly usersEfficient: number;
  /** First job number and first user number. */
  readonly firstJob: number;
  readonly firstUser: number;
}

export const CAB: ClusterModel = {
  name: "cab",
  jobs: 2_854_478,
  users: 994,
  from: [2015, 4],
  months: 36,
  nodesMin: 2,
  nodesMax: 758,
  coresPerNode: 16,
  nodeMemoryBytes: 32 * GB,
  duration: {
    shortMedian: 0.0015,
    longBeta: 3.06,
    shares: [0.62, 0.285, 0.095],
    sharesWithIo: [0.48, 0.385, 0.135],
  },
  longShare: 0.0223,
  nodeHoursMean: 15.8,
  written: { mean: 14.4 * GB, min: 81 * KB, max: 474 * TB },
  perCall: { mean: 127 * KB, max: 820 * MB },
  inefficient: 0.646,
  usersEfficient: 62 / 294,
  firstJob: 1_000_001,
  firstUser: 10_000,
};

export const QUARTZ: ClusterModel = {
  name: "quartz",
  jobs: 1_401_897,
  users: 584,
  from: [2017, 4],
  months: 12,
  nodesMin: 1,
  nodesMax: 1197,
  coresPerNode: 36,
  nodeMemoryBytes: 128 * GB,
  duration: {
    shortMedian: 0.0106,
    longBeta: 3.1,
    shares: [0.55, 0.355, 0.095],
    sharesWithIo: [0.41, 0.455, 0.135],
  },
  longShare: 0.0874,
  nodeHoursMean: 16.8,
  written: { mean: 18.1 * GB, min: 40, max: 597 * TB },
  perCall: { mean: 219 * KB, max: 1.6 * GB },
  inefficient: 0.69,
  usersEfficient: 57 / 168,
  firstJob: 20_000_001,
  firstUser: 30_000,
};

/** What both clusters have in common. */
export const JOBS = {
  /** Shares of jobs: bytes read or written; of these only read; of the others with metadata calls only. */
  withIo: 0.535,
  readOnly: 0.086,
  metadataOnly: 0.4,
  nodes: { median: 8, sigma: 1.34 },
  shortSigma: 0.8,
  mid: { median: 0.25, sigma: 0.9, mostHours: 2 },
  /** Long jobs have this many hours at least, and this many more at most. */
  long: { least: 2, span: 21.9 },
  writtenSigma: 2.9,
  /** No job writes more than this many times what writing jobs write on average, however small the site. */
  writtenMaxOverMean: 200,
  perCallSigma: 1.7,
  zipf: 1.2,
  /** Read share of a user: Beta(a, a), kept off the ends. */
  readShare: { a: 0.8, least: 0.04 },
  reads: 0.75,
  readPerCall: { median: 60 * KB, sigma: 1.5 },
  campaigns: 3,
  campaignDays: 20,
  /** Of the large jobs in a campaign, those of its user. */
  campaignShare: 0.7,
  states: [
    ["COMPLETED", 0.82],
    ["FAILED", 0.09],
    ["CANCELLED", 0.05],
    ["TIMEOUT", 0.04],
  ],
} as const;

/** log10(1 + calls) = a + b log10(1 + bytes written) + noise, noise by the correlation. */
export const METADATA = {
  opens: { a: -0.6, b: 0.4, r: 0.85 },
  mkdirs: { a: -1.1, b: 0.34, r: 0.935 },
  mknods: { a: -0.9, b: 0.4, r: 0.933 },
  unlinks: { a: -1.2, b: 0.34, r: 0.8 },
  rmdirs: { a: -1.6, b: 0.28, r: 0.75 },
  renames: { a: -1.6, b: 0.3, r: 0.7 },
} as const;

/** Closes of opens: Beta(50, 2). */
export const CLOSES = { a: 50, b: 2 };
export const MDTS = 14;
export const OSTS = 160;
export const MDT_ALPHA = 2;

/** Load by local start hour: base and two bumps, highest at 5 and 11. */
export function hourWeight(hour: number): number {
  const bump = (at: number, width: number) => Math.exp(-0.5 * ((hour - at) / width) ** 2);
  return 1 + 1.3 * bump(5, 1.1) + 1 * bump(11, 1.1);
}

/** Server statistics by the minute, on Quartz. */
export const SERIES = {
  jobs: 16_795,
  metadataOnly: 5370,
  readOnly: 982,
  writers: 10_443,
  /** First local day. */
  from: [2018, 6, 7] as const,
  days: 34,
  firstJob: 40_000_001,
  /** Mean shares of minutes: writers, and readers so that all together have 78.8 %. */
  writeShare: 0.804,
  readShare: (0.788 * 11_425 - 0.804 * 10_443) / 982,
  /** Of writers. A family is one job that runs again and again. */
  periodic: 0.7,
  continuous: 0.2,
  single: 0.1,
  family: 0.3,
  familyJobs: 12,
  /** Of writers with one stretch of writes, those of one to three minutes. */
  shortOfContinuous: 0.6,
  /** Of writers: bursts of 1 KB to 1 MB in most minutes; of these with one large burst; below 1 KB. */
  small: (0.73 * 11_425) / 10_443,
  checkpoint: 0.06,
  tiny: 0.01,
  /** Of all jobs: largest burst in shares of memory. */
  beyond: [
    [0.01, 0.05, 1680 - 622],
    [0.05, 0.15, 622 - 310],
    [0.15, 0.5, 310 - 170],
    [0.5, 1, 150],
    [1, 1.6, 20],
  ] as const,
  period: { least: 3, most: 60 },
  duty: { least: 0.2, most: 0.9 },
  /** Hours of jobs that are not short. */
  mid: { median: 0.7, sigma: 0.8, least: 0.2 },
  longShare: 0.4,
  longBeta: 3.2,
  /** Objects of a job lie on this many OSTs for each of its nodes. */
  ostsPerNode: { median: 10, sigma: 0.9 },
  /** Of writers, those that also read. */
  reading: 0.75,
  readPerMinute: { median: 700 * MB, sigma: 2 },
} as const;

/** Seconds after the beginning of a minute: the last request of a job, and the reading of the servers. */
export const REQUEST_SECOND = 58;
export const READING_SECOND = 59;
/** Servers drop entries after so long without requests. */
export const CLEANUP_SECONDS = 600;
