/** Lanes: calls of one group that overlap get numbers of their own, the lowest that is free when they start. */
import { MinHeap } from "../../base/min-heap.ts";

export class Lanes {
  readonly #busy = new MinHeap();
  readonly #free = new MinHeap();
  #count = 0;

  /** Starts must not fall. What ends when the next starts is over by then. */
  take(startNs: number, endNs: number): number {
    while (this.#busy.least <= startNs) {
      const lane = this.#busy.pop();
      this.#free.push(lane, lane);
    }
    const lane = this.#free.size > 0 ? this.#free.pop() : this.#count++;
    this.#busy.push(endNs, lane);
    return lane;
  }
}
