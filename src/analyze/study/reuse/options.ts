/** The options of the study, each with its default and the items that it changes. The CLI and the manual come from here. */
import { checkOptions, checkZone, defaultsOf, INTERVAL_OPTIONS, type OptionInfo } from "../common/options.ts";

export interface ReuseOptions {
  /** Files that moved at least so many bytes in all are studied. */
  readonly minBytes: number;
  /** … in at least so many runs. */
  readonly minRuns: number;
  /** `FROM..TO`, dates or times of the zone, TO excluded; empty is everything. */
  readonly period: string;
  /** Mount points, with all below them, whose files are left out: burst buffers. */
  readonly excludeMounts: readonly string[];
  readonly application: "exe" | "exe-uid";
  readonly classRule: "ratio" | "absolute" | "cluster";
  readonly classThreshold: number;
  readonly classBytes: number;
  readonly oneSided: number;
  readonly runBytes: "selected" | "all";
  readonly gap: "start-start" | "end-start";
  readonly gapHours: number;
  readonly absentType: "zero" | "exclude";
  readonly streakShare: "rounded" | "mean";
  readonly applicationGap: "pairs" | "files" | "different";
  readonly ioTime: "slowest" | "sum";
  readonly zone: string;
  readonly hourStatistic: "mean" | "median";
  readonly minRunsPerCell: number;
  readonly ddof: number;
  readonly covRuns: "all" | "per-type";
  readonly metadataOnly: "include" | "exclude";
  readonly partial: "bounds" | "use";
  readonly seed: number;
  readonly replicates: number;
  readonly level: number;
}

export type OptionName = keyof ReuseOptions;

/** Cray DataWarp: what the published study left out. */
const BURST_BUFFERS = ["/var/opt/cray/dws"];

export const REUSE_OPTIONS: Readonly<Record<OptionName, OptionInfo>> = {
  minBytes: {
    default: 100e9,
    min: 0,
    bytes: true,
    help: "study files that moved at least so many bytes, read and written",
  },
  minRuns: { default: 2, min: 1, integer: true, help: "study files that at least so many runs touched" },
  period: {
    default: "",
    valueName: "FROM..TO",
    help: "only runs that start in this time, such as 2017-10-01..2018-02-01, in the zone; TO is excluded",
  },
  excludeMounts: {
    default: BURST_BUFFERS,
    valueName: "PATH",
    help: "leave out files below this mount point (burst buffers); may be repeated",
  },
  application: {
    default: "exe",
    choices: ["exe", "exe-uid"],
    help: "an application is an executable, or an executable of one user",
  },
  classRule: {
    default: "ratio",
    choices: ["ratio", "absolute", "cluster"],
    help: "how a file is called read-heavy, write-heavy or both",
  },
  classThreshold: {
    default: 0.9,
    min: 0,
    max: 1,
    help: "ratio rule: read-heavy from (R - W)/(R + W) of this on, write-heavy from minus this on",
  },
  classBytes: { default: 1e9, min: 0, bytes: true, help: "absolute rule: heavy from so many bytes on" },
  oneSided: {
    default: 0.95,
    min: 0,
    max: 1,
    help: "a run is one-sided when |r - w|/(r + w) is at least this",
  },
  runBytes: {
    default: "selected",
    choices: ["selected", "all"],
    help: "bytes of a run: to the selected files only, or to all its files",
  },
  gap: {
    default: "start-start",
    choices: ["start-start", "end-start"],
    help: "time between two runs: from start to start, or from end to start",
  },
  gapHours: {
    default: 50,
    min: 0,
    help: "print the share of files with a mean gap of at least so many hours",
  },
  absentType: {
    default: "zero",
    choices: ["zero", "exclude"],
    help: "a file without runs of a type counts with a streak of zero, or not at all",
  },
  streakShare: {
    default: "mean",
    choices: ["mean", "rounded"],
    help: "whether 2 or more is asked of the mean streak itself or of the rounded mean",
  },
  applicationGap: {
    default: "pairs",
    choices: ["pairs", "files", "different"],
    help: "mean gap of each application on each file, its mean per file, or the gap between different applications",
  },
  ioTime: {
    default: "slowest",
    choices: ["slowest", "sum"],
    help: "I/O time of a file in a run: of the slowest rank, or summed over ranks (a union of intervals would need traces, which a store does not hold)",
  },
  zone: {
    default: "UTC",
    valueName: "ZONE",
    help: "time zone for hours and dates, such as America/Los_Angeles",
  },
  hourStatistic: { default: "mean", choices: ["mean", "median"], help: "mean or median per hour of the day" },
  minRunsPerCell: {
    default: 2,
    min: 2,
    integer: true,
    help: "variation within an hour needs so many runs of a file in it",
  },
  ddof: {
    default: 0,
    min: 0,
    max: 1,
    integer: true,
    help: "0: population standard deviation; 1: of a sample",
  },
  covRuns: {
    default: "all",
    choices: ["all", "per-type"],
    help: "variation over all runs of a file, or over its read runs and its write runs apart",
  },
  metadataOnly: {
    default: "include",
    choices: ["include", "exclude"],
    help: "whether runs that moved no bytes of a file count in sharing and variation",
  },
  partial: {
    default: "bounds",
    choices: ["bounds", "use"],
    help: "records of incomplete modules: for sums only, which are lower bounds, or as if they were complete",
  },
  seed: { default: 1, min: 0, integer: true, help: "decides the random draws of the confidence intervals" },
  ...INTERVAL_OPTIONS,
};

const REUSE_DEFAULTS = defaultsOf<ReuseOptions>(REUSE_OPTIONS);

/** All options, the given ones checked; a bad one is a UsageError. */
export function reuseOptions(given: Partial<ReuseOptions> = {}): ReuseOptions {
  const options: ReuseOptions = { ...REUSE_DEFAULTS, ...given };
  checkOptions(REUSE_OPTIONS, options, (name, value) =>
    name === "ioTime" && value === "union" ? "; union needs traces of calls, which a store has not" : "",
  );
  checkZone(options.zone);
  return options;
}
