/** Lists of doubles that grow: what is known of each file. Where they do not fit into memory their pages lie elsewhere. */
import { assert } from "../../../../base/assert.ts";
import { withRoom } from "../../../../base/room.ts";
import type { Spill } from "../../../../base/spill.ts";

const PAGE = 65_536;
const PAGE_BYTES = PAGE * Float64Array.BYTES_PER_ELEMENT;

/** Where columns put their full pages. */
export class Pages {
  readonly #spill: Spill;
  #bytes = 0;

  constructor(spill: Spill) {
    this.#spill = spill;
  }

  /** Where the page lies from now on. */
  keep(page: Float64Array): number {
    assert(page.length === PAGE, "a page is full");
    const offset = this.#bytes;
    this.#spill.append(new Uint8Array(page.buffer, page.byteOffset, PAGE_BYTES));
    this.#bytes += PAGE_BYTES;
    return offset;
  }

  read(offset: number): Float64Array {
    const { buffer, byteOffset } = this.#spill.read(offset, PAGE_BYTES);
    return new Float64Array(buffer, byteOffset, PAGE);
  }
}

export class Column {
  readonly #full: (Float64Array | number)[] = [];
  #page: Float64Array = new Float64Array(256);
  #used = 0;
  #all: Float64Array | undefined;
  readonly #pages: Pages | undefined;
  readonly #unknown: number;

  /** `unknown` is the value of files that were left out. */
  constructor(pages?: Pages, unknown = Number.NaN) {
    this.#pages = pages;
    this.#unknown = unknown;
  }

  get length(): number {
    return this.#full.length * PAGE + this.#used;
  }

  push(value: number): void {
    if (this.#used === this.#page.length) this.#turn();
    this.#page[this.#used++] = value;
  }

  /** Adds the value of a file behind those before it. */
  put(file: number, value: number): void {
    this.reach(file);
    this.push(value);
  }

  /** Fills up to `length` values. */
  reach(length: number): void {
    for (let more = length - this.length; more > 0; more--) this.push(this.#unknown);
  }

  /** All of them; valid until the next push. Of pages that lie elsewhere a copy, which only the caller holds. */
  values(): Float64Array {
    if (this.#full.length === 0) return this.#page.subarray(0, this.#used);
    if (this.#all?.length === this.length) return this.#all;
    const all = new Float64Array(this.length);
    for (const [i, page] of this.#full.entries()) {
      all.set(this.#held(page), i * PAGE);
      if (typeof page !== "number") this.#full[i] = all.subarray(i * PAGE, (i + 1) * PAGE);
    }
    all.set(this.#page.subarray(0, this.#used), this.#full.length * PAGE);
    if (this.#pages === undefined) this.#all = all;
    return all;
  }

  /** Those that pass, in their order; only the caller holds them. */
  passing(passes: (value: number, place: number) => boolean): Float64Array<ArrayBuffer> {
    // Memory that nothing is written to is not taken.
    const found = new Float64Array(this.length);
    let n = 0;
    eachPage([this], ([page], from) => {
      for (let i = 0; i < page.length; i++) {
        const value = page[i] as number;
        if (passes(value, from + i)) found[n++] = value;
      }
    });
    return found.subarray(0, n);
  }

  known(): Float64Array<ArrayBuffer> {
    return this.passing((value) => !Number.isNaN(value));
  }

  /** Those at some places, in the order of these. */
  at(places: ArrayLike<number>): Float64Array<ArrayBuffer> {
    const order = Uint32Array.from(places, (_, i) => i);
    order.sort((a, b) => (places[a] as number) - (places[b] as number));
    const found = new Float64Array(order.length);
    let next = 0;
    eachPage([this], ([page], from) => {
      for (; next < order.length; next++) {
        const i = order[next] as number;
        const place = (places[i] as number) - from;
        if (place >= page.length) return;
        found[i] = page[place] as number;
      }
    });
    assert(next === order.length, "places are those of values");
    return found;
  }

  /** Page number `i`, of which all but the last are full. */
  page(i: number): Float64Array {
    const page = this.#full[i];
    return page === undefined ? this.#page.subarray(0, this.#used) : this.#held(page);
  }

  #held(page: Float64Array | number): Float64Array {
    return typeof page === "number" ? (this.#pages as Pages).read(page) : page;
  }

  #turn(): void {
    if (this.#used < PAGE) {
      this.#page = withRoom(this.#page as Float64Array<ArrayBuffer>, 2 * this.#used);
      return;
    }
    this.#full.push(this.#pages?.keep(this.#page) ?? this.#page);
    if (this.#pages === undefined) this.#page = new Float64Array(PAGE);
    this.#used = 0;
  }
}

type PagesOf<C extends readonly Column[]> = { [K in keyof C]: Float64Array };

/** Goes through columns of the same length side by side, a page of each at a time. */
export function eachPage<const C extends readonly [Column, ...Column[]]>(
  columns: C,
  take: (pages: PagesOf<C>, from: number) => void,
): void {
  const [{ length }] = columns;
  assert(
    columns.every((column) => column.length === length),
    "columns side by side are of the same rows",
  );
  for (let from = 0; from < length; from += PAGE)
    take(columns.map((column) => column.page(from / PAGE)) as PagesOf<C>, from);
}
