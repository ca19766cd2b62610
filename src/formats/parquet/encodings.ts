/** How values of a column lie in a page (https://github.com/apache/parquet-format/blob/master/Encodings.md). */
import { ByteWriter } from "../../base/byte-writer.ts";
import { HOST_LITTLE_ENDIAN } from "../../base/words.ts";
import { putVarint, zigzag } from "./thrift.ts";

/** 8-byte values one after another, little endian. */
export function plainWords(values: Float64Array | BigInt64Array | BigUint64Array): Uint8Array {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength).slice();
  if (!HOST_LITTLE_ENDIAN) for (let at = 0; at < bytes.length; at += 8) bytes.subarray(at, at + 8).reverse();
  return bytes;
}

/** Texts with their lengths in front. */
export function plainTexts(texts: readonly string[]): Uint8Array {
  const encoder = new TextEncoder();
  const writer = new ByteWriter(64 * texts.length + 64);
  for (const text of texts) {
    const bytes = encoder.encode(text);
    writer.u32(bytes.length);
    writer.bytes(bytes);
  }
  return writer.finish();
}

/** Which rows have a value, in runs (RLE, one bit), with their length in front. */
export function presence(present: Uint8Array, count: number): Uint8Array {
  const writer = new ByteWriter(count / 8 + 16);
  writer.u32(0);
  putRuns(writer, present, count, 1);
  writer.patchU32(0, writer.length - 4);
  return writer.finish();
}

/** Positions in a dictionary: the width in bits, then runs. */
export function positions(values: Uint32Array, count: number, most: number): Uint8Array {
  const width = Math.max(1, 32 - Math.clz32(most));
  const writer = new ByteWriter((count * width) / 8 + 16);
  writer.u8(width);
  putRuns(writer, values, count, width);
  return writer.finish();
}

/** One run when all are equal, else all packed: columns are either constant or mixed. */
function putRuns(writer: ByteWriter, values: Uint8Array | Uint32Array, count: number, width: number): void {
  const [first = 0] = values;
  if (count > 0 && values.subarray(0, count).every((value) => value === first)) {
    putVarint(writer, 2 * count);
    for (let bits = 0; bits < width; bits += 8) writer.u8((first >>> bits) & 255);
    return;
  }
  const groups = Math.ceil(count / 8);
  putVarint(writer, 2 * groups + 1);
  const bits = new BitWriter(writer);
  for (let i = 0; i < 8 * groups; i++) bits.put(i < count ? (values[i] as number) : 0, width);
}

/** Bits from the lowest of each byte on. */
class BitWriter {
  readonly #writer: ByteWriter;
  #byte = 0;
  #used = 0;

  constructor(writer: ByteWriter) {
    this.#writer = writer;
  }

  /** Up to 32 bits. */
  put(value: number, width: number): void {
    let [rest, left] = [value, width];
    while (left > 0) {
      const taken = Math.min(8 - this.#used, left);
      this.#byte |= (rest & ((1 << taken) - 1)) << this.#used;
      rest >>>= taken;
      left -= taken;
      this.#used += taken;
      if (this.#used === 8) {
        this.#writer.u8(this.#byte);
        this.#byte = 0;
        this.#used = 0;
      }
    }
  }
}

const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;
const TWO_32 = 2 ** 32;

/** Whether differences of these whole numbers are exact in doubles. */
export function fitsDeltas(values: Float64Array): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return !(most - least >= 2 ** 51) && Math.abs(most) < 2 ** 52 && Math.abs(least) < 2 ** 52;
}

/** DELTA_BINARY_PACKED: differences, each block in as few bits as its spread needs. */
export function deltas(values: Float64Array): Uint8Array {
  const writer = new ByteWriter(2 * values.length + 64);
  for (const number of [BLOCK, MINIBLOCKS, values.length, zigzag(values[0] ?? 0)]) putVarint(writer, number);
  const steps = new Float64Array(BLOCK);
  for (let from = 1; from < values.length; from += BLOCK) {
    const count = Math.min(BLOCK, values.length - from);
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const step = (values[from + i] as number) - (values[from + i - 1] as number);
      steps[i] = step;
      if (step < least) least = step;
    }
    for (let i = 0; i < count; i++) steps[i] = (steps[i] as number) - least;
    steps.fill(0, count);
    putVarint(writer, zigzag(least));
    putMiniblocks(writer, steps, count);
  }
  return writer.finish();
}

function putMiniblocks(writer: ByteWriter, steps: Float64Array, count: number): void {
  const widths: number[] = [];
  for (let from = 0; from < BLOCK; from += MINIBLOCK) {
    let most = 0;
    for (let i = from; i < from + MINIBLOCK; i++) most = Math.max(most, steps[i] as number);
    const width = most >= TWO_32 ? 64 - Math.clz32(Math.floor(most / TWO_32)) : 32 - Math.clz32(most);
    widths.push(width);
    writer.u8(width);
  }
  for (const [index, width] of widths.entries()) {
    const from = index * MINIBLOCK;
    if (from >= count || width === 0) continue;
    const bits = new BitWriter(writer);
    for (let i = from; i < from + MINIBLOCK; i++) {
      const value = steps[i] as number;
      bits.put(value % TWO_32, Math.min(32, width));
      if (width > 32) bits.put(Math.floor(value / TWO_32), width - 32);
    }
  }
}
