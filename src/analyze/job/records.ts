/**
 * Rows of `layers` as objects that rules can read: one per file and layer, the logs of a job merged. Numbers are
 * doubles; NaN means "not recorded". A comparison with NaN is false, so a rule without its data stays silent.
 */
import { wordNumber } from "../../base/words.ts";
import { MISSING_I64, type Table } from "../../model/index.ts";

/** How values of the same file in several logs become one. */
type Merge = "sum" | "max" | "min" | "none";

const calls = [
  "opens",
  "collective_opens",
  "reads",
  "writes",
  "independent_reads",
  "independent_writes",
  "collective_reads",
  "collective_writes",
  "split_reads",
  "split_writes",
  "nonblocking_reads",
  "nonblocking_writes",
  "seeks",
  "stats",
  "syncs",
  "mmaps",
  "hints",
  "views",
  "bytes_read",
  "bytes_written",
  "sequential_reads",
  "sequential_writes",
  "consecutive_reads",
  "consecutive_writes",
  "rw_switches",
  "memory_not_aligned",
  "file_not_aligned",
  "read_seconds",
  "write_seconds",
  "meta_seconds",
  "wait_seconds",
  "sync_seconds",
  "open_seconds",
  "stat_seconds",
  "seek_seconds",
  "regular_selects",
  "irregular_selects",
  "point_selects",
] as const;
const highest = [
  "max_byte_read",
  "max_byte_written",
  "memory_alignment",
  "file_alignment",
  "open_end",
  "read_end",
  "write_end",
  "close_end",
  "uses_mpiio",
  "uses_collective",
  "points",
  "element_bytes",
  "chunk_bytes",
  "stripe_count",
  "stripe_bytes",
  "components",
] as const;
const lowest = ["open_start", "read_start", "write_start", "close_start"] as const;
/** Of the slowest and fastest rank and the slowest call; merged as groups. */
const extremes = [
  "longest_read_seconds",
  "longest_read_bytes",
  "longest_write_seconds",
  "longest_write_bytes",
  "slowest_rank",
  "slowest_bytes",
  "slowest_seconds",
  "fastest_rank",
  "fastest_bytes",
  "fastest_seconds",
  "variance_seconds",
  "variance_bytes",
] as const;

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type Numbers<Names extends readonly string[]> = { [Name in Names[number] as Camel<Name>]: number };

/** A frequent value and how often it occurred. */
interface Frequent {
  readonly bytes: number;
  readonly count: number;
}

export interface LayerRecord
  extends Readonly<Numbers<typeof calls>>,
    Readonly<Numbers<typeof highest>>,
    Readonly<Numbers<typeof lowest>>,
    Readonly<Numbers<typeof extremes>> {
  readonly fileId: string;
  /** File of a dataset or variable; "0" for files. */
  readonly parentId: string;
  readonly path: string;
  readonly mount: string | null;
  readonly fsType: string | null;
  readonly layer: string;
  /** All ranks used it, and their records were reduced to one. */
  readonly shared: boolean;
  readonly ranks: number;
  /** Reads in Darshan's ten size classes (SIZE_LABELS); all NaN when the layer does not count them. */
  readonly readSizes: Float64Array;
  readonly writeSizes: Float64Array;
  /** Most frequent first; at most four. */
  readonly accesses: readonly Frequent[];
  /** Gaps between the end of an access and the start of the next. */
  readonly strides: readonly Frequent[];
  readonly osts: readonly number[];
}

export const SIZE_NAMES = [
  "0_100",
  "100_1k",
  "1k_10k",
  "10k_100k",
  "100k_1m",
  "1m_4m",
  "4m_10m",
  "10m_100m",
  "100m_1g",
  "1g_plus",
] as const;

/** Darshan's classes for people; K = 1024, upper bounds inclusive. */
export const SIZE_LABELS = [
  "≤ 100 B",
  "100 B–1 KiB",
  "1–10 KiB",
  "10–100 KiB",
  "100 KiB–1 MiB",
  "1–4 MiB",
  "4–10 MiB",
  "10–100 MiB",
  "100 MiB–1 GiB",
  "> 1 GiB",
] as const;

type MutableRecord = { -readonly [Key in keyof LayerRecord]: LayerRecord[Key] };

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Times of day are columns `open_start_seconds`, here `openStart`. */
const columnName = (name: string) => (/_(start|end)$/.test(name) ? `${name}_seconds` : name);

const NUMBERS: readonly (readonly [column: string, key: string, merge: Merge])[] = [
  ...calls.map((name) => [name, camel(name), "sum"] as const),
  ...highest.map((name) => [columnName(name), camel(name), "max"] as const),
  ...lowest.map((name) => [columnName(name), camel(name), "min"] as const),
  ...extremes.map((name) => [name, camel(name), "none"] as const),
];

/** Where a run stands in its job. */
export interface RunPlace {
  /** Added to its ranks. */
  readonly rankBase: number;
  /** Added to its times, seconds. */
  readonly shiftSeconds: number;
}

/** The records of all runs; those of the same file and layer are merged. */
export function layerRecords(table: Table, placeOf: (runId: string) => RunPlace): LayerRecord[] {
  const columns = new RecordColumns(table, placeOf);
  const records = new Map<string, LayerRecord>();
  for (let row = 0; row < table.rows; row++) {
    const record = new TableRecord(columns, row) as unknown as LayerRecord;
    const key = `${record.layer} ${record.fileId}`;
    const known = records.get(key);
    if (known === undefined) records.set(key, record);
    else {
      const merged =
        known instanceof TableRecord ? copyOf(known as unknown as LayerRecord) : (known as MutableRecord);
      merge(merged, copyOf(record));
      records.set(key, merged);
    }
  }
  return [...records.values()];
}

/** Numbers of a record that are one column each. */
const KEYS = ["ranks", ...NUMBERS.map(([, key]) => key)];

/** Columns of the table as doubles, with ranks and times in those of the job. */
class RecordColumns {
  /** In the order of `KEYS`. */
  readonly byIndex: readonly Float64Array[];
  readonly readSizes: readonly Float64Array[];
  readonly writeSizes: readonly Float64Array[];
  readonly accesses: readonly Float64Array[];
  readonly strides: readonly Float64Array[];
  readonly ids: BigUint64Array;
  readonly parents: BigUint64Array;
  readonly shared: Uint8Array;
  readonly texts: Readonly<
    Record<"path" | "mount" | "fs_type" | "layer" | "osts", readonly (string | null)[]>
  >;

  constructor(table: Table, placeOf: (runId: string) => RunPlace) {
    const runs = table.column("run_id") as readonly string[];
    const places = new Map([...new Set(runs)].map((runId) => [runId, placeOf(runId)]));
    const moved = [...places.values()].some(
      ({ rankBase, shiftSeconds }) => rankBase !== 0 || shiftSeconds !== 0,
    );
    const numbers: Record<string, Float64Array> = {};
    const take = (column: string) => doubles(table.column(column) as Float64Array | BigInt64Array);
    numbers.ranks = take("ranks");
    for (const [column, key] of NUMBERS) numbers[key] = take(column);
    this.readSizes = SIZE_NAMES.map((size) => take(`size_read_${size}`));
    this.writeSizes = SIZE_NAMES.map((size) => take(`size_write_${size}`));
    const pairs = (what: string) =>
      [1, 2, 3, 4].flatMap((n) => [take(`${what}${n}_bytes`), take(`${what}${n}_count`)]);
    this.accesses = pairs("access");
    this.strides = pairs("stride");
    if (moved) {
      // The table stays as it is.
      for (const key of [...TIMES, "slowestRank", "fastestRank"])
        numbers[key] = (numbers[key] as Float64Array).slice();
      for (let row = 0; row < table.rows; row++) {
        const { rankBase, shiftSeconds } = places.get(runs[row] as string) as RunPlace;
        for (const key of TIMES)
          (numbers[key] as Float64Array)[row] = (numbers[key]?.[row] as number) + shiftSeconds;
        for (const key of ["slowestRank", "fastestRank"])
          (numbers[key] as Float64Array)[row] = (numbers[key]?.[row] as number) + rankBase;
      }
    }
    this.byIndex = KEYS.map((key) => numbers[key] as Float64Array);
    this.ids = table.column("file_id") as BigUint64Array;
    this.parents = table.column("parent_id") as BigUint64Array;
    this.shared = table.column("shared") as Uint8Array;
    const text = (name: string) => table.column(name) as readonly (string | null)[];
    this.texts = {
      path: text("path"),
      mount: text("mount"),
      fs_type: text("fs_type"),
      layer: text("layer"),
      osts: text("osts"),
    };
  }
}

function doubles(column: Float64Array | BigInt64Array): Float64Array {
  if (column instanceof Float64Array) return column;
  const halves = new Uint32Array(column.buffer, column.byteOffset, 2 * column.length);
  const numbers = new Float64Array(column.length);
  for (let row = 0; row < numbers.length; row++) {
    const value = wordNumber(halves, row);
    // Only "not recorded" is that low; as a double it is exact.
    numbers[row] = value === MISSING_DOUBLE ? Number.NaN : value;
  }
  return numbers;
}

const MISSING_DOUBLE = Number(MISSING_I64);
const TIMES = ["open", "read", "write", "close"].flatMap((what) => [`${what}Start`, `${what}End`]);

/**
 * A row that looks its numbers up when they are asked for: of a hundred, a rule wants a few, and a log may have a
 * hundred thousand files.
 */
class TableRecord {
  readonly row: number;
  readonly fileId: string;
  readonly #columns: RecordColumns;

  constructor(columns: RecordColumns, row: number) {
    this.#columns = columns;
    this.row = row;
    this.fileId = String(columns.ids[row]);
  }

  get parentId(): string {
    return String(this.#columns.parents[this.row]);
  }

  get path(): string {
    // A log can lack the name of a record; objects of DAOS may have an empty one.
    return this.#columns.texts.path[this.row] || `(record ${this.fileId})`;
  }

  get mount(): string | null {
    return this.#columns.texts.mount[this.row] ?? null;
  }

  get fsType(): string | null {
    return this.#columns.texts.fs_type[this.row] ?? null;
  }

  get layer(): string {
    return this.#columns.texts.layer[this.row] ?? "";
  }

  get shared(): boolean {
    return this.#columns.shared[this.row] === 1;
  }

  get readSizes(): Float64Array {
    return this.#take(this.#columns.readSizes);
  }

  get writeSizes(): Float64Array {
    return this.#take(this.#columns.writeSizes);
  }

  get accesses(): Frequent[] {
    return this.#frequent(this.#columns.accesses);
  }

  get strides(): Frequent[] {
    return this.#frequent(this.#columns.strides);
  }

  get osts(): number[] {
    const text = this.#columns.texts.osts[this.row] ?? "";
    return text === "" ? [] : text.split(" ").map(Number);
  }

  /** The number in a place of `KEYS`. */
  at(index: number): number {
    return this.#columns.byIndex[index]?.[this.row] as number;
  }

  #take(columns: readonly Float64Array[]): Float64Array {
    const values = new Float64Array(columns.length);
    for (let i = 0; i < values.length; i++) values[i] = columns[i]?.[this.row] as number;
    return values;
  }

  /** From columns of value, count, value, count … */
  #frequent(columns: readonly Float64Array[]): Frequent[] {
    const list: Frequent[] = [];
    for (let i = 0; i < columns.length; i += 2) {
      const count = columns[i + 1]?.[this.row] as number;
      if (count > 0) list.push({ bytes: columns[i]?.[this.row] as number, count });
    }
    return list;
  }
}

KEYS.forEach((key, index) => {
  Object.defineProperty(TableRecord.prototype, key, {
    get(this: TableRecord) {
      return this.at(index);
    },
  });
});

/** All values of a record, to be changed. */
function copyOf(record: LayerRecord): MutableRecord {
  const source = record as unknown as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key of [...OTHERS, ...NUMBERS.map(([, name]) => name)]) copy[key] = source[key];
  return copy as unknown as MutableRecord;
}

const OTHERS = [
  "fileId",
  "parentId",
  "path",
  "mount",
  "fsType",
  "layer",
  "shared",
  "ranks",
  "readSizes",
  "writeSizes",
  "accesses",
  "strides",
  "osts",
];

function merge(into: MutableRecord, record: MutableRecord): void {
  const target = into as unknown as Record<string, number>;
  const source = record as unknown as Record<string, number>;
  for (const [, key, how] of NUMBERS) {
    const [a, b] = [target[key] as number, source[key] as number];
    if (Number.isNaN(b) || how === "none") continue;
    if (Number.isNaN(a)) target[key] = b;
    else target[key] = how === "sum" ? a + b : how === "max" ? Math.max(a, b) : Math.min(a, b);
  }
  const copy = (keys: readonly string[]) => {
    for (const key of keys) target[key] = source[key] as number;
  };
  if (record.longestReadSeconds > (into.longestReadSeconds || 0))
    copy(["longestReadSeconds", "longestReadBytes"]);
  if (record.longestWriteSeconds > (into.longestWriteSeconds || 0))
    copy(["longestWriteSeconds", "longestWriteBytes"]);
  if (!Number.isNaN(record.slowestSeconds) && !(record.slowestSeconds <= into.slowestSeconds))
    copy(["slowestSeconds", "slowestRank", "slowestBytes"]);
  if (!Number.isNaN(record.fastestSeconds) && !(record.fastestSeconds >= into.fastestSeconds))
    copy(["fastestSeconds", "fastestRank", "fastestBytes"]);
  // Spread over the ranks of several logs is not known from the spreads within them.
  into.varianceSeconds = Number.NaN;
  into.varianceBytes = Number.NaN;
  into.shared ||= record.shared;
  into.ranks += record.ranks;
  into.readSizes = addSizes(into.readSizes, record.readSizes);
  into.writeSizes = addSizes(into.writeSizes, record.writeSizes);
  into.accesses = addFrequent(into.accesses, record.accesses);
  into.strides = addFrequent(into.strides, record.strides);
  if (into.osts.length === 0) into.osts = record.osts;
}

const addSizes = (a: Float64Array, b: Float64Array) =>
  a.map((value, index) => (Number.isNaN(value) ? (b[index] as number) : value + (b[index] || 0)));

function addFrequent(a: readonly Frequent[], b: readonly Frequent[]): Frequent[] {
  const counts = new Map<number, number>();
  for (const { bytes, count } of [...a, ...b]) counts.set(bytes, (counts.get(bytes) ?? 0) + count);
  return [...counts]
    .map(([bytes, count]) => ({ bytes, count }))
    .sort((one, two) => two.count - one.count || two.bytes - one.bytes)
    .slice(0, 4);
}

/** Sum of a number over records; NaN when none of them has it. */
export function sumOf(records: readonly LayerRecord[], value: (record: LayerRecord) => number): number {
  let sum = Number.NaN;
  for (const record of records) {
    const one = value(record);
    if (!Number.isNaN(one)) sum = (Number.isNaN(sum) ? 0 : sum) + one;
  }
  return sum;
}

/** Size classes summed over records. */
export function sizesOf(records: readonly LayerRecord[], way: "read" | "write"): Float64Array {
  const sums = new Float64Array(SIZE_NAMES.length).fill(Number.NaN);
  for (const record of records) {
    const sizes = way === "read" ? record.readSizes : record.writeSizes;
    sizes.forEach((count, index) => {
      if (!Number.isNaN(count)) sums[index] = (sums[index] || 0) + count;
    });
  }
  return sums;
}
