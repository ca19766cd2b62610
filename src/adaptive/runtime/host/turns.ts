/** At most this many tasks per target at a time; the others wait in order. */
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
    if ((this.#running[target] as number) >= this.#max)
      await new Promise<void>((resolve) => this.#waiting[target]?.push(resolve));
    else this.#running[target] = (this.#running[target] as number) + 1;
    try {
      return await task();
    } finally {
      const next = this.#waiting[target]?.shift();
      // The turn is handed on, so that nobody can come in between.
      if (next !== undefined) next();
      else this.#running[target] = (this.#running[target] as number) - 1;
    }
  }
}
