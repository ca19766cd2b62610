/** Reads numbers and strings of an index, in either byte order, never beyond its end. */
import { FormatError } from "../../base/errors.ts";

const TWO_32 = 4294967296;

export class Cursor {
  readonly bytes: Uint8Array;
  readonly littleEndian: boolean;
  readonly #view: DataView;
  readonly #name: string;
  readonly #base: number;
  at: number;
  readonly end: number;

  /** `base` is where the bytes lie in the file, for messages. */
  constructor(
    bytes: Uint8Array,
    about: { name: string; base: number; littleEndian: boolean },
    range: { from: number; to: number } = { from: 0, to: bytes.length },
  ) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#name = about.name;
    this.#base = about.base;
    this.littleEndian = about.littleEndian;
    this.at = range.from;
    this.end = range.to;
  }

  get left(): number {
    return this.end - this.at;
  }

  /** A part of this one with an end of its own; this one goes on behind it. */
  part(length: number, what: string): Cursor {
    const from = this.#take(length, what);
    const about = { name: this.#name, base: this.#base, littleEndian: this.littleEndian };
    return new Cursor(this.bytes, about, { from, to: from + length });
  }

  u8(what: string): number {
    return this.#view.getUint8(this.#take(1, what));
  }

  u16(what: string): number {
    return this.#view.getUint16(this.#take(2, what), this.littleEndian);
  }

  u32(what: string): number {
    return this.#view.getUint32(this.#take(4, what), this.littleEndian);
  }

  /** Refused beyond 2^53: no offset or count of a file is that large. */
  u64(what: string): number {
    const at = this.#take(8, what);
    const [first, second] = [
      this.#view.getUint32(at, this.littleEndian),
      this.#view.getUint32(at + 4, this.littleEndian),
    ];
    const [low, high] = this.littleEndian ? [first, second] : [second, first];
    const value = high * TWO_32 + low;
    if (!Number.isSafeInteger(value)) this.fail(`${what} is ${value}, larger than any file`, at);
    return value;
  }

  raw(length: number, what: string): Uint8Array {
    const at = this.#take(length, what);
    return this.bytes.subarray(at, at + length);
  }

  text(what: string): string {
    return new TextDecoder().decode(this.raw(this.u16(`length of ${what}`), what));
  }

  fail(detail: string, at = this.at): never {
    throw new FormatError(this.#name, { offset: this.#base + at }, detail);
  }

  #take(length: number, what: string): number {
    const { at } = this;
    if (length > this.end - at) {
      this.fail(`${what} needs ${length} bytes, but only ${this.end - at} are left in its part of the index`);
    }
    this.at = at + length;
    return at;
  }
}
