/** Numbers with a number each, the smallest first. */
import { withRoom } from "./room.ts";

export class MinHeap {
  #keys = new Float64Array(16);
  #values = new Float64Array(16);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The smallest key; infinite when there is none. */
  get least(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#keys[0] as number);
  }

  push(key: number, value: number): void {
    if (this.#size === this.#keys.length) this.#grow();
    const [keys, values] = [this.#keys, this.#values];
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((keys[parent] as number) <= key) break;
      keys[at] = keys[parent] as number;
      values[at] = values[parent] as number;
      at = parent;
    }
    keys[at] = key;
    values[at] = value;
  }

  /** Takes the smallest key away and gives its value; there must be one. */
  pop(): number {
    const [keys, values] = [this.#keys, this.#values];
    const taken = values[0] as number;
    const size = --this.#size;
    const [key, value] = [keys[size] as number, values[size] as number];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && (keys[child + 1] as number) < (keys[child] as number)) child++;
      if ((keys[child] as number) >= key) break;
      keys[at] = keys[child] as number;
      values[at] = values[child] as number;
      at = child;
    }
    keys[at] = key;
    values[at] = value;
    return taken;
  }

  #grow(): void {
    this.#keys = withRoom(this.#keys, 2 * this.#keys.length);
    this.#values = withRoom(this.#values, 2 * this.#values.length);
  }
}
