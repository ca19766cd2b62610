/** Entries of the index in columns: the location of each range of a block. */
import { withRoom } from "../../base/room.ts";
import { assert } from "../../base/assert.ts";
import type { FileId, Rank } from "./step.ts";

export interface Entry {
  /** The rank whose block it is. */
  readonly block: Rank;
  /** First byte in the block. */
  readonly at: number;
  readonly length: number;
  readonly file: FileId;
  readonly offset: number;
  /** Opaque result of the writer's driver; passed on unread. */
  readonly checksum: unknown;
}

export class IndexColumns {
  count = 0;
  block: Uint32Array<ArrayBuffer>;
  at: Float64Array<ArrayBuffer>;
  length: Float64Array<ArrayBuffer>;
  file: Float64Array<ArrayBuffer>;
  offset: Float64Array<ArrayBuffer>;
  /** Empty unless some entry has one. */
  checksum: unknown[] = [];

  constructor(room = 8) {
    // One allocation: there is one per group, and most never grow.
    const memory = new ArrayBuffer(36 * room);
    this.at = new Float64Array(memory, 0, room);
    this.length = new Float64Array(memory, 8 * room, room);
    this.file = new Float64Array(memory, 16 * room, room);
    this.offset = new Float64Array(memory, 24 * room, room);
    this.block = new Uint32Array(memory, 32 * room, room);
  }

  add(block: Rank, at: number, length: number, file: FileId, offset: number, checksum: unknown): void {
    assert(at >= 0 && length > 0 && offset >= 0, "an entry of the index has bytes and a place");
    const i = this.count++;
    if (i === this.at.length) this.#grow();
    this.block[i] = block;
    this.at[i] = at;
    this.length[i] = length;
    this.file[i] = file;
    this.offset[i] = offset;
    if (checksum !== undefined) this.checksum[i] = checksum;
  }

  entry(i: number): Entry {
    assert(i >= 0 && i < this.count, "an entry of the index that was added");
    return {
      block: this.block[i] as number,
      at: this.at[i] as number,
      length: this.length[i] as number,
      file: this.file[i] as number,
      offset: this.offset[i] as number,
      checksum: this.checksum[i],
    };
  }

  #grow(): void {
    const room = Math.max(8, 2 * this.at.length);
    this.block = withRoom(this.block, room);
    this.at = withRoom(this.at, room);
    this.length = withRoom(this.length, room);
    this.file = withRoom(this.file, room);
    this.offset = withRoom(this.offset, room);
  }
}
