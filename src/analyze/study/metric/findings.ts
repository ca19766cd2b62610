/**
 * The paper's statements judged by what was measured here. A direction is decided when the whole interval of the normalised
 * coefficient, and the coefficient itself, lie on one side of zero. A statement is confirmed when the decided direction is
 * the paper's, refuted when it is the other, and insufficient when it is open or its noise is not known.
 */
import type { StudyFinding } from "../common/finding.ts";
import { CASES_MIN, type CorrelatedSets, type Correlation, RUNS_MIN } from "./correlation.ts";
import { PUBLISHED, PUBLISHED_BPS } from "./published.ts";
import { METRIC_NAMES, METRICS, type MetricName, SET_IDS, SETS, type SetId } from "./sets.ts";

type Verdict = "confirmed" | "refuted" | "insufficient";
type Direction = "expected" | "wrong" | "open";

export interface MetricFinding
  extends Pick<StudyFinding, "statement" | "published" | "measured" | "interval" | "verdict" | "reason"> {
  /** "C06.2a.iops", "C06.2a" for a set, "C06.bps" for a metric over all sets. */
  readonly id: string;
  readonly kind: "metric" | "set" | "overall";
  readonly set: SetId | null;
  readonly metric: MetricName;
  readonly publishedDirection: "expected" | "wrong";
  readonly source: string;
  readonly direction: Direction;
  /** Cases, or sets for what is about all of them. */
  readonly n: number;
}

export function directionOf(measured: number, [low, high]: readonly [number, number]): Direction {
  if ([measured, low, high].some(Number.isNaN)) return "open";
  if (Math.min(measured, low) > 0) return "expected";
  return Math.max(measured, high) < 0 ? "wrong" : "open";
}

export function judge({ sets, overall }: CorrelatedSets): MetricFinding[] {
  const single = [...sets].map(([set, correlations]) =>
    METRIC_NAMES.map((metric) => metricFinding(set, correlations[metric])),
  );
  const bySet = single.map((of) => setFinding(of));
  return [
    ...single.flat(),
    ...bySet,
    ...METRIC_NAMES.map((metric) => overallFinding(metric, single.flat(), overall)),
  ];
}

const WORDS = { expected: "the expected direction", wrong: "the wrong direction" } as const;

function metricFinding(set: SetId, { metric, n, runs, pearson, interval }: Correlation): MetricFinding {
  const { value, direction: paper, source } = PUBLISHED[set][metric];
  const range = [interval.low, interval.high] as const;
  const direction = runs < RUNS_MIN ? "open" : directionOf(pearson, range);
  const [verdict, reason] = ((): [Verdict, string] => {
    if (n < CASES_MIN) return ["insufficient", `Only ${n} cases, minimum ${CASES_MIN}.`];
    if (runs < RUNS_MIN) return ["insufficient", `A case has only one run, minimum ${RUNS_MIN}.`];
    if (Number.isNaN(pearson)) return ["insufficient", "No coefficient: the metric or the time is constant."];
    if (direction === "open")
      return ["insufficient", "The interval includes zero: the direction is not decided."];
    return direction === paper
      ? ["confirmed", `Points in ${WORDS[direction]}, as in the paper.`]
      : [
          "refuted",
          `Points in ${WORDS[direction]}; in the paper it is ${paper === "wrong" ? "wrong" : "right"}.`,
        ];
  })();
  return {
    id: `C06.${set}.${metric}`,
    kind: "metric",
    set,
    metric,
    statement: `${METRICS[metric].label} points in ${WORDS[paper]}.`,
    published: value,
    publishedDirection: paper,
    source: `${source}, Figure ${SETS[set].figure}`,
    measured: pearson,
    interval: range,
    direction,
    verdict,
    reason,
    n,
  };
}

/** A set holds when all four metrics behave as in the paper; its numbers are those of BPS. */
function setFinding(of: readonly MetricFinding[]): MetricFinding {
  const bps = of.find(({ metric }) => metric === "bps") as MetricFinding;
  const set = bps.set as SetId;
  const list = (verdict: Verdict) =>
    of.filter((one) => one.verdict === verdict).map(({ metric }) => METRICS[metric].label);
  const [refuted, open] = [list("refuted"), list("insufficient")];
  const misled = of
    .filter((one) => one.publishedDirection === "wrong")
    .map(({ metric }) => METRICS[metric].label);
  const [verdict, reason]: [Verdict, string] =
    refuted.length > 0
      ? ["refuted", `Otherwise here: ${refuted.join(", ")}.`]
      : open.length > 0
        ? ["insufficient", `Not decided: ${open.join(", ")}.`]
        : ["confirmed", "All four metrics point in the same direction as in the paper."];
  return {
    ...bps,
    id: `C06.${set}`,
    kind: "set",
    statement:
      misled.length === 0
        ? "All four metrics point in the expected direction."
        : `${misled.join(" and ")} mislead${misled.length === 1 ? "s" : ""}; the others do not.`,
    verdict,
    reason,
  };
}

/** BPS is right everywhere, and each of the others is wrong somewhere (IV.C.5). */
function overallFinding(
  metric: MetricName,
  single: readonly MetricFinding[],
  overall: CorrelatedSets["overall"],
): MetricFinding {
  const of = single.filter((one) => one.metric === metric);
  const { label } = METRICS[metric];
  const named = (list: readonly MetricFinding[]) => list.map(({ set }) => set).join(", ");
  const wrong = of.filter(({ direction }) => direction === "wrong");
  const open = of.filter(({ direction }) => direction === "open");
  const left = SET_IDS.filter((set) => !SETS[set].extra && of.every((one) => one.set !== set));
  const unseen =
    left.length === 0
      ? ""
      : left.length === 1
        ? `set ${left[0]} was not run`
        : `sets ${left.join(", ")} were not run`;
  const notDecided = open.length === 0 ? "" : `not decided in ${named(open)}`;
  const rest = [notDecided, unseen].filter((text) => text !== "").join("; ");
  const [verdict, reason] = ((): [Verdict, string] => {
    const hasWrong = wrong.length > 0;
    if (metric === "bps" && hasWrong) return ["refuted", `Wrong in ${named(wrong)}.`];
    if (metric !== "bps" && hasWrong) return ["confirmed", `Wrong in ${named(wrong)}.`];
    if (rest !== "") return ["insufficient", `Nowhere wrong, but ${rest}.`];
    return [metric === "bps" ? "confirmed" : "refuted", "Right in every set."];
  })();
  const { mean, interval } = overall[metric];
  const range = [interval.low, interval.high] as const;
  return {
    id: `C06.${metric}`,
    kind: "overall",
    set: null,
    metric,
    statement:
      metric === "bps"
        ? "BPS points in the expected direction in every set."
        : `${label} misleads in some set.`,
    published: metric === "bps" ? PUBLISHED_BPS : null,
    publishedDirection: metric === "bps" ? "expected" : "wrong",
    source: metric === "bps" ? "I and IV.C.5" : "IV.C.5",
    measured: mean,
    interval: range,
    direction: directionOf(mean, range),
    verdict,
    reason,
    n: of.length,
  };
}
