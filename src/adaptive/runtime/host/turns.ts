/** At most this many tasks per target at a time; the others wait in order. */
import { assert } from "../../../base/assert.ts";

export class Turns {
  readonly #max: number;
  readonly #running: number[];
  readonly #waiting: (() => void)[][];

  constructor(targets: number, max: number) {
    this.#max = max;
    this.#running = Array.from({ length: targets }, () => 0);
    this.#waiting = Array.from({ length: targets }, () => []);
  }

  async run<T>(target: number, task: () => Promise<T>): Promise<T> {
    assert(this.#running[target] !== undefined, "a turn belongs to a target of the run");
    if ((this.#running[target] as number) >= this.#max)
      await new Promise<void>((resolve) => this.#waiting[target]?.push(resolve));
    else this.#running[target] = (this.#running[target] as number) + 1;
    try {
      return await task();
    } finally {
      const running = this.#running[target] as number;
      assert(running > 0 && running <= this.#max, "no more tasks have a turn than allowed");
      const next = this.#waiting[target]?.shift();
      // Hands over the turn, so that no other task can overtake.
      if (next !== undefined) next();
      else this.#running[target] = running - 1;
    }
  }
}
