/**
 * bzip2 decoding by pulling: one block is held at a time, and the byte runs that can make 60 MB of a few bytes
 * are spelled out only as far as the caller asks.
 */
import type { Codec, PlainReader } from "../codec.ts";
import { FormatError } from "../errors.ts";
import type { ByteSource } from "../source.ts";
import { BitInput, InputEnd } from "./bits.ts";
import { Damage, makeWorkspace, readBlock, type Workspace } from "./block.ts";
import {
  BLOCK_MAGIC_HIGH,
  BLOCK_MAGIC_LOW,
  BLOCK_UNIT,
  CRC_START,
  crcCombine,
  crcUpdate,
  END_MAGIC_HIGH,
  END_MAGIC_LOW,
  RUN_START,
  STREAM_MAGIC,
} from "./format.ts";

const idle: Workspace[] = [];
/** Enough for a caller that reads two regions side by side; more would only keep memory. */
const IDLE_MAX = 2;
/** Output is checksummed in slices that are still in the fastest cache. */
const SLICE_BYTES = 1 << 14;

class Bzip2Reader implements PlainReader {
  readonly #source: ByteSource;
  readonly #label: string;
  readonly #input: BitInput;
  #work: Workspace | undefined;
  #failure: unknown;
  /** Largest block of the open stream; 0 between streams. */
  #blockMax = 0;
  #streams = 0;
  #streamCrc = 0;
  /** The block being spelled: entries left, the next one, and the checksum so far and as stored. */
  #left = 0;
  #next = 0;
  #crc = CRC_START;
  #storedCrc = 0;
  /** The last byte, how often it came in a row (up to four), and how often it is still to be repeated. */
  #byte = -1;
  #run = 0;
  #repeat = 0;

  constructor(source: ByteSource, offset: number, length: number, label: string) {
    this.#source = source;
    this.#label = label;
    this.#work = idle.pop() ?? makeWorkspace();
    this.#input = new BitInput(source, offset, length, this.#work.window);
  }

  get position(): number {
    return this.#input.position;
  }

  read(into: Uint8Array, from: number, to: number): number {
    // A caller that carries on after a failure must not take it for the end of the region.
    if (this.#failure !== undefined) throw this.#failure;
    const work = this.#work;
    if (work === undefined) return 0;
    try {
      let at = from;
      while (at < to) {
        if (this.#left === 0 && this.#repeat === 0 && !this.#nextBlock(work)) {
          if (at === from) this.close();
          break;
        }
        const sliceEnd = Math.min(to, at + SLICE_BYTES);
        const spelled = this.#spell(work.entries, into, at, sliceEnd);
        this.#crc = crcUpdate(this.#crc, into, at, spelled);
        at = spelled;
        if (this.#left === 0 && this.#repeat === 0) this.#endBlock();
      }
      return at - from;
    } catch (cause) {
      this.#failure = this.#explain(cause);
      this.close();
      throw this.#failure;
    }
  }

  close(): void {
    if (this.#work === undefined) return;
    if (idle.length < IDLE_MAX) idle.push(this.#work);
    this.#work = undefined;
  }

  /** Opens the next block, over ends and starts of streams; false at the end of the region. */
  #nextBlock(work: Workspace): boolean {
    const input = this.#input;
    for (;;) {
      if (this.#blockMax === 0) {
        if (input.done) return false;
        this.#startStream();
      }
      const high = input.take(24);
      const low = input.take(24);
      if (high === BLOCK_MAGIC_HIGH && low === BLOCK_MAGIC_LOW) break;
      if (high !== END_MAGIC_HIGH || low !== END_MAGIC_LOW)
        throw new Damage("neither a block nor the end of the stream");
      if (this.#takeCrc() !== this.#streamCrc) throw new Damage("the checksum of the stream does not match");
      input.align();
      this.#blockMax = 0;
    }
    this.#storedCrc = this.#takeCrc();
    const { size, first } = readBlock(input, work, this.#blockMax);
    this.#left = size;
    this.#next = first;
    this.#crc = CRC_START;
    this.#byte = -1;
    this.#run = 0;
    return true;
  }

  #startStream(): void {
    const magic = this.#input.take(24);
    const level = this.#input.take(8) - 0x30;
    if (magic !== STREAM_MAGIC || level < 1 || level > 9) {
      throw new Damage(this.#streams === 0 ? "not a bzip2 stream" : "bytes behind the last stream");
    }
    this.#streams++;
    this.#streamCrc = 0;
    this.#blockMax = level * BLOCK_UNIT;
  }

  #takeCrc(): number {
    const high = this.#input.take(16);
    return (high << 16) | this.#input.take(16);
  }

  /** Writes bytes of the block to into[from, to); returns where it stopped. */
  #spell(entries: Int32Array, into: Uint8Array, from: number, to: number): number {
    let left = this.#left;
    let next = this.#next;
    let last = this.#byte;
    let run = this.#run;
    let at = from;
    for (;;) {
      if (this.#repeat > 0) {
        const end = Math.min(to, at + this.#repeat);
        this.#repeat -= end - at;
        into.fill(last, at, end);
        at = end;
      }
      while (at < to && left > 0 && run < RUN_START) {
        const entry = entries[next]!;
        const byte = entry & 255;
        next = entry >>> 8;
        left--;
        run = byte === last ? run + 1 : 1;
        last = byte;
        into[at++] = byte;
      }
      if (run < RUN_START || at === to || left === 0) break;
      const entry = entries[next]!;
      next = entry >>> 8;
      left--;
      this.#repeat = entry & 255;
      // The byte behind the count starts over, even when it is the same one.
      run = 0;
    }
    this.#left = left;
    this.#next = next;
    this.#byte = last;
    this.#run = run;
    return at;
  }

  #endBlock(): void {
    if (this.#run === RUN_START) throw new Damage("a block ends where the count of a run should be");
    if (~this.#crc !== this.#storedCrc) throw new Damage("the checksum of a block does not match");
    this.#streamCrc = crcCombine(this.#streamCrc, this.#storedCrc);
  }

  #explain(cause: unknown): unknown {
    const place = { offset: this.position };
    if (cause instanceof InputEnd && cause.missing > 0) {
      return new FormatError(
        this.#source.name,
        place,
        `${this.#label}: the file ends ${cause.missing} bytes early`,
      );
    }
    if (!(cause instanceof InputEnd || cause instanceof Damage)) return cause;
    return new FormatError(
      this.#source.name,
      place,
      `${this.#label}: damaged bzip2 data (${cause.message})`,
      { cause },
    );
  }
}

/**
 * bzip2, one or more whole streams end to end. Checks every checksum, holds one block whatever the size of the
 * region or of its text, and keeps its buffers for the next reader. Bytes are given before the checksum of their
 * block is seen, so only the read that returns 0 says that all was well.
 */
export const bzip2Codec: Codec = {
  open: (source, offset, length, label) => new Bzip2Reader(source, offset, length, label),
};
