/**
 * Accesses as they come, packed: chunks are sorted by start and kept in blocks of differences, which take 8 to 20 bytes an
 * access instead of 28. At the end blocks are unpacked in the order of their first start, a batch at a time, and only what
 * overlaps within a batch is sorted again. Where sizes and owners are not asked for, time-runs.ts keeps less.
 */
import { IntegerSorter } from "../../base/integer-sort.ts";
import {
  CODES_MAX,
  packDifferences,
  packIntegers,
  packSteps,
  unpackIntegers,
  unpackSteps,
} from "../../base/packed-integers.ts";
import { longer } from "./exact-sums.ts";

/** Accesses sorted at a time. */
const CHUNK = 2 ** 18;
/** A chunk grows from here. */
const FIRST_CHUNK = 2 ** 10;
const BLOCK = 1024;
const COLUMNS = 4;
/** 16-bit codes in one piece of memory. */
const SEGMENT = 2 ** 19;
/** Accesses unpacked at a time, at least. */
const BATCH = 2 ** 16;

/** What the kernel writes to: the chunk that is being filled. */
export interface AccessChunk {
  /** Whether `tally` and `bytes` are kept. */
  readonly detail: boolean;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly tally: Float64Array;
  readonly bytes: Float64Array;
  count: number;
}

/** What a thread packed: plain data. */
export interface PackedRuns {
  readonly segments: readonly Uint16Array[];
  readonly blocks: number;
  readonly first: Float64Array;
  readonly segment: Uint32Array;
  readonly place: Uint32Array;
  readonly rows: Uint32Array;
}

export class AccessRuns implements AccessChunk {
  readonly detail = true;
  /** The chunk that is being filled: write at `count`, raise it, and `makeRoom` when it reaches the length. */
  start = new Float64Array(FIRST_CHUNK);
  end = new Float64Array(FIRST_CHUNK);
  /** What the access belongs to, and its bytes. */
  tally = new Float64Array(FIRST_CHUNK);
  bytes = new Float64Array(FIRST_CHUNK);
  count = 0;
  readonly sorter = new IntegerSorter();
  segments: Uint16Array[] = [];
  #used = 0;
  #codes = 0;
  /** Blocks. */
  blocks = 0;
  first = new Float64Array(64);
  source = new Uint32Array(64);
  segment = new Uint32Array(64);
  place = new Uint32Array(64);
  rows = new Uint32Array(64);
  /** Which of `maps` turns the tallies of a block into ours; 0 where they are ours. */
  map = new Uint32Array(64);
  readonly maps: Uint32Array[] = [new Uint32Array(0)];
  /** For putting columns in order. */
  #ordered = new Float64Array(0);

  get memoryBytes(): number {
    const chunk = this.start.byteLength + this.end.byteLength + this.tally.byteLength + this.bytes.byteLength;
    return 2 * this.#codes + 28 * this.first.length + chunk + this.sorter.memoryBytes;
  }

  /** When the chunk is full: a small one grows, a large one is packed. */
  makeRoom(source: number): void {
    if (this.start.length >= CHUNK) {
      this.flush(source);
      return;
    }
    const room = 4 * this.start.length;
    this.start = longer(this.start, room);
    this.end = longer(this.end, room);
    this.tally = longer(this.tally, room);
    this.bytes = longer(this.bytes, room);
  }

  /** Packs the chunk; `source` names the clock that its times are on. */
  flush(source: number): void {
    const { count, start, end, sorter } = this;
    if (count === 0) return;
    const order = sorter.order(start, count);
    if (order !== undefined)
      for (const column of [start, end, this.tally, this.bytes]) this.#reorder(column, order);
    for (let from = 0; from < count; from += BLOCK) this.#pack(from, Math.min(count, from + BLOCK), source);
    this.count = 0;
  }

  /** What was packed so far; the runs start over. */
  takePacked(): PackedRuns {
    const { blocks, first, segment, place, rows, segments } = this;
    const last = segments.pop();
    if (last !== undefined) segments.push(last.slice(0, this.#used));
    this.segments = [];
    this.#used = this.#codes = this.blocks = 0;
    return {
      ...{ segments, blocks, first: first.slice(0, blocks), segment: segment.slice(0, blocks) },
      ...{ place: place.slice(0, blocks), rows: rows.slice(0, blocks) },
    };
  }

  /** Adds what another thread packed; `map` has our number of each of its tallies. */
  append(packed: PackedRuns, source: number, map: Uint32Array): void {
    const firstSegment = this.segments.length;
    this.segments.push(...packed.segments);
    for (const { length } of packed.segments) this.#codes += length;
    this.maps.push(map);
    for (let at = 0; at < packed.blocks; at++) {
      const block = this.#addBlock(packed.first[at] as number, source, packed.rows[at] as number);
      this.segment[block] = firstSegment + (packed.segment[at] as number);
      this.place[block] = packed.place[at] as number;
      this.map[block] = this.maps.length - 1;
    }
    // Nothing more fits behind what others packed.
    this.#used = this.segments.at(-1)?.length ?? 0;
  }

  #reorder(column: Float64Array, order: Uint32Array): void {
    if (this.#ordered.length < column.length) this.#ordered = new Float64Array(column.length);
    const ordered = this.#ordered;
    for (let i = 0; i < order.length; i++) ordered[i] = column[order[i] as number] as number;
    column.set(ordered.subarray(0, order.length));
  }

  #pack(from: number, to: number, source: number): void {
    const { start, end } = this;
    const rows = to - from;
    let codes = this.segments.at(-1);
    if (codes === undefined || codes.length - this.#used < rows * COLUMNS * CODES_MAX) {
      // A small collection needs no large piece.
      codes = new Uint16Array(Math.min(SEGMENT, (this.count - from) * COLUMNS * CODES_MAX));
      this.segments.push(codes);
      this.#codes += codes.length;
      this.#used = 0;
    }
    const first = start[from] as number;
    this.#addBlock(first, source, rows);
    let place = packSteps(start, from, to, first, codes, this.#used);
    place = packDifferences(end, start, from, to, codes, place);
    place = packIntegers(this.tally, from, to, codes, place);
    this.#used = packIntegers(this.bytes, from, to, codes, place);
  }

  #addBlock(first: number, source: number, rows: number): number {
    const block = this.blocks++;
    if (block === this.first.length) {
      const room = 2 * block;
      this.first = longer(this.first, room);
      this.source = longer(this.source, room);
      this.segment = longer(this.segment, room);
      this.place = longer(this.place, room);
      this.rows = longer(this.rows, room);
      this.map = longer(this.map, room);
    }
    this.first[block] = first;
    this.source[block] = source;
    this.segment[block] = this.segments.length - 1;
    this.place[block] = this.#used;
    this.rows[block] = rows;
    this.map[block] = 0;
    return block;
  }
}

/** Hands out all accesses of runs in order of time, batch by batch. Frees the runs on the way. */
export class AccessBatches {
  readonly #runs: AccessRuns;
  readonly #order: Uint32Array | undefined;
  #next = 0;
  /** Rows in `start` and values in `ends`, with those of the batch in front. */
  #rows = 0;
  #endRows = 0;
  /** Accesses of the batch, in order of their start. */
  starts = 0;
  start = new Float64Array(BLOCK);
  end = new Float64Array(BLOCK);
  tally = new Uint32Array(BLOCK);
  bytes = new Float64Array(BLOCK);
  /** The next batch starts here or later. */
  boundNs = Number.POSITIVE_INFINITY;
  /** All ends before the next batch, in order. */
  ends = 0;
  sortedEnds = new Float64Array(BLOCK);

  /** `shift` moves the times of a source to the common axis. */
  constructor(runs: AccessRuns, shift: Float64Array) {
    this.#runs = runs;
    for (let block = 0; block < runs.blocks; block++)
      runs.first[block]! += shift[runs.source[block] as number] as number;
    this.#order = runs.sorter.order(runs.first, runs.blocks)?.slice();
  }

  /** Goes on to the next batch; false when there is none. */
  next(): boolean {
    this.#dropBatch();
    const runs = this.#runs;
    if (this.#next === runs.blocks && this.#rows === 0 && this.#endRows === 0) return false;
    // At least as many as are left over, so that these are not sorted again for a few.
    const wanted = Math.max(BATCH, this.#rows, this.#endRows);
    for (let taken = 0; taken < wanted && this.#next < runs.blocks; ) {
      const block = this.#blockAt(this.#next++);
      this.#unpack(block);
      taken += runs.rows[block] as number;
    }
    const last = this.#next === runs.blocks;
    const bound = last ? Number.POSITIVE_INFINITY : (runs.first[this.#blockAt(this.#next)] as number);
    this.boundNs = bound;
    this.#sortRows();
    runs.sorter.sort(this.sortedEnds, this.#endRows);
    this.starts = lowerBound(this.start, this.#rows, bound);
    this.ends = lowerBound(this.sortedEnds, this.#endRows, bound);
    return true;
  }

  #blockAt(place: number): number {
    return this.#order === undefined ? place : (this.#order[place] as number);
  }

  #dropBatch(): void {
    const { starts, ends } = this;
    if (starts > 0) {
      this.start.copyWithin(0, starts, this.#rows);
      this.end.copyWithin(0, starts, this.#rows);
      this.tally.copyWithin(0, starts, this.#rows);
      this.bytes.copyWithin(0, starts, this.#rows);
      this.#rows -= starts;
      this.starts = 0;
    }
    if (ends > 0) {
      this.sortedEnds.copyWithin(0, ends, this.#endRows);
      this.#endRows -= ends;
      this.ends = 0;
    }
  }

  #unpack(block: number): void {
    const runs = this.#runs;
    const rows = runs.rows[block] as number;
    const codes = runs.segments[runs.segment[block] as number] as Uint16Array;
    this.#reach(this.#rows + rows, this.#endRows + rows);
    const { start, sortedEnds } = this;
    const [from, to, endFrom] = [this.#rows, this.#rows + rows, this.#endRows];
    let place = unpackSteps(codes, runs.place[block] as number, start, from, to, runs.first[block] as number);
    place = unpackIntegers(codes, place, sortedEnds, endFrom, endFrom + rows);
    for (let i = 0; i < rows; i++) sortedEnds[endFrom + i]! += start[from + i] as number;
    this.end.set(sortedEnds.subarray(endFrom, endFrom + rows), from);
    place = unpackIntegers(codes, place, this.tally, from, to);
    unpackIntegers(codes, place, this.bytes, from, to);
    const map = runs.map[block] as number;
    if (map > 0) translate(this.tally, from, to, runs.maps[map] as Uint32Array);
    this.#rows = to;
    this.#endRows = endFrom + rows;
  }

  #sortRows(): void {
    const count = this.#rows;
    const order = this.#runs.sorter.order(this.start, count);
    if (order === undefined) return;
    this.start = gathered(this.start, order, this.start.length);
    this.end = gathered(this.end, order, this.end.length);
    this.tally = gathered(this.tally, order, this.tally.length);
    this.bytes = gathered(this.bytes, order, this.bytes.length);
  }

  #reach(rows: number, endRows: number): void {
    if (rows > this.start.length) {
      this.start = longer(this.start, rows);
      this.end = longer(this.end, rows);
      this.tally = longer(this.tally, rows);
      this.bytes = longer(this.bytes, rows);
    }
    if (endRows > this.sortedEnds.length) this.sortedEnds = longer(this.sortedEnds, endRows);
  }
}

function translate(values: Uint32Array, from: number, to: number, map: Uint32Array): void {
  for (let i = from; i < to; i++) values[i] = map[values[i] as number] as number;
}

function gathered<T extends Float64Array | Uint32Array>(values: T, order: Uint32Array, room: number): T {
  const sorted = new (values.constructor as new (length: number) => T)(room);
  for (let i = 0; i < order.length; i++) sorted[i] = values[order[i] as number] as number;
  return sorted;
}

/** How many of the first `count` sorted values are below `bound`. */
function lowerBound(values: Float64Array, count: number, bound: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
