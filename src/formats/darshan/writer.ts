/**
 * Writes logs of format 3.41 that Darshan's own tools accept. Regions go out in order as they come (job,
 * names, modules by rising slot); the header is put at the front when all are there.
 */
import { assert } from "../../base/assert.ts";
import { UsageError } from "../../base/errors.ts";
import { type ByteSource, bytesSource } from "../../base/source.ts";
import { HOST_LITTLE_ENDIAN, LOW, swapWords, viewWords, type WordViews } from "../../base/words.ts";
import { RecordBlock, swapRecord } from "./blocks.ts";
import type { SegmentBlock, TraceRecord } from "./dxt.ts";
import { COMPRESSIONS, type Compression, MAGIC, NEW_LAYOUT } from "./header.ts";
import { JOB_BYTES_MAX, JOB_RECORD_BYTES, JOB_TEXT_BYTES_MAX, METADATA_BYTES } from "./job.ts";
import { COMPONENT_WORDS, type ModuleSpec, type RecordVersion } from "./modules/index.ts";
import { type DarshanRecord, encodeRecord, encodeTrace, type TraceObject } from "./records.ts";

/** Where a log goes: bytes one after another, then the header over the room that was left at the front. */
export interface LogSink {
  append(bytes: Uint8Array): void;
  /** Puts `bytes` at offset 0. */
  replaceStart(bytes: Uint8Array): void;
}

/** Makes one stream: plain bytes in, compressed bytes to `emit`, at the latest at the end. */
export interface StreamEncoder {
  write(plain: Uint8Array): void;
  end(): void;
}
export type Encoder = (emit: (bytes: Uint8Array) => void) => StreamEncoder;

export interface WriteOptions {
  readonly compression?: Compression;
  readonly bigEndian?: boolean;
  /** Start a new stream in a region once one holds this many plain bytes; a record is never cut. */
  readonly streamBytes?: number;
  readonly encoders: { readonly zlib: Encoder; readonly bzip2: Encoder };
}

export interface JobFacts {
  readonly uid: bigint | number;
  readonly startSeconds: bigint | number;
  readonly startNanoseconds?: bigint | number;
  readonly endSeconds: bigint | number;
  readonly endNanoseconds?: bigint | number;
  readonly nprocs: bigint | number;
  readonly jobId: bigint | number;
  /** Text of lines `key=value`, or pairs. */
  readonly metadata?: readonly (readonly [string, string])[] | Uint8Array;
  readonly commandLine: string | Uint8Array;
  readonly mounts?: readonly { readonly type: string | Uint8Array; readonly path: string | Uint8Array }[];
}

/** Whether the record at word `at` of a block is written. */
type KeepRecord = (block: RecordBlock, at: number) => boolean;

/** A module region that is being written: blocks as the reader gives them, or objects. */
interface ModuleRegion {
  block(block: RecordBlock, keep?: KeepRecord): void;
  segments(block: SegmentBlock): void;
  record(record: DarshanRecord | TraceObject): void;
  /** `incomplete` sets the flag "data is incomplete" after all. */
  end(incomplete?: boolean): void;
}

interface RegionWriter {
  write(plain: Uint8Array): void;
  /** A place where a new stream may begin. */
  cut(): void;
  end(): { readonly start: number; readonly length: number };
}

export class LogWriter {
  readonly #sink: LogSink;
  readonly #compression: Compression;
  readonly #bigEndian: boolean;
  readonly #streamBytes: number;
  readonly #encoder: Encoder;
  readonly #header = new DataView(new ArrayBuffer(NEW_LAYOUT.byteLength));
  #position = NEW_LAYOUT.byteLength;
  #slot = -2;
  /** What had to be cut to fit, in words. */
  readonly warnings: string[] = [];

  constructor(sink: LogSink, options: WriteOptions) {
    this.#sink = sink;
    this.#compression = options.compression ?? "zlib";
    this.#bigEndian = options.bigEndian ?? false;
    this.#streamBytes = options.streamBytes ?? Number.POSITIVE_INFINITY;
    this.#encoder = this.#compression === "none" ? storedEncoder : options.encoders[this.#compression];
    sink.append(new Uint8Array(NEW_LAYOUT.byteLength));
  }

  /** The job region; first of all calls. Text that does not fit is cut: first mounts are dropped, then the command line. */
  job(facts: JobFacts): void {
    assert(this.#slot === -2, "the job comes first");
    this.#slot = -1;
    const plain = new Uint8Array(JOB_BYTES_MAX);
    const view = new DataView(plain.buffer);
    const words = [
      facts.uid,
      facts.startSeconds,
      facts.startNanoseconds ?? 0,
      facts.endSeconds,
      facts.endNanoseconds ?? 0,
      facts.nprocs,
      facts.jobId,
    ];
    words.forEach((word, index) => {
      view.setBigInt64(8 * index, BigInt(word), !this.#bigEndian);
    });
    plain.set(this.#metadata(facts.metadata ?? []), 56);
    const text = this.#jobText(facts);
    plain.set(text, JOB_RECORD_BYTES);
    // An uncompressed log has exactly 4096 bytes here.
    const length = this.#compression === "none" ? JOB_BYTES_MAX : JOB_RECORD_BYTES + text.length + 1;
    const region = this.#openRegion();
    region.write(plain.subarray(0, length));
    region.end();
  }

  /** The name region. Names may not hold a NUL byte. */
  names(entries: Iterable<{ readonly id: bigint; readonly name: string | Uint8Array }>): void {
    assert(this.#slot === -1, "names come after the job and before the modules");
    this.#slot = 0;
    const room = new Uint8Array(1 << 16);
    const region = this.#openRegion();
    let at = 0;
    const flush = () => {
      region.write(room.slice(0, at));
      at = 0;
      region.cut();
    };
    for (const { id, name } of entries) {
      const bytes = toBytes(name);
      if (bytes.includes(0))
        throw new UsageError(`a record name with a NUL byte cannot be stored (record ${id})`);
      const entry = new Uint8Array(8 + bytes.length + 1);
      new DataView(entry.buffer).setBigUint64(0, id, !this.#bigEndian);
      entry.set(bytes, 8);
      if (at + entry.length > room.length) flush();
      if (entry.length > room.length) region.write(entry);
      else {
        room.set(entry, at);
        at += entry.length;
      }
    }
    if (at > 0) flush();
    const { start, length } = region.end();
    if (length > 0) this.#map(NEW_LAYOUT.namesAt, start, length);
  }

  /** One module from records as objects. */
  module(spec: ModuleSpec, records: Iterable<DarshanRecord | TraceObject>, partial = false): void {
    const region = this.begin(spec, partial);
    for (const record of records) region.record(record);
    region.end();
  }

  /**
   * Opens the region of a module; modules come in rising slot order, one at a time. `partial` is the flag "data
   * is incomplete". The region must be ended before anything else is written.
   */
  begin(spec: ModuleSpec, partial = false): ModuleRegion {
    const slot = spec.slots[2];
    assert(this.#slot >= 0 && slot >= this.#slot, `${spec.name}: modules come in rising slot order`);
    this.#slot = slot + 1;
    const region = this.#openRegion();
    return {
      block: (block, keep = () => true) => this.#block(region, spec, block, keep),
      segments: (block) => this.#segments(region, block),
      record: (record) => {
        if ("host" in record) this.#segments(region, encodeTrace(record));
        else {
          const words = encodeRecord(spec, record);
          this.#block(
            region,
            spec,
            new RecordBlock(words, 1, words.f64.length, undefined, record.kind === "header"),
            () => true,
          );
        }
      },
      end: (incomplete = false) => {
        const { start, length } = region.end();
        if (length > 0) {
          this.#map(NEW_LAYOUT.modulesAt + 16 * slot, start, length);
          this.#header.setUint32(NEW_LAYOUT.versionsAt + 4 * slot, spec.version, !this.#bigEndian);
        }
        if (partial || incomplete) this.#setPartial(slot);
      },
    };
  }

  /** A module that nobody knows: its plain bytes as they are. */
  opaque(slot: number, version: number, plain: Uint8Array, partial = false): void {
    assert(
      this.#slot >= 0 && slot >= this.#slot && slot < NEW_LAYOUT.slots,
      "modules come in rising slot order",
    );
    this.#slot = slot + 1;
    const region = this.#openRegion();
    region.write(plain);
    const { start, length } = region.end();
    this.#map(NEW_LAYOUT.modulesAt + 16 * slot, start, length);
    this.#header.setUint32(NEW_LAYOUT.versionsAt + 4 * slot, version, !this.#bigEndian);
    if (partial) this.#setPartial(slot);
  }

  /** Puts the header in place; returns the length of the log. */
  finish(): number {
    assert(this.#slot >= 0, "a log has a job and names");
    const bytes = new Uint8Array(this.#header.buffer);
    bytes.set(new TextEncoder().encode("3.41"));
    this.#header.setBigInt64(8, MAGIC, !this.#bigEndian);
    this.#header.setUint8(16, COMPRESSIONS.indexOf(this.#compression));
    this.#sink.replaceStart(bytes);
    return this.#position;
  }

  #metadata(metadata: readonly (readonly [string, string])[] | Uint8Array): Uint8Array {
    const bytes =
      metadata instanceof Uint8Array
        ? metadata
        : toBytes(metadata.map(([key, value]) => `${key}=${value}\n`).join(""));
    if (bytes.length < METADATA_BYTES) return bytes;
    // Whole lines only, so that what stays is still `key=value`.
    const end = bytes.lastIndexOf(10, METADATA_BYTES - 2);
    this.warnings.push(`metadata of ${bytes.length} bytes truncated to ${end + 1}`);
    return bytes.subarray(0, end + 1);
  }

  #jobText(facts: JobFacts): Uint8Array {
    const command = toBytes(facts.commandLine);
    const mounts = (facts.mounts ?? []).map(({ type, path }) =>
      concat([Uint8Array.of(10), toBytes(type), Uint8Array.of(9), toBytes(path)]),
    );
    let room = JOB_TEXT_BYTES_MAX;
    const parts = [command];
    if (command.length > room) {
      const marker = toBytes("<TRUNCATED>");
      parts[0] = concat([command.subarray(0, room - marker.length), marker]);
      this.warnings.push(`a command line of ${command.length} bytes truncated to ${room}`);
    }
    room -= (parts[0] as Uint8Array).length;
    let dropped = 0;
    for (const mount of mounts) {
      if (dropped === 0 && mount.length <= room) {
        parts.push(mount);
        room -= mount.length;
      } else dropped++;
    }
    if (dropped > 0)
      this.warnings.push(`${dropped} of ${mounts.length} mount entries do not fit and were dropped`);
    return concat(parts);
  }

  /** A region of one or more streams. A stream is opened by its first byte, so a region without content stays empty. */
  #openRegion(): RegionWriter {
    const start = this.#position;
    const emit = (bytes: Uint8Array) => {
      this.#sink.append(bytes);
      this.#position += bytes.length;
    };
    let current: StreamEncoder | undefined;
    let plainBytes = 0;
    const endStream = () => {
      current?.end();
      current = undefined;
      plainBytes = 0;
    };
    return {
      write: (plain) => {
        if (plain.length === 0) return;
        current ??= this.#encoder(emit);
        current.write(plain);
        plainBytes += plain.length;
      },
      cut: () => {
        if (plainBytes >= this.#streamBytes) endStream();
      },
      end: () => {
        endStream();
        return { start, length: this.#position - start };
      },
    };
  }

  #block(region: RegionWriter, spec: ModuleSpec, block: RecordBlock, keep: KeepRecord): void {
    const layout = (block.header ? spec.header : spec.versions[spec.version]) as RecordVersion;
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      if (!keep(block, at)) continue;
      const words = spec.kind === "lustre" ? lustreWords(block.views, at) : block.wordsOf(k);
      const copy = viewWords(block.views.u8.slice(8 * at, 8 * (at + words)).buffer);
      if (this.#bigEndian === HOST_LITTLE_ENDIAN) swapOut(spec, layout, copy);
      region.write(copy.u8);
      region.cut();
    }
  }

  #segments(region: RegionWriter, block: SegmentBlock): void {
    const swap = this.#bigEndian === HOST_LITTLE_ENDIAN;
    const { record } = block;
    const total = record.writes + record.reads;
    // Records without segments are not written.
    if (total === 0) return;
    if (block.first === 0) region.write(traceHeader(record, swap));
    const words = viewWords(new ArrayBuffer(40 * block.count));
    for (let s = 0; s < block.count; s++) {
      const from = block.at + s * block.stride;
      words.u64.set(block.views.u64.subarray(from, from + block.stride), 5 * s);
    }
    if (swap) swapWords(words.u32, 0, words.f64.length);
    region.write(words.u8);
    if (block.first + block.count === total) region.cut();
  }

  #map(at: number, offset: number, length: number): void {
    this.#header.setBigUint64(at, BigInt(offset), !this.#bigEndian);
    this.#header.setBigUint64(at + 8, BigInt(length), !this.#bigEndian);
  }

  #setPartial(slot: number): void {
    const flags = this.#header.getBigUint64(NEW_LAYOUT.partialAt, !this.#bigEndian) | (1n << BigInt(slot));
    this.#header.setBigUint64(NEW_LAYOUT.partialAt, flags, !this.#bigEndian);
  }
}

const storedEncoder: Encoder = (emit) => ({ write: emit, end: () => {} });

function lustreWords(views: WordViews, at: number): number {
  return 4 + COMPONENT_WORDS * Number(views.i64[at + 2]) + Number(views.i64[at + 3]);
}

/** Into the other byte order; the inverse of what the reader does. */
function swapOut(spec: ModuleSpec, layout: RecordVersion, record: WordViews): void {
  if (spec.kind !== "lustre") {
    swapRecord(record, 0, record.f64.length, layout);
    return;
  }
  const components = Number(record.i64[2]);
  let from = 0;
  for (let c = 0; c < components; c++) {
    const pool = 4 + COMPONENT_WORDS * c + 7;
    swapWords(record.u32, from, pool);
    from = pool + 2;
  }
  swapWords(record.u32, from, record.f64.length);
}

function traceHeader(record: TraceRecord, swap: boolean): Uint8Array {
  const words = viewWords(new ArrayBuffer(8 * 13));
  words.u32[LOW] = record.idLow;
  words.u32[1 - LOW] = record.idHigh;
  words.i64[1] = record.rank;
  words.u8.set(record.hostBytes.subarray(0, 64), 24);
  words.i64[11] = BigInt(record.writes);
  words.i64[12] = BigInt(record.reads);
  if (swap) {
    swapWords(words.u32, 0, 3);
    swapWords(words.u32, 11, 13);
  }
  return words.u8;
}

function toBytes(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A log in memory, from counters that another format has. Uncompressed, so that nobody has to pass encoders. */
export function logInMemory(name: string, write: (writer: LogWriter) => void): ByteSource {
  const sink = memorySink();
  const none: Encoder = () => ({ write() {}, end() {} });
  const writer = new LogWriter(sink, { compression: "none", encoders: { zlib: none, bzip2: none } });
  write(writer);
  writer.finish();
  return bytesSource(sink.bytes(), name);
}

/** A sink that keeps the log in memory. */
export function memorySink(): LogSink & { bytes(): Uint8Array } {
  const parts: Uint8Array[] = [];
  return {
    append: (bytes) => void parts.push(bytes.slice()),
    replaceStart: (bytes) => void (parts[0] = bytes.slice()),
    bytes: () => concat(parts),
  };
}
