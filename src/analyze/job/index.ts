/** One job: what its logs say, judged. */
export { buildJob, JobStreams, type RunSpan } from "./build.ts";
export { jobDocument } from "./document.ts";
export type { ReportInput } from "./input.ts";
export type { Job, JobFile, OstLoad, RankLoad, RunFacts } from "./job.ts";
export { judge } from "./judge.ts";
export type { Rule, ThresholdValues, Verdicts } from "./rule.ts";
export { RULES } from "./rules/index.ts";
export { jobSummary } from "./summary.ts";
