/** A thread of a replay: takes jobs, gives their results. */
import { performance } from "node:perf_hooks";
import { parentPort, workerData } from "node:worker_threads";
import { JobRunner } from "./jobs.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";
import { machineAmong } from "./machines.ts";

const { machines } = workerData as WorkerStart;
const runner = new JobRunner(machineAmong(machines));
const say = (message: FromWorker) => parentPort?.postMessage(message);

parentPort?.on("message", ({ index, job }: ToWorker) => {
  try {
    const began = performance.now();
    const result = runner.run(job);
    say({ kind: "done", index, result, seconds: (performance.now() - began) / 1000 });
  } catch (error) {
    const { message, stack } = error as Error;
    say({ kind: "failed", message, stack });
  }
});
