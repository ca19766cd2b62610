/** The writes in flight on one target, by the virtual service at which they end: a binary heap of typed arrays. */
import { assert } from "../../../base/assert.ts";

export class WriteEnds {
  size = 0;
  #keys = new Float64Array(4);
  #tokens = new Int32Array(4);
  #epochs = new Int32Array(4);

  /** Service at which the next write ends; Infinity without writes. */
  get first(): number {
    return this.size === 0 ? Number.POSITIVE_INFINITY : (this.#keys[0] as number);
  }

  get firstToken(): number {
    return this.#tokens[0] as number;
  }

  get firstEpoch(): number {
    return this.#epochs[0] as number;
  }

  push(key: number, token: number, epoch: number): void {
    assert(!Number.isNaN(key), "a write has a service at which it ends");
    if (this.size === this.#keys.length) this.#grow();
    let place = this.size++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if ((this.#keys[parent] as number) <= key) break;
      this.#copy(parent, place);
      place = parent;
    }
    this.#put(place, key, token, epoch);
  }

  /** Drops the first. */
  shift(): void {
    assert(this.size > 0, "no more writes end than began");
    const before = this.first;
    const last = --this.size;
    if (last === 0) return;
    const key = this.#keys[last] as number;
    const token = this.#tokens[last] as number;
    const epoch = this.#epochs[last] as number;
    let place = 0;
    for (let child = 1; child < last; child = 2 * place + 1) {
      if (child + 1 < last && (this.#keys[child + 1] as number) < (this.#keys[child] as number)) child++;
      if ((this.#keys[child] as number) >= key) break;
      this.#copy(child, place);
      place = child;
    }
    this.#put(place, key, token, epoch);
    assert(this.first >= before, "writes end in the order of their service");
  }

  #copy(from: number, to: number): void {
    this.#put(to, this.#keys[from] as number, this.#tokens[from] as number, this.#epochs[from] as number);
  }

  #put(place: number, key: number, token: number, epoch: number): void {
    this.#keys[place] = key;
    this.#tokens[place] = token;
    this.#epochs[place] = epoch;
  }

  #grow(): void {
    const length = 2 * this.#keys.length;
    const keys = new Float64Array(length);
    const tokens = new Int32Array(length);
    const epochs = new Int32Array(length);
    keys.set(this.#keys);
    tokens.set(this.#tokens);
    epochs.set(this.#epochs);
    this.#keys = keys;
    this.#tokens = tokens;
    this.#epochs = epochs;
  }
}
