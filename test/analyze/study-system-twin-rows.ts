/** Rows as the twin of the study of a system sees them. */
import type { JobRow } from "./study-system-corpus.ts";

export interface TwinOptions {
  readonly cluster?: string;
  readonly zone?: string;
  readonly maxHours?: number;
  /** Dates, UTC. */
  readonly from?: string;
  readonly to?: string;
  readonly population?: "all" | "withIO" | "withWrites";
  readonly perCall?: "meanOfRatios" | "ratioOfSums";
  readonly userPerCall?: "sumOfRatios" | "ratioOfSums";
  readonly threshold?: string;
  readonly booking?: "start" | "proportional";
  readonly lateMinutes?: number;
  readonly maxGapMinutes?: number;
  readonly burst?: "whole" | "minute";
  readonly memoryMinutes?: "writes" | "io";
  readonly nodeMemory?: readonly string[];
  readonly similarity?: "bins" | "program";
  readonly groupJobs?: number;
}

export type Answers = Record<string, Record<string, number | bigint>>;

export const OPS = ["opens", "closes", "mkdirs", "mknods", "links", "renames", "rmdirs", "unlinks"] as const;
/** Whether a moment lies in the asked period. */
export const inPeriod = (unix: number, { from, to }: TwinOptions): boolean =>
  (from === undefined || unix >= Date.parse(`${from}T00:00:00Z`) / 1000) &&
  (to === undefined || unix < Date.parse(`${to}T00:00:00Z`) / 1000);

export const part = (a: number, b: number) => (b === 0 ? Number.NaN : a / b);

export interface Job extends JobRow {
  readonly start: number;
  readonly end: number;
  readonly seconds: number;
  readonly bad: boolean;
  readonly long: boolean;
  readonly mine: boolean;
  readonly user: string | undefined;
  readonly counted: boolean;
  readonly memory: number;
}

export interface Run {
  readonly job: Job | undefined;
  readonly read: number[];
  readonly written: number[];
  readonly order: number;
}

export const readOf = (job: Job) => job.bytes_read as number;
export const wroteOf = (job: Job) => job.bytes_written as number;
export const movedOf = (job: Job) => readOf(job) + wroteOf(job);
