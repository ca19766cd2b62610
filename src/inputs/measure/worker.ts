/** A thread of `plimsoll bps`: jobs in, what they found out. */
import { workerData } from "node:worker_threads";
import { serveTasks } from "../../node/thread-tasks.ts";
import { type Job, PartWorker, type WorkerStart } from "./part-work.ts";

const worker = new PartWorker((workerData as WorkerStart).options, true);

serveTasks((job: Job) => worker.do(job));
