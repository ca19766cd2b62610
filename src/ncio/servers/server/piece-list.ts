/** Pieces of a server's local file, in the order of the data; reused for all requests. */

const FIRST_PIECES = 1024;

export class PieceList {
  offsets = new Float64Array(FIRST_PIECES);
  lengths = new Float64Array(FIRST_PIECES);
  count = 0;
  /** Total bytes of all pieces. */
  bytes = 0;
  readonly #join: boolean;

  /** With `join` adjacent pieces are merged. */
  constructor(join: boolean) {
    this.#join = join;
  }

  clear(): void {
    this.count = 0;
    this.bytes = 0;
  }

  add(offset: number, length: number): void {
    const { count } = this;
    this.bytes += length;
    if (this.#join && count > 0) {
      const last = this.lengths[count - 1] as number;
      if ((this.offsets[count - 1] as number) + last === offset) {
        this.lengths[count - 1] = last + length;
        return;
      }
    }
    if (count === this.offsets.length) this.#grow();
    this.offsets[count] = offset;
    this.lengths[count] = length;
    this.count = count + 1;
  }

  #grow(): void {
    const offsets = new Float64Array(2 * this.offsets.length);
    offsets.set(this.offsets);
    this.offsets = offsets;
    const lengths = new Float64Array(2 * this.lengths.length);
    lengths.set(this.lengths);
    this.lengths = lengths;
  }
}
