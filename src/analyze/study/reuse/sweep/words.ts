/** Whole numbers of 64 bits as two words of 32, the way columns hold them: reading a bigint costs ten times as much. */
import { withRoom } from "../../../../base/room.ts";
import { mixed } from "../../common/hash.ts";

const WORD = 2 ** 32;
/** From this high word on a number needs more than 53 bits. */
const HIGH_LARGE = 2 ** 21;

/** Exact below 2^53, else rounded. */
export const numberOf = (low: number, high: number): number => high * WORD + low;

const bigintOf = (low: number, high: number): bigint => (BigInt(high) << 32n) | BigInt(low);

/** Sums of whole numbers from 0 on, exact however large. */
export class WordSums {
  #small: Float64Array;
  readonly #large = new Map<number, bigint>();

  constructor(count: number) {
    this.#small = new Float64Array(count);
  }

  /** Makes room for sums below `count`. */
  reach(count: number): void {
    if (count <= this.#small.length) return;
    this.#small = withRoom(this.#small, Math.max(count, 2 * this.#small.length));
  }

  /** Makes the first `count` sums zero, and forgets all large ones. */
  clear(count: number): void {
    this.#small.fill(0, 0, count);
    this.#large.clear();
  }

  add(at: number, low: number, high: number): void {
    if (high >= HIGH_LARGE) {
      this.#large.set(at, (this.#large.get(at) ?? 0n) + bigintOf(low, high));
      return;
    }
    const value = high * WORD + low;
    const before = this.#small[at] as number;
    if (before + value <= Number.MAX_SAFE_INTEGER) this.#small[at] = before + value;
    else {
      this.#large.set(at, (this.#large.get(at) ?? 0n) + BigInt(before));
      this.#small[at] = value;
    }
  }

  /** Adds a whole number, unless it or the sum passes 2^53; says whether it did. */
  addWhole(at: number, value: number): boolean {
    const sum = (this.#small[at] as number) + value;
    if (sum > Number.MAX_SAFE_INTEGER) return false;
    this.#small[at] = sum;
    return true;
  }

  addBigint(at: number, value: bigint): void {
    this.#large.set(at, (this.#large.get(at) ?? 0n) + value);
  }

  /** Adds sum number `from` of others. */
  addSum(at: number, others: WordSums, from: number): void {
    const large = others.#large.size === 0 ? undefined : others.#large.get(from);
    if (large !== undefined) this.#large.set(at, (this.#large.get(at) ?? 0n) + large);
    const value = others.#small[from] as number;
    const before = this.#small[at] as number;
    if (before + value <= Number.MAX_SAFE_INTEGER) this.#small[at] = before + value;
    else {
      this.#large.set(at, (this.#large.get(at) ?? 0n) + BigInt(before));
      this.#small[at] = value;
    }
  }

  /** Whether `about` is exact. */
  isSmall(at: number): boolean {
    return this.#large.size === 0 || !this.#large.has(at);
  }

  value(at: number): bigint {
    const small = BigInt(this.#small[at] as number);
    const large = this.#large.get(at);
    return large === undefined ? small : small + large;
  }

  /** As a double. */
  about(at: number): number {
    return this.isSmall(at) ? (this.#small[at] as number) : Number(this.value(at));
  }
}

/** Numbers from 0 for values of two words, in the order in which they first occur. */
export class Codes {
  #slots = new Int32Array(256).fill(-1);
  #keys = new Uint32Array(512);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  of(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    let at = mixed(low, high) & mask;
    for (;;) {
      const code = this.#slots[at] as number;
      if (code === -1) return this.#add(at, low, high);
      if (this.#keys[2 * code] === low && this.#keys[2 * code + 1] === high) return code;
      at = (at + 1) & mask;
    }
  }

  /** As `of`, but -1 for what is not known. */
  find(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    let at = mixed(low, high) & mask;
    for (;;) {
      const code = this.#slots[at] as number;
      if (code === -1 || (this.#keys[2 * code] === low && this.#keys[2 * code + 1] === high)) return code;
      at = (at + 1) & mask;
    }
  }

  low(code: number): number {
    return this.#keys[2 * code] as number;
  }

  high(code: number): number {
    return this.#keys[2 * code + 1] as number;
  }

  #add(at: number, low: number, high: number): number {
    const code = this.#count++;
    if (2 * code === this.#keys.length) this.#keys = withRoom(this.#keys, 4 * code);
    this.#keys[2 * code] = low;
    this.#keys[2 * code + 1] = high;
    this.#slots[at] = code;
    if (2 * this.#count > this.#slots.length) this.#spread();
    return code;
  }

  #spread(): void {
    const slots = new Int32Array(2 * this.#slots.length).fill(-1);
    const mask = slots.length - 1;
    for (let code = 0; code < this.#count; code++) {
      let at = mixed(this.low(code), this.high(code)) & mask;
      while (slots[at] !== -1) at = (at + 1) & mask;
      slots[at] = code;
    }
    this.#slots = slots;
  }
}
