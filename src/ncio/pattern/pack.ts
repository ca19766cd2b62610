/**
 * Copies between places of a buffer and packed data. Pieces of whole 32-bit words go word by word: a loop over doubles
 * would be as fast, but an engine may change the bits of a NaN on the way.
 */
import { assert } from "../../base/assert.ts";
import type { Datatype } from "../../base/datatype.ts";
import { placeOf } from "./pieces.ts";
import { RunCursor } from "./runs.ts";
import { shapeOf } from "./shape.ts";

/** Above this length the engine's own copy is cheaper than our loop. */
const LOOP_MAX = 128;
/** The same for a single piece. */
const CALL_MIN = 64;

/** Bytes `from` to `to` of the data, gathered from `buffer`, in which the type lies at `start`, to the start of `packed`. */
export function pack(
  type: Datatype,
  buffer: Uint8Array,
  packed: Uint8Array,
  { start = 0, from = 0, to = shapeOf(type).bytes } = {},
): void {
  walk(type, buffer, packed, start, from, to, true);
}

/** The reverse: scatters packed data to the places of the type. */
export function unpack(
  type: Datatype,
  buffer: Uint8Array,
  packed: Uint8Array,
  { start = 0, from = 0, to = shapeOf(type).bytes } = {},
): void {
  walk(type, buffer, packed, start, from, to, false);
}

function walk(
  type: Datatype,
  buffer: Uint8Array,
  packed: Uint8Array,
  start: number,
  from: number,
  to: number,
  gather: boolean,
): void {
  const shape = shapeOf(type);
  assert(from >= 0 && to <= shape.bytes, "the range lies within the data of the type");
  assert(to - from <= packed.length, "packed data covers its range");
  if (from >= to) return;
  // For an ordered type the buffer only needs the requested range: a window on a file, for example.
  const low = shape.ordered ? placeOf(type, from) : shape.low;
  const high = shape.ordered ? placeOf(type, to - 1) + 1 : shape.high;
  assert(start + low >= 0 && start + high <= buffer.length, "the type lies within its buffer");
  const copy = new StridedCopy(buffer, packed);
  let done = 0;
  for (const runs = new RunCursor(shape, start, from, to); runs.next(); ) {
    copy.run(runs.at, runs.stride, runs.length, runs.count, done, gather);
    done += runs.length * runs.count;
  }
}

/** Copies equal pieces at equal distances to or from packed bytes. */
class StridedCopy {
  readonly #buffer: Uint8Array;
  readonly #packed: Uint8Array;
  readonly #bufferWords: Int32Array;
  readonly #packedWords: Int32Array;

  constructor(buffer: Uint8Array, packed: Uint8Array) {
    this.#buffer = buffer;
    this.#packed = packed;
    this.#bufferWords = wordsOf(buffer);
    this.#packedWords = wordsOf(packed);
  }

  /** `gather`: from the buffer to the packed bytes. The caller has checked that all of it is inside. */
  run(at: number, stride: number, length: number, count: number, packedAt: number, gather: boolean): void {
    const place = this.#buffer.byteOffset + at;
    const packedPlace = this.#packed.byteOffset + packedAt;
    if (length > LOOP_MAX || (count === 1 && length > CALL_MIN))
      this.#large(at, stride, length, count, packedAt, gather);
    else if (((place | packedPlace | stride | length) & 3) !== 0)
      this.#small(at, stride, length, count, packedAt, gather);
    else {
      const copy = gather ? gatherWords : scatterWords;
      copy(this.#bufferWords, place / 4, stride / 4, length / 4, count, this.#packedWords, packedPlace / 4);
    }
  }

  #large(at: number, stride: number, length: number, count: number, packedAt: number, gather: boolean): void {
    const buffer = this.#buffer;
    const packed = this.#packed;
    for (let i = 0, b = at, p = packedAt; i < count; i++, b += stride, p += length) {
      if (gather) packed.set(buffer.subarray(b, b + length), p);
      else buffer.set(packed.subarray(p, p + length), b);
    }
  }

  #small(at: number, stride: number, length: number, count: number, packedAt: number, gather: boolean): void {
    const buffer = this.#buffer;
    const packed = this.#packed;
    for (let i = 0, b = at, p = packedAt; i < count; i++, b += stride) {
      if (gather) for (let k = 0; k < length; k++) packed[p++] = buffer[b + k] as number;
      else for (let k = 0; k < length; k++) buffer[b + k] = packed[p++] as number;
    }
  }
}

/** The underlying memory of the bytes, as words. */
function wordsOf(bytes: Uint8Array): Int32Array {
  return new Int32Array(bytes.buffer, 0, Math.floor(bytes.buffer.byteLength / 4));
}

function gatherWords(
  from: Int32Array,
  at: number,
  stride: number,
  length: number,
  count: number,
  to: Int32Array,
  toAt: number,
): void {
  let place = at;
  let packed = toAt;
  if (length === 2) {
    for (let i = 0; i < count; i++, place += stride, packed += 2) {
      to[packed] = from[place] as number;
      to[packed + 1] = from[place + 1] as number;
    }
    return;
  }
  for (let i = 0; i < count; i++, place += stride)
    for (let k = 0; k < length; k++) to[packed++] = from[place + k] as number;
}

function scatterWords(
  into: Int32Array,
  at: number,
  stride: number,
  length: number,
  count: number,
  from: Int32Array,
  fromAt: number,
): void {
  let place = at;
  let packed = fromAt;
  if (length === 2) {
    for (let i = 0; i < count; i++, place += stride, packed += 2) {
      into[place] = from[packed] as number;
      into[place + 1] = from[packed + 1] as number;
    }
    return;
  }
  for (let i = 0; i < count; i++, place += stride)
    for (let k = 0; k < length; k++) into[place + k] = from[packed++] as number;
}
