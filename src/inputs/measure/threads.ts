/** Threads for jobs that are given in order. Without a thread they are done here, one by one. */
import { builtFile } from "../../node/built.ts";
import { ThreadPool } from "../../node/thread-pool.ts";
import { assert } from "../../base/assert.ts";
import type { DuplicateTable, PartOptions, CallSliceResult } from "../../analyze/metric/index.ts";
import {
  type Job,
  type PartJob,
  type PartResult,
  PartWorker,
  type SliceJob,
  type WorkerStart,
} from "./part-work.ts";

/** Jobs that another thread has at a time: while this one is at work it gives no further ones. */
const TASKS = 2;

export interface BpsThreads {
  readonly count: number;
  part(job: PartJob): Promise<PartResult>;
  slice(job: SliceJob): Promise<CallSliceResult>;
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

  async slice(job: SliceJob): Promise<CallSliceResult> {
    return this.#worker.do(job) as CallSliceResult;
  }

  async duplicates(): Promise<DuplicateTable[]> {
    return [this.#worker.duplicates];
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#worker.close();
  }
}

interface Waiting {
  readonly job: PartJob | SliceJob;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

type Result = PartResult | CallSliceResult | DuplicateTable;

/** This thread is one of them: it has nothing else to do, and starting a further one takes as long as a part. */
class Threads implements BpsThreads {
  readonly count: number;
  readonly #own: PartWorker;
  readonly #pool: ThreadPool<Job, Result>;
  readonly #queue: Waiting[] = [];
  #ownIsBusy = false;
  #given = 0;

  constructor(count: number, options: PartOptions) {
    this.count = count;
    this.#own = new PartWorker(options, true);
    this.#pool = new ThreadPool({
      ...{ program: builtFile("bps-worker.cjs"), threads: count - 1, tasksPerThread: TASKS },
      workerData: { options } satisfies WorkerStart,
    });
  }

  part(job: PartJob): Promise<PartResult> {
    return this.#run(job) as Promise<PartResult>;
  }

  slice(job: SliceJob): Promise<CallSliceResult> {
    return this.#run(job) as Promise<CallSliceResult>;
  }

  async duplicates(): Promise<DuplicateTable[]> {
    const others = this.#pool.runInEach({ kind: "duplicates" }) as Promise<DuplicateTable[]>;
    return [this.#own.duplicates, ...(await others)];
  }

  async end(): Promise<void> {
    this.#queue.length = 0;
    this.#own.close();
    await this.#pool.stop();
  }

  /** A rejection that nobody waits for any more is no matter. */
  #run(job: PartJob | SliceJob): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => {
      this.#queue.push({ job, resolve, reject });
    });
    result.catch(() => {});
    this.#give();
    return result;
  }

  #give(): void {
    if (!this.#ownIsBusy && this.#queue.length > 0) void this.#doOne(this.#queue.shift() as Waiting);
    while (this.#given < TASKS * (this.count - 1) && this.#queue.length > 0) {
      const { job, resolve, reject } = this.#queue.shift() as Waiting;
      this.#given++;
      this.#pool
        .run(job)
        .finally(() => {
          this.#given--;
          this.#give();
        })
        .then(resolve, reject);
    }
  }

  async #doOne({ job, resolve, reject }: Waiting): Promise<void> {
    this.#ownIsBusy = true;
    // Jobs for the others go out first, and signals come in between.
    await new Promise((done) => setImmediate(done));
    try {
      resolve(this.#own.do(job));
    } catch (error) {
      reject(error);
    }
    this.#ownIsBusy = false;
    this.#give();
  }
}
