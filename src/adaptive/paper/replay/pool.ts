/** Jobs on threads. Results are in the order of the jobs, regardless of the number of threads and the order of completion. */
import { assert } from "../../../base/assert.ts";
import { performance } from "node:perf_hooks";
import { builtFile } from "../../../node/built.ts";
import { ThreadPool } from "../../../node/thread-pool.ts";
import type { Machine } from "../../sim/machines/index.ts";
import { type Job, type JobResult, JobRunner, writesOf } from "./jobs.ts";
import { machineAmong } from "./machines.ts";

export interface WorkerStart {
  readonly machines: readonly Machine[];
}

export interface TimedResult {
  readonly result: JobResult;
  readonly seconds: number;
}

export interface PoolOptions {
  readonly machines: readonly Machine[];
  /** 0: no threads, all jobs in this one. */
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of simulated writes so far. */
  readonly onProgress?: ((writes: number) => void) | undefined;
  /** Awaited between jobs without threads. */
  readonly yieldToEvents?: (() => Promise<void>) | undefined;
}

interface PoolResult {
  readonly results: readonly JobResult[];
  /** Busy time summed over threads. */
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
  assert(!results.includes(undefined as never), "every job has a result");
  return { results, busySeconds: (performance.now() - began) / 1000 };
}

async function onThreads(
  jobs: readonly Job[],
  order: readonly number[],
  { machines, threads, signal, onProgress }: PoolOptions,
): Promise<PoolResult> {
  const pool = new ThreadPool<Job, TimedResult>({
    program: builtFile("sim-worker.js"),
    threads: Math.min(threads, jobs.length),
    workerData: { machines } satisfies WorkerStart,
  });
  const stop = () => void pool.stop(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  const results = new Array<JobResult>(jobs.length);
  let [writes, busySeconds] = [0, 0];
  const run = async (index: number) => {
    const job = jobs[index] as Job;
    const { result, seconds } = await pool.run(job);
    assert(results[index] === undefined, "a job is done once");
    results[index] = result;
    busySeconds += seconds;
    writes += writesOf(job);
    onProgress?.(writes);
  };
  try {
    await Promise.all(order.map(run));
  } finally {
    signal?.removeEventListener("abort", stop);
    await pool.stop();
  }
  return { results, busySeconds };
}
