/** The options of the study of a system, each with its default and the items that it changes. The CLI and the manual come from here. */
import { UsageError } from "../../../base/errors.ts";
import { localToUnix } from "../common/zone.ts";
import {
  checkOptions,
  checkZone,
  defaultsOf,
  INTERVAL_OPTIONS,
  type OptionInfo,
  sizeOf,
} from "../common/options.ts";
import { LATE_MINUTES } from "../common/run-minutes.ts";
import { PER_CALL, type Population, POPULATIONS } from "../common/write-classes.ts";

export interface SystemOptions {
  /** Jobs of this cluster; empty is all. */
  readonly cluster: string;
  /** Jobs that start from here on, and before there; local dates or times, empty is no bound. */
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly maxHours: number;
  readonly population: Population;
  readonly perCall: (typeof PER_CALL)[number];
  readonly userPerCall: "sumOfRatios" | "ratioOfSums";
  /** `mean`, `median`, or a number of bytes. */
  readonly threshold: string;
  readonly booking: "start" | "proportional";
  readonly year: number;
  readonly lateMinutes: number;
  readonly maxGapMinutes: number;
  readonly burst: "whole" | "minute";
  readonly memoryMinutes: "writes" | "io";
  /** `128GB` for all clusters, or `quartz=128GB`. */
  readonly nodeMemory: readonly string[];
  readonly periodStrength: number;
  readonly periodBins: number;
  readonly shuffles: number;
  readonly similarity: "bins" | "program" | "cluster";
  readonly groupJobs: number;
  readonly clusterRuns: number;
  readonly clusterDistance: number;
  readonly seed: number;
  readonly replicates: number;
  readonly level: number;
}

export type OptionName = keyof SystemOptions;
export const SYSTEM_OPTIONS: Readonly<Record<OptionName, OptionInfo>> = {
  cluster: { default: "", valueName: "NAME", help: "only jobs of this cluster" },
  from: {
    default: "",
    valueName: "DATE",
    help: "only jobs that start from this date or time on, such as 2017-04-01, in the zone",
  },
  to: { default: "", valueName: "DATE", help: "only jobs that start before this date or time, in the zone" },
  zone: {
    default: "UTC",
    valueName: "ZONE",
    help: "time zone for hours, days and dates, such as America/Los_Angeles",
  },
  maxHours: { default: 24, min: 0.001, max: 1e6, help: "leave out jobs of so many hours and more" },
  population: {
    default: "all",
    choices: POPULATIONS,
    help: "whose mean is the limit of heavy writes: all jobs with counters, those that moved bytes, those that wrote",
  },
  perCall: {
    default: "meanOfRatios",
    choices: PER_CALL,
    help: "mean bytes per write call: mean over jobs, or all bytes over all calls",
  },
  userPerCall: {
    default: "sumOfRatios",
    choices: ["sumOfRatios", "ratioOfSums"],
    help: "bytes per call of a user: summed over the jobs as the paper must have, or bytes over calls",
  },
  threshold: {
    default: "mean",
    valueName: "LIMIT",
    help: "what heavy writes exceed: mean, median, or a size such as 10GB",
  },
  booking: {
    default: "start",
    choices: ["start", "proportional"],
    help: "bytes of a job count on the day of its start, or on all its days by time",
  },
  year: {
    default: 0,
    min: 0,
    max: 9999,
    integer: true,
    help: "year of the calendars; 0: the one with most days of data",
  },
  lateMinutes: {
    default: LATE_MINUTES,
    min: 0,
    max: 60,
    integer: true,
    help: "samples up to so many minutes after the end of a job count in its last minute",
  },
  maxGapMinutes: {
    default: 0,
    min: 0,
    max: 1440,
    integer: true,
    help: "a burst of writes goes on over so many minutes without a write",
  },
  burst: {
    default: "whole",
    choices: ["whole", "minute"],
    help: "size of a minute in the classes of burst size: that of its whole burst, or its own bytes",
  },
  memoryMinutes: {
    default: "writes",
    choices: ["writes", "io"],
    help: "bursts and memory: shares of minutes with writes, or of all minutes with I/O",
  },
  nodeMemory: {
    default: [],
    valueName: "[CLUSTER=]SIZE",
    help: "memory of a node where it is not recorded, such as 128GB or quartz=128GB; may be repeated",
  },
  periodStrength: {
    default: 0.3,
    min: 0,
    max: 1,
    help: "writes are periodic from this autocorrelation on",
  },
  periodBins: {
    default: 8,
    min: 4,
    max: 1440,
    integer: true,
    help: "jobs shorter than so many minutes are not searched for periods",
  },
  shuffles: {
    default: 19,
    min: 1,
    max: 10_000,
    integer: true,
    help: "shuffled series that the autocorrelation must exceed; 19 give a confidence of 95 %",
  },
  similarity: {
    default: "bins",
    choices: ["bins", "program", "cluster"],
    help: "similar jobs have the same user, nodes and binary logarithms of bytes, or user, program, nodes and decade of bytes written; or similar are clusters of runs in Darshan logs",
  },
  groupJobs: { default: 5, min: 2, integer: true, help: "similar jobs are compared from so many on" },
  clusterRuns: { default: 40, min: 2, integer: true, help: "clusters of runs are compared from so many on" },
  clusterDistance: {
    default: 0.1,
    min: 0,
    help: "runs of a cluster are on average no further apart, in standard deviations of their features",
  },
  seed: { default: 1, min: 0, integer: true, help: "decides shuffles and the draws of confidence intervals" },
  ...INTERVAL_OPTIONS,
};

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
