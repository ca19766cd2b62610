/** A folder of immutable Parquet segments and a manifest; many processes may read and write it at once. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { FormatError, UsageError } from "../base/errors.ts";
import { type Batch, BatchWriter } from "./batch.ts";
import { type Database, openDatabase, type StoreOptions } from "./database.ts";
import { makeFolder } from "../node/folders.ts";
import type { Bucket } from "./bucket.ts";
import { ASIDE, entryId, LOCKS, MANIFEST, SEGMENTS, STORE_FILE, storePath, TMP } from "./layout.ts";
import { type BatchInfo, liveBatches, type Manifest, readManifest } from "./manifest.ts";
import { PACK, readPack, renewPack } from "./manifest-pack.ts";
import { countSegments, isFile, readMark, writeMark } from "./mark.ts";
import { openSession, type StoreSession } from "./session.ts";

const MIB = 1024 * 1024;
const WRITER_MEMORY_BYTES = 1024 * MIB;

interface QueryScope {
  /** The batches to read: what counted at another time. */
  readonly batches?: readonly BatchInfo[] | undefined;
  readonly bucket?: Bucket | undefined;
}

export class Store {
  /** Absolute. */
  readonly path: string;
  readonly #options: StoreOptions;
  /** What the copy of the manifest had when the store was opened. */
  #packed: ReadonlyMap<string, BatchInfo>;
  #manifest: Manifest;
  #live: readonly BatchInfo[];
  #writer: Promise<Database> | undefined;

  private constructor(path: string, options: StoreOptions) {
    this.path = path;
    this.#options = options;
    this.#packed = readPack(path);
    this.#manifest = readManifest(path, { known: this.#packed });
    this.#live = liveBatches(this.#manifest);
  }

  /** Makes a store in a folder that is empty or not there yet. */
  static async create(path: string, options: StoreOptions = {}): Promise<Store> {
    const full = storePath(path);
    if (isFile(full)) throw new UsageError(`${path} is a file; a store is a folder`);
    makeFolder(full);
    const foreign = readdirSync(full).find((name) => !isOurs(name));
    if (foreign !== undefined)
      throw new UsageError(`${path} is not a store and contains ${foreign}; choose an empty folder`);
    if (isFile(join(full, STORE_FILE))) return Store.open(path, options);
    const names = existsSync(join(full, MANIFEST)) ? readdirSync(join(full, MANIFEST)) : [];
    const batches = names.some((name) => entryId(name) !== undefined);
    if (!batches && countSegments(full) > 0 && !isFile(join(full, STORE_FILE)))
      throw new FormatError(
        path,
        {},
        `there are segments but neither ${STORE_FILE} nor a manifest; restore them from a backup, or choose an empty folder`,
      );
    // The mark comes last: where it is, the folders are.
    for (const folder of [SEGMENTS, MANIFEST, TMP]) makeFolder(join(full, folder));
    if (!isFile(join(full, STORE_FILE))) writeMark(full, batches);
    return new Store(storePath(full), options);
  }

  /** Opens a store. One of an older version is read as if it were of this one and written in this one. */
  static async open(path: string, options: StoreOptions = {}): Promise<Store> {
    const full = storePath(path);
    readMark(full, path);
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
      committed: () => {
        this.refresh();
        this.#packed = renewPack(this.path, this.#manifest.entries, this.#packed);
      },
    });
  }

  /** A database over all batches that are committed now, or over some of their rows. */
  async query({ batches, bucket }: QueryScope = {}): Promise<StoreSession> {
    if (batches === undefined) this.refresh();
    return openSession(this.path, batches ?? this.#live, { ...this.#options, bucket });
  }

  /** Batches by their ids; they may have been replaced meanwhile, as long as their files are there. */
  batchesOf(ids: readonly string[]): BatchInfo[] {
    this.refresh();
    return ids.map((id) => {
      const batch = this.#manifest.entries.get(id);
      if (batch === undefined)
        throw new FormatError(
          this.path,
          {},
          `batch ${id} is gone: a compaction removed it after the parts were started; make the parts again, or compact with a longer --grace`,
        );
      return batch;
    });
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
  return (
    [SEGMENTS, MANIFEST, TMP, ASIDE, LOCKS].includes(name) ||
    name.startsWith(STORE_FILE) ||
    name.startsWith(PACK)
  );
}
