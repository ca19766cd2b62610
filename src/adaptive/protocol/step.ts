/** What goes into a process of the protocol, and what comes out of it. */
import type { IndexColumns } from "./index-columns.ts";
import type { Message, WriteStart } from "./message.ts";

export type Rank = number;
export type Seconds = number;
/** A storage target, counted from 0. */
export type TargetId = number;
/** A file on a target; see `fileId`. */
export type FileId = number;

/** Why the storage refused. `writer-lost` and `expired` are the protocol's own: nobody answered in time. */
export type FailureCode = "ENOSPC" | "EIO" | "expired" | "writer-lost";

export type TimerName = "open" | "sub-coordinator" | "coordinator" | "speculate" | "orphan";

/** What a dataset became. Decided once, by whoever proposes first (see `Effects.commit`). */
export type Outcome = "complete" | "aborted";

/** Something happened. Times are those of the call, in seconds of any clock that does not go back. */
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
  /** What was decided, which need not be what was proposed here. */
  | { readonly kind: "committed"; readonly outcome: Outcome; readonly reason: string }
  /** Nothing had been decided when it was asked (see `Effects.inquire`). */
  | { readonly kind: "undecided" }
  | { readonly kind: "timer"; readonly timer: TimerName }
  /** The transport noticed that a process is gone. */
  | { readonly kind: "lost"; readonly rank: Rank };

/** What is proposed as the fate of the dataset; with the whole index when it is to be complete. */
export interface Proposal {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly parts: readonly IndexColumns[];
}

/**
 * What a process wants done. A driver performs the calls in order, after the step. Between two processes messages
 * keep their order and none is lost unless one of the two is dead; they may be late, and may come twice.
 */
export interface Effects {
  send(to: Rank, message: Message): void;
  /** Answered by `opened` or `open-failed`. */
  open(file: FileId, target: TargetId): void;
  /** Bytes [at, at + length) of the block to `offset` of the file; answered by `written` or `write-failed`. */
  write(order: WriteStart): void;
  /** The write may stop where it is; no answer is expected. */
  cancel(file: FileId, lease: number): void;
  /** Makes all that was written to the file durable, by whomever. */
  sync(file: FileId, target: TargetId): void;
  /** At or after the time, `timer` comes in. Setting one that is set moves it. */
  timer(timer: TimerName, at: Seconds): void;
  /** The first proposal of all processes wins for good; answered by `committed`. */
  commit(proposal: Proposal): void;
  /** Whether the dataset has been decided, without a proposal; answered by `committed` or `undecided`. */
  inquire(): void;
  /** The process is done. `released`: its bytes are written and it need not wait for the rest. */
  finish(outcome: Outcome | "released", reason: string): void;
}
