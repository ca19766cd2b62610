/**
 * Single calls of a job over time, cut down to what a picture needs: all calls when there are few, otherwise bins of
 * several levels, and the calls of a window that was asked for.
 */

export interface Trace {
  /** Seconds of the run; the time axis. */
  readonly seconds: number;
  readonly ranks: number;
  /** Files with calls, those with most bytes first; cut to what fits, `filesTotal` in all. */
  readonly files: readonly TraceFile[];
  readonly filesTotal: number;
  /** Calls in the log, per layer; a layer's calls contain those of the layer below. */
  readonly layers: readonly { readonly name: string; readonly calls: number }[];
  /** Single calls, sorted by start. */
  readonly calls: TraceCalls;
  /** What `calls` holds. */
  readonly coverage:
    | { readonly kind: "all" }
    | { readonly kind: "window"; readonly startSeconds: number; readonly endSeconds: number }
    | { readonly kind: "none" };
  /** How to get single calls when they are not all here. */
  readonly hint: string;
  /** Calls summed up in cells: lanes are ranks, and again lanes are files (index into `files`, last lane: all others). */
  readonly bins: readonly TraceBins[];
  /** Offset against time of the first files, in cells. */
  readonly offsets: readonly TraceOffsets[];
  /** What the application says that it does besides, the longest first; absent where it says nothing. */
  readonly spans?: readonly TraceSpans[];
}

/** Times at which at least one process has a span of this name open: they rise and do not touch. */
export interface TraceSpans {
  readonly category: string;
  readonly name: string;
  readonly startSeconds: Float64Array;
  readonly endSeconds: Float64Array;
}

export interface TraceFile {
  readonly fileId: string;
  readonly path: string;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Highest byte touched by a traced call, plus one. */
  readonly endOffset: number;
  /** Layout for grid lines; 0 when not known. */
  readonly stripeBytes: number;
  readonly stripeCount: number;
}

/** Struct of arrays; one entry per call. */
export interface TraceCalls {
  readonly count: number;
  readonly startSeconds: Float64Array;
  readonly endSeconds: Float64Array;
  readonly bytes: Float64Array;
  /** NaN when not known. */
  readonly offset: Float64Array;
  readonly rank: Uint32Array;
  /** Index into `files`; files.length for a file that is not listed. */
  readonly file: Uint32Array;
  /** Index into `layers`. */
  readonly layer: Uint8Array;
  /** 1 for a write, 0 for a read. */
  readonly write: Uint8Array;
}

/** One level of one lane kind and layer. Column c covers seconds [c, c + 1) × seconds / columns. */
export interface TraceBins {
  readonly lanesBy: "rank" | "file";
  /** Index into `layers`. */
  readonly layer: number;
  /** Rank lanes: lane l covers ranks [l × ranksPerLane, …). 1 for files. */
  readonly ranksPerLane: number;
  readonly lanes: number;
  readonly columns: number;
  /** Cells with something in them: lane × columns + column, rising. */
  readonly cell: Uint32Array;
  readonly calls: Float64Array;
  readonly bytesRead: Float64Array;
  readonly bytesWritten: Float64Array;
  /** Seconds in calls within the cell, summed over its ranks: divided by the width and the ranks it gives how busy. */
  readonly busySeconds: Float64Array;
}

/** Bytes by offset and time of one file. Row r covers offsets [r, r + 1) × rowBytes. */
export interface TraceOffsets {
  /** Index into `files`. */
  readonly file: number;
  readonly layer: number;
  readonly rows: number;
  readonly rowBytes: number;
  readonly columns: number;
  /** row × columns + column, rising. */
  readonly cell: Uint32Array;
  readonly bytesRead: Float64Array;
  readonly bytesWritten: Float64Array;
}
