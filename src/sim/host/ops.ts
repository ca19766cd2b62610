/** The finished writes of a run in columns, as recorders of real runs have them. */
import { OP_UNUSED, type WriteOps } from "../../model/write-run.ts";

import type { IndexColumns } from "../../protocol/index.ts";

export class Ops implements WriteOps {
  count = 0;
  rank = new Int32Array(64);
  /** Whose data: the rank itself unless another wrote for it. */
  block = new Int32Array(64);
  target = new Int32Array(64);
  file = new Float64Array(64);
  offset = new Float64Array(64);
  bytes = new Float64Array(64);
  /** Seconds. */
  start = new Float64Array(64);
  end = new Float64Array(64);
  flags = new Uint8Array(64);

  /** A new row, for the caller to fill; returns its number. */
  row(): number {
    if (this.count === this.rank.length) this.#grow();
    return this.count++;
  }

  /** Marks the writes that the committed index does not name. */
  markUnused(parts: readonly IndexColumns[]): void {
    let entries = 0;
    for (const part of parts) entries += part.count;
    if (entries === this.count) return;
    const used = new Set<string>();
    for (const part of parts)
      for (let i = 0; i < part.count; i++) used.add(`${part.file[i]} ${part.offset[i]}`);
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
