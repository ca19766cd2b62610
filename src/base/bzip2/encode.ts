/** bzip2 encoding, for the files we write ourselves and for tests. */
import { withRoom } from "../room.ts";
import {
  ALPHABET_MAX,
  BLOCK_MAGIC_HIGH,
  BLOCK_MAGIC_LOW,
  BLOCK_UNIT,
  CRC_START,
  crcCombine,
  crcUpdate,
  END_MAGIC_HIGH,
  END_MAGIC_LOW,
  GROUP_SYMBOLS,
  RUN_START,
  STREAM_MAGIC,
} from "./format.ts";
import { assignCodes, codeLengths } from "./prefix-codes.ts";
import { transformBlock } from "./rotations.ts";

/** As the command's encoder does, this much of a block is left unused. */
const BLOCK_SPARE = 19;
const RUN_MAX = 255;
/** Rounds of "choose the best table per group, then fit the tables to their groups". */
const ROUNDS = 5;
/** What a table is said to cost for symbols outside its first share, before the first fit. */
const FOREIGN_COST = 15;

/** Bits, high bit first, into a buffer that grows. */
class BitOutput {
  #bytes: Uint8Array;
  #at = 0;
  #bits = 0;
  #count = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** Appends the low `width` bits of `value`, at most 24, and nothing may be set above them. */
  put(value: number, width: number): void {
    if (this.#at + 4 > this.#bytes.length) this.#bytes = withRoom(this.#bytes, this.#bytes.length * 2);
    this.#bits = (this.#bits << width) | value;
    this.#count += width;
    while (this.#count >= 8) {
      this.#count -= 8;
      this.#bytes[this.#at++] = this.#bits >>> this.#count;
    }
  }

  put32(value: number): void {
    this.put(value >>> 16, 16);
    this.put(value & 0xffff, 16);
  }

  /** The bytes so far, the last one filled up with zero bits. */
  finish(): Uint8Array {
    if (this.#count > 0) this.put(0, 8 - this.#count);
    return this.#bytes.slice(0, this.#at);
  }
}

/**
 * Compresses to one bzip2 stream that every bzip2 reads; `level` 1 to 9 is the block size in 100,000 bytes. Time
 * is linear in the input whatever it holds, memory some 25 bytes per byte of a block.
 */
export function bzip2Compress(plain: Uint8Array, level = 9): Uint8Array {
  if (!Number.isInteger(level) || level < 1 || level > 9)
    throw new RangeError(`bzip2 level ${level} is not 1 to 9`);
  const output = new BitOutput(1024 + (plain.length >> 2));
  output.put(STREAM_MAGIC, 24);
  output.put(0x30 + level, 8);
  const block = new Uint8Array(
    Math.min(level * BLOCK_UNIT - BLOCK_SPARE, 16 + plain.length + (plain.length >> 2)),
  );
  let streamCrc = 0;
  for (let at = 0; at < plain.length; ) {
    const { size, taken } = shortenRuns(plain, at, block);
    const crc = ~crcUpdate(CRC_START, plain, at, at + taken);
    at += taken;
    streamCrc = crcCombine(streamCrc, crc);
    output.put(BLOCK_MAGIC_HIGH, 24);
    output.put(BLOCK_MAGIC_LOW, 24);
    output.put32(crc);
    writeBlock(output, block, size);
  }
  output.put(END_MAGIC_HIGH, 24);
  output.put(END_MAGIC_LOW, 24);
  output.put32(streamCrc);
  return output.finish();
}

/** Fills `block` from plain[start...], each run of four and more as four bytes and a count. */
function shortenRuns(plain: Uint8Array, start: number, block: Uint8Array): { size: number; taken: number } {
  // A run with its count is never split between blocks.
  const room = block.length - RUN_START;
  let at = start;
  let size = 0;
  while (at < plain.length && size < room) {
    const byte = plain[at]!;
    const end = Math.min(plain.length, at + RUN_MAX);
    let run = 1;
    while (at + run < end && plain[at + run] === byte) run++;
    for (let index = Math.min(run, RUN_START); index > 0; index--) block[size++] = byte;
    if (run >= RUN_START) block[size++] = run - RUN_START;
    at += run;
  }
  return { size, taken: at - start };
}

function writeBlock(output: BitOutput, block: Uint8Array, size: number): void {
  const { last, origin } = transformBlock(block, size);
  output.put(0, 1);
  output.put(origin, 24);
  const used = new Uint8Array(256);
  for (let at = 0; at < size; at++) used[block[at]!] = 1;
  writeSymbolMap(output, used);
  const { symbols, count, alphabet } = moveToFront(last, used);
  const { selectors, lengths } = fitTables(symbols, count, alphabet);
  output.put(lengths.length, 3);
  writeSelectors(output, selectors, lengths.length);
  for (const table of lengths) writeLengths(output, table);
  const codes = lengths.map(assignCodes);
  for (let group = 0, at = 0; at < count; group++) {
    const table = selectors[group]!;
    const tableCodes = codes[table]!;
    const tableLengths = lengths[table]!;
    for (const end = Math.min(count, at + GROUP_SYMBOLS); at < end; at++) {
      const symbol = symbols[at]!;
      output.put(tableCodes[symbol]!, tableLengths[symbol]!);
    }
  }
}

function writeSymbolMap(output: BitOutput, used: Uint8Array): void {
  const rows = new Uint16Array(16);
  for (let byte = 0; byte < 256; byte++) rows[byte >> 4]! |= used[byte]! << (15 - (byte & 15));
  let present = 0;
  for (const row of rows) present = (present << 1) | (row === 0 ? 0 : 1);
  output.put(present, 16);
  for (const row of rows) if (row !== 0) output.put(row, 16);
}

/** List positions instead of bytes, runs of position 0 as digits 1 and 2 (symbols 0 and 1), and the end mark. */
function moveToFront(
  last: Uint8Array,
  used: Uint8Array,
): { symbols: Uint16Array; count: number; alphabet: number } {
  const recent = new Uint8Array(256);
  let distinct = 0;
  for (let byte = 0; byte < 256; byte++) if (used[byte] === 1) recent[distinct++] = byte;
  const symbols = new Uint16Array(last.length + 1);
  let count = 0;
  let run = 0;
  for (let at = 0; at <= last.length; at++) {
    const byte = at < last.length ? last[at]! : -1;
    if (byte === recent[0]) {
      run++;
      continue;
    }
    for (; run > 0; run = (run - 1) >> 1) symbols[count++] = (run - 1) & 1;
    if (byte < 0) break;
    let place = 0;
    let moving = recent[0]!;
    while (moving !== byte) {
      place++;
      const next = recent[place]!;
      recent[place] = moving;
      moving = next;
    }
    recent[0] = byte;
    symbols[count++] = place + 1;
  }
  symbols[count++] = distinct + 1;
  return { symbols, count, alphabet: distinct + 2 };
}

/** Chooses Huffman tables and which of them each group of symbols uses. */
function fitTables(
  symbols: Uint16Array,
  count: number,
  alphabet: number,
): { selectors: Uint8Array; lengths: Uint8Array[] } {
  const tables = count < 200 ? 2 : count < 600 ? 3 : count < 1200 ? 4 : count < 2400 ? 5 : 6;
  const selectors = new Uint8Array(Math.ceil(count / GROUP_SYMBOLS));
  let lengths = firstTables(symbols, count, alphabet, tables);
  // A group costs at most 50 * 17 bits, which is less than 2^10, so one sum adds up three tables at once.
  const costs = [new Int32Array(alphabet), new Int32Array(alphabet)] as const;
  const frequencies = new Int32Array(tables * alphabet);
  for (let round = 0; round < ROUNDS; round++) {
    for (const half of costs) half.fill(0);
    for (const [table, tableLengths] of lengths.entries()) {
      const half = costs[table < 3 ? 0 : 1];
      for (let symbol = 0; symbol < alphabet; symbol++)
        half[symbol]! += tableLengths[symbol]! << ((table % 3) * 10);
    }
    frequencies.fill(0);
    for (let group = 0, at = 0; at < count; group++) {
      const end = Math.min(count, at + GROUP_SYMBOLS);
      const table = cheapest(costs[0], costs[1], symbols, at, end, tables);
      selectors[group] = table;
      for (; at < end; at++) frequencies[table * alphabet + symbols[at]!]!++;
    }
    lengths = lengths.map((_, table) => codeLengths(frequencies, table * alphabet, alphabet));
  }
  return { selectors, lengths };
}

/** To start with, each table suits a stretch of the alphabet; the stretches occur about equally often. */
function firstTables(symbols: Uint16Array, count: number, alphabet: number, tables: number): Uint8Array[] {
  const frequencies = new Int32Array(ALPHABET_MAX);
  for (let at = 0; at < count; at++) frequencies[symbols[at]!]!++;
  const result: Uint8Array[] = [];
  let from = 0;
  let left = count;
  for (let table = 0; table < tables; table++) {
    const share = left / (tables - table);
    let to = from;
    let sum = 0;
    while (to < alphabet && (sum === 0 || sum + frequencies[to]! / 2 <= share)) sum += frequencies[to++]!;
    result.push(new Uint8Array(alphabet).fill(FOREIGN_COST).fill(0, from, to));
    left -= sum;
    from = to;
  }
  return result;
}

function cheapest(
  low: Int32Array,
  high: Int32Array,
  symbols: Uint16Array,
  from: number,
  to: number,
  tables: number,
): number {
  let lowSum = 0;
  let highSum = 0;
  for (let at = from; at < to; at++) {
    const symbol = symbols[at]!;
    lowSum += low[symbol]!;
    highSum += high[symbol]!;
  }
  let best = 0;
  let bestCost = lowSum & 1023;
  for (let table = 1; table < tables; table++) {
    const cost = ((table < 3 ? lowSum : highSum) >> ((table % 3) * 10)) & 1023;
    if (cost < bestCost) {
      best = table;
      bestCost = cost;
    }
  }
  return best;
}

/** The tables of the groups, each as its place in a list of recently used ones, in unary. */
function writeSelectors(output: BitOutput, selectors: Uint8Array, tables: number): void {
  output.put(selectors.length, 15);
  const order = Array.from({ length: tables }, (_, table) => table);
  for (const table of selectors) {
    const place = order.indexOf(table);
    order.splice(place, 1);
    order.unshift(table);
    output.put((1 << (place + 1)) - 2, place + 1);
  }
}

/** Code lengths as the first one and steps up (10) and down (11), each symbol closed by 0. */
function writeLengths(output: BitOutput, lengths: Uint8Array): void {
  let current = lengths[0]!;
  output.put(current, 5);
  for (const length of lengths) {
    for (; current < length; current++) output.put(2, 2);
    for (; current > length; current--) output.put(3, 2);
    output.put(0, 1);
  }
}
