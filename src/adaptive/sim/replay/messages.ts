/** What the pool and its threads say to each other. */
import type { Machine } from "../machines/index.ts";
import type { Job, JobResult } from "./jobs.ts";

export interface WorkerStart {
  readonly machines: readonly Machine[];
}

export interface ToWorker {
  readonly index: number;
  readonly job: Job;
}

export type FromWorker =
  | { readonly kind: "done"; readonly index: number; readonly result: JobResult; readonly seconds: number }
  | { readonly kind: "failed"; readonly message: string; readonly stack: string | undefined };
