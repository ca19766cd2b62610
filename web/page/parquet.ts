/** Tables of accesses in Parquet files without a database: hyparquet, row group by row group (docs/decisions/0014-hyparquet.md). */
import { decompress as unpackZstd } from "fzstd";
import { type FileMetaData, parquetMetadataAsync, parquetRead, type SchemaElement } from "hyparquet";
import { FormatError, LimitError } from "../../src/base/errors.ts";
import type { ByteSource } from "../../src/base/source.ts";
import {
  accessColumns,
  AccessRows,
  clockOf,
  type Column,
  NUMBER_COLUMNS,
  textColumns,
  timeKind,
} from "../../src/formats/parquet/access-table.ts";
import type { CallSink } from "../../src/model/index.ts";
import { gunzip } from "./zlib.ts";

/** What a value of a packed column takes while its row group is in memory. */
const VALUE_BYTES = 32;

type Values = ArrayLike<unknown>;

export async function readParquetTable(
  source: ByteSource,
  sink: CallSink,
  memoryBytes: number,
): Promise<void> {
  try {
    await readTable(new Table(source, memoryBytes), sink);
  } catch (cause) {
    if (cause instanceof FormatError) throw cause;
    const why = (cause as Error).message.replace(/^parquet /, "");
    throw new FormatError(source.name, {}, `not a readable Parquet file: ${why}`, { cause });
  }
}

async function readTable(table: Table, sink: CallSink): Promise<void> {
  await table.open();
  const { name } = table.source;
  const columns = accessColumns(name, table.columns);
  const kind = timeKind(name, columns);
  const time = { start: timeReader(table, columns.start), end: timeReader(table, columns.end) };
  let first: bigint | number | undefined;
  for await (const { count, of } of table.groups([columns.start]))
    for (let row = 0, starts = of(columns.start); row < count; row++) {
      if (isMissing(starts[row])) continue;
      const value = time.start.value(starts[row]);
      if (first === undefined || value < first) first = value;
    }
  const { clock, base } = clockOf(kind, first);
  sink.clock(clock);
  const into = new AccessRows(sink, columns);
  const texts = textColumns(columns).map((role) => columns[role] as Column);
  for await (const { count, of } of table.groups(Object.values(columns))) {
    const nanoseconds = (role: "start" | "end") => {
      const values = of(columns[role]);
      return Float64Array.from({ length: count }, (_, row) =>
        isMissing(values[row]) ? Number.NaN : time[role].sinceBase(values[row], base),
      );
    };
    into.take({
      ...{ count, startNs: nanoseconds("start"), endNs: nanoseconds("end") },
      numbers: NUMBER_COLUMNS.map((role) => numbers(name, columns[role], of, count)),
      texts: texts.map((column) => Array.from({ length: count }, (_, row) => text(of(column)[row]))),
    });
  }
}

interface Group {
  readonly count: number;
  of(column: Column): Values;
}

/** The flat columns of a file, as values that nobody has converted yet. */
class Table {
  readonly source: ByteSource;
  readonly #memoryBytes: number;
  #metadata: FileMetaData | undefined;
  readonly #elements = new Map<string, SchemaElement>();

  constructor(source: ByteSource, memoryBytes: number) {
    this.source = source;
    this.#memoryBytes = memoryBytes;
  }

  get columns(): Column[] {
    return [...this.#elements.values()].map((element) => ({ name: element.name, type: sqlType(element) }));
  }

  async open(): Promise<void> {
    const metadata = await parquetMetadataAsync(this.#file, { geoparquet: false });
    const [, ...elements] = metadata.schema;
    // Of nested columns only the leaves would be here, without the names above them.
    for (let at = 0; at < elements.length; at += treeSize(elements, at)) {
      const element = elements[at] as SchemaElement;
      this.#elements.set(element.name, { ...element });
      if (isTime(element)) {
        // Times stay the numbers that they are stored as: hyparquet's dates end at milliseconds.
        delete element.converted_type;
        delete element.logical_type;
      }
    }
    this.#metadata = metadata;
  }

  element(column: Column): SchemaElement {
    return this.#elements.get(column.name) as SchemaElement;
  }

  async *groups(columns: readonly Column[]): AsyncGenerator<Group> {
    const metadata = this.#metadata as FileMetaData;
    const names = [...new Set(columns.map(({ name }) => name))];
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      const count = Number(group.num_rows);
      const packed = group.columns.reduce(
        (sum, { meta_data: one }) =>
          sum + (names.includes(one?.path_in_schema[0] ?? "") ? Number(one?.total_uncompressed_size) : 0),
        0,
      );
      this.#requireRoom(packed + count * names.length * VALUE_BYTES, count);
      const read = await this.#columns(names, rowStart, rowStart + count);
      rowStart += count;
      yield { count, of: ({ name }) => read.get(name) as Values };
    }
  }

  async #columns(names: string[], rowStart: number, rowEnd: number): Promise<Map<string, Values>> {
    const found = new Map(names.map((name) => [name, new Array<unknown>(rowEnd - rowStart)]));
    await parquetRead({
      ...{ file: this.#file, metadata: this.#metadata as FileMetaData, columns: names, rowStart, rowEnd },
      compressors: { ZSTD: (bytes, length) => unpackZstd(bytes, new Uint8Array(length)), GZIP: unpackGzip },
      onChunk({ columnName, columnData, rowStart: at }) {
        const values = found.get(columnName);
        for (let i = 0; i < columnData.length; i++) if (values) values[at - rowStart + i] = columnData[i];
      },
    });
    return found;
  }

  #requireRoom(bytes: number, rows: number): void {
    if (bytes <= this.#memoryBytes) return;
    const [needed, allowed] = [bytes, this.#memoryBytes].map((size) => Math.ceil(size / 2 ** 20));
    throw new LimitError(
      this.source.name,
      {},
      `a row group of ${rows} rows takes about ${needed} MiB, more than ${allowed} MiB; use plimsoll report`,
    );
  }

  get #file() {
    const { source } = this;
    return {
      byteLength: source.byteLength,
      slice: (from: number, to = source.byteLength) => new Uint8Array(source.read(from, to - from)).buffer,
    };
  }
}

function unpackGzip(bytes: Uint8Array, length: number): Uint8Array {
  const plain = gunzip(bytes, { bytesMax: length, allowCut: false });
  if (plain === undefined) throw new Error("a page is larger than it says");
  return plain;
}

/** An element and all below it. */
function treeSize(elements: readonly SchemaElement[], at: number): number {
  let size = 1;
  for (let child = 0; child < (elements[at]?.num_children ?? 0) && at + size < elements.length; child++)
    size += treeSize(elements, at + size);
  return size;
}

/** As DuckDB names the types, whose words the messages use. */
function sqlType(element: SchemaElement): string {
  const { type, converted_type: converted, logical_type: logical, precision, scale = 0 } = element;
  if (type === undefined || element.repetition_type === "REPEATED") return "STRUCT";
  if (converted === "DECIMAL" || logical?.type === "DECIMAL") return `DECIMAL(${precision},${scale})`;
  if (type === "INT96" || logical?.type === "TIMESTAMP" || converted?.startsWith("TIMESTAMP"))
    return "TIMESTAMP";
  if (logical?.type === "DATE" || converted === "DATE") return "DATE";
  if (logical?.type === "TIME" || converted?.startsWith("TIME")) return "TIME";
  if (type === "INT32" || type === "INT64") return integerType(element);
  if (type === "BYTE_ARRAY" || type === "FIXED_LEN_BYTE_ARRAY")
    return converted === "UTF8" || logical?.type === "STRING" ? "VARCHAR" : "BLOB";
  return type;
}

const INTEGERS: Readonly<Record<number, string>> = {
  8: "TINYINT",
  16: "SMALLINT",
  32: "INTEGER",
  64: "BIGINT",
};

function integerType({ type, converted_type: converted, logical_type: logical }: SchemaElement): string {
  const [, sign = "", width] = /^(U?)INT_(\d+)$/.exec(converted ?? "") ?? [];
  const bits = logical?.type === "INTEGER" ? logical.bitWidth : Number(width ?? (type === "INT32" ? 32 : 64));
  const isUnsigned = logical?.type === "INTEGER" ? !logical.isSigned : sign === "U";
  return `${isUnsigned ? "U" : ""}${INTEGERS[bits]}`;
}

const isTime = (element: SchemaElement) => /^(TIMESTAMP|DECIMAL)/.test(sqlType(element));

/** How the stored values of a column become times. */
interface TimeReader {
  /** Nanoseconds or seconds, for the first one. */
  value(stored: unknown): bigint | number;
  /** Nanoseconds since the base. */
  sinceBase(stored: unknown, base: bigint): number;
}

function timeReader(table: Table, column: Column): TimeReader {
  const element = table.element(column);
  if (column.type === "TIMESTAMP") {
    const factor = nanosecondsPer(element);
    return wholeTimes((stored) =>
      element.type === "INT96" ? julianNanoseconds(stored as bigint) : BigInt(stored as bigint) * factor,
    );
  }
  if (column.type.startsWith("DECIMAL")) return decimalTimes(element.scale ?? 0);
  if (/INT/.test(column.type)) return wholeTimes((stored) => BigInt(stored as bigint | number));
  return {
    value: Number,
    sinceBase: (stored, base) => Math.round((Number(stored) - Number(base)) * 1e9),
  };
}

const wholeTimes = (value: (stored: unknown) => bigint): TimeReader => ({
  value,
  sinceBase: (stored, base) => Number(value(stored) - base),
});

/** The base is taken off before anything is rounded. */
function decimalTimes(scale: number): TimeReader {
  const [whole, divisor] = [10n ** BigInt(scale), 10 ** scale];
  return {
    value: (stored) => Number(unscaled(stored)) / divisor,
    sinceBase: (stored, base) => Math.round((Number(unscaled(stored) - base * whole) / divisor) * 1e9),
  };
}

function nanosecondsPer({ logical_type: logical, converted_type: converted }: SchemaElement): bigint {
  const unit = logical?.type === "TIMESTAMP" ? logical.unit : converted?.replace("TIMESTAMP_", "");
  return unit === "NANOS" ? 1n : unit === "MICROS" ? 1000n : 1_000_000n;
}

const JULIAN_1970 = 2_440_588n;

const julianNanoseconds = (stored: bigint) =>
  ((stored >> 64n) - JULIAN_1970) * 86_400_000_000_000n + (stored & 0xffff_ffff_ffff_ffffn);

function unscaled(stored: unknown): bigint {
  if (!(stored instanceof Uint8Array)) return BigInt(stored as bigint | number);
  return BigInt.asIntN(
    8 * stored.length,
    stored.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
  );
}

const isMissing = (stored: unknown) => stored === undefined || stored === null;

function numbers(path: string, column: Column | undefined, of: Group["of"], count: number): Float64Array {
  const made = new Float64Array(count).fill(Number.NaN);
  if (column === undefined) return made;
  const values = of(column);
  for (let row = 0; row < count; row++) {
    const value = values[row];
    if (isMissing(value)) continue;
    made[row] = Number(value);
    if (Number.isNaN(made[row]) && typeof value !== "number")
      throw new FormatError(path, {}, `column ${column.name} is ${column.type}; expected a number`);
  }
  return made;
}

const text = (value: unknown) => (isMissing(value) ? "" : String(value));
