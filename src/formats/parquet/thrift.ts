/**
 * Thrift's compact protocol, as far as Parquet's footers and page headers need it
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md): a field is a byte with the difference to the
 * field before it and its type, then its value; a struct ends with a zero.
 */
import { ByteWriter } from "../../base/byte-writer.ts";

const I32 = 5;
const I64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

const TEXT = new TextEncoder();

export class ThriftWriter {
  readonly bytes = new ByteWriter();
  #last = 0;

  i32(field: number, value: number): void {
    this.#field(field, I32);
    putVarint(this.bytes, zigzag(value));
  }

  /** A whole number within 2^52. */
  i64(field: number, value: number): void {
    this.#field(field, I64);
    putVarint(this.bytes, zigzag(value));
  }

  text(field: number, value: string): void {
    this.#field(field, BINARY);
    this.#text(value);
  }

  struct(field: number, write: () => void): void {
    this.#field(field, STRUCT);
    this.#inside(write);
  }

  /** A list of structs. */
  structs<T>(field: number, items: readonly T[], write: (item: T) => void): void {
    this.#list(field, items.length, STRUCT);
    for (const item of items) this.#inside(() => write(item));
  }

  texts(field: number, items: readonly string[]): void {
    this.#list(field, items.length, BINARY);
    for (const item of items) this.#text(item);
  }

  i32s(field: number, items: readonly number[]): void {
    this.#list(field, items.length, I32);
    for (const item of items) putVarint(this.bytes, zigzag(item));
  }

  /** The end of the outermost struct. */
  end(): Uint8Array {
    this.bytes.u8(0);
    return this.bytes.finish();
  }

  #field(field: number, type: number): void {
    const step = field - this.#last;
    if (step > 0 && step <= 15) this.bytes.u8((step << 4) | type);
    else {
      this.bytes.u8(type);
      putVarint(this.bytes, zigzag(field));
    }
    this.#last = field;
  }

  #list(field: number, length: number, type: number): void {
    this.#field(field, LIST);
    if (length < 15) this.bytes.u8((length << 4) | type);
    else {
      this.bytes.u8(0xf0 | type);
      putVarint(this.bytes, length);
    }
  }

  #inside(write: () => void): void {
    const last = this.#last;
    this.#last = 0;
    write();
    this.bytes.u8(0);
    this.#last = last;
  }

  #text(value: string): void {
    const bytes = TEXT.encode(value);
    putVarint(this.bytes, bytes.length);
    this.bytes.bytes(bytes);
  }
}

/** Seven bits a byte, the lowest first; exact up to 2^53. */
export function putVarint(into: ByteWriter, value: number): void {
  let rest = value;
  while (rest >= 128) {
    into.u8((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  into.u8(rest);
}

/** Small numbers of either sign as small numbers without one. */
export const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
