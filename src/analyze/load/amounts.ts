/** Amounts of a load and their exact sums. */
import type { SqlRow, SqlValue } from "../../model/index.ts";

/** Exact sums. */
export interface Amounts {
  readonly bytesRead: bigint;
  readonly bytesWritten: bigint;
  readonly readCalls: bigint;
  readonly writeCalls: bigint;
  readonly openCalls: bigint;
  readonly metadataCalls: bigint;
  /** Write calls in rows whose calls are small on average. */
  readonly smallWriteCalls: bigint;
}

export const NOTHING: Amounts = {
  bytesRead: 0n,
  bytesWritten: 0n,
  readCalls: 0n,
  writeCalls: 0n,
  openCalls: 0n,
  metadataCalls: 0n,
  smallWriteCalls: 0n,
};

/** The column of SQL for each amount. */
export const COLUMNS: Readonly<Record<keyof Amounts, string>> = {
  bytesRead: "bytes_read",
  bytesWritten: "bytes_written",
  readCalls: "reads",
  writeCalls: "writes",
  openCalls: "opens",
  metadataCalls: "metadata_calls",
  smallWriteCalls: "small_writes",
};
const NAMES = Object.keys(COLUMNS) as (keyof Amounts)[];

/** The amount that loads are compared by. */
export const MEASURES = ["bytes", "read", "write", "calls", "metadata", "opens", "small-writes"] as const;
export type Measure = (typeof MEASURES)[number];

const PARTS: Readonly<Record<Measure, readonly (keyof Amounts)[]>> = {
  bytes: ["bytesRead", "bytesWritten"],
  read: ["bytesRead"],
  write: ["bytesWritten"],
  calls: ["readCalls", "writeCalls"],
  metadata: ["metadataCalls"],
  opens: ["openCalls"],
  "small-writes": ["smallWriteCalls"],
};

export const MEASURE_WORDS: Readonly<Record<Measure, string>> = {
  bytes: "bytes read and written",
  read: "bytes read",
  write: "bytes written",
  calls: "read and write calls",
  metadata: "metadata operations",
  opens: "opens",
  "small-writes": "small writes",
};

export const measureUnit = (measure: Measure): "bytes" | "calls" =>
  measure === "bytes" || measure === "read" || measure === "write" ? "bytes" : "calls";

export const measured = (amounts: Amounts, measure: Measure): bigint =>
  PARTS[measure].reduce((sum, name) => sum + amounts[name], 0n);

/** The same as SQL, over columns that already are sums. */
export const measureSql = (measure: Measure, table = ""): string =>
  `(${PARTS[measure].map((name) => `coalesce(${table}${COLUMNS[name]}, 0)`).join(" + ")})`;

/** The column of `load_jobs` with it. */
export const measureColumn = (measure: Measure): string => `m_${measure.replace("-", "_")}`;

/** Columns of `minutes` and `targets` with amounts; small writes depend on what is small (levels.ts). */
export const AMOUNT_COLUMNS: readonly string[] = Object.values(COLUMNS).filter(
  (name) => name !== COLUMNS.smallWriteCalls,
);

/** Sums of sums. */
export const SUMS_AGAIN = Object.values(COLUMNS)
  .map((name) => `sum(${name}) as ${name}`)
  .join(", ");

export function amountsOf(row: SqlRow): Amounts {
  return Object.fromEntries(NAMES.map((name) => [name, exact(row[COLUMNS[name]])])) as unknown as Amounts;
}

const combine = (a: Amounts, b: Amounts, how: (x: bigint, y: bigint) => bigint): Amounts =>
  Object.fromEntries(NAMES.map((name) => [name, how(a[name], b[name])])) as unknown as Amounts;

export const plus = (a: Amounts, b: Amounts): Amounts => combine(a, b, (x, y) => x + y);
export const minus = (a: Amounts, b: Amounts): Amounts => combine(a, b, (x, y) => x - y);
/** Difference of each amount, at least zero. */
export const excess = (a: Amounts, b: Amounts): Amounts => combine(a, b, (x, y) => (x > y ? x - y : 0n));

/** A number of SQL as a double; NULL is NaN. */
export const number = (value: SqlValue | undefined): number =>
  value === null || value === undefined ? Number.NaN : Number(value);

/** An exact integer from SQL; NULL (an empty sum) is zero. */
export const exact = (value: SqlValue | undefined): bigint =>
  value === null || value === undefined ? 0n : BigInt(value as bigint);

export const text = (value: SqlValue | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

export const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** A share of a total that may be zero. */
export const shareOf = (part: bigint, whole: bigint): number =>
  whole === 0n ? Number.NaN : Number(part) / Number(whole);
