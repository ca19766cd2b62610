/** Results of finished studies from their JSON files. They are untrusted, so every field is checked. */
import { FormatError } from "../base/errors.ts";
import type { NcioSweep } from "../model/index.ts";
import { readSweep } from "../ncio/judge/index.ts";

/** Common fields of all results: figures, and address of the report. */
interface ResultBase {
  readonly source: string;
  /** Address of report.html beside the JSON file; undefined without one. */
  readonly report: string | undefined;
  /** Ids of the figures; undefined in results that were printed but not written. */
  readonly figures: readonly string[] | undefined;
}

export interface FindingResult {
  readonly id: string;
  readonly verdict: string;
  readonly reason: string;
  readonly measured: number;
  readonly claims: readonly { readonly key: string; readonly state: string; readonly measured: number }[];
}

/** A study over a store, or that of the metric. */
export interface StudyOutcome extends ResultBase {
  readonly synthetic: boolean;
  /** Data is partly recorded and partly generated. */
  readonly mixed: boolean;
  readonly simulated: boolean;
  readonly items: Readonly<Record<string, Fields>>;
  /** Values of items by cluster, if the study separates clusters. */
  readonly clusters: Readonly<Record<string, Readonly<Record<string, Fields>>>>;
  readonly findings: readonly FindingResult[];
}

export interface ReplayOutcome extends ResultBase {
  readonly checks: readonly { readonly id: string; readonly measured: string; readonly verdict: string }[];
}

interface SweepOutcome extends ResultBase {
  readonly sweep: NcioSweep;
}

export interface PaperResults {
  readonly reuse?: StudyOutcome;
  readonly system?: StudyOutcome;
  readonly metric?: StudyOutcome;
  readonly adaptive?: ReplayOutcome;
  readonly ncio?: SweepOutcome;
}

type Fields = Readonly<Record<string, unknown>>;

/** A result before it is read. */
export interface GivenResult {
  readonly source: string;
  readonly report?: string | undefined;
  readonly value: unknown;
}

/** One result per study; a second one is an error, since the choice would be ambiguous. */
export function paperResults(given: readonly GivenResult[]): PaperResults {
  const found: Record<string, ResultBase> = {};
  for (const one of given) {
    const [paper, result] = read(one);
    const other = found[paper];
    if (other !== undefined)
      throw new FormatError(
        one.source,
        {},
        `a second result of the same study; ${other.source} is the first`,
      );
    found[paper] = result;
  }
  return found as PaperResults;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isNamedFields = (entry: [string, unknown]): entry is [string, Fields] => isFields(entry[1]);

function read({ source, report, value }: GivenResult): readonly [keyof PaperResults, ResultBase] {
  if (!isFields(value)) return fail(source);
  const figures = Array.isArray(value.figures)
    ? value.figures.flatMap((one) => (isFields(one) && typeof one.id === "string" ? [one.id] : []))
    : undefined;
  const base = { source, report, figures };
  if (value.study === "reuse" || value.study === "system" || value.study === "metric")
    return [value.study, { ...base, ...studyOf(value, source) }];
  if (Array.isArray(value.checks) && value.simulated === true)
    return [
      "adaptive",
      { ...base, checks: value.checks.map((one) => checkOf(one, source)) } as ReplayOutcome,
    ];
  if (Array.isArray(value.points) && value.plimsoll === "ncio-sweep")
    return ["ncio", { ...base, sweep: readSweep(value, source) } as SweepOutcome];
  return fail(source);
}

function fail(source: string): never {
  throw new FormatError(
    source,
    {},
    "no result of a study; expected study.json (study reuse, system, metric), checks.json (sim replay) or sweep.json (ncio sweep)",
  );
}

function studyOf(value: Fields, source: string): Omit<StudyOutcome, keyof ResultBase> {
  const { items, findings, origin } = value;
  if (!isFields(items) || !Array.isArray(findings))
    throw new FormatError(source, {}, "a study without items and findings; run it again");
  const generated = isFields(origin) ? Number(origin.synthetic) : 0;
  return {
    synthetic: generated > 0,
    mixed: generated > 0 && isFields(origin) && generated < Number(origin.of),
    simulated: value.simulated === true,
    items: Object.fromEntries(
      Object.entries(items).map(([id, item]) => [
        id,
        isFields(item) && isFields(item.values) ? item.values : {},
      ]),
    ),
    clusters: Object.fromEntries(
      Object.entries(items).flatMap(([id, item]) =>
        isFields(item) && isFields(item.clusters)
          ? [[id, Object.fromEntries(Object.entries(item.clusters).filter(isNamedFields))]]
          : [],
      ),
    ),
    findings: findings.map((one) => findingOf(one, source)),
  };
}

function findingOf(value: unknown, source: string): FindingResult {
  if (!isFields(value) || typeof value.id !== "string" || typeof value.verdict !== "string")
    throw new FormatError(source, {}, "a finding without id or verdict; run the study again");
  const claims = Array.isArray(value.claims) ? value.claims : [];
  return {
    id: value.id,
    verdict: value.verdict,
    reason: typeof value.reason === "string" ? value.reason : "",
    measured: numberOf(value.measured),
    claims: claims.flatMap((one) =>
      isFields(one) && typeof one.key === "string" && typeof one.state === "string"
        ? [{ key: one.key, state: one.state, measured: numberOf(one.measured) }]
        : [],
    ),
  };
}

function checkOf(value: unknown, source: string): ReplayOutcome["checks"][number] {
  if (!isFields(value) || typeof value.id !== "string" || typeof value.verdict !== "string")
    throw new FormatError(source, {}, "a check without id or verdict; run the replay again");
  return {
    id: value.id,
    verdict: value.verdict,
    measured: typeof value.measured === "string" ? value.measured : "",
  };
}

/** JSON has null for unknown values. */
const numberOf = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
