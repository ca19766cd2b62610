/**
 * zlib for regions of many streams, synchronous and without a copy.
 *
 * `zlib.inflateSync` makes a new engine, a new buffer and an event emitter for every stream; with 2,048 streams
 * of 200 bytes in a region that costs three times the inflating itself, and it holds a whole stream in memory.
 * Node's engine object has a synchronous step underneath (`_handle.writeSync`, with its two results in
 * `_writeState`) that takes any slice of input and fills any slice of output. Widely used packages rely on
 * it, but it is not documented, so `steppedZlib` is only used after `probe` has seen it work on this Node;
 * otherwise `wholeZlib`, which needs nothing but documented calls, takes its place. Both pass the same tests.
 */
import { createInflate, deflateSync, inflateSync, constants } from "node:zlib";
import { AssertionError } from "../base/assert.ts";
import { type Codec, type DecodedStream, type PlainReader, wholeStreamCodec } from "../base/codec.ts";
import { FormatError } from "../base/errors.ts";
import type { ByteSource } from "../base/source.ts";

/** What is used of Node's engine objects; see the top of the file. */
export interface ZlibEngine {
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
  ): void;
  reset(): void;
  close(): void;
  onerror: (message: string) => void;
}

export interface Inflater {
  readonly engine: ZlibEngine;
  /** [output bytes left, input bytes left] after a step. */
  readonly state: Uint32Array;
  failure: string | undefined;
}

/** The engine of a stream that Node made, such as `createGunzip()`; undefined where Node has no such step. */
export function engineOf(made: object): Inflater | undefined {
  const stream = made as { _handle?: ZlibEngine; _writeState?: Uint32Array };
  const engine = stream._handle;
  const state = stream._writeState;
  if (
    typeof engine?.writeSync !== "function" ||
    typeof engine.reset !== "function" ||
    !(state instanceof Uint32Array)
  )
    return undefined;
  const inflater: Inflater = { engine, state, failure: undefined };
  engine.onerror = (message) => {
    inflater.failure = message;
  };
  return inflater;
}

const makeInflater = () => engineOf(createInflate());

const idle: Inflater[] = [];
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
  #inflater: Inflater | undefined;
  #input: Uint8Array = NO_INPUT;
  #inputAt = 0;
  /** The first window, which later reads may fill again. */
  #window: Uint8Array | undefined;
  /** True while a stream has begun and its end has not been seen. */
  #open = false;

  constructor(source: ByteSource, offset: number, length: number, label: string, careful: boolean) {
    this.#source = source;
    this.#stepBytes = careful ? CAREFUL_BYTES : Number.MAX_SAFE_INTEGER;
    this.position = offset;
    this.#end = offset + length;
    this.#label = label;
    this.#inflater = idle.pop() ?? makeInflater();
  }

  read(into: Uint8Array, from: number, to: number): number {
    // The engine does not check, and writing beyond the buffer ends the process.
    if (to > into.length) throw new AssertionError(`bytes up to ${to} of a buffer of ${into.length}`);
    if (this.#damage !== undefined) throw this.#damage;
    const inflater = this.#inflater;
    if (inflater === undefined) return 0;
    let at = from;
    while (at < to) {
      const stepEnd = Math.min(to, at + this.#stepBytes);
      let produced: number;
      try {
        produced = this.#step(inflater, into, at, stepEnd);
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
  #step(inflater: Inflater, into: Uint8Array, at: number, to: number): number {
    const { engine, state } = inflater;
    if (this.#inputAt === this.#input.length && !this.#refill()) {
      const produced = this.#open ? this.#finish(inflater, into, at, to) : 0;
      return produced === 0 ? -1 : produced;
    }
    const inputLength = this.#input.length - this.#inputAt;
    engine.writeSync(constants.Z_SYNC_FLUSH, this.#input, this.#inputAt, inputLength, into, at, to - at);
    if (inflater.failure !== undefined) this.#fail(inflater, inflater.failure);
    const outputLeft = state[0] as number;
    const inputLeft = state[1] as number;
    const consumed = inputLength - inputLeft;
    const produced = to - at - outputLeft;
    this.#inputAt += consumed;
    this.position += consumed;
    if (inputLeft > 0 && (outputLeft > 0 || (consumed === 0 && produced === 0))) {
      // Input and room were left, so the stream has ended; what follows is the next one. An ended engine
      // neither consumes nor produces, which also shows an end that fell on the edge of a buffer.
      if (!this.#open && consumed === 0) this.#fail(inflater, "not a zlib stream");
      engine.reset();
      this.#open = false;
    } else {
      this.#open = true;
    }
    return produced;
  }

  close(): void {
    if (this.#inflater === undefined) return;
    this.#inflater.engine.reset();
    idle.push(this.#inflater);
    this.#inflater = undefined;
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
  #finish(inflater: Inflater, into: Uint8Array, at: number, to: number): number {
    // A full buffer may have left bytes inside the engine, which a failing step would lose.
    inflater.engine.writeSync(constants.Z_SYNC_FLUSH, NO_INPUT, 0, 0, into, at, to - at);
    if (inflater.failure !== undefined) this.#fail(inflater, inflater.failure);
    const held = to - at - (inflater.state[0] as number);
    if (held > 0) return held;
    inflater.engine.writeSync(constants.Z_FINISH, NO_INPUT, 0, 0, into, at, to - at);
    // With Z_FINISH the engine complains when the stream is not complete.
    if (inflater.failure !== undefined) this.#fail(inflater, "the last zlib stream is truncated");
    const produced = to - at - (inflater.state[0] as number);
    if (produced < to - at) this.#open = false;
    return produced;
  }

  #fail(inflater: Inflater, reason: string): never {
    inflater.failure = undefined;
    throw new FormatError(
      this.#source.name,
      { offset: this.position },
      `${this.#label}: damaged zlib data (${reason})`,
    );
  }
}

const steppedZlib: Codec = {
  open: (source, offset, length, label, careful = false) =>
    new SteppedReader(source, offset, length, label, careful),
};

/** One stream by documented calls only. */
function inflateOne(input: Uint8Array, plainBytesMax: number): DecodedStream {
  try {
    const { buffer, engine } = inflateSync(input, {
      info: true,
      maxOutputLength: plainBytesMax,
    }) as unknown as {
      buffer: Uint8Array;
      engine: { bytesWritten: number };
    };
    return { plain: buffer, consumed: engine.bytesWritten };
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    if (code === "Z_BUF_ERROR")
      throw new Error("damaged zlib data (the last zlib stream is truncated)", { cause });
    if (code === "ERR_BUFFER_TOO_LARGE")
      throw new Error(`a zlib stream holds more than ${plainBytesMax} bytes`, { cause });
    throw new Error(`damaged zlib data (${message})`, { cause });
  }
}

export const wholeZlib: Codec = wholeStreamCodec(inflateOne, 1 << 30);

/** True when the undocumented step works as it should: two streams, fed byte by byte, into a small buffer. */
function probe(): boolean {
  try {
    const inflater = makeInflater();
    if (inflater === undefined) return false;
    const stream = deflateSync(Uint8Array.from([1, 2, 3, 4, 5, 6, 7]));
    const output = new Uint8Array(16);
    inflater.engine.writeSync(
      constants.Z_SYNC_FLUSH,
      Buffer.concat([stream, stream]),
      0,
      stream.length * 2,
      output,
      2,
      10,
    );
    const whole =
      inflater.state[0] === 3 && inflater.state[1] === stream.length && output[2] === 1 && output[8] === 7;
    inflater.engine.reset();
    inflater.engine.writeSync(constants.Z_FINISH, stream, 0, stream.length - 1, output, 0, 16);
    return whole && inflater.failure !== undefined;
  } catch {
    return false;
  }
}

export const hasSteppedZlib: boolean = probe();

/** The zlib codec of this Node. */
export const zlibCodec: Codec = hasSteppedZlib ? steppedZlib : wholeZlib;
