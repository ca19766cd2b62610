/** I/O calls of a simulated application: the input of the recorder. */

export type Layer = "POSIX" | "MPI-IO" | "STDIO" | "H5F" | "H5D";

/** One call, or with `count` a run of equal ones. */
export interface Call {
  readonly layer: Layer;
  /** sync: fsync of POSIX, a flush of the others. */
  readonly kind: "open" | "read" | "write" | "seek" | "stat" | "view" | "sync" | "close";
  readonly rank: number;
  /** Of H5D: the dataset, as `file:/dataset`. */
  readonly file: string;
  /** Of reads and writes; zero for the others. */
  readonly offset: number;
  readonly bytes: number;
  /** Seconds since the job began. */
  readonly start: number;
  readonly end: number;
  /** MPI-IO: made by all ranks together. */
  readonly collective: boolean;
  /** Number of equal calls between `start` and `end`, at even distances in time; one unless given. */
  readonly count?: number;
  /** Of a run: from the offset of one call to that of the next. */
  readonly strideBytes?: number;
  /** Of a run: seconds in each of its calls. */
  readonly secondsEach?: number;
}

/** Calls that a run stands for. */
export const countOf = ({ count = 1 }: Call): number => count;

/** Seconds in each call. */
export const secondsOf = ({ start, end, secondsEach = end - start }: Call): number => secondsEach;

/** The calls of a run, one by one. */
export function* singleCalls(run: Call): Generator<Call> {
  const { count, strideBytes, secondsEach, ...first } = run;
  const [calls, each] = [countOf(run), secondsOf(run)];
  const period = calls === 1 ? 0 : (first.end - first.start - each) / (calls - 1);
  for (let i = 0; i < calls; i++) {
    const start = first.start + i * period;
    yield { ...first, offset: first.offset + i * (strideBytes ?? 0), start, end: start + each };
  }
}

/** Lustre layout of a file. */
export interface Layout {
  readonly stripeBytes: number;
  readonly osts: readonly number[];
  /** Block size of the file system; the recorder checks the alignment of offsets to it. */
  readonly alignmentBytes: number;
}

/** Facts about an HDF5 dataset besides its accesses: H5D counters without the prefix. */
export interface Dataset {
  readonly file: string;
  readonly counters: Readonly<Record<string, number>>;
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
  /** By the name of the dataset, as in calls of H5D. */
  readonly datasets?: ReadonlyMap<string, Dataset>;
  /** File systems by mount point; Lustre at /scratch and a local one unless given. */
  readonly mounts?: readonly { readonly type: string; readonly path: string }[];
  /** False: layouts are used, but the log has no LUSTRE records. */
  readonly layoutRecords?: boolean;
  /** False: one process without MPI, whose records are not reduced. */
  readonly mpi: boolean;
  readonly heatmap: boolean;
  /** Trace each read and write (DXT). */
  readonly traces: boolean;
  /** A module has room for this many records in a process; the log says when more were needed. */
  readonly recordsPerRankMax: number;
}
