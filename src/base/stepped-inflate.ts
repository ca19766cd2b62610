/**
 * Inflating step by step: regions of many zlib streams, any slice of input into any slice of output, without a copy
 * and without holding a stream. Whose engine does it is a parameter: Node's own, or one that runs in a browser.
 */
import { AssertionError } from "./assert.ts";
import type { Codec, PlainReader } from "./codec.ts";
import { FormatError } from "./errors.ts";
import type { ByteSource } from "./source.ts";

/** Inflates one stream; what follows its end is left alone. */
export interface InflateEngine {
  /** After a step: room left in the output, input that was not consumed, and what is wrong, if anything. */
  readonly outputLeft: number;
  readonly inputLeft: number;
  readonly failure: string | undefined;
  /** `last`: no input will follow, so that an unfinished stream is a failure. */
  step(
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
    last: boolean,
  ): void;
  /** Ready for a new stream, without a failure. */
  reset(): void;
}

/** A codec with this engine. Engines are kept and used again. */
export function steppedCodec(makeEngine: () => InflateEngine): Codec {
  const idle: InflateEngine[] = [];
  const pool = {
    take: () => idle.pop() ?? makeEngine(),
    give: (engine: InflateEngine) => void idle.push(engine),
  };
  return {
    open: (source, offset, length, label, careful = false) =>
      new SteppedReader(pool, source, offset, length, label, careful),
  };
}

interface Pool {
  take(): InflateEngine;
  give(engine: InflateEngine): void;
}

const NO_INPUT = new Uint8Array(0);
/** How much of the file one read of the source brings. */
const WINDOW_BYTES = 1 << 18;
/** What a failing step produced is lost, so a careful reader takes small ones. */
const CAREFUL_BYTES = 64;

class SteppedReader implements PlainReader {
  position: number;
  readonly #source: ByteSource;
  readonly #end: number;
  readonly #label: string;
  readonly #stepBytes: number;
  /** Damage seen after some bytes were already in hand: those are given first. */
  #damage: FormatError | undefined;
  readonly #pool: Pool;
  #engine: InflateEngine | undefined;
  #input: Uint8Array = NO_INPUT;
  #inputAt = 0;
  /** The first window, which later reads may fill again. */
  #window: Uint8Array | undefined;
  /** True while a stream has begun and its end has not been seen. */
  #open = false;

  constructor(
    pool: Pool,
    source: ByteSource,
    offset: number,
    length: number,
    label: string,
    careful: boolean,
  ) {
    this.#pool = pool;
    this.#source = source;
    this.#stepBytes = careful ? CAREFUL_BYTES : Number.MAX_SAFE_INTEGER;
    this.position = offset;
    this.#end = offset + length;
    this.#label = label;
    this.#engine = pool.take();
  }

  read(into: Uint8Array, from: number, to: number): number {
    // The engine does not check, and writing beyond the buffer ends the process.
    if (to > into.length) throw new AssertionError(`bytes up to ${to} of a buffer of ${into.length}`);
    if (this.#damage !== undefined) throw this.#damage;
    const engine = this.#engine;
    if (engine === undefined) return 0;
    let at = from;
    while (at < to) {
      const stepEnd = Math.min(to, at + this.#stepBytes);
      let produced: number;
      try {
        produced = this.#step(engine, into, at, stepEnd);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        this.close();
        this.#damage = error;
        if (at === from) throw error;
        return at - from;
      }
      if (produced < 0) {
        if (at === from) this.close();
        return at - from;
      }
      at += produced;
    }
    return at - from;
  }

  /** One call of the engine; returns how many bytes it made, -1 at the end of the region. */
  #step(engine: InflateEngine, into: Uint8Array, at: number, to: number): number {
    if (this.#inputAt === this.#input.length && !this.#refill()) {
      const produced = this.#open ? this.#finish(engine, into, at, to) : 0;
      return produced === 0 ? -1 : produced;
    }
    const inputLength = this.#input.length - this.#inputAt;
    engine.step(this.#input, this.#inputAt, inputLength, into, at, to - at, false);
    if (engine.failure !== undefined) this.#fail(engine.failure);
    const { outputLeft, inputLeft } = engine;
    const consumed = inputLength - inputLeft;
    const produced = to - at - outputLeft;
    this.#inputAt += consumed;
    this.position += consumed;
    if (inputLeft > 0 && (outputLeft > 0 || (consumed === 0 && produced === 0))) {
      // Input and room were left, so the stream has ended; what follows is the next one. An ended engine
      // neither consumes nor produces, which also shows an end that fell on the edge of a buffer.
      if (!this.#open && consumed === 0) this.#fail("not a zlib stream");
      engine.reset();
      this.#open = false;
    } else {
      this.#open = true;
    }
    return produced;
  }

  close(): void {
    if (this.#engine === undefined) return;
    this.#engine.reset();
    this.#pool.give(this.#engine);
    this.#engine = undefined;
  }

  #refill(): boolean {
    const left = this.#end - this.position;
    if (left === 0) return false;
    this.#input = this.#source.read(this.position, Math.min(left, WINDOW_BYTES), this.#window);
    this.#window ??= this.#input;
    this.#inputAt = 0;
    if (this.#input.length === 0) {
      throw new FormatError(
        this.#source.name,
        { offset: this.position },
        `${this.#label}: the file ends ${left} bytes early`,
      );
    }
    return true;
  }

  /** The region is used up: takes what the engine still holds, and makes sure that the stream ended. */
  #finish(engine: InflateEngine, into: Uint8Array, at: number, to: number): number {
    // A full buffer may have left bytes inside the engine, which a failing step would lose.
    engine.step(NO_INPUT, 0, 0, into, at, to - at, false);
    if (engine.failure !== undefined) this.#fail(engine.failure);
    const held = to - at - engine.outputLeft;
    if (held > 0) return held;
    engine.step(NO_INPUT, 0, 0, into, at, to - at, true);
    // The engine complains when the stream is not complete.
    if (engine.failure !== undefined) this.#fail("the last zlib stream is truncated");
    const produced = to - at - engine.outputLeft;
    if (produced < to - at) this.#open = false;
    return produced;
  }

  #fail(reason: string): never {
    throw new FormatError(
      this.#source.name,
      { offset: this.position },
      `${this.#label}: damaged zlib data (${reason})`,
    );
  }
}
