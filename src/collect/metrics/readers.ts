/**
 * Who reads the page, and how far each reader has come. `rate()` and `increase()` of Prometheus count growth between two values that
 * they have seen: a series may grow only after every reader has seen where it began, and may go only after every reader has seen
 * where it ended.
 */

interface Reader {
  /** Samples that its last page had. */
  samples: number;
  atMs: number;
  reads: number;
  /** The round in which it read last. */
  round: number;
}

/** Prometheus takes a series without values for 5 minutes as gone; a reader that stays away for longer is not waited for. */
export const AWAY_MS = 300_000;
const READERS_MAX = 16;

export class PageReaders {
  readonly #nowMs: () => number;
  readonly #readers = new Map<string, Reader>();
  /** Samples so far; the page changes with each. */
  samples = 0;
  /** How often all readers have read the page. */
  rounds = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get nowMs(): number {
    return this.#nowMs();
  }

  /** A reader has got the page of this many samples. */
  hasRead(name: string, samples: number): void {
    const reads = 1 + (this.#readers.get(name)?.reads ?? 0);
    // The latest reader is the last of the map.
    this.#readers.delete(name);
    this.#readers.set(name, { samples, atMs: this.#nowMs(), reads, round: this.rounds });
    if (this.#readers.size > READERS_MAX) this.#readers.delete(this.#readers.keys().next().value as string);
    if (this.#all((reader) => reader.round === this.rounds)) this.rounds++;
  }

  /** Whether all readers have got what changed with the sample after the first `samples`; false when nobody reads. */
  allHave(samples: number): boolean {
    return this.#all((reader) => reader.samples > samples);
  }

  /** Somebody who looked only once is not waited for. */
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
