/** Plain bytes of a region on their way into word buffers, counted against the limits. */
import type { Codec, PlainReader } from "../../base/codec.ts";
import { FormatError, LimitError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { allocateWords, type WordViews } from "../../base/words.ts";
import type { Region } from "./header.ts";

/** Plain bytes of all regions of a log together. A region that is read again is not counted again. */
export class Budget {
  readonly plainBytesMax: number;
  #left: number;
  readonly #seen = new Map<number, number>();

  constructor(plainBytesMax: number) {
    this.plainBytesMax = plainBytesMax;
    this.#left = plainBytesMax;
  }

  /** Notes that the region at `offset` has given `given` bytes so far; false when that is too much. */
  allows(offset: number, given: number): boolean {
    const seen = this.#seen.get(offset) ?? 0;
    if (given > seen) {
      this.#left -= given - seen;
      this.#seen.set(offset, given);
    }
    return this.#left >= 0;
  }
}

/** The plain content of one region. Damage is kept until all bytes before it have been handed out. */
export class RegionReader {
  readonly label: string;
  readonly source: ByteSource;
  readonly offset: number;
  readonly #plain: PlainReader;
  readonly #budget: Budget;
  #damage: FormatError | undefined;
  #ended = false;
  /** Plain bytes handed out so far. */
  given = 0;

  constructor(
    codec: Codec,
    source: ByteSource,
    region: Region,
    label: string,
    budget: Budget,
    careful: boolean,
  ) {
    this.label = label;
    this.source = source;
    this.offset = region.offset;
    this.#budget = budget;
    this.#plain = codec.open(source, region.offset, region.length, label, careful);
  }

  /** Fills `into` from `from` up to `to` as far as the region goes; returns the new end. */
  fill(into: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && !this.#ended) {
      let count = 0;
      try {
        count = this.#plain.read(into, at, to);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        this.#damage = error;
      }
      if (count === 0) this.#ended = true;
      at += count;
      this.given += count;
      if (!this.#budget.allows(this.offset, this.given)) {
        this.close();
        throw new LimitError(
          this.source.name,
          { offset: this.#plain.position },
          `${this.label}: more than ${this.#budget.plainBytesMax} plain bytes in the log (--max-plain-bytes)`,
        );
      }
    }
    return at;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Throws the damage that ended the region early, if any. */
  throwDamage(): void {
    if (this.#damage !== undefined) throw this.#damage;
  }

  /** An error about the record at plain byte `at`, placed where the reader stands in the file. */
  error(at: number, detail: string): FormatError {
    return new FormatError(
      this.source.name,
      { offset: this.#plain.position },
      `${this.label}: plain byte ${at}: ${detail}`,
    );
  }

  limit(at: number, detail: string): LimitError {
    return new LimitError(
      this.source.name,
      { offset: this.#plain.position },
      `${this.label}: plain byte ${at}: ${detail}`,
    );
  }

  close(): void {
    this.#ended = true;
    this.#plain.close();
  }
}

/** Word buffers are large and short-lived; a few of each size wait here for the next region. */
const SMALL_WORDS = 1 << 13;
const BLOCK_WORDS = 1 << 15;
const idle: WordViews[][] = [[], []];

/** A buffer for a region of `compressedBytes`. */
export function takeBuffer(compressedBytes: number): WordViews {
  const small = compressedBytes <= 8192;
  return idle[small ? 0 : 1]?.pop() ?? allocateWords(small ? SMALL_WORDS : BLOCK_WORDS);
}

export function giveBuffer(views: WordViews): void {
  const list =
    views.f64.length === SMALL_WORDS ? idle[0] : views.f64.length === BLOCK_WORDS ? idle[1] : undefined;
  if (list !== undefined && list.length < 4) list.push(views);
}
