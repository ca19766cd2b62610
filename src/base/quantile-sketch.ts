/**
 * Quantiles of whole numbers from zero to 2^53, such as nanoseconds, in bounded memory: up to 256 values are kept and exact;
 * more go into buckets, 64 for each power of two, whose middle is off by less than 0.8 %. Sketches add up: the sum of
 * two is the sketch of all values of both.
 */
import { withRoom } from "./room.ts";

/** Values that are kept as they are. */
const EXACT_MAX = 256;
/** Buckets of a power of two. */
const SLOTS = 64;
const SLOT_BITS = 6;
const WORD = 2 ** 32;
/** Zeros before the first bit of a word whose bits behind the first seven are none; the seventh then counts as a page. */
const LEADING = 31 - SLOT_BITS;
/** Powers of two up to 2^53, after a first page for values below 64. */
const PAGES = 53 - SLOT_BITS + 1;

/** Fewer values are put one by one. */
const TALLIED_MIN = 1024;
/** Counts of all pages, zero between calls. */
const TALLY = new Uint32Array((PAGES + 1) * SLOTS);

/** Plain data, for another thread. */
export interface SketchData {
  readonly count: number;
  readonly most: number;
  readonly values: Float64Array | undefined;
  /** Number of the page and its counts. */
  readonly pages: readonly (readonly [page: number, counts: Float64Array])[];
}

export class QuantileSketch {
  count = 0;
  /** The largest value; exact. */
  most = 0;
  #values: Float64Array | undefined = new Float64Array(4);
  #pages: (Float64Array | undefined)[] = [];

  get memoryBytes(): number {
    const pages = this.#pages.reduce((sum, page) => sum + (page?.byteLength ?? 0), 0);
    return 64 + (this.#values?.byteLength ?? 0) + pages;
  }

  /** `value` is whole and not negative. */
  add(value: number): void {
    if (value > this.most) this.most = value;
    const at = this.count++;
    if (this.#values === undefined) {
      this.#put(value, 1);
      return;
    }
    if (at === this.#values.length) this.#makeRoom(at);
    if (this.#values === undefined) this.#put(value, 1);
    else this.#values[at] = value;
  }

  /** Adds rows [from, to) of `values` less `bases`, whole and not negative. */
  addDifferences(values: Float64Array, bases: Float64Array, from: number, to: number): void {
    let row = from;
    const tallied = to - from >= TALLIED_MIN;
    for (; row < to && (this.#values !== undefined || !tallied); row++)
      this.add((values[row] as number) - (bases[row] as number));
    if (row === to) return;
    this.count += to - row;
    this.most = Math.max(this.most, tally(values, bases, row, to));
    for (let at = 0; at < TALLY.length; at++) {
      const count = TALLY[at] as number;
      if (count === 0) continue;
      this.#page(at >>> SLOT_BITS)[at & (SLOTS - 1)]! += count;
      TALLY[at] = 0;
    }
  }

  merge(other: SketchData): void {
    if (other.values !== undefined) {
      for (let i = 0; i < other.count; i++) this.add(other.values[i] as number);
      return;
    }
    this.#leaveExact();
    for (const [page, counts] of other.pages) {
      const own = this.#page(page);
      for (let slot = 0; slot < SLOTS; slot++) own[slot]! += counts[slot] as number;
    }
    this.count += other.count;
    this.most = Math.max(this.most, other.most);
  }

  data(): SketchData {
    const pages: [number, Float64Array][] = [];
    this.#pages.forEach((counts, page) => {
      if (counts !== undefined) pages.push([page, counts]);
    });
    return { count: this.count, most: this.most, values: this.#values?.slice(0, this.count), pages };
  }

  /** The least value that at least this share of all values does not exceed; NaN without values. */
  quantile(share: number): number {
    if (this.count === 0) return Number.NaN;
    const place = Math.max(1, Math.ceil(share * this.count));
    if (place === this.count) return this.most;
    if (this.#values !== undefined) return this.#values.slice(0, this.count).sort()[place - 1] as number;
    let before = 0;
    for (let page = 0; page < this.#pages.length; page++) {
      const counts = this.#pages[page];
      if (counts === undefined) continue;
      for (let slot = 0; slot < SLOTS; slot++) {
        before += counts[slot] as number;
        if (before >= place) return Math.min(this.most, middleOf(page, slot));
      }
    }
    return this.most;
  }

  /** How many values exceed `limit`; where values are in buckets, those whose middle does. */
  countAbove(limit: number): number {
    if (this.#values !== undefined) {
      let above = 0;
      for (let i = 0; i < this.count; i++) if ((this.#values[i] as number) > limit) above++;
      return above;
    }
    let above = 0;
    this.#pages.forEach((counts, page) => {
      counts?.forEach((count, slot) => {
        if (count > 0 && middleOf(page, slot) > limit) above += count;
      });
    });
    return above;
  }

  #makeRoom(used: number): void {
    if (used >= EXACT_MAX) {
      this.#leaveExact();
      return;
    }
    this.#values = withRoom(this.#values as Float64Array, 4 * used);
  }

  #leaveExact(): void {
    const values = this.#values;
    if (values === undefined) return;
    this.#values = undefined;
    for (let i = 0; i < Math.min(this.count, values.length); i++) this.#put(values[i] as number, 1);
  }

  #put(value: number, count: number): void {
    let page = 0;
    let slot = value;
    if (value >= SLOTS) {
      const power = value < WORD ? 31 - Math.clz32(value) : 63 - Math.clz32(value / WORD);
      page = power - SLOT_BITS + 1;
      slot = (value < WORD ? value >>> (power - SLOT_BITS) : value / 2 ** (power - SLOT_BITS)) & (SLOTS - 1);
    }
    (this.#pages[page] ?? this.#page(page))[slot]! += count;
  }

  #page(page: number): Float64Array {
    if (this.#pages.length === 0) this.#pages = new Array<undefined>(PAGES + 1).fill(undefined);
    return (this.#pages[page] ??= new Float64Array(SLOTS));
  }
}

/** Counts differences by page and slot in TALLY; returns the largest. */
function tally(values: Float64Array, bases: Float64Array, from: number, to: number): number {
  let most = 0;
  for (let row = from; row < to; row++) {
    const value = (values[row] as number) - (bases[row] as number);
    if (value > most) most = value;
    if (value < WORD) {
      const word = value >>> 0;
      const shift = Math.max(0, LEADING - Math.clz32(word));
      TALLY[(shift << SLOT_BITS) + (word >>> shift)]!++;
      continue;
    }
    const shift = 32 + LEADING - Math.clz32(value / WORD);
    TALLY[(shift << SLOT_BITS) + Math.floor(value / 2 ** shift)]!++;
  }
  return most;
}

/** Middle of a bucket; buckets of width one hold one value. */
function middleOf(page: number, slot: number): number {
  if (page === 0) return slot;
  const width = 2 ** (page - 1);
  return (SLOTS + slot) * width + (width - 1) / 2;
}
