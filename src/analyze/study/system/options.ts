/** The options of the study of a system, each with its default and the items that it changes. The CLI and the manual come from here. */
import { UsageError } from "../../../base/errors.ts";
import { localToUnix } from "../common/zone.ts";
import {
  checkOptions,
  checkZone,
  defaultsOf,
  INTERVAL_OPTIONS,
  type OptionInfo,
  type OptionsOf,
  sizeOf,
} from "../common/options.ts";
import { LATE_MINUTES } from "../common/run-minutes.ts";
import { PER_CALL, POPULATIONS } from "../common/write-classes.ts";

export const SYSTEM_OPTIONS = {
  cluster: { default: "", valueName: "NAME", help: "only jobs of this cluster" },
  from: {
    default: "",
    valueName: "DATE",
    help: "start date or time, such as 2017-04-01, in the time zone",
  },
  to: { default: "", valueName: "DATE", help: "end date or time (exclusive), in the time zone" },
  zone: {
    default: "UTC",
    valueName: "ZONE",
    help: "time zone for hours, days and dates, such as America/Los_Angeles",
  },
  maxHours: { default: 24, min: 0.001, max: 1e6, help: "skip jobs that run N hours or longer" },
  population: {
    default: "all",
    choices: POPULATIONS,
    help: "jobs whose mean is the heavy-write limit: all with counters, all with I/O, all with writes",
  },
  perCall: {
    default: "meanOfRatios",
    choices: PER_CALL,
    help: "mean bytes per write call: mean over jobs, or total bytes over total calls",
  },
  userPerCall: {
    default: "sumOfRatios",
    choices: ["sumOfRatios", "ratioOfSums"],
    help: "bytes per call of a user: sum over jobs (as the paper must have done), or bytes over calls",
  },
  threshold: {
    default: "mean",
    valueName: "LIMIT",
    help: "heavy-write limit: mean, median, or a size such as 10GB",
  },
  booking: {
    default: "start",
    choices: ["start", "proportional"],
    help: "assign a job's bytes to its start day, or to all its days by time",
  },
  year: {
    default: 0,
    min: 0,
    max: 9999,
    integer: true,
    help: "calendar year; 0: the year with the most days of data",
  },
  lateMinutes: {
    default: LATE_MINUTES,
    min: 0,
    max: 60,
    integer: true,
    help: "count samples up to N minutes after the job end in its last minute",
  },
  maxGapMinutes: {
    default: 0,
    min: 0,
    max: 1440,
    integer: true,
    help: "minutes without writes allowed inside a burst",
  },
  burst: {
    default: "whole",
    choices: ["whole", "minute"],
    help: "burst size class of a minute: by its whole burst, or by its own bytes",
  },
  memoryMinutes: {
    default: "writes",
    choices: ["writes", "io"],
    help: "bursts and memory: share of minutes with writes, or of all minutes with I/O",
  },
  nodeMemory: {
    default: [],
    valueName: "[CLUSTER=]SIZE",
    help: "node memory if not recorded, such as 128GB or quartz=128GB; may be repeated",
  },
  periodStrength: {
    default: 0.3,
    min: 0,
    max: 1,
    help: "min autocorrelation of periodic writes",
  },
  periodBins: {
    default: 8,
    min: 4,
    max: 1440,
    integer: true,
    help: "min job length in minutes for the period search",
  },
  shuffles: {
    default: 19,
    min: 1,
    max: 10_000,
    integer: true,
    help: "shuffled series to beat; 19 give 95 % confidence",
  },
  similarity: {
    default: "bins",
    choices: ["bins", "program", "cluster"],
    help: "similar jobs share user, nodes and binary logarithm of bytes (bins), or user, program, nodes and decade of bytes written (program); or clusters of Darshan runs (cluster)",
  },
  groupJobs: { default: 5, min: 2, integer: true, help: "min size of a group of similar jobs" },
  clusterRuns: { default: 40, min: 2, integer: true, help: "min size of a cluster of runs" },
  clusterDistance: {
    default: 0.1,
    min: 0,
    help: "max mean distance within a cluster, in standard deviations of the features",
  },
  seed: { default: 1, min: 0, integer: true, help: "random seed of shuffles and confidence intervals" },
  ...INTERVAL_OPTIONS,
} as const satisfies Readonly<Record<string, OptionInfo>>;

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
