/**
 * Threads that do tasks. Tasks begin in the order in which they are given, each in the thread that has the fewest; a thread
 * does its tasks one after the other. A task that throws rejects its own promise. A thread that dies rejects all tasks that it
 * had and those that no thread has begun, and from then on the pool takes none.
 */
import { type ResourceLimits, Worker } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { errorFrom, factsOf, type FromThread, type ToThread } from "./thread-tasks.ts";

export interface ThreadPoolOptions {
  /** Path of the built program, which calls `serveTasks`. */
  readonly program: string;
  readonly threads: number;
  readonly workerData?: unknown;
  readonly resourceLimits?: ResourceLimits;
  /** Tasks that a thread may have; with two it is busy while the result of the first is on its way. */
  readonly tasksPerThread?: number;
  /** Takes what a thread tells in the middle of a task. */
  readonly onMessage?: (message: never) => void;
  /** Answers what a thread asks in the middle of a task. */
  readonly onQuestion?: (message: never) => Promise<unknown>;
}

interface Waiter {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

interface Waiting<Task> extends Waiter {
  readonly task: Task;
  readonly last: boolean;
}

interface Thread {
  readonly worker: Worker;
  /** Under way, the oldest first; what they are is only in the thread, for it may be large. */
  readonly tasks: Waiter[];
  readonly ended: Promise<void>;
  alive: boolean;
  /** What it failed with last. */
  error: unknown;
}

export class ThreadPool<Task, Result> {
  readonly #options: ThreadPoolOptions;
  readonly #threads: Thread[];
  readonly #queue: Waiting<Task>[] = [];
  #watchers: (() => void)[] = [];
  #ending = false;
  #failure: unknown;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#threads = Array.from({ length: options.threads }, () => this.#startThread());
  }

  /** A rejection that nobody waits for any more is no matter: who waits for another one of the tasks hears of it there. */
  run(task: Task): Promise<Result> {
    assert(!this.#ending || this.#failure !== undefined, "a pool that ends gets no tasks");
    const result = this.#promise<Result>(task, false, (waiting) => this.#queue.push(waiting));
    this.#giveQueued();
    return result;
  }

  /** The same task in every thread, once all others are done. */
  runInEach(task: Task): Promise<Result[]> {
    assert(this.#isIdle(), "all tasks are done");
    return Promise.all(
      this.#threads.map((thread) => this.#promise<Result>(task, false, (one) => this.#give(thread, one))),
    );
  }

  /** Until a thread has fewer than `tasks`. */
  async room(tasks: number): Promise<void> {
    await this.#until(
      () => this.#queue.length === 0 && this.#threads.some((one) => one.tasks.length < tasks),
    );
  }

  /** Until all tasks are done, and who waits for one has its result. */
  async idle(): Promise<void> {
    await this.#until(() => this.#isIdle());
  }

  /**
   * Every thread ends in order: when all tasks are done, or a thread died, the others do this task after what they have. Settles
   * once all have ended, and rejects if one of them died or failed.
   */
  async finish(task: Task): Promise<Result[]> {
    this.#ending = true;
    await this.idle().catch(() => {});
    const results = this.#threads
      .filter(({ alive }) => alive)
      .map((thread) => this.#promise<Result>(task, true, (waiting) => this.#give(thread, waiting)));
    await Promise.all(this.#threads.map(({ ended }) => ended));
    if (this.#failure !== undefined) throw this.#failure;
    return Promise.all(results);
  }

  /** The threads end where they are; tasks that are not done reject with `reason`. */
  async stop(reason: unknown = new Error("the threads were stopped")): Promise<void> {
    this.#ending = true;
    this.#fail(reason, this.#threads);
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #startThread(): Thread {
    const { program, workerData, resourceLimits } = this.#options;
    const worker = new Worker(program, { workerData, ...(resourceLimits && { resourceLimits }) });
    const ended = new Promise<void>((resolve) => {
      worker.once("exit", (code) => {
        this.#left(thread, code);
        resolve();
      });
    });
    const thread: Thread = { worker, tasks: [], ended, alive: true, error: undefined };
    worker.on("message", (message: FromThread) => this.#heard(thread, message));
    worker.once("error", (error) => {
      thread.error = error;
      this.#fail(error, [thread]);
    });
    return thread;
  }

  #promise<T>(task: Task, last: boolean, begin: (waiting: Waiting<Task>) => void): Promise<T> {
    const promise = new Promise<T>((resolve, reject) => {
      if (this.#failure !== undefined && !last) reject(this.#failure);
      else begin({ task, last, resolve: resolve as (result: never) => void, reject });
    });
    promise.catch(() => {});
    return promise;
  }

  #giveQueued(): void {
    const { tasksPerThread = 1 } = this.#options;
    while (this.#queue.length > 0) {
      const thread = this.#threads.reduce((a, b) => (b.tasks.length < a.tasks.length ? b : a));
      if (thread.tasks.length >= tasksPerThread) return;
      this.#give(thread, this.#queue.shift() as Waiting<Task>);
    }
  }

  #give(thread: Thread, { task, last, resolve, reject }: Waiting<Task>): void {
    assert(thread.alive, "only a living thread gets a task");
    try {
      post(thread, { kind: "task", task, last });
      thread.tasks.push({ resolve, reject });
    } catch (error) {
      // It cannot be sent.
      reject(error);
    }
  }

  #heard(thread: Thread, message: FromThread): void {
    if (message.kind === "says") this.#options.onMessage?.(message.message as never);
    else if (message.kind === "asks") void this.#answer(thread, message.message);
    else {
      const waiting = thread.tasks.shift();
      if (message.kind === "done") waiting?.resolve(message.result as never);
      else {
        thread.error = errorFrom(message.facts);
        waiting?.reject(thread.error);
      }
      this.#giveQueued();
      this.#wake();
    }
  }

  async #answer(thread: Thread, message: unknown): Promise<void> {
    const { onQuestion } = this.#options;
    assert(onQuestion !== undefined, "a thread asks only a pool that answers");
    try {
      post(thread, { kind: "answer", answer: await onQuestion(message as never) });
    } catch (error) {
      post(thread, { kind: "no answer", facts: factsOf(error) });
    }
  }

  /** A thread ended. It may do so only after its last task. */
  #left(thread: Thread, code: number): void {
    thread.alive = false;
    if (this.#ending && thread.tasks.length === 0) return;
    this.#fail(thread.error ?? new Error(`a thread ended with code ${code} before its work was done`), [
      thread,
    ]);
  }

  /** No more tasks; those of these threads, and those that no thread has, are not done. */
  #fail(error: unknown, threads: readonly Thread[]): void {
    this.#failure ??= error;
    for (const { tasks } of [...threads, { tasks: this.#queue }])
      for (const waiting of tasks.splice(0)) waiting.reject(error);
    this.#wake();
  }

  async #until(condition: () => boolean): Promise<void> {
    while (this.#failure === undefined && !condition())
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    if (this.#failure !== undefined) throw this.#failure;
  }

  #wake(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }

  #isIdle(): boolean {
    return this.#queue.length === 0 && this.#threads.every(({ tasks }) => tasks.length === 0);
  }
}

function post<Task>({ worker }: Thread, message: ToThread<Task>): void {
  worker.postMessage(message);
}
