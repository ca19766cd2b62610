/** The data lines of darshan-parser: one per counter. */
import { ascii, putFixed, putInt64, putUint64, type TextWriter } from "../../base/text-writer.ts";
import { LOW } from "../../base/words.ts";
import type { RecordBlock } from "./blocks.ts";
import { counterValues, uuid } from "./counter-values.ts";
import type { DarshanLog } from "./log.ts";
import type { Counter, ModuleSpec } from "./modules/index.ts";
import { decodeRecord } from "./records.ts";

const NEWLINE = 10;
const TAB = 9;
const EMPTY: Uint8Array = new Uint8Array(0);
const UNKNOWN = ascii("UNKNOWN");
const NOT_AVAILABLE = ascii("N/A");
const NO_NAME = ascii("(null)");

/**
 * Data lines. All lines of a record begin with `module rank id` and end with `name mount type`, so the end of
 * one line and the beginning of the next are copied as one piece from where they were last written.
 */
export class LineWriter {
  readonly #log: DarshanLog;
  readonly #spec: ModuleSpec;
  readonly #out: TextWriter;
  readonly #moduleText: Uint8Array;
  readonly #integerNames: readonly Uint8Array[];
  readonly #realNames: readonly Uint8Array[];
  /** Bytes that a record's lines take at most, without names. */
  readonly #recordBytes: number;
  readonly #fileIdName: Uint8Array | undefined;
  #joined: Uint8Array = EMPTY;
  #suffixBytes = 0;
  #syncTimes = false;

  constructor(log: DarshanLog, spec: ModuleSpec, out: TextWriter) {
    this.#log = log;
    this.#spec = spec;
    this.#out = out;
    this.#moduleText = ascii(`${spec.name}\t`);
    const named = (counter: Counter) => ascii(`${counter.name}\t`);
    this.#integerNames = spec.integers.map(named);
    this.#realNames = spec.reals.map(named);
    this.#recordBytes = (spec.integers.length + 2) * 80 + spec.reals.length * 400;
    this.#fileIdName = spec.integersAt === 3 ? ascii(`${spec.name}_FILE_REC_ID\t`) : undefined;
  }

  block(block: RecordBlock): void {
    const plain =
      (this.#spec.kind === "fixed" || this.#spec.kind === "headed") &&
      this.#spec.name !== "APMPI" &&
      !block.header;
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      if (plain) this.#counters(block, at);
      else this.#special(block, k, at);
    }
  }

  /** A record of counters only: the bulk of every log. */
  #counters(block: RecordBlock, at: number): void {
    const { u32, f64 } = block.views;
    const { integersAt, realsAt, integers, reals } = this.#spec;
    const integerNames = this.#integerNames;
    const realNames = this.#realNames;
    const out = this.#out;
    this.#join(block, at);
    const joined = this.#joined;
    const joinedBytes = joined.length;
    out.reserve(this.#recordBytes + (integers.length + reals.length + 2) * joinedBytes);
    const { bytes } = out;
    // The first copy goes in front of where the lines begin, and is not part of the output until it is
    // overwritten: the suffix part ends where the first line starts.
    let to = out.at;
    bytes.set(joined.subarray(this.#suffixBytes), to);
    to += joinedBytes - this.#suffixBytes;
    let piece = -1;
    const total = integers.length + reals.length;
    for (let i = 0; i < total; i++) {
      const real = i >= integers.length;
      const name = (real ? realNames[i - integers.length] : integerNames[i]) as Uint8Array;
      for (let b = 0; b < name.length; b++) bytes[to++] = name[b] as number;
      if (real) to = putFixed(bytes, to, f64[at + realsAt + i - integers.length] as number, 6);
      else {
        const word = 2 * (at + integersAt + i);
        const low = u32[word + LOW] as number;
        const high = u32[word + 1 - LOW] as number;
        if (high === 0 && low < 10) bytes[to++] = 48 + low;
        else
          to = (integers[i] as Counter).unsigned
            ? putUint64(bytes, to, low, high)
            : putInt64(bytes, to, low, high);
      }
      if (piece < 0) {
        piece = to;
        bytes.set(joined, to);
      } else bytes.copyWithin(to, piece, piece + joinedBytes);
      to += joinedBytes;
    }
    if (this.#fileIdName !== undefined) {
      for (const byte of this.#fileIdName) bytes[to++] = byte;
      to = putUint64(bytes, to, u32[2 * (at + 2) + LOW] as number, u32[2 * (at + 2) + 1 - LOW] as number);
      bytes.copyWithin(to, piece, piece + joinedBytes);
      to += joinedBytes;
    }
    // The last line keeps its end but not the beginning of one more.
    out.at = to - (joinedBytes - this.#suffixBytes);
  }

  /** Sets the piece between two values: end of a line, beginning of the next. */
  #join(block: RecordBlock, at: number): void {
    const { u32 } = block.views;
    const low = u32[2 * at + LOW] as number;
    const high = u32[2 * at + 1 - LOW] as number;
    const [name, mount, type] = this.#identity(block, at, low, high);
    const suffixBytes = name.length + mount.length + type.length + 4;
    const needed = suffixBytes + this.#moduleText.length + 48;
    const bytes = this.#scratch(needed);
    let to = 0;
    for (const part of [name, mount, type]) {
      bytes[to++] = TAB;
      bytes.set(part, to);
      to += part.length;
    }
    bytes[to++] = NEWLINE;
    bytes.set(this.#moduleText, to);
    to += this.#moduleText.length;
    to = putInt64(bytes, to, u32[2 * (at + 1) + LOW] as number, u32[2 * (at + 1) + 1 - LOW] as number);
    bytes[to++] = TAB;
    to = putUint64(bytes, to, low, high);
    bytes[to++] = TAB;
    this.#joined = bytes.subarray(0, to);
    this.#suffixBytes = suffixBytes;
  }

  #room = new Uint8Array(4096);
  #scratch(length: number): Uint8Array {
    if (this.#room.length < length) this.#room = new Uint8Array(length * 2);
    return this.#room;
  }

  /** Name, mount point and file system type of a record as they are printed. */
  #identity(
    block: RecordBlock,
    at: number,
    low: number,
    high: number,
  ): readonly [Uint8Array, Uint8Array, Uint8Array] {
    const { name } = this.#spec;
    if (name === "APMPI" || name === "APXC") return [EMPTY, EMPTY, EMPTY];
    const found = this.#log.names.bytesOf(low, high);
    if (name === "DFS" || name === "DAOS") {
      const tail = 8 * (at + this.#spec.realsAt + this.#spec.reals.length);
      const { u8, u64 } = block.views;
      const container = `${uuid(u8, tail)}:${uuid(u8, tail + 16)}`;
      if (name === "DAOS")
        return [ascii(`${u64[tail / 8 + 4]}.${u64[tail / 8 + 5]}`), ascii(container), NOT_AVAILABLE];
      const named = isZero(u8, tail) || isZero(u8, tail + 16) ? UNKNOWN : ascii(container);
      return [found ?? NO_NAME, named, NOT_AVAILABLE];
    }
    if (found === undefined)
      return [name === "BG/Q" ? ascii("darshan-bgq-record") : NO_NAME, UNKNOWN, UNKNOWN];
    const mount = this.#log.job.mountOf(found);
    return [found, mount?.pathBytes ?? UNKNOWN, mount?.typeBytes ?? UNKNOWN];
  }

  /** Records with more than counters: one line at a time. */
  #special(block: RecordBlock, k: number, at: number): void {
    this.#join(block, at);
    const out = this.#out;
    const prefix = this.#joined.slice(this.#suffixBytes);
    const suffix = this.#joined.slice(0, this.#suffixBytes);
    const line = (counter: string, value: string | number | bigint | Uint8Array) => {
      out.raw(prefix);
      out.text(counter);
      out.byte(TAB);
      if (typeof value === "number") out.fixed(value, 6);
      else if (value instanceof Uint8Array) out.raw(value);
      else out.text(String(value));
      out.raw(suffix);
    };
    const record = decodeRecord(this.#spec, block, k);
    if (record.kind === "header") this.#syncTimes = record.syncFlag !== undefined && record.syncFlag !== 0;
    for (const [counter, value] of counterValues(this.#spec, record, this.#syncTimes)) line(counter, value);
  }
}
/** Of 16 bytes. */
function isZero(bytes: Uint8Array, at: number): boolean {
  for (let i = at; i < at + 16; i++) if (bytes[i] !== 0) return false;
  return true;
}
