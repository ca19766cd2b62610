/**
 * Things under way by a number that counts up: what a `Map` would do, in a list. A map that is filled and emptied all the
 * time makes itself again every few entries, and most lists here have one entry at a time.
 */
import { assert } from "../../base/assert.ts";

export class Numbered<T> {
  size = 0;
  /** Number of the first slot. */
  #first = 0;
  #slots: (T | undefined)[] = [];
  /** Slots in use; those behind are left from before. */
  #length = 0;

  get(number: number): T | undefined {
    const i = number - this.#first;
    return i >= 0 && i < this.#length ? this.#slots[i] : undefined;
  }

  /** Numbers come without gaps, in order. */
  add(number: number, one: T): void {
    if (this.size === 0) {
      this.#first = number;
      this.#length = 0;
    }
    assert(number === this.#first + this.#length, "a number out of turn");
    this.#slots[this.#length++] = one;
    this.size++;
  }

  delete(number: number): boolean {
    if (this.get(number) === undefined) return false;
    this.#slots[number - this.#first] = undefined;
    this.size--;
    return true;
  }

  /** Those there are now, in order. */
  values(): T[] {
    const all: T[] = [];
    for (let i = 0; i < this.#length; i++) {
      const one = this.#slots[i];
      if (one !== undefined) all.push(one);
    }
    return all;
  }
}
