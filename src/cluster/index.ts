/** Work in tasks, through Slurm or as processes: plans, their folders, and the engines. */
export { mapAndMerge, type Plan, TASKS_MAX } from "./plan.ts";
export { type JobRow, jobRows, outcomeOf, outputsOf, stageRows } from "./report.ts";
export { runPlan } from "./run.ts";
export { RunFolder } from "./run-folder.ts";
export { type Program, plannedStages, wordsOf } from "./scripts.ts";
export { queueOf } from "./slurm.ts";
export { isDone, performTask } from "./task.ts";
