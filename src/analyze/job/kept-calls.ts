/** Single calls of a trace in columns that grow, in order of time at the end. */
import { sortPairs } from "../../base/radix-sort.ts";
import type { TraceCalls } from "../../model/index.ts";

export class KeptCalls {
  count = 0;
  #numbers = new Float64Array(4 * 1024);
  #whole = new Uint32Array(3 * 1024);

  push(
    start: number,
    end: number,
    bytes: number,
    offset: number,
    rank: number,
    file: number,
    layer: number,
    isWrite: boolean,
  ): void {
    if (4 * this.count === this.#numbers.length) {
      const numbers = new Float64Array(2 * this.#numbers.length);
      numbers.set(this.#numbers);
      this.#numbers = numbers;
      const whole = new Uint32Array(2 * this.#whole.length);
      whole.set(this.#whole);
      this.#whole = whole;
    }
    const at = 4 * this.count;
    this.#numbers[at] = start;
    this.#numbers[at + 1] = end;
    this.#numbers[at + 2] = bytes;
    this.#numbers[at + 3] = offset;
    const to = 3 * this.count;
    this.#whole[to] = rank;
    this.#whole[to + 1] = file;
    this.#whole[to + 2] = 2 * layer + (isWrite ? 1 : 0);
    this.count++;
  }

  clear(): void {
    this.count = 0;
    this.#numbers = new Float64Array(4);
    this.#whole = new Uint32Array(3);
  }

  /** Sorted by start; files by their place among those that are shown. */
  finish(places: ReadonlyMap<number, number>, others: number): TraceCalls {
    const { count } = this;
    const order = new Float64Array(2 * count);
    for (let i = 0; i < count; i++) {
      order[2 * i] = this.#numbers[4 * i] as number;
      order[2 * i + 1] = i;
    }
    sortPairs(order);
    const number = (field: number) =>
      Float64Array.from(
        { length: count },
        (_, i) => this.#numbers[4 * (order[2 * i + 1] as number) + field] as number,
      );
    const whole = (field: number) => (i: number) =>
      this.#whole[3 * (order[2 * i + 1] as number) + field] as number;
    const [rank, file, kind] = [whole(0), whole(1), whole(2)];
    return {
      count,
      startSeconds: number(0),
      endSeconds: number(1),
      bytes: number(2),
      offset: number(3).map((offset) => (Number.isFinite(offset) ? offset : Number.NaN)),
      rank: Uint32Array.from({ length: count }, (_, i) => rank(i)),
      file: Uint32Array.from({ length: count }, (_, i) => places.get(file(i)) ?? others),
      layer: Uint8Array.from({ length: count }, (_, i) => kind(i) >> 1),
      write: Uint8Array.from({ length: count }, (_, i) => kind(i) & 1),
    };
  }
}
