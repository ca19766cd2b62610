/** One job: what its logs say, judged. */
export { buildJob, JobStreams } from "./build.ts";
export { jobDocument, withSection } from "./document.ts";
export { verdictOf } from "./headline.ts";
export type { AppliedFilter, Job } from "./job.ts";
export { judge, rulesNamed } from "./judge.ts";
export { RULES } from "./rules/index.ts";
export { originOfRuns } from "./origin.ts";
export type { Rule, ThresholdValues, Verdicts } from "./rule.ts";
export { jobSummary } from "./summary.ts";
export { compareDocument, compareSummary } from "./compare-document.ts";
export { NOISE } from "./compare.ts";
export { counted } from "./sections/counted.ts";
export type { PictureOptions } from "./kept-calls.ts";
export { CallSurvey } from "./call-survey.ts";
export { factName, needsText } from "./facts.ts";
