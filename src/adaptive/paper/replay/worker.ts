/** A thread of a replay: takes jobs, returns their results. */
import { performance } from "node:perf_hooks";
import { workerData } from "node:worker_threads";
import { serveTasks } from "../../../node/thread-tasks.ts";
import { type Job, JobRunner } from "./jobs.ts";
import { machineAmong } from "./machines.ts";
import type { TimedResult, WorkerStart } from "./pool.ts";

const { machines } = workerData as WorkerStart;
const runner = new JobRunner(machineAmong(machines));

serveTasks((job: Job): TimedResult => {
  const began = performance.now();
  const result = runner.run(job);
  return { result, seconds: (performance.now() - began) / 1000 };
});
