/** The difference of two readings of one 64-bit counter, on halves. */
import { LOW } from "../../base/words.ts";

/** What became of a counter. */
export const SAME = 0;
export const GREW = 1;
export const FELL = 2;
export const WRAPPED = 3;
/** Negative without having passed the end: no count of anything. */
export const INVALID = 4;

/** High half of 2^63 - 2^40: from here on a counter is close enough to its end that a fall is a wrap. */
const NEAR_END = 0x7fffff00;
/** High half of 2^50: nothing grows by a petabyte between two readings, so from a negative number to there it did not. */
const TOO_FAR = 1 << 18;

/** Whether word `word` is 2^63 or more, which some files print as a negative number: it cannot be the whole of a count. */
export function isNegative(halves: Uint32Array, word: number): boolean {
  return (halves[2 * word + 1 - LOW] as number) >= 0x80000000;
}

/**
 * Compares word `now` of `halves` with word `then` of `before`, and leaves the growth in word `into` of `out`. A fall
 * leaves the value of now there. After 2^63 - 1 some files print negative numbers and some continue: both wrap here. Any other
 * step to or from a negative number is invalid and leaves 0.
 */
export function difference(
  halves: Uint32Array,
  now: number,
  before: Uint32Array,
  then: number,
  out: Uint32Array,
  into: number,
): number {
  const low = halves[2 * now + LOW] as number;
  const high = halves[2 * now + 1 - LOW] as number;
  const lowThen = before[2 * then + LOW] as number;
  const highThen = before[2 * then + 1 - LOW] as number;
  const borrow = low < lowThen ? 1 : 0;
  const grownLow = (low - lowThen) >>> 0;
  let grownHigh = (high - highThen - borrow) >>> 0;
  let found = GREW;
  if (low === lowThen && high === highThen) found = SAME;
  else if ((high | 0) < (highThen | 0) || (high === highThen && low < lowThen)) {
    found = FELL;
    if ((highThen | 0) >= NEAR_END) {
      if ((high | 0) < 0 && grownHigh < 512) found = WRAPPED;
      else if (high < 256) {
        // Began again at 0 after 2^63 - 1.
        grownHigh = (grownHigh ^ 0x80000000) >>> 0;
        found = WRAPPED;
      }
    }
  }
  if (found === FELL ? (high | 0) < 0 : (highThen | 0) < 0 && grownHigh >= TOO_FAR) {
    out[2 * into + LOW] = out[2 * into + 1 - LOW] = 0;
    return INVALID;
  }
  out[2 * into + LOW] = found === FELL ? low : grownLow;
  out[2 * into + 1 - LOW] = found === FELL ? high : grownHigh;
  return found;
}
