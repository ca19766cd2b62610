/** Questions to a store: a database in memory with a view for each table. */
import { assert } from "../base/assert.ts";
import type { Spill } from "../base/spill.ts";
import { join, resolve } from "node:path";
import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";
import {
  type LevelParts,
  type Queryable,
  type RawColumn,
  STORE_SCHEMA,
  storedJobs,
  storedRuns,
  type SqlRow,
  type SqlValue,
  type TableSchema,
} from "../model/index.ts";
import { limitData } from "../node/data-limit.ts";
import { FileSpill } from "../node/file-spill.ts";
import { makeFolder } from "../node/folders.ts";
import {
  type Database,
  memoryLimit,
  openDatabase,
  quoteName,
  quotePath,
  quoteText,
  type StoreOptions,
} from "./database.ts";
import { ownReadingError, queryFault, readingError } from "./engine-error.ts";
import { PARQUET } from "./batch.ts";
import type { Bucket } from "./bucket.ts";
import { fileSynced } from "../node/durable.ts";
import { jobTotalsOf } from "./job-totals.ts";
import { SEGMENTS } from "./layout.ts";
import { isRolled, levelsOfBase, prunedOf } from "./levels.ts";
import { type BatchInfo, segmentsOf } from "./manifest.ts";
import { prepareReading } from "./read-only.ts";
import { exactValue, GrowingDoubles, NUMERIC, plainValue } from "./sql-values.ts";
import { createViews, hideDuplicates, tableQuery } from "./views.ts";

interface SqlColumn {
  readonly name: string;
  /** As DuckDB writes it: `BIGINT`, `DECIMAL(18,3)`. */
  readonly type: string;
  /** Whether its values are numbers. */
  readonly numeric: boolean;
}

/** A result that is read piece by piece. */
export interface SqlResult {
  readonly columns: readonly SqlColumn[];
  /** Rows in pieces of about 2,000. Integers of 64 bits and more are bigints; dates, lists and the like are text. */
  pieces(): AsyncGenerator<SqlValue[][]>;
  /** Whether there were more rows than were asked for; known when `pieces` has ended. */
  readonly isCut: boolean;
}

export interface Session extends Queryable {
  /** One reading statement of a user, and its first rows; a wrong one is a `UsageError` with its place. */
  raw(sql: string, rowsMax?: number): Promise<SqlResult>;
  close(): void;
}

/** Opens a database over the given batches. Users' statements read no file but segments of this store. */
export async function openSession(
  store: string,
  batches: readonly BatchInfo[],
  { bucket, ...options }: StoreOptions & { readonly bucket?: Bucket | undefined },
): Promise<StoreSession> {
  assert(new Set(batches.map(({ id }) => id)).size === batches.length, "every batch is read once");
  const database = await openDatabase(store, options);
  const session = new StoreSession(store, batches, database, bucket);
  try {
    await session.prepare();
    return session;
  } catch (error) {
    const clear = await ownReadingError(error, store, batches, database);
    database.close();
    throw clear;
  }
}

export class StoreSession implements Session {
  readonly #store: string;
  readonly #batches: readonly BatchInfo[];
  readonly #database: Database;
  /** Batches in which some runs are hidden. */
  #hiding: ReadonlySet<string> = new Set();
  /** Since when settings are as they stay. */
  #locked: Promise<void> | undefined;
  #memoryBytes: number;
  /** Lifts the bound on the memory of this process. */
  #unlimit = (): void => {};

  readonly #bucket: Bucket | undefined;
  readonly #parts = new Map<string, string>();
  readonly #spills: FileSpill[] = [];

  constructor(store: string, batches: readonly BatchInfo[], database: Database, bucket?: Bucket) {
    this.#bucket = bucket;
    this.#store = store;
    this.#batches = batches;
    this.#database = database;
    this.#memoryBytes = database.memoryBytes;
  }

  async prepare(): Promise<void> {
    const { connection } = this.#database;
    this.#hiding = await hideDuplicates(connection, this.#store, this.#batches);
    const all = { store: this.#store, batches: this.#batches, hiding: this.#hiding };
    await createViews(connection, { ...all, bucket: this.#bucket });
    if (this.#bucket === undefined) return;
    for (const table of [storedRuns, storedJobs])
      await this.addPart(`every_${table.name}`, tableQuery(table, all));
  }

  spill(): Spill {
    const { spill } = this.#database;
    makeFolder(spill);
    const file = new FileSpill(join(spill, `${this.#spills.length}.values`));
    this.#spills.push(file);
    return file;
  }

  part(name: string): string | undefined {
    return this.#parts.get(name);
  }

  /** From now on `part` gives a relation of these rows. */
  async addPart(name: string, sql: string): Promise<void> {
    assert(/^\w+$/.test(name), "a part is named as a table is");
    const relation = `store.${quoteName(`part_${name}`)}`;
    await this.#database.connection.run(`create or replace view ${relation} as ${sql}`);
    this.#parts.set(name, relation);
  }

  /** Writes the rows of a query to a Parquet file, synced. Whole numbers of 128 bits stay exact. */
  async writeParquet(sql: string, path: string): Promise<void> {
    await this.#clearly(async () => {
      const { connection } = this.#database;
      assert(path.endsWith(".parquet"), "a part is a Parquet file");
      const described = await connection.runAndReadAll(`describe ${sql}`);
      const columns = described
        .getRows()
        .map(([name, type]) =>
          type === "HUGEINT"
            ? `${quoteName(String(name))}::DECIMAL(38, 0) as ${quoteName(String(name))}`
            : quoteName(String(name)),
        );
      await connection.run(
        `copy (select ${columns.join(", ")} from (${sql})) to ${quoteText(path)} (${PARQUET})`,
      );
      await fileSynced(path);
    });
  }

  async rows(sql: string): Promise<SqlRow[]> {
    return this.#clearly(async () => {
      // Made as a whole, so that it goes on while this thread is busy; a stream would wait to be asked for more.
      const result = await this.#database.connection.run(sql);
      const names = result.deduplicatedColumnNames();
      const rows: SqlRow[] = [];
      for await (const values of rowsOf(result)) {
        for (const row of values) rows.push(Object.fromEntries(row.map((value, i) => [names[i], value])));
      }
      return rows;
    });
  }

  async columns(sql: string): Promise<Readonly<Record<string, Float64Array>>> {
    return this.#clearly(async () => {
      const { connection } = this.#database;
      const query = sql.replace(/[;\s]+$/, "");
      const prepared = await connection.prepare(query);
      const names = Array.from({ length: prepared.columnCount }, (_, i) => prepared.columnName(i));
      prepared.destroySync();
      // As doubles without NULL the vectors can be copied as they are.
      const doubles = names.map((name) => `coalesce(${quoteName(name)}::DOUBLE, 'nan'::DOUBLE)`);
      const result = await connection.stream(`select ${doubles.join(", ")} from (${query}\n)`);
      const columns = names.map(() => new GrowingDoubles());
      for (
        let chunk = await result.fetchChunk();
        chunk && chunk.rowCount > 0;
        chunk = await result.fetchChunk()
      ) {
        for (const [index, column] of columns.entries()) {
          column.push((chunk.getColumnVector(index) as unknown as { items: Float64Array }).items);
        }
      }
      assert(
        columns.every(({ length }) => length === columns[0]?.length),
        "all columns have as many rows",
      );
      return Object.fromEntries(
        names.map((name, index) => [name, (columns[index] as GrowingDoubles).finish()]),
      );
    });
  }

  async scan(
    sql: string | readonly string[],
    take: (rows: number, columns: readonly RawColumn[]) => void,
  ): Promise<void> {
    return this.#clearly(async () => {
      if (typeof sql === "string") return scanOne(this.#database.connection, sql, take);
      // One alone may have all threads.
      if (sql.length === 1) return this.#scanAll(sql, take);
      await this.#inOwnThreads(() => this.#scanAll(sql, take));
    });
  }

  async #scanAll(
    sql: readonly string[],
    take: (rows: number, columns: readonly RawColumn[]) => void,
  ): Promise<void> {
    // One connection runs one statement at a time.
    const connections = await Promise.all(sql.map(() => this.#database.connect()));
    let failed = false;
    const scans = connections.map((connection, i) =>
      scanOne(connection, sql[i] as string, take, () => failed).catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    );
    // None may be closed while it is read.
    const ends = await Promise.allSettled(scans);
    for (const connection of connections) connection.closeSync();
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  /**
   * Each statement is worked on by the thread that waits for its rows and by no other: handing work from one thread to
   * another costs a tenth of the time of streams.
   */
  async #inOwnThreads(work: () => Promise<void>): Promise<void> {
    const { connection, threads } = this.#database;
    if (this.#locked !== undefined || threads === 1) return work();
    await connection.run("set threads = 1");
    try {
      await work();
    } finally {
      await connection.run(`set threads = ${threads}`);
    }
  }

  async shares(table: string): Promise<readonly string[]> {
    return this.#clearly(async () => {
      const schema = STORE_SCHEMA.find(({ name }) => name === table);
      assert(schema !== undefined, `no table ${table}`);
      const most = this.#database.threads === 1 ? 1 : SHARES;
      const of = Math.min(most, segmentsOf(this.#batches, table).length);
      if (of < 2) return [quoteName(table)];
      const names = Array.from({ length: of }, (_, index) => `store.${quoteName(`${table}_${index}`)}`);
      for (const [index, name] of names.entries()) {
        const setting = {
          store: this.#store,
          batches: this.#batches,
          hiding: this.#hiding,
          bucket: this.#bucket,
        };
        await this.#database.connection.run(
          `create view if not exists ${name} as ${tableQuery(schema, { ...setting, share: { index, of } })}`,
        );
      }
      return names;
    });
  }

  jobTotalsOf(relation: string): string {
    return jobTotalsOf(relation);
  }

  async levels(table: "minutes" | "targets"): Promise<LevelParts | undefined> {
    return this.#clearly(async () => {
      const [rolled, fresh] = [true, false].map((is) =>
        this.#batches.filter((batch) => isRolled(batch, table) === is),
      ) as [BatchInfo[], BatchInfo[]];
      if (rolled.length === 0) return undefined;
      const view = async (part: string, schema: TableSchema, batches: readonly BatchInfo[]) => {
        const name = `store.${quoteName(`${part}_${table}`)}`;
        const query = tableQuery(schema, { store: this.#store, batches, hiding: this.#hiding });
        await this.#database.connection.run(`create view if not exists ${name} as ${query}`);
        return name;
      };
      const base = STORE_SCHEMA.find(({ name }) => name === table);
      const [hours, days] = levelsOfBase(table);
      assert(base !== undefined && hours !== undefined && days !== undefined, `no levels of ${table}`);
      return {
        fresh: await view("fresh", base, fresh),
        rolled: await view("rolled", base, rolled),
        hours: await view("hours", hours.table, rolled),
        days: await view("days", days.table, rolled),
        minutesFrom: prunedOf(rolled)?.minutes ?? Number.NEGATIVE_INFINITY,
        hoursFrom: prunedOf(rolled)?.hours ?? Number.NEGATIVE_INFINITY,
      };
    });
  }

  async limitMemory(bytes: number): Promise<void> {
    assert(this.#locked === undefined, "settings change before a user's statements");
    await this.#clearly(() => this.#database.connection.run(`set memory_limit = '${memoryLimit(bytes)}'`));
    this.#memoryBytes = bytes;
  }

  async run(sql: string): Promise<void> {
    await this.#clearly(() => this.#database.connection.run(sql));
  }

  async raw(sql: string, rowsMax = Number.POSITIVE_INFINITY): Promise<SqlResult> {
    const clearly = <T>(work: () => Promise<T>) =>
      work().catch((error: unknown) => {
        throw queryFault(readingError(error, this.#store, this.#batches, this.#memoryBytes), sql);
      });
    return clearly(async () => {
      await (this.#locked ??= this.#lock());
      const prepared = await prepareReading(this.#database.connection, sql);
      const result = await prepared.stream();
      const columns = result.deduplicatedColumnNames().map((name, index) => ({
        name,
        type: result.columnType(index).toString(),
        numeric: NUMERIC.has(result.columnTypeId(index)),
      }));
      async function* pieces(): AsyncGenerator<SqlValue[][]> {
        const rows = rowsOf(result, exactValue);
        for (let left = rowsMax; !shown.isCut; ) {
          const { value, done } = await clearly(() => rows.next());
          if (done) return;
          shown.isCut = value.length > left;
          yield shown.isCut ? value.slice(0, left) : value;
          left -= value.length;
        }
      }
      const shown = { columns, pieces, isCut: false };
      return shown;
    });
  }

  close(): void {
    for (const spill of this.#spills) spill.close();
    this.#database.close();
    this.#unlimit();
  }

  /** Before a statement of a user: it reads no other file, and changes no setting. Ours are spared what that costs. */
  async #lock(): Promise<void> {
    const { connection } = this.#database;
    // As the names of segments are given to DuckDB, and as it opens them.
    const folder = `${resolve(this.#store, SEGMENTS)}/`;
    await connection.run(`set allowed_directories = [${quoteText(folder)}, ${quotePath(folder)}]`);
    await connection.run("set enable_external_access = false");
    await connection.run("set lock_configuration = true");
    // Texts and lists that a function makes do not count for DuckDB: repeat('x', 4e9) took 8 GB at a limit of 128 MiB.
    this.#unlimit = limitData(2 * this.#memoryBytes + OWN_BYTES);
  }

  async #clearly<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { connection } = this.#database;
      throw await ownReadingError(error, this.#store, this.#batches, {
        connection,
        memoryBytes: this.#memoryBytes,
      });
    }
  }
}

/** What this process may take beside DuckDB: results as strings, buffers, stacks of threads. */
const OWN_BYTES = 2 ** 30;

/** Streams give rows from one thread at a time; three of them keep up with what takes them, and two processors busy. */
const SHARES = 3;

async function scanOne(
  connection: DuckDBConnection,
  sql: string,
  take: (rows: number, columns: readonly RawColumn[]) => void,
  stopped: () => boolean = () => false,
): Promise<void> {
  const result = await connection.stream(sql);
  const count = result.columnCount;
  let next = result.fetchChunk();
  try {
    for (;;) {
      const chunk = await next;
      if (!chunk || chunk.rowCount === 0 || stopped()) return;
      // DuckDB works on the next rows while we work on these.
      next = result.fetchChunk();
      take(
        chunk.rowCount,
        Array.from({ length: count }, (_, index) => rawColumn(chunk, index)),
      );
    }
  } finally {
    // Whoever stops early closes the connection, which must not be in use.
    await next.catch(() => {});
  }
}

function rawColumn(chunk: DuckDBDataChunk, index: number): RawColumn {
  const { items } = chunk.getColumnVector(index) as unknown as { items?: RawColumn | BigUint64Array };
  assert(items !== undefined && items.length >= chunk.rowCount, "a scan is of numbers, one for each row");
  return items.BYTES_PER_ELEMENT === 8 && !(items instanceof Float64Array)
    ? new Uint32Array(items.buffer, items.byteOffset, 2 * items.length)
    : (items as RawColumn);
}

async function* rowsOf(
  result: { fetchChunk(): Promise<DuckDBDataChunk | null> },
  convert: (value: DuckDBValue) => SqlValue = plainValue,
): AsyncGenerator<SqlValue[][]> {
  for (
    let chunk = await result.fetchChunk();
    chunk && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  ) {
    yield chunk.getRows().map((row) => row.map(convert));
  }
}
