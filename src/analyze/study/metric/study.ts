/** Runs become cases, coefficients, findings and figures. */
import { markedFindings } from "../common/sections.ts";
import { type CorrelatedSets, correlate, type ResampleOptions } from "./correlation.ts";
import { judge, type MetricFinding } from "./findings.ts";
import { PUBLISHED, PUBLISHED_POINTS } from "./published.ts";
import { type Case, casesOf, isUsable, type Run, caseValue } from "./runs.ts";
import { METRIC_NAMES, METRICS, SETS, type SetId } from "./sets.ts";

/** What the numbers do not say: where and how the runs were made. Kept beside them, so that a study can be read again. */
export interface StudySetting {
  readonly simulated: boolean;
  readonly machine: readonly { readonly label: string; readonly text: string }[];
  /** What was run here for each set, in a sentence. */
  readonly workloads: Readonly<Partial<Record<SetId, string>>>;
  /** What a reader must know to trust the numbers, in sentences. */
  readonly notes: readonly string[];
}

/** Whether what a file holds is one. */
export function isSetting(value: unknown): value is StudySetting {
  const { machine, workloads, notes, simulated } = (value ?? {}) as Partial<StudySetting>;
  const isText = (one: unknown) => typeof one === "string";
  return (
    typeof simulated === "boolean" &&
    Array.isArray(machine) &&
    machine.every((fact) => isText(fact?.label) && isText(fact?.text)) &&
    typeof workloads === "object" &&
    workloads !== null &&
    Object.values(workloads).every(isText) &&
    Array.isArray(notes) &&
    notes.every(isText)
  );
}

export interface MetricStudy {
  readonly setting: StudySetting;
  readonly options: ResampleOptions;
  /** All, also those without metrics. */
  readonly runs: readonly Run[];
  readonly cases: ReadonlyMap<SetId, readonly Case[]>;
  readonly correlations: CorrelatedSets;
  readonly findings: readonly MetricFinding[];
}

export function metricStudy(
  runs: readonly Run[],
  setting: StudySetting,
  options: ResampleOptions,
): MetricStudy {
  const cases = casesOf(runs);
  const correlations = correlate(cases, options);
  return { setting, options, runs, cases, correlations, findings: judge(correlations) };
}

/** One or two sentences: what this study says of the paper. */
export function verdictOf({ findings, setting }: Pick<MetricStudy, "findings" | "setting">): string {
  const single = findings.filter(({ kind }) => kind === "metric");
  if (single.length === 0) return "Not enough data: no set has runs with metrics.";
  const count = (verdict: string) => single.filter((one) => one.verdict === verdict).length;
  const bps = findings.find(({ id }) => id === "C06.bps") as MetricFinding;
  const against = single
    .filter(({ verdict }) => verdict === "refuted")
    .map(({ set, metric }) => `${METRICS[metric].label} in set ${set}`);
  const where = setting.simulated ? "On a simulated device" : "On this machine";
  return (
    `${where} ${count("confirmed")} of ${single.length} published directions are ${setting.simulated ? "reproduced" : "confirmed"}, ${count("refuted")} refuted, and ${count("insufficient")} not decided.` +
    `${against.length === 0 ? "" : ` Against the paper: ${against.join(", ")}.`} BPS: ${lowerFirst(bps.reason)}`
  );
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** What --json prints and study.json holds: the contract of all studies. */
export function studyJson({ setting, options, runs, cases, correlations, findings }: MetricStudy) {
  const dropped = droppedOf(runs);
  const published = Object.fromEntries([...cases.keys()].map((set) => [set, PUBLISHED[set]]));
  return {
    study: "metric",
    simulated: setting.simulated,
    setting,
    items: {
      C05: {
        definition: "C05@1",
        options,
        n: [...cases.values()].reduce((sum, of) => sum + of.length, 0),
        unit: "cases",
        dropped,
        values: Object.fromEntries(
          [...correlations.sets].map(([set, of]) => [
            set,
            Object.fromEntries(
              METRIC_NAMES.map((metric) => {
                const { metric: _, interval, spearmanInterval, noiseInterval, ...numbers } = of[metric];
                const pair = ({ low, high }: typeof interval) => [low, high];
                return [
                  metric,
                  {
                    ...numbers,
                    expectedSign: METRICS[metric].expected,
                    interval: pair(interval),
                    spearmanInterval: pair(spearmanInterval),
                    noiseInterval: pair(noiseInterval),
                  },
                ];
              }),
            ),
          ]),
        ),
        published,
      },
      C06: {
        definition: "C06@1",
        options: { average: options.average },
        n: runs.length,
        unit: "runs",
        dropped,
        values: Object.fromEntries(
          [...cases].map(([set, of]) => [
            set,
            { title: SETS[set].title, cases: of.map((one) => caseValues(one, options)) },
          ]),
        ),
        published: PUBLISHED_POINTS.filter(({ set }) => cases.has(set)),
      },
    },
    findings: setting.simulated ? markedFindings(findings, "simulated") : findings,
  };
}

function caseValues(one: Case, { average }: ResampleOptions) {
  const value = (measure: Parameters<typeof caseValue>[1]) => caseValue(one, measure, average);
  return {
    label: one.label,
    x: one.x,
    device: one.device,
    runs: one.runs.length,
    executionSeconds: value("executionSeconds"),
    ...Object.fromEntries(METRIC_NAMES.map((metric) => [metric, value(metric)])),
  };
}

/** Runs and accesses that the numbers do not hold, by reason. */
export function droppedOf(runs: readonly Run[]): Record<string, number> {
  const without = runs.filter((run) => !isUsable(run)).length;
  const lost = runs.reduce((sum, { dropped }) => sum + dropped, 0);
  return {
    ...(without > 0 ? { "runs without metrics": without } : {}),
    ...(lost > 0 ? { "accesses that the recorder lost": lost } : {}),
  };
}
