/** Values by how often they occur, as the recorder keeps them: the first 32 that come, of which four are stored. */

const TRACKED = 32;
const STORED = 4;

export class MostFrequent {
  readonly #counts = new Map<number, number>();

  add(value: number, count = 1): void {
    if (this.#counts.has(value) || this.#counts.size < TRACKED) this.put(value, count);
  }

  /** Adds without the limit, as the reduction over ranks does. */
  put(value: number, count: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
  }

  /** Up to four, by falling count, then by falling value. */
  top(): (readonly [value: number, count: number])[] {
    return [...this.#counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, STORED);
  }
}
