/**
 * Columns of a million rows: numbers in pages as narrow as their values allow, texts that repeat as codes. Most counters
 * of most files are zero or small, so a row of a hundred numbers takes as much memory as a dozen doubles.
 */
import { withRoom } from "./room.ts";
import { LOW, wordNumber } from "./words.ts";

const BITS = 13;
const PAGE_ROWS = 1 << BITS;
const MASK = PAGE_ROWS - 1;

/** In pages of integers 0 stands for "missing", and a value for itself plus one; pages of doubles hold values, or NaN. */
type Page = Uint8Array | Uint16Array | Uint32Array | Float64Array;

const isWide = (page: Page): page is Float64Array => page.BYTES_PER_ELEMENT === 8;

/** Each kind of page has a list of its own, since reading one is then one kind of load; these stand where there is none. */
const NO_BYTES = new Uint8Array(0);
const NO_HALVES = new Uint16Array(0);
const NO_WORDS = new Uint32Array(0);
const NO_DOUBLES = new Float64Array(0);

/** The lowest integer of 64 bits marks what is missing, wherever such integers are kept. */
const LOWEST = -(2 ** 63);

/** Numbers by row; NaN where none was set. Integers beyond 2^53 are kept exactly beside their doubles. */
export class PackedNumbers {
  readonly #pages: (Page | undefined)[] = [];
  /** The same pages by their kind; a place has one in the list of its kind. */
  #kinds = new Uint8Array(16);
  readonly #bytes: Uint8Array[] = [];
  readonly #halves: Uint16Array[] = [];
  readonly #words: Uint32Array[] = [];
  readonly #doubles: Float64Array[] = [];
  /** Pages before this one are behind us: they are written seldom, and some are shared. */
  #open = 0;
  /** Pages that stand in several places, each with one value only; the last of them. */
  readonly #shared = new Set<Page>();
  #uniform: Page | undefined;
  #exact: Map<number, bigint> | undefined;

  at(row: number): number {
    const index = row >>> BITS;
    switch (this.#kinds[index]) {
      case 8:
        return (this.#doubles[index] as Float64Array)[row & MASK] as number;
      case 1:
        return plain((this.#bytes[index] as Uint8Array)[row & MASK] as number);
      case 4:
        return plain((this.#words[index] as Uint32Array)[row & MASK] as number);
      case 2:
        return plain((this.#halves[index] as Uint16Array)[row & MASK] as number);
      default:
        return Number.NaN;
    }
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

  /** The same value in rows [row, row + count). */
  fill(row: number, count: number, value: number): void {
    const end = row + count;
    while (row < end) {
      this.set(row, value);
      const [index, at] = [row >>> BITS, row & MASK];
      const rows = Math.min(PAGE_ROWS - at, end - row);
      const page = this.#pages[index];
      // A page behind us may stand in several places.
      if (page === undefined || index < this.#open || this.#exact !== undefined)
        for (let i = 1; i < rows; i++) this.set(row + i, value);
      else page.fill(page[at] as number, at, at + rows);
      row += rows;
    }
  }

  /**
   * Sets rows [row, row + count), which have no values yet, to the signed words at `word`, `word + stride` … of `u32`.
   * What is negative stays missing; `isNegative` says so.
   */
  setWords(
    row: number,
    count: number,
    u32: Uint32Array,
    word: number,
    stride: number,
    isNegative?: (word: number) => void,
  ): void {
    for (let i = 0; i < count; ) {
      const index = (row + i) >>> BITS;
      const end = Math.min(count, ((index + 1) << BITS) - row);
      const page = index >= this.#open ? this.#pages[index] : undefined;
      const at = row - (index << BITS);
      if (page !== undefined && !isWide(page)) i = copyWords(page, at, i, end, u32, word, stride);
      if (i === end) continue;
      const own = word + i * stride;
      if (((u32[2 * own + 1 - LOW] as number) | 0) < 0) isNegative?.(own);
      else this.setWord(row + i, u32, own);
      i++;
    }
  }

  #setPage(index: number, page: Page): void {
    this.#pages[index] = page;
    if (index >= this.#kinds.length) this.#kinds = withRoom(this.#kinds, 2 * index);
    for (let at = this.#bytes.length; at <= index; at++) {
      this.#bytes.push(NO_BYTES);
      this.#halves.push(NO_HALVES);
      this.#words.push(NO_WORDS);
      this.#doubles.push(NO_DOUBLES);
    }
    this.#bytes[index] = page instanceof Uint8Array ? page : NO_BYTES;
    this.#halves[index] = page instanceof Uint16Array ? page : NO_HALVES;
    this.#words[index] = page instanceof Uint32Array ? page : NO_WORDS;
    this.#doubles[index] = page instanceof Float64Array ? page : NO_DOUBLES;
    this.#kinds[index] = page.BYTES_PER_ELEMENT;
  }

  #setWhereItFits(index: number, at: number, value: number): void {
    if (Number.isNaN(value) && this.#pages[index] === undefined) return;
    let page = this.#pageToWrite(index, value);
    while (!write(page, at, value)) page = widened(page);
    this.#setPage(index, page);
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
    if (known?.BYTES_PER_ELEMENT === page.BYTES_PER_ELEMENT && known[0] === first)
      this.#setPage(index, known);
    else {
      this.#uniform = page;
      this.#shared.add(page);
    }
  }
}

const plain = (stored: number) => (stored === 0 ? Number.NaN : stored - 1);

function read(page: Page, at: number): number {
  const stored = page[at] as number;
  return isWide(page) ? stored : plain(stored);
}

/** Copies words until one is negative or does not fit; tells which one. Row `i` stands at `at + i` of the page. */
function copyWords(
  page: Uint8Array | Uint16Array | Uint32Array,
  at: number,
  from: number,
  to: number,
  u32: Uint32Array,
  word: number,
  stride: number,
): number {
  const most = 2 ** (8 * page.BYTES_PER_ELEMENT) - 1;
  let low = 2 * (word + from * stride) + LOW;
  for (let i = from; i < to; i++, low += 2 * stride) {
    const value = u32[low] as number;
    if (value >= most || u32[low + 1 - 2 * LOW] !== 0) return i;
    page[at + i] = value + 1;
  }
  return to;
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

  /** The same text in as many rows. */
  pushMany(value: string | null, count: number): void {
    if (count === 0) return;
    this.push(value);
    if (this.#coded === undefined) for (let i = 1; i < count; i++) this.push(value);
    else {
      if (value !== null) this.#coded.fill(this.#length, count - 1, this.#codeOf(value));
      this.#length += count - 1;
    }
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
