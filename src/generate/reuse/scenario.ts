/**
 * The numbers of the scenario. The shapes are those of docs/generate.md; the knobs marked "calibrated" were found
 * by one-dimensional fixed-point loops over 850 and 8,500 files and 40 to 200 seeds against the published marginals,
 * then frozen: see docs/generate.md for what each one moves, and for where the scenario departs from the text.
 */

import { publishedNumber, STUDY_ITEMS } from "../../analyze/study/reuse/index.ts";

export const GB = 1e9;
/** Selection of the study: at least this much data and at least two runs. */
export const MIN_BYTES = 100 * GB;
export const MIN_RUNS = 2;

/** What the paper prints, as the study declares it. */
export function publishedOf(item: string, key: string): number {
  return Number(publishedNumber(STUDY_ITEMS, item, key));
}

/** At scale 1. */
export const FULL = {
  selectedFiles: publishedOf("A04", "files"),
  osts: 248,
  selectedUsers: publishedOf("A04", "users"),
  selectedApplications: publishedOf("A04", "applications"),
  backgroundFiles: publishedOf("A01", "files"),
  logs: publishedOf("A01", "logs"),
  users: publishedOf("A01", "users"),
  applications: publishedOf("A01", "applications"),
};

export type FileClass = "RH" | "WH" | "RW";

/** Shares of files by class. */
export const CLASS_SHARE = { RH: 0.22, WH: 0.07, RW: 0.71 };

/**
 * RW files: `phases` times (w write runs, then r read runs). One phase for 60 % of them. The files with one write run a
 * phase are those with many phases, which makes 69 % of all runs read runs while the mean streaks stay 14 and 3.3.
 */
export const RW = {
  onePhase: 0.6,
  /** With one phase: write runs and read runs. */
  single: {
    writes: [
      [2, 0.775],
      [3, 0.125],
      [4, 0.1],
    ],
    reads: [
      [1, 0.1417],
      [2, 0.8583],
    ],
  },
  /** With more: share with one write run a phase (else two); always two read runs. */
  oneWrite: 0.3875,
  /** Median and spread of the number of phases; medians are calibrated. */
  phases: { oneWrite: { median: 58, sigma: 0.6 }, twoWrites: { median: 9.6, sigma: 0.85 }, min: 2, max: 150 },
} as const;

/** Part of the quantiles that numbers of runs and bytes are drawn from: no single file decides a mean. */
export const TRIM = 0.985;

/** Runs of RH and WH files; calibrated. */
export const RH_RUNS = { median: 35, sigma: 1.1, min: 2, max: 1400 };
export const WH_RUNS = { median: 17, sigma: 1, min: 2, max: 1400 };
/** Share of RH files that a read run also wrote a little to (a header, an attribute). */
export const RH_TOUCHED = 0.74;

/** Strata of files: each has its own evenly spread draws, so that its means hold for few files too. */
export type Stratum = "RH" | "WH" | "onePhase" | "phases";

/**
 * Bytes of a file: 100 GB + scale × LogNormal(0, sigma); the scales move the totals. Read-heavy and write-heavy files
 * with few runs have so much for each run instead, which moves the mean per run over files (A13): an amount per run
 * and not a multiple of the total, so that no handful of files decides the mean. All calibrated.
 */
export const BYTES = {
  sigma: 1,
  scale: { RH: 215 * GB, WH: 100 * GB, onePhase: 836 * GB, phases: 10 * GB },
  few: { runs: 7, sigma: 0.4, perRun: { RH: 2000 * GB, WH: 220 * GB } },
  /** No file moves more; a single larger one would decide which OST is the busiest. */
  max: 20_000 * GB,
};

/**
 * Bytes per OST at the end of the period, from the least to the most active: a straight line. Every OST gets as many
 * files; which one gets a large file is decided by what it is short of.
 */
export const OST_LEAST_OVER_MOST = 0.165;

/** Variation of bytes from run to run: quiet files U(0, quiet); noisy ones log-normal with this mean. */
export const DATA_COV = {
  quiet: 0.045,
  sigma: 0.2,
  noisyShare: { RH: 0.08, WH: 0.5, RW: 0.175 },
  noisyMean: { RH: 0.5, WH: 0.68, RW: 0.56 },
};

/** Of the runs on RW files, those that read and write: calibrated so that 82 % of all runs are one-sided. */
export const MIXED_SHARE = 0.26;
/** The other side of a one-sided run: 1 - x ~ Beta(1, this). */
export const ONE_SIDED_BETA = 200;

/** Spacing of a file's runs. */
export const GAP = {
  /** Median in hours and spread; the median is calibrated. */
  medianHours: 12.6,
  sigma: 2,
  /** Longest spacing: beyond it one file in a thousand would decide the mean. */
  mostHours: 600,
  /** On gaps that lead to a write run; calibrated. */
  writeFactor: 1.04,
  jitter: 0.3,
  /** Largest share of the period that a file's runs span. */
  spanMax: 0.98,
};

/**
 * The literal reading: bands of mean gaps in hours, and the share of files in the short one. Files of several phases with
 * one write run each have a short gap of reads and a long one of writes (a tenth of all files), which the shares of the
 * others make up for; the short bands make the means 47 h and 55 h.
 */
export const LITERAL = {
  reads: { long: [50.01, 54], short: [12, 32] },
  writes: { long: [50.01, 68], short: [42, 49.5] },
  shortReads: 0.084,
  shortWrites: 0.285,
} as const;

/** Two starts of one user and program that are no further apart may be one run, when runs touch several files. */
export const SAME_RUN_SECONDS = 600;

/** Share of a file's runs that start at its own hour or next to it. */
export const PREFERRED_HOUR = 0.6;
/** Start hours are drawn by load to this power; calibrated: the peak stands out, and quiet hours have runs too. */
export const HOUR_SHARPNESS = 0.8;

/** Load of the file system by hour of the day, 0 to about 1; highest between 4 and 5. */
export function load(hour: number): number {
  // On the 24-hour circle.
  const fromPeak = Math.min(Math.abs(hour - 4.5), 24 - Math.abs(hour - 4.5));
  return (
    0.15 +
    0.5 * Math.exp(-0.5 * (fromPeak / 2.6) ** 2) +
    0.35 * (0.5 + 0.5 * Math.cos(((hour - 7) * Math.PI) / 12))
  );
}

/**
 * I/O time: bytes over the file's own rate × (load of the hour)^elasticity × what others on its targets cost, with little
 * noise. The load of an hour has the median busyFloor + busyShare × load and spread(load) as deviation of its logarithm.
 * Spread and elasticities are calibrated.
 */
export const IO_TIME = {
  baseSeconds: [60, 1200],
  busyFloor: 0.4,
  busyShare: 0.6,
  spread: (busy: number) => 0.17 * busy ** -0.55,
  elasticity: { RH: 2.45, WH: 0.9, RW: 0.9 },
  noise: 0.03,
  /** Bytes per second that one OST can give: 248 of them gave 700 GB/s. */
  ostRate: 2.8e9,
  /** The largest share of its OSTs that a file has on its own at a load of 1. */
  ownShareMost: 0.25,
  /** While others want the whole rate of an OST, a transfer on it takes 1 + this times as long. */
  slope: 2,
} as const;

/** Run times in hours: 80 % are below 2. */
export const DURATION = { median: 0.75, sigma: 1.16 };

/**
 * Interface of a file's accesses by number of runs: POSIX has 80 % of the accesses and the files with much data a run.
 * Shares of MPI-IO and STDIO are calibrated.
 */
export const INTERFACE = [
  { runsMax: 8, mpiio: 0.02, stdio: 0.01 },
  { runsMax: 60, mpiio: 0.8, stdio: 0.13 },
  { runsMax: Number.POSITIVE_INFINITY, mpiio: 0.025, stdio: 0.012 },
];

/** Relative spread over ranks: of time by layer, and of bytes. */
export const RANK_TIME_COV = [0.4, 0.08, 0.15] as const;
export const RANK_BYTES_SPREAD = 0.012;

export const STRIPED_SHARE = 0.008;
export const STRIPES_MAX = 72;

/** Applications of a file. Only RW files with several phases have three or more. */
export const APPLICATIONS = {
  /** Share of files with more than one, by class; RW with one phase, and RW with several. */
  shared: { RH: 0.365, WH: 0.19, onePhase: 0.685 },
  /** Of RW files with several phases: those with three or more, and of these those with exactly three. */
  threeOrMore: 0.7746,
  exactlyThree: 0.6,
  /** A run is of the same application as the one before; calibrated to 31 h between runs of one application. */
  stickiness: 0.997,
};
/** Share of files that a second user touched once, against the rule that a file has one user. */
export const SECOND_USER = 0.001;

export const BACKGROUND_FILES = {
  medianBytes: 200e3,
  sigma: 3.5,
  oneRun: 0.97,
  zipf: 2.6,
  /** Share of files that are only read, only written; the others are both. */
  onlyRead: 0.4,
  onlyWritten: 0.5,
  /** Share on a file system other than Lustre, without a layout. */
  elsewhere: 0.05,
  /** A run that touched a file touches the next one too. */
  another: 0.2,
  popularity: 1.1,
};
/** Of the background, or of the selected files if that is less, for each of the three kinds. */
export const DECOY_SHARE = 0.002;
