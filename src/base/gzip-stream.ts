/**
 * A gzip file unpacked on the way from front to back, so that it may be larger than memory. Several members one after
 * another are one text, which is the engine's work. Going back to the beginning starts over; going back further than a line or so is slow.
 */
import { withRoom } from "./room.ts";
import { FormatError } from "./errors.ts";
import type { ByteSource } from "./source.ts";
import type { InflateEngine } from "./stepped-inflate.ts";

const PACKED_BYTES = 1 << 18;
/** What a failing step made is lost, so damage is met in steps of this size. */
const CAREFUL_BYTES = 1024;
const NO_INPUT = new Uint8Array(0);

/** Unpacks members one after another; consumes nothing of what is none. */
interface GzipEngine extends InflateEngine {
  failure: string | undefined;
}

export class GzipStream implements ByteSource {
  readonly name: string;
  /** Not known before the end. */
  readonly byteLength = Number.POSITIVE_INFINITY;
  /** Where the file stops within a member, in words; known once its end was read. */
  cut: string | undefined;
  readonly #source: ByteSource;
  readonly #keepGoing: boolean;
  readonly #engine: GzipEngine;
  /** Plain bytes from `#from` on, the first `#filled` of the buffer. */
  #buffer = new Uint8Array(4 * PACKED_BYTES);
  #from = 0;
  #filled = 0;
  #packed: Uint8Array = NO_INPUT;
  #packedAt = 0;
  #position = 0;
  #ended = false;

  constructor(source: ByteSource, engine: GzipEngine, keepGoing: boolean) {
    this.#keepGoing = keepGoing;
    this.name = source.name;
    this.#source = source;
    this.#engine = engine;
  }

  read(offset: number, length: number, reuse?: Uint8Array): Uint8Array {
    if (offset < this.#from) this.#restart();
    this.#forget(offset);
    this.#fill(length);
    const count = Math.min(length, this.#filled);
    const bytes =
      reuse !== undefined && reuse.length >= count ? reuse.subarray(0, count) : new Uint8Array(count);
    bytes.set(this.#buffer.subarray(0, count));
    return bytes;
  }

  #restart(): void {
    this.#engine.reset();
    this.#from = this.#filled = this.#position = this.#packedAt = 0;
    this.#packed = NO_INPUT;
    this.#ended = false;
  }

  #forget(offset: number): void {
    while (offset - this.#from > this.#filled && !this.#ended) {
      this.#from += this.#filled;
      this.#filled = 0;
      this.#fill(Math.min(offset - this.#from, this.#buffer.length));
    }
    const passed = Math.min(offset - this.#from, this.#filled);
    this.#buffer.copyWithin(0, passed, this.#filled);
    this.#filled -= passed;
    this.#from += passed;
  }

  /** Has `length` bytes in the buffer, fewer at the end. */
  #fill(length: number): void {
    if (length > this.#buffer.length)
      this.#buffer = withRoom(this.#buffer, Math.max(length, 2 * this.#buffer.length));
    while (this.#filled < length && !this.#ended) this.#step(length);
  }

  #step(length: number): void {
    if (this.#packedAt === this.#packed.length && !this.#refill()) {
      this.#finish();
      return;
    }
    const inputLength = this.#packed.length - this.#packedAt;
    const engine = this.#engine;
    const room = Math.min(length - this.#filled, this.#keepGoing ? CAREFUL_BYTES : length);
    engine.step(this.#packed, this.#packedAt, inputLength, this.#buffer, this.#filled, room, false);
    if (engine.failure !== undefined) {
      this.#fail(engine.failure);
      return;
    }
    const consumed = inputLength - engine.inputLeft;
    const made = room - engine.outputLeft;
    this.#packedAt += consumed;
    this.#filled += made;
    // Zeros behind the last member are padding; the engine takes nothing else for an end.
    if (consumed === 0 && made === 0) this.#ended = true;
  }

  #refill(): boolean {
    this.#packed = this.#source.read(this.#position, PACKED_BYTES);
    this.#packedAt = 0;
    this.#position += this.#packed.length;
    return this.#packed.length > 0;
  }

  /** The file is used up: takes what the engine still holds, and sees whether its last member is whole. */
  #finish(): void {
    if (this.#filled === this.#buffer.length) this.#fill(this.#filled + CAREFUL_BYTES);
    const engine = this.#engine;
    const room = this.#buffer.length - this.#filled;
    engine.step(NO_INPUT, 0, 0, this.#buffer, this.#filled, room, false);
    const held = room - engine.outputLeft;
    this.#filled += held;
    if (held > 0 && engine.failure === undefined) return;
    engine.step(NO_INPUT, 0, 0, this.#buffer, this.#filled, this.#buffer.length - this.#filled, true);
    this.#ended = true;
    if (engine.failure === undefined) return;
    engine.failure = undefined;
    this.cut = `the gzip file is cut off at byte ${this.#position}`;
  }

  /** Damage is an error, or with `keepGoing` the end. */
  #fail(reason: string): void {
    this.#engine.failure = undefined;
    this.#ended = true;
    const offset = this.#position - this.#packed.length + this.#packedAt;
    if (!this.#keepGoing) throw new FormatError(this.name, { offset }, `damaged gzip file: ${reason}`);
    this.cut = `damaged gzip file (${reason}) near byte ${offset}; what comes before is used`;
  }
}
