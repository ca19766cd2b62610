/**
 * Single accesses of any recorder, handed out block by block: traces can be larger than memory. Readers fill a sink;
 * whoever computes keeps only what it needs.
 */

/** Bits of `AccessBlock.flags`. */
export const ACCESS_WRITE = 1;
/** Made inside an access of a layer above, such as a POSIX read under MPI-IO: counts as moved, not as asked for. */
export const ACCESS_NESTED = 2;
/** The call failed; it still counts as asked for. */
export const ACCESS_ERROR = 4;
export const ACCESS_DIRECT = 8;
/** On a pipe, socket or terminal. */
export const ACCESS_NONFILE = 16;

/** Columns of some accesses. Arrays may be longer than `count`, and are valid only during the call. */
export interface AccessBlock {
  readonly count: number;
  /** Nanoseconds since `AccessClock.epochNs` of the input. As recorded: an end may lie before its start. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** Asked for; NaN when not known. As recorded: may be negative. */
  readonly bytes: Float64Array;
  /** Moved by the file system, where the recorder knows it for this access; NaN when not. */
  readonly movedBytes?: Float64Array;
  readonly offset?: Float64Array;
  /** What `AccessSink.process` and `AccessSink.file` gave. */
  readonly process: Uint32Array;
  readonly file: Uint32Array;
  readonly flags: Uint8Array;
}

export interface AccessProcess {
  readonly pid: number;
  /** MPI rank, when known. */
  readonly rank?: number;
  readonly host?: string;
  readonly program?: string;
}

export interface AccessFile {
  /** Empty when the input does not name files. */
  readonly path: string;
  readonly fileSystem?: string;
}

/** What the times of an input count from. */
export interface AccessClock {
  /** `realtime`: nanoseconds since 1970 of the epoch are known; `own`: times count from a start that nobody knows. */
  readonly kind: "realtime" | "own";
  /** 0n for `own`. */
  readonly epochNs: bigint;
  /** Nanoseconds by which the clock of the input may be off, where it was measured. */
  readonly uncertaintyNs?: number;
}

/** Something about the input that a reader of the numbers must know; never thrown away silently. */
export interface AccessNote {
  /** Stable, such as `dropped`, `truncated`, `bad-line`, `byte-order`, `inflated-times`. */
  readonly id: string;
  /** How many accesses (or lines) it is about; 1 when it is about the whole input. */
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

export type NoteSentence = (count: number, amounts: readonly number[]) => string;

/** The sentence of a note by itself. */
export const noteText = ({ text, count, amounts = [] }: AccessNote): string =>
  typeof text === "string" ? text : text(count, amounts);

/** Who takes the accesses of one input. A reader calls `clock` before the first `block`. */
export interface AccessSink {
  clock(clock: AccessClock): void;
  process(process: AccessProcess): number;
  file(file: AccessFile): number;
  block(block: AccessBlock): void;
  note(note: AccessNote): void;
}
