/** Standard input as a source of bytes: front to back once, or held in memory up to a limit. */
import { readSync } from "node:fs";
import { assert } from "../base/assert.ts";
import { LimitError } from "../base/errors.ts";
import { type ByteSource, bytesSource } from "../base/source.ts";
import { formatBytes } from "../base/units.ts";

const PIECE = 1 << 18;

/** Offsets must not fall; what lies before the last one is forgotten. Its length is not known until its end. */
export class PipeSource implements ByteSource {
  readonly name: string;
  readonly byteLength = Number.POSITIVE_INFINITY;
  readonly #descriptor: number;
  #buffer = Buffer.allocUnsafe(4 * PIECE);
  /** Where in the input the buffer starts, and how much of it is filled. */
  #offset = 0;
  #filled = 0;
  #ended = false;

  constructor(descriptor: number, name: string) {
    this.#descriptor = descriptor;
    this.name = name;
  }

  /** The bytes are valid until the next call. */
  read(offset: number, length: number): Uint8Array {
    assert(offset >= this.#offset, `a pipe was at ${this.#offset} and is asked for ${offset}`);
    this.#forget(offset);
    while (this.#filled < length && !this.#ended) this.#fill(length);
    return this.#buffer.subarray(0, Math.min(length, this.#filled));
  }

  /** All that is left, for formats that go back and forth. */
  hold(limitBytes: number): ByteSource {
    assert(this.#offset === 0, "a pipe cannot be held after a part of it is gone");
    while (!this.#ended) {
      this.#fill(this.#filled + PIECE);
      if (this.#filled > limitBytes)
        throw new LimitError(
          this.name,
          {},
          `more than ${formatBytes(limitBytes)} that cannot be streamed; save the input to a file, or raise --memory`,
        );
    }
    return bytesSource(this.#buffer.subarray(0, this.#filled), this.name);
  }

  #forget(offset: number): void {
    let gone = offset - this.#offset;
    while (gone > this.#filled && !this.#ended) {
      gone -= this.#filled;
      this.#offset += this.#filled;
      this.#filled = 0;
      this.#fill(PIECE);
    }
    const known = Math.min(gone, this.#filled);
    this.#buffer.copyWithin(0, known, this.#filled);
    this.#filled -= known;
    this.#offset = offset;
  }

  #fill(wanted: number): void {
    if (this.#buffer.length < wanted) {
      const larger = Buffer.allocUnsafe(Math.max(wanted + PIECE, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#filled);
      this.#buffer = larger;
    }
    const got = readSome(this.#descriptor, this.#buffer, this.#filled);
    this.#filled += got;
    this.#ended = got === 0;
  }
}

/** Waits for a pipe that somebody made non-blocking. */
function readSome(descriptor: number, buffer: Buffer, at: number): number {
  for (let waitMs = 1; ; waitMs = Math.min(2 * waitMs, 50)) {
    try {
      return readSync(descriptor, buffer, at, buffer.length - at, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
    }
  }
}
