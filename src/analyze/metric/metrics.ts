/**
 * Results of `AccessCollector`: BPS and related metrics (He, Sun and Yin, "BPS: A Performance Metric of I/O System",
 * IPDPSW 2013), with their caveats.
 *
 *   T      time with an access under way: union of all [start, end], over all processes (C02)
 *   BPS    blocks that the application asked for / T (C03)
 *   IOPS   accesses / T (C04)
 *   BW     bytes that the file system moved / T (C04)
 *   ARPT   mean of end - start (C04)
 */
import { type CallProcess, type Provenance, SYNTHETIC_NOTE } from "../../model/index.ts";
import type { Percentiles } from "./durations.ts";

export const METRIC_DEFINITIONS = ["C02@1", "C03@1", "C04@1"] as const;

/** Keys to group accesses by. */
export const GROUPINGS = ["process", "file", "program", "host", "input", "direction"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface CollectorOptions {
  /** Bytes of a block; 512 as in the paper. */
  readonly blockBytes?: number;
  /** Round each access up to whole blocks, as records of the paper do; else blocks are bytes / blockBytes. */
  readonly ceilPerAccess?: boolean;
  /** For IOPS over the execution time instead of T, which matches the published values of set 2. */
  readonly executionSeconds?: number;
  /** `start`: every input begins at 0, for inputs without a common clock. */
  readonly align?: "clock" | "start";
  /** Count accesses on pipes, sockets and terminals too. */
  readonly includeNonFile?: boolean;
  readonly only?: "read" | "write";
  /** Count the time of fsync and similar calls too, as accesses of 0 bytes. */
  readonly syncs?: boolean;
  /** Which files count; an access without a file name has the path "". */
  readonly file?: (path: string) => boolean;
  /** Count only accesses that start in [from, to) on the axis of the collection, which `originNs` fixes. */
  readonly range?: AccessRange;
  readonly by?: readonly Grouping[];
  /** Groups to keep of each grouping, those with most bytes first; 10. */
  readonly top?: number;
  /** Width of time windows. */
  readonly everyNs?: number;
  /** Keep what a picture needs: lanes of processes and concurrency over time. */
  readonly picture?: boolean;
  /** Memory limit of the collection; 2 GiB. */
  readonly memoryBytes?: number;
}

/** Seconds after the first access, as an earlier reading of the same inputs found it. */
interface AccessRange {
  readonly origin: Origin;
  readonly fromNs: number;
  readonly toNs: number;
}

/** Where time 0 of a collection lies: on the common clock, or on the clock of each input when they begin at 0. */
export interface Origin {
  /** Nanoseconds since 1970; since the start of the clock when it is not known what it counts from. */
  readonly ns: bigint;
  /** With `align: "start"`: by name of the input. */
  readonly inputs: ReadonlyMap<string, bigint>;
}

/** The quotients, with the sums they come from. Undefined ones are null: without time there is no rate. */
export interface MetricValues {
  readonly accesses: number;
  readonly bytes: bigint;
  /** Null if the moved bytes are unknown. */
  readonly movedBytes: bigint | null;
  /** Exact below 2^53 blocks. */
  readonly blocks: number;
  /** T. */
  readonly ioTimeSeconds: number;
  readonly ioTimeNs: number;
  /** Blocks per second. */
  readonly bps: number | null;
  readonly iops: number | null;
  readonly bandwidthBytesPerSecond: number | null;
  /** Bytes of the bandwidth; `requested` if the moved ones are unknown. */
  readonly bandwidthOf: "moved" | "requested";
  readonly arptSeconds: number | null;
  /** Of durations; null without accesses in the direction. */
  readonly percentiles: { readonly read: Percentiles | null; readonly write: Percentiles | null };
  readonly readBytes: bigint;
  readonly writtenBytes: bigint;
}

export interface Metrics extends MetricValues {
  /** Accesses made inside another one: they give moved bytes and are in no other sum. */
  readonly nestedAccesses: number;
  readonly failedAccesses: number;
  /** From the first start to the last end, and how much of it no access was under way. */
  readonly spanSeconds: number;
  readonly idleSeconds: number;
  /** Number of intervals in T, without gaps. */
  readonly stretches: number;
  readonly concurrency: Concurrency;
  /** Accesses far beyond those of the same file and direction. */
  readonly outliers: MetricOutliers;
  readonly dropped: Dropped;
  readonly filtered: Filtered;
  readonly clock: CollectionClock;
  readonly inputs: readonly InputSummary[];
  readonly processes: number;
  readonly files: number;
  readonly groups: readonly GroupTable[];
  readonly windows: WindowTable | null;
  readonly picture: Picture | null;
  readonly notes: readonly CollectionNote[];
  readonly definitions: typeof METRIC_DEFINITIONS;
  readonly options: UsedOptions;
}

/** Number of synthetic inputs. */
export function originOf({ notes, inputs }: Pick<Metrics, "notes" | "inputs">): Provenance {
  const made = notes.filter(({ id }) => id === SYNTHETIC_NOTE).map(({ input }) => input);
  return { synthetic: new Set(made).size, of: inputs.length, unit: "inputs" };
}

export type UsedOptions = CollectorOptions & {
  readonly blockBytes: number;
  readonly ceilPerAccess: boolean;
  readonly align: "clock" | "start";
  readonly includeNonFile: boolean;
  readonly by: readonly Grouping[];
  readonly top: number;
  readonly memoryBytes: number;
};

export interface Concurrency {
  /** Maximum concurrency; accesses without duration do not count. */
  readonly max: number;
  /** Mean over T. */
  readonly mean: number | null;
  /** Seconds with this many accesses in flight, for each number from 1 on that occurs; they sum up to T. */
  readonly levels: readonly { readonly level: number; readonly seconds: number }[];
}

export interface MetricOutliers {
  readonly accesses: number;
  /** The longest, longest first. */
  readonly longest: readonly MetricOutlier[];
}

export interface MetricOutlier {
  /** After the first start. */
  readonly startSeconds: number;
  readonly seconds: number;
  /** 95 % of the accesses of the file in this direction took at most this. */
  readonly p95Seconds: number;
  readonly direction: "read" | "write";
  readonly process: string;
  readonly rank: number | null;
  readonly file: string;
  readonly offset: number | null;
  readonly bytes: number;
}

/** Rows that were not used, by reason. */
interface Dropped {
  readonly total: number;
  readonly endBeforeStart: number;
  /** A time is missing, or lies more than 52 days off. */
  readonly timeUnknown: number;
  readonly sizeNegative: number;
  /** Missing, not a whole number, or from 4 PiB on. */
  readonly sizeUnknown: number;
  /** Losses reported by the recorders; not in `total`. */
  readonly notRecorded: number;
}

/** Accesses excluded by the options. */
interface Filtered {
  readonly nonFile: number;
  readonly direction: number;
  readonly file: number;
  readonly time: number;
}

interface CollectionClock {
  readonly kind: "realtime" | "own" | "aligned" | "none";
  /** The first start: time 0 of windows and pictures. */
  readonly origin: Origin;
  /** Largest uncertainty stated by an input; null: none stated. */
  readonly uncertaintyNs: number | null;
}

export interface InputSummary {
  readonly name: string;
  readonly accesses: number;
  readonly bytes: bigint;
  readonly clock: "realtime" | "own" | "none";
}

export interface GroupTable {
  readonly by: Grouping;
  /** Most bytes first. */
  readonly rows: readonly GroupRow[];
  /** Total number. */
  readonly total: number;
}

export interface GroupRow extends MetricValues {
  readonly name: string;
  /** For groups of processes. */
  readonly process?: CallProcess;
}

/**
 * An access counts in the window in which it starts; its bytes are spread evenly over its duration and cut to whole bytes,
 * so that windows sum up to the totals; T of a window is the time in it with an access under way.
 */
export interface WindowTable {
  readonly everyNs: number;
  readonly rows: readonly WindowRow[];
}

export interface WindowRow
  extends Pick<
    MetricValues,
    "accesses" | "bytes" | "readBytes" | "writtenBytes" | "blocks" | "ioTimeSeconds" | "bps" | "iops"
  > {
  readonly startSeconds: number;
  /** Mean number of accesses under way over the T of the window. */
  readonly meanConcurrency: number | null;
}

/** Time in columns of equal width from the first start on. */
export interface Picture {
  readonly columns: number;
  readonly columnSeconds: number;
  /** Seconds of each column with an access under way. */
  readonly busySeconds: Float64Array;
  /** Seconds of accesses in each column: divided by the width, the mean number under way. */
  readonly accessSeconds: Float64Array;
  /** Processes with most bytes, in order of host, rank and pid. Others share the last lane. */
  readonly lanes: readonly { readonly name: string; readonly processes: number }[];
  readonly processes: number;
  /** Seconds in reads and in writes, lanes × columns. */
  readonly readSeconds: Float64Array;
  readonly writeSeconds: Float64Array;
  /** Every access, if there are few. */
  readonly spans: readonly PictureSpan[] | null;
  /** Intervals of T, if there are few: alternating start and end, in seconds. */
  readonly stretches: readonly number[] | null;
}

export interface PictureSpan {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly lane: number;
  readonly write: boolean;
  readonly bytes: number;
  readonly file: string;
}

/** Text of a note. */
export interface CollectionNote {
  readonly id: string;
  readonly count: number;
  readonly text: string;
  /** Absent when it is about the whole collection. */
  readonly input?: string;
}
