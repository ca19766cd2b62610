/** Jobs on threads. Results stand in the order of the jobs, however many threads there are and whoever ends first. */
import { performance } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { builtFile } from "../../../node/built.ts";
import type { Machine } from "../machines/index.ts";
import { type Job, type JobResult, JobRunner, writesOf } from "./jobs.ts";
import { machineAmong } from "./machines.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";

export interface PoolOptions {
  readonly machines: readonly Machine[];
  /** 0: no threads, all in this one. */
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with simulated writes done so far. */
  readonly onProgress?: ((writes: number) => void) | undefined;
  /** Awaited now and then where there are no threads. */
  readonly yieldToEvents?: (() => Promise<void>) | undefined;
}

export interface PoolResult {
  readonly results: readonly JobResult[];
  /** Time of all threads at work, added up. */
  readonly busySeconds: number;
}

/** Runs all jobs, the long ones first. */
export async function runJobs(jobs: readonly Job[], options: PoolOptions): Promise<PoolResult> {
  const order = jobs.map((_, index) => index);
  order.sort((a, b) => writesOf(jobs[b] as Job) - writesOf(jobs[a] as Job) || a - b);
  options.signal?.throwIfAborted();
  return options.threads === 0 ? runHere(jobs, order, options) : onThreads(jobs, order, options);
}

async function runHere(
  jobs: readonly Job[],
  order: readonly number[],
  { machines, signal, onProgress, yieldToEvents }: PoolOptions,
): Promise<PoolResult> {
  const runner = new JobRunner(machineAmong(machines));
  const results = new Array<JobResult>(jobs.length);
  const began = performance.now();
  let writes = 0;
  for (const index of order) {
    results[index] = runner.run(jobs[index] as Job);
    writes += writesOf(jobs[index] as Job);
    onProgress?.(writes);
    await yieldToEvents?.();
    signal?.throwIfAborted();
  }
  return { results, busySeconds: (performance.now() - began) / 1000 };
}

async function onThreads(
  jobs: readonly Job[],
  order: readonly number[],
  { machines, threads, signal, onProgress }: PoolOptions,
): Promise<PoolResult> {
  const program = builtFile("sim-worker.js");
  const workerData: WorkerStart = { machines };
  const workers = Array.from(
    { length: Math.min(threads, jobs.length) },
    () => new Worker(program, { workerData }),
  );
  const results = new Array<JobResult>(jobs.length);
  let [next, done, writes, busySeconds] = [0, 0, 0, 0];
  try {
    await new Promise<void>((resolve, reject) => {
      if (jobs.length === 0) resolve();
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      const give = (worker: Worker) => {
        const index = order[next++];
        if (index !== undefined) worker.postMessage({ index, job: jobs[index] as Job } satisfies ToWorker);
      };
      for (const worker of workers) {
        worker.on("error", reject);
        worker.on("message", (message: FromWorker) => {
          if (message.kind === "failed") {
            const error = new Error(message.message);
            if (message.stack !== undefined) error.stack = message.stack;
            reject(error);
            return;
          }
          results[message.index] = message.result;
          busySeconds += message.seconds;
          writes += writesOf(jobs[message.index] as Job);
          onProgress?.(writes);
          if (++done === jobs.length) resolve();
          else give(worker);
        });
        give(worker);
      }
    });
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return { results, busySeconds };
}
