/**
 * What darshan-parser derives from the records of one module: one record that sums up all (--total), counts of
 * files by kind (--file), and estimated performance (--perf). The rules follow darshan-util 3.5.0, so that
 * the figures are those that people know.
 */
import { LOW } from "../../base/words.ts";
import type { RecordBlock } from "./blocks.ts";
import type { DerivedColumns, ModuleSpec } from "./modules/index.ts";

export interface FileCount {
  count: number;
  bytes: bigint;
  /** Highest offset touched; -1 when the module does not know it. */
  maxOffset: bigint;
}

export interface DerivedFigures {
  readonly integers: BigInt64Array;
  readonly reals: Float64Array;
  readonly files: {
    readonly total: FileCount;
    readonly readOnly: FileCount;
    readonly writeOnly: FileCount;
    readonly readWrite: FileCount;
    readonly unique: FileCount;
    readonly shared: FileCount;
  };
  readonly totalBytes: bigint;
  /** Rank that spent most time in files of its own, with that time and its two parts. */
  readonly slowestRank: number;
  readonly uniqueSeconds: number;
  readonly uniqueMetaSeconds: number;
  readonly uniqueTransferSeconds: number;
  /** Sum over shared files of the time of the slowest rank in each. */
  readonly sharedSeconds: number;
  readonly totalSeconds: number;
  readonly mebibytesPerSecond: number;
}

interface FileSums {
  read: bigint;
  written: bigint;
  maxOffset: bigint;
  /** Ranks with a record, or -1 when all share it. */
  ranks: number;
}

export class Totals {
  readonly #spec: ModuleSpec;
  readonly #columns: DerivedColumns;
  readonly #integers: BigInt64Array;
  readonly #reals: Float64Array;
  readonly #files = new Map<bigint, FileSums>();
  readonly #ranks = new Map<number, { total: number; meta: number; transfer: number }>();
  #first: bigint | undefined;
  /** Word indexes by rule, so that the loop over a record does not look at names. */
  readonly #sums: number[] = [];
  readonly #lasts: number[] = [];
  readonly #maxima: number[] = [];
  readonly #commons: number[] = [];
  readonly #realSums: number[] = [];
  readonly #realFirsts: number[] = [];
  readonly #realMaxima: number[] = [];
  #totalBytes = 0n;
  #sharedSeconds = 0;

  constructor(spec: ModuleSpec, columns: DerivedColumns) {
    this.#spec = spec;
    this.#columns = columns;
    this.#integers = new BigInt64Array(spec.integers.length);
    this.#reals = new Float64Array(spec.reals.length);
    spec.integers.forEach(({ total, name }, index) => {
      if (total === "sum") this.#sums.push(index);
      else if (total === "last") this.#lasts.push(index);
      else if (total === "max") this.#maxima.push(index);
      else if (total === "common" && name.includes("1_")) this.#commons.push(index);
    });
    const longest = new Set(columns.longest.map(([time]) => time - spec.realsAt));
    spec.reals.forEach(({ total }, index) => {
      if (total === "sum") this.#realSums.push(index);
      else if (total === "first") this.#realFirsts.push(index);
      else if (total === "max" && !longest.has(index)) this.#realMaxima.push(index);
    });
  }

  add(block: RecordBlock): void {
    for (let k = 0; k < block.count; k++) this.#addRecord(block, block.at(k));
  }

  #addRecord(block: RecordBlock, at: number): void {
    const { i64, f64, u64, u32 } = block.views;
    const { integersAt, realsAt, clampSums, needsFirstCommon } = this.#spec;
    const columns = this.#columns;
    const id = u64[at] as bigint;
    const rank =
      ((u32[2 * (at + 1) + 1 - LOW] as number) | 0) * 4294967296 + (u32[2 * (at + 1) + LOW] as number);
    const opening = this.#first === undefined;
    this.#first ??= id;
    const sameFile = this.#first === id;
    // Once two files have met, the sum is of no file (the reference tool sets its id to 0).
    if (!sameFile) this.#first = 0n;

    const integers = this.#integers;
    const reals = this.#reals;
    for (const index of this.#sums) {
      // Most counters are zero, and halves tell so without making a BigInt.
      const word = 2 * (at + integersAt + index);
      if (u32[word] === 0 && u32[word + 1] === 0) continue;
      const sum = BigInt.asIntN(64, (integers[index] as bigint) + (i64[at + integersAt + index] as bigint));
      integers[index] = clampSums && sum < 0n ? -1n : sum;
    }
    for (const index of this.#lasts) integers[index] = i64[at + integersAt + index] as bigint;
    for (const index of this.#maxima) {
      const value = i64[at + integersAt + index] as bigint;
      if (value > (integers[index] as bigint)) integers[index] = value;
    }
    for (const index of this.#commons) {
      // MPI-IO passes over a record without a most frequent size.
      if (needsFirstCommon && i64[at + integersAt + index] === 0n) continue;
      mergeCommon(integers, index, i64, at + integersAt + index);
    }
    for (const index of this.#realSums)
      reals[index] = (reals[index] as number) + (f64[at + realsAt + index] as number);
    for (const index of this.#realFirsts) {
      const value = f64[at + realsAt + index] as number;
      if (value > 0 && (reals[index] === 0 || value < (reals[index] as number))) reals[index] = value;
    }
    for (const index of this.#realMaxima) {
      const value = f64[at + realsAt + index] as number;
      if (value > (reals[index] as number)) reals[index] = value;
    }
    for (const [time, size] of columns.longest) {
      const value = f64[at + time] as number;
      if (value > (reals[time - realsAt] as number)) {
        reals[time - realsAt] = value;
        integers[size - integersAt] = i64[at + size] as bigint;
      }
    }

    const read = i64[at + columns.bytesRead] as bigint;
    const written = i64[at + columns.bytesWritten] as bigint;
    const readTime = f64[at + columns.readTime] as number;
    const writeTime = f64[at + columns.writeTime] as number;
    const metaTime = f64[at + columns.metaTime] as number;
    const shared = rank === -1;
    this.#extremes(
      opening,
      sameFile,
      shared ? (i64[at + columns.fastestRank] as bigint) : (i64[at + 1] as bigint),
      shared ? (i64[at + columns.fastestBytes] as bigint) : read + written,
      shared ? (f64[at + columns.fastestTime] as number) : readTime + writeTime + metaTime,
      shared ? (i64[at + columns.slowestRank] as bigint) : (i64[at + 1] as bigint),
      shared ? (i64[at + columns.slowestBytes] as bigint) : read + written,
      shared ? (f64[at + columns.slowestTime] as number) : readTime + writeTime + metaTime,
    );

    this.#totalBytes = BigInt.asIntN(64, this.#totalBytes + read + written);
    if (rank < 0) this.#sharedSeconds += f64[at + columns.slowestTime] as number;
    else {
      let sums = this.#ranks.get(rank);
      if (sums === undefined) {
        sums = { total: 0, meta: 0, transfer: 0 };
        this.#ranks.set(rank, sums);
      }
      // The order of the additions is that of the reference tool, down to the last bit.
      sums.total += metaTime + readTime + writeTime;
      sums.meta += metaTime;
      sums.transfer += readTime + writeTime;
    }
    this.#addFile(id, rank, read, written, this.#maxOffset(i64, at));
  }

  #maxOffset(i64: BigInt64Array, at: number): bigint {
    if (this.#columns.maxByteRead < 0) return -1n;
    const read = i64[at + this.#columns.maxByteRead] as bigint;
    const written = i64[at + this.#columns.maxByteWritten] as bigint;
    return read > written ? read : written;
  }

  /** Fastest and slowest rank mean something only while all records are of one file. */
  #extremes(
    opening: boolean,
    sameFile: boolean,
    fastRank: bigint,
    fastBytes: bigint,
    fastTime: number,
    slowRank: bigint,
    slowBytes: bigint,
    slowTime: number,
  ): void {
    const { integersAt, realsAt } = this.#spec;
    const columns = this.#columns;
    const set = (
      rankAt: number,
      bytesAt: number,
      timeAt: number,
      rank: bigint,
      bytes: bigint,
      time: number,
    ) => {
      this.#integers[rankAt - integersAt] = rank;
      this.#integers[bytesAt - integersAt] = bytes;
      this.#reals[timeAt - realsAt] = time;
    };
    if (!sameFile) {
      set(columns.fastestRank, columns.fastestBytes, columns.fastestTime, -1n, -1n, 0);
      set(columns.slowestRank, columns.slowestBytes, columns.slowestTime, -1n, -1n, 0);
      return;
    }
    if (opening || fastTime < (this.#reals[columns.fastestTime - realsAt] as number)) {
      set(columns.fastestRank, columns.fastestBytes, columns.fastestTime, fastRank, fastBytes, fastTime);
    }
    if (opening || slowTime > (this.#reals[columns.slowestTime - realsAt] as number)) {
      set(columns.slowestRank, columns.slowestBytes, columns.slowestTime, slowRank, slowBytes, slowTime);
    }
  }

  #addFile(id: bigint, rank: number, read: bigint, written: bigint, maxOffset: bigint): void {
    let file = this.#files.get(id);
    if (file === undefined) {
      file = { read: 0n, written: 0n, maxOffset: 0n, ranks: 0 };
      this.#files.set(id, file);
    }
    file.read += read;
    file.written += written;
    if (maxOffset === -1n) file.maxOffset = -1n;
    else if (maxOffset > file.maxOffset) file.maxOffset = maxOffset;
    file.ranks = rank < 0 ? -1 : file.ranks + 1;
  }

  figures(): DerivedFigures {
    const count = (): FileCount => ({ count: 0, bytes: 0n, maxOffset: 0n });
    const files = {
      total: count(),
      readOnly: count(),
      writeOnly: count(),
      readWrite: count(),
      unique: count(),
      shared: count(),
    };
    const wholly = count();
    const partly = count();
    for (const file of this.#files.values()) {
      include(files.total, file);
      if (file.read > 0n && file.written === 0n) include(files.readOnly, file);
      else if (file.written > 0n && file.read === 0n) include(files.writeOnly, file);
      else if (file.written > 0n && file.read > 0n) include(files.readWrite, file);
      include(file.ranks === 1 ? files.unique : file.ranks === -1 ? wholly : partly, file);
    }
    // The reference tool adds the two highest offsets; kept, since people compare the lines.
    files.shared.count = wholly.count + partly.count;
    files.shared.bytes = wholly.bytes + partly.bytes;
    files.shared.maxOffset = wholly.maxOffset + partly.maxOffset;

    let slowestRank = 0;
    let slowest = { total: 0, meta: 0, transfer: 0 };
    for (const rank of [...this.#ranks.keys()].sort((a, b) => a - b)) {
      const sums = this.#ranks.get(rank) as typeof slowest;
      if (sums.total > slowest.total) {
        slowest = sums;
        slowestRank = rank;
      }
    }
    const totalSeconds = slowest.total + this.#sharedSeconds;
    return {
      integers: this.#integers,
      reals: this.#reals,
      files,
      totalBytes: this.#totalBytes,
      slowestRank,
      uniqueSeconds: slowest.total,
      uniqueMetaSeconds: slowest.meta,
      uniqueTransferSeconds: slowest.transfer,
      sharedSeconds: this.#sharedSeconds,
      totalSeconds,
      mebibytesPerSecond: totalSeconds === 0 ? 0 : Number(this.#totalBytes) / 1048576 / totalSeconds,
    };
  }
}

function include(into: FileCount, file: FileSums): void {
  into.count++;
  into.bytes += file.read + file.written;
  if (file.maxOffset === -1n) into.maxOffset = -1n;
  else if (file.maxOffset > into.maxOffset) into.maxOffset = file.maxOffset;
}

/**
 * Merges the four most frequent values of a record (at `from`: four values, then four counts) into those of the sum
 * (at `at`). Equal values add their counts but keep their places; a new value goes in front of the first that is
 * rarer, or as rare and not larger, and the last one falls out. This is the reference tool's rule to the letter,
 * which shows on damaged counters: slots without a value merge like any other, a new count is weighed by its low 32
 * bits, and a value that stands twice in the record replaces itself.
 */
function mergeCommon(sum: BigInt64Array, at: number, record: BigInt64Array, from: number): void {
  const isNew = [true, true, true, true];
  for (let j = 0; j < 4; j++) {
    for (let k = 0; k < 4; k++) {
      if (sum[at + k] !== record[from + j]) continue;
      sum[at + k + 4] = (sum[at + k + 4] as bigint) + (record[from + j + 4] as bigint);
      isNew[j] = false;
    }
  }
  for (let j = 0; j < 4; j++) {
    if (!isNew[j]) continue;
    const value = record[from + j] as bigint;
    const count = record[from + j + 4] as bigint;
    if (value === 0n) break;
    let weight = count;
    for (let k = 0; k < 4; k++) if (sum[at + k] === value) weight += sum[at + k + 4] as bigint;
    weight = BigInt.asIntN(32, weight);
    let place = 0;
    while (place < 4) {
      const other = sum[at + place + 4] as bigint;
      if (other > weight || (other === weight && (sum[at + place] as bigint) > value)) place++;
      else break;
    }
    if (place === 4) break;
    insertCommon(sum, at, place, value, count);
  }
}

/** Puts a value at its place; those behind it move on, but for the same value. */
function insertCommon(sum: BigInt64Array, at: number, place: number, value: bigint, count: bigint): void {
  const values = [value];
  const counts = [count];
  for (let k = place; place + values.length < 4; k++) {
    if (sum[at + k] === value) continue;
    values.push(sum[at + k] as bigint);
    counts.push(sum[at + k + 4] as bigint);
  }
  sum.set(values, at + place);
  sum.set(counts, at + place + 4);
}
