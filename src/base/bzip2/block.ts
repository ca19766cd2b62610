/** One bzip2 block: from Huffman codes to the chain of entries that spells the block's bytes. */
import { type BitInput, LOOKAHEAD_BYTES, makeWindow } from "./bits.ts";
import { ALPHABET_MAX, BLOCK_UNIT, CODE_BITS_MAX, GROUP_SYMBOLS, TABLES_MAX } from "./format.ts";

/** Codes up to this length are found by one look-up; longer ones are rare by construction. */
const LOOKUP_BITS = 10;
const LOOKUP_SIZE = 1 << LOOKUP_BITS;
/** A table's row of per-length values: index 1 to 20, rounded up. */
const LENGTH_ROW = 32;
const SELECTORS_MAX = (9 * BLOCK_UNIT) / GROUP_SYMBOLS + 1;
/** Up to this list position a loop is used, to save the call of `copyWithin`; not tuned. */
const SHIFT_LOOP_MAX = 24;
/** A run longer than the longest block: no further digit can make sense. */
const RUN_DIGIT_MAX = 1 << 20;

/** What the stream breaks is said in the message; the reader adds the place. */
export class Damage extends Error {}

/**
 * Everything decoding a block needs. It is made once and handed from reader to reader, so that a stream of a
 * few bytes does not pay for a buffer of 900,000 entries.
 */
export interface Workspace {
  readonly window: Uint8Array;
  /** Per byte of the block: the byte, and above bit 8 the index of the entry that follows in the text. */
  entries: Int32Array;
  readonly counts: Int32Array;
  readonly recent: Uint8Array;
  readonly selectors: Uint8Array;
  readonly lengths: Uint8Array;
  /** Per table and next `LOOKUP_BITS` bits: symbol << 5 | code length, or 0 for a longer or unused code. */
  readonly lookup: Uint16Array;
  /** Per table and length: the first code, aligned to 20 bits, that is longer. */
  readonly limits: Int32Array;
  /** Per table and length: what to add to a code to get its place in `ordered`. */
  readonly shifts: Int32Array;
  /** Per table: the symbols in the order of their codes. */
  readonly ordered: Uint16Array;
}

/** A new workspace; its block buffer grows to what the streams ask for. */
export function makeWorkspace(): Workspace {
  return {
    window: makeWindow(),
    entries: new Int32Array(0),
    counts: new Int32Array(256),
    recent: new Uint8Array(256),
    selectors: new Uint8Array(SELECTORS_MAX),
    lengths: new Uint8Array(ALPHABET_MAX),
    lookup: new Uint16Array(TABLES_MAX * LOOKUP_SIZE),
    limits: new Int32Array(TABLES_MAX * LENGTH_ROW),
    shifts: new Int32Array(TABLES_MAX * LENGTH_ROW),
    ordered: new Uint16Array(TABLES_MAX * ALPHABET_MAX),
  };
}

/**
 * Decodes a block of at most `bytesMax` bytes from behind its checksum on and links `work.entries`. Returns how
 * many entries there are and the first of the text. Throws `Damage` or `InputEnd`.
 */
export function readBlock(
  input: BitInput,
  work: Workspace,
  bytesMax: number,
): { size: number; first: number } {
  if (input.take(1) === 1) throw new Damage("a randomised block, which only early versions of bzip2 wrote");
  const origin = input.take(24);
  if (work.entries.length < bytesMax) work.entries = new Int32Array(bytesMax);
  const alphabet = readSymbolMap(input, work) + 2;
  const tables = input.take(3);
  if (tables < 2 || tables > TABLES_MAX) throw new Damage(`${tables} Huffman tables, not 2 to ${TABLES_MAX}`);
  const groups = readSelectors(input, work, tables);
  for (let table = 0; table < tables; table++) readTable(input, work, table, alphabet);
  const size = readSymbols(input, work, groups, alphabet - 1, bytesMax);
  if (origin >= size) throw new Damage(`a block of ${size} bytes starts at its byte ${origin}`);
  linkEntries(work, size);
  return { size, first: work.entries[origin]! >>> 8 };
}

/** Fills `work.recent` with the byte values that occur, ascending; returns how many. */
function readSymbolMap(input: BitInput, work: Workspace): number {
  const rows = input.take(16);
  let used = 0;
  for (let row = 0; row < 16; row++) {
    if (((rows >> (15 - row)) & 1) === 0) continue;
    const columns = input.take(16);
    for (let column = 0; column < 16; column++) {
      if (((columns >> (15 - column)) & 1) === 1) work.recent[used++] = row * 16 + column;
    }
  }
  if (used === 0) throw new Damage("a block without symbols");
  return used;
}

/** Reads which table each group of symbols uses; returns the number of groups. */
function readSelectors(input: BitInput, work: Workspace, tables: number): number {
  const count = input.take(15);
  if (count === 0) throw new Damage("a block without selectors");
  const order = [0, 1, 2, 3, 4, 5];
  for (let index = 0; index < count; index++) {
    let place = 0;
    while (input.take(1) === 1) {
      place++;
      if (place >= tables) throw new Damage("a selector names a Huffman table that is not there");
    }
    const table = order[place]!;
    for (; place > 0; place--) order[place] = order[place - 1]!;
    order[0] = table;
    // Some encoders round the number up; what no block can use is read and forgotten.
    if (index < SELECTORS_MAX) work.selectors[index] = table;
  }
  return Math.min(count, SELECTORS_MAX);
}

/** Reads the code lengths of one table and prepares its look-ups. */
function readTable(input: BitInput, work: Workspace, table: number, alphabet: number): void {
  const { lengths, lookup, limits, shifts, ordered } = work;
  const tally = new Int32Array(CODE_BITS_MAX + 1);
  let length = input.take(5);
  for (let symbol = 0; symbol < alphabet; symbol++) {
    for (;;) {
      if (length < 1 || length > CODE_BITS_MAX) throw new Damage(`a Huffman code of ${length} bits`);
      if (input.take(1) === 0) break;
      length += input.take(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
    tally[length]!++;
  }

  const row = table * LENGTH_ROW;
  const symbolsAt = table * ALPHABET_MAX;
  let code = 0;
  let place = symbolsAt;
  for (let bits = 1; bits <= CODE_BITS_MAX; bits++) {
    const count = tally[bits]!;
    shifts[row + bits] = place - code;
    tally[bits] = place;
    place += count;
    code += count;
    if (code > 1 << bits) throw new Damage("a Huffman table with more codes than there are");
    limits[row + bits] = code << (CODE_BITS_MAX - bits);
    code <<= 1;
  }
  for (let symbol = 0; symbol < alphabet; symbol++) ordered[tally[lengths[symbol]!]!++] = symbol;

  const lookupEnd = (table + 1) * LOOKUP_SIZE;
  let lookupAt = table * LOOKUP_SIZE;
  for (place = symbolsAt; place < symbolsAt + alphabet; place++) {
    const symbol = ordered[place]!;
    const bits = lengths[symbol]!;
    if (bits > LOOKUP_BITS) break;
    const next = lookupAt + (1 << (LOOKUP_BITS - bits));
    const entry = (symbol << 5) | bits;
    while (lookupAt < next) lookup[lookupAt++] = entry;
  }
  lookup.fill(0, lookupAt, lookupEnd);
}

/**
 * Reads all symbols of a block, undoing the zero runs and the move to front; leaves the bytes in `work.entries`
 * and how often each occurs in `work.counts`. Returns the number of bytes.
 */
function readSymbols(
  input: BitInput,
  work: Workspace,
  groups: number,
  endSymbol: number,
  bytesMax: number,
): number {
  const { entries, counts, recent, selectors, lookup, limits, shifts, ordered, window } = work;
  counts.fill(0);
  let size = 0;
  let run = 0;
  let runDigit = 1;
  for (let group = 0; group < groups; group++) {
    // With so much in the window, the loop below need not look whether the input has ended.
    if (input.limit - input.at < LOOKAHEAD_BYTES) input.fill();
    const table = selectors[group]!;
    const lookupAt = table * LOOKUP_SIZE;
    let { at, bits, count } = input;
    let ended = false;
    let damage: string | undefined;
    for (let left = GROUP_SYMBOLS; left > 0; left--) {
      if (count < 16) {
        bits = (bits << 16) | (window[at]! << 8) | window[at + 1]!;
        at += 2;
        count += 16;
      }
      const found = lookup[lookupAt + ((bits >>> (count - LOOKUP_BITS)) & (LOOKUP_SIZE - 1))]!;
      let symbol = found >>> 5;
      if (found !== 0) {
        count -= found & 31;
      } else {
        if (count < CODE_BITS_MAX) {
          bits = (bits << 8) | window[at++]!;
          count += 8;
        }
        const ahead = (bits >>> (count - CODE_BITS_MAX)) & ((1 << CODE_BITS_MAX) - 1);
        const row = table * LENGTH_ROW;
        let length = LOOKUP_BITS + 1;
        while (length <= CODE_BITS_MAX && ahead >= limits[row + length]!) length++;
        if (length > CODE_BITS_MAX) {
          count -= CODE_BITS_MAX;
          damage = "bits that are no Huffman code";
          break;
        }
        count -= length;
        symbol = ordered[(ahead >>> (CODE_BITS_MAX - length)) + shifts[row + length]!]!;
      }

      if (symbol < 2) {
        // A run's length in digits 1 and 2, the lowest first.
        if (runDigit > RUN_DIGIT_MAX) {
          damage = "a run longer than a block";
          break;
        }
        run += runDigit << symbol;
        runDigit <<= 1;
        continue;
      }
      if (run > 0) {
        const byte = recent[0]!;
        const runEnd = size + run;
        if (runEnd > bytesMax) {
          damage = "a block longer than its stream allows";
          break;
        }
        counts[byte]! += run;
        if (run > 32) entries.fill(byte, size, runEnd);
        else for (let index = size; index < runEnd; index++) entries[index] = byte;
        size = runEnd;
        run = 0;
        runDigit = 1;
      }
      if (symbol === endSymbol) {
        ended = true;
        break;
      }
      if (size >= bytesMax) {
        damage = "a block longer than its stream allows";
        break;
      }
      let place = symbol - 1;
      const byte = recent[place]!;
      if (place > SHIFT_LOOP_MAX) recent.copyWithin(1, 0, place);
      else for (; place > 0; place--) recent[place] = recent[place - 1]!;
      recent[0] = byte;
      counts[byte]!++;
      entries[size++] = byte;
    }
    input.at = at;
    input.bits = bits;
    input.count = count;
    // The zeros behind the end can look like any damage, so the end is what is reported.
    if (input.overrun) throw input.inputEnd();
    if (damage !== undefined) throw new Damage(damage);
    if (ended) return size;
  }
  throw new Damage("a block without an end mark");
}

/** Undoes the Burrows-Wheeler transform: gives each entry the index of its successor. */
function linkEntries(work: Workspace, size: number): void {
  const { entries, counts } = work;
  let total = 0;
  for (let byte = 0; byte < 256; byte++) {
    const count = counts[byte]!;
    counts[byte] = total;
    total += count;
  }
  for (let index = 0; index < size; index++) {
    const byte = entries[index]! & 255;
    entries[counts[byte]!++]! |= index << 8;
  }
}
