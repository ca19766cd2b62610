/** Sums of 64-bit integers without rounding. Small ones are added as doubles: a `BigInt` per value costs ten times as much. */
import { wordNumber } from "./words.ts";

const PART_MAX = 2 ** 52;

export class ExactSums {
  readonly #parts: Float64Array;
  readonly #wholes: bigint[];

  constructor(count: number) {
    this.#parts = new Float64Array(count);
    this.#wholes = Array.from({ length: count }, () => 0n);
  }

  /** Adds an integer of which no digit is lost as a double. */
  add(index: number, value: number): void {
    const part = (this.#parts[index] as number) + value;
    if (part < PART_MAX && part > -PART_MAX) this.#parts[index] = part;
    else {
      this.#parts[index] = 0;
      this.addExact(index, BigInt(part));
    }
  }

  /** Adds word `word` of the views, a signed integer. */
  addWord(index: number, u32: Uint32Array, i64: BigInt64Array, word: number): void {
    const value = wordNumber(u32, word);
    if (value < PART_MAX && value > -PART_MAX) this.add(index, value);
    else this.addExact(index, i64[word] as bigint);
  }

  addExact(index: number, value: bigint): void {
    this.#wholes[index] = (this.#wholes[index] as bigint) + value;
  }

  at(index: number): bigint {
    return (this.#wholes[index] as bigint) + BigInt(this.#parts[index] as number);
  }
}
