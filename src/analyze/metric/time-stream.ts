/** Times out of blocks, in order, a batch at a time. */
import { extentOf, type IntegerSorter, insertionSort } from "../../base/integer-sort.ts";
import { longer } from "./exact-sums.ts";
import type { TimeBlocks } from "./time-runs.ts";

/** Times loaded at a time, at least. */
const BATCH = 2 ** 16;
const OFFSET_MAX = 2 ** 32 - 1;

export class TimeStream {
  readonly #blocks: TimeBlocks;
  readonly #shift: Float64Array;
  readonly #sorter: IntegerSorter;
  /** Blocks to load, by base. */
  readonly #order: Uint32Array;
  readonly #bases: Float64Array;
  readonly #fromNs: number;
  readonly #toNs: number;
  #next = 0;
  /** Loaded and not yet handed out, in any order. */
  #held = new Float64Array(0);
  #heldCount = 0;
  /** None of them lies behind. */
  #heldLast = Number.NEGATIVE_INFINITY;
  #heldInOrder = true;
  #offsets = new Uint32Array(0);
  /** Times before the range; all of them once the bound of `load` is behind its begin. */
  before = 0;
  /** The batch, in order. */
  values = new Float64Array(0);
  count = 0;

  /** Only times in [fromNs, toNs) on the common axis, to which `shift` moves the times of a source. */
  constructor(blocks: TimeBlocks, shift: Float64Array, fromNs: number, toNs: number, sorter: IntegerSorter) {
    this.#blocks = blocks;
    this.#shift = shift;
    this.#sorter = sorter;
    this.#fromNs = fromNs;
    this.#toNs = toNs;
    const { chosen, bases } = this.#choose();
    const order = sorter.order(bases, bases.length);
    this.#order = order === undefined ? chosen : order.map((at) => chosen[at] as number);
    this.#bases = order === undefined ? bases : Float64Array.from(order, (at) => bases[at] as number);
  }

  /** Blocks that reach into the range; those before it are only counted. */
  #choose(): { chosen: Uint32Array; bases: Float64Array } {
    const { blocks, base, last, source, rows } = this.#blocks;
    const chosen = new Uint32Array(blocks);
    const bases = new Float64Array(blocks);
    let count = 0;
    for (let block = 0; block < blocks; block++) {
      const shift = this.#shift[source[block] as number] as number;
      const first = (base[block] as number) + shift;
      if (first >= this.#toNs) continue;
      if ((last[block] as number) + shift < this.#fromNs) {
        this.before += rows[block] as number;
        continue;
      }
      chosen[count] = block;
      bases[count++] = first;
    }
    return { chosen: chosen.subarray(0, count), bases: bases.subarray(0, count) };
  }

  /**
   * Loads what the next batch needs; returns the time before which all times are loaded. `doneNs` is what it returned
   * last, or less where another stream held the batch back.
   */
  load(doneNs: number): number {
    // What is left over is looked at again each time, so as much is loaded again.
    const wanted = this.#bound() <= doneNs ? Math.max(BATCH, 2 * this.#heldCount) : BATCH;
    while (this.#heldCount < wanted && this.#next < this.#order.length) this.#loadNext();
    return this.#bound();
  }

  #bound(): number {
    return this.#next < this.#order.length ? (this.#bases[this.#next] as number) : this.#toNs;
  }

  #loadNext(): void {
    const base = this.#bases[this.#next] as number;
    const block = this.#order[this.#next++] as number;
    const { segments, segment, place, rows, inOrder } = this.#blocks;
    const from = place[block] as number;
    const count = rows[block] as number;
    const codes = segments[segment[block] as number] as Uint32Array;
    const at = this.#heldCount;
    if (at + count > this.#held.length) this.#held = longer(this.#held, at + count);
    unpack(codes, from, count, base, this.#held, at);
    this.#heldCount = at + count;
    if (base < this.#heldLast || !inOrder[segment[block] as number]) this.#heldInOrder = false;
    const last = this.#endOf(block);
    if (last > this.#heldLast) this.#heldLast = last;
    if (base < this.#fromNs || last >= this.#toNs) this.#leaveRange(at);
  }

  /** Takes out times outside the range from `from` on. */
  #leaveRange(from: number): void {
    const held = this.#held;
    let at = from;
    for (let i = from; i < this.#heldCount; i++) {
      const time = held[i] as number;
      if (time < this.#fromNs) this.before++;
      else if (time < this.#toNs) held[at++] = time;
    }
    this.#heldCount = at;
  }

  #endOf(block: number): number {
    const { last, source } = this.#blocks;
    return (last[block] as number) + (this.#shift[source[block] as number] as number);
  }

  /** Makes the times before `boundNs` the batch, in order. */
  take(boundNs: number): void {
    const inOrder = this.#heldInOrder;
    const count = this.#moveToBatch(boundNs);
    const { values } = this;
    if (inOrder || insertionSort(values, count)) return;
    const { low, range } = extentOf(values, count);
    if (range > OFFSET_MAX) {
      this.#sorter.sort(values, count);
      return;
    }
    if (this.#offsets.length < count) this.#offsets = new Uint32Array(values.length);
    toOffsets(values, count, low, this.#offsets);
    this.#sorter.sortOffsets(this.#offsets, count, range, low, values);
  }

  #moveToBatch(boundNs: number): number {
    if (this.#heldLast < boundNs) {
      [this.values, this.#held] = [this.#held, this.values];
      this.count = this.#heldCount;
      this.#heldCount = 0;
    } else {
      if (this.values.length < this.#heldCount) this.values = new Float64Array(this.#held.length);
      this.count = moveBelow(boundNs, this.#held, this.#heldCount, this.values);
      this.#heldCount -= this.count;
    }
    if (this.#heldCount === 0) {
      this.#heldLast = Number.NEGATIVE_INFINITY;
      this.#heldInOrder = true;
    }
    return this.count;
  }
}

// Loops in functions of their own, as the engine makes them fast one by one.

/** Moves what is below the bound; what is not comes to the front of `held`. Returns how many were moved. */
function moveBelow(boundNs: number, held: Float64Array, count: number, values: Float64Array): number {
  let kept = 0;
  let taken = 0;
  for (let i = 0; i < count; i++) {
    const time = held[i] as number;
    if (time < boundNs) values[taken++] = time;
    else held[kept++] = time;
  }
  return taken;
}

function toOffsets(values: Float64Array, count: number, low: number, offsets: Uint32Array): void {
  for (let i = 0; i < count; i++) offsets[i] = (values[i] as number) - low;
}

function unpack(
  codes: Uint32Array,
  from: number,
  count: number,
  base: number,
  held: Float64Array,
  at: number,
) {
  for (let i = 0; i < count; i++) held[at + i] = base + (codes[from + i] as number);
}
