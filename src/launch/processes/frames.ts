/** Messages on a stream: length and tag, then the bytes. Each message is copied once, into its own buffer. */
import { assert } from "../../base/assert.ts";

const HEADER_BYTES = 8;
const FRAME_MAX = 2 ** 32 - 1;

export function frameHeader(tag: number, length: number): Uint8Array {
  assert(length <= FRAME_MAX, `a message of ${length} bytes is more than a frame holds`);
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  view.setUint32(0, length, true);
  view.setUint32(4, tag, true);
  return header;
}

export class FrameReader {
  readonly #onFrame: (tag: number, bytes: Uint8Array) => void;
  readonly #header = new Uint8Array(HEADER_BYTES);
  readonly #view = new DataView(this.#header.buffer);
  #headerBytes = 0;
  #body: Uint8Array | undefined;
  #bodyBytes = 0;

  constructor(onFrame: (tag: number, bytes: Uint8Array) => void) {
    this.#onFrame = onFrame;
  }

  /** Whether the stream may end here. */
  get between(): boolean {
    return this.#headerBytes === 0;
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#body === undefined) {
        const take = Math.min(HEADER_BYTES - this.#headerBytes, chunk.length - at);
        this.#header.set(chunk.subarray(at, at + take), this.#headerBytes);
        this.#headerBytes += take;
        at += take;
        if (this.#headerBytes < HEADER_BYTES) return;
        this.#body = new Uint8Array(this.#view.getUint32(0, true));
        this.#bodyBytes = 0;
      }
      const take = Math.min(this.#body.length - this.#bodyBytes, chunk.length - at);
      this.#body.set(chunk.subarray(at, at + take), this.#bodyBytes);
      this.#bodyBytes += take;
      at += take;
      if (this.#bodyBytes < this.#body.length) return;
      const body = this.#body;
      this.#body = undefined;
      this.#headerBytes = 0;
      this.#onFrame(this.#view.getUint32(4, true), body);
    }
  }
}
