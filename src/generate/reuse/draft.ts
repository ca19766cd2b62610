/** A run on a selected file before others are there, and who tells how long it takes among them. */
import type { IoTime } from "./truth.ts";

/** A run on a file before anybody else is there. */
interface Draft {
  readonly start: number;
  readonly drawnMs: number;
  /** Seconds of I/O alone, and the share of them that are reads. */
  readonly alone: number;
  readonly readShare: number;
  readonly bytes: number;
  /** Its targets are `width` OSTs from `first` on. */
  readonly first: number;
  readonly width: number;
}

/** Gives the times of run `number`; runs are asked for in the order of their numbers. */
export type Clock = (number: number, draft: Draft) => IoTime & { readonly durationMs: number };
