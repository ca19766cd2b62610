/** One output step of many writers onto storage targets, simulated or real: what analyses and pictures are made of. */
import type { CallBlock } from "./calls.ts";

/** Bits of `WriteCalls.flags`, beside those of `CallBlock.flags`. */
/** The write went to a file of another group. */
export const CALL_MOVED = 64;
/** The committed index does not name it: a second copy, or a try that was given up. */
export const CALL_UNUSED = 128;

/**
 * The finished writes of a step as calls: `process` is the rank, `file` the writer target, and times count from when files were
 * open, in whole nanoseconds.
 */
export interface WriteCalls extends CallBlock {
  /** Rank whose data it is: `process` unless another wrote for it. */
  readonly owner: Uint32Array;
}

export interface WriteRun {
  /** Short: "paper", "static". */
  readonly label: string;
  /** One line: what ran where. */
  readonly title: string;
  readonly simulated: boolean;
  readonly policy: string;
  readonly writers: number;
  readonly targets: number;
  /** How people call target i; `target i` when absent. */
  readonly targetNames?: readonly string[];
  /** Targets that were made slow on purpose, with how. */
  readonly slowed?: readonly { readonly target: number; readonly how: string }[];
  readonly bytes: number;
  /** From when files were open to the end of the last write. */
  readonly seconds: number;
  /** Until everything was durable and the index in place; NaN when that was not part of it. */
  readonly commitSeconds: number;
  readonly openSeconds: readonly number[];
  readonly calls: WriteCalls;
  /** Messages of the protocol by kind. */
  readonly messages?: readonly { readonly kind: string; readonly count: number }[];
  /** `complete`, or why not. */
  readonly outcome: string;
}
