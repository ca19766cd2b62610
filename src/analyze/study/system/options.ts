/** The options of the study of a system, each with its default and the items that it changes. The CLI and the manual come from here. */
import { UsageError } from "../../../base/errors.ts";
import { localToUnix } from "../common/zone.ts";
import {
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
  sizeOf,
} from "../common/options.ts";
import { LATE_MINUTES } from "../common/run-minutes.ts";
import { PER_CALL, POPULATIONS, WRITE_CLASS_DEFAULTS } from "../common/write-classes.ts";

export const SYSTEM_OPTIONS = {
  cluster: text("", "NAME", "only jobs of this cluster"),
  from: text("", "DATE", "start date or time, such as 2017-04-01, in the time zone"),
  to: text("", "DATE", "end date or time (exclusive), in the time zone"),
  zone: text(
    "",
    "ZONE",
    "time zone for hours, days and dates, such as America/Los_Angeles (default: time zone of the store, else UTC)",
  ),
  maxHours: number(WRITE_CLASS_DEFAULTS.maxHours, "skip jobs that run N hours or longer", {
    min: 0.001,
    max: 1e6,
  }),
  population: choice(
    POPULATIONS,
    "jobs whose mean is the heavy-write limit: all with counters, all with I/O, all with writes",
  ),
  perCall: choice(PER_CALL, "mean bytes per write call: mean over jobs, or total bytes over total calls"),
  userPerCall: choice(
    ["ratioOfSums", "sumOfRatios"],
    "bytes per call of a user: bytes over calls, or the sum over its jobs (as the paper's Table III was apparently computed)",
  ),
  threshold: text(
    WRITE_CLASS_DEFAULTS.threshold,
    "LIMIT",
    "heavy-write limit: mean, median, or a size such as 10GB",
  ),
  booking: choice(
    ["start", "proportional"],
    "assign a job's bytes to its start day, or to all its days by time",
  ),
  year: whole(
    0,
    "calendar year; 0: 2017 as in the paper if there is data for it, else the year with the most days",
    { min: 0, max: 9999 },
  ),
  lateMinutes: whole(LATE_MINUTES, "count samples up to N minutes after the job end in its last minute", {
    min: 0,
    max: 60,
  }),
  maxGapMinutes: whole(0, "minutes without writes allowed inside a burst", { min: 0, max: 1440 }),
  burst: choice(["whole", "minute"], "burst size class of a minute: by its whole burst, or by its own bytes"),
  memoryMinutes: choice(
    ["writes", "io"],
    "bursts and memory: share of minutes with writes, or of all minutes with I/O",
  ),
  nodeMemory: list([], "[CLUSTER=]SIZE", "node memory if not recorded, such as 128GB or quartz=128GB"),
  periodStrength: number(0.3, "min autocorrelation of periodic writes", { min: 0, max: 1 }),
  periodBins: whole(8, "min job length in minutes for the period search", { min: 4, max: 1440 }),
  shuffles: whole(19, "shuffled series to beat; 19 give 95 % confidence", { min: 1, max: 10_000 }),
  similarity: choice(
    ["bins", "program", "cluster"],
    "similar jobs share user, nodes and binary logarithm of bytes (bins), or user, program, nodes and decade of bytes written (program); or clusters of Darshan runs (cluster)",
  ),
  groupJobs: whole(5, "min size of a group of similar jobs", { min: 2 }),
  clusterRuns: whole(40, "min size of a cluster of runs", { min: 2 }),
  clusterDistance: number(0.1, "max mean distance within a cluster, in standard deviations of the features", {
    min: 0,
  }),
  seed: whole(1, "random seed of shuffles and confidence intervals", { min: 0 }),
  ...INTERVAL_OPTIONS,
} satisfies Readonly<Record<string, OptionInfo>>;

export type SystemOptions = OptionsOf<typeof SYSTEM_OPTIONS>;
export type OptionName = keyof SystemOptions;

const SYSTEM_DEFAULTS = defaultsOf<SystemOptions>(SYSTEM_OPTIONS);

/** All options, the given ones checked; a bad one is a UsageError. */
export function systemOptions(given: Partial<SystemOptions> = {}): SystemOptions {
  const options: SystemOptions = { ...SYSTEM_DEFAULTS, ...given };
  checkOptions(SYSTEM_OPTIONS, options);
  checkZone(options.zone);
  thresholdOf(options.threshold);
  nodeMemories(options.nodeMemory);
  const { fromUnix, toUnix } = boundsOf(options);
  if (fromUnix >= toUnix)
    throw new UsageError(`from ${options.from} to ${options.to}: the end is not after the start`);
  return options;
}

/** Seconds since 1970 between which jobs start. */
export function boundsOf({ zone, from, to }: SystemOptions): { fromUnix: number; toUnix: number } {
  return {
    fromUnix: from === "" ? -Infinity : localToUnix(zone, from),
    toUnix: to === "" ? Infinity : localToUnix(zone, to),
  };
}

export function thresholdOf(text: string): "mean" | "median" | number {
  if (text === "mean" || text === "median") return text;
  if (!/^[\d.]/.test(text))
    throw new UsageError(`threshold ${text}: expected mean, median or a size such as 10GB`);
  return sizeOf("threshold", text);
}

/** Memory of a node by cluster; "" is for all others. */
export function nodeMemories(texts: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    texts.map((text) => {
      const at = text.lastIndexOf("=");
      return [at === -1 ? "" : text.slice(0, at), sizeOf("nodeMemory", text.slice(at + 1))] as const;
    }),
  );
}
