/**
 * The stream of calls: single I/O calls of any origin (DXT, recordings, strace, fio, CSV, Parquet, the writer, the simulator),
 * handed out block by block, since traces can be larger than memory. Readers fill a sink; whoever computes keeps only
 * what it needs.
 */

import type { SpanBlock } from "./spans.ts";

/** Codes of `CallBlock.operation`. Reads and writes move data; all others are metadata calls. */
export const Operation = {
  read: 0,
  write: 1,
  open: 2,
  close: 3,
  seek: 4,
  stat: 5,
  sync: 6,
  /** Any other metadata call: rename, unlink, mkdir, truncate … */
  other: 7,
} as const;

/** The operation that a table names: one of ours, or whatever says write; anything else is a read. */
export function operationNamed(name: string): number {
  const own = (Operation as Readonly<Record<string, number>>)[name];
  return own ?? (/write|^w$|^1$/i.test(name) ? Operation.write : Operation.read);
}

/** Names of `CallBlock.layer`, by code. A layer's calls contain those that it makes in the layers before it. */
export const CALL_LAYERS = ["POSIX", "STDIO", "MPI-IO"] as const;
/** The code of a layer by its name; POSIX for those that are none of ours. */
export const layerNamed = (name: string): number =>
  Math.max(0, (CALL_LAYERS as readonly string[]).indexOf(name.toUpperCase()));
export const POSIX_LAYER = 0;
export const STDIO_LAYER = 1;
export const MPIIO_LAYER = 2;

/** Bits of `CallBlock.flags`. */
/** Made inside a call of a layer above, such as a POSIX read under MPI-IO: its bytes are moved, not requested. */
export const CALL_NESTED = 2;
/** The call failed; its bytes still count as requested. */
export const CALL_ERROR = 4;
export const CALL_DIRECT = 8;
/** On a pipe, socket or terminal. */
export const CALL_NONFILE = 16;
/** A read or write of MPI-IO that all ranks of the file make together; see `CallProcess.tellsCollectives`. */
export const CALL_COLLECTIVE = 32;

/** Columns of some calls. Arrays may be longer than `count`, and are valid only until `CallSink.block` returns. */
export interface CallBlock {
  readonly count: number;
  /** Nanoseconds since `CallClock.epochNs` of the input. As recorded: an end may lie before its start. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** Requested; NaN when not known. As recorded: may be negative. 0 for metadata calls. */
  readonly bytes: Float64Array;
  /** Moved by the file system, where the recorder knows it for this call; NaN when not. */
  readonly movedBytes?: Float64Array;
  /** In the file; NaN when not known. */
  readonly offset?: Float64Array;
  /** What `CallSink.process` and `CallSink.file` gave. */
  readonly process: Uint32Array;
  readonly file: Uint32Array;
  readonly operation: Uint8Array;
  readonly layer: Uint8Array;
  readonly flags: Uint8Array;
  /**
   * Where the reader knows it: ends of stretches of rows with the same process, file, operation, layer and flags, in order,
   * the last one at `count` or behind.
   */
  readonly alike?: Uint32Array;
}

/**
 * Reads or writes of one process and file as a recorder wrote them down, eight words each: thread, what it was, size, start and
 * end, each of these in two words. They differ in thread, size, place and times only, and moved what they asked for.
 */
export interface CallWords {
  readonly words: Uint32Array;
  /** The calls [from, to). */
  readonly from: number;
  readonly to: number;
  /** Which word of two is the low one. */
  readonly low: 0 | 1;
  /** What times count from. */
  readonly baseHigh: number;
  readonly baseLow: number;
  /** Whether a size whose topmost bit is set is the low word, while thread and high word are the place in the file. */
  readonly hasOffsets: boolean;
  /** As in `CallBlock`. */
  readonly file: number;
  readonly operation: number;
  readonly flags: number;
}

export interface CallProcess {
  readonly pid: number;
  /** MPI rank, when known. */
  readonly rank?: number;
  /** Ranks of the MPI job, also those without calls, when known. */
  readonly ranks?: number;
  /** Whether calls of MPI-IO without `CALL_COLLECTIVE` are known to be independent. */
  readonly tellsCollectives?: boolean;
  readonly host?: string;
  readonly program?: string;
  /** Program and arguments. */
  readonly command?: string;
  /** When it began and ended, on the clock of its calls, where the recorder knows it. */
  readonly life?: { readonly startNs: number; readonly endNs: number };
  /** Process id of whoever started it, when known: a data loader belongs to the trainer that it loads for. */
  readonly parent?: number;
}

export interface CallFile {
  /** Empty when the input does not name files. */
  readonly path: string;
  readonly fileSystem?: string;
  /** Where that is mounted. */
  readonly mount?: string;
  /** Record id, where the input has one. */
  readonly id?: bigint;
  /** How the file lies on its targets, when it is one round-robin over all of them. */
  readonly layout?: StripeLayout;
}

export interface StripeLayout {
  readonly stripeBytes: number;
  readonly osts: readonly number[];
}

/** What the times of an input count from. */
export interface CallClock {
  /** `realtime`: nanoseconds since 1970 of the epoch are known; `own`: times count from a start that nobody knows. */
  readonly kind: "realtime" | "own";
  /** 0n for `own`. */
  readonly epochNs: bigint;
  /** Nanoseconds by which the clock of the input may be off, where it was measured. */
  readonly uncertaintyNs?: number;
}

/** Something about the input that a reader of the numbers must know; never thrown away silently. */
export interface CallNote {
  /** Stable, such as `dropped`, `truncated`, `bad-line`, `byte-order`, `inflated-times`. */
  readonly id: string;
  /** How many calls (or lines) it is about; 1 when it is about the whole input. */
  readonly count: number;
  /** Further totals that the sentence names, such as bytes or nanoseconds. */
  readonly amounts?: readonly number[];
  /** Tells notes of one id apart that must not be added up, such as those of two layers. */
  readonly about?: string;
  /**
   * One sentence. A sentence that names totals is a function of them: the files of an input can have the same note, and
   * then counts and amounts are added before the sentence is made.
   */
  readonly text: string | NoteSentence;
}

/** Id of the note on an input that a generator made. */
export const SYNTHETIC_NOTE = "synthetic";

export type NoteSentence = (count: number, amounts: readonly number[]) => string;

/** The sentence of a note by itself. */
export const noteText = ({ text, count, amounts = [] }: CallNote): string =>
  typeof text === "string" ? text : text(count, amounts);

/** What several files of an input say alike is one note, with the totals of all of them. */
export function joinedNotes<N extends CallNote>(notes: readonly N[], inputOf: (note: N) => string): N[] {
  const alike = new Map<string, N>();
  for (const note of notes) {
    const { id, text, about = "" } = note;
    const key = JSON.stringify([inputOf(note), id, typeof text === "string" ? text : about]);
    const earlier = alike.get(key);
    alike.set(key, earlier === undefined ? note : sumOf(earlier, note));
  }
  return [...alike.values()];
}

const sumOf = <N extends CallNote>(note: N, more: N): N => ({
  ...note,
  count: note.count + more.count,
  ...(note.amounts === undefined
    ? {}
    : { amounts: note.amounts.map((amount, at) => amount + (more.amounts?.[at] ?? 0)) }),
});

/** Who takes the calls of one input. A reader calls `clock` before the first `block`. */
export interface CallSink {
  clock(clock: CallClock): void;
  process(process: CallProcess): number;
  file(file: CallFile): number;
  block(block: CallBlock): void;
  /** The input does not tell reads from writes: all its calls are called reads. Before the first `block`. */
  tellsNoDirections?(): void;
  note(note: CallNote): void;
  /** What the input says of a process only after its calls. */
  learn?(process: number, facts: Pick<CallProcess, "rank" | "life">): void;
  /** What the application says of itself, in any order with its calls. */
  spans?(block: SpanBlock): void;
  /** No more calls of this process will come from this input; a reader that cannot tell does not say so. */
  processEnds?(process: number): void;
}
