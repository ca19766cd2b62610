/**
 * One reading of one file of counters, in columns: 100,000 jobs with a dozen counters each are some typed arrays.
 * A file without job ids (`stats`, `md_stats`) is a reading with one row that has an empty id.
 */
import { withRoom } from "../../base/room.ts";
import { LOW } from "../../base/words.ts";
import { hashOf } from "../text/interner.ts";
import type { CounterTable } from "./counter-table.ts";
import { decodeJobId } from "./job-id.ts";
import { NO_STAMP } from "./stamp.ts";

/** Words of an entry: samples, min, max, sum, sumsq. */
export const WORDS = 5;
export const SAMPLES = 0;
export const MIN = 1;
export const MAX = 2;
export const SUM = 3;
export const SUMSQ = 4;

/** What a reader should know about the text, counted; `firstBroken` is the line number of the first bad one. */
interface ReadingNotes {
  /** Lines that are no counter and no known header. */
  unknownLines: number;
  /** Counter unreadable lines: cut, no number, 2^64 or more. */
  brokenLines: number;
  firstBrokenLine: number;
  /** Rows with an id, or counters with a name, that had come before in this reading; the later one counts. */
  duplicates: number;
}

export interface Counter {
  readonly name: string;
  readonly unit: string;
  readonly samples: bigint;
  readonly min?: bigint;
  readonly max?: bigint;
  readonly sum?: bigint;
  readonly sumsq?: bigint;
  /** Upper bound of each bucket that is not empty, and its count. */
  readonly hist?: readonly { readonly upTo: number; readonly count: bigint }[];
}

export class Reading {
  readonly form = "counters";
  readonly table: CounterTable;
  /** What the parameter is; see params.ts. */
  kind = "stats";
  param = "";
  target = "";
  fileSystem = "";
  /** NID of the client in `exports/NID/stats`, else empty. */
  client = "";
  /** Identity of the mount in llite, else empty: another one means that counters began again. */
  mount = "";
  /** When the file was read, by the reader's clock; NO_STAMP when nobody said. */
  readAtNs: bigint = NO_STAMP;
  /** Numbers are printed with a sign (`stats`) or without (`job_stats`). */
  signed = false;
  /** The text ends in the middle of a line, or with a row that has fewer counters than the one before. */
  cut = false;

  rows = 0;
  /** Stamps of each row as printed, or NO_STAMP. In job_stats the snapshot is the job's last request. */
  snapshotNs = new BigInt64Array(16);
  startNs = new BigInt64Array(16);
  snapshotHalves = new Uint32Array(this.snapshotNs.buffer);
  startHalves = new Uint32Array(this.startNs.buffer);
  /** Entries of row r are [entryFrom[r], entryTo[r]). */
  entryFrom = new Uint32Array(16);
  entryTo = new Uint32Array(16);
  /** Bytes of the id as printed are ids[idFrom[r], idTo[r]). */
  ids = new Uint8Array(256);
  idFrom = new Uint32Array(16);
  idTo = new Uint32Array(16);
  idHash = new Int32Array(16);
  idBytes = 0;

  entries = 0;
  column = new Uint16Array(256);
  shape = new Uint8Array(256);
  /** WORDS words for each entry; those that were not printed are 0. */
  words = new BigUint64Array(256 * WORDS);
  halves = new Uint32Array(this.words.buffer);

  /** Buckets of histograms, in the order of entries. The bucket holds sizes up to 2^bucketLog2. */
  buckets = 0;
  bucketEntry = new Uint32Array(16);
  bucketLog2 = new Uint8Array(16);
  bucketCount = new BigUint64Array(16);
  bucketHalves = new Uint32Array(this.bucketCount.buffer);

  readonly notes: ReadingNotes = { unknownLines: 0, brokenLines: 0, firstBrokenLine: 0, duplicates: 0 };

  constructor(table: CounterTable) {
    this.table = table;
  }

  /** Forgets all; the memory is used again. */
  clear(): void {
    this.rows = this.entries = this.buckets = this.idBytes = 0;
    this.param = this.target = this.fileSystem = this.client = this.mount = "";
    this.readAtNs = NO_STAMP;
    this.cut = this.signed = false;
    Object.assign(this.notes, { unknownLines: 0, brokenLines: 0, firstBrokenLine: 0, duplicates: 0 });
  }

  /** The same in memory of its own, no larger than needed. */
  copy(): Reading {
    const copy = new Reading(this.table);
    const { rows, entries, buckets, kind, param, target, fileSystem, client, mount, readAtNs } = this;
    const { signed, cut, idBytes } = this;
    Object.assign(copy, { rows, entries, buckets, kind, param, target, fileSystem, client, mount, readAtNs });
    Object.assign(copy, { signed, cut, idBytes });
    Object.assign(copy.notes, this.notes);
    copy.snapshotNs = this.snapshotNs.slice(0, rows);
    copy.startNs = this.startNs.slice(0, rows);
    copy.entryFrom = this.entryFrom.slice(0, rows);
    copy.entryTo = this.entryTo.slice(0, rows);
    copy.ids = this.ids.slice(0, idBytes);
    copy.idFrom = this.idFrom.slice(0, rows);
    copy.idTo = this.idTo.slice(0, rows);
    copy.idHash = this.idHash.slice(0, rows);
    copy.column = this.column.slice(0, entries);
    copy.shape = this.shape.slice(0, entries);
    copy.words = this.words.slice(0, entries * WORDS);
    copy.bucketEntry = this.bucketEntry.slice(0, buckets);
    copy.bucketLog2 = this.bucketLog2.slice(0, buckets);
    copy.bucketCount = this.bucketCount.slice(0, buckets);
    copy.snapshotHalves = new Uint32Array(copy.snapshotNs.buffer);
    copy.startHalves = new Uint32Array(copy.startNs.buffer);
    copy.halves = new Uint32Array(copy.words.buffer);
    copy.bucketHalves = new Uint32Array(copy.bucketCount.buffer);
    return copy;
  }

  /** The id of row `row` as printed; a view that is valid as long as the reading. */
  rawId(row: number): Uint8Array {
    return this.ids.subarray(this.idFrom[row], this.idTo[row]);
  }

  /** The id decoded; empty for I/O without a job id. */
  jobId(row: number): string {
    return decodeJobId(this.rawId(row));
  }

  /** One value of an entry, with the sign that its file prints. */
  value(entry: number, word: number): bigint {
    const value = this.words[entry * WORDS + word] as bigint;
    return this.signed ? BigInt.asIntN(64, value) : value;
  }

  /** The entry of a counter in a row, or -1. */
  entryOf(row: number, column: number): number {
    const to = this.entryTo[row] as number;
    for (let entry = this.entryFrom[row] as number; entry < to; entry++)
      if (this.column[entry] === column) return entry;
    return -1;
  }

  /** An entry as an object, for people and tests. */
  counter(entry: number): Counter {
    const column = this.column[entry] as number;
    const shape = this.shape[entry] as number;
    const hist = this.#hist(entry);
    return {
      name: this.table.names[column] as string,
      unit: this.table.units[column] as string,
      samples: this.value(entry, SAMPLES),
      ...(shape >= 4 && {
        min: this.value(entry, MIN),
        max: this.value(entry, MAX),
        sum: this.value(entry, SUM),
      }),
      ...(shape >= 5 && { sumsq: this.value(entry, SUMSQ) }),
      ...(hist.length > 0 && { hist }),
    };
  }

  counters(row = 0): Counter[] {
    if (row >= this.rows) return [];
    const found: Counter[] = [];
    for (let entry = this.entryFrom[row] as number; entry < (this.entryTo[row] as number); entry++)
      found.push(this.counter(entry));
    return found;
  }

  #hist(entry: number): { upTo: number; count: bigint }[] {
    let low = 0;
    for (let high = this.buckets; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.bucketEntry[middle] as number) < entry) low = middle + 1;
      else high = middle;
    }
    const found: { upTo: number; count: bigint }[] = [];
    for (; low < this.buckets && this.bucketEntry[low] === entry; low++)
      found.push({ upTo: 2 ** (this.bucketLog2[low] as number), count: this.bucketCount[low] as bigint });
    return found;
  }

  /** Begins a row whose id is `bytes[from, to)`; returns its number. */
  openRow(bytes: Uint8Array, from: number, to: number): number {
    const row = this.rows;
    if (row === this.entryFrom.length) this.#growRows();
    this.idFrom[row] = this.idTo[row] = this.idBytes;
    this.extendId(row, bytes, from, to);
    this.snapshotNs[row] = this.startNs[row] = NO_STAMP;
    this.entryFrom[row] = this.entryTo[row] = this.entries;
    this.rows = row + 1;
    return row;
  }

  /** Adds bytes to the id of the last row. */
  extendId(row: number, bytes: Uint8Array, from: number, to: number): void {
    const length = to - from;
    if (this.idBytes + length > this.ids.length) this.ids = withRoom(this.ids, 2 * (this.idBytes + length));
    const { ids } = this;
    let at = this.idBytes;
    for (let i = from; i < to; i++) ids[at++] = bytes[i] as number;
    this.idBytes = this.idTo[row] = at;
    this.idHash[row] = hashOf(ids, this.idFrom[row] as number, at);
  }

  /** Makes room for one more entry; whoever fills it counts `entries` up. */
  reserveEntry(): void {
    if (this.entries < this.column.length) return;
    const room = 2 * this.column.length;
    this.column = withRoom(this.column, room);
    this.shape = withRoom(this.shape, room);
    this.words = withRoom(this.words, room * WORDS);
    this.halves = new Uint32Array(this.words.buffer);
  }

  addBucket(entry: number, log2: number, low: number, high: number): void {
    const at = this.buckets;
    if (at === this.bucketLog2.length) {
      this.bucketEntry = withRoom(this.bucketEntry, 2 * at);
      this.bucketLog2 = withRoom(this.bucketLog2, 2 * at);
      this.bucketCount = withRoom(this.bucketCount, 2 * at);
      this.bucketHalves = new Uint32Array(this.bucketCount.buffer);
    }
    this.bucketEntry[at] = entry;
    this.bucketLog2[at] = log2;
    this.bucketHalves[2 * at + LOW] = low;
    this.bucketHalves[2 * at + 1 - LOW] = high;
    this.buckets = at + 1;
  }

  /** The values of entry `later`, which is not counted yet, take the place of `earlier`. */
  replaceEntry(earlier: number, later: number, shape: number): void {
    this.words.copyWithin(earlier * WORDS, later * WORDS, (later + 1) * WORDS);
    this.shape[earlier] = shape;
    const kept: [entry: number, log2: number, count: bigint][] = [];
    for (let at = 0; at < this.buckets; at++) {
      const entry = this.bucketEntry[at] as number;
      if (entry === earlier) continue;
      const log2 = this.bucketLog2[at] as number;
      kept.push([entry === later ? earlier : entry, log2, this.bucketCount[at] as bigint]);
    }
    kept.sort((a, b) => a[0] - b[0]);
    this.buckets = kept.length;
    for (const [at, [entry, log2, count]] of kept.entries()) {
      this.bucketEntry[at] = entry;
      this.bucketLog2[at] = log2;
      this.bucketCount[at] = count;
    }
  }

  /** Row `from` takes the place of row `to`. */
  moveRow(from: number, to: number): void {
    this.snapshotNs[to] = this.snapshotNs[from] as bigint;
    this.startNs[to] = this.startNs[from] as bigint;
    this.entryFrom[to] = this.entryFrom[from] as number;
    this.entryTo[to] = this.entryTo[from] as number;
    this.idFrom[to] = this.idFrom[from] as number;
    this.idTo[to] = this.idTo[from] as number;
    this.idHash[to] = this.idHash[from] as number;
  }

  #growRows(): void {
    const room = 2 * this.entryFrom.length;
    this.snapshotNs = withRoom(this.snapshotNs, room);
    this.startNs = withRoom(this.startNs, room);
    this.snapshotHalves = new Uint32Array(this.snapshotNs.buffer);
    this.startHalves = new Uint32Array(this.startNs.buffer);
    this.entryFrom = withRoom(this.entryFrom, room);
    this.entryTo = withRoom(this.entryTo, room);
    this.idFrom = withRoom(this.idFrom, room);
    this.idTo = withRoom(this.idTo, room);
    this.idHash = withRoom(this.idHash, room);
  }
}
