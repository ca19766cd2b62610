/** Bytes on their way to stdout, gathered into large writes. */

export interface ByteSink {
  /** Text goes out as UTF-8. A large byte array goes out as it is, without a copy. */
  write(data: string | Uint8Array): void;
  flush(): void;
}

/** The reader has gone (`| head -1`). Ends the program quietly. */
export class OutputClosed extends Error {}

const CAPACITY = 256 * 1024;

export class BufferedSink implements ByteSink {
  readonly #put: (bytes: Uint8Array) => void;
  readonly #buffer = new Uint8Array(CAPACITY);
  readonly #encoder = new TextEncoder();
  #used = 0;
  #closed = false;

  constructor(put: (bytes: Uint8Array) => void) {
    this.#put = put;
  }

  get closed(): boolean {
    return this.#closed;
  }

  write(data: string | Uint8Array): void {
    if (typeof data === "string") this.#writeText(data);
    else this.#writeBytes(data);
  }

  flush(): void {
    if (this.#used === 0) return;
    const bytes = this.#buffer.subarray(0, this.#used);
    this.#used = 0;
    this.#send(bytes);
  }

  #writeText(text: string): void {
    // One UTF-16 unit takes at most three bytes.
    if (text.length * 3 > CAPACITY - this.#used) this.flush();
    if (text.length * 3 > CAPACITY) this.#send(this.#encoder.encode(text));
    else this.#used += this.#encoder.encodeInto(text, this.#buffer.subarray(this.#used)).written;
  }

  #writeBytes(bytes: Uint8Array): void {
    if (bytes.length > CAPACITY - this.#used) this.flush();
    if (bytes.length > CAPACITY / 4) {
      this.flush();
      this.#send(bytes);
      return;
    }
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  #send(bytes: Uint8Array): void {
    if (this.#closed) throw new OutputClosed();
    try {
      this.#put(bytes);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "EPIPE") throw error;
      this.#closed = true;
      throw new OutputClosed();
    }
  }
}
