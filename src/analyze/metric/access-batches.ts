/**
 * Reads packed accesses in order of time, batch by batch: blocks are unpacked in order of their first start, and only
 * overlaps within a batch are sorted again. A time slice gets its accesses, cut at its edges.
 */
import { IntegerSorter } from "../../base/integer-sort.ts";
import { getColumn, getSpans } from "../../base/word-columns.ts";
import type { StoredRuns } from "./access-runs.ts";
import { longer } from "../../base/room.ts";
import { ALL_TIME, type Slice } from "./level-times.ts";
import { lowerBound } from "./sweep.ts";

/** Minimum number of accesses to unpack at a time. */
const BATCH = 2 ** 15;

/** From this share on, rows behind the bound are left out of a sort. */
const PARTED_SHARE = 1 / 8;

type Column = Float64Array<ArrayBuffer>;
type Rows = Uint32Array<ArrayBuffer>;

interface Wanted {
  /** Without them, `tally` is not filled and `end` does not go with `start`. */
  readonly owners?: boolean;
  readonly bytes?: boolean;
  readonly ends?: boolean;
}

export class AccessBatches {
  readonly #runs: StoredRuns;
  readonly #shift: Float64Array;
  readonly #slice: Slice;
  readonly #withOwners: boolean;
  readonly #withBytes: boolean;
  readonly #withEnds: boolean;
  readonly #sorter = new IntegerSorter();
  /** Blocks of the slice in the order of their first start, and these starts on the axis. */
  readonly #order: Uint32Array;
  readonly #first: Float64Array;
  /** Scratch space for sorting. */
  #spare = new Float64Array(0);
  #spareTally = new Uint32Array(0);
  #next = 0;
  /** Rows in `start` and values in `sortedEnds`, with those of the batch in front. */
  #rows = 0;
  #endRows = 0;
  /** Accesses of the batch, in order of their start. */
  starts = 0;
  start = new Float64Array(0);
  end = new Float64Array(0);
  tally = new Uint32Array(0);
  bytes: Column = new Float64Array(0);
  /** The next batch starts here or later. */
  boundNs = Number.POSITIVE_INFINITY;
  /** All ends before the next batch, in order, if requested. */
  ends = 0;
  sortedEnds = new Float64Array(0);

  /** `shift` moves the times of a source to the common axis; `wanted`: fill `bytes` and `sortedEnds`. */
  constructor(runs: StoredRuns, shift: Float64Array, slice: Slice = ALL_TIME, wanted: Wanted = {}) {
    const { bytes: withBytes = true, ends: withEnds = true, owners: withOwners = true } = wanted;
    this.#runs = runs;
    this.#shift = shift;
    this.#slice = slice;
    this.#withOwners = withOwners || withBytes;
    this.#withBytes = withBytes;
    this.#withEnds = withEnds;
    const { fromNs, toNs } = slice;
    const own = new Uint32Array(runs.blocks);
    const first = new Float64Array(runs.blocks);
    let count = 0;
    for (let block = 0; block < runs.blocks; block++) {
      const by = shift[runs.source[block] as number] as number;
      const [base, last] = [(runs.base[block] as number) + by, (runs.last[block] as number) + by];
      if (base >= toNs || ((runs.lastEnd[block] as number) + by <= fromNs && last < fromNs)) continue;
      own[count] = block;
      first[count++] = Math.max(base, fromNs);
    }
    const order = this.#sorter.order(first, count);
    this.#order = order === undefined ? own.subarray(0, count) : order.map((at) => own[at] as number);
    this.#first = order === undefined ? first : Float64Array.from(order, (at) => first[at] as number);
  }

  /** Goes on to the next batch; false when there is none. */
  next(): boolean {
    this.#dropBatch();
    const count = this.#order.length;
    if (this.#next === count && this.#rows === 0 && this.#endRows === 0) return false;
    // At least as many as are left over, so that these are not sorted again for a few.
    const known = this.#rows;
    const wanted = Math.max(BATCH, known);
    for (let taken = 0; taken < wanted && this.#next < count; ) {
      const block = this.#order[this.#next++] as number;
      this.#unpack(block);
      taken += this.#runs.rows[block] as number;
    }
    const bound = this.#next === count ? Number.POSITIVE_INFINITY : (this.#first[this.#next] as number);
    this.boundNs = bound;
    const sorted = this.#withOwners ? this.#sortRows(bound) : this.#sortStarts();
    this.starts = lowerBound(this.start, 0, sorted, bound);
    if (this.#withEnds) {
      if (this.#withOwners) this.#addEnds(0, this.starts);
      else this.#addEnds(known, this.#rows);
      this.ends = lowerBound(this.sortedEnds, 0, this.#endRows, bound);
    }
    return true;
  }

  /** Ends of what starts in the batch: in the order of starts they are nearly in order. Others end behind the bound. */
  #addEnds(from: number, to: number): void {
    const count = this.#endRows + to - from;
    if (count > this.sortedEnds.length) this.sortedEnds = longer(this.sortedEnds, count);
    this.sortedEnds.set(this.end.subarray(from, to), this.#endRows);
    this.#endRows = count;
    this.#sorter.sort(this.sortedEnds, count);
  }

  /** Without owners nobody asks which end belongs to which start: each is sorted by itself, ends as they come. */
  #sortStarts(): number {
    this.#sorter.sort(this.start, this.#rows);
    return this.#rows;
  }

  #dropBatch(): void {
    const { starts, ends } = this;
    if (starts > 0) {
      this.start.copyWithin(0, starts, this.#rows);
      this.end.copyWithin(0, starts, this.#rows);
      if (this.#withOwners) this.tally.copyWithin(0, starts, this.#rows);
      if (this.#withBytes) this.bytes.copyWithin(0, starts, this.#rows);
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
    const words = runs.segments[runs.segment[block] as number] as Uint32Array;
    this.#reach(this.#rows + rows);
    const { start, end, tally } = this;
    const [from, to] = [this.#rows, this.#rows + rows];
    const by = this.#shift[runs.source[block] as number] as number;
    const base = (runs.base[block] as number) + by;
    let place = getSpans(words, runs.place[block] as number, base, start, end, from, to);
    if (this.#withOwners) {
      place = getColumn(words, place, tally, from, to);
      const map = runs.map[block] as number;
      if (map > 0) translate(tally, from, to, runs.maps[map] as Uint32Array);
    }
    if (this.#withBytes) getColumn(words, place, this.bytes, from, to);
    this.#rows = this.#cut(block, by, from, to);
  }

  /** Takes the rows in the slice, cut to it; returns the row behind the last of them. */
  #cut(block: number, by: number, from: number, to: number): number {
    const { fromNs, toNs } = this.#slice;
    const { base, lastEnd } = this.#runs;
    if ((base[block] as number) + by >= fromNs && (lastEnd[block] as number) + by <= toNs) return to;
    const { start, end, tally, bytes } = this;
    let kept = from;
    for (let i = from; i < to; i++) {
      const [ownStart, ownEnd] = [start[i] as number, end[i] as number];
      if (ownStart >= toNs || (ownStart < fromNs && ownEnd <= fromNs)) continue;
      start[kept] = Math.max(ownStart, fromNs);
      end[kept] = Math.min(ownEnd, toNs);
      tally[kept] = tally[i] as number;
      if (this.#withBytes) bytes[kept] = bytes[i] as number;
      kept++;
    }
    return kept;
  }

  /** Puts rows in order; returns how many are, among them all that start before the bound. */
  #sortRows(bound: number): number {
    const rows = this.#part(bound);
    const order = this.#sorter.order(this.start, rows);
    if (order === undefined) return rows;
    const gathered = <T extends Column | Rows>(values: T, sorted: T): void => {
      gather(values, order, sorted);
      if (rows < this.#rows) sorted.set(values.subarray(rows, this.#rows), rows);
    };
    this.#replaceColumns(gathered);
    return rows;
  }

  /** Where many rows start behind the bound, these come last and are not sorted until it is their turn; returns how many come before. */
  #part(bound: number): number {
    const { start } = this;
    const rows = this.#rows;
    const before = countBelow(start, rows, bound);
    if (rows - before < PARTED_SHARE * rows || before === lowerBound(start, 0, rows, bound)) return rows;
    this.#replaceColumns((values, parted) => part(values, start, rows, bound, before, parted));
    return before;
  }

  /** Writes the columns again, `start` last; what held them is used for the next ones. */
  #replaceColumns(write: <T extends Column | Rows>(values: T, into: T) => void): void {
    const replaced = (values: Column): Column => {
      if (this.#spare.length < values.length) this.#spare = new Float64Array(values.length);
      const into = this.#spare;
      write(values, into);
      this.#spare = values;
      return into;
    };
    if (this.#withOwners) {
      if (this.#spareTally.length < this.tally.length) this.#spareTally = new Uint32Array(this.tally.length);
      write(this.tally, this.#spareTally);
      [this.tally, this.#spareTally] = [this.#spareTally, this.tally];
    }
    const { start } = this;
    this.end = replaced(this.end);
    if (this.#withBytes) this.bytes = replaced(this.bytes);
    this.start = replaced(start);
  }

  #reach(rows: number): void {
    if (rows <= this.start.length) return;
    this.start = longer(this.start, rows);
    this.end = longer(this.end, rows);
    this.tally = longer(this.tally, rows);
    if (this.#withBytes) this.bytes = longer(this.bytes, rows);
  }
}

// Loops in separate functions, since the engine optimizes each function separately.

function translate(values: Uint32Array, from: number, to: number, map: Uint32Array): void {
  for (let i = from; i < to; i++) values[i] = map[values[i] as number] as number;
}

function gather<T extends Float64Array | Uint32Array>(values: T, order: Uint32Array, sorted: T): void {
  for (let i = 0; i < order.length; i++) sorted[i] = values[order[i] as number] as number;
}

function countBelow(values: Float64Array, count: number, bound: number): number {
  let below = 0;
  for (let i = 0; i < count; i++) if ((values[i] as number) < bound) below++;
  return below;
}

/** Rows that start before the bound, then the others, both in the order in which they were. */
function part<T extends Column | Rows>(
  values: T,
  start: Float64Array,
  rows: number,
  bound: number,
  before: number,
  parted: T,
): void {
  let [first, second] = [0, before];
  for (let i = 0; i < rows; i++) {
    const at = (start[i] as number) < bound ? first++ : second++;
    parted[at] = values[i] as number;
  }
}
