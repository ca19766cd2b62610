/**
 * What darshan-parser derives from the records of one module: one record that sums up all (--total), counts of
 * files by kind (--file), and estimated performance (--perf). The rules follow darshan-util 3.5.0, so that
 * the figures are those that people know.
 */
import { wordNumber } from "../../base/words.ts";
import type { RecordBlock } from "./blocks.ts";
import { CounterTotals, type CounterFigures } from "./counter-totals.ts";
import type { DerivedColumns, ModuleSpec } from "./modules/index.ts";

export interface FileCount {
  count: number;
  bytes: bigint;
  /** Highest offset touched; -1 when the module does not know it. */
  maxOffset: bigint;
}

export interface DerivedFigures extends CounterFigures {
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
  readonly #columns: DerivedColumns;
  readonly #counters: CounterTotals;
  readonly #files = new Map<bigint, FileSums>();
  readonly #ranks = new Map<number, { total: number; meta: number; transfer: number }>();
  #totalBytes = 0n;
  #sharedSeconds = 0;

  constructor(spec: ModuleSpec, columns: DerivedColumns) {
    this.#columns = columns;
    this.#counters = new CounterTotals(spec, columns);
  }

  add(block: RecordBlock): void {
    this.#counters.add(block);
    for (let k = 0; k < block.count; k++) this.#addRecord(block, block.at(k));
  }

  #addRecord(block: RecordBlock, at: number): void {
    const { i64, f64, u64, u32 } = block.views;
    const columns = this.#columns;
    const rank = wordNumber(u32, at + 1);
    const read = i64[at + columns.bytesRead] as bigint;
    const written = i64[at + columns.bytesWritten] as bigint;
    const readTime = f64[at + columns.readTime] as number;
    const writeTime = f64[at + columns.writeTime] as number;
    const metaTime = f64[at + columns.metaTime] as number;
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
    this.#addFile(u64[at] as bigint, rank, read, written, this.#maxOffset(i64, at));
  }

  #maxOffset(i64: BigInt64Array, at: number): bigint {
    if (this.#columns.maxByteRead < 0) return -1n;
    const read = i64[at + this.#columns.maxByteRead] as bigint;
    const written = i64[at + this.#columns.maxByteWritten] as bigint;
    return read > written ? read : written;
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
      ...this.#counters.figures(),
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
