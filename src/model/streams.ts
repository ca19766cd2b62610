/** What is too large to hold as rows: an importer hands it out to whoever listens. */
import type { CallSink } from "./calls.ts";

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
  /** Who takes the single calls of a run; without it they are passed over. */
  readonly calls?: (runId: string) => CallSink;
  readonly heat?: (row: HeatRow) => void;
}
