/** I/O calls of an imagined application: what the recorder is given, and all that it knows. */

export type Layer = "POSIX" | "MPI-IO" | "STDIO";

export interface Call {
  readonly layer: Layer;
  readonly kind: "open" | "read" | "write" | "seek" | "stat" | "view" | "close";
  readonly rank: number;
  readonly file: string;
  /** Of reads and writes; zero for the others. */
  readonly offset: number;
  readonly bytes: number;
  /** Seconds since the job began. */
  readonly start: number;
  readonly end: number;
  /** MPI-IO: made by all ranks together. */
  readonly collective: boolean;
}

/** How Lustre stores a file. */
export interface Layout {
  readonly stripeBytes: number;
  readonly osts: readonly number[];
  /** What the file system calls its block; the recorder tests offsets against it. */
  readonly alignmentBytes: number;
}

/** A job to be recorded. The calls of each rank are in the order of their ends. */
export interface LogPlan {
  readonly program: string;
  readonly jobId: number;
  readonly ranks: number;
  /** Run time of the job. */
  readonly seconds: number;
  readonly calls: readonly Call[];
  /** Of files on Lustre. */
  readonly layouts: ReadonlyMap<string, Layout>;
  /** False: one process without MPI, whose records are not reduced. */
  readonly mpi: boolean;
  readonly heatmap: boolean;
  /** Trace each read and write (DXT). */
  readonly traces: boolean;
  /** A module has room for this many records in a process; the log says when more were needed. */
  readonly recordsPerRankMax: number;
}
