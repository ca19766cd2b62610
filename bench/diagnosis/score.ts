/** How well findings name what is wrong with a job. Pure: truth and findings in, numbers out. */
import { DRISHTI_HIGH, DRISHTI_OF, RULES_OF, SYMPTOMS } from "./causes.ts";
import type { Case, Said } from "./sets.ts";

export interface Score {
  readonly truth: Case;
  readonly first: string;
  /** The first finding names the main cause. */
  readonly isFirst: boolean;
  /** It names it by a cause that it may also be called. */
  readonly isRelated: boolean;
  /** Claimed over true gain of the main cause; NaN where nothing is claimed. */
  readonly factor: number;
  /** High findings that are wrong, and what they claim. */
  readonly falseHighs: readonly Said[];
  /** True causes that no finding names. */
  readonly missed: readonly string[];
  /** Whether Drishti has the main cause among its HIGH insights, and how many others; nothing where it did not run. */
  readonly drishti?: { readonly names: boolean; readonly others: number };
}

const rulesOf = (cause: string): readonly string[] => RULES_OF[cause] ?? [cause];

export function scoreCase(truth: Case, said: readonly Said[], insights?: readonly string[]): Score {
  const main = truth.causes.find(({ cause }) => cause === truth.mainCause);
  const names = (id: string) => main !== undefined && rulesOf(main.cause).includes(id);
  const first = firstCause(truth, main?.gainSeconds ?? 0, said);
  const claim = said.find(({ id }) => names(id));
  return {
    truth,
    first,
    isFirst: names(first),
    isRelated: main?.also.some((cause) => rulesOf(cause).includes(first)) ?? false,
    factor: main === undefined ? Number.NaN : (claim?.seconds ?? Number.NaN) / main.gainSeconds,
    falseHighs: said.filter((one) => isFalseHigh(truth, one)),
    missed: truth.causes
      .filter(({ cause }) => !said.some(({ id }) => rulesOf(cause).includes(id)))
      .map(({ cause }) => cause),
    ...(insights === undefined ? {} : { drishti: drishtiScore(truth, insights) }),
  };
}

/** A symptom may stand first where no cause explains half of the I/O; then the finding behind it counts. */
function firstCause({ ioSeconds }: Case, gainSeconds: number, said: readonly Said[]): string {
  const mayLead = gainSeconds < ioSeconds / 2;
  return said.find(({ id }) => !mayLead || !SYMPTOMS.has(id))?.id ?? "-";
}

/**
 * Any high finding where nothing is to be mended; elsewhere one that names none of the true causes and claims more than
 * twice what mending all of them brings.
 */
function isFalseHigh({ causes, mainCause, gainSeconds }: Case, { id, severity, seconds }: Said): boolean {
  if (severity !== "high" || SYMPTOMS.has(id)) return false;
  if (mainCause === "none") return true;
  const right = causes.some(({ cause, also }) => [cause, ...also].some((name) => rulesOf(name).includes(id)));
  return !right && seconds > 2 * gainSeconds;
}

function drishtiScore({ causes, mainCause }: Case, insights: readonly string[]) {
  const high = insights.filter((code) => DRISHTI_HIGH.has(code));
  const right = new Set(causes.flatMap(({ cause }) => DRISHTI_OF[cause] ?? []));
  const main = DRISHTI_OF[mainCause] ?? [];
  return {
    names: high.some((code) => main.includes(code)),
    others: high.filter((code) => !right.has(code)).length,
  };
}

export interface Line {
  readonly label: string;
  readonly jobs: number;
  readonly first: number;
  readonly related: number;
  readonly within15: number;
  readonly within2: number;
  /** Median of |claimed − true| / true, over jobs whose main cause has a cost; and how many have one. */
  readonly errorMedian: number;
  readonly costs: number;
  readonly falseHighs: number;
  readonly missed: number;
  readonly drishtiNames: number;
  readonly drishtiOthers: number;
}

/** `jobs` counts those with a main cause; controls and decoys have a line of their own. */
export function lineOf(label: string, scores: readonly Score[]): Line {
  const count = (test: (score: Score) => boolean) => scores.filter(test).length;
  const factors = scores.map(({ factor }) => factor).filter(Number.isFinite);
  const within = (most: number) => factors.filter((f) => Math.max(f, 1 / f) <= most).length;
  return {
    label,
    jobs: scores.length,
    first: count(({ isFirst }) => isFirst),
    related: count(({ isFirst, isRelated }) => !isFirst && isRelated),
    within15: within(1.5),
    within2: within(2),
    errorMedian: median(factors.map((factor) => Math.abs(factor - 1))),
    costs: factors.length,
    falseHighs: count(({ falseHighs }) => falseHighs.length > 0),
    missed: scores.reduce((sum, { missed }) => sum + missed.length, 0),
    drishtiNames: count(({ drishti }) => drishti?.names === true),
    drishtiOthers: scores.reduce((sum, { drishti }) => sum + (drishti?.others ?? 0), 0),
  };
}

/** A line for each main cause, controls and decoys last. */
export function linesOf(scores: readonly Score[]): Line[] {
  const causes = [...new Set(scores.map(({ truth }) => truth.mainCause))];
  const order = [...Object.keys(RULES_OF), "none"];
  causes.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return causes.map((cause) =>
    lineOf(
      cause,
      scores.filter(({ truth }) => truth.mainCause === cause),
    ),
  );
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
