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

/** MPI calls of one process: a value per name in `operations`. Columns are valid until the listener returns. */
export interface MpiRow {
  readonly runId: string;
  readonly rank: number;
  /** Name of the node; empty when it was not recorded. */
  readonly node: string;
  readonly operations: readonly string[];
  readonly calls: Float64Array;
  /** Zero for operations without messages. */
  readonly bytes: Float64Array;
  readonly seconds: Float64Array;
  /** The longest call. */
  readonly longestSeconds: Float64Array;
  /** Waiting for other ranks before the operation; NaN where it was not measured. */
  readonly syncSeconds: Float64Array;
  readonly totalSeconds: number;
  /** NaN where it was not measured. */
  readonly totalSyncSeconds: number;
}

/** Network counters of one router: a value per counter. The column is valid until the listener returns. */
export interface RouterRow {
  readonly group: number;
  readonly chassis: number;
  readonly blade: number;
  readonly node: number;
  readonly counters: readonly RouterCounter[];
  readonly values: Float64Array;
  readonly memoryMode: string;
  readonly clusterMode: string;
}

/** One counter of a tile: flits that came in on a virtual channel, or cycles that they were held up. */
export interface RouterCounter {
  /** Tiles of row 5 connect the nodes, all others connect routers. */
  readonly row: number;
  readonly column: number;
  readonly kind: "flits" | "stalls";
  /** `VC0` … `VC7` of flits; `REQ` and `RSP` of stalls between router and nodes, otherwise empty. */
  readonly channel: string;
}

export interface Streams {
  /** Who takes the single calls of a run; without it they are passed over. */
  readonly calls?: (runId: string) => CallSink;
  readonly heat?: (row: HeatRow) => void;
  readonly mpi?: (row: MpiRow) => void;
  readonly router?: (row: RouterRow) => void;
}
