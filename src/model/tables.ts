/** Rows as columns: packed or typed arrays that grow while an importer fills them and are read-only afterwards. */
import { assert } from "../base/assert.ts";
import { PackedNumbers, PackedTexts } from "../base/packed.ts";
import { type ColumnType, MISSING_I64, SCHEMA, type TableSchema } from "./schema.ts";
import type { Streams } from "./streams.ts";

export type Value = number | bigint | string | null;
type Numbers = BigInt64Array | BigUint64Array | Int32Array | Float64Array | Uint8Array;
type ColumnData = Numbers | readonly (string | null)[];

/** A finished table. */
export interface Table {
  readonly schema: TableSchema;
  readonly rows: number;
  /** A whole column, made for the caller. Who reads single values of a large table takes `numbers` or `texts`. */
  column(name: string): ColumnData;
  /** Values of an i64 or f64 column as doubles; NaN where none was recorded. */
  numbers(name: string): Pick<PackedNumbers, "at" | "exactAt">;
  texts(name: string): Pick<PackedTexts, "at">;
  /** One value; null when it was not recorded. */
  value(name: string, row: number): Value;
}

export type Tables = ReadonlyMap<string, Table>;

/** A row by column name; columns that are not named are "not recorded". */
export type Row = Readonly<Record<string, Value | undefined>>;

/** Values of a column for several rows, or one value for all of them. A NaN is "not recorded" in any column. */
export type ColumnSource = Numbers | readonly Value[] | { readonly all: Value };

export class TableBuilder {
  readonly schema: TableSchema;
  readonly #columns: Map<string, GrowingColumn>;
  #rows = 0;

  constructor(schema: TableSchema) {
    this.schema = schema;
    this.#columns = new Map(schema.columns.map(({ name, type }) => [name, columnOf(type)]));
  }

  get rows(): number {
    return this.#rows;
  }

  append(row: Row): void {
    for (const name of Object.keys(row)) this.#column(name);
    for (const [name, column] of this.#columns) column.push(row[name] ?? null, this.#rows);
    this.#rows++;
  }

  /** Adds many rows at once, column by column; sources may be longer than `count`. */
  appendColumns(count: number, columns: Readonly<Record<string, ColumnSource>>): void {
    for (const name of Object.keys(columns)) this.#column(name);
    for (const [name, column] of this.#columns) {
      const source = columns[name];
      // Importers may have set numbers of these rows already.
      if (source === undefined && column instanceof NumberColumn) continue;
      pushAll(column, source ?? { all: null }, this.#rows, count);
    }
    this.#rows += count;
  }

  /** An i64 or f64 column, to be filled for rows that `appendColumns` will add without naming it. */
  numbers(name: string): PackedNumbers {
    const column = this.#column(name);
    assert(column instanceof NumberColumn, `column ${name} of table ${this.schema.name} has no numbers`);
    return column.values;
  }

  #column(name: string): GrowingColumn {
    const column = this.#columns.get(name);
    assert(column !== undefined, `table ${this.schema.name} has no column ${name}`);
    return column;
  }

  finish(): Table {
    const rows = this.#rows;
    const named = (name: string) => this.#column(name);
    return {
      schema: this.schema,
      rows,
      column: (name) => named(name).whole(rows),
      numbers: (name) => this.numbers(name),
      texts: (name) => {
        const column = named(name);
        assert(column instanceof TextColumn, `column ${name} of table ${this.schema.name} has no texts`);
        return column.values;
      },
      value: (name, row) => {
        assert(row >= 0 && row < rows, `table ${this.schema.name} has no row ${row}`);
        return named(name).value(row);
      },
    };
  }
}

/** The builders of all tables, for importers to fill; `streams` takes what is not to become rows. */
export class TablesBuilder {
  readonly streams: Streams;
  readonly #builders = new Map(SCHEMA.map((schema) => [schema.name, new TableBuilder(schema)]));

  constructor(streams: Streams = {}) {
    this.streams = streams;
  }

  table(schema: TableSchema): TableBuilder {
    const builder = this.#builders.get(schema.name);
    assert(builder !== undefined, `no table ${schema.name}`);
    return builder;
  }

  finish(): Tables {
    return new Map([...this.#builders].map(([name, builder]) => [name, builder.finish()]));
  }
}

interface GrowingColumn {
  /** Rows are added one after another. */
  push(value: Value, row: number): void;
  value(row: number): Value;
  /** The first `rows` values. */
  whole(rows: number): ColumnData;
}

function columnOf(type: ColumnType): GrowingColumn {
  if (type === "text") return new TextColumn();
  return type === "i64" || type === "f64" ? new NumberColumn(type) : new FixedColumn(type);
}

function pushAll(column: GrowingColumn, source: ColumnSource, from: number, count: number): void {
  if ("all" in source) {
    if (column instanceof TextColumn) column.values.pushMany(textOf(source.all), count);
    else for (let i = 0; i < count; i++) column.push(source.all, from + i);
    return;
  }
  if (column instanceof FixedColumn && column.takes(source, from, count)) return;
  assert(source.length >= count, `${count} rows need more than ${source.length} values`);
  for (let i = 0; i < count; i++) {
    const value = source[i] as Value;
    column.push(typeof value === "number" && Number.isNaN(value) ? null : value, from + i);
  }
}

class NumberColumn implements GrowingColumn {
  readonly values = new PackedNumbers();
  readonly #isExact: boolean;

  constructor(type: "i64" | "f64") {
    this.#isExact = type === "i64";
  }

  push(value: Value, row: number): void {
    if (value === null) return;
    if (!this.#isExact || Number.isSafeInteger(value)) this.values.set(row, Number(value));
    else this.values.setExact(row, BigInt.asIntN(64, BigInt(value)));
  }

  value(row: number): Value {
    if (this.#isExact) return this.values.exactAt(row) ?? null;
    const value = this.values.at(row);
    return Number.isNaN(value) ? null : value;
  }

  whole(rows: number): ColumnData {
    if (!this.#isExact) return Float64Array.from({ length: rows }, (_, row) => this.values.at(row));
    return BigInt64Array.from({ length: rows }, (_, row) => this.values.exactAt(row) ?? MISSING_I64);
  }
}

const textOf = (value: Value) => (value === null ? null : String(value));

class TextColumn implements GrowingColumn {
  readonly values = new PackedTexts();

  push(value: Value): void {
    this.values.push(textOf(value));
  }

  value(row: number): Value {
    return this.values.at(row);
  }

  whole(rows: number): ColumnData {
    return Array.from({ length: rows }, (_, row) => this.values.at(row));
  }
}

/** Ids and flags, which have no value that could stand for "not recorded". */
class FixedColumn implements GrowingColumn {
  readonly #type: FixedType;
  #numbers: Fixed;

  constructor(type: FixedType) {
    this.#type = type;
    this.#numbers = allocate(type, 16);
  }

  push(value: Value, row: number): void {
    assert(value !== null, `a ${this.#type} column always has a value`);
    if (row >= this.#numbers.length) this.#grow(2 * row);
    if (this.#numbers instanceof BigUint64Array) this.#numbers[row] = BigInt(value);
    else this.#numbers[row] = Number(value);
  }

  /** Copies numbers of its own type at once; false for other values. */
  takes(source: ColumnSource, from: number, count: number): boolean {
    const isIds = source instanceof BigUint64Array && this.#numbers instanceof BigUint64Array;
    if (!isIds && !(source instanceof Uint8Array && this.#numbers instanceof Uint8Array)) return false;
    assert(source.length >= count, `${count} rows need more than ${source.length} values`);
    // Many logs add a few rows each: a column that grew by them alone would be copied for every log.
    if (from + count > this.#numbers.length) this.#grow(from === 0 ? count : 2 * (from + count));
    (this.#numbers as Uint8Array).set((source as Uint8Array).subarray(0, count), from);
    return true;
  }

  #grow(length: number): void {
    const longer = allocate(this.#type, length);
    (longer as Int32Array).set(this.#numbers as Int32Array);
    this.#numbers = longer;
  }

  value(row: number): Value {
    return this.#numbers[row] as Value;
  }

  whole(rows: number): ColumnData {
    return this.#numbers.slice(0, rows);
  }
}

type FixedType = Exclude<ColumnType, "text" | "i64" | "f64">;
type Fixed = BigUint64Array | Int32Array | Uint8Array;

function allocate(type: FixedType, length: number): Fixed {
  switch (type) {
    case "u64":
      return new BigUint64Array(length);
    case "i32":
      return new Int32Array(length);
    case "flag":
      return new Uint8Array(length);
  }
}
