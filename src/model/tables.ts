/** Rows as columns: typed arrays that grow while an importer fills them and are read-only afterwards. */
import { assert } from "../base/assert.ts";
import { type ColumnType, MISSING_I64, SCHEMA, type TableSchema } from "./schema.ts";
import type { Streams } from "./streams.ts";

export type Value = number | bigint | string | null;
type Numbers = BigInt64Array | BigUint64Array | Int32Array | Float64Array | Uint8Array;
type ColumnData = Numbers | readonly (string | null)[];

/** A finished table. */
export interface Table {
  readonly schema: TableSchema;
  readonly rows: number;
  column(name: string): ColumnData;
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
  readonly #columns: GrowingColumn[];
  readonly #byName: Map<string, GrowingColumn>;
  #rows = 0;

  constructor(schema: TableSchema) {
    this.schema = schema;
    this.#columns = schema.columns.map(({ type }) => new GrowingColumn(type));
    this.#byName = new Map(
      schema.columns.map(({ name }, index) => [name, this.#columns[index] as GrowingColumn]),
    );
  }

  get rows(): number {
    return this.#rows;
  }

  append(row: Row): void {
    for (const name of Object.keys(row))
      assert(this.#byName.has(name), `table ${this.schema.name} has no column ${name}`);
    this.schema.columns.forEach(({ name }, index) => {
      (this.#columns[index] as GrowingColumn).push(row[name] ?? null);
    });
    this.#rows++;
  }

  /** Adds many rows at once, column by column; sources may be longer than `count`. */
  appendColumns(count: number, columns: Readonly<Record<string, ColumnSource>>): void {
    for (const name of Object.keys(columns))
      assert(this.#byName.has(name), `table ${this.schema.name} has no column ${name}`);
    this.schema.columns.forEach(({ name }, index) => {
      (this.#columns[index] as GrowingColumn).pushAll(columns[name] ?? { all: null }, count);
    });
    this.#rows += count;
  }

  finish(): Table {
    const { schema } = this;
    const rows = this.#rows;
    const data = new Map(
      schema.columns.map(({ name }, index) => [name, (this.#columns[index] as GrowingColumn).finish()]),
    );
    const types = new Map(schema.columns.map(({ name, type }) => [name, type]));
    const column = (name: string): ColumnData => {
      const found = data.get(name);
      assert(found !== undefined, `table ${schema.name} has no column ${name}`);
      return found;
    };
    return {
      schema,
      rows,
      column,
      value(name, row) {
        assert(row >= 0 && row < rows, `table ${schema.name} has no row ${row}`);
        const value = column(name)[row] as Value;
        if (types.get(name) === "i64" && value === MISSING_I64) return null;
        return typeof value === "number" && Number.isNaN(value) ? null : value;
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

class GrowingColumn {
  readonly #type: ColumnType;
  #numbers: Numbers | undefined;
  readonly #texts: (string | null)[] = [];
  #length = 0;

  constructor(type: ColumnType) {
    this.#type = type;
    if (type !== "text") this.#numbers = allocate(type, 16);
  }

  push(value: Value): void {
    if (this.#numbers === undefined) {
      this.#texts.push(value === null ? null : String(value));
      return;
    }
    this.#reach(this.#length + 1);
    const at = this.#length++;
    const numbers = this.#numbers;
    if (numbers instanceof BigInt64Array) numbers[at] = value === null ? MISSING_I64 : BigInt(value);
    else if (numbers instanceof Float64Array) numbers[at] = value === null ? Number.NaN : Number(value);
    else {
      // Ids and flags have no value that could stand for "not recorded".
      assert(value !== null, `a ${this.#type} column always has a value`);
      if (numbers instanceof BigUint64Array) numbers[at] = BigInt(value);
      else numbers[at] = Number(value);
    }
  }

  pushAll(source: ColumnSource, count: number): void {
    if ("all" in source) {
      const value = source.all;
      if (this.#numbers === undefined || count === 0) {
        for (let i = 0; i < count; i++) this.#texts.push(value === null ? null : String(value));
        return;
      }
      this.push(value);
      this.#reach(this.#length + count - 1);
      const numbers = this.#numbers as Float64Array;
      numbers.fill(numbers[this.#length - 1] as number, this.#length, this.#length + count - 1);
      this.#length += count - 1;
      return;
    }
    assert(source.length >= count, `${count} rows need more than ${source.length} values`);
    if (this.#numbers !== undefined && source.constructor === this.#numbers.constructor) {
      this.#reach(this.#length + count);
      (this.#numbers as Float64Array).set((source as Float64Array).subarray(0, count), this.#length);
      this.#length += count;
      return;
    }
    for (let i = 0; i < count; i++) {
      const value = source[i] as Value;
      this.push(typeof value === "number" && Number.isNaN(value) ? null : value);
    }
  }

  #reach(length: number): void {
    const numbers = this.#numbers as Numbers;
    if (length <= numbers.length) return;
    const longer = allocate(this.#type as Exclude<ColumnType, "text">, Math.max(length, 2 * numbers.length));
    (longer as Float64Array).set(numbers as Float64Array);
    this.#numbers = longer;
  }

  finish(): ColumnData {
    return this.#numbers === undefined ? this.#texts : this.#numbers.slice(0, this.#length);
  }
}

function allocate(type: Exclude<ColumnType, "text">, length: number): Numbers {
  switch (type) {
    case "i64":
      return new BigInt64Array(length);
    case "u64":
      return new BigUint64Array(length);
    case "i32":
      return new Int32Array(length);
    case "f64":
      return new Float64Array(length);
    case "flag":
      return new Uint8Array(length);
  }
}
