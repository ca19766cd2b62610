/** An access pattern: what each rank has in memory and where in the file it belongs. */
import type { Datatype } from "./datatype.ts";

export type AccessCase = "c-c" | "nc-c" | "c-nc" | "nc-nc";

/** What one rank accesses in one operation. The n-th byte of `memory` is the n-th byte of `file`. */
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
  /** Where the last byte of any rank ends. */
  readonly fileBytes: number;
  /** The layout in one line: how ranks are interleaved, and whether spacing is from start to start. */
  readonly layout: string;
}
