/** Bytes one after another into a buffer that grows; numbers are little endian. */
import { withRoom } from "./room.ts";

export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #used = 0;

  constructor(room = 256) {
    this.#bytes = new Uint8Array(room);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#used;
  }

  u8(value: number): void {
    const at = this.#advance(1);
    this.#view.setUint8(at, value);
  }

  u16(value: number): void {
    const at = this.#advance(2);
    this.#view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.#advance(4);
    this.#view.setUint32(at, value, true);
  }

  /** A whole number from 0 to 2^53. */
  u64(value: number): void {
    const at = this.#advance(8);
    this.#view.setUint32(at, value % 4294967296, true);
    this.#view.setUint32(at + 4, Math.floor(value / 4294967296), true);
  }

  bytes(source: Uint8Array): void {
    const at = this.#advance(source.length);
    this.#bytes.set(source, at);
  }

  /** The patches write over a number that was left open. */
  patchU8(at: number, value: number): void {
    this.#view.setUint8(at, value);
  }

  patchU16(at: number, value: number): void {
    this.#view.setUint16(at, value, true);
  }

  patchU32(at: number, value: number): void {
    this.#view.setUint32(at, value, true);
  }

  patchU64(at: number, value: number): void {
    this.#view.setUint32(at, value % 4294967296, true);
    this.#view.setUint32(at + 4, Math.floor(value / 4294967296), true);
  }

  /** What was written; a view that a later write may leave behind. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#used);
  }

  #advance(count: number): number {
    const at = this.#used;
    if (at + count > this.#bytes.length) this.#grow(at + count);
    this.#used = at + count;
    return at;
  }

  #grow(needed: number): void {
    this.#bytes = withRoom(this.#bytes, Math.max(needed, 2 * this.#bytes.length));
    this.#view = new DataView(this.#bytes.buffer);
  }
}
