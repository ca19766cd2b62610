/** The two words of an entry that differences are made of, in halves. */
import { GREW, INVALID, isNegative, SAME } from "./difference.ts";
import { SAMPLES, SUM, WORDS } from "./reading.ts";

/** Whether an entry has neither samples nor a sum. */
export function isZero(halves: Uint32Array, entry: number): boolean {
  const at = 2 * WORDS * entry;
  return (
    ((halves[at] as number) |
      (halves[at + 1] as number) |
      (halves[at + 2 * SUM] as number) |
      (halves[at + 2 * SUM + 1] as number)) ===
    0
  );
}

/** Whether samples or sum are negative. */
export function hasNegative(halves: Uint32Array, word: number): boolean {
  return isNegative(halves, word + SAMPLES) || isNegative(halves, word + SUM);
}

export function copyWord(from: Uint32Array, word: number, to: Uint32Array, into: number): void {
  to[2 * into] = from[2 * word] as number;
  to[2 * into + 1] = from[2 * word + 1] as number;
}

/** Samples and sum as they are; says whether there is anything, and whether it can be. */
export function copyWords(halves: Uint32Array, word: number, out: Uint32Array, into: number): number {
  const samples = 2 * (word + SAMPLES);
  const sum = 2 * (word + SUM);
  out[2 * into] = halves[samples] as number;
  out[2 * into + 1] = halves[samples + 1] as number;
  out[2 * into + 2] = halves[sum] as number;
  out[2 * into + 3] = halves[sum + 1] as number;
  return hasNegative(halves, word) ? INVALID : isZeroWords(out, into) ? SAME : GREW;
}

/** Whether an entry has neither samples nor a sum. */
function isZeroWords(out: Uint32Array, into: number): boolean {
  return (
    ((out[2 * into] as number) |
      (out[2 * into + 1] as number) |
      (out[2 * into + 2] as number) |
      (out[2 * into + 3] as number)) ===
    0
  );
}
