/** The experiments of the BPS paper (He, Sun and Yin, IPDPSW '13): runs in, coefficients, verdicts and a report out. */
export { correlate, type ResampleOptions } from "./correlation.ts";
export { ccText, directionText, intervalText, publishedText, studyDocument } from "./document.ts";
export { explainDocument, explainFigures, explainJson } from "./explain.ts";
export { studyFigures } from "./figures.ts";
export { directionOf, judge, type MetricFinding } from "./findings.ts";
export {
  PUBLISHED,
  PUBLISHED_BPS,
  PUBLISHED_OVERHEAD,
  PUBLISHED_POINTS,
  PUBLISHED_SET2_BYTES,
} from "./published.ts";
export { casesOf, parseRunsCsv, type Run, runsCsv } from "./runs.ts";
export { isSetId, METRIC_NAMES, type MetricName, METRICS, SET_IDS, SETS, type SetId } from "./sets.ts";
export { POWERS_OF_TWO_4K_8M, processLabel, simulateRuns, sizeLabel } from "./simulate.ts";
export {
  isSetting,
  type MetricStudy,
  metricStudy,
  type StudySetting,
  studyJson,
  verdictOf,
} from "./study.ts";
