/** Inputs and effects of a protocol process. */
import type { IndexColumns } from "./index-columns.ts";
import type { Message, WriteStart } from "./message.ts";

export type Rank = number;
export type Seconds = number;
/** A storage target, counted from 0. */
export type TargetId = number;
/** A file on a target; see `fileId`. */
export type FileId = number;

/** Storage error codes. `writer-lost` and `expired` are the protocol's own: no answer in time. */
export type FailureCode = "ENOSPC" | "EIO" | "expired" | "writer-lost";

export type TimerName = "open" | "sub-coordinator" | "coordinator" | "speculate" | "orphan";

/** Outcome of a dataset. Decided once, by the first proposal (see `Effects.commit`). */
export type Outcome = "complete" | "aborted";

/** An event. Times are those of the call, in seconds of any monotonic clock. */
export type Input =
  | { readonly kind: "start" }
  | { readonly kind: "message"; readonly from: Rank; readonly message: Message }
  | { readonly kind: "opened"; readonly file: FileId }
  | { readonly kind: "written"; readonly file: FileId; readonly lease: number; readonly checksum: unknown }
  | {
      readonly kind: "write-failed";
      readonly file: FileId;
      readonly lease: number;
      readonly code: FailureCode;
    }
  | { readonly kind: "open-failed"; readonly file: FileId; readonly code: FailureCode }
  | { readonly kind: "synced"; readonly file: FileId }
  | { readonly kind: "sync-failed"; readonly file: FileId; readonly code: FailureCode }
  /** The decision, which may differ from the proposal. */
  | { readonly kind: "committed"; readonly outcome: Outcome; readonly reason: string }
  /** Nothing was decided at the time of `Effects.inquire`. */
  | { readonly kind: "undecided" }
  | { readonly kind: "timer"; readonly timer: TimerName }
  /** The transport noticed that a process is gone. */
  | { readonly kind: "lost"; readonly rank: Rank };

/** Proposed outcome of the dataset; with the whole index for a complete one. */
export interface Proposal {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly parts: readonly IndexColumns[];
}

/**
 * Effects of a process. A driver performs the calls in order, after the step. Messages between two processes keep their order,
 * and none is lost unless one of the two is dead; they may be late or duplicated.
 */
export interface Effects {
  send(to: Rank, message: Message): void;
  /** Answered by `opened` or `open-failed`. */
  open(file: FileId, target: TargetId): void;
  /** Bytes [at, at + length) of the block to `offset` of the file; answered by `written` or `write-failed`. */
  write(order: WriteStart): void;
  /** The write may stop where it is; no answer is expected. */
  cancel(file: FileId, lease: number): void;
  /** Makes all data of the file durable, regardless of its writer. */
  sync(file: FileId, target: TargetId): void;
  /** At or after the time, `timer` fires. Setting it again moves it. */
  timer(timer: TimerName, at: Seconds): void;
  /** The first proposal of all processes wins for good; answered by `committed`. */
  commit(proposal: Proposal): void;
  /** Whether the dataset has been decided, without a proposal; answered by `committed` or `undecided`. */
  inquire(): void;
  /** The process is done. `released`: its bytes are written, and it does not wait for the rest. */
  finish(outcome: Outcome | "released", reason: string): void;
}
