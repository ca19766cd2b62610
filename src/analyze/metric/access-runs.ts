/**
 * Accesses as they come, with owner and size: chunks are put into rough order of start and kept in blocks of columns (base/word-columns.ts),
 * 8 to 28 bytes an access. access-batches.ts hands them out in order of time.
 */
import { extentOf } from "../../base/integer-sort.ts";
import { columnWordsMax, putColumn, putSpans, type SpanExtent } from "../../base/word-columns.ts";
import { longer } from "../../base/room.ts";

/** Accesses put in order at a time. */
const CHUNK = 2 ** 17;
/** A chunk grows from here. */
const FIRST_CHUNK = 2 ** 10;
/** Size limit of a chunk in order, which fits into the caches. */
const CACHED_CHUNK = 2 ** 13;
const BLOCK = 1024;
/** End, start, owner and size. */
const COLUMNS = 4;
/** Size of an unordered chunk. */
const BUCKETS = 2 ** 11;
/** Words in one piece of memory. */
const SEGMENT = 2 ** 18;

/** What the kernel writes to: the chunk that is being filled. */
export interface AccessChunk {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly tally: Float64Array;
  readonly bytes: Float64Array;
  count: number;
}

/** What a thread packed: plain data, with an entry for each block. */
export interface PackedRuns {
  readonly segments: readonly Uint32Array[];
  readonly blocks: number;
  /** The first and last start of a block, and its last end. */
  readonly base: Float64Array;
  readonly last: Float64Array;
  readonly lastEnd: Float64Array;
  readonly segment: Uint32Array;
  readonly place: Uint32Array;
  readonly rows: Uint32Array;
}

/** All that is to be known to go through the accesses: plain data. */
export interface StoredRuns extends PackedRuns {
  /** Whose clock the times of a block are on. */
  readonly source: Uint32Array;
  /** Which of `maps` turns the tallies of a block into those of the collection; 0 where they are those. */
  readonly map: Uint32Array;
  readonly maps: readonly Uint32Array[];
}

interface RunsOptions {
  readonly shared?: boolean;
  /** Whether owners and sizes are kept; else only times can be asked for. */
  readonly detail?: boolean;
}

export class AccessRuns implements AccessChunk, StoredRuns {
  /** The chunk that is being filled: write at `count`, raise it, and `makeRoom` when it reaches the length. */
  start = new Float64Array(FIRST_CHUNK);
  end = new Float64Array(FIRST_CHUNK);
  /** What the access belongs to, and its bytes. */
  tally = new Float64Array(FIRST_CHUNK);
  bytes = new Float64Array(FIRST_CHUNK);
  count = 0;
  segments: Uint32Array[] = [];
  blocks = 0;
  base = new Float64Array(64);
  last = new Float64Array(64);
  lastEnd = new Float64Array(64);
  source = new Uint32Array(64);
  segment = new Uint32Array(64);
  place = new Uint32Array(64);
  rows = new Uint32Array(64);
  map = new Uint32Array(64);
  readonly maps: Uint32Array[] = [new Uint32Array(0)];
  /** Whether other threads are to see the accesses. */
  readonly #shared: boolean;
  readonly #detail: boolean;
  /** Words of the last segment that are taken, and of all segments together. */
  #used = 0;
  #words = 0;
  readonly #extent: SpanExtent = { base: 0, last: 0, lastEnd: 0 };
  /** Scratch space for sorting. */
  #ordered = new Float64Array(0);

  constructor({ shared = false, detail = true }: RunsOptions = {}) {
    this.#shared = shared;
    this.#detail = detail;
  }

  get memoryBytes(): number {
    const chunk = this.start.byteLength + this.end.byteLength + this.tally.byteLength + this.bytes.byteLength;
    return 4 * this.#words + 44 * this.base.length + chunk;
  }

  /** When the chunk is full: a small one grows, a large one and one in order is packed. */
  makeRoom(source: number): void {
    const { length } = this.start;
    if (length >= CHUNK || (length >= CACHED_CHUNK && inNeighbourOrder(this.start, this.count))) {
      this.flush(source);
      return;
    }
    const room = Math.min(CHUNK, 8 * length);
    this.start = longer(this.start, room);
    this.end = longer(this.end, room);
    this.tally = longer(this.tally, room);
    this.bytes = longer(this.bytes, room);
  }

  /** Packs the chunk; `source` names the clock that its times are on. */
  flush(source: number): void {
    const { count, start, end } = this;
    if (count === 0) return;
    if (!inNeighbourOrder(start, count)) {
      const order = bucketOrder(start, count);
      const columns = [start, end, ...(this.#detail ? [this.tally, this.bytes] : [])];
      for (const column of columns) this.#reorder(column, order);
    }
    for (let from = 0; from < count; from += BLOCK) this.#pack(from, Math.min(count, from + BLOCK), source);
    this.count = 0;
  }

  /** What was packed so far; the runs start over. */
  takePacked(): PackedRuns {
    const { blocks, base, last, lastEnd, segment, place, rows, segments } = this;
    const open = segments.pop();
    if (open !== undefined) {
      const kept = this.#room(this.#used);
      kept.set(open.subarray(0, this.#used));
      segments.push(kept);
    }
    this.segments = [];
    this.#used = this.#words = this.blocks = 0;
    return {
      ...{ segments, blocks, base: base.slice(0, blocks), last: last.slice(0, blocks) },
      ...{ lastEnd: lastEnd.slice(0, blocks), segment: segment.slice(0, blocks) },
      ...{ place: place.slice(0, blocks), rows: rows.slice(0, blocks) },
    };
  }

  /** Adds what another thread packed; `map` has our number of each of its tallies. */
  append(packed: PackedRuns, source: number, map: Uint32Array): void {
    const firstSegment = this.segments.length;
    this.segments.push(...packed.segments);
    for (const { length } of packed.segments) this.#words += length;
    const own = map.every((number, at) => number === at) ? 0 : this.maps.push(map) - 1;
    for (let at = 0; at < packed.blocks; at++) {
      const block = this.#addBlock(source, packed.rows[at] as number);
      this.base[block] = packed.base[at] as number;
      this.last[block] = packed.last[at] as number;
      this.lastEnd[block] = packed.lastEnd[at] as number;
      this.segment[block] = firstSegment + (packed.segment[at] as number);
      this.place[block] = packed.place[at] as number;
      this.map[block] = own;
    }
    // Nothing more fits behind what others packed.
    this.#used = this.segments.at(-1)?.length ?? 0;
  }

  /** For another thread, which gets the columns copied and the segments as they are. */
  stored(): StoredRuns {
    const { segments, blocks, base, last, lastEnd, segment, place, rows, source, map, maps } = this;
    return { segments, blocks, base, last, lastEnd, segment, place, rows, source, map, maps };
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
    const most = COLUMNS * columnWordsMax(rows);
    let words = this.segments.at(-1);
    if (words === undefined || words.length - this.#used < most) {
      // A small collection needs no large piece.
      words = this.#room(Math.min(SEGMENT, Math.ceil((this.count - from) / BLOCK) * most));
      this.segments.push(words);
      this.#words += words.length;
      this.#used = 0;
    }
    const block = this.#addBlock(source, rows);
    let place = putSpans(start, end, from, to, words, this.#used, this.#extent);
    const { base, last, lastEnd } = this.#extent;
    this.base[block] = base;
    this.last[block] = last;
    this.lastEnd[block] = lastEnd;
    if (this.#detail) {
      place = putColumn(this.tally, from, to, words, place);
      place = putColumn(this.bytes, from, to, words, place);
    }
    this.#used = place;
  }

  #room(words: number): Uint32Array {
    return this.#shared ? new Uint32Array(new SharedArrayBuffer(4 * words)) : new Uint32Array(words);
  }

  #addBlock(source: number, rows: number): number {
    const block = this.blocks++;
    if (block === this.base.length) {
      const room = 2 * block;
      for (const column of ["base", "last", "lastEnd"] as const) this[column] = longer(this[column], room);
      for (const column of ["source", "segment", "place", "rows", "map"] as const)
        this[column] = longer(this[column], room);
    }
    this.source[block] = source;
    this.segment[block] = this.segments.length - 1;
    this.place[block] = this.#used;
    this.rows[block] = rows;
    this.map[block] = 0;
    return block;
  }
}

/** Whether starts are in order but for neighbours. */
function inNeighbourOrder(start: Float64Array, count: number): boolean {
  let behind = Number.NEGATIVE_INFINITY;
  for (let i = BLOCK; i < count; i++) {
    const earlier = start[i - BLOCK] as number;
    if (earlier > behind) behind = earlier;
    if ((start[i] as number) < behind) return false;
  }
  return true;
}

/** Rows in the order of buckets of equal width: one pass of a radix sort, since batches are sorted once more when it is their turn. */
function bucketOrder(start: Float64Array, count: number): Uint32Array {
  const { low, range } = extentOf(start, count);
  const scale = BUCKETS / (range + 1);
  const places = new Uint32Array(BUCKETS + 1);
  for (let i = 0; i < count; i++) places[1 + Math.floor(((start[i] as number) - low) * scale)]!++;
  for (let bucket = 1; bucket <= BUCKETS; bucket++) places[bucket]! += places[bucket - 1] as number;
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[places[Math.floor(((start[i] as number) - low) * scale)]!++] = i;
  return order;
}
