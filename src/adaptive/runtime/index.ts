/** The adaptive writer. */
export type { BackendSpec, TargetFault } from "../backend/index.ts";
export { baselineUnderMpi, writeBaseline } from "./baseline/mpi-io.ts";
export { interfere } from "./interfere.ts";
export type { ArraySpec } from "./plan/dataset-plan.ts";
export { AdaptiveWriter, openAdaptive, type StepResult } from "./session/adaptive-writer.ts";
export type { StepProgress, WriterOptions } from "./session/options.ts";
export { WriteFailure } from "./session/outcome.ts";
export { addRun, readRuns } from "./session/run-file.ts";
export { opsCsv, type StepRecord } from "./session/run-record.ts";
export { type StepDescription, type StepInput, type StepSource, stepInput } from "./session/step-input.ts";
export { type Preview, previewStep } from "./session/preview.ts";
export { planWorkload, WORKLOADS } from "./session/workloads.ts";
export { RankHosts } from "./transport/mpi.ts";
export { serveWrites } from "./transport/mpi-rank.ts";
export { type Ranks, withRanks } from "./transport/ranks.ts";
