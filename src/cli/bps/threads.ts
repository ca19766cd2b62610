/** Threads for jobs that are given in order. Without a thread they are done here, one by one. */
import { Worker } from "node:worker_threads";
import { builtFile } from "../../node/built.ts";
import { assert } from "../../base/assert.ts";
import type { DuplicateTable } from "../../analyze/metric/duplicates.ts";
import type { SliceTimes } from "../../analyze/metric/level-times.ts";
import type { PartOptions } from "../../analyze/metric/parts.ts";
import {
  type Answer,
  type Job,
  type PartJob,
  type PartResult,
  PartWorker,
  type SliceJob,
} from "./part-work.ts";

interface Waiting {
  readonly job: Job;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface BpsThreads {
  readonly count: number;
  part(job: PartJob): Promise<PartResult>;
  slice(job: SliceJob): Promise<SliceTimes>;
  /** Of all parts, one table for each thread. */
  duplicates(): Promise<DuplicateTable[]>;
  end(): Promise<void>;
}

export function startThreads(count: number, options: PartOptions): BpsThreads {
  return count > 1 ? new Threads(count, options) : new OneThread(options);
}

class OneThread implements BpsThreads {
  readonly count = 1;
  readonly #worker: PartWorker;
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;

  constructor(options: PartOptions) {
    this.#worker = new PartWorker(options, false);
  }

  part(job: PartJob): Promise<PartResult> {
    const result = this.#last.then(async () => {
      // Signals come in between.
      await new Promise((resolve) => setImmediate(resolve));
      assert(!this.#ended, "parts are read until the end");
      return this.#worker.part(job);
    });
    this.#last = result.catch(() => {});
    return result;
  }

  async slice(job: SliceJob): Promise<SliceTimes> {
    return this.#worker.do(job) as SliceTimes;
  }

  async duplicates(): Promise<DuplicateTable[]> {
    return [this.#worker.duplicates];
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#worker.close();
  }
}

class Threads implements BpsThreads {
  readonly count: number;
  readonly #workers: Worker[];
  readonly #busy: (Waiting | undefined)[];
  readonly #queue: Waiting[] = [];
  #failure: unknown;

  constructor(count: number, options: PartOptions) {
    this.count = count;
    const program = builtFile("bps-worker.js");
    this.#busy = Array.from({ length: count }, () => undefined);
    this.#workers = this.#busy.map((_, index) => {
      const worker = new Worker(program, { workerData: { options } });
      worker.on("message", (answer: Answer) => {
        const waiting = this.#busy[index];
        this.#busy[index] = undefined;
        if (answer.kind === "done") waiting?.resolve(answer.result as never);
        else waiting?.reject(Object.assign(new Error(answer.message), answer.facts));
        this.#next(index);
      });
      worker.on("error", (error) => this.#fail(error));
      return worker;
    });
  }

  part(job: PartJob): Promise<PartResult> {
    return this.#give(job);
  }

  slice(job: SliceJob): Promise<SliceTimes> {
    return this.#give(job);
  }

  duplicates(): Promise<DuplicateTable[]> {
    assert(this.#queue.length === 0 && this.#busy.every((one) => one === undefined), "all parts are done");
    return Promise.all(
      this.#workers.map(
        (_, index) =>
          new Promise<DuplicateTable>((resolve, reject) => {
            this.#start(index, {
              job: { kind: "duplicates" },
              resolve: resolve as (result: never) => void,
              reject,
            });
          }),
      ),
    );
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #give<T>(job: Job): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#queue.push({ job, resolve: resolve as (result: never) => void, reject });
    });
    // A failure is told to whoever waits first; others that nobody waits for any more are no matter.
    result.catch(() => {});
    if (this.#failure !== undefined) this.#fail(this.#failure);
    for (let index = 0; index < this.count; index++) this.#next(index);
    return result;
  }

  #next(index: number): void {
    if (this.#busy[index] !== undefined) return;
    const waiting = this.#queue.shift();
    if (waiting !== undefined) this.#start(index, waiting);
  }

  #start(index: number, waiting: Waiting): void {
    this.#busy[index] = waiting;
    this.#workers[index]?.postMessage(waiting.job);
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const waiting of [...this.#busy, ...this.#queue.splice(0)]) waiting?.reject(error);
  }
}
