/** Values of a permanent series: 0 until every reader of the page has seen it, then all growth since. */
import { addValues, type Values } from "./operations.ts";
import { AWAY_MS, type PageReaders } from "./readers.ts";

export class ShownValues {
  readonly values: Values;
  readonly #readers: PageReaders;
  readonly #since: number;
  readonly #sinceMs: number;
  #waiting: Values | undefined;

  constructor(readers: PageReaders, length: number) {
    this.#readers = readers;
    this.#since = readers.samples;
    this.#sinceMs = readers.nowMs;
    this.values = new Array(length).fill(0n);
    this.#waiting = new Array(length).fill(0n);
  }

  add(more: Values): void {
    addValues(this.#waiting ?? this.values, more);
  }

  /** Called with every sample, before `add`: publishes values that every reader is ready for. */
  settle(): void {
    if (this.#waiting === undefined) return;
    // Later readers start from the current value.
    const isLate = this.#readers.nowMs - this.#sinceMs >= AWAY_MS;
    if (!isLate && !this.#readers.allHave(this.#since)) return;
    addValues(this.values, this.#waiting);
    this.#waiting = undefined;
  }
}
