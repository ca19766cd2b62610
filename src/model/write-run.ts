/** One output step of many writers onto storage targets, simulated or real: what analyses and pictures are made of. */

/** Bits of `WriteOps.flags`. */
/** The write went to a file of another group. */
export const OP_MOVED = 1;
/** The committed index does not name it: a second copy, or a try that was given up. */
export const OP_UNUSED = 2;

/** The finished writes in columns; arrays may be longer than `count`. */
export interface WriteOps {
  readonly count: number;
  readonly rank: Int32Array;
  /** Whose data: the rank itself unless another wrote for it. */
  readonly block: Int32Array;
  readonly target: Int32Array;
  readonly bytes: Float64Array;
  /** Seconds since the start of the step. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly flags: Uint8Array;
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
  readonly ops: WriteOps;
  /** Messages of the protocol by kind. */
  readonly messages?: readonly { readonly kind: string; readonly count: number }[];
  /** `complete`, or why not. */
  readonly outcome: string;
}
