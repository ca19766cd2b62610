/** The regions of an access: intersections of memory pieces and file pieces. */
import type { RankAccess } from "./pattern.ts";
import { PieceCursor, type Pieces, pieceBlock } from "./pieces.ts";
import { dataBytes } from "./shape.ts";

interface Regions {
  count: number;
  /** Places in the buffer and in the file. */
  readonly memory: Float64Array;
  readonly file: Float64Array;
  readonly lengths: Float64Array;
}

export function regionBlock(capacity: number): Regions {
  return {
    count: 0,
    memory: new Float64Array(capacity),
    file: new Float64Array(capacity),
    lengths: new Float64Array(capacity),
  };
}

/** Regions in the order of the data, block by block. */
export class RegionCursor {
  readonly #memory: Side;
  readonly #file: Side;

  constructor(access: RankAccess, from = 0, to = dataBytes(access.file)) {
    this.#memory = new Side(new PieceCursor(access.memory, { from, to }));
    this.#file = new Side(new PieceCursor(access.file, { start: access.fileStart, from, to }));
  }

  /** Fills the block; returns the number of regions, 0 at the end. */
  next(block: Regions): number {
    const most = block.lengths.length;
    const memory = this.#memory;
    const file = this.#file;
    let n = 0;
    while (n < most && memory.ready() && file.ready()) {
      const length = Math.min(memory.left, file.left);
      block.memory[n] = memory.at;
      block.file[n] = file.at;
      block.lengths[n++] = length;
      memory.take(length);
      file.take(length);
    }
    return (block.count = n);
  }
}

/** One list of pieces; any part of a piece can be taken. */
class Side {
  at = 0;
  left = 0;
  readonly #cursor: PieceCursor;
  readonly #block: Pieces = pieceBlock(512);
  #index = 0;

  constructor(cursor: PieceCursor) {
    this.#cursor = cursor;
  }

  ready(): boolean {
    if (this.left > 0) return true;
    if (this.#index === this.#block.count) {
      this.#index = 0;
      if (this.#cursor.next(this.#block) === 0) return false;
    }
    this.at = this.#block.offsets[this.#index] as number;
    this.left = this.#block.lengths[this.#index++] as number;
    return true;
  }

  take(length: number): void {
    this.at += length;
    this.left -= length;
  }
}
