/** What is kept of a target between two readings: for each row its id, stamps, and the counters that are not zero. */
import { emptyLike, withRoom } from "../../base/room.ts";
import type { RowIds } from "./row-table.ts";

/** Words of a kept entry: samples, sum. */
export const KEPT = 2;

export class TargetState implements RowIds {
  readAtNs = 0n;
  rows = 0;
  ids = new Uint8Array(64);
  idFrom = new Uint32Array(4);
  idTo = new Uint32Array(4);
  idHash = new Int32Array(4);
  snapshotNs = new BigInt64Array(4);
  startNs = new BigInt64Array(4);
  snapshotHalves = new Uint32Array(this.snapshotNs.buffer);
  startHalves = new Uint32Array(this.startNs.buffer);
  /** When a reading first lacked the row, in ns as a double; NaN while it is there. */
  absentAt = new Float64Array(4);
  entryFrom = new Uint32Array(4);
  entryTo = new Uint32Array(4);
  idBytes = 0;

  entries = 0;
  column = new Uint16Array(16);
  words = new BigUint64Array(16 * KEPT);
  halves = new Uint32Array(this.words.buffer);

  clear(): void {
    this.rows = this.entries = this.idBytes = 0;
  }

  /** Begins a row with an id that lies in `ids[from, to)`. */
  openRow(ids: Uint8Array, from: number, to: number, hash: number): number {
    const row = this.rows;
    if (row === this.idFrom.length) this.#roomForRows(2 * row);
    const length = to - from;
    if (this.idBytes + length > this.ids.length) this.ids = withRoom(this.ids, 2 * (this.idBytes + length));
    const own = this.ids;
    let at = this.idBytes;
    this.idFrom[row] = at;
    for (let i = from; i < to; i++) own[at++] = ids[i] as number;
    this.idTo[row] = this.idBytes = at;
    this.idHash[row] = hash;
    this.absentAt[row] = Number.NaN;
    this.entryFrom[row] = this.entryTo[row] = this.entries;
    this.rows = row + 1;
    return row;
  }

  /** Adds a counter to the last row: words `samples` and `sum` of `halves`. */
  addEntry(column: number, halves: Uint32Array, samples: number, sum: number): void {
    const entry = this.entries;
    if (entry === this.column.length) this.#roomForEntries(2 * entry);
    const own = this.halves;
    const at = 2 * KEPT * entry;
    own[at] = halves[2 * samples] as number;
    own[at + 1] = halves[2 * samples + 1] as number;
    own[at + 2] = halves[2 * sum] as number;
    own[at + 3] = halves[2 * sum + 1] as number;
    this.column[entry] = column;
    this.entries = entry + 1;
    this.entryTo[this.rows - 1] = entry + 1;
  }

  /** Takes over row `row` of an earlier state as it is. */
  keepRow(from: TargetState, row: number, absentAt: number): void {
    const own = this.openRow(
      from.ids,
      from.idFrom[row] as number,
      from.idTo[row] as number,
      from.idHash[row] as number,
    );
    this.snapshotNs[own] = from.snapshotNs[row] as bigint;
    this.startNs[own] = from.startNs[row] as bigint;
    this.absentAt[own] = absentAt;
    const to = from.entryTo[row] as number;
    for (let entry = from.entryFrom[row] as number; entry < to; entry++)
      this.addEntry(from.column[entry] as number, from.halves, KEPT * entry, KEPT * entry + 1);
  }

  /** Becomes a copy of `other`, with little more memory than that needs. */
  assign(other: TargetState): void {
    if (outgrown(this.idFrom.length, other.rows)) this.#roomForRows(roomFor(4, other.rows), false);
    if (outgrown(this.column.length, other.entries)) this.#roomForEntries(roomFor(16, other.entries), false);
    if (outgrown(this.ids.length, other.idBytes)) this.ids = new Uint8Array(roomFor(64, other.idBytes));
    this.readAtNs = other.readAtNs;
    this.rows = other.rows;
    this.entries = other.entries;
    this.idBytes = other.idBytes;
    this.ids.set(other.ids.subarray(0, other.idBytes));
    for (const name of ["idFrom", "idTo", "entryFrom", "entryTo"] as const)
      this[name].set(other[name].subarray(0, other.rows));
    this.idHash.set(other.idHash.subarray(0, other.rows));
    this.snapshotNs.set(other.snapshotNs.subarray(0, other.rows));
    this.startNs.set(other.startNs.subarray(0, other.rows));
    this.absentAt.set(other.absentAt.subarray(0, other.rows));
    this.column.set(other.column.subarray(0, other.entries));
    this.words.set(other.words.subarray(0, other.entries * KEPT));
  }

  get memoryBytes(): number {
    const rowBytes = 4 * 5 + 8 * 3;
    return this.idFrom.length * rowBytes + this.column.length * (2 + 8 * KEPT) + this.ids.length;
  }

  #roomForRows(rows: number, keep = true): void {
    const kept = <T extends Uint32Array | Int32Array | Float64Array | BigInt64Array>(old: T): T =>
      keep ? withRoom(old, rows) : emptyLike(old, rows);
    this.idFrom = kept(this.idFrom);
    this.idTo = kept(this.idTo);
    this.idHash = kept(this.idHash);
    this.snapshotNs = kept(this.snapshotNs);
    this.startNs = kept(this.startNs);
    this.snapshotHalves = new Uint32Array(this.snapshotNs.buffer);
    this.startHalves = new Uint32Array(this.startNs.buffer);
    this.absentAt = kept(this.absentAt);
    this.entryFrom = kept(this.entryFrom);
    this.entryTo = kept(this.entryTo);
  }

  #roomForEntries(entries: number, keep = true): void {
    this.column = keep ? withRoom(this.column, entries) : emptyLike(this.column, entries);
    this.words = keep ? withRoom(this.words, entries * KEPT) : emptyLike(this.words, entries * KEPT);
    this.halves = new Uint32Array(this.words.buffer);
  }
}

/** A little more than needed: a target whose jobs become more and more must not get new columns with every reading. */
const roomFor = (least: number, need: number) => Math.max(least, need + (need >> 3));
/** Too small, or so large that a busy hour would be paid for ever after. */
const outgrown = (have: number, need: number) => have < need || (have > 1024 && have > 4 * need);
