/**
 * How severe a finding is. The limits of a rule decide whether it speaks; these decide how loud. Each rule names its
 * scale, the engine checks that it keeps to it, and docs/analyses.md prints it. All numbers here are ours.
 */
import type { Severity } from "../../../model/index.ts";
import type { Job } from "../job.ts";
import type { Scale } from "../rule.ts";
import { ioSeconds } from "./measures.ts";

/** Part of the I/O time, over all ranks, from which a fix of these calls is noticeable. */
const HIGH_SHARE_OF_IO = 0.1;
/** Below a hundredth of the I/O time nothing is gained in this job; the habit may still cost at scale. */
const WARN_SHARE_OF_IO = 0.01;
/** Where I/O takes less of the run, even its complete removal is lost in the variation between runs. */
const FELT_SHARE_OF_RUN = 0.05;
/** Nobody tunes what takes less than a second of all ranks together. */
const HIGH_SECONDS = 1;

/** Part of the run time, of a rank, that is worth a change of the program: six minutes of every hour. */
export const HIGH_SHARE_OF_RUN = 0.1;
/** Below a hundredth of the run a change cannot be measured. */
const WARN_SHARE_OF_RUN = 0.01;
/** Runs that lose less than half a second are tests, whatever they spend their time on. */
const WARN_SECONDS = 0.5;

/** Where only the time is known that a change could shorten, and not by how much: half of it would be a tenth. */
const HIGH_SHARE_TO_SHORTEN = 0.2;

const percent = (share: number) => `${100 * share} %`;

export const BY_CALLS: Scale = {
  severities: ["high", "warn", "info"],
  text:
    `**high** when the calls in question take at least ${percent(HIGH_SHARE_OF_IO)} of the I/O time and ${HIGH_SECONDS} s, summed over ranks, in a job ` +
    `whose slowest rank spends at least ${percent(FELT_SHARE_OF_RUN)} of the run in I/O; **warn** from ${percent(WARN_SHARE_OF_IO)} of the I/O time, and when the ` +
    "log has no times; **info** below.",
};

/** By the time that the calls in question took, summed over ranks. */
export function severityByCalls(job: Job, seconds: number, most: Severity = "high"): Severity {
  const share = seconds / ioSeconds(job);
  const matters = !(job.io.slowestShare < FELT_SHARE_OF_RUN) && seconds >= HIGH_SECONDS;
  if (share < WARN_SHARE_OF_IO || most === "info") return "info";
  return share >= HIGH_SHARE_OF_IO && matters ? most : "warn";
}

export const BY_RUN: Scale = {
  severities: ["high", "warn", "info"],
  text:
    `**high** when the problem costs a rank at least ${percent(HIGH_SHARE_OF_RUN)} of the run time; **warn** from ${percent(WARN_SHARE_OF_RUN)}; **info** below, and ` +
    `whenever it costs less than ${WARN_SECONDS} s.`,
};

/** By what the problem costs: as part of the run time, and in seconds of a rank. */
export function severityByRun(shareOfRun: number, seconds: number): Severity {
  if (!(seconds >= WARN_SECONDS)) return "info";
  if (shareOfRun >= HIGH_SHARE_OF_RUN) return "high";
  return shareOfRun >= WARN_SHARE_OF_RUN ? "warn" : "info";
}

export const BY_TIME_TO_SHORTEN: Scale = {
  severities: ["high", "warn"],
  text: `**high** when what a change could shorten takes at least ${percent(HIGH_SHARE_TO_SHORTEN)} of the run time; **warn** otherwise.`,
};

/** For layouts and turns: the log tells how long the I/O takes, not how long it would take otherwise. */
export const severityByTimeToShorten = (shareOfRun: number): Severity =>
  shareOfRun >= HIGH_SHARE_TO_SHORTEN ? "high" : "warn";

export const IF_FELT: Scale = {
  severities: ["warn", "info"],
  text: `**warn** when it costs a rank at least ${percent(FELT_SHARE_OF_RUN)} of the run time; **info** below.`,
};

/** For habits that are harmless until they take time. */
export const severityIfFelt = (shareOfRun: number): Severity =>
  shareOfRun >= FELT_SHARE_OF_RUN ? "warn" : "info";

export const ALWAYS_INFO: Scale = {
  severities: ["info"],
  text: "always **info**: it tells, it does not blame.",
};

/** A scale of one rule alone, with its own words. */
export const customScale = (severities: readonly Severity[], text: string): Scale => ({ severities, text });

/** Scales that several rules share, with names for the documents. */
export const SCALES: readonly (readonly [name: string, scale: Scale])[] = [
  ["by calls", BY_CALLS],
  ["by run time", BY_RUN],
  ["by time to shorten", BY_TIME_TO_SHORTEN],
  ["if felt", IF_FELT],
  ["always info", ALWAYS_INFO],
];
