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

/**
 * Accesses alike for whoever takes words. A reader has one and sets it again for each stretch: loops over objects of one shape
 * stay compiled.
 */
export class AlikeCalls implements CallWords {
  words: Uint32Array = new Uint32Array(0);
  from = 0;
  to = 0;
  readonly low = hostIsLittle ? 0 : 1;
  readonly baseHigh: number;
  readonly baseLow: number;
  readonly hasOffsets: boolean;
  file = 0;
  operation = 0;
  flags = 0;

  constructor(baseHigh: number, baseLow: number, hasOffsets: boolean) {
    this.baseHigh = baseHigh;
    this.baseLow = baseLow;
    this.hasOffsets = hasOffsets;
  }

  set(words: Uint32Array, from: number, to: number, file: number): void {
    const word = words[8 * from + 1] as number;
    const kind = hostIsLittle ? word & 255 : word >>> 24;
    const flags = hostIsLittle ? (word >>> 8) & 255 : (word >>> 16) & 255;
    this.words = words;
    this.from = from;
    this.to = to;
    this.file = file;
    this.operation = flags & RECORD_WRITE;
    this.flags = (flags & CALL_FLAGS) | (KIND_FLAGS[kind] as number);
  }

  /** Bytes that they asked for. */
  get bytes(): number {
    const { words, from, to, low, hasOffsets } = this;
    let sum = 0;
    for (let at = 8 * from + 2; at < 8 * to; at += 8) {
      const top = words[at + 1 - low] as number;
      sum += words[at + low] as number;
      if (top !== 0 && !(hasOffsets && top >>> 31 === 1)) sum += (top | 0) * TWO_32;
    }
    return sum;
  }
}
