/** The finished writes of a run in columns, as recorders of real runs have them. */
import { assert } from "../../../base/assert.ts";
import { OP_UNUSED, type WriteOps } from "../../../model/index.ts";

import type { IndexColumns } from "../../protocol/index.ts";

export class Ops implements WriteOps {
  count = 0;
  rank: Int32Array;
  /** Whose data: the rank itself unless another wrote for it. */
  block: Int32Array;
  target: Int32Array;
  file: Float64Array;
  offset: Float64Array;
  bytes: Float64Array;
  /** Seconds. */
  start: Float64Array;
  end: Float64Array;
  flags: Uint8Array;

  /** `room`: as many rows as are expected. */
  constructor(room = 64) {
    this.rank = new Int32Array(room);
    this.block = new Int32Array(room);
    this.target = new Int32Array(room);
    this.file = new Float64Array(room);
    this.offset = new Float64Array(room);
    this.bytes = new Float64Array(room);
    this.start = new Float64Array(room);
    this.end = new Float64Array(room);
    this.flags = new Uint8Array(room);
  }

  /** A new row, for the caller to fill; returns its number. */
  row(): number {
    if (this.count === this.rank.length) this.#grow();
    return this.count++;
  }

  /** Marks the writes that the committed index does not name. */
  markUnused(parts: readonly IndexColumns[]): void {
    let entries = 0;
    for (const part of parts) entries += part.count;
    assert(entries <= this.count, "the index names writes that ended");
    if (entries === this.count) return;
    const used = new Set<string>();
    for (const part of parts)
      for (let i = 0; i < part.count; i++) used.add(`${part.file[i]} ${part.offset[i]}`);
    assert(used.size === entries, "no two entries of the index name the same bytes");
    for (let i = 0; i < this.count; i++)
      if (!used.has(`${this.file[i]} ${this.offset[i]}`)) this.flags[i]! |= OP_UNUSED;
  }

  #grow(): void {
    const room = 2 * this.rank.length;
    this.rank = copied(new Int32Array(room), this.rank);
    this.block = copied(new Int32Array(room), this.block);
    this.target = copied(new Int32Array(room), this.target);
    this.file = copied(new Float64Array(room), this.file);
    this.offset = copied(new Float64Array(room), this.offset);
    this.bytes = copied(new Float64Array(room), this.bytes);
    this.start = copied(new Float64Array(room), this.start);
    this.end = copied(new Float64Array(room), this.end);
    this.flags = copied(new Uint8Array(room), this.flags);
  }
}

function copied<T extends { set(values: ArrayLike<number>): void }>(larger: T, values: ArrayLike<number>): T {
  larger.set(values);
  return larger;
}
