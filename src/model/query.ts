/** What analyses of a store ask of it, and what fills one. store/ gives both; tests may give their own. */
import type { Spill } from "../base/spill.ts";
import type { TableSchema } from "./schema.ts";
import type { ColumnSource } from "./tables.ts";

/** A value as SQL gives it: 64-bit integers and sums are bigints, NULL is null. */
export type SqlValue = number | bigint | string | boolean | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Values of a column as they are stored; integers of 64 bits as two words each, the low one first. */
export type RawColumn = Uint8Array | Int32Array | Uint32Array | Float64Array;

/** A database over the tables of a store: `runs`, `accesses`, `files`, `sources`. The dialect is DuckDB's. */
export interface Queryable {
  /** All rows of a small result. */
  rows(sql: string): Promise<SqlRow[]>;
  /** Columns of a large result as doubles (NULL is NaN), for sorting and sweeping. Exact below 2^53. */
  columns(sql: string): Promise<Readonly<Record<string, Float64Array>>>;
  /**
   * A large result piece by piece: `take` gets a few thousand rows at a time and must not keep the columns, which are
   * UTINYINT, INTEGER, UINTEGER, BIGINT, UBIGINT or DOUBLE, without NULL. Several statements are read side by side; they
   * see no temporary tables.
   */
  scan(
    sql: string | readonly string[],
    take: (rows: number, columns: readonly RawColumn[]) => void,
  ): Promise<void>;
  /** Views which hold each row of a table of the store once between them: what is read side by side. */
  shares(table: string): Promise<readonly string[]>;
  /** `minutes` or `targets` in parts, for long times; undefined: nothing of the table is summed up. */
  levels?(table: "minutes" | "targets"): Promise<LevelParts | undefined>;
  /** The query of `job_totals` over a relation that has all rows of some jobs: years of other jobs are not gathered for it. */
  jobTotalsOf?(relation: string): string;
  /**
   * A relation that is no table of the store. In a database over the parts of a study: what they hand over under this name. In
   * one over a bucket: `every_runs` and `every_jobs`, the rows of all buckets.
   */
  part?(name: string): string | undefined;
  /** A place on disk, gone when the database is closed; undefined: there is none. */
  spill?(): Spill | undefined;
  /** What the database may hold in memory from now on; more is spilled to disk. */
  limitMemory(bytes: number): Promise<void>;
  /** Statements without a result, such as `create table`: what is made lives as long as this database. */
  run(sql: string): Promise<void>;
}

/** Names of relations: all rows of a table are in `fresh` and `rolled`, those of `rolled` again in `hours` and in `days`. */
export interface LevelParts {
  readonly fresh: string;
  /** Minutes; the oldest may be gone, and then only hours or days tell of them. */
  readonly rolled: string;
  readonly hours: string;
  readonly days: string;
  /** Before this minute since 1970 minutes were pruned, and before `hoursFrom` hours too; -Infinity: none were. */
  readonly minutesFrom: number;
  readonly hoursFrom: number;
}

/** Takes rows column by column. A batch becomes visible as a whole, or not at all. */
export interface RowSink {
  append(table: TableSchema, count: number, columns: Readonly<Record<string, ColumnSource>>): Promise<void>;
}
