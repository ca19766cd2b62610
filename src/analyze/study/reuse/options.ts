/** The options of the study, each with its default and the items that it changes. The CLI and the manual come from here. */
import {
  checkOptions,
  checkZone,
  defaultsOf,
  INTERVAL_OPTIONS,
  type OptionInfo,
  type OptionsOf,
} from "../common/options.ts";

/** Cray DataWarp: what the published study left out. */
const BURST_BUFFERS = ["/var/opt/cray/dws"];

export const REUSE_OPTIONS = {
  minBytes: {
    default: 100e9,
    min: 0,
    bytes: true,
    help: "min bytes of a file, read plus written",
  },
  minRuns: { default: 2, min: 1, integer: true, help: "min number of runs of a file" },
  period: {
    default: "",
    valueName: "FROM..TO",
    help: "only runs that start in this period, such as 2017-10-01..2018-02-01, in the time zone; TO is exclusive",
  },
  excludeMounts: {
    default: BURST_BUFFERS,
    valueName: "PATH",
    help: "skip files below this mount point (burst buffers); may be repeated",
  },
  application: {
    default: "exe",
    choices: ["exe", "exe-uid"],
    help: "identify an application by executable, or by executable and user",
  },
  classRule: {
    default: "ratio",
    choices: ["ratio", "absolute", "cluster"],
    help: "rule that classifies files as read-heavy, write-heavy or both",
  },
  classThreshold: {
    default: 0.9,
    min: 0,
    max: 1,
    help: "ratio rule: read-heavy if (R - W)/(R + W) is at least N, write-heavy if at most -N",
  },
  classBytes: { default: 1e9, min: 0, bytes: true, help: "absolute rule: min bytes of a heavy file" },
  oneSided: {
    default: 0.95,
    min: 0,
    max: 1,
    help: "a run is one-sided if |r - w|/(r + w) is at least N",
  },
  runBytes: {
    default: "selected",
    choices: ["selected", "all"],
    help: "bytes of a run: of the selected files, or of all its files",
  },
  gap: {
    default: "start-start",
    choices: ["start-start", "end-start"],
    help: "time between runs: start to start, or end to start",
  },
  gapHours: {
    default: 50,
    min: 0,
    help: "report the share of files with a mean gap of at least N hours",
  },
  absentType: {
    default: "zero",
    choices: ["zero", "exclude"],
    help: "files without runs of a type: count a streak of zero, or exclude",
  },
  streakShare: {
    default: "mean",
    choices: ["mean", "rounded"],
    help: "compare 2 with the mean streak, or with the rounded mean",
  },
  applicationGap: {
    default: "pairs",
    choices: ["pairs", "files", "different"],
    help: "mean gap per application and file, its mean per file, or the gap between different applications",
  },
  ioTime: {
    default: "slowest",
    choices: ["slowest", "sum"],
    help: "I/O time of a file in a run: slowest rank, or sum over ranks (a union of intervals would need traces, which a store does not have)",
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
    help: "min runs of a file per hour for the variation within an hour",
  },
  ddof: {
    default: 0,
    min: 0,
    max: 1,
    integer: true,
    help: "0: population standard deviation; 1: sample standard deviation",
  },
  covRuns: {
    default: "all",
    choices: ["all", "per-type"],
    help: "variation over all runs of a file, or separately over read runs and write runs",
  },
  metadataOnly: {
    default: "include",
    choices: ["include", "exclude"],
    help: "count runs without bytes in sharing and variation",
  },
  partial: {
    default: "bounds",
    choices: ["bounds", "use"],
    help: "records of incomplete modules: use for sums only (lower bounds), or as if complete",
  },
  seed: { default: 1, min: 0, integer: true, help: "random seed of the confidence intervals" },
  ...INTERVAL_OPTIONS,
} as const satisfies Readonly<Record<string, OptionInfo>>;

export type ReuseOptions = OptionsOf<typeof REUSE_OPTIONS>;
export type OptionName = keyof ReuseOptions;

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
