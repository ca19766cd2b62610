/** Columns that grow: typed arrays with room ahead, emptied and used again. */
import { LOW } from "./words.ts";

const FIRST_ROOM = 16;

/** 64-bit integers, also seen in 32-bit halves. */
export class GrowingIntegers {
  values: BigInt64Array<ArrayBuffer>;
  halves: Uint32Array<ArrayBuffer>;
  readonly #missing: bigint;
  readonly #missingHigh: number;

  /** `missing` stands where nothing was written; its low half is zero. */
  constructor(missing: bigint) {
    this.#missing = missing;
    this.#missingHigh = Number(BigInt.asUintN(32, missing >> 32n));
    this.values = new BigInt64Array(FIRST_ROOM).fill(missing);
    this.halves = new Uint32Array(this.values.buffer);
  }

  reach(count: number): void {
    if (count <= this.values.length) return;
    const longer = new BigInt64Array(Math.max(count, 2 * this.values.length));
    longer.fill(this.#missing, this.values.length);
    longer.set(this.values);
    this.values = longer;
    this.halves = new Uint32Array(longer.buffer);
  }

  /** Entries [from, to) are as if nothing had been written. */
  clear(from: number, to: number): void {
    this.values.fill(this.#missing, from, to);
  }

  set(at: number, low: number, high: number): void {
    this.halves[2 * at + LOW] = low;
    this.halves[2 * at + 1 - LOW] = high;
  }

  /** Adds word `word` of `u32`, which is not negative; sums beyond 2^63 wrap. */
  add(at: number, u32: Uint32Array, word: number): void {
    const { halves } = this;
    const low = 2 * at + LOW;
    const high = 2 * at + 1 - LOW;
    const addedLow = u32[2 * word + LOW] as number;
    const addedHigh = u32[2 * word + 1 - LOW] as number;
    if (halves[high] === this.#missingHigh && halves[low] === 0) {
      halves[low] = addedLow;
      halves[high] = addedHigh;
      return;
    }
    const sum = (halves[low] as number) + addedLow;
    halves[low] = sum;
    halves[high] = (halves[high] as number) + addedHigh + (sum > 0xffffffff ? 1 : 0);
  }
}

export class GrowingReals {
  values: Float64Array<ArrayBuffer>;
  readonly #missing: number;

  constructor(missing: number) {
    this.#missing = missing;
    this.values = new Float64Array(FIRST_ROOM).fill(missing);
  }

  reach(count: number): void {
    if (count <= this.values.length) return;
    const longer = new Float64Array(Math.max(count, 2 * this.values.length));
    longer.fill(this.#missing, this.values.length);
    longer.set(this.values);
    this.values = longer;
  }

  /** Entries [from, to) are as if nothing had been written. */
  clear(from: number, to: number): void {
    this.values.fill(this.#missing, from, to);
  }

  add(at: number, value: number): void {
    const sum = this.values[at] as number;
    this.values[at] = Number.isNaN(sum) ? value : sum + value;
  }
}
