/** Finds rows by the bytes of their id: open addressing over row numbers, refilled for each reading. */

/** Where ids of rows lie. */
export interface RowIds {
  readonly ids: Uint8Array;
  readonly idFrom: Uint32Array;
  readonly idTo: Uint32Array;
  readonly idHash: Int32Array;
}

export class RowTable {
  #slots = new Int32Array(64).fill(-1);

  /** Forgets all and makes room for `rows`. */
  reset(rows: number): void {
    let size = 64;
    while (size < 2 * rows + 2) size *= 2;
    // After a large reading the table shrinks again, or every small one would clear all of it.
    if (this.#slots.length < size || this.#slots.length > 8 * size) this.#slots = new Int32Array(size);
    this.#slots.fill(-1);
  }

  /** The row with the id `bytes[from, to)`; or -1, and then `row` has been entered under that id. */
  findOrAdd(rows: RowIds, bytes: Uint8Array, from: number, to: number, hash: number, row: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let known: number; (known = this.#slots[slot] as number) >= 0; slot = (slot + 1) & mask)
      if (rows.idHash[known] === hash && sameId(rows, known, bytes, from, to)) return known;
    this.#slots[slot] = row;
    return -1;
  }

  find(rows: RowIds, bytes: Uint8Array, from: number, to: number, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let known: number; (known = this.#slots[slot] as number) >= 0; slot = (slot + 1) & mask)
      if (rows.idHash[known] === hash && sameId(rows, known, bytes, from, to)) return known;
    return -1;
  }
}

export function sameId(rows: RowIds, row: number, bytes: Uint8Array, from: number, to: number): boolean {
  const start = rows.idFrom[row] as number;
  const length = to - from;
  if ((rows.idTo[row] as number) - start !== length) return false;
  const { ids } = rows;
  for (let i = 0; i < length; i++) if (ids[start + i] !== bytes[from + i]) return false;
  return true;
}
