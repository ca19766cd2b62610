/**
 * A pipe as a byte source, for readers that go front to back: what lies before the place of the last read is forgotten,
 * so the input may be larger than memory.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { LimitError } from "../base/errors.ts";
import { type ByteSource, bytesSource } from "../base/source.ts";
import { formatBytes } from "../base/units.ts";

export interface StreamSource extends ByteSource {
  /** Everything from the first byte, in memory; only before anything was forgotten. More than `bytesMax` is an error. */
  whole(bytesMax: number): ByteSource;
  close(): void;
}

const STEP_BYTES = 1 << 16;

/** A pipe or device with a name, such as a FIFO or /dev/stdin. */
export function openStream(path: string): StreamSource {
  return new PipeSource(openSync(path, "r"), path);
}

export const standardInput = (name: string): StreamSource => new PipeSource(0, name);

class PipeSource implements StreamSource {
  readonly name: string;
  /** Not known before the end. */
  readonly byteLength = Number.POSITIVE_INFINITY;
  #descriptor: number;
  /** Bytes from `#from` on that were read from the pipe, in the first `#filled` of the buffer. */
  #buffer = Buffer.allocUnsafeSlow(4 * STEP_BYTES);
  #from = 0;
  #filled = 0;
  #ended = false;

  constructor(descriptor: number, name: string) {
    this.#descriptor = descriptor;
    this.name = name;
  }

  read(offset: number, length: number, reuse?: Uint8Array): Uint8Array {
    this.#forget(offset);
    this.#fill(length);
    const count = Math.min(length, this.#filled);
    const bytes =
      reuse !== undefined && reuse.length >= count ? reuse.subarray(0, count) : new Uint8Array(count);
    bytes.set(this.#buffer.subarray(0, count));
    return bytes;
  }

  whole(bytesMax: number): ByteSource {
    this.#forget(0);
    this.#fill(bytesMax + 1);
    if (this.#filled > bytesMax)
      throw new LimitError(
        this.name,
        {},
        `more than ${formatBytes(bytesMax)} that cannot be streamed; save the input to a file, or raise --memory`,
      );
    return bytesSource(this.#buffer.subarray(0, this.#filled), this.name);
  }

  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor);
    this.#descriptor = -1;
    this.#ended = true;
  }

  #forget(offset: number): void {
    if (offset < this.#from)
      throw new RangeError(`byte ${offset} of ${this.name} has passed; a pipe cannot go back`);
    while (offset - this.#from > this.#filled && !this.#ended) {
      this.#from += this.#filled;
      this.#filled = 0;
      this.#fill(Math.min(offset - this.#from, STEP_BYTES));
    }
    const passed = Math.min(offset - this.#from, this.#filled);
    this.#buffer.copyWithin(0, passed, this.#filled);
    this.#filled -= passed;
    this.#from = offset;
  }

  /** Has `length` bytes in the buffer, fewer at the end. */
  #fill(length: number): void {
    while (this.#filled < length && !this.#ended) {
      if (this.#buffer.length - this.#filled < STEP_BYTES) {
        const larger = Buffer.allocUnsafeSlow(2 * this.#buffer.length);
        this.#buffer.copy(larger, 0, 0, this.#filled);
        this.#buffer = larger;
      }
      const count = readPatiently(this.#descriptor, this.#buffer, this.#filled);
      if (count === 0) this.#ended = true;
      this.#filled += count;
    }
  }
}

/** A pipe that somebody set to not block says EAGAIN while it is empty. */
function readPatiently(descriptor: number, buffer: Buffer, at: number): number {
  for (;;) {
    try {
      return readSync(descriptor, buffer, at, buffer.length - at, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
