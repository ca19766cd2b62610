/** Work in tasks, through Slurm or as processes: plans, their folders, and the engines. */
export { runLocally } from "./local.ts";
export { allTasks, mapAndMerge, type Plan, TASKS_MAX } from "./plan.ts";
export { type JobRow, jobRows } from "./report.ts";
export { RunFolder } from "./run-folder.ts";
export { type Program, sbatchWords, shellWords, stageScript, wordsOf } from "./scripts.ts";
export { queueOf, slurmMissing, submitRun } from "./slurm.ts";
export { isDone, performTask } from "./task.ts";
