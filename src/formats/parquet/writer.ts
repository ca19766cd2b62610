/**
 * Parquet files (https://github.com/apache/parquet-format), written row group by row group:
 *
 *   PAR1 | pages of each column of each row group | footer | its length | PAR1
 *
 * Without a codec: whole numbers are packed differences, texts a dictionary, so that what repeats is small as it is. Nothing that
 * only Node has is used.
 */
import { assert } from "../../base/assert.ts";
import { ByteWriter } from "../../base/byte-writer.ts";
import { type ColumnType, MISSING_I64 } from "../../model/index.ts";
import { deltas, fitsDeltas, plainTexts, plainWords, positions, presence } from "./encodings.ts";
import { ThriftWriter } from "./thrift.ts";

export interface ParquetColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** Texts by position in a list, `NO_TEXT` where there is none; or as they are. */
interface TextValues {
  readonly list: readonly string[];
  readonly at: Uint32Array;
}
export const NO_TEXT = 0xffffffff;

/** Whole numbers below 2^53 may come as doubles. What is not known: NaN, MISSING_I64, null. */
export type ParquetValues =
  | Float64Array
  | BigInt64Array
  | BigUint64Array
  | Int32Array
  | Uint8Array
  | readonly (string | null)[]
  | TextValues;

const MAGIC = new Uint8Array([0x50, 0x41, 0x52, 0x31]);
const INT32 = 1;
const INT64 = 2;
const DOUBLE = 5;
const BYTE_ARRAY = 6;
const OPTIONAL = 1;
const PLAIN = 0;
const RLE = 3;
const DELTA_BINARY_PACKED = 5;
const RLE_DICTIONARY = 8;
const DATA_PAGE = 0;
const DICTIONARY_PAGE = 2;

/** Type in the file, and what it is beyond that (ConvertedType), as the store's own files have it. */
const TYPES: Readonly<Record<ColumnType, readonly [number, number | undefined]>> = {
  i64: [INT64, 18],
  u64: [INT64, 14],
  i32: [INT32, 17],
  f64: [DOUBLE, undefined],
  text: [BYTE_ARRAY, 0],
  flag: [INT32, 11],
};

interface Chunk {
  readonly encoding: number;
  readonly dictionary: { readonly count: number; readonly bytes: Uint8Array } | undefined;
  readonly page: Uint8Array;
}

interface WrittenChunk {
  readonly column: ParquetColumn;
  readonly encoding: number;
  readonly dictionaryAt: number | undefined;
  readonly pageAt: number;
  readonly bytes: number;
  readonly rows: number;
}

export class ParquetWriter {
  readonly #columns: readonly ParquetColumn[];
  readonly #madeBy: string;
  readonly #facts: Readonly<Record<string, string>>;
  readonly #groups: { rows: number; chunks: WrittenChunk[] }[] = [];
  #at = 0;

  /** `facts`: key-value metadata of the file. */
  constructor(
    columns: readonly ParquetColumn[],
    { madeBy, facts = {} }: { readonly madeBy: string; readonly facts?: Readonly<Record<string, string>> },
  ) {
    this.#columns = columns;
    this.#madeBy = madeBy;
    this.#facts = facts;
  }

  *start(): Generator<Uint8Array> {
    yield this.#placed(MAGIC);
  }

  /** The first `rows` values of each column. */
  *rowGroup(rows: number, values: readonly ParquetValues[]): Generator<Uint8Array> {
    assert(
      rows > 0 && values.length === this.#columns.length,
      "a row group has rows, and a value for each column",
    );
    const chunks: WrittenChunk[] = [];
    for (const [index, column] of this.#columns.entries()) {
      const from = this.#at;
      const { encoding, dictionary, page } = chunkOf(column, values[index] as ParquetValues, rows);
      let dictionaryAt: number | undefined;
      if (dictionary !== undefined) {
        dictionaryAt = this.#at;
        yield this.#placed(pageHeader(DICTIONARY_PAGE, dictionary.bytes.length, dictionary.count, PLAIN));
        yield this.#placed(dictionary.bytes);
      }
      const pageAt = this.#at;
      yield this.#placed(pageHeader(DATA_PAGE, page.length, rows, encoding));
      yield this.#placed(page);
      chunks.push({ column, encoding, dictionaryAt, pageAt, bytes: this.#at - from, rows });
    }
    this.#groups.push({ rows, chunks });
  }

  *finish(): Generator<Uint8Array> {
    const footer = this.#footer();
    const length = new ByteWriter(8);
    length.u32(footer.length);
    yield this.#placed(footer);
    yield this.#placed(length.finish());
    yield this.#placed(MAGIC);
  }

  #placed(bytes: Uint8Array): Uint8Array {
    this.#at += bytes.length;
    return bytes;
  }

  #footer(): Uint8Array {
    const thrift = new ThriftWriter();
    const rows = this.#groups.reduce((sum, group) => sum + group.rows, 0);
    thrift.i32(1, 1);
    thrift.structs(2, [undefined, ...this.#columns], (column) => this.#schemaElement(thrift, column));
    thrift.i64(3, rows);
    thrift.structs(4, this.#groups, (group) => {
      thrift.structs(1, group.chunks, (chunk) => columnChunk(thrift, chunk));
      thrift.i64(
        2,
        group.chunks.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      thrift.i64(3, group.rows);
    });
    const facts = Object.entries(this.#facts);
    if (facts.length > 0)
      thrift.structs(5, facts, ([key, value]) => {
        thrift.text(1, key);
        thrift.text(2, value);
      });
    thrift.text(6, this.#madeBy);
    return thrift.end();
  }

  #schemaElement(thrift: ThriftWriter, column: ParquetColumn | undefined): void {
    if (column === undefined) {
      thrift.text(4, "schema");
      thrift.i32(5, this.#columns.length);
      return;
    }
    const [type, converted] = TYPES[column.type];
    thrift.i32(1, type);
    thrift.i32(3, OPTIONAL);
    thrift.text(4, column.name);
    if (converted !== undefined) thrift.i32(6, converted);
  }
}

function columnChunk(thrift: ThriftWriter, chunk: WrittenChunk): void {
  const { column, encoding, dictionaryAt, pageAt, bytes, rows } = chunk;
  thrift.i64(2, dictionaryAt ?? pageAt);
  thrift.struct(3, () => {
    thrift.i32(1, TYPES[column.type][0]);
    thrift.i32s(2, [...new Set([encoding, RLE, ...(dictionaryAt === undefined ? [] : [PLAIN])])]);
    thrift.texts(3, [column.name]);
    thrift.i32(4, 0);
    thrift.i64(5, rows);
    thrift.i64(6, bytes);
    thrift.i64(7, bytes);
    thrift.i64(9, pageAt);
    if (dictionaryAt !== undefined) thrift.i64(11, dictionaryAt);
  });
}

function pageHeader(type: number, bytes: number, values: number, encoding: number): Uint8Array {
  const thrift = new ThriftWriter();
  thrift.i32(1, type);
  thrift.i32(2, bytes);
  thrift.i32(3, bytes);
  thrift.struct(type === DATA_PAGE ? 5 : 7, () => {
    thrift.i32(1, values);
    thrift.i32(2, encoding);
    if (type !== DATA_PAGE) return;
    thrift.i32(3, RLE);
    thrift.i32(4, RLE);
  });
  return thrift.end();
}

function chunkOf({ type, name }: ParquetColumn, values: ParquetValues, rows: number): Chunk {
  if (type === "text")
    return textChunk(Array.isArray(values) ? listed(values, rows) : (values as TextValues), rows);
  assert(ArrayBuffer.isView(values), `column ${name} has numbers`);
  const { present, left } =
    type === "u64" || type === "i32" || type === "flag" ? whole(values, rows) : known(values, rows);
  const levels = presence(present, rows);
  if (type === "f64") {
    assert(left instanceof Float64Array, `column ${name} has doubles`);
    return plain(levels, plainWords(left));
  }
  if (left instanceof BigInt64Array || left instanceof BigUint64Array) return plain(levels, plainWords(left));
  const doubles = left instanceof Float64Array ? left : Float64Array.from(left);
  if (fitsDeltas(doubles))
    return { encoding: DELTA_BINARY_PACKED, dictionary: undefined, page: joined(levels, deltas(doubles)) };
  return plain(levels, plainWords(BigInt64Array.from(doubles, (value) => BigInt(value))));
}

const plain = (levels: Uint8Array, bytes: Uint8Array): Chunk => ({
  encoding: PLAIN,
  dictionary: undefined,
  page: joined(levels, bytes),
});

type Numbers = Exclude<ParquetValues, readonly (string | null)[] | TextValues>;

const whole = (values: Numbers, rows: number) => ({
  present: new Uint8Array(rows).fill(1),
  left: values.subarray(0, rows) as Numbers,
});

/** Which rows have a value, and those values. */
function known(values: Numbers, rows: number): { present: Uint8Array; left: Numbers } {
  const present = new Uint8Array(rows);
  let count = 0;
  for (let i = 0; i < rows; i++) {
    const value = values[i] as number | bigint;
    if (Number.isNaN(value) || value === MISSING_I64) continue;
    present[i] = 1;
    count++;
  }
  if (count === rows) return { present, left: values.subarray(0, rows) as Numbers };
  return {
    present,
    left: values.subarray(0, rows).filter((_: unknown, i: number) => present[i] === 1) as Numbers,
  };
}

/** A dictionary of the texts of this row group alone. */
function textChunk({ list, at }: TextValues, rows: number): Chunk {
  const present = new Uint8Array(rows);
  const places = new Map<number, number>();
  const used: string[] = [];
  const left = new Uint32Array(rows);
  let count = 0;
  for (let i = 0; i < rows; i++) {
    const index = at[i] as number;
    if (index === NO_TEXT) continue;
    present[i] = 1;
    let place = places.get(index);
    if (place === undefined) {
      place = used.push(list[index] as string) - 1;
      places.set(index, place);
    }
    left[count++] = place;
  }
  return {
    encoding: RLE_DICTIONARY,
    dictionary: { count: used.length, bytes: plainTexts(used) },
    page: joined(presence(present, rows), positions(left, count, Math.max(0, used.length - 1))),
  };
}

function listed(values: readonly (string | null)[], rows: number): TextValues {
  const places = new Map<string, number>();
  const list: string[] = [];
  const at = new Uint32Array(rows);
  for (let i = 0; i < rows; i++) {
    const text = values[i] ?? null;
    if (text === null) at[i] = NO_TEXT;
    else {
      let place = places.get(text);
      if (place === undefined) places.set(text, (place = list.push(text) - 1));
      at[i] = place;
    }
  }
  return { list, at };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
