/**
 * Records of a module as rows of `layers`, `rank_loads` and `counters`: the counters that modules name alike (bytes, calls,
 * sizes, times, slowest and fastest rank) under one name each. A counter of -1 was not recorded and adds nothing.
 */
import { LOW, wordNumber } from "../../base/words.ts";
import { counters, layers, MISSING_I64, rankLoads, type TablesBuilder } from "../../model/index.ts";
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

/** One file or dataset while its records pass by. */
class FileSums {
  readonly id: bigint;
  readonly parentId: bigint;
  readonly sums: BigInt64Array;
  readonly maxima: BigInt64Array;
  readonly realSums: Float64Array;
  readonly firsts: Float64Array;
  readonly lasts: Float64Array;
  readonly accesses = new Map<number, number>();
  readonly strides = new Map<number, number>();
  shared = false;
  records = 0;
  chunkBytes: number = Number.NaN;
  longestRead = { seconds: Number.NaN, bytes: MISSING_I64 };
  longestWrite = { seconds: Number.NaN, bytes: MISSING_I64 };
  slowest = { seconds: Number.NaN, rank: MISSING_I64, bytes: MISSING_I64 };
  fastest = { seconds: Number.NaN, rank: MISSING_I64, bytes: MISSING_I64 };
  seconds = new Spread();
  bytes = new Spread();

  constructor(id: bigint, parentId: bigint, places: Places) {
    this.id = id;
    this.parentId = parentId;
    this.sums = new BigInt64Array(places.sums.length).fill(MISSING_I64);
    this.maxima = new BigInt64Array(places.maxima.length).fill(MISSING_I64);
    this.realSums = new Float64Array(places.realSums.length).fill(Number.NaN);
    this.firsts = new Float64Array(places.realFirsts.length).fill(Number.NaN);
    this.lasts = new Float64Array(places.realLasts.length).fill(Number.NaN);
  }
}

/** Mean and variance in one pass (Welford); or a variance that is known. */
class Spread {
  #count = 0;
  #mean = 0;
  #squares = 0;
  known: number | undefined;

  add(value: number): void {
    this.#count++;
    const away = value - this.#mean;
    this.#mean += away / this.#count;
    this.#squares += away * (value - this.#mean);
  }

  get variance(): number {
    return this.known ?? (this.#count === 0 ? Number.NaN : this.#squares / this.#count);
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
  readonly #files = new Map<bigint, FileSums>();
  readonly #ranks = new Map<number, RankSums>();
  readonly #totals: Totals | undefined;
  readonly #plainTotals: PlainTotals;

  /** Undefined for modules without such rows. */
  static of(spec: ModuleSpec): LayerImport | undefined {
    const prefix = PREFIXES[spec.name];
    return prefix === undefined ? undefined : new LayerImport(spec, prefix);
  }

  private constructor(spec: ModuleSpec, prefix: string) {
    this.#spec = spec;
    this.#places = placesOf(spec, prefix);
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
    const id = u64[at] as bigint;
    let file = this.#files.get(id);
    if (file === undefined) {
      file = new FileSums(id, this.#spec.integersAt === 3 ? (u64[at + 2] as bigint) : 0n, places);
      this.#files.set(id, file);
    }
    file.records++;
    const rank = wordNumber(u32, at + 1);
    const isNegative = (word: number) => ((u32[2 * word + 1 - LOW] as number) | 0) < 0;
    places.sums.forEach(([, words], index) => {
      for (const word of words) {
        const place = at + word;
        if (isNegative(place)) continue;
        const sum = file.sums[index] as bigint;
        if (sum === MISSING_I64) file.sums[index] = i64[place] as bigint;
        else if (u32[2 * place] !== 0 || u32[2 * place + 1] !== 0)
          file.sums[index] = sum + (i64[place] as bigint);
      }
    });
    places.maxima.forEach(([, words], index) => {
      for (const word of words) {
        const value = i64[at + word] as bigint;
        if (value >= 0n && value > (file.maxima[index] as bigint)) file.maxima[index] = value;
      }
    });
    const real = (word: number) => (word < 0 ? Number.NaN : (f64[at + word] as number));
    places.realSums.forEach(([, word], index) => {
      const value = real(word);
      const sum = file.realSums[index] as number;
      if (value >= 0) file.realSums[index] = Number.isNaN(sum) ? value : sum + value;
    });
    // A time of zero never happened.
    places.realFirsts.forEach(([, word], index) => {
      const value = real(word);
      if (value > 0 && !((file.firsts[index] as number) <= value)) file.firsts[index] = value;
    });
    places.realLasts.forEach(([, word], index) => {
      const value = real(word);
      if (value > 0 && !((file.lasts[index] as number) >= value)) file.lasts[index] = value;
    });
    addFrequent(file.accesses, places.accesses, u32, at);
    addFrequent(file.strides, places.strides, u32, at);
    this.#addChunk(file, u32, at);
    this.#addExtremes(file, block, at, rank);
    if (rank >= 0) this.#addRank(rank, block, at);
  }

  #addChunk(file: FileSums, u32: Uint32Array, at: number): void {
    const { chunks } = this.#places;
    if (chunks.length === 0) return;
    const lengths = chunks.map((word) => wordNumber(u32, at + word)).filter((length) => length > 0);
    const element = wordNumber(u32, at + this.#places.at("DATATYPE_SIZE"));
    file.chunkBytes = lengths.length === 0 ? 0 : lengths.reduce((a, b) => a * b, Math.max(element, 1));
  }

  #addExtremes(file: FileSums, block: RecordBlock, at: number, rank: number): void {
    const { i64, f64 } = block.views;
    const { at: place } = this.#places;
    const real = (name: string) => (place(name) < 0 ? Number.NaN : (f64[at + place(name)] as number));
    const integer = (name: string) => (place(name) < 0 ? MISSING_I64 : (i64[at + place(name)] as bigint));
    for (const [longest, way] of [
      [file.longestRead, "READ"],
      [file.longestWrite, "WRITE"],
    ] as const) {
      const seconds = real(`F_MAX_${way}_TIME`);
      if (seconds > 0 && !(longest.seconds >= seconds)) {
        longest.seconds = seconds;
        longest.bytes = integer(`MAX_${way}_TIME_SIZE`);
      }
    }
    if (rank < 0) {
      file.shared = true;
      if (place("F_SLOWEST_RANK_TIME") < 0) return;
      file.slowest = {
        seconds: real("F_SLOWEST_RANK_TIME"),
        rank: integer("SLOWEST_RANK"),
        bytes: integer("SLOWEST_RANK_BYTES"),
      };
      file.fastest = {
        seconds: real("F_FASTEST_RANK_TIME"),
        rank: integer("FASTEST_RANK"),
        bytes: integer("FASTEST_RANK_BYTES"),
      };
      file.seconds.known = real("F_VARIANCE_RANK_TIME");
      file.bytes.known = real("F_VARIANCE_RANK_BYTES");
      return;
    }
    if (place("F_READ_TIME") < 0) return;
    const seconds = real("F_READ_TIME") + real("F_WRITE_TIME") + real("F_META_TIME");
    const amount = (name: string) => (integer(name) > 0n ? integer(name) : 0n);
    const bytes = amount("BYTES_READ") + amount("BYTES_WRITTEN");
    const own = { seconds, rank: BigInt(rank), bytes };
    if (!(file.slowest.seconds >= seconds)) file.slowest = own;
    if (!(file.fastest.seconds <= seconds)) file.fastest = own;
    file.seconds.add(seconds);
    file.bytes.add(Number(bytes));
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
    const table = into.table(layers);
    for (const file of this.#files.values())
      table.append({
        run_id: runId,
        file_id: file.id,
        parent_id: file.parentId,
        layer: this.#spec.name,
        ...name(file.id),
        ...this.#values(file, nprocs),
        ...(file.parentId === 0n ? layout(file.id) : undefined),
      });
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

  #values(file: FileSums, nprocs: bigint) {
    const places = this.#places;
    const row: Record<string, number | bigint | null> = {
      shared: file.shared ? 1 : 0,
      ranks: file.shared ? nprocs : file.records,
      slowest_seconds: file.slowest.seconds,
      slowest_rank: file.slowest.rank,
      slowest_bytes: file.slowest.bytes,
      fastest_seconds: file.fastest.seconds,
      fastest_rank: file.fastest.rank,
      fastest_bytes: file.fastest.bytes,
      variance_seconds: file.seconds.variance,
      variance_bytes: file.bytes.variance,
      longest_read_seconds: file.longestRead.seconds,
      longest_read_bytes: file.longestRead.bytes,
      longest_write_seconds: file.longestWrite.seconds,
      longest_write_bytes: file.longestWrite.bytes,
    };
    const set = (list: readonly (readonly [string, unknown])[], values: BigInt64Array | Float64Array) => {
      list.forEach(([column], index) => {
        row[column] = values[index] as number | bigint;
      });
    };
    set(places.sums, file.sums);
    set(places.maxima, file.maxima);
    set(places.realSums, file.realSums);
    set(places.realFirsts, file.firsts);
    set(places.realLasts, file.lasts);
    if (!Number.isNaN(file.chunkBytes)) row.chunk_bytes = BigInt(file.chunkBytes);
    for (const [what, map] of [
      ["access", file.accesses],
      ["stride", file.strides],
    ] as const) {
      [...map]
        .sort((a, b) => b[1] - a[1] || b[0] - a[0])
        .slice(0, 4)
        .forEach(([bytes, count], index) => {
          row[`${what}${index + 1}_bytes`] = bytes;
          row[`${what}${index + 1}_count`] = count;
        });
    }
    return row;
  }

  #finishCounters(into: TablesBuilder, runId: string): void {
    if (this.#files.size === 0) return;
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

/** A few more than the four that are shown, so that a value spread over ranks is not lost at once. */
const FREQUENT_KEPT = 64;

function addFrequent(
  into: Map<number, number>,
  places: readonly (readonly [number, number])[],
  u32: Uint32Array,
  at: number,
): void {
  for (const [value, count] of places) {
    const times = wordNumber(u32, at + count);
    if (times <= 0) continue;
    const size = wordNumber(u32, at + value);
    const known = into.get(size);
    if (known !== undefined || into.size < FREQUENT_KEPT) into.set(size, (known ?? 0) + times);
  }
}
