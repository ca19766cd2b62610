/**
 * Rows of `layers` as objects that rules can read: one per file and layer, the logs of a job merged. Numbers are
 * doubles; NaN means "not recorded". A comparison with NaN is false, so a rule without its data stays silent.
 */
import { SIZE_NAMES, type Table } from "../../model/index.ts";
import { NUMBERS, type RecordNumbers } from "./record-columns.ts";
import { layersOfSeveralRuns, placeByRow, type RunPlace } from "./run-places.ts";

/** A frequent value and how often it occurred. */
interface Frequent {
  readonly bytes: number;
  readonly count: number;
}

export interface LayerRecord extends RecordNumbers {
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

/** The records of all runs; those of the same file and layer are merged. */
export function layerRecords(table: Table, placeOf: (runId: string) => RunPlace): LayerRecord[] {
  const columns = new LayerColumns(new RecordColumns(table, placeOf), table);
  const mergeable = layersOfSeveralRuns(table);
  const records: LayerRecord[] = [];
  /** Where the record of a file stands, for layers that need it. */
  const placesOf = new Map<string, Map<string, number>>();
  for (let row = 0; row < table.rows; row++) {
    const record = new TableRecord(columns.of(row), row) as unknown as LayerRecord;
    if (!mergeable.has(record.layer)) {
      records.push(record);
      continue;
    }
    let places = placesOf.get(record.layer);
    if (places === undefined) placesOf.set(record.layer, (places = new Map()));
    const place = places.get(record.fileId);
    if (place === undefined) places.set(record.fileId, records.push(record) - 1);
    else records[place] = merged(records[place] as LayerRecord, record);
  }
  return records;
}

function merged(known: LayerRecord, record: LayerRecord): LayerRecord {
  const into =
    known instanceof TableRecord ? copyOf(known as unknown as LayerRecord) : (known as MutableRecord);
  merge(into, copyOf(record));
  return into;
}

type NumberColumn = Pick<ReturnType<Table["numbers"]>, "at">;

/** Numbers of a record that are one column each. */
const KEYS = ["ranks", ...NUMBERS.map(([, key]) => key)];

/** Times and ranks of a run, which its place in the job moves. */
const TIMES = new Set(["open", "read", "write", "close"].flatMap((what) => [`${what}Start`, `${what}End`]));
const RANKS = new Set(["slowestRank", "fastestRank"]);

/** Columns of the table; those of times and ranks in the job's own. */
class RecordColumns {
  /** In the order of `KEYS`. */
  readonly byIndex: readonly NumberColumn[];
  readonly readSizes: readonly NumberColumn[];
  readonly writeSizes: readonly NumberColumn[];
  readonly accesses: readonly NumberColumn[];
  readonly strides: readonly NumberColumn[];
  readonly ids: BigUint64Array;
  readonly parents: BigUint64Array;
  /** In halves, which are looked at without making a bigint. */
  readonly parentHalves: Uint32Array;
  readonly shared: Uint8Array;
  readonly texts: Readonly<Record<"path" | "mount" | "fs_type" | "osts", ReturnType<Table["texts"]>>>;
  /** The same in all rows that are read through it. */
  readonly layer: string = "";

  constructor(table: Table, placeOf: (runId: string) => RunPlace) {
    const take = (column: string) => table.numbers(column);
    const place = placeByRow(table, placeOf);
    const columns = [["ranks", "ranks"], ...NUMBERS] as const;
    this.byIndex = columns.map(([name, key]) => {
      const column = take(name);
      if (place === undefined) return column;
      if (TIMES.has(key)) return { at: (row) => column.at(row) + place(row).shiftSeconds };
      return RANKS.has(key) ? { at: (row) => column.at(row) + place(row).rankBase } : column;
    });
    this.readSizes = SIZE_NAMES.map((size) => take(`size_read_${size}`));
    this.writeSizes = SIZE_NAMES.map((size) => take(`size_write_${size}`));
    const pairs = (what: string) =>
      [1, 2, 3, 4].flatMap((n) => [take(`${what}${n}_bytes`), take(`${what}${n}_count`)]);
    this.accesses = pairs("access");
    this.strides = pairs("stride");
    this.ids = table.column("file_id") as BigUint64Array;
    this.parents = table.column("parent_id") as BigUint64Array;
    this.parentHalves = new Uint32Array(this.parents.buffer);
    this.shared = table.column("shared") as Uint8Array;
    this.texts = {
      path: table.texts("path"),
      mount: table.texts("mount"),
      fs_type: table.texts("fs_type"),
      osts: table.texts("osts"),
    };
  }

  ofLayer(layer: string): RecordColumns {
    return Object.assign(Object.create(RecordColumns.prototype) as RecordColumns, this, { layer });
  }
}

/** The columns as records of each layer see them. */
class LayerColumns {
  readonly #columns: RecordColumns;
  readonly #layers: ReturnType<Table["texts"]>;
  readonly #known = new Map<string, RecordColumns>();
  #last: RecordColumns | undefined;

  constructor(columns: RecordColumns, table: Table) {
    this.#columns = columns;
    this.#layers = table.texts("layer");
  }

  of(row: number): RecordColumns {
    const layer = this.#layers.at(row) ?? "";
    if (this.#last?.layer === layer) return this.#last;
    let own = this.#known.get(layer);
    if (own === undefined) this.#known.set(layer, (own = this.#columns.ofLayer(layer)));
    this.#last = own;
    return own;
  }
}

/**
 * A row that looks its values up when they are asked for: of a hundred, a rule wants a few, and a log may have a
 * million files.
 */
class TableRecord {
  readonly #row: number;
  readonly #columns: RecordColumns;

  constructor(columns: RecordColumns, row: number) {
    this.#columns = columns;
    this.#row = row;
  }

  get fileId(): string {
    return String(this.#columns.ids[this.#row]);
  }

  get parentId(): string {
    const { parentHalves, parents } = this.#columns;
    const at = 2 * this.#row;
    return parentHalves[at] === 0 && parentHalves[at + 1] === 0 ? "0" : String(parents[this.#row]);
  }

  get path(): string {
    // A log can lack the name of a record; objects of DAOS may have an empty one.
    return this.#columns.texts.path.at(this.#row) || `(record ${this.fileId})`;
  }

  get mount(): string | null {
    return this.#columns.texts.mount.at(this.#row);
  }

  get fsType(): string | null {
    return this.#columns.texts.fs_type.at(this.#row);
  }

  get layer(): string {
    return this.#columns.layer;
  }

  get shared(): boolean {
    return this.#columns.shared[this.#row] === 1;
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

  get osts(): readonly number[] {
    const text = this.#columns.texts.osts.at(this.#row) ?? "";
    return text === "" ? NONE : text.split(" ").map(Number);
  }

  get row(): number {
    return this.#row;
  }

  sizeAt(way: "read" | "write", index: number): number {
    const columns = way === "read" ? this.#columns.readSizes : this.#columns.writeSizes;
    return (columns[index] as NumberColumn).at(this.#row);
  }

  /** Adds its size classes to `sums`. */
  addSizes(way: "read" | "write", sums: Float64Array): void {
    const columns = way === "read" ? this.#columns.readSizes : this.#columns.writeSizes;
    for (let i = 0; i < columns.length; i++) addKnown(sums, i, (columns[i] as NumberColumn).at(this.#row));
  }

  /** Adds the counts of `accesses` by their sizes. */
  addAccesses(counts: Map<number, number>): void {
    const columns = this.#columns.accesses;
    for (let i = 0; i < columns.length; i += 2) {
      const count = (columns[i + 1] as NumberColumn).at(this.#row);
      if (count > 0) addCount(counts, (columns[i] as NumberColumn).at(this.#row), count);
    }
  }

  /** Of `accesses` the first. */
  get firstSize(): number | null {
    const columns = this.#columns.accesses;
    for (let i = 0; i < columns.length; i += 2)
      if ((columns[i + 1] as NumberColumn).at(this.#row) > 0)
        return (columns[i] as NumberColumn).at(this.#row);
    return null;
  }

  /** The number in a place of `KEYS`. */
  at(index: number): number {
    return (this.#columns.byIndex[index] as NumberColumn).at(this.#row);
  }

  #take(columns: readonly NumberColumn[]): Float64Array {
    const values = new Float64Array(columns.length);
    for (let i = 0; i < values.length; i++) values[i] = (columns[i] as NumberColumn).at(this.#row);
    return values;
  }

  /** From columns of value, count, value, count … */
  #frequent(columns: readonly NumberColumn[]): Frequent[] {
    const list: Frequent[] = [];
    for (let i = 0; i < columns.length; i += 2) {
      const count = (columns[i + 1] as NumberColumn).at(this.#row);
      if (count > 0) list.push({ bytes: (columns[i] as NumberColumn).at(this.#row), count });
    }
    return list;
  }
}

const NONE: readonly number[] = [];

/** Row of a record that stands in a table; -1 for one that several were merged into. */
export const rowOf = (record: LayerRecord): number => (record instanceof TableRecord ? record.row : -1);

const addCount = (counts: Map<number, number>, bytes: number, count: number) =>
  counts.set(bytes, (counts.get(bytes) ?? 0) + count);

/** Adds how often a record has each of its frequent sizes. */
export function addAccesses(record: LayerRecord, counts: Map<number, number>): void {
  if (record instanceof TableRecord) record.addAccesses(counts);
  else for (const { bytes, count } of record.accesses) addCount(counts, bytes, count);
}

/** The size of most calls; null when none is known. */
export function frequentSizeOf(record: LayerRecord): number | null {
  return record instanceof TableRecord ? record.firstSize : (record.accesses[0]?.bytes ?? null);
}

/** One class of `readSizes` or `writeSizes`. */
export function sizeAt(record: LayerRecord, way: "read" | "write", index: number): number {
  if (record instanceof TableRecord) return record.sizeAt(way, index);
  return (way === "read" ? record.readSizes : record.writeSizes)[index] as number;
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
  // Ranks of several logs are different ones; where one log does not tell, the sum is not known.
  into.ioRanks += record.ioRanks;
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
  for (const record of records) sum = plus(sum, value(record));
  return sum;
}

/** What is known of two numbers; NaN when neither is. */
export const plus = (a: number, b: number): number => (Number.isNaN(b) ? a : Number.isNaN(a) ? b : a + b);

export const knownSum = (a: number, b: number, c: number): number => plus(plus(a, b), c);

/** Size classes summed over records. */
export function sizesOf(records: readonly LayerRecord[], way: "read" | "write"): Float64Array {
  const sums = new Float64Array(SIZE_NAMES.length).fill(Number.NaN);
  for (const record of records) {
    if (record instanceof TableRecord) {
      record.addSizes(way, sums);
      continue;
    }
    const sizes = way === "read" ? record.readSizes : record.writeSizes;
    sizes.forEach((count, index) => {
      addKnown(sums, index, count);
    });
  }
  return sums;
}

function addKnown(sums: Float64Array, index: number, count: number): void {
  if (!Number.isNaN(count)) sums[index] = (sums[index] || 0) + count;
}

/** DFS calls DAOS for the same object, under the same id: what DAOS counts there is the same data and time again. */
export const isBelowDfs = (layer: string, layers: { has(layer: string): boolean }): boolean =>
  layer === "DAOS" && layers.has("DFS");
