/** The pieces of a datatype, block by block, so that a million pieces need no list. Adjacent pieces are merged. */
import { assert } from "../../base/assert.ts";
import type { Datatype } from "../../base/datatype.ts";
import { RunCursor } from "./runs.ts";
import { type Shape, shapeOf } from "./shape.ts";

export interface Pieces {
  count: number;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
}

export function pieceBlock(capacity: number): Pieces {
  return { count: 0, offsets: new Float64Array(capacity), lengths: new Float64Array(capacity) };
}

export interface DataRange {
  /** Offset of the type. */
  readonly start?: number;
  /** Requested range of the data; default: all. */
  readonly from?: number;
  readonly to?: number;
}

/** A piece that continues beyond a block is not cut: it comes whole in the next block. */
export class PieceCursor {
  readonly #runs: RunCursor;
  #at = 0;
  #length = 0;
  #stride = 0;
  #runLeft = 0;
  #heldAt = 0;
  #heldLength = 0;

  constructor(type: Datatype, range: DataRange = {}) {
    const shape = shapeOf(type);
    this.#runs = new RunCursor(shape, range.start ?? 0, range.from ?? 0, range.to ?? shape.bytes);
  }

  /** Fills the block with up to `most` pieces; returns their number, 0 at the end. */
  next(block: Pieces, most = block.offsets.length): number {
    const { offsets, lengths } = block;
    let n = 0;
    while (this.#runLeft > 0 || this.#load()) {
      // Only the first piece of a run can continue the previous run.
      if (this.#heldLength > 0 && this.#at === this.#heldAt + this.#heldLength)
        this.#heldLength += this.#length;
      else {
        if (this.#heldLength > 0) {
          if (n === most) return (block.count = n);
          offsets[n] = this.#heldAt;
          lengths[n++] = this.#heldLength;
        }
        this.#heldAt = this.#at;
        this.#heldLength = this.#length;
      }
      this.#at += this.#stride;
      this.#runLeft--;
      const room = Math.min(this.#runLeft, most - n);
      if (room > 0 && this.#stride !== this.#length) n = this.#emit(block, n, room);
    }
    if (this.#heldLength > 0 && n < most) {
      offsets[n] = this.#heldAt;
      lengths[n++] = this.#heldLength;
      this.#heldLength = 0;
    }
    return (block.count = n);
  }

  #load(): boolean {
    const runs = this.#runs;
    if (!runs.next()) return false;
    this.#at = runs.at;
    this.#length = runs.length;
    this.#stride = runs.stride;
    this.#runLeft = runs.count;
    return true;
  }

  #emit({ offsets, lengths }: Pieces, from: number, count: number): number {
    const length = this.#length;
    const stride = this.#stride;
    let at = this.#at;
    offsets[from] = this.#heldAt;
    lengths[from] = this.#heldLength;
    for (let n = from + 1; n < from + count; n++, at += stride) {
      offsets[n] = at;
      lengths[n] = length;
    }
    this.#heldAt = at;
    this.#heldLength = length;
    this.#at = at + stride;
    this.#runLeft -= count;
    return from + count;
  }
}

/** Number of pieces; walks them. */
export function pieceCount(type: Datatype): number {
  const block = pieceBlock(4096);
  let count = 0;
  for (const cursor = new PieceCursor(type); cursor.next(block) > 0; ) count += block.count;
  return count;
}

/** The place of the n-th byte of data, from 0. Costs the depth of the type. */
export function placeOf(type: Datatype, n: number): number {
  const shape = shapeOf(type);
  assert(n >= 0 && n < shape.bytes, "the byte lies within the data of the type");
  const run = new RunCursor(shape, 0, n, n + 1);
  run.next();
  return run.at;
}

/** Bytes of data of an ordered type that lie below a place (counted from the type's start). Costs the depth of the type. */
export function dataBelow(type: Datatype, place: number): number {
  return below(shapeOf(type), place);
}

function below(shape: Shape, place: number): number {
  if (place <= shape.low) return 0;
  if (place >= shape.high) return shape.bytes;
  if (shape.kind === "run") return place - shape.low;
  const inside = place - shape.at;
  if (shape.kind === "repeat") {
    const from = inside - shape.of.low;
    const index = Math.min(shape.count - 1, (from - (from % shape.stride)) / shape.stride);
    return index * shape.of.bytes + below(shape.of, inside - index * shape.stride);
  }
  let [low, high] = [0, shape.parts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((shape.parts[middle] as Shape).high > inside) high = middle;
    else low = middle + 1;
  }
  return (low === 0 ? 0 : (shape.ends[low - 1] as number)) + below(shape.parts[low] as Shape, inside);
}
