/**
 * Records of a module as rows of `layers`, `rank_loads` and `counters`: the counters that modules name alike (bytes, calls,
 * sizes, times, slowest and fastest rank) under one name each. A counter of -1 was not recorded and adds nothing.
 */
import { ExactSums } from "../../base/exact-sums.ts";
import type { PackedNumbers } from "../../base/packed.ts";
import { LOW, wordNumber } from "../../base/words.ts";
import { counters, layers, rankLoads, type TablesBuilder } from "../../model/index.ts";
import type { RecordBlock } from "./blocks.ts";
import { type ExtremeWords, extremeWords } from "./extreme-words.ts";
import { counterColumns } from "./counter-columns.ts";
import { CounterTotals } from "./counter-totals.ts";
import { type Places, placesOf, PREFIXES } from "./layer-counters.ts";
import { FileColumns } from "./layer-files.ts";
import { isTime, knownSeconds, timeOf, varianceOf } from "./known-values.ts";
import type { ModuleSpec } from "./modules/index.ts";
import { fileOfObject, hasFileId } from "./object-file.ts";
import { PlainTotals } from "./plain-totals.ts";

/** Columns of `rank_loads` that are sums of integers. */
const RANK_SUMS = ["opens", "reads", "writes", "bytes_read", "bytes_written"] as const;

interface RankSums {
  files: number;
  /** In the order of `RANK_SUMS`. */
  readonly integers: ExactSums;
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
  readonly #words: ExtremeWords;
  readonly #rankWords: readonly (readonly number[])[];
  /** Words that count reads and writes. */
  readonly #callWords: readonly number[];
  readonly #files: FileColumns;
  readonly #ranks = new Map<number, RankSums>();
  readonly #totals: CounterTotals | undefined;
  readonly #plainTotals: PlainTotals;
  /** Counters that are negative without meaning "not available", and times that no job can take. They were left out. */
  negative = 0;

  get module(): string {
    return this.#spec.name;
  }

  /** How many have a record. */
  get files(): number {
    return this.#files.count;
  }

  /** Rows of `layers` up to the last of this module. */
  get endRow(): number {
    return this.#files.firstRow + this.#files.count;
  }

  /** Undefined for modules without such rows. Numbers go to `into` at once, from `firstRow` on. */
  static of(spec: ModuleSpec, into: TablesBuilder, firstRow: number): LayerImport | undefined {
    const prefix = PREFIXES[spec.name];
    return prefix === undefined ? undefined : new LayerImport(spec, prefix, into, firstRow);
  }

  private constructor(spec: ModuleSpec, prefix: string, into: TablesBuilder, firstRow: number) {
    this.#spec = spec;
    this.#places = placesOf(spec, prefix);
    this.#words = extremeWords(this.#places);
    this.#rankWords = RANK_SUMS.map((column) => this.#places.wordsOf.get(column) ?? []);
    this.#callWords = ["reads", "writes"].flatMap((column) => this.#places.wordsOf.get(column) ?? []);
    this.#files = new FileColumns(this.#places, into.table(layers), firstRow);
    this.#totals = spec.derived === undefined ? undefined : new CounterTotals(spec, spec.derived);
    this.#plainTotals = new PlainTotals(spec);
  }

  add(block: RecordBlock): void {
    if (block.header) return;
    (this.#totals ?? this.#plainTotals).add(block);
    const { u64, u32 } = block.views;
    const parent = this.#spec.integersAt === 3 ? 2 : -1;
    // Most files have one record. New ones get rows one after another, so their counters go in column by column.
    let [firstNew, firstRow] = [0, 0];
    for (let k = 0; k < block.count; k++) {
      const [at, known] = [block.at(k), this.endRow];
      const row = this.#files.rowOf(u32, u64, at, parent < 0 ? -1 : at + parent);
      const isNew = row === known && block.starts === undefined;
      if (isNew && firstNew < k) continue;
      if (isNew) firstRow = row;
      else {
        this.#addNew(firstRow, block, firstNew, k);
        this.#addRecord(row, block, at);
        firstNew = k + 1;
      }
    }
    this.#addNew(firstRow, block, firstNew, block.count);
  }

  /** Records [from, to) of a block, each the first of its file, in rows from `row` on. */
  #addNew(row: number, block: RecordBlock, from: number, to: number): void {
    if (from >= to) return;
    const { u32, f64 } = block.views;
    const { stride } = block;
    const [count, at] = [to - from, block.at(from)];
    const { sums, maxima, realSums, realFirsts, realLasts, accesses, strides } = this.#places;
    const files = this.#files;
    files.records.fill(row, count, 1);
    this.#setWords(sums, files.sums, row, count, block, at, true);
    this.#setWords(maxima, files.maxima, row, count, block, at, false);
    realSums.forEach(([, word], index) => {
      const column = files.realSums[index] as PackedNumbers;
      for (let i = 0, from = at + word; i < count; i++, from += stride) {
        const value = f64[from] as number;
        if (isTime(value)) column.set(row + i, value);
        else if (value !== -1) this.negative++;
      }
    });
    const setTimes = (column: PackedNumbers, word: number) => {
      for (let i = 0, from = at + word; i < count; i++, from += stride) {
        const value = f64[from] as number;
        if (value > 0 && isTime(value)) column.set(row + i, value);
      }
    };
    realFirsts.forEach(([, word], index) => {
      setTimes(files.firsts[index] as PackedNumbers, word);
    });
    realLasts.forEach(([, word], index) => {
      setTimes(files.lasts[index] as PackedNumbers, word);
    });
    for (let i = 0, from = at; i < count; i++, from += stride) {
      files.accesses.add(row + i, true, accesses, u32, from);
      files.strides.add(row + i, true, strides, u32, from);
      this.#addOthers(row + i, block, from);
    }
  }

  /** Columns whose first word is the value of a new row; what further words of a column add to it comes after. */
  #setWords(
    places: Places["sums"],
    columns: readonly PackedNumbers[],
    row: number,
    count: number,
    block: RecordBlock,
    at: number,
    isSum: boolean,
  ): void {
    const { u32, i64 } = block.views;
    const onNegative = (word: number) => {
      if (isSum && i64[word] !== -1n) this.negative++;
    };
    places.forEach(([, [first = 0, ...others]], index) => {
      const column = columns[index] as PackedNumbers;
      column.setWords(row, count, u32, at + first, block.stride, onNegative);
      for (const other of others)
        for (let i = 0, word = at + other; i < count; i++, word += block.stride)
          if (isNegative(u32, word)) onNegative(word);
          else if (isSum) column.addWord(row + i, u32, word);
          else if (!(column.at(row + i) >= wordNumber(u32, word))) column.setWord(row + i, u32, word);
    });
  }

  /** A further record of a file. */
  #addRecord(row: number, block: RecordBlock, at: number): void {
    const { u32, f64 } = block.views;
    const places = this.#places;
    const files = this.#files;
    const isFirst = Number.isNaN(files.records.at(row));
    files.records.add(row, 1);
    this.#addIntegers(row, isFirst, block, at);
    for (let index = 0; index < places.realSums.length; index++) {
      const value = f64[at + (places.realSums[index] as (typeof places.realSums)[0])[1]] as number;
      if (isTime(value)) (files.realSums[index] as PackedNumbers).add(row, value);
      else if (value !== -1) this.negative++;
    }
    // A time of zero never happened.
    for (let index = 0; index < places.realFirsts.length; index++) {
      const value = f64[at + (places.realFirsts[index] as (typeof places.realFirsts)[0])[1]] as number;
      const column = files.firsts[index] as PackedNumbers;
      if (value > 0 && isTime(value) && !(column.at(row) <= value)) column.set(row, value);
    }
    for (let index = 0; index < places.realLasts.length; index++) {
      const value = f64[at + (places.realLasts[index] as (typeof places.realLasts)[0])[1]] as number;
      const column = files.lasts[index] as PackedNumbers;
      if (value > 0 && isTime(value) && !(column.at(row) >= value)) column.set(row, value);
    }
    files.accesses.add(row, isFirst, places.accesses, u32, at);
    files.strides.add(row, isFirst, places.strides, u32, at);
    this.#addOthers(row, block, at);
  }

  #addOthers(row: number, block: RecordBlock, at: number): void {
    const { u32 } = block.views;
    const rank = wordNumber(u32, at + 1);
    this.#addChunk(row, u32, at);
    this.#addLongest(row, block, at);
    if (rank < 0) this.#addShared(row, block, at);
    else {
      if (this.#callWords.length > 0)
        this.#files.ioRanks.add(row, this.#callWords.some((word) => wordNumber(u32, at + word) > 0) ? 1 : 0);
      this.#addExtremes(row, block, at, rank);
      this.#addRank(rank, block, at);
    }
  }

  #addIntegers(row: number, isFirst: boolean, block: RecordBlock, at: number): void {
    const { u32, i64 } = block.views;
    const { sums, maxima } = this.#places;
    const files = this.#files;
    for (let index = 0; index < sums.length; index++) {
      const column = files.sums[index] as PackedNumbers;
      const words = (sums[index] as (typeof sums)[0])[1];
      for (let i = 0; i < words.length; i++) {
        const word = at + (words[i] as number);
        if (isNegative(u32, word)) {
          if (i64[word] !== -1n) this.negative++;
        } else if (isFirst && words.length === 1) column.setWord(row, u32, word);
        else column.addWord(row, u32, word);
      }
    }
    for (let index = 0; index < maxima.length; index++) {
      const column = files.maxima[index] as PackedNumbers;
      for (const offset of (maxima[index] as (typeof maxima)[0])[1])
        if (!isNegative(u32, at + offset) && !(column.at(row) >= wordNumber(u32, at + offset)))
          column.setWord(row, u32, at + offset);
    }
  }

  #addChunk(row: number, u32: Uint32Array, at: number): void {
    const { chunks } = this.#places;
    if (chunks.length === 0) return;
    const lengths = chunks.map((word) => wordNumber(u32, at + word)).filter((length) => length > 0);
    const element = wordNumber(u32, at + this.#places.at("DATATYPE_SIZE"));
    const bytes = lengths.length === 0 ? 0 : lengths.reduce((a, b) => a * b, Math.max(element, 1));
    this.#files.chunkBytes.set(row, Math.min(bytes, Number.MAX_SAFE_INTEGER));
  }

  /** The slowest single read and write. */
  #addLongest(row: number, block: RecordBlock, at: number): void {
    const { longestRead, longestReadBytes, longestWrite, longestWriteBytes } = this.#words;
    const files = this.#files;
    if (longestRead >= 0) addLongest(files.longestRead, row, block, at, longestRead, longestReadBytes);
    if (longestWrite >= 0) addLongest(files.longestWrite, row, block, at, longestWrite, longestWriteBytes);
  }

  /** A record that all ranks were reduced to knows its fastest and slowest. */
  #addShared(row: number, { views: { u32, f64 } }: RecordBlock, at: number): void {
    const words = this.#words;
    const files = this.#files;
    files.shared.set(row, 1);
    if (words.slowest < 0) return;
    const real = (word: number) => (word < 0 ? Number.NaN : f64[at + word]);
    const [slowest, fastest] = [timeOf(real(words.slowest)), timeOf(real(words.fastest))];
    for (const [extreme, seconds, rank, bytes] of [
      [files.slowest, slowest, words.slowestRank, words.slowestBytes],
      [files.fastest, fastest, words.fastestRank, words.fastestBytes],
    ] as const) {
      extreme.seconds.set(row, seconds);
      setWord(extreme.rank, row, u32, at, rank);
      setWord(extreme.bytes, row, u32, at, bytes);
    }
    files.secondsSpread.known.set(
      row,
      Number.isNaN(slowest + fastest) ? Number.NaN : varianceOf(real(words.varianceSeconds)),
    );
    files.bytesSpread.known.set(row, varianceOf(real(words.varianceBytes)));
  }

  #addExtremes(row: number, { views: { u32, i64, f64 } }: RecordBlock, at: number, rank: number): void {
    const words = this.#words;
    if (words.read < 0) return;
    const files = this.#files;
    const real = (word: number) => (word < 0 ? Number.NaN : (f64[at + word] as number));
    const seconds = knownSeconds(real(words.read), real(words.write), real(words.meta));
    const bytes = amount(u32, at, words.bytesRead) + amount(u32, at, words.bytesWritten);
    if (!Number.isNaN(seconds)) {
      const setExtreme = (extreme: typeof files.slowest) => {
        extreme.seconds.set(row, seconds);
        extreme.rank.set(row, rank);
        if (Number.isSafeInteger(bytes)) extreme.bytes.set(row, bytes);
        else extreme.bytes.setExact(row, exactAmount(i64, at, words));
      };
      if (!(files.slowest.seconds.at(row) >= seconds)) setExtreme(files.slowest);
      if (!(files.fastest.seconds.at(row) <= seconds)) setExtreme(files.fastest);
      files.secondsSpread.add(row, seconds);
    }
    files.bytesSpread.add(row, Number.isSafeInteger(bytes) ? bytes : Number(exactAmount(i64, at, words)));
  }

  #addRank(rank: number, { views: { u32, i64, f64 } }: RecordBlock, at: number): void {
    let sums = this.#ranks.get(rank);
    if (sums === undefined) {
      const integers = new ExactSums(RANK_SUMS.length);
      sums = { files: 0, integers, readSeconds: 0, writeSeconds: 0, metaSeconds: 0 };
      this.#ranks.set(rank, sums);
    }
    sums.files++;
    for (let index = 0; index < RANK_SUMS.length; index++)
      for (const word of this.#rankWords[index] as readonly number[])
        if (!isNegative(u32, at + word)) sums.integers.addWord(index, u32, i64, at + word);
    const { read, write, meta } = this.#words;
    const seconds = (word: number) => (word < 0 ? 0 : timeOf(f64[at + word]) || 0);
    sums.readSeconds += seconds(read);
    sums.writeSeconds += seconds(write);
    sums.metaSeconds += seconds(meta);
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
        ...Object.fromEntries(RANK_SUMS.map((column, index) => [column, sums.integers.at(index)])),
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
    const { count, firstRow } = files;
    const table = into.table(layers);
    files.finish(table, nprocs > 1n ? nprocs : 1n);
    const [ids, parents] = [files.ids(), files.parents()];
    const paths: (string | null)[] = [];
    const mounts: (string | null)[] = [];
    const types: (string | null)[] = [];
    const osts: (string | null)[] = [];
    const [stripeCounts, stripeBytes] = [table.numbers("stripe_count"), table.numbers("stripe_bytes")];
    const components = table.numbers("components");
    for (let number = 0; number < count; number++) {
      const named = name(ids[number] as bigint);
      if (hasFileId(this.#spec) && parents[number] === 0n) parents[number] = fileOfObject(named.path, name);
      paths.push(named.path);
      mounts.push(named.mount);
      types.push(named.fs_type);
      const laid = parents[number] === 0n ? layout(ids[number] as bigint) : undefined;
      osts.push(laid?.osts ?? null);
      if (laid === undefined) continue;
      stripeCounts.setExact(firstRow + number, laid.stripe_count);
      stripeBytes.setExact(firstRow + number, laid.stripe_bytes);
      components.set(firstRow + number, laid.components);
    }
    table.appendColumns(count, {
      run_id: { all: runId },
      file_id: ids,
      parent_id: parents,
      layer: { all: this.#spec.name },
      path: paths,
      mount: mounts,
      fs_type: types,
      osts: osts,
      shared: Uint8Array.from(ids, (_, number) => files.shared.at(firstRow + number) || 0),
    });
  }

  #finishCounters(into: TablesBuilder, runId: string): void {
    if (this.#files.count === 0) return;
    const { integers, reals } = this.#totals?.figures() ?? this.#plainTotals;
    const { columns, integersAt, realsAt } = counterColumns(this.#spec, this.#totals !== undefined);
    const values = integersAt.map((index) => {
      const value = integers[index] as bigint;
      return value === -1n && this.#spec.integers[index]?.unit !== "rank" ? null : value;
    });
    into.table(counters).appendColumns(columns.name.length, {
      ...{ ...columns, run_id: { all: runId }, module: { all: this.#spec.name } },
      integer: [...values, ...realsAt.map(() => null)],
      real: [...integersAt.map(() => null), ...realsAt.map((index) => reals[index] as number)],
    });
  }
}

const isNegative = (u32: Uint32Array, word: number) => ((u32[2 * word + 1 - LOW] as number) | 0) < 0;

/** Word `offset` of the record at `at`; missing when the module has none. */
function setWord(column: PackedNumbers, row: number, u32: Uint32Array, at: number, offset: number): void {
  if (offset < 0) column.set(row, Number.NaN);
  else column.setWord(row, u32, at + offset);
}

function addLongest(
  longest: FileColumns["longestRead"],
  row: number,
  { views: { u32, f64 } }: RecordBlock,
  at: number,
  time: number,
  size: number,
): void {
  const seconds = timeOf(f64[at + time]);
  if (!(seconds > 0) || longest.seconds.at(row) >= seconds) return;
  longest.seconds.set(row, seconds);
  setWord(longest.bytes, row, u32, at, size);
}

/** Bytes that are not below zero; as a double, so that huge ones are rounded. */
const amount = (u32: Uint32Array, at: number, offset: number): number =>
  offset < 0 || isNegative(u32, at + offset) ? 0 : wordNumber(u32, at + offset);

function exactAmount(i64: BigInt64Array, at: number, { bytesRead, bytesWritten }: ExtremeWords): bigint {
  let sum = 0n;
  for (const offset of [bytesRead, bytesWritten]) {
    const value = offset < 0 ? 0n : (i64[at + offset] as bigint);
    if (value > 0n) sum += value;
  }
  return BigInt.asIntN(64, sum);
}
