/** A trace file of the recorder: one process, read block by block. docs/formats/trace.md has the layout. */
import type { ByteSource } from "../../base/source.ts";
import { ACCESS_ERROR, type AccessSink } from "../../model/access-stream.ts";
import type { AccessFormat } from "../access-format.ts";
import { clockUncertaintyNs, isTrace, readHeader, type TraceHeader } from "./header.ts";
import {
  ACCESS_FLAGS,
  BYTE_ORDER_MARK,
  FILE_OTHER,
  FILE_SYSTEMS,
  FILE_UNKNOWN,
  HEADER_BYTES,
  KIND,
  NAME_PART_AT,
  NAME_PART_BYTES,
  RECORD_BYTES,
  RECORD_OUTER,
  RECORD_SHORT,
} from "./layout.ts";
import { type Counts, type TraceFacts, tellFacts } from "./notes.ts";

export const trace: AccessFormat = {
  id: "trace",
  label: "trace of plimsoll record",
  sequential: true,
  recognizes: (head) => isTrace(head),
  read: (source, sink) => tellFacts([readTrace(source, sink)], sink),
};

/** The accesses alone; what else there is to say comes back, so that the files of a folder can say it once. */
export function readTrace(source: ByteSource, sink: AccessSink): TraceFacts {
  return new TraceReader(source, sink).read();
}

/** 2 MiB at a time: larger blocks leave the cache of a core. */
const BLOCK_RECORDS = 1 << 16;
/** MPI_File_read, _at and _shared, and the same of write. */
const INDEPENDENT = new Set([33, 34, 37, 49, 50, 53]);
const TWO_32 = 4294967296;
const hostIsLittle = new Uint8Array(new Uint32Array([BYTE_ORDER_MARK]).buffer)[0] === 4;

class TraceReader {
  readonly #source: ByteSource;
  readonly #sink: AccessSink;
  readonly #header: TraceHeader;
  readonly #available: number;
  readonly #counts: Counts;
  /** What the sink calls a file; 0 until asked, else its number and 1. */
  readonly #files = new Uint32Array(65536);
  readonly #paths = new Map<number, { path: string; fileSystem?: string }>();
  #name:
    | { readonly file: number; readonly fileSystem: number; readonly bytes: Uint8Array; filled: number }
    | undefined;
  readonly #start = new Float64Array(BLOCK_RECORDS);
  readonly #end = new Float64Array(BLOCK_RECORDS);
  readonly #bytes = new Float64Array(BLOCK_RECORDS);
  readonly #moved = new Float64Array(BLOCK_RECORDS);
  readonly #owner = new Uint32Array(BLOCK_RECORDS);
  readonly #file = new Uint32Array(BLOCK_RECORDS);
  readonly #flags = new Uint8Array(BLOCK_RECORDS);
  readonly #baseHigh: number;
  readonly #baseLow: number;

  constructor(source: ByteSource, sink: AccessSink) {
    this.#source = source;
    this.#sink = sink;
    this.#header = readHeader(source);
    const { count, capacity, startMonotonic, realtimeOffset, pid, rank, host, command, comm } = this.#header;
    const inFile = Math.floor((source.byteLength - HEADER_BYTES) / RECORD_BYTES);
    const claimed = Math.min(count, capacity);
    this.#available = Math.min(claimed, inFile);
    this.#counts = {
      missing: claimed - this.#available,
      unwritten: 0,
      syncs: 0,
      syncNs: 0,
      maps: 0,
      mapBytes: 0,
      unknownKinds: 0,
    };
    this.#baseHigh = Number(startMonotonic >> 32n);
    this.#baseLow = Number(startMonotonic & 0xffffffffn);
    sink.clock({
      kind: "realtime",
      epochNs: startMonotonic + realtimeOffset,
      uncertaintyNs: clockUncertaintyNs(this.#header),
    });
    const program = command[0]?.split("/").at(-1) || comm;
    this.#owner.fill(
      sink.process({
        pid,
        ...(rank === undefined ? {} : { rank }),
        ...(host === "" ? {} : { host }),
        ...(program === "" ? {} : { program }),
      }),
    );
  }

  read(): TraceFacts {
    let buffer: Uint8Array | undefined;
    for (let done = 0; done < this.#available; ) {
      const wanted = Math.min(BLOCK_RECORDS, this.#available - done);
      buffer = this.#source.read(HEADER_BYTES + done * RECORD_BYTES, wanted * RECORD_BYTES, buffer);
      const got = Math.floor(buffer.length / RECORD_BYTES);
      if (got === 0) {
        // The file became shorter while it was read.
        this.#counts.missing += this.#available - done;
        break;
      }
      const bytes = this.#inHostOrder(buffer, got);
      // An access and the record that says what came back stay together.
      const last = (got - 1) * RECORD_BYTES;
      const split =
        got > 1 &&
        done + got < this.#available &&
        ((bytes[last + 5] as number) & RECORD_SHORT) !== 0 &&
        (bytes[last + 4] as number) <= KIND.accessLast;
      const count = split ? got - 1 : got;
      this.#take(bytes, count, got);
      done += count;
    }
    return { header: this.#header, counts: this.#counts };
  }

  /** Turns records of the other byte order, and moves those that no word view can cover. */
  #inHostOrder(buffer: Uint8Array, count: number): Uint8Array {
    const swapped = this.#header.littleEndian !== hostIsLittle;
    if (!swapped && buffer.byteOffset % 4 === 0) return buffer;
    const bytes = Uint8Array.from(buffer);
    if (!swapped) return bytes;
    for (let at = 0; at < count * RECORD_BYTES; at += RECORD_BYTES) {
      if (bytes[at + 4] === KIND.namePart) continue;
      bytes.subarray(at, at + 4).reverse();
      bytes.subarray(at + 6, at + 8).reverse();
      for (let word = at + 8; word < at + RECORD_BYTES; word += 8) bytes.subarray(word, word + 8).reverse();
    }
    return bytes;
  }

  /** `total` is how many records are in `bytes`, of which `count` are to be handed on. */
  #take(bytes: Uint8Array, count: number, total: number): void {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, total * 8);
    const [low, high] = hostIsLittle ? [0, 1] : [1, 0];
    const baseHigh = this.#baseHigh;
    const baseLow = this.#baseLow;
    const files = this.#files;
    let filled = 0;
    for (let i = 0; i < count; i++) {
      const at = i * 8;
      const kind = bytes[at * 4 + 4] as number;
      if (kind === KIND.none || kind > KIND.accessLast) {
        this.#takeOther(bytes, words, at, kind);
        continue;
      }
      const flags = bytes[at * 4 + 5] as number;
      const size = (words[at + 2 + low] as number) + ((words[at + 2 + high] as number) | 0) * TWO_32;
      this.#bytes[filled] = size;
      this.#start[filled] =
        ((words[at + 4 + high] as number) - baseHigh) * TWO_32 + ((words[at + 4 + low] as number) - baseLow);
      this.#end[filled] =
        ((words[at + 6 + high] as number) - baseHigh) * TWO_32 + ((words[at + 6 + low] as number) - baseLow);
      let moved = size;
      if ((flags & (RECORD_SHORT | ACCESS_ERROR | RECORD_OUTER)) !== 0 || kind >= KIND.mpiFirst)
        moved = movedOf(flags, kind, size, i + 1 < total ? words : undefined, bytes, at + 8);
      this.#moved[filled] = moved;
      this.#flags[filled] = flags & ACCESS_FLAGS;
      const file = hostIsLittle ? (words[at + 1] as number) >>> 16 : (words[at + 1] as number) & 0xffff;
      const known = files[file] as number;
      this.#file[filled] = known === 0 ? this.#fileOf(file) : known - 1;
      filled++;
    }
    if (filled === 0) return;
    this.#sink.block({
      count: filled,
      startNs: this.#start,
      endNs: this.#end,
      bytes: this.#bytes,
      movedBytes: this.#moved,
      process: this.#owner,
      file: this.#file,
      flags: this.#flags,
    });
  }

  #takeOther(bytes: Uint8Array, words: Uint32Array, at: number, kind: number): void {
    const counts = this.#counts;
    const low = hostIsLittle ? 0 : 1;
    const wide = (word: number) =>
      (words[at + word + low] as number) + (words[at + word + 1 - low] as number) * TWO_32;
    switch (kind) {
      case KIND.none:
        counts.unwritten++;
        return;
      case KIND.sync:
        counts.syncs++;
        counts.syncNs +=
          ((words[at + 7 - low] as number) - (words[at + 5 - low] as number)) * TWO_32 +
          ((words[at + 6 + low] as number) - (words[at + 4 + low] as number));
        return;
      case KIND.map:
        counts.maps++;
        counts.mapBytes += wide(2);
        return;
      case KIND.moved:
        return;
      case KIND.name: {
        const file = hostIsLittle ? (words[at + 1] as number) >>> 16 : (words[at + 1] as number) & 0xffff;
        this.#name = {
          file,
          fileSystem: wide(4),
          bytes: new Uint8Array(Math.min(words[at] as number, 65536)),
          filled: 0,
        };
        return;
      }
      case KIND.namePart:
        this.#takeName(bytes.subarray(at * 4 + NAME_PART_AT, at * 4 + NAME_PART_AT + NAME_PART_BYTES));
        return;
      default:
        counts.unknownKinds++;
    }
  }

  #takeName(part: Uint8Array): void {
    const name = this.#name;
    if (name === undefined) return;
    const left = name.bytes.length - name.filled;
    name.bytes.set(left < part.length ? part.subarray(0, left) : part, name.filled);
    name.filled += Math.min(left, part.length);
    if (name.filled < name.bytes.length) return;
    const fileSystem =
      FILE_SYSTEMS[name.fileSystem] ??
      (name.fileSystem === 0 ? undefined : `0x${name.fileSystem.toString(16)}`);
    this.#paths.set(name.file, {
      path: new TextDecoder().decode(name.bytes),
      ...(fileSystem === undefined ? {} : { fileSystem }),
    });
    this.#name = undefined;
  }

  #fileOf(file: number): number {
    const named = this.#paths.get(file);
    const id = this.#sink.file(
      named ?? {
        path: file === FILE_OTHER ? "(other files)" : file === FILE_UNKNOWN ? "" : `(file ${file})`,
      },
    );
    this.#files[file] = id + 1;
    return id;
  }
}

/**
 * An access of MPI-IO moves its bytes through calls within, which are recorded themselves; then it moved nothing of its
 * own. Without any, an independent one did it in a way that is not seen (asynchronous I/O of the C library), while the
 * bytes of a collective one may be moved by another process: NaN, not known.
 */
function movedOf(
  flags: number,
  kind: number,
  size: number,
  words: Uint32Array | undefined,
  bytes: Uint8Array,
  next: number,
): number {
  if ((flags & RECORD_OUTER) !== 0) return 0;
  if ((flags & ACCESS_ERROR) !== 0) return 0;
  if (kind >= KIND.mpiFirst) return INDEPENDENT.has(kind) ? size : Number.NaN;
  if ((flags & RECORD_SHORT) === 0) return size;
  if (words === undefined || bytes[next * 4 + 4] !== KIND.moved) return Number.NaN;
  const low = hostIsLittle ? 0 : 1;
  return (words[next + 2 + low] as number) + (words[next + 3 - low] as number) * TWO_32;
}
