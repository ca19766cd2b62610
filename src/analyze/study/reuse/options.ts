/** The options of the study, each with its default and the items that it changes. The CLI and the manual come from here. */
import {
  bytes,
  choice,
  list,
  number,
  text,
  whole,
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
  minBytes: bytes(100e9, "min bytes of a file, read plus written"),
  minRuns: whole(2, "min number of runs of a file", { min: 1 }),
  period: text(
    "",
    "FROM..TO",
    "only runs that start in this period, such as 2017-10-01..2018-02-01, in the time zone; TO is exclusive",
  ),
  excludeMounts: list(BURST_BUFFERS, "PATH", "skip files below this mount point (burst buffers)"),
  application: choice(["exe", "exe-uid"], "identify an application by executable, or by executable and user"),
  classRule: choice(
    ["ratio", "absolute", "cluster"],
    "rule that classifies files as read-heavy, write-heavy or both",
  ),
  classThreshold: number(
    0.9,
    "ratio rule: read-heavy if (R - W)/(R + W) is at least N, write-heavy if at most -N",
    { min: 0, max: 1 },
  ),
  classBytes: bytes(1e9, "absolute rule: min bytes of a heavy file"),
  oneSided: number(0.95, "a run is one-sided if |r - w|/(r + w) is at least N", { min: 0, max: 1 }),
  runBytes: choice(["selected", "all"], "bytes of a run: of the selected files, or of all its files"),
  gap: choice(["start-start", "end-start"], "time between runs: start to start, or end to start"),
  gapHours: number(50, "report the share of files with a mean gap of at least N hours", { min: 0 }),
  absentType: choice(["zero", "exclude"], "files without runs of a type: count a streak of zero, or exclude"),
  streakShare: choice(["mean", "rounded"], "compare 2 with the mean streak, or with the rounded mean"),
  applicationGap: choice(
    ["pairs", "files", "different"],
    "mean gap per application and file, its mean per file, or the gap between different applications",
  ),
  ioTime: choice(
    ["slowest", "sum"],
    "I/O time of a file in a run: slowest rank, or sum over ranks (a union of intervals would need traces, which a store does not have)",
  ),
  zone: text(
    "",
    "ZONE",
    "time zone for hours, days and dates, such as America/Los_Angeles (default: time zone of the store, else UTC)",
  ),
  hourStatistic: choice(["mean", "median"], "mean or median per hour of the day"),
  minRunsPerCell: whole(2, "min runs of a file per hour for the variation within an hour", { min: 2 }),
  ddof: whole(0, "0: population standard deviation; 1: sample standard deviation", { min: 0, max: 1 }),
  covRuns: choice(
    ["all", "per-type"],
    "variation over all runs of a file, or separately over read runs and write runs",
  ),
  metadataOnly: choice(["include", "exclude"], "count runs without bytes in sharing and variation"),
  partial: choice(
    ["bounds", "use"],
    "records of incomplete modules: use for sums only (lower bounds), or as if complete",
  ),
  seed: whole(1, "random seed of the confidence intervals", { min: 0 }),
  ...INTERVAL_OPTIONS,
} satisfies Readonly<Record<string, OptionInfo>>;

export type ReuseOptions = OptionsOf<typeof REUSE_OPTIONS>;
export type OptionName = keyof ReuseOptions;

const REUSE_DEFAULTS = defaultsOf<ReuseOptions>(REUSE_OPTIONS);

/** All options, the given ones checked; a bad one is a UsageError. */
export function reuseOptions(given: Partial<ReuseOptions> = {}): ReuseOptions {
  const options: ReuseOptions = { ...REUSE_DEFAULTS, ...given };
  checkOptions(REUSE_OPTIONS, options, (name, value) =>
    name === "ioTime" && value === "union"
      ? "; union needs traces of calls, which a store does not have"
      : "",
  );
  checkZone(options.zone);
  return options;
}
