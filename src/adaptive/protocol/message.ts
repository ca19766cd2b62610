/** Every message of the protocol. `docs/protocol.md` has the table: sender, time, and effect of repeats. */
import type { Entry, IndexColumns } from "./index-columns.ts";
import type { FailureCode, FileId, Outcome, Rank, TargetId } from "./step.ts";

/** A message while it is being made. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Identifies a piece: its group, the epoch of its sub-coordinator, and its number there. */
interface OfPiece {
  readonly group: number;
  readonly epoch: number;
  readonly piece: number;
}

/** From a coordinator to the sub-coordinator of `group`; numbered to detect repeats. */
interface FromCoordinator {
  readonly group: number;
  readonly coordinatorEpoch: number;
  readonly serial: number;
}

/** From the sub-coordinator of `group` to the coordinator; numbered to detect repeats. */
interface ToCoordinator {
  readonly group: number;
  readonly epoch: number;
  readonly serial: number;
  /** Bytes of the group without a write order. The coordinator plans with them. */
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
  /** -1: any write of the piece to this file. */
  readonly lease: number;
}

/** A new sub-coordinator asks for written pieces; writes in flight must stop. */
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

/** Pieces that a sub-coordinator wrote of its own block, kept by another rank in case it dies. */
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
  /** The latest epoch of its group known to the writer; the piece may be of an older one. */
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
  /** The writer. */
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

/** A file has room: give work to it. */
export interface AdaptiveWriteStart extends FromCoordinator {
  readonly kind: "adaptive-write-start";
  readonly file: FileId;
  readonly owner: Rank;
  /** Bytes per second that the file can take, NaN when not known. */
  readonly rate: number;
  readonly bytes: number;
  readonly piecesMax: number;
  readonly pieceBytes: number;
  /** No bytes wait any more: make second copies of late writes in flight. */
  readonly speculative: boolean;
}

/** All is written: make this file durable. */
interface OverallWriteComplete extends FromCoordinator {
  readonly kind: "overall-write-complete";
  readonly round: number;
  readonly file: FileId;
  readonly target: TargetId;
}

/** The data of the file is lost: write it again elsewhere. */
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

/** Instead of a leader: the group is complete, and its leader died. */
export const NOBODY: Rank = -1;

/** Leader of a group that is no longer led by its first rank. */
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

/** Measurements of a target, for the next output step. */
export interface Learned {
  readonly target: TargetId;
  readonly rate: number;
  readonly slots: number;
}

/** A file of the group can take more than the group has: sent after its own work, and after an adaptive write. */
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
  /** The current coordinator. */
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
