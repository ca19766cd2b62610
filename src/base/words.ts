/**
 * 64-bit values in 32-bit halves. A `BigInt` made one at a time costs ten times a pair of halves, so bulk code
 * works on halves and asks for a `BigInt` only where a person or a file needs the exact value.
 */

/** True when typed arrays of this machine are little endian. */
export const HOST_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Index of the low half of 64-bit word 0 in a Uint32Array over it; the high half is at `1 - LOW`. */
export const LOW = HOST_LITTLE_ENDIAN ? 0 : 1;

const TWO_32 = 4294967296;

/** Several typed views of one buffer of 64-bit words. */
export interface WordViews {
  readonly u8: Uint8Array;
  readonly u32: Uint32Array;
  readonly i64: BigInt64Array;
  readonly u64: BigUint64Array;
  readonly f64: Float64Array;
}

/** Views over a new zeroed buffer of `words` 64-bit words. */
export function allocateWords(words: number): WordViews {
  return viewWords(new ArrayBuffer(words * 8));
}

/** Views over an existing buffer whose length is a multiple of eight. */
export function viewWords(buffer: ArrayBuffer): WordViews {
  return {
    u8: new Uint8Array(buffer),
    u32: new Uint32Array(buffer),
    i64: new BigInt64Array(buffer),
    u64: new BigUint64Array(buffer),
    f64: new Float64Array(buffer),
  };
}

/** The signed 64-bit value (high, low) as a double; exact up to 2^53 in magnitude. */
export function signedNumber(low: number, high: number): number {
  return (high | 0) * TWO_32 + low;
}

/** The unsigned 64-bit value (high, low) as a double; exact up to 2^53. */
export function unsignedNumber(low: number, high: number): number {
  return (high >>> 0) * TWO_32 + low;
}

/** Signed word `index` of `u32` as a double; exact up to 2^53 in magnitude. */
export function wordNumber(u32: Uint32Array, index: number): number {
  return signedNumber(u32[2 * index + LOW] as number, u32[2 * index + 1 - LOW] as number);
}

/** Reverses the bytes of each 64-bit word in words [from, to). */
export function swapWords(u32: Uint32Array, from: number, to: number): void {
  for (let i = 2 * from; i < 2 * to; i += 2) {
    const a = u32[i] as number;
    const b = u32[i + 1] as number;
    u32[i] = swap32(b);
    u32[i + 1] = swap32(a);
  }
}

/** The bytes of a 32-bit value in reverse order. */
export function swap32(x: number): number {
  return ((x << 24) | ((x & 0xff00) << 8) | ((x >>> 8) & 0xff00) | (x >>> 24)) >>> 0;
}

/** A 64-bit value for JSON: a number when a double holds it exactly, else a decimal string. */
export function exactNumber(value: bigint): number | string {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value.toString();
}
