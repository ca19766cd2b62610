/**
 * Items in flight by ascending number: a `Map` as a list. A map that is constantly filled and emptied rehashes every few
 * entries, and most lists here have one entry at a time.
 */
import { assert } from "../../base/assert.ts";

export class Numbered<T> {
  size = 0;
  /** Number of the first slot. */
  #first = 0;
  #slots: (T | undefined)[] = [];
  /** Slots in use; later ones are stale. */
  #length = 0;

  get(number: number): T | undefined {
    const i = number - this.#first;
    return i >= 0 && i < this.#length ? this.#slots[i] : undefined;
  }

  /** Numbers are consecutive. */
  add(number: number, one: T): void {
    if (this.size === 0) {
      this.#first = number;
      this.#length = 0;
    }
    assert(number === this.#first + this.#length, "numbers are consecutive");
    this.#slots[this.#length++] = one;
    this.size++;
  }

  delete(number: number): boolean {
    if (this.get(number) === undefined) return false;
    this.#slots[number - this.#first] = undefined;
    this.size--;
    return true;
  }

  /** The current items, in order. */
  values(): T[] {
    const all: T[] = [];
    for (let i = 0; i < this.#length; i++) {
      const one = this.#slots[i];
      if (one !== undefined) all.push(one);
    }
    return all;
  }
}
