/**
 * Records of a module as rows of `layers`, `rank_loads` and `counters`: the counters that modules name alike (bytes, calls,
 * sizes, times, slowest and fastest rank) under one name each. A counter of -1 was not recorded and adds nothing.
 */
import { GrowingIntegers, GrowingReals } from "../../base/growing.ts";
import { LOW, wordNumber } from "../../base/words.ts";
import {
  type ColumnSource,
  counters,
  layers,
  MISSING_I64,
  rankLoads,
  type TablesBuilder,
} from "../../model/index.ts";
import type { RecordBlock } from "./blocks.ts";
import type { Counter, ModuleSpec } from "./modules/index.ts";
import { columnOf } from "./modules/index.ts";
import { Totals } from "./totals.ts";

/** Prefix of the counters of each module that has rows. */
const PREFIXES: Readonly<Record<string, string>> = {
  POSIX: "POSIX_",
  "MPI-IO": "MPIIO_",
  STDIO: "STDIO_",
  DFS: "DFS_",
  DAOS: "DAOS_",
  H5F: "H5F_",
  H5D: "H5D_",
  PNETCDF_FILE: "PNETCDF_FILE_",
  PNETCDF_VAR: "PNETCDF_VAR_",
};

const kinds = (way: "READS" | "WRITES") => [
  way,
  `${way.slice(0, -1)}XS`,
  `INDEP_${way}`,
  `COLL_${way}`,
  `SPLIT_${way}`,
  `NB_${way}`,
  `ARRAY_${way}`,
  ...(way === "READS" ? ["OBJ_FETCHES", "KV_GETS"] : ["OBJ_UPDATES", "KV_PUTS"]),
];

/** Counters (without prefix) that are added up in each column; a module has some of them. */
const SUMS: Readonly<Record<string, readonly string[]>> = {
  opens: ["OPENS", "INDEP_OPENS", "COLL_OPENS", "OBJ_OPENS", "ARRAY_OPENS", "KV_OPENS", "CREATES"],
  collective_opens: ["COLL_OPENS"],
  reads: kinds("READS"),
  writes: kinds("WRITES"),
  independent_reads: ["INDEP_READS"],
  independent_writes: ["INDEP_WRITES"],
  collective_reads: ["COLL_READS"],
  collective_writes: ["COLL_WRITES"],
  split_reads: ["SPLIT_READS"],
  split_writes: ["SPLIT_WRITES"],
  nonblocking_reads: ["NB_READS"],
  nonblocking_writes: ["NB_WRITES"],
  seeks: ["SEEKS"],
  stats: ["STATS", "ARRAY_STATS"],
  syncs: ["FSYNCS", "FDSYNCS", "SYNCS", "FLUSHES"],
  mmaps: ["MMAPS"],
  hints: ["HINTS"],
  views: ["VIEWS"],
  bytes_read: ["BYTES_READ"],
  bytes_written: ["BYTES_WRITTEN"],
  sequential_reads: ["SEQ_READS"],
  sequential_writes: ["SEQ_WRITES"],
  consecutive_reads: ["CONSEC_READS"],
  consecutive_writes: ["CONSEC_WRITES"],
  rw_switches: ["RW_SWITCHES"],
  memory_not_aligned: ["MEM_NOT_ALIGNED"],
  file_not_aligned: ["FILE_NOT_ALIGNED"],
  regular_selects: ["REGULAR_HYPERSLAB_SELECTS"],
  irregular_selects: ["IRREGULAR_HYPERSLAB_SELECTS"],
  point_selects: ["POINT_SELECTS"],
  ...Object.fromEntries(
    layers.columns
      .filter(({ name }) => name.startsWith("size_"))
      .map(({ name }) => {
        const [, way = "", ...size] = name.toUpperCase().split("_");
        return [name, [`SIZE_${way}_${size.join("_")}`, `SIZE_${way}_AGG_${size.join("_")}`]];
      }),
  ),
};

const MAXIMA: Readonly<Record<string, readonly string[]>> = {
  max_byte_read: ["MAX_BYTE_READ"],
  max_byte_written: ["MAX_BYTE_WRITTEN"],
  memory_alignment: ["MEM_ALIGNMENT"],
  file_alignment: ["FILE_ALIGNMENT"],
  uses_mpiio: ["USE_MPIIO"],
  uses_collective: ["USE_MPIIO_COLLECTIVE"],
  points: ["DATASPACE_NPOINTS", "NPOINTS"],
  element_bytes: ["DATATYPE_SIZE"],
  chunk_bytes: ["CHUNK_SIZE", "ARRAY_CHUNK_SIZE"],
};

const REAL_SUMS: Readonly<Record<string, string>> = {
  read_seconds: "F_READ_TIME",
  write_seconds: "F_WRITE_TIME",
  meta_seconds: "F_META_TIME",
  wait_seconds: "F_WAIT_TIME",
};

const stamps = (end: "START" | "END") =>
  ["open", "read", "write", "close"].map(
    (what) => [`${what}_${end.toLowerCase()}_seconds`, `F_${what.toUpperCase()}_${end}_TIMESTAMP`] as const,
  );
const REAL_FIRSTS: Readonly<Record<string, string>> = Object.fromEntries(stamps("START"));
const REAL_LASTS: Readonly<Record<string, string>> = Object.fromEntries(stamps("END"));

/** Where the counters of a module stand in a record: word indexes by column; -1 when it has none. */
interface Places {
  readonly sums: readonly (readonly [column: string, words: readonly number[]])[];
  readonly maxima: readonly (readonly [column: string, words: readonly number[]])[];
  readonly realSums: readonly (readonly [column: string, word: number])[];
  readonly realFirsts: readonly (readonly [column: string, word: number])[];
  readonly realLasts: readonly (readonly [column: string, word: number])[];
  /** Pairs of words: value, count. */
  readonly accesses: readonly (readonly [number, number])[];
  readonly strides: readonly (readonly [number, number])[];
  readonly chunks: readonly number[];
  /** Words of each column of `sums`. */
  readonly wordsOf: ReadonlyMap<string, readonly number[]>;
  at(name: string): number;
}

function placesOf(spec: ModuleSpec, prefix: string): Places {
  const known = new Map<string, number>();
  const at = (name: string) => {
    let word = known.get(name);
    if (word === undefined) known.set(name, (word = columnOf(spec, prefix + name)));
    return word;
  };
  const present = (names: readonly string[]) => names.map(at).filter((word) => word >= 0);
  const lists = (table: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(table)
      .map(([column, names]) => [column, present(names)] as const)
      .filter(([, words]) => words.length > 0);
  const singles = (table: Readonly<Record<string, string>>) =>
    Object.entries(table)
      .map(([column, name]) => [column, at(name)] as const)
      .filter(([, word]) => word >= 0);
  const pairs = (what: string) =>
    [1, 2, 3, 4]
      .map((n) => [at(`${what}${n}_${what}`), at(`${what}${n}_COUNT`)] as const)
      .filter(([value]) => value >= 0);
  const sums = lists(SUMS);
  return {
    sums,
    wordsOf: new Map(sums),
    maxima: lists(MAXIMA),
    realSums: singles(REAL_SUMS),
    realFirsts: singles(REAL_FIRSTS),
    realLasts: singles(REAL_LASTS),
    accesses: pairs("ACCESS"),
    strides: pairs("STRIDE"),
    chunks: present([1, 2, 3, 4, 5].map((d) => `CHUNK_SIZE_D${d}`)),
    at,
  };
}

/** Files of a module in columns that grow; a million files would be too many objects. */
class FileColumns {
  count = 0;
  /** Number of each file by its record id. */
  readonly #numbers = new Map<bigint, number>();
  readonly #integers: GrowingIntegers[] = [];
  readonly #reals: GrowingReals[] = [];
  readonly id = this.#integer(0n);
  readonly parentId = this.#integer(0n);
  readonly records = this.#real(0);
  readonly shared = this.#real(0);
  readonly chunkBytes = this.#real(Number.NaN);
  readonly sums: readonly GrowingIntegers[];
  readonly maxima: readonly GrowingIntegers[];
  readonly realSums: readonly GrowingReals[];
  readonly firsts: readonly GrowingReals[];
  readonly lasts: readonly GrowingReals[];
  readonly longestRead = this.#timed();
  readonly longestWrite = this.#timed();
  readonly slowest = { ...this.#timed(), rank: this.#integer(MISSING_I64) };
  readonly fastest = { ...this.#timed(), rank: this.#integer(MISSING_I64) };
  readonly secondsSpread = this.#spread();
  readonly bytesSpread = this.#spread();
  readonly accesses: FrequentColumns;
  readonly strides: FrequentColumns;

  constructor(places: Places) {
    this.sums = places.sums.map(() => this.#integer(MISSING_I64));
    this.maxima = places.maxima.map(() => this.#integer(MISSING_I64));
    this.realSums = places.realSums.map(() => this.#real(Number.NaN));
    this.firsts = places.realFirsts.map(() => this.#real(Number.NaN));
    this.lasts = places.realLasts.map(() => this.#real(Number.NaN));
    const frequent = (places: readonly unknown[]) =>
      new FrequentColumns(Array.from({ length: 2 * places.length }, () => this.#real(Number.NaN)));
    this.accesses = frequent(places.accesses);
    this.strides = frequent(places.strides);
  }

  /** The number of a file; new ones are added. */
  numberOf(id: bigint, parentId: bigint): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const number = this.count++;
    this.#numbers.set(id, number);
    for (const column of this.#integers) column.reach(this.count);
    for (const column of this.#reals) column.reach(this.count);
    this.id.values[number] = BigInt.asIntN(64, id);
    this.parentId.values[number] = BigInt.asIntN(64, parentId);
    return number;
  }

  #integer(missing: bigint): GrowingIntegers {
    const column = new GrowingIntegers(missing);
    this.#integers.push(column);
    return column;
  }

  #real(missing: number): GrowingReals {
    const column = new GrowingReals(missing);
    this.#reals.push(column);
    return column;
  }

  #timed() {
    return { seconds: this.#real(Number.NaN), bytes: this.#integer(MISSING_I64) };
  }

  #spread(): Spread {
    return new Spread(this.#real(0), this.#real(0), this.#real(0), this.#real(Number.NaN));
  }
}

/** Mean and variance in one pass (Welford), per file; or a variance that the record knows. */
class Spread {
  readonly #count: GrowingReals;
  readonly #mean: GrowingReals;
  readonly #squares: GrowingReals;
  readonly known: GrowingReals;

  constructor(count: GrowingReals, mean: GrowingReals, squares: GrowingReals, known: GrowingReals) {
    this.#count = count;
    this.#mean = mean;
    this.#squares = squares;
    this.known = known;
  }

  add(number: number, value: number): void {
    const count = (this.#count.values[number] as number) + 1;
    const mean = this.#mean.values[number] as number;
    const moved = mean + (value - mean) / count;
    this.#count.values[number] = count;
    this.#mean.values[number] = moved;
    this.#squares.values[number] =
      (this.#squares.values[number] as number) + (value - mean) * (value - moved);
  }

  variance(number: number): number {
    const known = this.known.values[number] as number;
    if (!Number.isNaN(known)) return known;
    const count = this.#count.values[number] as number;
    return count === 0 ? Number.NaN : (this.#squares.values[number] as number) / count;
  }
}

/** A few more than the four that are shown, so that a value spread over ranks is not lost at once. */
const FREQUENT_KEPT = 64;

/** Four frequent values of each file with their counts; a file with several records has a map until the end. */
class FrequentColumns {
  /** value, count, value, count … */
  readonly columns: readonly GrowingReals[];
  readonly #maps = new Map<number, Map<number, number>>();

  constructor(columns: readonly GrowingReals[]) {
    this.columns = columns;
  }

  add(
    number: number,
    isFirst: boolean,
    places: readonly (readonly [number, number])[],
    u32: Uint32Array,
    at: number,
  ): void {
    let map = isFirst ? undefined : this.#maps.get(number);
    if (!isFirst && map === undefined) this.#maps.set(number, (map = this.#taken(number)));
    let slot = 0;
    for (const [value, count] of places) {
      const times = wordNumber(u32, at + count);
      if (times <= 0) continue;
      const size = wordNumber(u32, at + value);
      if (map === undefined) {
        (this.columns[slot++] as GrowingReals).values[number] = size;
        (this.columns[slot++] as GrowingReals).values[number] = times;
      } else {
        const known = map.get(size);
        if (known !== undefined || map.size < FREQUENT_KEPT) map.set(size, (known ?? 0) + times);
      }
    }
  }

  #taken(number: number): Map<number, number> {
    const map = new Map<number, number>();
    for (let slot = 0; slot < this.columns.length; slot += 2) {
      const times = this.columns[slot + 1]?.values[number] as number;
      const size = this.columns[slot]?.values[number] as number;
      if (times > 0) map.set(size, (map.get(size) ?? 0) + times);
    }
    return map;
  }

  /** Writes the maps back, the most frequent values first. */
  finish(count: number): void {
    for (let number = 0; number < count; number++) {
      const map = this.#maps.get(number) ?? this.#taken(number);
      const sorted = [...map].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
      for (let slot = 0; slot < this.columns.length; slot += 2) {
        const [size, times] = sorted[slot / 2] ?? [Number.NaN, Number.NaN];
        (this.columns[slot] as GrowingReals).values[number] = size;
        (this.columns[slot + 1] as GrowingReals).values[number] = times;
      }
    }
    this.#maps.clear();
  }
}

interface RankSums {
  files: number;
  opens: bigint;
  reads: bigint;
  writes: bigint;
  bytesRead: bigint;
  bytesWritten: bigint;
  readSeconds: number;
  writeSeconds: number;
  metaSeconds: number;
}

/** What rows need besides counters. */
export interface NamedFile {
  readonly path: string | null;
  readonly mount: string | null;
  readonly fs_type: string | null;
}

export interface FileLayout {
  readonly stripe_count: bigint;
  readonly stripe_bytes: bigint;
  readonly components: number;
  readonly osts: string;
}

/** The rows of one module. */
export class LayerImport {
  readonly #spec: ModuleSpec;
  readonly #places: Places;
  readonly #files: FileColumns;
  readonly #ranks = new Map<number, RankSums>();
  readonly #totals: Totals | undefined;
  readonly #plainTotals: PlainTotals;
  /** Counters and times that are negative without meaning "not available". They were left out. */
  negative = 0;

  get module(): string {
    return this.#spec.name;
  }

  /** Undefined for modules without such rows. */
  static of(spec: ModuleSpec): LayerImport | undefined {
    const prefix = PREFIXES[spec.name];
    return prefix === undefined ? undefined : new LayerImport(spec, prefix);
  }

  private constructor(spec: ModuleSpec, prefix: string) {
    this.#spec = spec;
    this.#places = placesOf(spec, prefix);
    this.#files = new FileColumns(this.#places);
    this.#totals = spec.derived === undefined ? undefined : new Totals(spec, spec.derived);
    this.#plainTotals = new PlainTotals(spec);
  }

  add(block: RecordBlock): void {
    if (block.header) return;
    if (this.#totals !== undefined) this.#totals.add(block);
    else this.#plainTotals.add(block);
    for (let k = 0; k < block.count; k++) this.#addRecord(block, block.at(k));
  }

  #addRecord(block: RecordBlock, at: number): void {
    const { u64, u32, i64, f64 } = block.views;
    const places = this.#places;
    const files = this.#files;
    const number = files.numberOf(
      u64[at] as bigint,
      this.#spec.integersAt === 3 ? (u64[at + 2] as bigint) : 0n,
    );
    const isFirst = files.records.values[number] === 0;
    files.records.add(number, 1);
    const rank = wordNumber(u32, at + 1);
    const isNegative = (word: number) => ((u32[2 * word + 1 - LOW] as number) | 0) < 0;
    for (let index = 0; index < places.sums.length; index++) {
      const column = files.sums[index] as GrowingIntegers;
      for (const word of (places.sums[index] as (typeof places.sums)[0])[1])
        if (!isNegative(at + word)) column.add(number, u32, at + word);
        else if (i64[at + word] !== -1n) this.negative++;
    }
    for (let index = 0; index < places.maxima.length; index++) {
      const { values } = files.maxima[index] as GrowingIntegers;
      for (const word of (places.maxima[index] as (typeof places.maxima)[0])[1]) {
        if (isNegative(at + word)) continue;
        const value = i64[at + word] as bigint;
        if (value > (values[number] as bigint)) values[number] = value;
      }
    }
    for (let index = 0; index < places.realSums.length; index++) {
      const value = f64[at + (places.realSums[index] as (typeof places.realSums)[0])[1]] as number;
      if (value >= 0) (files.realSums[index] as GrowingReals).add(number, value);
      else if (value !== -1) this.negative++;
    }
    // A time of zero never happened.
    for (let index = 0; index < places.realFirsts.length; index++) {
      const value = f64[at + (places.realFirsts[index] as (typeof places.realFirsts)[0])[1]] as number;
      const { values } = files.firsts[index] as GrowingReals;
      if (value > 0 && !((values[number] as number) <= value)) values[number] = value;
    }
    for (let index = 0; index < places.realLasts.length; index++) {
      const value = f64[at + (places.realLasts[index] as (typeof places.realLasts)[0])[1]] as number;
      const { values } = files.lasts[index] as GrowingReals;
      if (value > 0 && !((values[number] as number) >= value)) values[number] = value;
    }
    files.accesses.add(number, isFirst, places.accesses, u32, at);
    files.strides.add(number, isFirst, places.strides, u32, at);
    this.#addChunk(number, u32, at);
    this.#addExtremes(number, block, at, rank);
    if (rank >= 0) this.#addRank(rank, block, at);
  }

  #addChunk(number: number, u32: Uint32Array, at: number): void {
    const { chunks } = this.#places;
    if (chunks.length === 0) return;
    const lengths = chunks.map((word) => wordNumber(u32, at + word)).filter((length) => length > 0);
    const element = wordNumber(u32, at + this.#places.at("DATATYPE_SIZE"));
    const bytes = lengths.length === 0 ? 0 : lengths.reduce((a, b) => a * b, Math.max(element, 1));
    this.#files.chunkBytes.values[number] = Math.min(bytes, Number.MAX_SAFE_INTEGER);
  }

  #addExtremes(number: number, block: RecordBlock, at: number, rank: number): void {
    const { i64, f64 } = block.views;
    const { at: place } = this.#places;
    const files = this.#files;
    const real = (name: string) => (place(name) < 0 ? Number.NaN : (f64[at + place(name)] as number));
    const integer = (name: string) => (place(name) < 0 ? MISSING_I64 : (i64[at + place(name)] as bigint));
    for (const [longest, way] of [
      [files.longestRead, "READ"],
      [files.longestWrite, "WRITE"],
    ] as const) {
      const seconds = real(`F_MAX_${way}_TIME`);
      if (seconds > 0 && !((longest.seconds.values[number] as number) >= seconds)) {
        longest.seconds.values[number] = seconds;
        longest.bytes.values[number] = integer(`MAX_${way}_TIME_SIZE`);
      }
    }
    const set = (extreme: typeof files.slowest, seconds: number, of: bigint, bytes: bigint) => {
      extreme.seconds.values[number] = seconds;
      extreme.rank.values[number] = of;
      extreme.bytes.values[number] = bytes;
    };
    if (rank < 0) {
      files.shared.values[number] = 1;
      if (place("F_SLOWEST_RANK_TIME") < 0) return;
      set(files.slowest, real("F_SLOWEST_RANK_TIME"), integer("SLOWEST_RANK"), integer("SLOWEST_RANK_BYTES"));
      set(files.fastest, real("F_FASTEST_RANK_TIME"), integer("FASTEST_RANK"), integer("FASTEST_RANK_BYTES"));
      files.secondsSpread.known.values[number] = real("F_VARIANCE_RANK_TIME");
      files.bytesSpread.known.values[number] = real("F_VARIANCE_RANK_BYTES");
      return;
    }
    if (place("F_READ_TIME") < 0) return;
    const seconds = real("F_READ_TIME") + real("F_WRITE_TIME") + real("F_META_TIME");
    const amount = (name: string) => (integer(name) > 0n ? integer(name) : 0n);
    const bytes = amount("BYTES_READ") + amount("BYTES_WRITTEN");
    if (!((files.slowest.seconds.values[number] as number) >= seconds))
      set(files.slowest, seconds, BigInt(rank), bytes);
    if (!((files.fastest.seconds.values[number] as number) <= seconds))
      set(files.fastest, seconds, BigInt(rank), bytes);
    files.secondsSpread.add(number, seconds);
    files.bytesSpread.add(number, Number(bytes));
  }

  #addRank(rank: number, block: RecordBlock, at: number): void {
    let sums = this.#ranks.get(rank);
    if (sums === undefined) {
      sums = {
        files: 0,
        opens: 0n,
        reads: 0n,
        writes: 0n,
        bytesRead: 0n,
        bytesWritten: 0n,
        readSeconds: 0,
        writeSeconds: 0,
        metaSeconds: 0,
      };
      this.#ranks.set(rank, sums);
    }
    const { i64, f64 } = block.views;
    const places = this.#places;
    const total = (column: string) => {
      let sum = 0n;
      for (const word of places.wordsOf.get(column) ?? []) {
        const value = i64[at + word] as bigint;
        if (value > 0n) sum += value;
      }
      return sum;
    };
    const seconds = (name: string) => {
      const word = places.at(name);
      return word < 0 ? 0 : Math.max(0, f64[at + word] as number);
    };
    sums.files++;
    sums.opens += total("opens");
    sums.reads += total("reads");
    sums.writes += total("writes");
    sums.bytesRead += total("bytes_read");
    sums.bytesWritten += total("bytes_written");
    sums.readSeconds += seconds("F_READ_TIME");
    sums.writeSeconds += seconds("F_WRITE_TIME");
    sums.metaSeconds += seconds("F_META_TIME");
  }

  /** Adds the rows; `name` and `layout` tell what other parts of the log know of a file. */
  finish(
    into: TablesBuilder,
    runId: string,
    nprocs: bigint,
    name: (id: bigint) => NamedFile,
    layout: (id: bigint) => FileLayout | undefined,
  ): void {
    this.#appendFiles(into, runId, nprocs, name, layout);
    const loads = into.table(rankLoads);
    for (const [rank, sums] of this.#ranks)
      loads.append({
        run_id: runId,
        layer: this.#spec.name,
        rank,
        files: sums.files,
        opens: sums.opens,
        reads: sums.reads,
        writes: sums.writes,
        bytes_read: sums.bytesRead,
        bytes_written: sums.bytesWritten,
        read_seconds: sums.readSeconds,
        write_seconds: sums.writeSeconds,
        meta_seconds: sums.metaSeconds,
      });
    this.#finishCounters(into, runId);
  }

  #appendFiles(
    into: TablesBuilder,
    runId: string,
    nprocs: bigint,
    name: (id: bigint) => NamedFile,
    layout: (id: bigint) => FileLayout | undefined,
  ): void {
    const files = this.#files;
    const places = this.#places;
    const { count } = files;
    const ids = new BigUint64Array(files.id.values.buffer).subarray(0, count);
    const numbers = Array.from({ length: count }, (_, number) => number);
    const named = numbers.map((number) => name(ids[number] as bigint));
    const layouts = numbers.map((number) =>
      files.parentId.values[number] === 0n ? layout(ids[number] as bigint) : undefined,
    );
    files.accesses.finish(count);
    files.strides.finish(count);
    const columns: Record<string, ColumnSource> = {
      run_id: { all: runId },
      file_id: ids,
      parent_id: new BigUint64Array(files.parentId.values.buffer).subarray(0, count),
      layer: { all: this.#spec.name },
      path: named.map(({ path }) => path),
      mount: named.map(({ mount }) => mount),
      fs_type: named.map(({ fs_type }) => fs_type),
      shared: Uint8Array.from(numbers, (number) => files.shared.values[number] as number),
      ranks: numbers.map((number) =>
        files.shared.values[number] === 1 ? nprocs : (files.records.values[number] as number),
      ),
      longest_read_seconds: files.longestRead.seconds.values,
      longest_read_bytes: files.longestRead.bytes.values,
      longest_write_seconds: files.longestWrite.seconds.values,
      longest_write_bytes: files.longestWrite.bytes.values,
      slowest_rank: files.slowest.rank.values,
      slowest_bytes: files.slowest.bytes.values,
      slowest_seconds: files.slowest.seconds.values,
      fastest_rank: files.fastest.rank.values,
      fastest_bytes: files.fastest.bytes.values,
      fastest_seconds: files.fastest.seconds.values,
      variance_seconds: numbers.map((number) => files.secondsSpread.variance(number)),
      variance_bytes: numbers.map((number) => files.bytesSpread.variance(number)),
      ...(layouts.some((one) => one !== undefined)
        ? {
            stripe_count: layouts.map((one) => one?.stripe_count ?? null),
            stripe_bytes: layouts.map((one) => one?.stripe_bytes ?? null),
            components: layouts.map((one) => one?.components ?? null),
            osts: layouts.map((one) => one?.osts ?? null),
          }
        : {}),
    };
    const set = (
      list: readonly (readonly [string, unknown])[],
      values: readonly { values: ColumnSource }[],
    ) => {
      list.forEach(([column], index) => {
        columns[column] = (values[index] as { values: ColumnSource }).values;
      });
    };
    set(places.sums, files.sums);
    set(places.maxima, files.maxima);
    set(places.realSums, files.realSums);
    set(places.realFirsts, files.firsts);
    set(places.realLasts, files.lasts);
    if (places.chunks.length > 0) columns.chunk_bytes = files.chunkBytes.values;
    for (const [what, { columns: pairs }] of [
      ["access", files.accesses],
      ["stride", files.strides],
    ] as const)
      pairs.forEach(({ values }, slot) => {
        columns[`${what}${(slot >> 1) + 1}_${slot % 2 === 0 ? "bytes" : "count"}`] = values;
      });
    into.table(layers).appendColumns(count, columns);
  }

  #finishCounters(into: TablesBuilder, runId: string): void {
    if (this.#files.count === 0) return;
    const table = into.table(counters);
    const { integers, reals } = this.#totals?.figures() ?? this.#plainTotals;
    const common = (counter: Counter) => ({
      run_id: runId,
      module: this.#spec.name,
      name: counter.name,
      unit: counter.unit,
      rule: this.#totals === undefined ? "sum" : counter.total,
      meaning: counter.meaning,
    });
    this.#spec.integers.forEach((counter, index) => {
      if (this.#totals === undefined ? !isSummable(counter) : counter.total === "none") return;
      const value = integers[index] as bigint;
      table.append({ ...common(counter), integer: value === -1n && counter.unit !== "rank" ? null : value });
    });
    this.#spec.reals.forEach((counter, index) => {
      if (this.#totals === undefined ? !isSummable(counter) : counter.total === "none") return;
      table.append({ ...common(counter), real: reals[index] as number });
    });
  }
}

/** Amounts that add up; sizes, ranks and times of day do not. */
const isSummable = ({ name, unit }: Counter) =>
  !/TIMESTAMP|FASTEST|SLOWEST|_MAX_|ACCESS\d_ACCESS|DATATYPE|VARIANCE/.test(name) &&
  (unit === "count" || unit === "bytes" || unit === "seconds");

/** Sums for the modules whose totals darshan-parser does not print. */
class PlainTotals {
  readonly integers: BigInt64Array;
  readonly reals: Float64Array;
  readonly #spec: ModuleSpec;

  constructor(spec: ModuleSpec) {
    this.#spec = spec;
    this.integers = new BigInt64Array(spec.integers.length);
    this.reals = new Float64Array(spec.reals.length);
  }

  add(block: RecordBlock): void {
    const { i64, f64 } = block.views;
    const { integersAt, realsAt, integers, reals } = this.#spec;
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      integers.forEach((_, index) => {
        const value = i64[at + integersAt + index] as bigint;
        if (value > 0n) this.integers[index] = (this.integers[index] as bigint) + value;
      });
      reals.forEach((_, index) => {
        const value = f64[at + realsAt + index] as number;
        if (value > 0) this.reals[index] = (this.reals[index] as number) + value;
      });
    }
  }
}
