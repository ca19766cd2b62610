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
import { type Codec, type DecodedStream, wholeStreamCodec } from "../base/codec.ts";
import { type InflateEngine, steppedCodec } from "../base/stepped-inflate.ts";

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

/** Node's engine with its state: [output bytes left, input bytes left] after a step. */
export class NodeEngine implements InflateEngine {
  failure: string | undefined;
  readonly #engine: ZlibEngine;
  readonly #state: Uint32Array;

  constructor(engine: ZlibEngine, state: Uint32Array) {
    this.#engine = engine;
    this.#state = state;
    engine.onerror = (message) => {
      this.failure = message;
    };
  }

  get outputLeft(): number {
    return this.#state[0] as number;
  }

  get inputLeft(): number {
    return this.#state[1] as number;
  }

  step(
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
    last: boolean,
  ): void {
    const flush = last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    this.#engine.writeSync(flush, input, inputAt, inputLength, output, outputAt, outputLength);
  }

  reset(): void {
    this.#engine.reset();
    this.failure = undefined;
  }

  close(): void {
    this.#engine.close();
  }
}

/** The engine of a stream that Node made, such as `createGunzip()`; undefined where Node has no such step. */
export function engineOf(made: object): NodeEngine | undefined {
  const stream = made as { _handle?: ZlibEngine; _writeState?: Uint32Array };
  const engine = stream._handle;
  const state = stream._writeState;
  if (
    typeof engine?.writeSync !== "function" ||
    typeof engine.reset !== "function" ||
    !(state instanceof Uint32Array)
  )
    return undefined;
  return new NodeEngine(engine, state);
}

/** Only where `probe` has seen the engine work. */
const steppedZlib: Codec = steppedCodec(() => engineOf(createInflate()) as NodeEngine);

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
    const engine = engineOf(createInflate());
    if (engine === undefined) return false;
    const stream = deflateSync(Uint8Array.from([1, 2, 3, 4, 5, 6, 7]));
    const output = new Uint8Array(16);
    engine.step(Buffer.concat([stream, stream]), 0, stream.length * 2, output, 2, 10, false);
    const whole =
      engine.outputLeft === 3 && engine.inputLeft === stream.length && output[2] === 1 && output[8] === 7;
    engine.reset();
    engine.step(stream, 0, stream.length - 1, output, 0, 16, true);
    return whole && engine.failure !== undefined;
  } catch {
    return false;
  }
}

export const hasSteppedZlib: boolean = probe();

/** The zlib codec of this Node. */
export const zlibCodec: Codec = hasSteppedZlib ? steppedZlib : wholeZlib;
