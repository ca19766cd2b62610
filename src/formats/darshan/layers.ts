/**
 * Records of a module as rows of `layers`, `rank_loads` and `counters`: the counters that modules name alike (bytes, calls,
 * sizes, times, slowest and fastest rank) under one name each. A counter of -1 was not recorded and adds nothing.
 */
import type { GrowingIntegers, GrowingReals } from "../../base/growing.ts";
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
import { type Places, placesOf, PREFIXES } from "./layer-counters.ts";
import { FileColumns } from "./layer-files.ts";
import { isTime, knownSeconds, timeOf, varianceOf } from "./known-values.ts";
import type { Counter, ModuleSpec } from "./modules/index.ts";
import { Totals } from "./totals.ts";

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
interface NamedFile {
  readonly path: string | null;
  readonly mount: string | null;
  readonly fs_type: string | null;
}

interface FileLayout {
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
  /** Counters that are negative without meaning "not available", and times that no job can take. They were left out. */
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
      if (isTime(value)) (files.realSums[index] as GrowingReals).add(number, value);
      else if (value !== -1) this.negative++;
    }
    // A time of zero never happened.
    for (let index = 0; index < places.realFirsts.length; index++) {
      const value = f64[at + (places.realFirsts[index] as (typeof places.realFirsts)[0])[1]] as number;
      const { values } = files.firsts[index] as GrowingReals;
      if (value > 0 && isTime(value) && !((values[number] as number) <= value)) values[number] = value;
    }
    for (let index = 0; index < places.realLasts.length; index++) {
      const value = f64[at + (places.realLasts[index] as (typeof places.realLasts)[0])[1]] as number;
      const { values } = files.lasts[index] as GrowingReals;
      if (value > 0 && isTime(value) && !((values[number] as number) >= value)) values[number] = value;
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
      const seconds = timeOf(real(`F_MAX_${way}_TIME`));
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
      const [slowest, fastest] = [timeOf(real("F_SLOWEST_RANK_TIME")), timeOf(real("F_FASTEST_RANK_TIME"))];
      set(files.slowest, slowest, integer("SLOWEST_RANK"), integer("SLOWEST_RANK_BYTES"));
      set(files.fastest, fastest, integer("FASTEST_RANK"), integer("FASTEST_RANK_BYTES"));
      files.secondsSpread.known.values[number] = Number.isNaN(slowest + fastest)
        ? Number.NaN
        : varianceOf(real("F_VARIANCE_RANK_TIME"));
      files.bytesSpread.known.values[number] = varianceOf(real("F_VARIANCE_RANK_BYTES"));
      return;
    }
    if (place("F_READ_TIME") < 0) return;
    const seconds = knownSeconds(real("F_READ_TIME"), real("F_WRITE_TIME"), real("F_META_TIME"));
    const amount = (name: string) => (integer(name) > 0n ? integer(name) : 0n);
    const bytes = amount("BYTES_READ") + amount("BYTES_WRITTEN");
    if (!Number.isNaN(seconds)) {
      if (!((files.slowest.seconds.values[number] as number) >= seconds))
        set(files.slowest, seconds, BigInt(rank), bytes);
      if (!((files.fastest.seconds.values[number] as number) <= seconds))
        set(files.fastest, seconds, BigInt(rank), bytes);
      files.secondsSpread.add(number, seconds);
    }
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
      return word < 0 ? 0 : timeOf(f64[at + word]) || 0;
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
    const processes = nprocs > 1n ? nprocs : 1n;
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
        files.shared.values[number] === 1 ? processes : (files.records.values[number] as number),
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
