/** `ingest`: files below paths into a store, by as many threads as asked for. */
import { accessSync, constants, statSync } from "node:fs";
import { UsageError } from "../base/errors.ts";
import type { Listener, Skipped } from "../base/listener.ts";
import { naturalOrder } from "../base/order.ts";
import { jobIdTemplate } from "../formats/lustre/index.ts";
import { zoneOf } from "../formats/slurm/index.ts";
import { builtFile } from "../node/built.ts";
import { fsPath } from "../node/raw-path.ts";
import { ThreadPool } from "../node/thread-pool.ts";
import { Store } from "../store/index.ts";
import type { Alone, Done, IngestTask, Placed, WorkerStart } from "./messages.ts";
import { type IngestNotes, mergeNotes, newNotes } from "./notes.ts";
import { Coverage } from "./system/coverage.ts";
import { addStored, roomForKnown, Turn } from "./turn.ts";
import { type IngestSummary, SKIPPED_NAMED_MAX } from "./summary.ts";
import { countFiles, type Found, type Slice, walk } from "../node/walk.ts";

export type { IngestNotes } from "./notes.ts";
export { type IngestSummary, isIngestSummary, joinedSummary } from "./summary.ts";

export interface IngestOptions {
  readonly paths: readonly string[];
  readonly store: string;
  readonly slice?: Slice | undefined;
  readonly threads: number;
  /** Of the whole ingest. */
  readonly memoryBytes: number;
  /** Inputs in one batch of a thread: what a kill can lose. */
  readonly batchInputs: number;
  /** Cluster of jobs and counters that do not say. */
  readonly cluster?: string | undefined;
  /** Forms of servers' job ids, such as `%C:%j`; the first that fits counts. */
  readonly jobIds: readonly string[];
  /** Zone of a scheduler's times that have none. */
  readonly zone?: string | undefined;
  readonly nowUnixSeconds: number;
}

/** Paths that go to a thread at a time; small enough to share the end fairly, large enough not to talk all the time. */
const CHUNK = 128;
/** Rows of minutes are short, and there are many of them. */
const BATCH_ROWS = 4_000_000;

export async function ingest(
  options: IngestOptions,
  listener: Listener,
): Promise<IngestSummary & { readonly notes: IngestNotes }> {
  const began = performance.now();
  // Options that make no sense are told before anything is read.
  if (options.zone !== undefined && zoneOf(options.zone) === undefined)
    throw new UsageError(`--zone ${options.zone} is not a time zone; expected UTC, +02:00 or Europe/Berlin`);
  options.jobIds.forEach(jobIdTemplate);
  const bar = listener.progress?.({ label: "reading files", unit: "files" });
  const counting = new AbortController();
  // Only somebody who watches needs to know how long it will take.
  if (bar?.isShown)
    void countFiles(options.paths, options.slice, counting.signal).then(
      (total) => bar.expect?.(total),
      () => {},
    );
  const store = await Store.openOrCreate(options.store);
  const known = roomForKnown(store);
  const turn = new Turn(store, known, listener);
  const readers = new Readers(options, turn, listener, (read) => bar?.update(read), {
    store: options.store,
    stored: known.stored.buffer,
    damaged: known.damaged.buffer,
    nowUnixSeconds: options.nowUnixSeconds,
    cluster: options.cluster,
    zone: options.zone,
    jobIds: options.jobIds,
    rowsMax: 20_000,
    batchInputs: options.batchInputs,
    batchRows: BATCH_ROWS,
    memoryBytes: Math.max(64 * 2 ** 20, Math.floor(options.memoryBytes / (2 * options.threads))),
  });
  try {
    // While the threads start.
    await addStored(store, known);
    let chunk: Found[] = [];
    const unreadable = (path: string, error: unknown) =>
      readers.skip(path, `the folder cannot be read: ${(error as Error).message}`);
    for await (const found of walk(options.paths, options.slice, unreadable)) {
      chunk.push(found);
      if (chunk.length < CHUNK) continue;
      await readers.give(chunk);
      chunk = [];
      if (listener.signal?.aborted) break;
    }
    if (chunk.length > 0 && !listener.signal?.aborted) await readers.give(chunk);
    await readers.idle();
    if (!listener.signal?.aborted) await readers.giveSeries();
    await readers.idle();
  } finally {
    // Also after a failure: the other threads commit what they have. A thread is never torn out of the database.
    await readers.end();
    turn.end();
    await store.close();
    counting.abort();
    bar?.end();
  }
  readers.throwFailure();
  const { counts, notes } = readers;
  return { ...counts, seconds: (performance.now() - began) / 1000, notes };
}

/** Makes the store for slices of these paths. What is missing is said once, and not by every slice. */
export async function prepareIngest(paths: readonly string[], store: string): Promise<void> {
  for (const path of paths) statSync(fsPath(path));
  const opened = await Store.openOrCreate(store);
  await opened.close();
  accessSync(opened.path, constants.W_OK);
}

/** The threads, and what they have told. */
class Readers {
  readonly counts = {
    ...{ read: 0, new: 0, known: 0, foreign: 0, skipped: [] as Skipped[], skippedTotal: 0 },
    ...{ seconds: 0, bytes: 0 },
  };
  readonly notes = newNotes();
  /** Texts that are to be read together, by what they have in common. */
  readonly #series = new Map<string, Placed[]>();
  readonly #covered = new Coverage();
  readonly #isSlice: boolean;
  readonly #turn: Turn;
  readonly #listener: Listener;
  readonly #onRead: (read: number) => void;
  readonly #pool: ThreadPool<IngestTask, Done>;
  #failure: Error | undefined;

  constructor(
    { slice, threads }: IngestOptions,
    turn: Turn,
    listener: Listener,
    onRead: (read: number) => void,
    start: WorkerStart,
  ) {
    this.#isSlice = slice !== undefined && slice.of > 1;
    this.#turn = turn;
    this.#listener = listener;
    this.#onRead = onRead;
    this.#pool = new ThreadPool({
      program: builtFile("ingest-worker.js"),
      threads,
      workerData: start,
      tasksPerThread: 2,
      onMessage: (done: Done) => this.#add(done),
      onQuestion: () => this.#giveTurn(),
    });
  }

  /** Waits until a thread has room, and gives it the inputs. */
  async give(inputs: readonly Found[]): Promise<void> {
    await this.#send(2, { kind: "read", inputs });
  }

  /** Texts of counters, each series to one thread, in the order of time. */
  async giveSeries(): Promise<void> {
    const covered = [...this.#covered.entries()];
    for (const [key, files] of this.#series) {
      if (this.#listener.signal?.aborted) return;
      this.#series.set(key, []);
      // A series is long: none waits behind another while a thread is free.
      await this.#send(1, { kind: "series", inputs: inOrder(files), covered });
    }
  }

  /** Until all that was given is done. */
  async idle(): Promise<void> {
    await this.#pool.idle().catch((error) => this.#failed(error));
    this.throwFailure();
  }

  /** Every thread commits what it has and ends. */
  async end(): Promise<void> {
    await this.#pool.finish({ kind: "end" }).then(
      (all) => {
        for (const { notes } of all) mergeNotes(this.notes, notes);
      },
      (error) => this.#failed(error),
    );
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  skip(path: string, reason: string): void {
    if (++this.counts.skippedTotal > SKIPPED_NAMED_MAX) return;
    this.counts.skipped.push({ path, reason });
    this.#listener.skip?.(path, reason);
  }

  async #send(tasksMax: number, task: IngestTask): Promise<void> {
    await this.#pool.room(tasksMax).catch((error) => this.#failed(error));
    this.throwFailure();
    void this.#pool.run(task).then(
      (done) => this.#add(done),
      (error) => this.#failed(error),
    );
  }

  #add(done: Done): void {
    this.counts.read += done.read;
    this.counts.new += done.stored;
    this.counts.known += done.known;
    this.counts.foreign += done.foreign;
    this.counts.bytes += done.bytes;
    for (const { path, reason } of done.skipped) this.skip(path, reason);
    for (const file of done.series) this.#place(file);
    for (const entry of done.covered) this.#covered.add(...entry);
    mergeNotes(this.notes, done.notes);
    this.#onRead(this.counts.read);
  }

  async #giveTurn(): Promise<Alone> {
    try {
      return await this.#turn.take();
    } catch (error) {
      this.#failed(error as Error);
      throw error;
    }
  }

  #place(file: Placed): void {
    if (this.#isSlice) {
      this.counts.read++;
      this.skip(file.path, "counter dumps form a series; ingest them without --slice");
      return;
    }
    const files = this.#series.get(file.place.key);
    if (files === undefined) this.#series.set(file.place.key, [file]);
    else files.push(file);
  }

  #failed(error: Error): void {
    this.#failure ??= error;
  }
}

/** By the time of their first reading; where that is not known, by name. */
function inOrder(files: readonly Placed[]): Placed[] {
  const byName = naturalOrder();
  return [...files].sort((a, b) => {
    const [first, second] = [a.place.firstNs ?? 0n, b.place.firstNs ?? 0n];
    return first < second ? -1 : first > second ? 1 : byName(a.path, b.path);
  });
}
