/** The finished writes of a run as calls, with the file of each. */
import { assert } from "../../../base/assert.ts";
import { CALL_UNUSED, Operation, type WriteCalls } from "../../../model/index.ts";
import type { IndexColumns } from "../../protocol/index.ts";

export class WriteColumns implements WriteCalls {
  count = 0;
  process: Uint32Array;
  owner: Uint32Array;
  /** The writer target. */
  file: Uint32Array;
  /** Number of the file in the protocol: a target has several over time. */
  fileId: Float64Array;
  offset: Float64Array;
  bytes: Float64Array;
  startNs: Float64Array;
  endNs: Float64Array;
  operation: Uint8Array;
  /** All POSIX. */
  layer: Uint8Array;
  flags: Uint8Array;

  /** `room`: expected number of rows. */
  constructor(room = 64) {
    this.process = new Uint32Array(room);
    this.owner = new Uint32Array(room);
    this.file = new Uint32Array(room);
    this.fileId = new Float64Array(room);
    this.offset = new Float64Array(room);
    this.bytes = new Float64Array(room);
    this.startNs = new Float64Array(room);
    this.endNs = new Float64Array(room);
    this.operation = new Uint8Array(room).fill(Operation.write);
    this.layer = new Uint8Array(room);
    this.flags = new Uint8Array(room);
  }

  /** A new row, for the caller to fill; returns its number. */
  row(): number {
    if (this.count === this.flags.length) this.#grow();
    return this.count++;
  }

  /** Marks writes that are not in the committed index. */
  markUnused(parts: readonly IndexColumns[]): void {
    let entries = 0;
    for (const part of parts) entries += part.count;
    assert(entries <= this.count, "the index names finished writes");
    if (entries === this.count) return;
    const used = new Set<string>();
    for (const part of parts)
      for (let i = 0; i < part.count; i++) used.add(`${part.file[i]} ${part.offset[i]}`);
    assert(used.size === entries, "no two entries of the index name the same bytes");
    for (let i = 0; i < this.count; i++)
      if (!used.has(`${this.fileId[i]} ${this.offset[i]}`)) this.flags[i]! |= CALL_UNUSED;
  }

  #grow(): void {
    const { count: _, ...columns } = new WriteColumns(2 * this.flags.length);
    for (const name of Object.keys(columns) as (keyof typeof columns)[])
      (columns[name] as Float64Array).set(this[name] as Float64Array);
    Object.assign(this, columns);
  }
}
