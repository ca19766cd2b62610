/** Threads for jobs that are given in order. Without a thread they are done here, one by one. */
import { builtFile } from "../../node/built.ts";
import { ThreadPool } from "../../node/thread-pool.ts";
import { assert } from "../../base/assert.ts";
import type { DuplicateTable } from "../../analyze/metric/duplicates.ts";
import type { SliceTimes } from "../../analyze/metric/level-times.ts";
import type { PartOptions } from "../../analyze/metric/parts.ts";
import {
  type Job,
  type PartJob,
  type PartResult,
  PartWorker,
  type SliceJob,
  type WorkerStart,
} from "./part-work.ts";

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
  readonly #pool: ThreadPool<Job, PartResult | SliceTimes | DuplicateTable>;

  constructor(count: number, options: PartOptions) {
    this.count = count;
    this.#pool = new ThreadPool({
      program: builtFile("bps-worker.js"),
      threads: count,
      workerData: { options } satisfies WorkerStart,
    });
  }

  part(job: PartJob): Promise<PartResult> {
    return this.#pool.run(job) as Promise<PartResult>;
  }

  slice(job: SliceJob): Promise<SliceTimes> {
    return this.#pool.run(job) as Promise<SliceTimes>;
  }

  duplicates(): Promise<DuplicateTable[]> {
    return this.#pool.runInEach({ kind: "duplicates" }) as Promise<DuplicateTable[]>;
  }

  end(): Promise<void> {
    return this.#pool.stop();
  }
}
