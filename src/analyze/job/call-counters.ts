/** Counters of one file in one layer, from its calls. They mean what Darshan's counters of the same name mean. */
import { type CallFile, Operation, SIZE_NAMES } from "../../model/index.ts";
import { type CallStretch, offsetAt } from "./run-calls.ts";

export interface RankSums {
  opens: number;
  reads: number;
  writes: number;
  bytesRead: number;
  bytesWritten: number;
  readSeconds: number;
  writeSeconds: number;
  metaSeconds: number;
}

/** What a process did, and where it was in the file. */
interface RankState extends RankSums {
  /** End of its last access in either direction; NaN before the first. */
  nextOffset: number;
  /** Last byte that it read and wrote, as Darshan has them: 0 before the first. */
  lastRead: number;
  lastWritten: number;
  /** Operation of its last read or write; -1 before the first. */
  last: number;
}

/** Upper bounds of Darshan's size classes, inclusive. */
const SIZE_LIMITS = [
  ...[100, 1024, 10 * 1024, 100 * 1024, 2 ** 20, 4 * 2 ** 20, 10 * 2 ** 20, 100 * 2 ** 20, 2 ** 30],
];
/** Different sizes and strides that are counted of a file; the first ones stay. */
const VALUES_MAX = 1024;
/** Of calls whose input does not name files. */
const UNNAMED = "(files not named)";
const FREQUENT = [1, 2, 3, 4];

class Direction {
  calls = 0;
  collective = 0;
  bytes = 0;
  maxByte = -1;
  sequential = 0;
  consecutive = 0;
  readonly sizes = new Array<number>(SIZE_NAMES.length).fill(0);
  seconds = 0;
  longestSeconds = 0;
  longestBytes = 0;
  start = Number.NaN;
  end = Number.NaN;

  add(bytes: number, start: number, end: number): void {
    const seconds = end - start;
    this.calls++;
    this.bytes += bytes;
    this.seconds += seconds;
    const size = SIZE_LIMITS.findIndex((limit) => bytes <= limit);
    this.sizes[size < 0 ? SIZE_LIMITS.length : size]! += 1;
    if (seconds > this.longestSeconds) [this.longestSeconds, this.longestBytes] = [seconds, bytes];
    if (!(this.start <= start)) this.start = start;
    if (!(this.end >= end)) this.end = end;
  }
}

/** The rank of each process of the survey, and how many there are. */
export interface Ranks {
  readonly of: readonly number[];
  readonly count: number;
}

interface RowSetting {
  /** Of the run, on the clock of the calls, in seconds. */
  readonly start: number;
  readonly ranks: Ranks;
  /** Whether the input has metadata calls at all; otherwise their counts are not known. */
  readonly hasMetadata: boolean;
  /** Whether the input tells collective calls of MPI-IO from independent ones. */
  readonly tellsCollectives: boolean;
}

export class FileLayer {
  readonly layer: string;
  /** By number of the process in the survey. */
  readonly ranks = new Map<number, RankState>();
  readonly #file: CallFile & { readonly fileId: bigint };
  readonly #read = new Direction();
  readonly #write = new Direction();
  readonly #metadata = new Map<number, { calls: number; seconds: number; start: number; end: number }>();
  #metaSeconds = 0;
  #syncSeconds = 0;
  #switches = 0;
  #offsetsKnown = true;
  readonly #accesses = new Map<number, number>();
  readonly #strides = new Map<number, number>();

  constructor(file: CallFile & { readonly fileId: bigint }, layer: string) {
    this.#file = file;
    this.layer = layer;
  }

  /** Times in seconds, on the clock of the survey. */
  add(calls: CallStretch, i: number, start: number, end: number): void {
    const { operation } = calls;
    const rank = this.#rank(calls.rank);
    const isWrite = operation === Operation.write;
    if (!isWrite && operation !== Operation.read) {
      this.#addMetadata(rank, operation, start, end);
      return;
    }
    const bytes = calls.bytes[i] as number;
    const way = isWrite ? this.#write : this.#read;
    way.add(bytes, start, end);
    if (calls.collective) way.collective++;
    if (isWrite) {
      rank.writes++;
      rank.bytesWritten += bytes;
      rank.writeSeconds += end - start;
    } else {
      rank.reads++;
      rank.bytesRead += bytes;
      rank.readSeconds += end - start;
    }
    if (rank.last >= 0 && rank.last !== operation) this.#switches++;
    rank.last = operation;
    if (bytes > 0) countValue(this.#accesses, bytes);
    this.#addOffset(rank, way, offsetAt(calls, i), bytes);
  }

  /** Time of a call that counts elsewhere. */
  takeOff(process: number, operation: number, seconds: number): void {
    const rank = this.#rank(process);
    if (operation === Operation.write) {
      this.#write.seconds -= seconds;
      rank.writeSeconds -= seconds;
    } else {
      this.#read.seconds -= seconds;
      rank.readSeconds -= seconds;
    }
  }

  /** Whether all ranks of the run used it. */
  isShared({ of, count }: Ranks): boolean {
    return count > 1 && this.ranks.size >= count && this.#users(of).size === count;
  }

  #users(rankOf: readonly number[], takes: (rank: RankState) => boolean = () => true): Set<number> {
    const users = [...this.ranks].filter(([, rank]) => takes(rank));
    return new Set(users.map(([process]) => rankOf[process] as number));
  }

  row({
    start,
    ranks,
    hasMetadata,
    tellsCollectives,
  }: RowSetting): Record<string, number | bigint | string | null> {
    const [read, write] = [this.#read, this.#write];
    const counted = (operation: number) => (hasMetadata ? (this.#metadata.get(operation)?.calls ?? 0) : null);
    // Recorders see a flush of a stream only as a write of its buffer.
    const syncs = counted(Operation.sync) || (this.layer === "STDIO" ? null : counted(Operation.sync));
    const timed = (...operations: readonly number[]) =>
      hasMetadata ? operations.reduce((sum, one) => sum + (this.#metadata.get(one)?.seconds ?? 0), 0) : null;
    const known = (value: number) => (this.#offsetsKnown ? value : null);
    const at = (seconds: number | undefined) =>
      seconds === undefined || Number.isNaN(seconds) ? null : seconds - start;
    const [open, close] = [this.#metadata.get(Operation.open), this.#metadata.get(Operation.close)];
    return {
      ...{ file_id: this.#file.fileId, parent_id: 0n, path: this.#file.path || UNNAMED, layer: this.layer },
      fs_type: this.#file.fileSystem ?? null,
      mount: this.#file.mount ?? null,
      shared: this.isShared(ranks) ? 1 : 0,
      ranks: this.#users(ranks.of).size,
      io_ranks: this.#users(ranks.of, ({ reads, writes }) => reads + writes > 0).size,
      opens: counted(Operation.open),
      ...{ reads: read.calls, writes: write.calls },
      ...(tellsCollectives && this.layer === "MPI-IO"
        ? {
            ...{ collective_reads: read.collective, collective_writes: write.collective },
            independent_reads: read.calls - read.collective,
            independent_writes: write.calls - write.collective,
          }
        : {}),
      ...{ seeks: counted(Operation.seek), stats: counted(Operation.stat), syncs },
      ...{ bytes_read: read.bytes, bytes_written: write.bytes },
      max_byte_read: known(read.maxByte),
      max_byte_written: known(write.maxByte),
      sequential_reads: known(read.sequential),
      sequential_writes: known(write.sequential),
      consecutive_reads: known(read.consecutive),
      consecutive_writes: known(write.consecutive),
      rw_switches: this.#switches,
      ...sizeColumns("read", read.sizes),
      ...sizeColumns("write", write.sizes),
      ...frequent("access", this.#accesses),
      ...(this.#offsetsKnown ? frequent("stride", this.#strides) : {}),
      ...{ read_seconds: read.seconds, write_seconds: write.seconds + this.#syncSeconds },
      sync_seconds: hasMetadata ? this.#syncSeconds : null,
      meta_seconds: hasMetadata ? this.#metaSeconds : null,
      open_seconds: timed(Operation.open, Operation.close),
      ...{ stat_seconds: timed(Operation.stat), seek_seconds: timed(Operation.seek) },
      ...{ longest_read_seconds: read.longestSeconds, longest_read_bytes: read.longestBytes },
      ...{ longest_write_seconds: write.longestSeconds, longest_write_bytes: write.longestBytes },
      ...this.#extremes(ranks.of),
      ...{ open_start_seconds: at(open?.start), open_end_seconds: at(open?.end) },
      ...{ read_start_seconds: at(read.start), read_end_seconds: at(read.end) },
      ...{ write_start_seconds: at(write.start), write_end_seconds: at(write.end) },
      ...{ close_start_seconds: at(close?.start), close_end_seconds: at(close?.end) },
      ...this.#layout(),
    };
  }

  #rank(process: number): RankState {
    let rank = this.ranks.get(process);
    if (rank === undefined) {
      rank = {
        ...{ opens: 0, reads: 0, writes: 0, bytesRead: 0, bytesWritten: 0 },
        ...{ readSeconds: 0, writeSeconds: 0, metaSeconds: 0, nextOffset: Number.NaN, last: -1 },
        ...{ lastRead: 0, lastWritten: 0 },
      };
      this.ranks.set(process, rank);
    }
    return rank;
  }

  #addMetadata(rank: RankState, operation: number, start: number, end: number): void {
    const known = this.#metadata.get(operation);
    if (known === undefined) this.#metadata.set(operation, { calls: 1, seconds: end - start, start, end });
    else {
      known.calls++;
      known.seconds += end - start;
      known.start = Math.min(known.start, start);
      known.end = Math.max(known.end, end);
    }
    if (operation === Operation.open) rank.opens++;
    // As Darshan has it, the time of syncs counts with that of writes.
    if (operation === Operation.sync) {
      rank.writeSeconds += end - start;
      this.#syncSeconds += end - start;
      return;
    }
    rank.metaSeconds += end - start;
    this.#metaSeconds += end - start;
  }

  /** Consecutive: exactly behind the previous one of the process in this direction; sequential: there or further on. */
  #addOffset(rank: RankState, way: Direction, offset: number, bytes: number): void {
    if (Number.isNaN(offset)) {
      this.#offsetsKnown = false;
      return;
    }
    const last = way === this.#write ? rank.lastWritten : rank.lastRead;
    if (offset > last) {
      way.sequential++;
      if (offset === last + 1) way.consecutive++;
    }
    if (!Number.isNaN(rank.nextOffset)) countValue(this.#strides, offset - rank.nextOffset);
    rank.nextOffset = offset + bytes;
    const end = offset + bytes - 1;
    if (way === this.#write) rank.lastWritten = end;
    else rank.lastRead = end;
    way.maxByte = Math.max(way.maxByte, end);
  }

  #extremes(rankOf: readonly number[]) {
    const all = [...this.ranks].map(([process, sums]) => ({
      rank: rankOf[process] as number,
      seconds: sums.readSeconds + sums.writeSeconds + sums.metaSeconds,
      bytes: sums.bytesRead + sums.bytesWritten,
    }));
    if (all.length === 0) return {};
    const slowest = all.reduce((a, b) => (b.seconds > a.seconds ? b : a));
    const fastest = all.reduce((a, b) => (b.seconds < a.seconds ? b : a));
    return {
      ...{ slowest_rank: slowest.rank, slowest_seconds: slowest.seconds, slowest_bytes: slowest.bytes },
      ...{ fastest_rank: fastest.rank, fastest_seconds: fastest.seconds, fastest_bytes: fastest.bytes },
      variance_seconds: variance(all.map(({ seconds }) => seconds)),
      variance_bytes: variance(all.map(({ bytes }) => bytes)),
    };
  }

  #layout() {
    const { layout } = this.#file;
    if (layout === undefined) return {};
    return {
      ...{ stripe_count: layout.osts.length, stripe_bytes: layout.stripeBytes, components: 1 },
      osts: layout.osts.join(" "),
    };
  }
}

function countValue(counts: Map<number, number>, value: number): void {
  const known = counts.get(value);
  if (known !== undefined) counts.set(value, known + 1);
  else if (counts.size < VALUES_MAX) counts.set(value, 1);
}

const sizeColumns = (way: "read" | "write", counts: readonly number[]) =>
  Object.fromEntries(SIZE_NAMES.map((size, at) => [`size_${way}_${size}`, counts[at] as number]));

function frequent(what: "access" | "stride", counts: ReadonlyMap<number, number>) {
  const most = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, FREQUENT.length);
  return Object.fromEntries(
    most.flatMap(([bytes, count], at) => [
      [`${what}${at + 1}_bytes`, bytes],
      [`${what}${at + 1}_count`, count],
    ]),
  );
}

function variance(values: readonly number[]): number {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  return values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / values.length;
}
