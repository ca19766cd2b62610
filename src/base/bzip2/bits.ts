/**
 * A region of a source as bits, high bit first.
 *
 * Bytes are copied into a window of our own, because the source may overwrite its view while a caller reads
 * elsewhere between two pulls. Behind the last byte of the region the window holds zeros, so a tight loop may
 * run past the end without looking and ask `overrun` afterwards.
 */
import type { ByteSource } from "../source.ts";

const WINDOW_BYTES = 1 << 16;
/** More than a group of the longest codes (125 bytes) and the bytes already in the bit buffer. */
export const LOOKAHEAD_BYTES = 192;

/** A window for `BitInput`; it is passed in so that it can be used again. */
export function makeWindow(): Uint8Array {
  return new Uint8Array(WINDOW_BYTES + LOOKAHEAD_BYTES);
}

/** The input ran out; `missing` counts the bytes of the region that the source does not have. */
export class InputEnd extends Error {
  readonly missing: number;

  constructor(missing: number) {
    super("the input ends inside a stream");
    this.missing = missing;
  }
}

/** The public fields are the bit buffer, which the block decoder keeps in locals during its inner loop. */
export class BitInput {
  window: Uint8Array;
  /** The next byte of the window to enter `bits`, and the end of the real bytes in the window. */
  at = 0;
  limit = 0;
  /** The low `count` bits of `bits` come next. */
  bits = 0;
  count = 0;
  readonly #source: ByteSource;
  readonly #end: number;
  /** Offset in the source of the window's first byte. */
  #base: number;
  #ended = false;

  constructor(source: ByteSource, offset: number, length: number, window: Uint8Array) {
    this.#source = source;
    this.#base = offset;
    this.#end = offset + length;
    this.window = window;
  }

  /** Offset in the source behind the last byte of which a bit was taken. */
  get position(): number {
    return this.#base + Math.min(this.at - (this.count >> 3), this.limit);
  }

  /** True when every byte of the region was taken. */
  get done(): boolean {
    return this.position === this.#end;
  }

  /** True when bits behind the last byte were taken. */
  get overrun(): boolean {
    return this.at > this.limit && (this.at - this.limit) * 8 > this.count;
  }

  /** The error for an overrun. */
  inputEnd(): InputEnd {
    return new InputEnd(this.#end - this.#base - this.limit);
  }

  /** Takes `width` bits, at most 24; throws `InputEnd` when fewer are left. */
  take(width: number): number {
    if (this.count < width) {
      if (this.limit - this.at < 4) this.fill();
      do {
        this.bits = (this.bits << 8) | this.window[this.at++]!;
        this.count += 8;
      } while (this.count < width);
    }
    this.count -= width;
    if (this.overrun) throw this.inputEnd();
    return (this.bits >>> this.count) & ((1 << width) - 1);
  }

  /** Drops the bits up to the next whole byte. */
  align(): void {
    this.count &= ~7;
  }

  /** Makes sure that `LOOKAHEAD_BYTES` can be taken from the window: real ones, or zeros behind the last. */
  fill(): void {
    if (this.#ended) return;
    const { window } = this;
    window.copyWithin(0, this.at, this.limit);
    this.#base += this.at;
    this.limit -= this.at;
    this.at = 0;
    while (this.limit < LOOKAHEAD_BYTES) {
      const from = this.#base + this.limit;
      const wanted = Math.min(this.#end - from, WINDOW_BYTES - this.limit);
      const bytes = wanted > 0 ? this.#source.read(from, wanted) : undefined;
      if (bytes === undefined || bytes.length === 0) {
        this.#ended = true;
        window.fill(0, this.limit, this.limit + LOOKAHEAD_BYTES);
        return;
      }
      window.set(bytes, this.limit);
      this.limit += bytes.length;
    }
  }
}
