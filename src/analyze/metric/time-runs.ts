/**
 * Starts and ends of accesses as they come, each by itself: unions and concurrency need no more. Times are kept as 32-bit
 * distances from the first time of their block, 8 bytes an access. A chunk in order is cut into blocks as it is; one that
 * is not is only dealt into blocks of neighbouring times, and sorted when it is its turn (time-stream.ts). So input in order
 * is never sorted, and shuffled input once, in pieces that caches hold.
 */
import { extentOf, IntegerSorter, insertionSort } from "../../base/integer-sort.ts";
import { longer } from "./exact-sums.ts";

/** Accesses taken at a time. */
const CHUNK = 2 ** 19;
/** A chunk grows from here. */
const FIRST_CHUNK = 2 ** 10;
/** Times in a block, about. */
const BLOCK = 512;
const BUCKETS = 2 ** 11;
/** More than this in a bucket, and the chunk is so uneven that it has to be sorted. */
const BUCKET_MAX = 2 ** 13;
const DISTANCE_MAX = 2 ** 32 - 1;

/** Blocks of times of one kind; columns have an entry for each block. Plain data, so that threads can pass it on. */
export interface TimeBlocks {
  blocks: number;
  /** No time of the block lies before its base or after its last. */
  base: Float64Array;
  last: Float64Array;
  /** Whose clock the times are on. */
  source: Uint32Array;
  segment: Uint32Array;
  place: Uint32Array;
  rows: Uint32Array;
  segments: Uint32Array[];
  /** Whether the times of a block in this segment are in order. */
  inOrder: boolean[];
}

function emptyBlocks(room = 16): TimeBlocks {
  return {
    blocks: 0,
    base: new Float64Array(room),
    last: new Float64Array(room),
    source: new Uint32Array(room),
    segment: new Uint32Array(room),
    place: new Uint32Array(room),
    rows: new Uint32Array(room),
    segments: [],
    inOrder: [],
  };
}

/** Adds blocks that another thread made; all their times are on the clock of `source`. */
function appendBlocks(to: TimeBlocks, from: TimeBlocks, source: number): void {
  const [at, end] = [to.blocks, to.blocks + from.blocks];
  reach(to, end);
  const firstSegment = to.segments.length;
  for (const column of ["base", "last", "place", "rows"] as const)
    to[column].set(from[column].subarray(0, from.blocks), at);
  to.source.fill(source, at, end);
  for (let block = 0; block < from.blocks; block++)
    to.segment[at + block] = (from.segment[block] as number) + firstSegment;
  to.segments.push(...from.segments);
  to.inOrder.push(...from.inOrder);
  to.blocks = end;
}

export class TimeRuns {
  readonly detail = false;
  /** The chunk that is being filled: write at `count`, raise it, and `makeRoom` when it reaches the length. */
  start = new Float64Array(FIRST_CHUNK);
  end = new Float64Array(FIRST_CHUNK);
  readonly tally = new Float64Array(0);
  readonly bytes = new Float64Array(0);
  count = 0;
  starts = emptyBlocks();
  ends = emptyBlocks();
  readonly #sorter = new IntegerSorter();
  /** Whether other threads are to see the times. */
  readonly #shared: boolean;
  /** Of times in blocks. */
  #heldBytes = 0;
  /** Of buckets; made when they are needed. */
  #counts = new Uint32Array(0);
  #bases = new Float64Array(0);

  constructor(shared = false) {
    this.#shared = shared;
  }

  get memoryBytes(): number {
    const columns = 32 * (this.starts.base.length + this.ends.base.length);
    return this.#heldBytes + columns + 2 * this.start.byteLength + this.#sorter.memoryBytes;
  }

  /** When the chunk is full: a small one grows, a large one is put into blocks. */
  makeRoom(source: number): void {
    if (this.start.length >= CHUNK) {
      this.flush(source);
      return;
    }
    const room = Math.min(CHUNK, 8 * this.start.length);
    this.start = longer(this.start, room);
    this.end = longer(this.end, room);
  }

  /** Puts the chunk into blocks; `source` names the clock that its times are on. */
  flush(source: number): void {
    const { count } = this;
    if (count === 0) return;
    this.#store(this.starts, this.start, count, source);
    this.#store(this.ends, this.end, count, source);
    this.count = 0;
  }

  /** What was put into blocks so far; the runs start over. */
  takeBlocks(): { starts: TimeBlocks; ends: TimeBlocks } {
    const { starts, ends } = this;
    this.starts = emptyBlocks();
    this.ends = emptyBlocks();
    this.#heldBytes = 0;
    return { starts, ends };
  }

  /** Adds blocks that another thread took. */
  append({ starts, ends }: { starts: TimeBlocks; ends: TimeBlocks }, source: number): void {
    appendBlocks(this.starts, starts, source);
    appendBlocks(this.ends, ends, source);
    for (const { segments } of [starts, ends])
      for (const segment of segments) this.#heldBytes += segment.byteLength;
  }

  #store(blocks: TimeBlocks, values: Float64Array, count: number, source: number): void {
    const segment = this.#shared ? new Uint32Array(new SharedArrayBuffer(4 * count)) : new Uint32Array(count);
    blocks.segments.push(segment);
    this.#heldBytes += segment.byteLength;
    if (!insertionSort(values, count)) {
      if (this.#deal(blocks, values, count, source, segment)) {
        blocks.inOrder.push(false);
        return;
      }
      this.#sorter.sort(values, count);
    }
    blocks.inOrder.push(true);
    cut(blocks, values, count, source, segment);
  }

  /** One pass of a radix sort, by the topmost digit. False when it would leave too much in one bucket. */
  #deal(
    blocks: TimeBlocks,
    values: Float64Array,
    count: number,
    source: number,
    segment: Uint32Array,
  ): boolean {
    const { low, range } = extentOf(values, count);
    let width = 1;
    while (range / width >= BUCKETS) width *= 2;
    if (width > DISTANCE_MAX) return false;
    // The width is a power of two, so its reciprocal and the products are exact.
    const scale = 1 / width;
    if (this.#counts.length === 0) {
      this.#counts = new Uint32Array(BUCKETS);
      this.#bases = new Float64Array(BUCKETS);
    }
    const counts = this.#counts.fill(0);
    countBuckets(values, count, low, scale, counts);
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      if ((counts[bucket] as number) > BUCKET_MAX) return false;
    const places = this.#layOut(blocks, source, low, width);
    scatter(values, count, low, scale, places, this.#bases, segment);
    return true;
  }

  /** Neighbouring buckets become blocks; counts of buckets become their places. */
  #layOut(blocks: TimeBlocks, source: number, low: number, width: number): Uint32Array {
    const [counts, bases] = [this.#counts, this.#bases];
    let [from, place, rows] = [0, 0, 0];
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const own = counts[bucket] as number;
      const tooWide = (bucket + 1 - from) * width - 1 > DISTANCE_MAX;
      if (rows > 0 && (tooWide || rows + own > BLOCK)) {
        addBlock(blocks, low + from * width, low + bucket * width - 1, source, place, rows);
        place += rows;
        rows = 0;
      }
      if (rows === 0) from = bucket;
      counts[bucket] = place + rows;
      bases[bucket] = low + from * width;
      rows += own;
    }
    if (rows > 0) addBlock(blocks, low + from * width, low + BUCKETS * width - 1, source, place, rows);
    return counts;
  }
}

// Loops in functions of their own, as the engine makes them fast one by one.

function countBuckets(
  values: Float64Array,
  count: number,
  low: number,
  scale: number,
  counts: Uint32Array,
): void {
  for (let i = 0; i < count; i++) counts[(((values[i] as number) - low) * scale) | 0]!++;
}

function scatter(
  values: Float64Array,
  count: number,
  low: number,
  scale: number,
  places: Uint32Array,
  bases: Float64Array,
  segment: Uint32Array,
): void {
  for (let i = 0; i < count; i++) {
    const value = values[i] as number;
    const bucket = ((value - low) * scale) | 0;
    const place = places[bucket] as number;
    places[bucket] = place + 1;
    segment[place] = value - (bases[bucket] as number);
  }
}

function copyDistances(values: Float64Array, from: number, to: number, base: number, segment: Uint32Array) {
  for (let i = from; i < to; i++) segment[i] = (values[i] as number) - base;
}

/** Times in order into blocks of neighbours. */
function cut(
  blocks: TimeBlocks,
  values: Float64Array,
  count: number,
  source: number,
  segment: Uint32Array,
): void {
  for (let from = 0; from < count; ) {
    const base = values[from] as number;
    let to = Math.min(count, from + BLOCK);
    while ((values[to - 1] as number) - base > DISTANCE_MAX) to = from + ((to - from) >>> 1);
    copyDistances(values, from, to, base, segment);
    addBlock(blocks, base, values[to - 1] as number, source, from, to - from);
    from = to;
  }
}

function addBlock(
  blocks: TimeBlocks,
  base: number,
  last: number,
  source: number,
  place: number,
  rows: number,
): void {
  const at = blocks.blocks++;
  reach(blocks, at + 1);
  blocks.base[at] = base;
  blocks.last[at] = last;
  blocks.source[at] = source;
  blocks.segment[at] = blocks.segments.length - 1;
  blocks.place[at] = place;
  blocks.rows[at] = rows;
}

function reach(blocks: TimeBlocks, count: number): void {
  if (count <= blocks.base.length) return;
  blocks.base = longer(blocks.base, count);
  blocks.last = longer(blocks.last, count);
  blocks.source = longer(blocks.source, count);
  blocks.segment = longer(blocks.segment, count);
  blocks.place = longer(blocks.place, count);
  blocks.rows = longer(blocks.rows, count);
}
