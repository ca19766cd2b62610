import type { SoundCalls } from "./run-calls.ts";

/** Bytes of one file by offset and time. Both axes double when something lies beyond them. */
const ROWS = 96;
const COLUMNS = 256;

export class OffsetGrid {
  readonly rows = ROWS;
  readonly columns = COLUMNS;
  readonly read = new Float64Array(ROWS * COLUMNS);
  readonly written = new Float64Array(ROWS * COLUMNS);
  #endOffset = 2 ** 16;
  #seconds: number;
  readonly #fixed: boolean;
  /** `read` and `written`, once they have calls. */
  readonly #used = new Set<Float64Array>();

  constructor(seconds: number) {
    this.#fixed = seconds > 0;
    this.#seconds = this.#fixed ? seconds : 0.001;
  }

  get endOffset(): number {
    return this.#endOffset;
  }

  get seconds(): number {
    return this.#seconds;
  }

  /** Makes the time axis as long as that, unless its length is known. */
  reachTime(seconds: number): void {
    while (!this.#fixed && seconds > this.#seconds) this.#doubleTime();
  }

  /** Spreads the bytes of each call evenly over its rectangle; calls without an offset have none. */
  add(isWrite: boolean, calls: SoundCalls): void {
    this.#reachOffset(calls.endOffset);
    this.reachTime(calls.lastEndNs / 1e9);
    const plane = isWrite ? this.written : this.read;
    const rowBytes = this.#endOffset / ROWS;
    const columnNs = (this.#seconds * 1e9) / COLUMNS;
    for (let i = 0; i < calls.count; i++) {
      const offset = calls.offset[i] as number;
      if (Number.isNaN(offset)) continue;
      const end = offset + (calls.bytes[i] as number);
      const firstColumn = Math.min(Math.floor((calls.startNs[i] as number) / columnNs), COLUMNS - 1);
      const lastColumn = Math.min(Math.floor((calls.endNs[i] as number) / columnNs), COLUMNS - 1);
      const firstRow = Math.floor(offset / rowBytes);
      const lastRow = Math.min(Math.max(Math.ceil(end / rowBytes) - 1, firstRow), ROWS - 1);
      for (let row = firstRow; row <= lastRow; row++) {
        const bytes = Math.min(end, (row + 1) * rowBytes) - Math.max(offset, row * rowBytes);
        const share = Math.max(0, bytes) / (lastColumn - firstColumn + 1);
        for (let c = firstColumn; c <= lastColumn; c++) plane[row * COLUMNS + c]! += share;
      }
    }
    if (calls.count > 0) this.#used.add(plane);
  }

  #reachOffset(end: number): void {
    while (end > this.#endOffset) {
      this.#endOffset *= 2;
      this.#joinRows();
    }
  }

  #joinRows(): void {
    for (const plane of this.#used) {
      for (let row = 0; row < ROWS / 2; row++)
        for (let c = 0; c < COLUMNS; c++)
          plane[row * COLUMNS + c] =
            (plane[2 * row * COLUMNS + c] as number) + (plane[(2 * row + 1) * COLUMNS + c] as number);
      plane.fill(0, (ROWS / 2) * COLUMNS);
    }
  }

  #doubleTime(): void {
    this.#seconds *= 2;
    for (const plane of this.#used) {
      for (let row = 0; row < ROWS; row++) {
        const at = row * COLUMNS;
        for (let c = 0; c < COLUMNS / 2; c++)
          plane[at + c] = (plane[at + 2 * c] as number) + (plane[at + 2 * c + 1] as number);
        plane.fill(0, at + COLUMNS / 2, at + COLUMNS);
      }
    }
  }
}
