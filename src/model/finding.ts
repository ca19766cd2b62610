/** What an analysis of one job returns: something a person should know, with its evidence and what to do. */

import type { Figure } from "./figure.ts";

/** high: costs at least a tenth of the run; warn: a hundredth; info: less, or good to know. */
export const SEVERITIES = ["high", "warn", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const isAtLeast = (severity: Severity, limit: Severity): boolean =>
  SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(limit);

const CONFIDENCES = ["high", "medium", "low"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/**
 * What a cost rests on. critical-path: traced calls, phase by phase; slowest-rank: times of the slowest rank;
 * estimated: a model of what healthy calls would take; unknown: the log cannot tell.
 */
type CostBasis = "critical-path" | "slowest-rank" | "estimated" | "unknown";

/** A cost that rounds to nothing, of which nothing is said. */
export const isNoCost = (seconds: number): boolean => !(seconds >= 1e-6);

/** How much sooner the job would end without the cause. */
export interface Cost {
  /** Null when the log cannot tell. */
  readonly seconds: number | null;
  /** Of the run time; null also when the log has no run time. */
  readonly shareOfRun: number | null;
  readonly basis: CostBasis;
  /** An upper bound: "at most". */
  readonly atMost: boolean;
  /** How it was computed, or why it cannot be, in a sentence. */
  readonly model: string;
  /** Finding with a larger cost that explains most of the same time, so that the two do not add up. */
  readonly within: string | null;
}

export interface Finding {
  /** Id of the rule; stable, never reused. */
  readonly id: string;
  /** Follows from the cost. */
  readonly severity: Severity;
  readonly cost: Cost;
  /** A few words: "Small writes". */
  readonly title: string;
  /** One or two sentences with the numbers that matter. */
  readonly statement: string;
  readonly evidence: Evidence;
  /** The picture that shows it; findings of severity info may go without. */
  readonly figure?: Figure;
  /** The limits it was judged by, as used. */
  readonly threshold: readonly ThresholdUse[];
  /** What to change, in at most seven words: rules on jobs say it. */
  readonly inShort?: string;
  /** What to change, in sentences. */
  readonly advice: string;
  readonly snippet?: Snippet;
  /** What the change should bring, without promises. */
  readonly effect: string;
  readonly confidence: Confidence;
  /** Why not higher, or why so high. */
  readonly confidenceReason: string;
}

export interface Evidence {
  readonly numbers: readonly EvidenceNumber[];
  /** The files that weigh most, worst first; `filesTotal` counts those that are not listed too. */
  readonly files: readonly EvidenceFile[];
  readonly filesTotal: number;
  /** Ranks that stand out; none when it is not about ranks. */
  readonly ranks: readonly number[];
  /** Place in the timeline, seconds since the start of the job. */
  readonly span?: { readonly startSeconds: number; readonly endSeconds: number };
}

export interface EvidenceNumber {
  readonly label: string;
  readonly value: number;
  /** A unit of figure.ts. */
  readonly unit: Unit;
  /** For shares: what it is of, in the same unit. */
  readonly of?: number;
  /** Bytes of one call, stripe or chunk, which have binary units (base/units.ts). */
  readonly size?: true;
}

export interface EvidenceFile {
  /** Record id as text, for links into the table of files. */
  readonly fileId: string;
  readonly path: string;
  readonly note: string;
}

export interface ThresholdUse {
  readonly name: string;
  /** What it limits, in a few words. */
  readonly meaning?: string;
  readonly value: number;
  readonly unit: Unit;
  /** A paper, a tool's default, a site's default or a measurement of ours. */
  readonly source: string;
  /** The measured value may not exceed it; of others it must reach it. */
  readonly most?: true;
  /** What was compared with it; null where no single number tells it. */
  readonly measured?: number | null;
}

export interface Snippet {
  /** "shell", "c", "python", "fortran" or "text". */
  readonly language: string;
  readonly code: string;
}

/** Units that numbers of findings, figures and tables have; plot/format.ts writes each for people. */
export type Unit =
  | "bytes"
  | "bytes/s"
  | "seconds"
  | "calls"
  | "calls/s"
  | "blocks/s"
  | "files"
  | "ranks"
  /** An index, never scaled: a rank number, an OST. */
  | "index"
  /** A share of one, written in percent. */
  | "share"
  /** A quotient, written as "3.1×". */
  | "ratio"
  | "count"
  | "unix-seconds"
  | "text"
  | "none";
