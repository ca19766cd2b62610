/**
 * Rows on their way into DuckDB: gathered column by column until a chunk is full, so that a caller may bring three
 * rows at a time. Numbers that were not recorded keep their stand-in (NaN, MISSING_I64) here; the query that writes a
 * segment makes NULL of them, which is a hundred times faster than setting bits one by one. Texts that come again and
 * again go as numbers (texts.ts), since handing one over costs as much as forty numbers.
 */
import {
  BIGINT,
  DOUBLE,
  DuckDBDataChunk,
  type DuckDBType,
  INTEGER,
  UBIGINT,
  UTINYINT,
  VARCHAR,
} from "@duckdb/node-api";
import { assert } from "../base/assert.ts";
import { type Column, type ColumnType, MISSING_I64, type TableSchema } from "../model/schema.ts";
import type { ColumnSource, Value } from "../model/tables.ts";
import { quoteName } from "./database.ts";
import { CodedTexts, isCoded } from "./texts.ts";

/** DuckDB's vector size. */
export const CHUNK_ROWS = 2048;

const TYPES: Readonly<Record<ColumnType, DuckDBType>> = {
  i64: BIGINT,
  u64: UBIGINT,
  i32: INTEGER,
  f64: DOUBLE,
  text: VARCHAR,
  flag: UTINYINT,
};

/** The columns as they are stored, from a table that still has the stand-ins. `dictionary`: of a coded text. */
export function storedExpression({ name, type }: Column, dictionary: string | undefined): string {
  const column = quoteName(name);
  if (dictionary !== undefined) return `list_extract(${dictionary}, ${column}) as ${column}`;
  if (type === "i64") return `nullif(${column}, ${MISSING_I64}) as ${column}`;
  if (type === "f64") return `case when isnan(${column}) then null else ${column} end as ${column}`;
  return column;
}

type Numbers = BigInt64Array | BigUint64Array | Int32Array | Float64Array | Uint8Array;
type Staged = Numbers | (string | null)[] | CodedTexts;

/** What all vectors have of DuckDB's; `items` are those of vectors of numbers. */
interface Vector {
  readonly items: Numbers | undefined;
  setItem(index: number, value: string | null): void;
  flush(): void;
}

export class Staging {
  readonly schema: TableSchema;
  readonly #columns: Staged[];
  readonly #names: ReadonlySet<string>;
  readonly #chunk: DuckDBDataChunk;
  readonly #vectors: readonly Vector[];
  #rows = 0;
  /** Bytes of text since the last `chunk`. */
  #textBytes = 0;
  readonly #rowBytes: number;

  constructor(schema: TableSchema) {
    this.schema = schema;
    this.#chunk = DuckDBDataChunk.create(
      schema.columns.map((column) => (isCoded(column) ? INTEGER : TYPES[column.type])),
      CHUNK_ROWS,
    );
    // The vectors of a chunk stay where they are: made once, each takes its numbers straight from here.
    this.#vectors = schema.columns.map((_, index) => this.#chunk.getColumnVector(index) as unknown as Vector);
    this.#columns = schema.columns.map((column, index) => {
      const { items } = this.#vectors[index] as Vector;
      if (isCoded(column)) return new CodedTexts(items as Int32Array);
      return column.type === "text" ? new Array<string | null>(CHUNK_ROWS).fill(null) : (items as Numbers);
    });
    this.#names = new Set(schema.columns.map(({ name }) => name));
    this.#rowBytes = schema.columns.reduce(
      (sum, column) => sum + (isCoded(column) ? WIDTHS.i32 : WIDTHS[column.type]),
      0,
    );
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#rows * this.#rowBytes + this.#textBytes;
  }

  /** Takes rows `from` to `count` of the sources as far as they fit; gives the number taken. */
  take(from: number, count: number, sources: Readonly<Record<string, ColumnSource>>): number {
    if (from === 0) {
      for (const name in sources)
        assert(this.#names.has(name), `table ${this.schema.name} has no column ${name}`);
    }
    const taken = Math.min(count - from, CHUNK_ROWS - this.#rows);
    const { columns } = this.schema;
    for (let index = 0; index < columns.length; index++) {
      const { name, type } = columns[index] as Column;
      const source = sources[name] ?? MISSING;
      const staged = this.#columns[index] as Staged;
      assert("all" in source || source.length >= count, `${name}: ${count} rows need more values`);
      if (staged instanceof CodedTexts) this.#textBytes += staged.take(this.#rows, source, from, taken);
      else if (type === "text")
        this.#textBytes += stageText(staged as (string | null)[], this.#rows, source, from, taken);
      else stageNumbers(staged as Numbers, type, this.#rows, source, from, taken, name);
    }
    this.#rows += taken;
    return taken;
  }

  /** What was gathered, as a chunk that is valid until the next call. */
  chunk(): DuckDBDataChunk {
    const chunk = this.#chunk;
    const rows = this.#rows;
    chunk.reset();
    chunk.rowCount = rows;
    for (let index = 0; index < this.#columns.length; index++) {
      const staged = this.#columns[index] as Staged;
      const vector = this.#vectors[index] as Vector;
      if (Array.isArray(staged))
        for (let row = 0; row < rows; row++) vector.setItem(row, staged[row] as string | null);
      vector.flush();
    }
    this.#rows = 0;
    this.#textBytes = 0;
    return chunk;
  }

  /** The texts of each coded column since the last call, by the place of the column. */
  dictionaries(): ReadonlyMap<number, readonly string[]> {
    const found = new Map<number, readonly string[]>();
    this.#columns.forEach((staged, index) => {
      if (staged instanceof CodedTexts) found.set(index, staged.finish());
    });
    return found;
  }
}

const MISSING: ColumnSource = { all: null };
const WIDTHS: Readonly<Record<ColumnType, number>> = { i64: 8, u64: 8, f64: 8, i32: 4, flag: 1, text: 16 };

/** Gives the bytes that DuckDB keeps beside its 16 per text. */
function stageText(
  staged: (string | null)[],
  at: number,
  source: ColumnSource,
  from: number,
  count: number,
): number {
  let bytes = 0;
  const constant = "all" in source;
  for (let i = 0; i < count; i++) {
    const value = constant ? source.all : (source[from + i] as Value);
    const text =
      value === null || Number.isNaN(value) ? null : typeof value === "string" ? value : String(value);
    staged[at + i] = text;
    if (text !== null && text.length > 12) bytes += text.length;
  }
  return bytes;
}

function stageNumbers(
  staged: Numbers,
  type: ColumnType,
  at: number,
  source: ColumnSource,
  from: number,
  count: number,
  name: string,
): void {
  if ("all" in source) {
    (staged as Float64Array).fill(toNumber(source.all, type, name) as number, at, at + count);
    return;
  }
  if (source.constructor === staged.constructor) {
    const numbers = source as Float64Array;
    const part = from === 0 && count === numbers.length ? numbers : numbers.subarray(from, from + count);
    (staged as Float64Array).set(part, at);
    return;
  }
  for (let i = 0; i < count; i++) {
    staged[at + i] = toNumber(source[from + i] as Value, type, name) as never;
  }
}

function toNumber(value: Value, type: ColumnType, name: string): number | bigint {
  if (value === null || value === undefined || Number.isNaN(value)) {
    if (type === "i64") return MISSING_I64;
    // Ids and flags have no value that could stand for "not recorded".
    assert(type === "f64", `${name}: a ${type} column always has a value`);
    return Number.NaN;
  }
  return type === "i64" || type === "u64" ? BigInt(value) : Number(value);
}
