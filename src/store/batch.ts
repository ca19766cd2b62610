/**
 * Writes a batch: rows go into a table in memory; when that is large enough, DuckDB makes a Parquet segment of it in
 * the store's tmp folder while the next rows are taken. A commit syncs the segments, gives them their names, and then
 * writes the manifest entry, with which the batch begins to exist.
 */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DuckDBAppender, DuckDBConnection } from "@duckdb/node-api";
import { assert } from "../base/assert.ts";
import { FormatError } from "../base/errors.ts";
import {
  type ColumnSource,
  type RowSink,
  STORE_SCHEMA,
  STORE_VERSION,
  type TableSchema,
} from "../model/index.ts";
import { type Bucket, isBucket } from "./bucket.ts";
import { type Database, quoteName, quoteText } from "./database.ts";
import { systemErrorOf } from "./engine-error.ts";
import { fileSynced, syncFolder, writeWhole } from "../node/durable.ts";
import { makeFolder } from "../node/folders.ts";
import { hashFile, mayExist, removeFile, sizeOf } from "./files.ts";
import { reached } from "./hooks.ts";
import { entryId, entryPath, isBatchId, MANIFEST, newBatchId, SEGMENTS, segmentName, TMP } from "./layout.ts";
import { type BatchInfo, entryText, type Segment } from "./manifest.ts";
import { lostManifest, type Mark, readMark, writeMark } from "./mark.ts";
import { CHUNK_ROWS, type SegmentColumns, Staging } from "./staging.ts";
import type { StagedColumn } from "./staged-column.ts";
import { setDictionaries } from "./texts.ts";

export interface Batch extends RowSink {
  /** Takes rows. Await it before the next call: it waits while DuckDB writes. */
  append(table: TableSchema, count: number, columns: Readonly<Record<string, ColumnSource>>): Promise<void>;
  /** Takes rows that all are in this bucket; of few buckets, as all are filled at once. */
  inBucket(bucket: Bucket): RowSink;
  /** Makes all rows visible at once and lasting; gives the id of the batch. Without rows nothing is written. */
  commit(): Promise<string>;
  /** Forgets all rows. */
  abort(): Promise<void>;
}

/** As many tables in memory as there are buckets are filled at once; more than these get shorter segments. */
const FULL_BUCKETS = 8;
/** More than this are cheaper to part afterwards, by a compaction. */
export const BUCKETS_AT_ONCE = 16;

/** Rows of a Parquet row group: DuckDB's own default, 60 vectors. */
export const ROW_GROUP_ROWS = 122_880;
/**
 * Zstandard's fastest level and dictionaries of few values: of the CPU time of DuckDB's own settings a fifth less, and as
 * many bytes. For what leaves the store: every reader knows the encodings of the format's first version.
 */
export const PARQUET_OUTSIDE = `format parquet, compression zstd, compression_level 1, dictionary_size_limit 4096, row_group_size ${ROW_GROUP_ROWS}`;
/**
 * Segments have the encodings of the second version (deltas of whole numbers, doubles split by byte): a tenth less CPU time
 * to write, a third less to read ids, times and doubles, in as many bytes (jobs take 18 % more, others 3 % more to 5 %
 * less).
 */
export const PARQUET = `${PARQUET_OUTSIDE}, parquet_version v2`;

/** Where a batch is written, and whom it tells. */
interface BatchSetting {
  readonly store: string;
  readonly writer: string;
  /** The database that takes rows until they are written; batches of one store share it. */
  database(): Promise<Database>;
  /** A table in memory of this size becomes a segment, if it has not reached a row group before. */
  readonly segmentBytes: number;
  /** The greatest id that the store knows: a new one is greater. */
  latestId(): string;
  committed(batch: BatchInfo): void;
}

export class BatchWriter implements Batch {
  readonly #setting: BatchSetting;
  readonly #work: string;
  readonly #tables = new Map<string, TableState>();
  readonly #segments: WrittenSegment[] = [];
  #connection: DuckDBConnection | undefined;
  /** COPY runs on its own connection while rows go into the next table. */
  #copier: DuckDBConnection | undefined;
  #copying: Promise<void> = Promise.resolve();
  #state: "open" | "busy" | "closed" = "open";
  #rows = 0;

  constructor(setting: BatchSetting) {
    this.#setting = setting;
    this.#work = join(setting.store, TMP, newBatchId());
  }

  append(table: TableSchema, count: number, columns: Readonly<Record<string, ColumnSource>>): Promise<void> {
    return this.#append(table, count, columns, undefined);
  }

  inBucket(bucket: Bucket): RowSink {
    assert(bucket.of <= BUCKETS_AT_ONCE && isBucket(bucket), "rows are in one of few buckets");
    return { append: (table, count, columns) => this.#append(table, count, columns, bucket) };
  }

  async #append(
    table: TableSchema,
    count: number,
    columns: Readonly<Record<string, ColumnSource>>,
    bucket: Bucket | undefined,
  ): Promise<void> {
    assert(this.#state === "open", `append to a batch that is ${this.#state}; await each append`);
    const key = `${table.name} ${bucket?.index ?? ""}`;
    let state = this.#tables.get(key);
    if (state === undefined) {
      assert(STORE_SCHEMA.includes(table), `${table.name} is no table of a store`);
      state = new TableState(table, `${table.name}_${counter++}`, bucket);
      this.#tables.set(key, state);
    }
    this.#state = "busy";
    try {
      for (let from = 0; from < count; ) {
        const taken = state.staging.take(from, count, columns);
        assert(taken > 0 && from + taken <= count, "every row is taken once");
        from += taken;
        if (state.staging.rows === CHUNK_ROWS) await this.#intoMemory(state);
      }
      this.#rows += count;
    } finally {
      this.#state = "open";
    }
  }

  async commit(): Promise<string> {
    assert(this.#state === "open", `commit of a batch that is ${this.#state}`);
    this.#state = "busy";
    const renamed: string[] = [];
    try {
      for (const state of this.#tables.values()) {
        if (state.staging.rows > 0) await this.#intoMemory(state);
        if (state.rows > 0) await this.#toSegment(state);
      }
      await this.#copying;
      const rows = this.#segments.reduce((sum, segment) => sum + segment.rows, 0);
      assert(rows === this.#rows, "every row that was appended is in one segment");
      await Promise.all(this.#segments.map(({ path }) => fileSynced(path)));
      reached("segments-synced");
      const id = newBatchId(this.#setting.latestId());
      if (this.#segments.length > 0) {
        const batch = publish(this.#setting, id, this.#segments, [], renamed);
        this.#setting.committed(batch);
      }
      await this.#end();
      return id;
    } catch (error) {
      for (const path of renamed) removeFile(path);
      await this.#end();
      throw error;
    }
  }

  async abort(): Promise<void> {
    if (this.#state === "closed") return;
    await this.#copying.catch(() => {});
    await this.#end();
  }

  async #end(): Promise<void> {
    this.#state = "closed";
    await this.#copying.catch(() => {});
    for (const state of this.#tables.values()) {
      state.appender?.closeSync();
      state.appender = undefined;
      await this.#connection?.run(`drop table if exists ${quoteName(state.memoryTable)}`).catch(() => {});
    }
    this.#copier?.closeSync();
    this.#connection?.closeSync();
    this.#copier = this.#connection = undefined;
    rmSync(this.#work, { recursive: true, force: true });
  }

  async #intoMemory(state: TableState): Promise<void> {
    assert(state.staging.rows > 0, "a chunk has rows");
    const connection = await this.#open();
    if (state.columns < state.staging.varying.length) await this.#widen(state, connection);
    state.appender ??= await connection.createAppender(state.memoryTable);
    state.rows += state.staging.rows;
    state.bytes += state.staging.bytes;
    state.appender.appendDataChunk(state.staging.chunk());
    if (state.rows >= state.rowsMost || state.bytes >= this.#setting.segmentBytes)
      await this.#toSegment(state);
  }

  /** The table gets the columns that vary by now. */
  async #widen(state: TableState, connection: DuckDBConnection): Promise<void> {
    const { varying } = state.staging;
    const table = quoteName(state.memoryTable);
    const added = varying.slice(state.columns);
    assert(
      added.length > 0 && (state.columns === 0) === (state.rows === 0),
      "a table with rows gets more columns",
    );
    const definition = ({ column, tableType }: StagedColumn) => `${quoteName(column.name)} ${tableType}`;
    state.appender?.closeSync();
    state.appender = undefined;
    if (state.columns === 0)
      await connection.run(`create table ${table} (${added.map(definition).join(", ")})`);
    else
      for (const column of added)
        await connection.run(
          `alter table ${table} add column ${definition(column)} default ${column.tableDefault}`,
        );
    state.columns = varying.length;
  }

  async #open(): Promise<DuckDBConnection> {
    if (this.#connection === undefined) {
      const database = await this.#setting.database();
      makeFolder(this.#work);
      this.#copier = await database.connect();
      this.#connection = await database.connect();
    }
    return this.#connection;
  }

  /** Hands what is in memory to DuckDB's writer, after the one before is done. */
  async #toSegment(state: TableState): Promise<void> {
    state.appender?.closeSync();
    state.appender = undefined;
    const { schema, memoryTable, rows, bucket } = state;
    assert(rows > 0, "a segment has rows");
    const columns = state.staging.finish();
    state.next();
    await this.#copying;
    const path = join(this.#work, `${memoryTable}.parquet`);
    this.#copying = this.#copy(memoryTable, rows, columns, path).then(({ bytes, sha256 }) => {
      this.#segments.push({ table: schema.name, path, rows, bytes, sha256, ...(bucket && { bucket }) });
      reached("segment-written");
    });
    // Whoever comes next awaits it and hears of the failure.
    this.#copying.catch(() => {});
  }

  async #copy(
    from: string,
    rows: number,
    { dictionaries, expressions }: SegmentColumns,
    path: string,
  ): Promise<{ bytes: number; sha256: string }> {
    try {
      const texts = await setDictionaries(this.#copier as DuckDBConnection, from, rows, dictionaries);
      const columns = expressions((place) => texts.get(place));
      const select = `select ${columns.join(", ")} from ${quoteName(from)}`;
      const copied = await this.#copier?.run(`copy (${select}) to ${quoteText(path)} (${PARQUET})`);
      const [[count] = []] = (await copied?.getRows()) ?? [];
      assert(Number(count) === rows, "a segment has every row of its table");
      await this.#copier?.run(`drop table ${quoteName(from)}`);
    } catch (error) {
      throw systemErrorOf(error, join(this.#setting.store, SEGMENTS)) ?? error;
    }
    return { bytes: sizeOf(path) ?? 0, sha256: await hashFile(path) };
  }
}

/** Batches share a database, so that names of tables must not meet. */
let counter = 0;

class TableState {
  readonly schema: TableSchema;
  readonly staging: Staging;
  readonly bucket: Bucket | undefined;
  /** Of a segment. */
  readonly rowsMost: number;
  readonly #name: string;
  appender: DuckDBAppender | undefined;
  rows = 0;
  bytes = 0;
  number = 0;
  /** Columns that the table in memory has. */
  columns = 0;

  constructor(schema: TableSchema, name: string, bucket: Bucket | undefined) {
    this.schema = schema;
    this.bucket = bucket;
    this.rowsMost = Math.floor(ROW_GROUP_ROWS * Math.min(1, FULL_BUCKETS / (bucket?.of ?? 1)));
    this.#name = name;
    this.staging = new Staging(schema);
  }

  get memoryTable(): string {
    return `${this.#name}_${this.number}`;
  }

  next(): void {
    this.rows = 0;
    this.bytes = 0;
    this.columns = 0;
    this.number++;
  }
}

export interface WrittenSegment extends Omit<Segment, "file"> {
  readonly table: string;
  /** Where it is until it gets its name. */
  readonly path: string;
}

/**
 * Gives synced segments their names and writes the manifest entry. `renamed` learns the new names as they come, for
 * whoever has to remove them on failure; it is empty again once the entry needs them.
 */
export function publish(
  { store, writer }: Pick<BatchSetting, "store" | "writer">,
  id: string,
  segments: readonly WrittenSegment[],
  replaces: readonly string[],
  renamed: string[],
  pruned?: BatchInfo["pruned"],
): BatchInfo {
  assert(isBatchId(id) && !existsSync(entryPath(store, id)), "an id is given to one batch");
  assert(
    replaces.every((old) => old < id) && new Set(replaces).size === replaces.length,
    "a batch replaces older ones, each once",
  );
  assert(renamed.length === 0, "names that are taken back are those of this batch");
  const mark = readMark(store, store);
  // Programs that do not know our tables must not read on.
  if (mark.version < STORE_VERSION) writeMark(store, mark.batches ?? true);
  ensureManifest(store, mark);
  const tables: Record<string, Segment[]> = {};
  const folders = new Set<string>();
  for (const { table, path, ...facts } of segments) {
    assert(
      STORE_SCHEMA.some(({ name }) => name === table) && facts.bytes > 0,
      "a segment is of a table, and a file",
    );
    const list = (tables[table] ??= []);
    const file = segmentName(table, id, list.length);
    const to = join(store, file);
    makeFolder(dirname(to));
    renameSync(path, to);
    renamed.push(to);
    folders.add(dirname(to));
    list.push({ file, ...facts });
    reached("segment-renamed");
  }
  assert(new Set(renamed).size === segments.length, "every segment has a name of its own");
  folders.add(join(store, SEGMENTS));
  for (const folder of folders) syncFolder(folder);
  reached("segments-renamed");
  const created = new Date().toISOString();
  const batch: BatchInfo = {
    ...{ id, version: STORE_VERSION, created, writer, replaces },
    ...(pruned === undefined ? {} : { pruned }),
    tables,
  };
  const entry = entryPath(store, id);
  try {
    const beforeRename = () => {
      reached("manifest-written");
      // A clean-up may have taken them for rubbish; a manifest entry without its segments would damage the store.
      const lost = renamed.find((path) => !existsSync(path));
      if (lost !== undefined)
        throw new FormatError(lost, {}, "segment disappeared before its batch was committed");
    };
    writeWhole(entry, entryText(batch), { beforeRename });
  } catch (error) {
    // The folder could not be synced, but the entry has its name: then its segments must stay.
    if (mayExist(entry)) renamed.length = 0;
    throw error;
  }
  renamed.length = 0;
  reached("manifest-renamed");
  // Behind the entry: a crash between them leaves a store with batches that the next commit marks.
  if (mark.batches !== true) writeMark(store, true);
  return batch;
}

/** A manifest that has lost its entries must not get a new one: it would look whole. */
function ensureManifest(store: string, { batches }: Mark): void {
  const folder = join(store, MANIFEST);
  const isThere = existsSync(folder);
  if (isThere && (batches !== true || readdirSync(folder).some((name) => entryId(name) !== undefined)))
    return;
  const lost = lostManifest(store);
  if (lost !== undefined) throw new FormatError(store, {}, `${lost}; nothing was committed`);
  makeFolder(folder);
}
