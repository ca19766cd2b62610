/**
 * One column of rows on their way into DuckDB. As long as all rows have one value nothing but that is kept, and the query
 * that writes the segment says it as a constant: a column in memory costs more than reading the text that it is from.
 */
import { BIGINT, DOUBLE, type DuckDBType, INTEGER, UBIGINT, UTINYINT, VARCHAR } from "@duckdb/node-api";
import { assert } from "../base/assert.ts";
import { LOW } from "../base/words.ts";
import { type Column, type ColumnSource, type ColumnType, MISSING_I64, type Value } from "../model/index.ts";
import { quoteName, quoteText } from "./database.ts";
import { sqlType } from "./sql-types.ts";
import { CodedTexts, isCoded } from "./texts.ts";

const TYPES: Readonly<Record<ColumnType, DuckDBType>> = {
  i64: BIGINT,
  u64: UBIGINT,
  i32: INTEGER,
  f64: DOUBLE,
  text: VARCHAR,
  flag: UTINYINT,
};
const WIDTHS: Readonly<Record<ColumnType, number>> = { i64: 8, u64: 8, f64: 8, i32: 4, flag: 1, text: 16 };

type Numbers = BigInt64Array | BigUint64Array | Int32Array | Float64Array | Uint8Array;

/** What all vectors have of DuckDB's; `items` are those of vectors of numbers. */
export interface Vector {
  readonly items: Numbers | undefined;
  setItem(index: number, value: string | null): void;
  flush(): void;
}

export class StagedColumn {
  readonly column: Column;
  /** In a chunk, and in the table that takes chunks. */
  readonly type: DuckDBType;
  readonly tableType: string;
  /** Bytes of a row. */
  readonly width: number;
  #coded: CodedTexts | undefined;
  /** Texts that are no codes. */
  readonly #texts: (string | null)[] = [];
  #vector: Vector | undefined;
  #numbers: Numbers | undefined;
  /** Of a column that does not vary: what all rows of the segment have, as a number or a text; undefined without rows. */
  #same: number | bigint | string | null | undefined;
  #hasMissing = false;

  constructor(column: Column) {
    this.column = column;
    const coded = isCoded(column);
    this.type = coded ? INTEGER : TYPES[column.type];
    this.tableType = coded ? "INTEGER" : sqlType(column.type);
    this.width = coded ? WIDTHS.i32 : WIDTHS[column.type];
    if (coded) this.#coded = new CodedTexts(new Int32Array(0));
  }

  /** It has values of its own for each row, in a vector. */
  get varies(): boolean {
    return this.#vector !== undefined;
  }

  /** Whether rows of the source have what all rows before have; they are taken then. Not for one that varies. */
  keeps(source: ColumnSource): boolean {
    assert(!this.varies, "a column that varies stays so");
    if (!("all" in source) || (this.column.type === "text" && this.#coded === undefined)) return false;
    const value = this.#plain(source.all);
    if (this.#same === undefined) this.#same = value;
    return Object.is(this.#same, value);
  }

  /** Goes on in this vector, with the first `rows` rows as they are. */
  moveTo(vector: Vector, rows: number): void {
    const before = this.#numbers;
    assert(
      vector.items === undefined || rows <= vector.items.length,
      "a vector has room for the rows before",
    );
    this.#vector = vector;
    this.#numbers = vector.items;
    if (this.#coded !== undefined) this.#coded.codes = vector.items as Int32Array;
    if (vector.items === undefined || rows === 0) return;
    if (before === undefined) (vector.items as Float64Array).fill(this.#standIn() as number, 0, rows);
    else (vector.items as Float64Array).set((before as Float64Array).subarray(0, rows));
  }

  /** Takes values of a column that varies as rows `at` and on; gives the bytes of texts beside the width of a row. */
  take(at: number, source: ColumnSource, from: number, count: number): number {
    if (this.#coded !== undefined) return this.#coded.take(at, source, from, count);
    if (this.#numbers === undefined) return stageText(this.#texts, at, source, from, count);
    assert(at + count <= this.#numbers.length, "rows fit into their vector");
    stageNumbers(this.#numbers, this.column, at, source, from, count);
    return 0;
  }

  /** Hands the values to DuckDB. */
  flush(rows: number): void {
    const vector = this.#vector;
    assert(vector !== undefined, "only a column that varies has rows in a chunk");
    if (this.#numbers === undefined)
      for (let row = 0; row < rows; row++) vector.setItem(row, this.#texts[row] as string | null);
    else if (!this.#hasMissing) this.#hasMissing = hasMissing(this.#numbers, rows);
    vector.flush();
  }

  /** For rows that the table has from before the column varied. */
  get tableDefault(): string {
    return `cast(${literal(this.#standIn())} as ${this.tableType})`;
  }

  /** The segment ends. Gives its texts if it has codes for them, and a query's expression for the column. */
  finish(): {
    readonly texts: readonly string[] | undefined;
    stored(dictionary: string | undefined): string;
  } {
    const { column, varies } = this;
    const same = this.#same;
    if (!varies && typeof same === "string") this.#coded?.code(same);
    const texts = varies || same !== null ? this.#coded?.finish() : undefined;
    const name = quoteName(column.name);
    const missing = this.#hasMissing;
    this.#same = undefined;
    this.#hasMissing = false;
    return {
      texts,
      stored(dictionary) {
        assert(texts === undefined || dictionary !== undefined, "codes have their texts");
        if (!varies && (same === null || same === undefined))
          return `cast(null as ${sqlType(column.type)}) as ${name}`;
        if (dictionary !== undefined) return `list_extract(${dictionary}, ${varies ? name : 1}) as ${name}`;
        if (!varies) return `cast(${literal(same as number)} as ${sqlType(column.type)}) as ${name}`;
        if (missing && column.type === "i64") return `nullif(${name}, ${MISSING_I64}) as ${name}`;
        if (missing && column.type === "f64")
          return `case when isnan(${name}) then null else ${name} end as ${name}`;
        return name;
      },
    };
  }

  /** A value in one form, so that it can be compared. */
  #plain(value: Value): number | bigint | string | null {
    if (this.#coded === undefined) {
      const number = toNumber(value, this.column);
      return number === MISSING_I64 || Number.isNaN(number) ? null : number;
    }
    return isMissing(value) ? null : String(value);
  }

  /** What a row has in a vector when it has the same as all. */
  #standIn(): number | bigint {
    const same = this.#same ?? null;
    if (this.#coded !== undefined) return this.#coded.code(same);
    return same === null ? toNumber(null, this.column) : (same as number | bigint);
  }
}

/** A text holds every double exactly, also those that are no digits. */
function literal(value: number | bigint): string {
  return quoteText(Object.is(value, -0) ? "-0.0" : String(value));
}

function isMissing(value: Value | undefined): value is null | undefined {
  return value === null || value === undefined || Number.isNaN(value);
}

/** Whether a stand-in for "not recorded" is among the values. */
function hasMissing(values: Numbers, rows: number): boolean {
  if (values instanceof BigInt64Array) {
    const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * rows);
    for (let at = 0; at < halves.length; at += 2)
      if (halves[at + 1 - LOW] === 0x80000000 && halves[at + LOW] === 0) return true;
  } else if (values instanceof Float64Array)
    for (let row = 0; row < rows; row++) if (Number.isNaN(values[row])) return true;
  return false;
}

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
    const text = isMissing(value) ? null : typeof value === "string" ? value : String(value);
    staged[at + i] = text;
    if (text !== null && text.length > 12) bytes += text.length;
  }
  return bytes;
}

function stageNumbers(
  staged: Numbers,
  column: Column,
  at: number,
  source: ColumnSource,
  from: number,
  count: number,
): void {
  if ("all" in source) {
    (staged as Float64Array).fill(toNumber(source.all, column) as number, at, at + count);
    return;
  }
  if (source.constructor === staged.constructor) {
    const numbers = source as Float64Array;
    const part = from === 0 && count === numbers.length ? numbers : numbers.subarray(from, from + count);
    (staged as Float64Array).set(part, at);
    return;
  }
  for (let i = 0; i < count; i++) staged[at + i] = toNumber(source[from + i] as Value, column) as never;
}

function toNumber(value: Value | undefined, { type, name }: Column): number | bigint {
  if (isMissing(value)) {
    if (type === "i64") return MISSING_I64;
    // Ids and flags have no value that could stand for "not recorded".
    assert(type === "f64", `${name}: a ${type} column always has a value`);
    return Number.NaN;
  }
  return type === "i64" || type === "u64" ? BigInt(value) : Number(value);
}
