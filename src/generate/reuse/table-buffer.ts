/** Columns of one table until they are handed over, as plain arrays that a loop can fill. */
import { LOW } from "../../base/words.ts";
import {
  type Column,
  type ColumnSource,
  MISSING_I64,
  type RowSink,
  type TableSchema,
  type Value,
} from "../../model/index.ts";

const TWO_32 = 4294967296;

/** What a table has that a row need not say. */
interface Defaults {
  /** Columns with one value for all rows. */
  readonly constants?: Readonly<Record<string, Value>>;
  /** Columns of whole numbers that are "not recorded", or 0, where a row sets nothing; every row sets the others. */
  readonly missing?: readonly string[];
  readonly zero?: readonly string[];
}

export class TableBuffer {
  rows = 0;
  readonly #schema: TableSchema;
  readonly #capacity: number;
  readonly #columns: Record<string, ColumnSource> = {};
  readonly #halves = new Map<string, Uint32Array>();
  readonly #missing: readonly BigInt64Array[];
  readonly #zero: readonly BigInt64Array[];

  constructor(schema: TableSchema, capacity: number, { constants = {}, missing = [], zero = [] }: Defaults) {
    this.#schema = schema;
    this.#capacity = capacity;
    for (const { name, type } of schema.columns) {
      if (name in constants) this.#columns[name] = { all: constants[name] as Value };
      else this.#columns[name] = this.#allocate(name, type, capacity);
    }
    const integers = (names: readonly string[]) => names.map((name) => this.#columns[name] as BigInt64Array);
    this.#missing = integers(missing);
    this.#zero = integers(zero);
    this.#clear();
  }

  #allocate(name: string, type: Column["type"], capacity: number): ColumnSource {
    switch (type) {
      case "text":
        return new Array<string | null>(capacity).fill(null);
      case "f64":
        return new Float64Array(capacity);
      case "flag":
        return new Uint8Array(capacity);
      case "i32":
        return new Int32Array(capacity);
      default: {
        const words = type === "u64" ? new BigUint64Array(capacity) : new BigInt64Array(capacity);
        this.#halves.set(name, new Uint32Array(words.buffer));
        return words;
      }
    }
  }

  /** The two halves of each value of a 64-bit column. */
  halves(name: string): Uint32Array {
    return this.#halves.get(name) as Uint32Array;
  }

  reals(name: string): Float64Array {
    return this.#columns[name] as Float64Array;
  }

  flags(name: string): Uint8Array {
    return this.#columns[name] as Uint8Array;
  }

  texts(name: string): (string | null)[] {
    return this.#columns[name] as (string | null)[];
  }

  get isFull(): boolean {
    return this.rows === this.#capacity;
  }

  async flush(sink: RowSink): Promise<void> {
    if (this.rows === 0) return;
    await sink.append(this.#schema, this.rows, this.#columns);
    this.#clear();
  }

  #clear(): void {
    this.rows = 0;
    for (const column of this.#missing) column.fill(MISSING_I64);
    for (const column of this.#zero) column.fill(0n);
  }
}

/** A column for each name. */
export function byName<Name extends string, Of>(
  names: readonly Name[],
  column: (name: Name) => Of,
): Record<Name, Of> {
  return Object.fromEntries(names.map((name) => [name, column(name)])) as Record<Name, Of>;
}

/** A whole number from 0 to 2^53. */
export function put(halves: Uint32Array, row: number, value: number): void {
  const high = Math.floor(value / TWO_32);
  halves[2 * row + LOW] = value - high * TWO_32;
  halves[2 * row + 1 - LOW] = high;
}

export function putHalves(halves: Uint32Array, row: number, low: number, high: number): void {
  halves[2 * row + LOW] = low;
  halves[2 * row + 1 - LOW] = high;
}

/** "Not recorded". */
export function putMissing(halves: Uint32Array, row: number): void {
  putHalves(halves, row, 0, 0x80000000);
}

/** Milliseconds since the Epoch as nanoseconds: beyond 2^53, so in two steps. */
export function putNanoseconds(halves: Uint32Array, row: number, milliseconds: number): void {
  const upper = Math.floor(milliseconds / 65536) * 1e6;
  const lower = (milliseconds % 65536) * 1e6;
  const upperHigh = Math.floor(upper / 65536);
  const low = (upper - upperHigh * 65536) * 65536 + lower;
  const carry = Math.floor(low / TWO_32);
  halves[2 * row + LOW] = low - carry * TWO_32;
  halves[2 * row + 1 - LOW] = upperHigh + carry;
}
