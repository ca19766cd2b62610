/** `ingest`: files below paths into a store, by as many threads as asked for. */
import { Worker } from "node:worker_threads";
import { builtFile } from "../node/built.ts";
import { FormatError } from "../base/errors.ts";
import { Store } from "../store/index.ts";
import type { Alone, FromWorker, Placed, ToWorker, WorkerStart } from "./messages.ts";
import { type IngestNotes, mergeNotes, newNotes } from "./notes.ts";
import { Coverage } from "./system/coverage.ts";
import { knownInputs, Turn } from "./turn.ts";
import { type Found, type Slice, walk } from "./walk.ts";

export type { IngestNotes } from "./notes.ts";
export { countFiles, type Slice } from "./walk.ts";

export interface IngestOptions {
  readonly paths: readonly string[];
  readonly store: string;
  readonly slice?: Slice;
  readonly threads: number;
  /** Of the whole ingest. */
  readonly memoryBytes: number;
  /** Inputs in one batch of a thread: what a kill can lose. */
  readonly batchInputs: number;
  /** Cluster of jobs and counters that do not say. */
  readonly cluster?: string;
  /** Forms of servers' job ids, such as `%C:%j`; the first that fits counts. */
  readonly jobIds: readonly string[];
  /** Zone of a scheduler's times that have none. */
  readonly zone?: string;
  readonly nowUnixSeconds: number;
  readonly signal: AbortSignal;
  onProgress(counts: IngestCounts): void;
  /** Another ingest stores counters or jobs, and this one waits for it. `holder`: such as `process 4711 on oss1`. */
  onWait(holder: string): void;
  onSkip(path: string, reason: string): void;
}

export interface IngestCounts {
  /** Inputs that were looked at. */
  read: number;
  /** Stored now. */
  new: number;
  /** Were in the store before, or were met twice. */
  known: number;
  /** Files of unknown formats in folders. */
  foreign: number;
  skipped: number;
  bytes: number;
  readonly notes: IngestNotes;
}

/** Paths that go to a thread at a time; small enough to share the end fairly, large enough not to talk all the time. */
const CHUNK = 128;
/** Rows of minutes are short, and there are many of them. */
const BATCH_ROWS = 4_000_000;

export async function ingest(options: IngestOptions): Promise<IngestCounts> {
  const store = await Store.openOrCreate(options.store);
  const known = await knownInputs(store);
  const turn = new Turn(options, store, known);
  const pool = new Pool(options, turn, {
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
    await pool.ready();
    let chunk: Found[] = [];
    const unreadable = (path: string, error: unknown) =>
      pool.skip(path, `the folder cannot be read: ${(error as Error).message}`);
    for await (const found of walk(options.paths, options.slice, unreadable)) {
      chunk.push(found);
      if (chunk.length < CHUNK) continue;
      await pool.give(chunk);
      chunk = [];
      if (options.signal.aborted) break;
    }
    if (chunk.length > 0 && !options.signal.aborted) await pool.give(chunk);
    await pool.idle();
    if (!options.signal.aborted) await pool.giveSeries();
    await pool.idle();
  } finally {
    // Also after a failure: the other threads commit what they have. A thread is never torn out of the database.
    await pool.end();
    turn.end();
    await store.close();
  }
  pool.throwFailure();
  return pool.counts;
}

/** The threads, and who of them is free. */
class Pool {
  readonly counts: IngestCounts = {
    ...{ read: 0, new: 0, known: 0, foreign: 0, skipped: 0, bytes: 0 },
    notes: newNotes(),
  };
  /** Texts that are to be read together, by what they have in common. */
  readonly #series = new Map<string, Placed[]>();
  readonly #covered = new Coverage();
  readonly #options: IngestOptions;
  readonly #workers: Worker[];
  /** Chunks under way in each thread; two keep it busy. */
  readonly #load: number[];
  readonly #ended: boolean[];
  readonly #turn: Turn;
  #ready = 0;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  constructor(options: IngestOptions, turn: Turn, start: WorkerStart) {
    this.#options = options;
    this.#turn = turn;
    const program = builtFile("ingest-worker.js");
    this.#workers = Array.from({ length: options.threads }, (_, index) => {
      const worker = new Worker(program, { workerData: start });
      worker.on("message", (message: FromWorker) => this.#heard(index, message));
      worker.on("error", (error) => this.#failed(error));
      worker.on("exit", () => {
        this.#ended[index] = true;
        this.#wake();
      });
      return worker;
    });
    this.#load = this.#workers.map(() => 0);
    this.#ended = this.#workers.map(() => false);
  }

  async ready(): Promise<void> {
    await this.#until(() => this.#ready === this.#workers.length);
  }

  /** Waits until a thread has room, and gives it the inputs. */
  async give(inputs: readonly Found[]): Promise<void> {
    await this.#send(2, { kind: "read", inputs });
  }

  /** Texts of counters, each series to one thread, in the order of time. */
  async giveSeries(): Promise<void> {
    const covered = [...this.#covered.entries()];
    for (const [key, files] of this.#series) {
      if (this.#options.signal.aborted) return;
      this.#series.set(key, []);
      const inputs = inOrder(files).map(({ path, named }) => ({ path, named }));
      // A series is long: none waits behind another while a thread is free.
      await this.#send(1, { kind: "series", inputs, covered });
    }
  }

  /** Until all that was given is done. */
  async idle(): Promise<void> {
    await this.#until(() => this.#load.every((load) => load === 0));
  }

  async #send(loadMax: number, message: ToWorker): Promise<void> {
    await this.#until(() => this.#load.some((load) => load < loadMax));
    const index = this.#load.indexOf(Math.min(...this.#load));
    this.#load[index] = (this.#load[index] as number) + 1;
    this.#workers[index]?.postMessage(message);
  }

  /** Every thread commits what it has and ends. */
  async end(): Promise<void> {
    this.#workers.forEach((worker, index) => {
      if (!this.#ended[index]) worker.postMessage({ kind: "end" });
    });
    while (!this.#ended.every(Boolean)) await this.#woken();
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  skip(path: string, reason: string): void {
    this.counts.skipped++;
    this.#options.onSkip(path, reason);
  }

  #heard(index: number, message: FromWorker): void {
    switch (message.kind) {
      case "ready":
        this.#ready++;
        break;
      case "alone":
        void this.#giveTurn(index);
        break;
      case "done":
        if (!message.more) this.#load[index] = (this.#load[index] as number) - 1;
        this.counts.read += message.read;
        this.counts.new += message.stored;
        this.counts.known += message.known;
        this.counts.foreign += message.foreign;
        this.counts.bytes += message.bytes;
        for (const { path, reason } of message.skipped) this.skip(path, reason);
        for (const file of message.series) this.#place(file);
        for (const entry of message.covered) this.#covered.add(...entry);
        mergeNotes(this.counts.notes, message.notes);
        this.#options.onProgress(this.counts);
        break;
      case "ended":
        mergeNotes(this.counts.notes, message.notes);
        break;
      case "failed": {
        this.#failed(errorOf(message.message, message.facts));
        break;
      }
    }
    this.#wake();
  }

  async #giveTurn(index: number): Promise<void> {
    let granted: Alone | undefined;
    try {
      granted = await this.#turn.take();
    } catch (error) {
      this.#failed(error as Error);
    }
    this.#workers[index]?.postMessage({ kind: "alone", granted } satisfies ToWorker);
  }

  #place(file: Placed): void {
    if (this.#options.slice !== undefined && this.#options.slice.of > 1) {
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
    this.#wake();
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      this.throwFailure();
      await this.#woken();
    }
    this.throwFailure();
  }

  async #woken(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** What a thread threw, as far as it can be told. */
function errorOf(
  message: string,
  { source, detail, ...facts }: Readonly<Record<string, string | number>>,
): Error {
  if (facts.name === "FormatError") return new FormatError(String(source), {}, String(detail));
  return Object.assign(new Error(message), facts);
}

const byName = new Intl.Collator("en", { numeric: true });

/** By the time of their first reading; where that is not known, by name. */
function inOrder(files: readonly Placed[]): Placed[] {
  return [...files].sort((a, b) => {
    const [first, second] = [a.place.firstNs ?? 0n, b.place.firstNs ?? 0n];
    return first < second ? -1 : first > second ? 1 : byName.compare(a.path, b.path);
  });
}
export { partOf, piecesOf, timing } from "./system/pieces.ts";
