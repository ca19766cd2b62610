/** What a policy decides. Everything else, above all what happens when something breaks, is the same for all. */
import type { Layout } from "./layout.ts";
import type { FileId, Rank, Seconds } from "./step.ts";

export interface Policy {
  readonly name: string;
  /** The index of a piece follows its WRITE_COMPLETE in a message of its own, as in the paper. */
  readonly separateIndex: boolean;
  /**
   * When a file is offered to other groups: once its own group is complete (the paper), as soon as nothing of the
   * group waits, or never.
   */
  readonly offers: "group-complete" | "nothing-waiting" | "never";
  /** Most writers that this policy ever allows in a file at once. */
  readonly slotsMax: number;
  /** Whether a sub-coordinator tells what is left each time that has halved. */
  readonly reportsProgress: boolean;
  layout(work: Work): Layout;
  /** Targets that are not used at all, by what is known of earlier steps. */
  skipped?(work: Work): readonly number[];
  /** One per file, kept by the sub-coordinator of the file. */
  file(work: Work, target: number): FilePolicy;
  coordinator(work: Work): CoordinatorPolicy;
}

/** What there is to do, known to every process from the start. */
export interface Work {
  readonly writers: number;
  readonly targets: number;
  /** Bytes of each rank; a number when all have the same. */
  readonly sizes: number | ArrayLike<number>;
  /** Bytes per second of each target in earlier output steps; NaN where none was measured. */
  readonly priorRates?: ArrayLike<number> | undefined;
  /** Writers at once per target that were found best earlier; NaN where none was. */
  readonly priorSlots?: ArrayLike<number> | undefined;
}

/** How one file is used, from what was measured on it. */
export interface FilePolicy {
  /** Bytes per second that the file takes in all; NaN before the first measurement. Falls while nothing ends. */
  rateAt(now: Seconds): number;
  /** Writers that may be active now. */
  slots(): number;
  /** A write begins or ends at this time; `active` counts the writers before it. */
  began(now: Seconds, active: number): void;
  ended(now: Seconds, active: number, bytes: number): void;
  /** The largest piece to cut, when `queuedBytes` wait for this file. */
  pieceBytes(queuedBytes: number): number;
}

export interface GroupView {
  readonly group: number;
  /** Paper: writing (may have waiting writers), busy (all have been told), complete. */
  readonly state: "writing" | "busy" | "complete";
  /** As last reported, and when; and what it has been asked for since. */
  readonly waitingBytes: number;
  readonly askedBytes: number;
  readonly heardAt: Seconds;
  /** Of its own files together; NaN when not known. */
  readonly rate: number;
  /** None of its own targets takes data: others must do its work. */
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
  /** Which group gives work to the file, of those that can; undefined when none should. */
  choose(idle: IdleFile, groups: readonly GroupView[], now: Seconds): Choice | undefined;
  /** Seconds between looks for late writes to copy; 0 for never. */
  readonly speculateSeconds: number;
}

/** Whether the group has work that nobody has been told to do, as far as is known. */
export const canGive = ({ state, waitingBytes, askedBytes }: GroupView): boolean =>
  state === "writing" && waitingBytes > askedBytes;

export function sizeOf(work: Work, rank: Rank): number {
  return typeof work.sizes === "number" ? work.sizes : (work.sizes[rank] as number);
}
