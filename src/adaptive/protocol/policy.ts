/** Decisions of a policy. Everything else, above all fault handling, is the same for all. */
import type { Layout } from "./layout.ts";
import type { FileId, Rank, Seconds } from "./step.ts";

export interface Policy {
  readonly name: string;
  /** The index of a piece follows its WRITE_COMPLETE in a separate message, as in the paper. */
  readonly separateIndex: boolean;
  /**
   * When a file is offered to other groups: once its own group is complete (the paper), as soon as nothing of the
   * group waits, or never.
   */
  readonly offers: "group-complete" | "nothing-waiting" | "never";
  /** Max concurrent writers per file under this policy. */
  readonly slotsMax: number;
  /** Whether a sub-coordinator reports its waiting bytes each time they have halved. */
  readonly reportsProgress: boolean;
  layout(work: Work): Layout;
  /** Targets excluded because of earlier steps. */
  skipped?(work: Work): readonly number[];
  /** One per file, kept by the sub-coordinator of the file. */
  file(work: Work, target: number): FilePolicy;
  coordinator(work: Work): CoordinatorPolicy;
}

/** The work of a run, known to every process from the start. */
export interface Work {
  readonly writers: number;
  readonly targets: number;
  /** Bytes of each rank; a number when all have the same. */
  readonly sizes: number | ArrayLike<number>;
  /** Bytes per second of each target in earlier output steps; NaN where none was measured. */
  readonly priorRates?: ArrayLike<number> | undefined;
  /** Best number of writers per target in earlier steps; NaN where none was measured. */
  readonly priorSlots?: ArrayLike<number> | undefined;
}

/** Controls one file by its measurements. */
export interface FilePolicy {
  /** Total bytes per second of the file; NaN before the first measurement. Falls while no write ends. */
  rateAt(now: Seconds): number;
  /** Writers that may be active now. */
  slots(): number;
  /** A write starts or ends at this time; `active` is the number of writers before that. */
  began(now: Seconds, active: number): void;
  ended(now: Seconds, active: number, bytes: number): void;
  /** The largest piece to cut, when `queuedBytes` wait for this file. */
  pieceBytes(queuedBytes: number): number;
}

export interface GroupView {
  readonly group: number;
  /** Paper: writing (may have waiting writers), busy (all have orders), complete. */
  readonly state: "writing" | "busy" | "complete";
  /** As last reported, with the time of the report and the bytes asked for since. */
  readonly waitingBytes: number;
  readonly askedBytes: number;
  readonly heardAt: Seconds;
  /** Of its own files together; NaN when not known. */
  readonly rate: number;
  /** None of its own targets accepts data: others must do its work. */
  readonly stuck: boolean;
}

export interface IdleFile {
  readonly file: FileId;
  readonly group: number;
  readonly owner: Rank;
  readonly slots: number;
  readonly rate: number;
}

export interface Choice {
  readonly group: number;
  readonly bytes: number;
  readonly piecesMax: number;
  readonly pieceBytes: number;
}

export interface CoordinatorPolicy {
  /** The group that gives work to the file, among those that can; undefined for none. */
  choose(idle: IdleFile, groups: readonly GroupView[], now: Seconds): Choice | undefined;
  /** Seconds between searches for late writes to duplicate; 0: never. */
  readonly speculateSeconds: number;
}

/** Whether the group has unassigned work, as far as known. */
export const canGive = ({ state, waitingBytes, askedBytes }: GroupView): boolean =>
  state === "writing" && waitingBytes > askedBytes;

export function sizeOf(work: Work, rank: Rank): number {
  return typeof work.sizes === "number" ? work.sizes : (work.sizes[rank] as number);
}
