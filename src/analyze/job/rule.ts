/** What a rule is. A rule is one entry in a file of rules/ and so in the table (rules/index.ts). */
import type { Confidence, Evidence, Finding, Severity, Snippet, Unit } from "../../model/finding.ts";
import type { Job } from "./job.ts";

export interface Threshold {
  readonly value: number;
  readonly unit: Unit;
  /** What it limits, in a few words. */
  readonly meaning: string;
  /** A paper, a tool's default, a site's default, or a measurement of ours. */
  readonly source: string;
}

export type Thresholds = Readonly<Record<string, Threshold>>;
type Values<Specs extends Thresholds> = { readonly [Name in keyof Specs]: number };

/** What a rule says when it fires; id, title and thresholds are added by the engine. */
export interface Judgement {
  readonly severity: Severity;
  readonly statement: string;
  readonly evidence: Partial<Evidence>;
  readonly advice: string;
  readonly snippet?: Snippet;
  readonly effect: string;
  readonly confidence: Confidence;
  readonly confidenceReason: string;
}

export interface RuleSpec<Specs extends Thresholds> {
  /** kebab-case; stable and never reused. */
  readonly id: string;
  readonly title: string;
  /** What is wrong and why it costs, in a sentence or two: for --list and the documents. */
  readonly meaning: string;
  /** Modules that it cannot do without, as groups of alternatives: [["POSIX"], ["DXT_POSIX", "HEATMAP"]]. */
  readonly needs: readonly (readonly string[])[];
  readonly thresholds: Specs;
  /** What Drishti calls it, where it has the same check: "P05". */
  readonly drishti?: string;
  judge(job: Job, limits: Values<Specs>): Judgement | undefined;
}

export interface Rule extends Omit<RuleSpec<Thresholds>, "judge"> {
  judge(job: Job, limits: Readonly<Record<string, number>>): Judgement | undefined;
}

export function defineRule<const Specs extends Thresholds>(spec: RuleSpec<Specs>): Rule {
  return spec as unknown as Rule;
}

/** Values that replace those of rules: "small-writes.share" → 0.2. */
export type ThresholdValues = ReadonlyMap<string, number>;

export interface Verdicts {
  readonly findings: readonly Finding[];
  /** Rules that were applied and found nothing. */
  readonly quiet: readonly string[];
  /** Rules that could not be applied, with the modules that are missing. */
  readonly unjudged: readonly { readonly id: string; readonly missing: string }[];
}
