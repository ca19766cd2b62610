/** Numbers 64-bit ids in the order in which they come. A `Map` of as many bigints takes eight times the memory. */
import { longer } from "./room.ts";

export class IdIndex {
  #count = 0;
  #low: Uint32Array<ArrayBuffer>;
  #high: Uint32Array<ArrayBuffer>;
  /** Open addressing: number + 1, 0 for free. */
  #slots: Uint32Array<ArrayBuffer>;

  constructor(expected = 16) {
    this.#low = new Uint32Array(expected);
    this.#high = new Uint32Array(expected);
    let capacity = 32;
    while (capacity < expected * 2) capacity *= 2;
    this.#slots = new Uint32Array(capacity);
  }

  /** How many different ids there are. */
  get count(): number {
    return this.#count;
  }

  low(number: number): number {
    return this.#low[number] as number;
  }

  high(number: number): number {
    return this.#high[number] as number;
  }

  id(number: number): bigint {
    return (BigInt(this.high(number)) << 32n) | BigInt(this.low(number));
  }

  /** The number of an id, or -1. */
  find(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = mixed(low, high) & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] as number) - 1;
      if (number < 0 || (this.#low[number] === low && this.#high[number] === high)) return number;
    }
  }

  /** The number of an id; `count` grows when it is a new one. */
  numberOf(low: number, high: number): number {
    const known = this.find(low, high);
    if (known >= 0) return known;
    if (this.#count === this.#low.length) this.#grow();
    const number = this.#count++;
    this.#low[number] = low;
    this.#high[number] = high;
    this.#place(number);
    return number;
  }

  #place(number: number): void {
    const mask = this.#slots.length - 1;
    let slot = mixed(this.low(number), this.high(number)) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number + 1;
  }

  #grow(): void {
    this.#low = longer(this.#low);
    this.#high = longer(this.#high);
    if (this.#low.length * 2 <= this.#slots.length) return;
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let number = 0; number < this.#count; number++) this.#place(number);
  }
}

/** Ids are hashes already, but a file may hold anything; the salt keeps crafted ids from piling up. */
const SALT = Math.floor(Math.random() * 2 ** 32);

function mixed(low: number, high: number): number {
  const h = Math.imul(low ^ Math.imul(high ^ SALT, 0x9e3779b1), 0x85ebca6b);
  return (h ^ (h >>> 15)) >>> 0;
}
