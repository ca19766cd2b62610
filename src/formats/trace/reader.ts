/** A trace file of the recorder: one process, read block by block. docs/formats/trace.md has the layout. */
import type { ByteSource } from "../../base/source.ts";
import {
  CALL_ERROR,
  CALL_NESTED,
  type CallBlock,
  type CallFile,
  type CallSink,
  type CallWords,
} from "../../model/index.ts";
import type { InputFormat } from "../input-format.ts";
import { AlikeCalls, endOfAlike } from "./alike.ts";
import { AppendedWrites } from "./appended-writes.ts";
import { isTrace, readHeader, type TraceHeader } from "./header.ts";
import { introduce, recordsIn, unnamedFile } from "./introduce.ts";
import {
  CALL_FLAGS,
  COUNTED_READS,
  COUNTED_WRITES,
  FILE_SYSTEMS,
  HEADER_BYTES,
  hostIsLittle,
  KIND,
  KIND_FLAGS,
  KIND_LAYERS,
  KERNEL_READS,
  KERNEL_WRITES,
  KIND_OPERATIONS,
  LIBRARY_ACCESSES,
  NAME_PART_AT,
  NAME_PART_BYTES,
  NO_OPERATION,
  RECORD_APPENDED,
  RECORD_BYTES,
  RECORD_OUTER,
  RECORD_SHORT,
  RECORD_WRITE,
} from "./layout.ts";
import { movedOf } from "./moved.ts";
import { type Counts, type TraceCounts, tellFacts } from "./notes.ts";

export const trace = {
  id: "trace",
  label: "trace of plimsoll record",
  sequential: true,
  recognizes: (head) => isTrace(head),
  calls: (source, sink) => tellFacts([readTrace(source, sink)], sink),
} satisfies InputFormat;

/** The accesses alone; what else there is to say comes back, so that the files of a folder can say it once. */
export function readTrace(source: ByteSource, sink: CallSink): TraceCounts {
  const header = readHeader(source);
  const { available, missing } = recordsIn(source, header);
  const into = {
    block: (block: CallBlock) => sink.block(block),
    file: (file: number, named: CallFile | undefined) => sink.file(named ?? unnamedFile(file)),
  };
  const reader = new RecordReader(source, header, introduce(header, sink), into);
  reader.read({ from: 0, to: available });
  reader.counts.missing += missing;
  return { header, counts: reader.counts };
}

/** Half a MiB at a time: with their columns, larger blocks leave the cache of a core. */
const BLOCK_RECORDS = 1 << 14;
const FIRST_BLOCK_RECORDS = 1 << 8;
const TWO_32 = 4294967296;
/** Rows that a loop fills faster than a call. */
const FEW = 16;
/** Fewer calls alike are not worth handing on as words. */
const MANY = 64;

/** Records [from, to) of a trace. */
export interface RecordRange {
  readonly from: number;
  readonly to: number;
}

/** The file's number in the trace, of the second word of a record. */
const fileIn = (word: number): number => (hostIsLittle ? word >>> 16 : word & 0xffff);

/** Who takes what the records of a trace say. */
interface RecordSink {
  block(block: CallBlock): void;
  /** Many calls alike come as words, if it takes those. */
  words?(calls: CallWords): void;
  /** The number of a file, asked once; `named` is what it was called so far. */
  file(file: number, named: CallFile | undefined): number;
}

/** A path or a mount, of which some bytes have come. */
interface PartialText {
  readonly kind: number;
  readonly number: number;
  readonly fileSystem: number;
  readonly mount: number;
  readonly bytes: Uint8Array;
  filled: number;
}

export class RecordReader {
  readonly #source: ByteSource;
  readonly #sink: RecordSink;
  readonly #littleEndian: boolean;
  readonly counts: Counts = {
    ...{ missing: 0, unwritten: 0, syncs: 0, syncNs: 0, metadata: 0, metadataNs: 0 },
    ...{ maps: 0, mapBytes: 0, unknownKinds: 0, seenRead: 0, seenWritten: 0, streamCalls: 0 },
    ...{ movedRead: 0, movedWritten: 0 },
  };
  /** Names that were read so far. */
  readonly names = new Map<number, CallFile>();
  /** What the sink calls a file; 0 until asked, else its number and 1. */
  readonly #files = new Uint32Array(65536);
  /** Type and place of mounts, by their number in the trace. */
  readonly #mounts = new Map<number, { readonly type: string; readonly path: string }>();
  /** A text whose parts come. */
  #text: PartialText | undefined;
  readonly #start = new Float64Array(BLOCK_RECORDS);
  readonly #end = new Float64Array(BLOCK_RECORDS);
  readonly #bytes = new Float64Array(BLOCK_RECORDS);
  readonly #moved = new Float64Array(BLOCK_RECORDS);
  readonly #owner = new Uint32Array(BLOCK_RECORDS);
  readonly #file = new Uint32Array(BLOCK_RECORDS);
  readonly #operation = new Uint8Array(BLOCK_RECORDS);
  readonly #layer = new Uint8Array(BLOCK_RECORDS);
  readonly #flags = new Uint8Array(BLOCK_RECORDS);
  readonly #alike = new Uint32Array(BLOCK_RECORDS);
  /** Only of traces that have offsets. */
  readonly #offset: Float64Array | undefined;
  readonly #movedByKind = new Float64Array(KIND.accessLast + 1);
  readonly #baseHigh: number;
  readonly #baseLow: number;
  readonly #calls: AlikeCalls;

  /** `process` is the number of the process that all accesses belong to. */
  constructor(source: ByteSource, header: TraceHeader, process: number, sink: RecordSink) {
    this.#source = source;
    this.#sink = sink;
    this.#littleEndian = header.littleEndian;
    this.#offset = header.version >= 2 ? new Float64Array(BLOCK_RECORDS) : undefined;
    this.#baseHigh = Number(header.startMonotonic >> 32n);
    this.#baseLow = Number(header.startMonotonic & 0xffffffffn);
    this.#calls = new AlikeCalls(this.#baseHigh, this.#baseLow, this.#offset !== undefined);
    this.#owner.fill(process);
  }

  read(range: RecordRange): void {
    this.#readRecords(range);
    const moved = (kinds: readonly number[]) =>
      kinds.reduce((sum, kind) => sum + (this.#movedByKind[kind] as number), 0);
    this.counts.seenRead = moved(COUNTED_READS);
    this.counts.seenWritten = moved(COUNTED_WRITES);
    this.counts.movedRead = moved(KERNEL_READS);
    this.counts.movedWritten = moved(KERNEL_WRITES);
    this.counts.streamCalls = moved(LIBRARY_ACCESSES);
  }

  #readRecords({ from, to }: RecordRange): void {
    let buffer: Uint8Array | undefined;
    // Small ones first: the engine makes loops fast once it has seen them to their end. Whoever wants offsets takes no words, and
    // offsets of appended writes are known within a block.
    let size = this.#sink.words === undefined ? BLOCK_RECORDS : FIRST_BLOCK_RECORDS;
    for (let done = from; done < to; size = Math.min(BLOCK_RECORDS, 2 * size)) {
      const wanted = Math.min(size, to - done);
      buffer = this.#source.read(HEADER_BYTES + done * RECORD_BYTES, wanted * RECORD_BYTES, buffer);
      const got = Math.floor(buffer.length / RECORD_BYTES);
      if (got === 0) {
        // The file became shorter while it was read.
        this.counts.missing += to - done;
        return;
      }
      const bytes = this.#inHostOrder(buffer, got);
      // An access and the record that says what came back stay together.
      const last = (got - 1) * RECORD_BYTES;
      const split =
        got > 1 &&
        done + got < to &&
        ((bytes[last + 5] as number) & RECORD_SHORT) !== 0 &&
        (bytes[last + 4] as number) <= KIND.accessLast;
      const count = split ? got - 1 : got;
      this.#take(bytes, count, got);
      done += count;
    }
  }

  /** Turns records of the other byte order, and moves those that no word view can cover. */
  #inHostOrder(buffer: Uint8Array, count: number): Uint8Array {
    const swapped = this.#littleEndian !== hostIsLittle;
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
    this.#handOn(this.#decode(bytes, words, count, total));
  }

  #handOn(filled: number): void {
    if (filled === 0) return;
    this.#sink.block({
      count: filled,
      startNs: this.#start,
      endNs: this.#end,
      bytes: this.#bytes,
      movedBytes: this.#moved,
      ...(this.#offset === undefined ? {} : { offset: this.#offset }),
      process: this.#owner,
      file: this.#file,
      operation: this.#operation,
      layer: this.#layer,
      flags: this.#flags,
      alike: this.#alike,
    });
  }

  /** Accesses to columns; returns how many there are. */
  #decode(bytes: Uint8Array, words: Uint32Array, count: number, total: number): number {
    const [low, high] = hostIsLittle ? [0, 1] : [1, 0];
    const [baseHigh, baseLow] = [this.#baseHigh, this.#baseLow];
    const [starts, ends, sizes, movedBytes] = [this.#start, this.#end, this.#bytes, this.#moved];
    const movedByKind = this.#movedByKind;
    const [offsets, alike] = [this.#offset, this.#alike];
    const takesWords = this.#sink.words !== undefined;
    let appended: AppendedWrites | undefined;
    let [filled, stretches] = [0, 0];
    // What the word of a record decides, for all that have the same one in turn.
    let [stretchFrom, stretchWord, stretchFile, isPlain, isAppended] = [0, -1, 0, false, false];
    for (let i = 0, at = 0; i < count; i++, at += 8) {
      const word = words[at + 1] as number;
      const kind = hostIsLittle ? word & 255 : word >>> 24;
      if (kind === KIND.none || kind > KIND.accessLast) {
        this.#takeOther(bytes, words, at, kind);
        const operation = KIND_OPERATIONS[kind] as number;
        if (operation === NO_OPERATION) continue;
        if (filled > stretchFrom) {
          alike[stretches++] = filled;
          this.#fillAlike(stretchFrom, filled, stretchWord, stretchFile);
        }
        this.#takeMetadata(words, at, filled++, operation, kind);
        alike[stretches++] = stretchFrom = filled;
        stretchWord = -1;
        continue;
      }
      const flags = hostIsLittle ? (word >>> 8) & 255 : (word >>> 16) & 255;
      if (word !== stretchWord) {
        if (filled > stretchFrom) {
          alike[stretches++] = filled;
          this.#fillAlike(stretchFrom, filled, stretchWord, stretchFile);
        }
        stretchFrom = filled;
        stretchWord = word;
        stretchFile = this.#numberOf(fileIn(word));
        isPlain = (flags & (RECORD_SHORT | CALL_ERROR | RECORD_OUTER)) === 0 && kind < KIND.mpiFirst;
        isAppended = (flags & RECORD_APPENDED) !== 0 && offsets !== undefined && (flags & CALL_ERROR) === 0;
        const alikeTo =
          isPlain && !isAppended && takesWords && (flags & CALL_NESTED) === 0
            ? endOfAlike(words, i, count)
            : i;
        if (alikeTo - i >= MANY) {
          // What comes before goes first.
          this.#handOn(filled);
          filled = stretches = stretchFrom = 0;
          appended = undefined;
          this.#handWords(words, i, alikeTo, stretchFile, kind);
          [i, at, stretchWord] = [alikeTo - 1, 8 * (alikeTo - 1), -1];
          continue;
        }
      }
      const top = words[at + 2 + high] as number;
      let size = words[at + 2 + low] as number;
      if (offsets === undefined) size += (top | 0) * TWO_32;
      else if (top >>> 31 === 1) offsets[filled] = (top & 0x7fffffff) * TWO_32 + (words[at] as number);
      else {
        size += top * TWO_32;
        offsets[filled] = Number.NaN;
      }
      sizes[filled] = size;
      starts[filled] =
        ((words[at + 4 + high] as number) - baseHigh) * TWO_32 + ((words[at + 4 + low] as number) - baseLow);
      ends[filled] =
        ((words[at + 6 + high] as number) - baseHigh) * TWO_32 + ((words[at + 6 + low] as number) - baseLow);
      const moved = isPlain
        ? size
        : movedOf(flags, kind, size, i + 1 < total ? words : undefined, bytes, at + 8);
      movedBytes[filled] = moved;
      movedByKind[kind] = (movedByKind[kind] as number) + moved;
      if (isAppended && offsets !== undefined)
        (appended ??= new AppendedWrites(offsets, movedBytes, starts, ends)).add(fileIn(word), filled);
      filled++;
    }
    if (filled > stretchFrom) {
      alike[stretches] = filled;
      this.#fillAlike(stretchFrom, filled, stretchWord, stretchFile);
    }
    return filled;
  }

  /** Accesses of one kind that moved what they asked for. */
  #handWords(words: Uint32Array, from: number, to: number, file: number, kind: number): void {
    this.#calls.set(words, from, to, file);
    this.#sink.words?.(this.#calls);
    this.#movedByKind[kind]! += this.#calls.bytes;
  }

  /** Columns of rows whose records have the same word: kind, flags and file. */
  #fillAlike(from: number, to: number, word: number, file: number): void {
    const kind = hostIsLittle ? word & 255 : word >>> 24;
    const flags = hostIsLittle ? (word >>> 8) & 255 : (word >>> 16) & 255;
    const [files, operations, layers, flagColumn] = [this.#file, this.#operation, this.#layer, this.#flags];
    const [operation, layer] = [flags & RECORD_WRITE, KIND_LAYERS[kind] as number];
    const ownFlags = (flags & CALL_FLAGS) | (KIND_FLAGS[kind] as number);
    if (to - from < FEW) {
      for (let row = from; row < to; row++) {
        files[row] = file;
        operations[row] = operation;
        layers[row] = layer;
        flagColumn[row] = ownFlags;
      }
      return;
    }
    files.fill(file, from, to);
    operations.fill(operation, from, to);
    layers.fill(layer, from, to);
    flagColumn.fill(ownFlags, from, to);
  }

  /** The bytes of such a record are an errno, a length or a count: no data moves. */
  #takeMetadata(words: Uint32Array, at: number, row: number, operation: number, kind: number): void {
    const low = hostIsLittle ? 0 : 1;
    const word = words[at + 1] as number;
    const since = (field: number) =>
      ((words[at + field + 1 - low] as number) - this.#baseHigh) * TWO_32 +
      ((words[at + field + low] as number) - this.#baseLow);
    this.#bytes[row] = 0;
    this.#moved[row] = 0;
    if (this.#offset !== undefined) this.#offset[row] = Number.NaN;
    this.#start[row] = since(4);
    this.#end[row] = since(6);
    this.#operation[row] = operation;
    this.#layer[row] = KIND_LAYERS[kind] as number;
    this.#flags[row] = (hostIsLittle ? (word >>> 8) & 255 : (word >>> 16) & 255) & CALL_FLAGS;
    this.#file[row] = this.#numberOf(fileIn(word));
  }

  #takeOther(bytes: Uint8Array, words: Uint32Array, at: number, kind: number): void {
    const { counts } = this;
    const low = hostIsLittle ? 0 : 1;
    const wide = (word: number) =>
      (words[at + word + low] as number) + (words[at + word + 1 - low] as number) * TWO_32;
    switch (kind) {
      case KIND.none:
        counts.unwritten++;
        return;
      case KIND.map:
        counts.maps++;
        counts.mapBytes += wide(2);
        return;
      case KIND.moved:
        return;
      case KIND.mount:
      case KIND.name: {
        const number = hostIsLittle ? (words[at + 1] as number) >>> 16 : (words[at + 1] as number) & 0xffff;
        this.#text = {
          ...{
            kind,
            number,
            fileSystem: words[at + 4 + low] as number,
            mount: words[at + 5 - low] as number,
          },
          bytes: new Uint8Array(Math.min(words[at] as number, 65536)),
          filled: 0,
        };
        return;
      }
      case KIND.namePart:
        this.#takePart(bytes.subarray(at * 4 + NAME_PART_AT, at * 4 + NAME_PART_AT + NAME_PART_BYTES));
        return;
      default: {
        if (KIND_OPERATIONS[kind] === NO_OPERATION) {
          counts.unknownKinds++;
          return;
        }
        // The fsync inside MPI_File_sync is a part of it.
        if (((bytes[at * 4 + 5] as number) & CALL_NESTED) !== 0) return;
        const took =
          ((words[at + 7 - low] as number) - (words[at + 5 - low] as number)) * TWO_32 +
          ((words[at + 6 + low] as number) - (words[at + 4 + low] as number));
        if (kind === KIND.sync) {
          counts.syncs++;
          counts.syncNs += took;
        } else {
          counts.metadata++;
          counts.metadataNs += took;
        }
      }
    }
  }

  #takePart(part: Uint8Array): void {
    const text = this.#text;
    if (text === undefined) return;
    const left = text.bytes.length - text.filled;
    text.bytes.set(left < part.length ? part.subarray(0, left) : part, text.filled);
    text.filled += Math.min(left, part.length);
    if (text.filled < text.bytes.length) return;
    this.#text = undefined;
    const whole = new TextDecoder().decode(text.bytes);
    if (text.kind === KIND.name) this.names.set(text.number, this.#named(whole, text));
    else {
      const [type = "", path = ""] = whole.split("\t");
      this.#mounts.set(text.number, { type, path });
    }
  }

  /** The type is as the mount says, else by the number that statfs gives. */
  #named(path: string, { fileSystem: type, mount: number }: PartialText): CallFile {
    const mount = this.#mounts.get(number);
    const fileSystem =
      mount?.type || FILE_SYSTEMS[type] || (type === 0 ? undefined : `0x${type.toString(16)}`);
    return {
      path,
      ...(fileSystem === undefined ? {} : { fileSystem }),
      ...(mount === undefined ? {} : { mount: mount.path }),
    };
  }

  #numberOf(file: number): number {
    const known = this.#files[file] as number;
    if (known > 0) return known - 1;
    const number = this.#sink.file(file, this.names.get(file));
    this.#files[file] = number + 1;
    return number;
  }
}
