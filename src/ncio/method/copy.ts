/** Copies between a rank's memory and a window on the file, and between packed data and a list of places. */
import {
  type RankAccess,
  RegionCursor,
  isContiguous,
  lowOf,
  pack,
  regionBlock,
  unpack,
} from "../pattern/index.ts";
import type { Direction } from "./requests.ts";

/** Bytes `from` to `to` of the data; `place` is the file offset of the window. */
export function copyWindow(
  access: RankAccess,
  from: number,
  to: number,
  memory: Uint8Array,
  window: Uint8Array,
  place: number,
  direction: Direction,
): void {
  if (isContiguous(access.memory)) {
    const low = lowOf(access.memory);
    const data = memory.subarray(low + from, low + to);
    const range = { start: access.fileStart - place, from, to };
    if (direction === "write") unpack(access.file, window, data, range);
    else pack(access.file, window, data, range);
    return;
  }
  const block = regionBlock(1024);
  const copy = direction === "write" ? new PieceCopy(memory, window) : new PieceCopy(window, memory);
  for (const cursor = new RegionCursor(access, from, to); cursor.next(block) > 0; )
    for (let i = 0; i < block.count; i++) {
      const inMemory = block.memory[i] as number;
      const inWindow = (block.file[i] as number) - place;
      const length = block.lengths[i] as number;
      if (direction === "write") copy.piece(inMemory, inWindow, length);
      else copy.piece(inWindow, inMemory, length);
    }
}

/** Copies single pieces; pieces of a few whole words without a call. */
export class PieceCopy {
  readonly #from: Uint8Array;
  readonly #to: Uint8Array;
  readonly #fromWords: Int32Array;
  readonly #toWords: Int32Array;

  constructor(from: Uint8Array, to: Uint8Array) {
    this.#from = from;
    this.#to = to;
    this.#fromWords = new Int32Array(from.buffer, 0, Math.floor(from.buffer.byteLength / 4));
    this.#toWords = new Int32Array(to.buffer, 0, Math.floor(to.buffer.byteLength / 4));
  }

  piece(at: number, toAt: number, length: number): void {
    const place = this.#from.byteOffset + at;
    const toPlace = this.#to.byteOffset + toAt;
    if (length > 64) {
      this.#to.set(this.#from.subarray(at, at + length), toAt);
      return;
    }
    if (((place | toPlace | length) & 3) !== 0) {
      for (let i = 0; i < length; i++) this.#to[toAt + i] = this.#from[at + i] as number;
      return;
    }
    const words = length / 4;
    const [a, b] = [place / 4, toPlace / 4];
    for (let i = 0; i < words; i++) this.#toWords[b + i] = this.#fromWords[a + i] as number;
  }
}
