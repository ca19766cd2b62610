/**
 * Reads counter files front to back, one after the other, through one buffer: with a buffer per file a collector would
 * hold 100 MB until garbage collection.
 */
import { closeSync, openSync, readSync } from "node:fs";
import type { ByteSource } from "../base/source.ts";

const BUFFER_BYTES = 1 << 20;

export class SequentialFile implements ByteSource {
  name = "";
  /** Not known before the end. */
  readonly byteLength = Number.POSITIVE_INFINITY;
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #descriptor = -1;
  /** The buffer has `#filled` bytes from `#from` on. */
  #from = 0;
  #filled = 0;

  /** Takes the next file; the one before is closed. */
  open(path: string): this {
    this.close();
    this.#descriptor = openSync(path, "r");
    this.name = path;
    this.#from = this.#filled = 0;
    return this;
  }

  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor);
    this.#descriptor = -1;
    if (this.#buffer.length > BUFFER_BYTES) this.#buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  }

  /** Valid until the next call; `offset` lies within what the last call gave, or at its end. */
  read(offset: number, length: number): Uint8Array {
    const passed = offset - this.#from;
    if (passed < 0 || passed > this.#filled)
      throw new RangeError(`byte ${offset} of ${this.name} is not next; the file is read front to back`);
    this.#buffer.copyWithin(0, passed, this.#filled);
    this.#filled -= passed;
    this.#from = offset;
    if (length > this.#buffer.length) this.#grow(length);
    while (this.#filled < length) {
      const count = readSync(this.#descriptor, this.#buffer, this.#filled, length - this.#filled, null);
      if (count === 0) break;
      this.#filled += count;
    }
    return this.#buffer.subarray(0, Math.min(length, this.#filled));
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(length);
    this.#buffer.copy(larger, 0, 0, this.#filled);
    this.#buffer = larger;
  }
}
