/** The difference of two readings of one 64-bit counter, on halves. */
import { LOW } from "../../base/words.ts";

/** What became of a counter. */
export const SAME = 0;
export const GREW = 1;
export const FELL = 2;
export const WRAPPED = 3;

/** High half of 2^63 - 2^40: from here on a counter is close enough to its end that a fall is a wrap. */
const NEAR_END = 0x7fffff00;

/**
 * Compares word `now` of `halves` with word `then` of `before`, and leaves the growth in word `into` of `out`. A fall
 * leaves the value of now there. After 2^63 - 1 some files print negative numbers and some go on: both wrap here.
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
  out[2 * into + LOW] = found === FELL ? low : grownLow;
  out[2 * into + 1 - LOW] = found === FELL ? high : grownHigh;
  return found;
}
