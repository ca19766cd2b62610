/** An access pattern: the data of each rank in memory and its location in the file. */
import type { Datatype } from "../../base/datatype.ts";

export type AccessCase = "c-c" | "nc-c" | "c-nc" | "nc-nc";

/** The access of one rank in one operation. The n-th byte of `memory` is the n-th byte of `file`. */
export interface RankAccess {
  /** Places in the rank's buffer. */
  readonly memory: Datatype;
  /** Places in the file, from `fileStart` on. */
  readonly file: Datatype;
  readonly fileStart: number;
}

export interface Pattern {
  /** `ncio`, `flash`, `ipars`, `subarray`, `hpio`. */
  readonly name: string;
  readonly ranks: number;
  access(rank: number): RankAccess;
  /** End of the last byte of any rank. */
  readonly fileBytes: number;
  /** The layout in one line: interleaving of ranks, and definition of spacing. */
  readonly layout: string;
}
