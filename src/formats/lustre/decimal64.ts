/** Whole numbers of up to 64 bits from text, into the halves of a word: no string, no BigInt, no rounding. */
import { LOW } from "../../base/words.ts";

const BLANK = 32;
const ZERO = 48;
const MINUS = 45;
const TWO_32 = 4294967296;
/** What fits an int32 with room: the loops stay in integer registers. */
const CHUNK = 9;
const POWERS = Int32Array.from({ length: CHUNK + 1 }, (_, i) => 10 ** i);

/**
 * Reads blanks and an unsigned number at `from` into word `word` of `halves`. Returns the index after it, or -1 when
 * there is no number or it is 2^64 or more.
 */
export function readUnsigned(bytes: Uint8Array, from: number, halves: Uint32Array, word: number): number {
  let at = from;
  let byte = bytes[at] as number;
  while (byte === BLANK) byte = bytes[++at] as number;
  const first = at;
  let value = 0;
  let digit = byte - ZERO;
  while (digit >= 0 && digit <= 9 && at - first < CHUNK) {
    value = (value * 10 + digit) | 0;
    digit = (bytes[++at] as number) - ZERO;
  }
  if (at === first) return -1;
  if (digit >= 0 && digit <= 9) return readLong(bytes, at, value, halves, word);
  halves[2 * word + LOW] = value;
  halves[2 * word + 1 - LOW] = 0;
  return at;
}

/** Goes on after the first nine digits: nine more, then up to two. */
function readLong(bytes: Uint8Array, from: number, first: number, halves: Uint32Array, word: number): number {
  let at = from;
  let second = 0;
  let digit = (bytes[at] as number) - ZERO;
  while (digit >= 0 && digit <= 9 && at - from < CHUNK) {
    second = (second * 10 + digit) | 0;
    digit = (bytes[++at] as number) - ZERO;
  }
  const power = POWERS[at - from] as number;
  // first * power + second, where the product can need 60 bits: the upper 14 bits of `first` apart.
  const upper = (first >>> 16) * power;
  const upperHigh = Math.floor(upper / 65536);
  const sum = (upper - upperHigh * 65536) * 65536 + (first & 0xffff) * power + second;
  let high = upperHigh + Math.floor(sum / TWO_32);
  let low = sum >>> 0;
  while (digit >= 0 && digit <= 9) {
    const ten = low * 10 + digit;
    low = ten >>> 0;
    high = high * 10 + Math.floor(ten / TWO_32);
    if (high >= TWO_32) return -1;
    digit = (bytes[++at] as number) - ZERO;
  }
  halves[2 * word + LOW] = low;
  halves[2 * word + 1 - LOW] = high;
  return at;
}

/** The same with an optional minus, in two's complement; -1 below -2^63. */
export function readSigned(bytes: Uint8Array, from: number, halves: Uint32Array, word: number): number {
  let at = from;
  while (bytes[at] === BLANK) at++;
  if (bytes[at] !== MINUS) return readUnsigned(bytes, at, halves, word);
  const digit = (bytes[at + 1] as number) - ZERO;
  if (!(digit >= 0 && digit <= 9)) return -1;
  const end = readUnsigned(bytes, at + 1, halves, word);
  if (end < 0) return -1;
  const low = halves[2 * word + LOW] as number;
  const high = halves[2 * word + 1 - LOW] as number;
  if (high > 0x80000000 || (high === 0x80000000 && low > 0)) return -1;
  halves[2 * word + LOW] = -low;
  halves[2 * word + 1 - LOW] = ~high + (low === 0 ? 1 : 0);
  return end;
}
