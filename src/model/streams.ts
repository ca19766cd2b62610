/**
 * What is too large to hold as rows: calls of traces, and heat maps. An importer hands them out block by block to
 * whoever listens; without a listener calls become rows of `ops`, and heat maps are passed over.
 */

/** Calls of one process on one file through one layer. The arrays are only valid during the call. */
export interface OpsBlock {
  readonly runId: string;
  readonly rank: number;
  readonly host: string;
  readonly fileId: bigint;
  readonly layer: string;
  readonly count: number;
  /** The first N are writes, the others reads. */
  readonly writes: number;
  /** Bytes; NaN when not known, infinite beyond 2^53. Arrays may be longer than `count`. */
  readonly offset: Float64Array;
  /** Bytes asked for; NaN when not known, infinite beyond 2^53. */
  readonly bytes: Float64Array;
  /** Nanoseconds since the start of the run. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** How the file lies on its targets, when it is one round-robin over all of them. */
  readonly layout?: StripeLayout;
}

export interface StripeLayout {
  readonly stripeBytes: number;
  readonly osts: readonly number[];
}

/** Bytes over time of one process in one layer. */
export interface HeatRow {
  readonly runId: string;
  readonly layer: string;
  readonly rank: number;
  readonly binSeconds: number;
  readonly bytesRead: Float64Array;
  readonly bytesWritten: Float64Array;
}

export interface Streams {
  readonly ops?: (block: OpsBlock) => void;
  readonly heat?: (row: HeatRow) => void;
}
