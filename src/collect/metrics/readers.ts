/**
 * Readers of the page and their progress. `rate()` and `increase()` of Prometheus count growth between two values that
 * they have seen: a series may grow only after every reader has seen its first value, and may end only after every
 * reader has seen its last value.
 */

interface Reader {
  /** Number of samples in its last page. */
  samples: number;
  atMs: number;
  reads: number;
  /** Round of its last read. */
  round: number;
}

/** Prometheus drops a series after 5 minutes without values; a reader that stays away longer is forgotten. */
export const AWAY_MS = 300_000;
const READERS_MAX = 16;

export class PageReaders {
  readonly #nowMs: () => number;
  readonly #readers = new Map<string, Reader>();
  /** Samples so far; the page changes with each. */
  samples = 0;
  /** Rounds in which all readers have read the page. */
  rounds = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get nowMs(): number {
    return this.#nowMs();
  }

  /** A reader has received the page of this many samples. */
  hasRead(name: string, samples: number): void {
    const reads = 1 + (this.#readers.get(name)?.reads ?? 0);
    // The latest reader is the last of the map.
    this.#readers.delete(name);
    this.#readers.set(name, { samples, atMs: this.#nowMs(), reads, round: this.rounds });
    if (this.#readers.size > READERS_MAX) this.#readers.delete(this.#readers.keys().next().value as string);
    if (this.#all((reader) => reader.round === this.rounds)) this.rounds++;
  }

  /** Whether all readers have received the change of the sample after the first `samples`; false without readers. */
  allHave(samples: number): boolean {
    return this.#all((reader) => reader.samples > samples);
  }

  /** A reader that came only once is ignored. */
  #all(is: (reader: Reader) => boolean): boolean {
    const earliestMs = this.#nowMs() - AWAY_MS;
    let regular = 0;
    for (const [name, reader] of this.#readers) {
      if (reader.atMs < earliestMs) this.#readers.delete(name);
      else if (reader.reads > 1) {
        if (!is(reader)) return false;
        regular++;
      }
    }
    return regular > 0;
  }
}
