/** Every message of the protocol. `docs/protocol.md` has the table: who sends it, when, and what repeats do. */
import type { Entry, IndexColumns } from "./index-columns.ts";
import type { FailureCode, FileId, Outcome, Rank, TargetId } from "./step.ts";

/** A message while it is being made. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Of a piece of work: which group it belongs to, under which sub-coordinator, and its number there. */
interface OfPiece {
  readonly group: number;
  readonly epoch: number;
  readonly piece: number;
}

/** From a coordinator to the sub-coordinator of `group`; numbered, so that repeats are seen. */
interface FromCoordinator {
  readonly group: number;
  readonly coordinatorEpoch: number;
  readonly serial: number;
}

/** From the sub-coordinator of `group` to the coordinator; numbered, so that repeats are seen. */
interface ToCoordinator {
  readonly group: number;
  readonly epoch: number;
  readonly serial: number;
  /** Bytes of the group that nobody has been told to write. The coordinator plans with it. */
  readonly waitingBytes: number;
}

// To writers

/** Write a piece: the paper's (target, offset), with a lease on exactly these bytes of the file. */
export interface WriteStart extends OfPiece {
  readonly kind: "write-start";
  readonly file: FileId;
  /** Counts up within the file. */
  readonly lease: number;
  readonly offset: number;
  readonly block: Rank;
  readonly at: number;
  readonly length: number;
  /** The sub-coordinator of the block's group. */
  readonly home: Rank;
  /** Whether the file belongs to another group. */
  readonly moved: boolean;
}

export interface Cancel extends OfPiece {
  readonly kind: "cancel";
  readonly file: FileId;
  /** -1: whichever write of the piece to this file. */
  readonly lease: number;
}

/** A new sub-coordinator asks what has been written; whatever is under way is to stop. */
export interface Poll {
  readonly kind: "poll";
  readonly group: number;
  readonly epoch: number;
}

interface Finish {
  readonly kind: "finish";
  readonly outcome: Outcome;
  readonly reason: string;
}

interface Here {
  readonly kind: "here";
}

/** What a sub-coordinator wrote of its own block, kept by another rank in case it dies. */
export interface NoteEntry {
  readonly kind: "note-entry";
  readonly group: number;
  readonly entry: Entry;
}

// To sub-coordinators

export interface WriteComplete extends OfPiece {
  readonly kind: "write-complete";
  readonly file: FileId;
  readonly lease: number;
  readonly offset: number;
  readonly block: Rank;
  readonly at: number;
  readonly length: number;
  /** Absent when it follows in an `index-body`. */
  readonly checksum: unknown;
}

/** The index of a piece, apart from its `write-complete`, so that the next writer need not wait for it. */
export interface IndexBody extends OfPiece {
  readonly kind: "index-body";
  readonly file: FileId;
  readonly checksum: unknown;
}

export interface WriteFailed extends OfPiece {
  readonly kind: "write-failed";
  readonly file: FileId;
  readonly lease: number;
  readonly code: FailureCode;
  readonly rank: Rank;
}

export interface Cancelled extends OfPiece {
  readonly kind: "cancelled";
  readonly file: FileId;
  readonly lease: number;
  /** The epoch that the writer knows its group to have; the piece may be of an older one. */
  readonly groupEpoch: number;
}

export interface Report {
  readonly kind: "report";
  readonly group: number;
  readonly epoch: number;
  readonly entries: readonly Entry[];
}

interface Ping {
  readonly kind: "ping";
  readonly group: number;
}

/** A piece on loan to another group's file. */
export interface LentPiece {
  readonly piece: number;
  readonly block: Rank;
  readonly at: number;
  readonly length: number;
  /** Who writes it. */
  readonly rank: Rank;
}

export interface Lend {
  readonly kind: "lend";
  readonly group: number;
  readonly epoch: number;
  /** Counts up per lending sub-coordinator. */
  readonly serial: number;
  readonly file: FileId;
  readonly pieces: readonly LentPiece[];
}

export interface LendRefused {
  readonly kind: "lend-refused";
  readonly group: number;
  readonly epoch: number;
  readonly file: FileId;
  readonly pieces: readonly number[];
}

/** The piece was written elsewhere meanwhile. */
export interface Recall extends OfPiece {
  readonly kind: "recall";
  readonly file: FileId;
}

/** A file has room: give it work of yours. */
export interface AdaptiveWriteStart extends FromCoordinator {
  readonly kind: "adaptive-write-start";
  readonly file: FileId;
  readonly owner: Rank;
  /** Bytes per second that the file can take, NaN when not known. */
  readonly rate: number;
  readonly bytes: number;
  readonly piecesMax: number;
  readonly pieceBytes: number;
  /** Nothing waits any more: a second copy of what is under way and late. */
  readonly speculative: boolean;
}

/** All is written: make this file durable. */
interface OverallWriteComplete extends FromCoordinator {
  readonly kind: "overall-write-complete";
  readonly round: number;
  readonly file: FileId;
  readonly target: TargetId;
}

/** What was written to the file is not there: write it again elsewhere. */
interface FileLost extends FromCoordinator {
  readonly kind: "file-lost";
  readonly file: FileId;
}

interface NewCoordinator extends FromCoordinator {
  readonly kind: "new-coordinator";
  readonly rank: Rank;
}

interface GroupMoved extends FromCoordinator {
  readonly kind: "group-moved";
  readonly movedGroup: number;
  readonly movedEpoch: number;
  readonly rank: Rank;
}

interface HeartbeatAck extends FromCoordinator {
  readonly kind: "heartbeat-ack";
}

/** Be the sub-coordinator of a group. Goes to a rank that may not be one yet. */
export interface Promote extends FromCoordinator {
  readonly kind: "promote";
  readonly coordinator: Rank;
  readonly epoch: number;
  readonly dead: readonly Rank[];
  readonly badTargets: readonly TargetId[];
  readonly leaders: readonly Leader[];
}

/** In the place of a leader: the group is complete, and its leader died. */
export const NOBODY: Rank = -1;

/** Who leads a group, where that is not its first rank any more. */
export interface Leader {
  readonly group: number;
  readonly rank: Rank;
  readonly epoch: number;
}

// To the coordinator

/** All writers of the group are done: the paper's WRITE_COMPLETE of a sub-coordinator. */
export interface GroupComplete extends ToCoordinator {
  readonly kind: "group-complete";
  readonly entries: IndexColumns;
  readonly learned: readonly Learned[];
}

/** What was measured on a target, for the next output step. */
export interface Learned {
  readonly target: TargetId;
  readonly rate: number;
  readonly slots: number;
}

/** A file of the group could take more than the group has: after its own work, and after an adaptive write. */
export interface FileIdle extends ToCoordinator {
  readonly kind: "file-idle";
  readonly file: FileId;
  readonly slots: number;
  readonly rate: number;
}

export interface WritersBusy extends ToCoordinator {
  readonly kind: "writers-busy";
  readonly file: FileId;
  readonly speculative: boolean;
}

interface Heartbeat extends ToCoordinator {
  readonly kind: "heartbeat";
  readonly rate: number;
}

export interface FileClosed extends ToCoordinator {
  readonly kind: "file-closed";
  readonly file: FileId;
  readonly code: FailureCode;
  /** The target is given up, not only this file. */
  readonly forGood: boolean;
}

interface Synced extends ToCoordinator {
  readonly kind: "synced";
  readonly round: number;
  readonly file: FileId;
  readonly ok: boolean;
}

/** It cannot be done. */
interface Trouble extends ToCoordinator {
  readonly kind: "trouble";
  readonly reason: string;
}

/** You do not lead this group any more. */
interface Deposed {
  readonly kind: "deposed";
  readonly group: number;
  readonly epoch: number;
}

/** You are not the coordinator any more. */
interface Stale {
  readonly kind: "stale";
  readonly coordinatorEpoch: number;
  /** Who is. */
  readonly coordinator: Rank;
}

type ToWriter = WriteStart | Cancel | Poll | Finish | Here | NoteEntry;
export type CoordinatorOrder =
  | AdaptiveWriteStart
  | OverallWriteComplete
  | FileLost
  | NewCoordinator
  | GroupMoved
  | HeartbeatAck
  | Promote;
export type ToSubCoordinator =
  | WriteComplete
  | IndexBody
  | WriteFailed
  | Cancelled
  | Report
  | Ping
  | Lend
  | LendRefused
  | Recall
  | Deposed
  | CoordinatorOrder;
export type CoordinatorNews =
  | GroupComplete
  | FileIdle
  | WritersBusy
  | Heartbeat
  | FileClosed
  | Synced
  | Trouble;
export type Message = ToWriter | ToSubCoordinator | CoordinatorNews | Stale;
export type MessageKind = Message["kind"];
