/**
 * Columns of a million rows: numbers in pages as narrow as their values allow, texts that repeat as codes. Most counters
 * of most files are zero or small, so a row of a hundred numbers takes as much memory as a dozen doubles.
 */
import { LOW, wordNumber } from "./words.ts";

const BITS = 13;
const PAGE_ROWS = 1 << BITS;
const MASK = PAGE_ROWS - 1;

/** In pages of integers 0 stands for "missing", and a value for itself plus one; pages of doubles hold values, or NaN. */
type Page = Uint8Array | Uint16Array | Uint32Array | Float64Array;

const isWide = (page: Page): page is Float64Array => page.BYTES_PER_ELEMENT === 8;

/** The lowest integer of 64 bits marks what is missing, wherever such integers are kept. */
const LOWEST = -(2 ** 63);

/** Numbers by row; NaN where none was set. Integers beyond 2^53 are kept exactly beside their doubles. */
export class PackedNumbers {
  readonly #pages: (Page | undefined)[] = [];
  /** Pages before this one are behind us: they are written seldom, and some are shared. */
  #open = 0;
  /** Pages that stand in several places, each with one value only; the last of them. */
  readonly #shared = new Set<Page>();
  #uniform: Page | undefined;
  #exact: Map<number, bigint> | undefined;

  at(row: number): number {
    const page = this.#pages[row >>> BITS];
    return page === undefined ? Number.NaN : read(page, row & MASK);
  }

  /** The integer without rounding; undefined where none was set. */
  exactAt(row: number): bigint | undefined {
    const exact = this.#exact?.get(row);
    if (exact !== undefined) return exact;
    const value = this.at(row);
    return Number.isNaN(value) ? undefined : BigInt(value);
  }

  set(row: number, value: number): void {
    if (this.#exact !== undefined) this.#exact.delete(row);
    const index = row >>> BITS;
    const page = index >= this.#open ? this.#pages[index] : undefined;
    if (page === undefined || !write(page, row & MASK, value)) this.#setWhereItFits(index, row & MASK, value);
  }

  add(row: number, value: number): void {
    const known = this.at(row);
    this.set(row, Number.isNaN(known) ? value : known + value);
  }

  setExact(row: number, value: bigint): void {
    const rounded = Number(value);
    this.set(row, rounded === LOWEST ? Number.NaN : rounded);
    if (Number.isSafeInteger(rounded) || rounded === LOWEST) return;
    this.#exact ??= new Map();
    this.#exact.set(row, value);
  }

  /** Sets word `word` of `u32`, a signed integer of 64 bits. */
  setWord(row: number, u32: Uint32Array, word: number): void {
    const value = wordNumber(u32, word);
    if (Number.isSafeInteger(value)) this.set(row, value);
    else this.setExact(row, exactWord(u32, word));
  }

  /** Adds word `word` of `u32`, which is not negative. Beyond 2^63 sums wrap, as they do in 64 bits. */
  addWord(row: number, u32: Uint32Array, word: number): void {
    const known = this.at(row);
    const sum = known + wordNumber(u32, word);
    if (Number.isSafeInteger(sum)) this.set(row, sum);
    else if (Number.isNaN(known)) this.setWord(row, u32, word);
    else this.setExact(row, BigInt.asIntN(64, (this.exactAt(row) as bigint) + exactWord(u32, word)));
  }

  #setWhereItFits(index: number, at: number, value: number): void {
    if (Number.isNaN(value) && this.#pages[index] === undefined) return;
    let page = this.#pageToWrite(index, value);
    while (!write(page, at, value)) page = widened(page);
    this.#pages[index] = page;
  }

  /** A page of this place alone. */
  #pageToWrite(index: number, value: number): Page {
    const page = this.#pages[index];
    if (page !== undefined) return this.#shared.has(page) ? page.slice() : page;
    while (this.#pages.length < index) this.#pages.push(undefined);
    for (; this.#open < index; this.#open++) this.#share(this.#open);
    // Neighbours are alike; a fraction never fits into integers.
    return emptyPage(Number.isInteger(value) ? (this.#pages[index - 1]?.BYTES_PER_ELEMENT ?? 1) : 8);
  }

  /** A page with one value only is the same object as the last such page with that value. */
  #share(index: number): void {
    const page = this.#pages[index];
    if (page === undefined) return;
    const first = page[0] as number;
    // There are two zeros among doubles.
    if (isWide(page) && first === 0) return;
    for (let at = 1; at < PAGE_ROWS; at++) if (page[at] !== first) return;
    const known = this.#uniform;
    if (known?.BYTES_PER_ELEMENT === page.BYTES_PER_ELEMENT && known[0] === first) this.#pages[index] = known;
    else {
      this.#uniform = page;
      this.#shared.add(page);
    }
  }
}

function read(page: Page, at: number): number {
  const stored = page[at] as number;
  if (isWide(page)) return stored;
  return stored === 0 ? Number.NaN : stored - 1;
}

/** False when the value does not fit; the place then holds anything. */
function write(page: Page, at: number, value: number): boolean {
  if (isWide(page)) {
    page[at] = value;
    return true;
  }
  if (value > 0 || Object.is(value, 0)) {
    // What does not fit comes back changed, and so does a fraction.
    page[at] = value + 1;
    return page[at] === value + 1;
  }
  page[at] = 0;
  return Number.isNaN(value);
}

function emptyPage(bytes: number): Page {
  switch (bytes) {
    case 1:
      return new Uint8Array(PAGE_ROWS);
    case 2:
      return new Uint16Array(PAGE_ROWS);
    case 4:
      return new Uint32Array(PAGE_ROWS);
    default:
      return new Float64Array(PAGE_ROWS).fill(Number.NaN);
  }
}

function widened(page: Page): Page {
  const wider = emptyPage(2 * page.BYTES_PER_ELEMENT);
  for (let at = 0; at < PAGE_ROWS; at++) write(wider, at, read(page, at));
  return wider;
}

/** Word `word` as an exact integer. */
const exactWord = (u32: Uint32Array, word: number): bigint =>
  (BigInt((u32[2 * word + 1 - LOW] as number) | 0) << 32n) | BigInt(u32[2 * word + LOW] as number);

/** More different texts than this are not worth a code. */
const CODES_MAX = 254;

/** Texts by row, or null. */
export class PackedTexts {
  #length = 0;
  readonly #values: string[] = [];
  readonly #codes = new Map<string, number>();
  #coded: PackedNumbers | undefined = new PackedNumbers();
  #plain: (string | null)[] = [];

  get length(): number {
    return this.#length;
  }

  at(row: number): string | null {
    if (this.#coded === undefined) return this.#plain[row] ?? null;
    return this.#values[this.#coded.at(row)] ?? null;
  }

  push(value: string | null): void {
    const row = this.#length++;
    if (this.#coded === undefined) this.#plain.push(value);
    else if (value !== null) {
      const code = this.#codeOf(value);
      if (code <= CODES_MAX) this.#coded.set(row, code);
      else {
        this.#plain = Array.from({ length: row }, (_, before) => this.at(before));
        this.#plain.push(value);
        this.#coded = undefined;
      }
    }
  }

  #codeOf(value: string): number {
    let code = this.#codes.get(value);
    if (code === undefined) {
      code = this.#values.length;
      this.#codes.set(value, code);
      this.#values.push(value);
    }
    return code;
  }
}
