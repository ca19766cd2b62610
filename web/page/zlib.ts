/** zlib and gzip without Node: pako's engine, step by step (docs/decisions/0011-pako.md). */
import {
  Deflate,
  deflateRaw as pakoDeflateRaw,
  Z_DATA_ERROR,
  Z_FINISH,
  Z_NEED_DICT,
  Z_OK,
  Z_STREAM_END,
  Z_SYNC_FLUSH,
  ZStream,
  zlibInflate,
  zlibInflateInit2,
  zlibInflateReset,
} from "pako";
import { AssertionError } from "../../src/base/assert.ts";
import type { Codec } from "../../src/base/codec.ts";
import { GzipStream } from "../../src/base/gzip-stream.ts";
import type { ByteSource } from "../../src/base/source.ts";
import type { WriteOptions } from "../../src/formats/darshan/writer.ts";
import { type InflateEngine, steppedCodec } from "../../src/base/stepped-inflate.ts";

/** Base two logarithm of the window; 16 more means a gzip header and trailer. */
const ZLIB_WINDOW = 15;
const GZIP_WINDOW = 31;

class PakoEngine implements InflateEngine {
  failure: string | undefined;
  /** Whether the stream has come to its end. */
  ended = false;
  readonly #stream = new ZStream();

  constructor(windowBits: number) {
    zlibInflateInit2(this.#stream, windowBits);
  }

  get outputLeft(): number {
    return this.#stream.avail_out;
  }

  get inputLeft(): number {
    return this.#stream.avail_in;
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
    const stream = this.#stream;
    stream.input = input;
    stream.next_in = inputAt;
    stream.avail_in = inputLength;
    stream.output = output as Uint8Array<ArrayBuffer>;
    stream.next_out = outputAt;
    stream.avail_out = outputLength;
    const status = zlibInflate(stream, last ? Z_FINISH : Z_SYNC_FLUSH);
    if (status === Z_STREAM_END) this.ended = true;
    else if (status === Z_NEED_DICT) this.failure = "Missing dictionary";
    else if (status === Z_DATA_ERROR) this.failure = stream.msg;
    else if (last && status !== Z_OK) this.failure = "unexpected end of file";
  }

  /** A step that takes nothing and makes nothing. */
  protected rest(inputLength: number, outputLength: number): void {
    this.#stream.avail_in = inputLength;
    this.#stream.avail_out = outputLength;
  }

  reset(): void {
    zlibInflateReset(this.#stream);
    this.failure = undefined;
    this.ended = false;
  }
}

export const zlibCodec: Codec = steppedCodec(() => new PakoEngine(ZLIB_WINDOW));

/** As zlib does it, byte for byte. */
export const deflateRaw = (bytes: Uint8Array): Uint8Array => pakoDeflateRaw(bytes, { level: 6 });

/** Writers of logs; bzip2 is not made here. */
export const encoders: WriteOptions["encoders"] = {
  zlib(emit) {
    const deflate = new Deflate({ level: 6 });
    deflate.onData = (bytes: Uint8Array) => emit(bytes);
    return {
      write: (plain) => void deflate.push(plain, false),
      end: () => void deflate.push(new Uint8Array(0), true),
    };
  },
  bzip2() {
    throw new AssertionError("pages write zlib only");
  },
};

const GZIP_MAGIC = 0x1f;

/** Members of a gzip file one after another, as Node's engine takes them. */
class MembersEngine extends PakoEngine {
  constructor() {
    super(GZIP_WINDOW);
  }

  override step(...[input, inputAt, inputLength, output, outputAt, outputLength, last]: Step): void {
    if (this.ended) {
      if (inputLength === 0 || input[inputAt] !== GZIP_MAGIC) {
        this.rest(inputLength, outputLength);
        return;
      }
      this.reset();
    }
    super.step(input, inputAt, inputLength, output, outputAt, outputLength, last);
  }
}

type Step = Parameters<InflateEngine["step"]>;

/** Unpacks a gzip file of any size from front to back. */
export const gzipStream = (source: ByteSource, keepGoing: boolean): GzipStream =>
  new GzipStream(source, new MembersEngine(), keepGoing);

interface GunzipOptions {
  readonly bytesMax: number;
  /** Of a file that was cut off, take what is there. */
  readonly allowCut: boolean;
}

const FIRST_BYTES = 1 << 16;

/** All members of a gzip file, one after another. Undefined when there is more than `bytesMax`; throws on damage. */
export function gunzip(input: Uint8Array, { bytesMax, allowCut }: GunzipOptions): Uint8Array | undefined {
  const engine = new PakoEngine(GZIP_WINDOW);
  let plain = new Uint8Array(Math.min(bytesMax + 1, Math.max(FIRST_BYTES, 4 * input.length)));
  let filled = 0;
  let at = 0;
  while (at < input.length || !engine.ended) {
    engine.step(input, at, input.length - at, plain, filled, plain.length - filled, false);
    if (engine.failure !== undefined) throw new Error(engine.failure);
    at = input.length - engine.inputLeft;
    filled = plain.length - engine.outputLeft;
    if (filled > bytesMax) return undefined;
    if (engine.ended) {
      // Padding with zeros may follow the last member.
      if (input[at] !== 0x1f) break;
      engine.reset();
    } else if (engine.outputLeft === 0) {
      const larger = new Uint8Array(Math.min(bytesMax + 1, 2 * plain.length));
      larger.set(plain);
      plain = larger;
    } else if (at === input.length) {
      if (allowCut) break;
      throw new Error("unexpected end of file");
    }
  }
  return plain.subarray(0, filled);
}
