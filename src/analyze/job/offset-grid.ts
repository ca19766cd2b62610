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

  /** Spreads the bytes evenly over the rectangle of the call. */
  add(isWrite: boolean, offset: number, bytes: number, start: number, end: number): void {
    while (offset + bytes > this.#endOffset) this.#doubleOffsets();
    this.reachTime(end);
    const plane = isWrite ? this.written : this.read;
    const column = (seconds: number) =>
      Math.min(Math.max(Math.floor((seconds / this.#seconds) * COLUMNS), 0), COLUMNS - 1);
    const [firstColumn, lastColumn] = [column(start), column(end)];
    const rowBytes = this.#endOffset / ROWS;
    const firstRow = Math.floor(offset / rowBytes);
    const lastRow = Math.min(Math.max(Math.ceil((offset + bytes) / rowBytes) - 1, firstRow), ROWS - 1);
    const columns = lastColumn - firstColumn + 1;
    for (let row = firstRow; row <= lastRow; row++) {
      const from = Math.max(offset, row * rowBytes);
      const to = Math.min(offset + bytes, (row + 1) * rowBytes);
      const share = Math.max(0, to - from) / columns;
      for (let c = firstColumn; c <= lastColumn; c++)
        plane[row * COLUMNS + c] = (plane[row * COLUMNS + c] as number) + share;
    }
  }

  #doubleOffsets(): void {
    this.#endOffset *= 2;
    for (const plane of [this.read, this.written]) {
      for (let row = 0; row < ROWS / 2; row++)
        for (let c = 0; c < COLUMNS; c++)
          plane[row * COLUMNS + c] =
            (plane[2 * row * COLUMNS + c] as number) + (plane[(2 * row + 1) * COLUMNS + c] as number);
      plane.fill(0, (ROWS / 2) * COLUMNS);
    }
  }

  #doubleTime(): void {
    this.#seconds *= 2;
    for (const plane of [this.read, this.written]) {
      for (let row = 0; row < ROWS; row++) {
        const at = row * COLUMNS;
        for (let c = 0; c < COLUMNS / 2; c++)
          plane[at + c] = (plane[at + 2 * c] as number) + (plane[at + 2 * c + 1] as number);
        plane.fill(0, at + COLUMNS / 2, at + COLUMNS);
      }
    }
  }
}
