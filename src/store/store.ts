/** A folder of immutable Parquet segments and a manifest; many processes may read and write it at once. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { FormatError, UsageError } from "../base/errors.ts";
import { STORE_VERSION } from "../model/store-schema.ts";
import { type Batch, BatchWriter } from "./batch.ts";
import { type Database, openDatabase, type StoreOptions } from "./database.ts";
import { ensureFolder, writeWhole } from "./files.ts";
import { LOCKS, MANIFEST, SEGMENTS, STORE_FILE, storePath, TMP } from "./layout.ts";
import { type BatchInfo, liveBatches, type Manifest, readManifest } from "./manifest.ts";
import { openSession, type StoreSession } from "./session.ts";

const KIND = "plimsoll store";
const MIB = 1024 * 1024;
const WRITER_MEMORY_BYTES = 1024 * MIB;

export class Store {
  /** Absolute. */
  readonly path: string;
  readonly #options: StoreOptions;
  #manifest: Manifest;
  #live: readonly BatchInfo[];
  #writer: Promise<Database> | undefined;

  private constructor(path: string, options: StoreOptions) {
    this.path = path;
    this.#options = options;
    this.#manifest = readManifest(path);
    this.#live = liveBatches(this.#manifest);
  }

  /** Makes a store in a folder that is empty or not there yet. */
  static async create(path: string, options: StoreOptions = {}): Promise<Store> {
    const full = storePath(path);
    if (isFile(full)) throw new UsageError(`${path} is a file; a store is a folder`);
    ensureFolder(full);
    const foreign = readdirSync(full).find((name) => !isOurs(name));
    if (foreign !== undefined)
      throw new UsageError(`${path} is no store and holds ${foreign}; choose an empty folder`);
    writeVersion(full);
    for (const folder of [SEGMENTS, MANIFEST, TMP]) ensureFolder(join(full, folder));
    return new Store(storePath(full), options);
  }

  /** Opens a store. One of an older version is read as if it were of this one and written in this one. */
  static async open(path: string, options: StoreOptions = {}): Promise<Store> {
    const full = storePath(path);
    readVersion(full, path);
    return new Store(full, options);
  }

  static async openOrCreate(path: string, options: StoreOptions = {}): Promise<Store> {
    const full = storePath(path);
    return isFile(join(full, STORE_FILE)) ? Store.open(path, options) : Store.create(path, options);
  }

  /** Batches that count, as of the last `open`, `refresh`, `query` or commit of this store; in the order of ids. */
  batches(): readonly BatchInfo[] {
    return this.#live;
  }

  /** Learns of what others committed meanwhile. */
  refresh(): void {
    this.#manifest = readManifest(this.path, { known: this.#manifest.entries });
    this.#live = liveBatches(this.#manifest);
  }

  /** Begins to write rows that become visible together. */
  beginBatch({ writer = "plimsoll" }: { writer?: string } = {}): Batch {
    return new BatchWriter({
      store: this.path,
      writer,
      database: () => this.#writerDatabase(),
      // Two tables in memory and DuckDB's Parquet writer take about eight times that (measured).
      segmentBytes: Math.min(Math.max(this.#writerMemoryBytes / 16, 16 * MIB), 64 * MIB),
      latestId: () => [...this.#manifest.entries.keys()].at(-1) ?? "",
      beforeCommit: () => {
        // Programs that do not know our tables must not read on.
        if (readVersion(this.path, this.path) < STORE_VERSION) writeVersion(this.path);
      },
      committed: () => this.refresh(),
    });
  }

  /** A database over all batches that are committed now. */
  async query(): Promise<StoreSession> {
    this.refresh();
    return openSession(this.path, this.#live, this.#options);
  }

  async close(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    (await writer)?.close();
  }

  get #writerMemoryBytes(): number {
    return this.#options.memoryBytes ?? WRITER_MEMORY_BYTES;
  }

  #writerDatabase(): Promise<Database> {
    this.#writer ??= openDatabase(this.path, {
      ...this.#options,
      memoryBytes: this.#writerMemoryBytes,
      threads: this.#options.threads ?? 1,
    });
    return this.#writer;
  }
}

/** Names of a store, or of one that is just being made. */
function isOurs(name: string): boolean {
  return [SEGMENTS, MANIFEST, TMP, LOCKS].includes(name) || name.startsWith(STORE_FILE);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Not there, or below a file: what is done next says so.
    return false;
  }
}

function writeVersion(store: string): void {
  writeWhole(join(store, STORE_FILE), `${JSON.stringify({ kind: KIND, version: STORE_VERSION })}\n`);
}

/** The version of a store; `shown` is its path as the user gave it. */
export function readVersion(store: string, shown: string): number {
  const path = join(store, STORE_FILE);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw cause;
    if (isFile(store)) throw new UsageError(`${shown} is a file; a store is a folder`, { cause });
    const why = existsSync(store) ? `no ${STORE_FILE} in it` : "no such folder";
    throw new UsageError(`${shown} is no store: ${why}; plimsoll ingest makes one`, { cause });
  }
  let value: { kind?: unknown; version?: unknown } | null;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new FormatError(path, {}, "damaged: no whole JSON document", { cause });
  }
  if (value?.kind !== KIND || !Number.isSafeInteger(value.version))
    throw new FormatError(path, {}, `expected {"kind": "${KIND}", "version": …}`);
  const version = value.version as number;
  if (version > STORE_VERSION) {
    const what = `a store of version ${version}, this Plimsoll knows ${STORE_VERSION}; update Plimsoll`;
    throw new FormatError(shown, {}, what);
  }
  return version;
}
