/** `ingest`: files below paths into a store, by as many threads as asked for. */
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { Store } from "../store/index.ts";
import { KnownHashes } from "./known.ts";
import type { FromWorker, WorkerStart } from "./messages.ts";
import { type Found, type Slice, walk } from "./walk.ts";

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
  readonly nowUnixSeconds: number;
  readonly signal: AbortSignal;
  onProgress(counts: IngestCounts): void;
  onSkip(path: string, reason: string): void;
}

export interface IngestCounts {
  /** Inputs that were looked at. */
  read: number;
  /** Stored now. */
  new: number;
  /** Were in the store before, or were met twice. */
  known: number;
  /** Files in folders that are of no format that is known here. */
  foreign: number;
  skipped: number;
  bytes: number;
}

/** Paths that go to a thread at a time; small enough to share the end fairly, large enough not to talk all the time. */
const CHUNK = 128;
/** Room for hashes of inputs that come in this ingest. */
const NEW_ENTRIES = 4_000_000;

export async function ingest(options: IngestOptions): Promise<IngestCounts> {
  const store = await Store.openOrCreate(options.store);
  const hashes = await knownHashes(store);
  await store.close();
  const pool = new Pool(options, {
    store: options.store,
    stored: hashes.stored.buffer,
    damaged: hashes.damaged.buffer,
    nowUnixSeconds: options.nowUnixSeconds,
    rowsMax: 20_000,
    batchInputs: options.batchInputs,
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
  } finally {
    // Also after a failure: the other threads commit what they have. A thread is never torn out of the database.
    await pool.end();
  }
  pool.throwFailure();
  return pool.counts;
}

async function knownHashes(store: Store): Promise<{ stored: KnownHashes; damaged: KnownHashes }> {
  const db = await store.query();
  try {
    const [counts] = await db.rows("select count(*) as entries from sources");
    const entries = Number(counts?.entries ?? 0);
    const stored = new KnownHashes({ entries: entries + NEW_ENTRIES });
    const damaged = new KnownHashes({ entries: 100_000 });
    // Halves as doubles are exact; a 64-bit hash would not be.
    const sql = (status: string) =>
      `select (hash_high >> 32)::double as high, (hash_high & 4294967295)::double as low from sources where status ${status}`;
    for (const [set, status] of [
      [stored, "= 'stored'"],
      [damaged, "<> 'stored'"],
    ] as const) {
      const { high, low } = await db.columns(sql(status));
      for (let i = 0; i < (high?.length ?? 0); i++)
        set.add((BigInt(high?.[i] as number) << 32n) | BigInt(low?.[i] as number));
    }
    return { stored, damaged };
  } finally {
    db.close();
  }
}

/** The threads, and who of them is free. */
class Pool {
  readonly counts: IngestCounts = { read: 0, new: 0, known: 0, foreign: 0, skipped: 0, bytes: 0 };
  readonly #options: IngestOptions;
  readonly #workers: Worker[];
  /** Chunks under way in each thread; two keep it busy. */
  readonly #load: number[];
  readonly #ended: boolean[];
  #ready = 0;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  constructor(options: IngestOptions, start: WorkerStart) {
    this.#options = options;
    const program = workerProgram();
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
    await this.#until(() => this.#load.some((load) => load < 2));
    const index = this.#load.indexOf(Math.min(...this.#load));
    this.#load[index] = (this.#load[index] as number) + 1;
    this.#workers[index]?.postMessage({ kind: "read", inputs });
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
      case "done":
        this.#load[index] = (this.#load[index] as number) - 1;
        this.counts.read += message.read;
        this.counts.new += message.stored;
        this.counts.known += message.known;
        this.counts.foreign += message.foreign;
        this.counts.bytes += message.bytes;
        for (const { path, reason } of message.skipped) this.skip(path, reason);
        this.#options.onProgress(this.counts);
        break;
      case "ended":
        break;
      case "failed": {
        this.#failed(Object.assign(new Error(message.message), message.facts));
        break;
      }
    }
    this.#wake();
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

/** The thread's program as the build left it. */
function workerProgram(): URL {
  const places = ["./", "../", "../../dist/"].map(
    (place) => new URL(`${place}ingest-worker.js`, import.meta.url),
  );
  const found = places.find((place) => existsSync(place));
  assert(found !== undefined, "the build has no ingest-worker.js; run npm run build");
  return found;
}
