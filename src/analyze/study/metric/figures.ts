/** Figures 4 to 12 of the paper from the runs of this study, beside what the paper prints. */
import type { Figure, PointsChart } from "../../../model/index.ts";
import type { SetCorrelations } from "./correlation.ts";
import { PUBLISHED, PUBLISHED_POINTS } from "./published.ts";
import { type Case, caseValue } from "./runs.ts";
import { METRIC_NAMES, METRICS, type MetricName, SETS, type SetId } from "./sets.ts";
import type { MetricStudy } from "./study.ts";

const ROLES = { iops: "metadata", bandwidth: "write", arpt: "wait", bps: "read" } as const;

const correlationFigureId = (set: SetId): string =>
  `figure-${String(SETS[set].figure).padStart(2, "0")}${SETS[set].extra ? "b" : ""}`;

/** All figures in the order of the paper; the last one shows all sets at once. */
export function studyFigures(study: MetricStudy): Figure[] {
  const figures = [...study.cases.keys()].flatMap((set) => setFigures(study, set));
  const order = (figure: Figure) => figure.id;
  figures.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  return study.cases.size > 1 ? [...figures, overview(study)] : figures;
}

export function setFigures(study: MetricStudy, set: SetId): Figure[] {
  const { detail } = SETS[set];
  const bars = correlationBars(study, set);
  if (detail === undefined) return [bars];
  return [bars, beside(study, set, detail), against(study, set, detail)];
}

function common({ setting, options }: MetricStudy) {
  return {
    options: { average: options.average, replicates: options.replicates, seed: options.seed },
    ...(setting.simulated ? { simulated: true } : {}),
  };
}

const madeBy = ({ setting }: MetricStudy) =>
  setting.simulated ? "Simulated device." : "Measured on this machine.";

function correlationBars(study: MetricStudy, set: SetId): Figure {
  const { title, figure, extra } = SETS[set];
  const of = study.correlations.sets.get(set) as SetCorrelations;
  const measured = METRIC_NAMES.map((metric) => of[metric].pearson);
  const wrong = METRIC_NAMES.filter((metric) => of[metric].pearson < 0).map(
    (metric) => METRICS[metric].label,
  );
  const silent = METRIC_NAMES.filter((metric) => PUBLISHED[set][metric].value === null);
  const silence =
    silent.length === 0
      ? ""
      : ` For ${silent.map((metric) => METRICS[metric].label).join(" and ")} the paper only says that the direction is wrong.`;
  return {
    ...common(study),
    id: correlationFigureId(set),
    title: `Figure ${figure}${extra ? ", small regions" : ""}: ${title.charAt(0).toLowerCase()}${title.slice(1)}, correlation with execution time`,
    caption: `Normalised coefficients: positive is the direction of Table 1. ${study.cases.get(set)?.length} cases. ${madeBy(study)} Published numbers are averages over the metrics that agree.${silence}`,
    summary: `${METRIC_NAMES.map((metric, i) => `${METRICS[metric].label} ${number(measured[i])}`).join(", ")}; ${wrong.length === 0 ? "all in the expected direction" : `${wrong.join(" and ")} in the wrong direction`}.`,
    definition: "C05@1",
    chart: {
      kind: "bars",
      direction: "vertical",
      stacked: false,
      categories: METRIC_NAMES.map((metric) => METRICS[metric].label),
      categoryLabel: "Metric",
      value: { label: "Normalised coefficient", unit: "none" },
      series: [
        {
          name: study.setting.simulated ? "simulated" : "measured",
          role: "after",
          values: measured.map(two),
        },
        {
          name: "published",
          role: "before",
          values: METRIC_NAMES.map((metric) => PUBLISHED[set][metric].value ?? Number.NaN),
        },
      ],
    },
  };
}

const two = (value: number) => Number(value.toFixed(3));
const number = (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? "not defined" : value.toFixed(2);

/** Figures 7, 8 and 10: a metric and the execution time over the varied value; each as a share of its largest. */
function beside(
  study: MetricStudy,
  set: SetId,
  { figure, metric }: { readonly figure: number; readonly metric: MetricName },
): Figure {
  const { varied } = SETS[set];
  const { label } = METRICS[metric];
  const cases = study.cases.get(set) as readonly Case[];
  const of = (measure: MetricName | "executionSeconds") =>
    cases.map((one) => caseValue(one, measure, study.options.average));
  const shares = (values: readonly number[]) => {
    const most = Math.max(...values);
    return values.map((value) => value / most);
  };
  const [metricValues, times] = [of(metric), of("executionSeconds")];
  const [first, last] = [cases[0] as Case, cases.at(-1) as Case];
  return {
    ...common(study),
    id: `figure-${String(figure).padStart(2, "0")}`,
    title: `Figure ${figure}: ${label} and execution time over ${varied.toLowerCase()}`,
    caption: `${SETS[set].title}. Each series relative to its largest value, since units differ; ${study.options.average} of ${first.runs.length} runs. ${madeBy(study)}`,
    summary: `From ${first.label} to ${last.label} ${label} goes from ${exact(metricValues[0])} to ${exact(metricValues.at(-1))} and execution time from ${exact(times[0])} to ${exact(times.at(-1))} seconds.`,
    definition: "C06@1",
    chart: {
      kind: "bars",
      direction: "vertical",
      stacked: false,
      categories: cases.map((one) => one.label),
      categoryLabel: varied,
      value: { label: "Relative to the largest value", unit: "share" },
      series: [
        { name: label, role: ROLES[metric], values: shares(metricValues) },
        { name: "execution time", role: "neutral", values: shares(times) },
      ],
    },
  };
}

const exact = (value: number | undefined) => String(Number((value ?? Number.NaN).toPrecision(3)));

/** The same as points, with what the paper prints of its own; one role, as points of the paper have names that say so. */
function against(
  study: MetricStudy,
  set: SetId,
  { figure, metric }: { readonly figure: number; readonly metric: MetricName },
): Figure {
  const { label, unit } = METRICS[metric];
  const cases = study.cases.get(set) as readonly Case[];
  const own = cases.map((one): PointsChart["points"][number] => ({
    x: caseValue(one, "executionSeconds", study.options.average),
    y: caseValue(one, metric, study.options.average),
    label: one.label,
    role: "after",
  }));
  const published = PUBLISHED_POINTS.filter((point) => point.set === set && metric in point);
  const drawn = published.flatMap((point): PointsChart["points"][number][] =>
    point.executionSeconds === undefined
      ? []
      : [
          {
            x: point.executionSeconds,
            y: point[metric as "iops"] as number,
            label: `paper, ${point.label}`,
            role: "after",
          },
        ],
  );
  const told = published
    .map(
      (point) =>
        `${point.label} ${METRICS[metric].label} ${point[metric as "iops" | "arpt"]}${metric === "arpt" ? " s" : ""}${point.executionSeconds === undefined ? "" : ` and ${point.executionSeconds} s of execution`}`,
    )
    .join(", ");
  return {
    ...common(study),
    id: `figure-${String(figure).padStart(2, "0")}-points`,
    title: `Figure ${figure}, as points: ${label} against execution time`,
    caption: `${SETS[set].title}; one point for each case, ${study.options.average}s. ${madeBy(study)}${told === "" ? "" : ` The paper prints: ${told}; it read more data, so its times are longer.`}`,
    summary: `${cases.length} cases; the coefficient of ${label} and execution time is ${number(study.correlations.sets.get(set)?.[metric].raw)}.`,
    definition: "C06@1",
    chart: {
      kind: "points",
      x: { label: "Execution time", unit: "seconds", scale: "log" },
      y: { label, unit, scale: "log" },
      points: [...own, ...drawn],
    },
  };
}

function overview(study: MetricStudy): Figure {
  const sets = [...study.correlations.sets];
  return {
    ...common(study),
    id: "overview",
    title: "Every metric in every set",
    caption: `Normalised coefficients with execution time: a metric below zero misleads. ${madeBy(study)}`,
    summary: METRIC_NAMES.map((metric) => {
      const wrong = sets.filter(([, of]) => of[metric].pearson < 0).map(([set]) => set);
      return `${METRICS[metric].label} ${wrong.length === 0 ? "is right in all sets" : `is wrong in ${wrong.join(", ")}`}`;
    }).join("; "),
    definition: "C05@1",
    chart: {
      kind: "bars",
      direction: "vertical",
      stacked: false,
      categories: sets.map(([set]) => `Set ${set}`),
      categoryLabel: "Experiment set",
      value: { label: "Normalised coefficient", unit: "none" },
      series: METRIC_NAMES.map((metric) => ({
        name: METRICS[metric].label,
        role: ROLES[metric],
        values: sets.map(([, of]) => two(of[metric].pearson)),
      })),
    },
  };
}
