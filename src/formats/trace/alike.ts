/** Records one after the other that say the same of kind, flags and file. */
import type { CallWords } from "../../model/index.ts";
import { CALL_FLAGS, hostIsLittle, KIND_FLAGS, RECORD_WRITE } from "./layout.ts";

const TWO_32 = 4294967296;

/** The first record from `from` on that has another word of kind, flags and file. */
export function endOfAlike(words: Uint32Array, from: number, count: number): number {
  const word = words[8 * from + 1];
  let to = from + 1;
  while (to < count && words[8 * to + 1] === word) to++;
  return to;
}

/** Accesses alike for whoever takes words; `place` says where they lie and what their times count from. */
export function callWords(
  place: Pick<CallWords, "words" | "from" | "to" | "baseHigh" | "baseLow" | "hasOffsets" | "file">,
): CallWords {
  const word = place.words[8 * place.from + 1] as number;
  const kind = hostIsLittle ? word & 255 : word >>> 24;
  const flags = hostIsLittle ? (word >>> 8) & 255 : (word >>> 16) & 255;
  const low = hostIsLittle ? 0 : 1;
  const own = (flags & CALL_FLAGS) | (KIND_FLAGS[kind] as number);
  return { ...place, low, operation: flags & RECORD_WRITE, flags: own };
}

/** Bytes that they asked for. */
export function bytesOf({ words, from, to, low, hasOffsets }: CallWords): number {
  let sum = 0;
  for (let at = 8 * from + 2; at < 8 * to; at += 8) {
    const top = words[at + 1 - low] as number;
    sum += words[at + low] as number;
    if (top !== 0 && !(hasOffsets && top >>> 31 === 1)) sum += (top | 0) * TWO_32;
  }
  return sum;
}
