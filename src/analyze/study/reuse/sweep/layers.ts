/** Means over the complete accesses of each file and layer: bytes, and the spread over ranks of bytes and of I/O time. */
import { withRoom } from "../../../../base/room.ts";
import { Column, type Pages } from "./column.ts";
import { LAYER_NAMES } from "./records.ts";

const LAYERS = LAYER_NAMES.length;
const FIELDS = 7;

export class Layers {
  /** One entry per file and layer. */
  readonly file: Column;
  readonly layer: Column;
  readonly accesses: Column;
  readonly bytes: Column;
  readonly sdBytes: Column;
  readonly sdSeconds: Column;
  #slots = new Int32Array(0);
  #sums = new Float64Array(FIELDS * 1024);
  #used = 0;

  constructor(pages?: Pages) {
    const column = () => new Column(pages);
    [this.file, this.layer, this.accesses] = [column(), column(), column()];
    [this.bytes, this.sdBytes, this.sdSeconds] = [column(), column(), column()];
  }

  /** Begins a part with this number of files. */
  begin(files: number): void {
    this.#slots = new Int32Array(files * LAYERS).fill(-1);
    this.#sums.fill(0, 0, this.#used * FIELDS);
    this.#used = 0;
  }

  /** NaN is left out. */
  add(file: number, layer: number, bytes: number, sdBytes: number, sdSeconds: number): void {
    let slot = this.#slots[file * LAYERS + layer] as number;
    if (slot === -1) slot = this.#open(file * LAYERS + layer);
    const at = slot * FIELDS;
    const sums = this.#sums;
    sums[at] = (sums[at] as number) + 1;
    if (!Number.isNaN(bytes)) {
      sums[at + 1] = (sums[at + 1] as number) + 1;
      sums[at + 2] = (sums[at + 2] as number) + bytes;
    }
    if (!Number.isNaN(sdBytes)) {
      sums[at + 3] = (sums[at + 3] as number) + 1;
      sums[at + 4] = (sums[at + 4] as number) + sdBytes;
    }
    if (!Number.isNaN(sdSeconds)) {
      sums[at + 5] = (sums[at + 5] as number) + 1;
      sums[at + 6] = (sums[at + 6] as number) + sdSeconds;
    }
  }

  /** Ends the part, whose first file has this number. */
  end(firstFile: number): void {
    const mean = (at: number) => (this.#sums[at + 1] as number) / (this.#sums[at] as number);
    for (let i = 0; i < this.#slots.length; i++) {
      const slot = this.#slots[i] as number;
      if (slot === -1) continue;
      const at = slot * FIELDS;
      this.file.push(firstFile + Math.floor(i / LAYERS));
      this.layer.push(i % LAYERS);
      this.accesses.push(this.#sums[at] as number);
      // Nothing over nothing is NaN: not known.
      this.bytes.push(mean(at + 1));
      this.sdBytes.push(mean(at + 3));
      this.sdSeconds.push(mean(at + 5));
    }
    this.#slots = new Int32Array(0);
    this.#sums = new Float64Array(FIELDS * 1024);
    this.#used = 0;
  }

  #open(index: number): number {
    const slot = this.#used++;
    if (this.#used * FIELDS > this.#sums.length) this.#sums = withRoom(this.#sums, 2 * this.#sums.length);
    this.#slots[index] = slot;
    return slot;
  }
}
