/** What rules and sections know of a job: facts, records by file and layer, and what traces and heat maps add. */
import type { Activity } from "./activity.ts";
import type { Ledger } from "./cost/ledger.ts";
import type { Fact } from "./facts.ts";
import type { Folder } from "./folder-tree.ts";
import type { MpiFacts } from "./mpi.ts";
import type { NetworkFacts } from "./network.ts";
import type { LayerRecord } from "./records.ts";
import type { SpanFacts } from "./spans.ts";
import type { TraceFacts } from "./trace-facts.ts";

export interface Job {
  readonly runs: readonly RunFacts[];
  /** Processes of all runs that the input has records of. */
  readonly ranks: number;
  /** Their numbers lie below it; more than `ranks` where some have no trace. */
  readonly rankEnd: number;
  /** Nodes that they ran on, by the host names of traced processes; NaN when the input names none. */
  readonly nodes: number;
  /** From the start of the first run to the end of the last; NaN when no log says. */
  readonly runSeconds: number;
  /** Of the first run, seconds since 1970. */
  readonly startUnixSeconds: number;
  /** Modules or layers with data, in any run, as the input names them. */
  readonly modules: ReadonlySet<string>;
  readonly facts: ReadonlySet<Fact>;
  /** Modules whose data is incomplete. */
  readonly partialModules: ReadonlySet<string>;
  /** The input says that calls are missing. */
  readonly isIncomplete: boolean;
  /** One per file and layer. */
  readonly records: readonly LayerRecord[];
  /** Records of one layer: "POSIX", "MPI-IO", "STDIO", "DFS", "DAOS", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR". */
  layer(name: string): readonly LayerRecord[];
  /** One per file (not per dataset). */
  readonly files: readonly JobFile[];
  readonly file: (fileId: string) => JobFile | undefined;
  /** Their folders; undefined without files. */
  readonly folders: () => Folder | undefined;
  /** Per rank and layer: files that the rank did not share with all. */
  readonly rankLoads: readonly RankLoad[];
  readonly io: IoTimes;
  /** What the job waits for, and what it would gain without a cause. */
  readonly ledger: Ledger;
  /** Bytes over time and per rank, from the heat map or the traces; undefined when neither was recorded. */
  readonly activity: Activity | undefined;
  /** From traced calls; undefined when there are none. */
  readonly trace: TraceFacts | undefined;
  /** What the application says of itself beside its I/O; undefined when it says nothing. */
  readonly spans: SpanFacts | undefined;
  /** Time in MPI calls (APMPI); undefined when it was not recorded. */
  readonly mpi: MpiFacts | undefined;
  /** Counters of routers (APXC); undefined when they were not recorded. */
  readonly network: NetworkFacts | undefined;
  /** Load of each OST that the job's files lie on; empty without LUSTRE records. */
  readonly osts: readonly OstLoad[];
  /** Which files were chosen; undefined when all of them are here. */
  readonly filter: AppliedFilter | undefined;
  /** What was computed of it once (once-per-job.ts), by the function that does. */
  readonly kept: Map<unknown, unknown>;
}

/** Files that were left out of everything, by patterns on their names. */
export interface AppliedFilter {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly filesLeftOut: number;
  readonly bytesReadLeftOut: number;
  readonly bytesWrittenLeftOut: number;
}

export interface RunFacts {
  readonly runId: string;
  /** Format of the input: `darshan`, `trace`, `strace` … */
  readonly kind: string;
  readonly source: string;
  readonly jobId: string;
  readonly userId: string;
  readonly application: string;
  readonly commandLine: string;
  readonly ranks: number;
  readonly startUnixSeconds: number;
  readonly runSeconds: number;
  readonly logVersion: string;
  readonly libraryVersion: string | null;
  /** A generator made it. */
  readonly isSynthetic: boolean;
  readonly modules: readonly string[];
  readonly partialModules: readonly string[];
  readonly warnings: readonly string[];
  /** What its ranks and times are moved by in the job. */
  readonly rankBase: number;
  readonly shiftSeconds: number;
}

/** A file with its record in each layer that has one. */
export interface JobFile {
  readonly fileId: string;
  readonly path: string;
  readonly mount: string | null;
  readonly fsType: string | null;
  readonly layers: ReadonlyMap<string, LayerRecord>;
  /** The record of the layer that the application calls: MPI-IO, else POSIX, STDIO, DFS, DAOS. */
  readonly called: LayerRecord;
  /** Bytes below MPI-IO: POSIX + STDIO, or DFS, or DAOS; MPI-IO where nothing below was recorded. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Time in the called layer, summed over ranks: read + write + metadata. */
  readonly seconds: number;
  /** Time of the slowest rank in the called layer. */
  readonly slowestSeconds: number;
  readonly stripeCount: number;
  readonly stripeBytes: number;
  readonly osts: readonly number[];
}

export interface RankLoad {
  readonly layer: string;
  readonly rank: number;
  readonly files: number;
  readonly opens: number;
  readonly reads: number;
  readonly writes: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly readSeconds: number;
  readonly writeSeconds: number;
  readonly metaSeconds: number;
}

/** I/O time of the job in the layers that the application calls (J02). */
export interface IoTimes {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Exact sums. */
  readonly bytesReadExact: bigint;
  readonly bytesWrittenExact: bigint;
  /** Summed over ranks. */
  readonly readSeconds: number;
  readonly writeSeconds: number;
  readonly metaSeconds: number;
  /** (read + write + metadata) / ranks. */
  readonly meanSeconds: number;
  /** Slowest rank in files of its own, plus the slowest rank of each shared file; at most the run time. */
  readonly slowestSeconds: number;
  /** Rank that spent most in files of its own; NaN when all files are shared. */
  readonly slowestRank: number;
  /** meanSeconds and slowestSeconds over the run time, at most one. */
  readonly meanShare: number;
  readonly slowestShare: number;
  /** (bytes read + written) / slowestSeconds, as darshan-parser's agg_perf_by_slowest. */
  readonly bytesPerSecond: number;
}

export interface OstLoad {
  readonly ost: number;
  readonly files: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Time of calls that went there, summed over ranks. */
  readonly seconds: number;
  readonly calls: number;
  /** trace: from the offsets of traced calls; files: the load of each file spread evenly over its stripes. */
  readonly source: "trace" | "files";
}
