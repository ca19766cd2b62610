/**
 * Offsets of writes to the end of a file. The recorder asks the kernel for them only now and then; those in between are known
 * where two that were asked lie exactly as far apart as the bytes written between them, one after the other. Where another
 * process has written too, or threads at once, they stay unknown.
 */

/** Writes to one file since the last one whose offset was asked. */
interface Unasked {
  /** End of that write in the file; NaN before the first. */
  endOffset: number;
  rows: number[];
  endNs: number;
  inTurn: boolean;
}

export class AppendedWrites {
  readonly #files = new Map<number, Unasked>();
  readonly #offset: Float64Array;
  readonly #moved: Float64Array;
  readonly #start: Float64Array;
  readonly #end: Float64Array;

  /** Columns of a block; unknown offsets are NaN. */
  constructor(offset: Float64Array, moved: Float64Array, start: Float64Array, end: Float64Array) {
    this.#offset = offset;
    this.#moved = moved;
    this.#start = start;
    this.#end = end;
  }

  /** Writes come in the order of the trace. */
  add(file: number, row: number): void {
    let unasked = this.#files.get(file);
    if (unasked === undefined) {
      unasked = { endOffset: Number.NaN, rows: [], endNs: Number.NEGATIVE_INFINITY, inTurn: true };
      this.#files.set(file, unasked);
    }
    if ((this.#start[row] as number) < unasked.endNs) unasked.inTurn = false;
    unasked.endNs = Math.max(unasked.endNs, this.#end[row] as number);
    const offset = this.#offset[row] as number;
    if (Number.isNaN(offset)) {
      unasked.rows.push(row);
      return;
    }
    if (unasked.inTurn) this.#fill(unasked, offset);
    unasked.endOffset = offset + (this.#moved[row] as number);
    unasked.rows = [];
    unasked.inTurn = true;
  }

  #fill({ endOffset, rows }: Unasked, nextOffset: number): void {
    const bytes = rows.reduce((sum, row) => sum + (this.#moved[row] as number), 0);
    if (endOffset + bytes !== nextOffset) return;
    let at = endOffset;
    for (const row of rows) {
      this.#offset[row] = at;
      at += this.#moved[row] as number;
    }
  }
}
