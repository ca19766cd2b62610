/** Values of a series that is always there: 0 until every reader of the page has seen that, then all that has come since. */
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

  /** With every sample, before `add`: shows what has waited for long enough. */
  settle(): void {
    if (this.#waiting === undefined) return;
    // Who begins to read later takes what is there as the beginning.
    const isLate = this.#readers.nowMs - this.#sinceMs >= AWAY_MS;
    if (!isLate && !this.#readers.allHave(this.#since)) return;
    addValues(this.values, this.#waiting);
    this.#waiting = undefined;
  }
}
