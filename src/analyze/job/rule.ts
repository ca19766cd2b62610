/** What a rule is. A rule is one entry in a file of rules/ and so in the table (rules/index.ts). */
import { assert } from "../../base/assert.ts";
import { textRows } from "../../base/text-rows.ts";
import type { Confidence, Cost, Evidence, Finding, Snippet, Unit } from "../../model/index.ts";
import type { Remedy } from "./cost/ledger.ts";
import type { Fact } from "./facts.ts";
import type { Job } from "./job.ts";

export interface Threshold {
  readonly value: number;
  readonly unit: Unit;
  /** What it limits, in a few words. */
  readonly meaning: string;
  /** What is measured must not exceed it; of others it must reach it. */
  readonly most?: true;
  /** A paper, a tool's default, a site's default, or a measurement of ours. */
  readonly source: string;
}

/**
 * A threshold in a line: value and unit, with "at most" where what is measured must not exceed it; meaning; source.
 *
 *     limit`0.1 share | bursts as part of the run time | Plimsoll's choice: a tenth of the run is worth a change`
 */
export function limit(texts: TemplateStringsArray, ...values: readonly (number | string)[]): Threshold {
  const [[measure = "", meaning = "", source = ""] = []] = textRows(texts, values);
  const [, value, unit, most] = /^(\S+) ([^\s,]+)(, at most)?$/.exec(measure) ?? [];
  assert(
    Number.isFinite(Number(value)) && source !== "",
    `a threshold has value, unit, meaning and source: ${texts}`,
  );
  return { value: Number(value), unit: unit as Unit, meaning, ...(most && { most: true }), source };
}

type Thresholds = Readonly<Record<string, Threshold>>;
type Values<Specs extends Thresholds> = { readonly [Name in keyof Specs]: number };

/** What a rule explains, so that others leave it alone: a file, or only a part of what happens to it. */
export interface Claim {
  /** Of a file, a dataset or a variable. */
  readonly fileId: string;
  /** Only accesses in this direction. */
  readonly way?: "read" | "write";
  /** Only what lies on this OST. */
  readonly ost?: number;
}

/**
 * What a rule may ask about the others, so that one cause is reported once. Each answer is what the other rule says of
 * this job with the limits that are in use: a rule whose limits are raised until it is silent claims nothing.
 */
export interface Others {
  /** Whether one of these rules speaks. */
  speak(...ids: readonly string[]): boolean;
  /** What these rules explain. */
  claims(...ids: readonly string[]): readonly Claim[];
  /** Files of these claims; with a direction those that are claimed in it. */
  claimed(ids: readonly string[], way?: "read" | "write"): ReadonlySet<string>;
  /** All other rules that speak, by id. */
  all(): ReadonlyMap<string, Judgement>;
}

/**
 * What a rule knows of the cost of its cause. The engine turns it into seconds of the job (cost/ledger.ts), and those
 * into a severity.
 */
export type CostClaim =
  /** The job without the cause: what remains of the time of the records that it touches. */
  | (Remedy & {
      readonly kind: "remedy";
      /** slowest-rank: recorded times alone; estimated: also a model of healthy calls. */
      readonly basis: "slowest-rank" | "estimated";
      /** How, in a sentence. */
      readonly model: string;
      /** Nothing tells how much of it a change would save. */
      readonly atMost?: true;
    })
  /** Nothing in the log says what it costs; such a finding never comes before one with a cost. */
  | { readonly kind: "unknown"; readonly why: string; readonly severity: "warn" | "info" }
  /** It tells and does not blame: always info. */
  | { readonly kind: "none" };

/** What to do: a rule decides once, so that headline, advice and code name the same. */
export interface Action {
  /** In at most seven words: "Move files off the slow target". */
  readonly change: string;
  readonly advice: string;
  readonly snippet?: Snippet;
}

/** What a rule says when it fires; id, title and thresholds are added by the engine. */
export interface Judgement {
  readonly cost: CostClaim;
  readonly statement: string;
  /** What each limit was compared with, by its name, where one number tells it. */
  readonly measured?: Readonly<Record<string, number>>;
  readonly evidence: Partial<Evidence>;
  readonly action: Action;
  readonly effect: string;
  readonly confidence: Confidence;
  readonly confidenceReason: string;
  /** For rules that yield to this one. */
  readonly claims?: readonly Claim[];
}

/** A cause as the subject of a sentence, in at most five words: "one slow storage target". */
export interface Subject {
  readonly text: string;
  readonly plural?: true;
}

/** Of two bars. */
export type Words = readonly [title: string, culprit: string, other: string];

/** A kind of figure and what of the job it shows; pictures/ has a module for each. */
export type Picture<Limit = string> =
  | { readonly kind: "ranks" | "layers" | "timeline" }
  | { readonly kind: "targets"; readonly by: "rate" | "bytes" }
  | { readonly kind: "files"; readonly by: "opens" | "stats" | "bytes" | "time" }
  /** Marks the kind of call that takes most, unless one is named. */
  | { readonly kind: "time"; readonly of?: "syncs" | "metadata" }
  /** Of calls in the direction that takes most, unless one is named; marks calls up to a limit of the rule, or to a number of bytes. */
  | { readonly kind: "sizes"; readonly way?: "read" | "write"; readonly upTo?: Limit | number }
  /** The first number of the evidence beside the second, or the number that it is a part of; its time beside all I/O. */
  | { readonly kind: "numbers"; readonly words: Words; readonly beside?: "whole" | "I/O time" }
  /** The bytes of the named rank, and the others, which move none. */
  | { readonly kind: "numbers"; readonly title: string; readonly beside: "other ranks" };

export type PictureOf<Kind extends Picture["kind"]> = Extract<Picture, { readonly kind: Kind }>;

interface RuleSpec<Specs extends Thresholds> {
  /** kebab-case; stable and never reused. */
  readonly id: string;
  readonly title: string;
  /** The cause in a headline; where it is left out, the title stands there. */
  readonly subject?: Subject;
  /** What shows it best; findings of severity high and warn carry that figure. */
  readonly picture?: Picture<keyof Specs>;
  /** What is wrong and why it costs, in a sentence or two: for --list and the documents. */
  readonly meaning: string;
  /** Facts that it cannot do without, as groups of alternatives: [["POSIX"], ["POSIX calls", "activity"]]. */
  readonly needs: readonly (readonly Fact[])[];
  readonly thresholds: Specs;
  /** A symptom names no cause: it comes first only where no cause explains half of the I/O time. */
  readonly isSymptom?: true;
  /** What Drishti calls it, where it has the same check: "P05". */
  readonly drishti?: string;
  judge(job: Job, limits: Values<Specs>, others: Others): Judgement | undefined;
}

export interface Rule extends Omit<RuleSpec<Thresholds>, "judge"> {
  judge(job: Job, limits: Readonly<Record<string, number>>, others: Others): Judgement | undefined;
}

export function defineRule<const Specs extends Thresholds>(spec: RuleSpec<Specs>): Rule {
  return spec as unknown as Rule;
}

/** Values that replace those of rules: "small-writes.share" → 0.2. */
export type ThresholdValues = ReadonlyMap<string, number>;

export interface Unjudged {
  readonly id: string;
  /** In words. */
  readonly missing: string;
  /** Groups of which the job has no fact: any of a group would do. */
  readonly lacks: readonly (readonly Fact[])[];
}

export interface Verdicts {
  /** Largest cost first; those whose cost is unknown after those with one, notes last. */
  readonly findings: readonly Finding[];
  /** What the job would gain without all causes at once: less than the sum of their costs. */
  readonly together: Cost;
  /** Rules that were applied and found nothing. */
  readonly quiet: readonly string[];
  /** Rules that could not be applied, with what is missing. */
  readonly unjudged: readonly Unjudged[];
}
