/**
 * Time stamps. The fraction is a COUNT of the unit that the line names, not digits after a decimal point:
 * `1420750934.57342 secs.usecs` is 57,342 microseconds after the second.
 */
import { LOW } from "../../base/words.ts";
import { readUnsigned } from "./decimal64.ts";

const BLANK = 32;
const POINT = 46;
const NEWLINE = 10;
const TWO_32 = 4294967296;
const scratch = new Uint32Array(4);

/** "Not printed" in a column of stamps. */
export const NO_STAMP = -(2n ** 63n);
const NO_STAMP_HIGH = 0x80000000;

/** Whether word `word` of a column of stamps is one. */
export function isStamp(halves: Uint32Array, word: number): boolean {
  return halves[2 * word + 1 - LOW] !== NO_STAMP_HIGH || halves[2 * word + LOW] !== 0;
}

/** From stamp `then` to stamp `now`, without a BigInt; exact within 100 days, and never 0 for stamps that differ. */
export function nsBetween(before: Uint32Array, then: number, halves: Uint32Array, now: number): number {
  const high = ((halves[2 * now + 1 - LOW] as number) | 0) - ((before[2 * then + 1 - LOW] as number) | 0);
  return high * TWO_32 + ((halves[2 * now + LOW] as number) - (before[2 * then + LOW] as number));
}

/**
 * Reads `1234.567 secs.nsecs`, `1234` or `1234.567 (secs.usecs)` at `from` into word `word` of `halves`, as
 * nanoseconds. Returns the index after the line's last byte (its newline or `end`), or -1 when it is no stamp.
 */
export function readStamp(
  bytes: Uint8Array,
  from: number,
  end: number,
  halves: Uint32Array,
  word: number,
): number {
  let at = readUnsigned(bytes, from, scratch, 0);
  if (at < 0 || at > end || scratch[1 - LOW] !== 0) return -1;
  let fraction = 0;
  let digits = 0;
  if (bytes[at] === POINT) {
    at++;
    const fractionAt = at;
    at = readUnsigned(bytes, at, scratch, 1);
    if (at < 0 || at > end || scratch[3 - LOW] !== 0) return -1;
    fraction = scratch[2 + LOW] as number;
    digits = at - fractionAt;
  }
  const lineEnd = endOfLine(bytes, at, end);
  const scale = fractionScale(bytes, at, lineEnd, digits);
  if (scale < 0 || fraction * scale >= 1e9) return -1;
  storeNs(halves, word, scratch[LOW] as number, fraction * scale);
  return lineEnd;
}

/** Nanoseconds per unit of the fraction; -1 when what stands there is no unit. */
function fractionScale(bytes: Uint8Array, from: number, to: number, digits: number): number {
  for (let at = from; at + 4 < to; at++) {
    // `.nsecs` or `.usecs`, in brackets or not.
    if (bytes[at] !== POINT || bytes[at + 2] !== 115 || bytes[at + 3] !== 101) continue;
    if (bytes[at + 1] === 110) return 1;
    if (bytes[at + 1] === 117) return 1000;
  }
  for (let at = from; at < to; at++) if (bytes[at] !== BLANK && bytes[at] !== 13) return -1;
  // No unit: only files of the newest releases leave it out, and those count nanoseconds in nine digits.
  return digits === 0 || digits > 6 ? 1 : 1000;
}

/** seconds * 10^9 + nanoseconds; the product needs 62 bits. */
function storeNs(halves: Uint32Array, word: number, seconds: number, nanoseconds: number): void {
  const upper = (seconds >>> 16) * 1e9;
  const upperHigh = Math.floor(upper / 65536);
  const sum = (upper - upperHigh * 65536) * 65536 + (seconds & 0xffff) * 1e9 + nanoseconds;
  halves[2 * word + LOW] = sum % TWO_32;
  halves[2 * word + 1 - LOW] = upperHigh + Math.floor(sum / TWO_32);
}

function endOfLine(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== NEWLINE) at++;
  return at;
}

const stampWords = new BigInt64Array(1);
const stampHalves = new Uint32Array(stampWords.buffer);

/** The same from text that begins with the stamp; undefined when it is none. */
export function stampFromText(text: string): bigint | undefined {
  const bytes = new TextEncoder().encode(text);
  return readStamp(bytes, 0, bytes.length, stampHalves, 0) < 0 ? undefined : stampWords[0];
}
