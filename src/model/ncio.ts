/** What the benchmark of noncontiguous I/O measures, as data: one point is one method on one pattern. */

export type NcioMethod = "posix" | "sieving" | "list" | "two-phase" | "datatype";
export type NcioCase = "c-c" | "nc-c" | "c-nc" | "nc-nc";

export interface NcioSpread {
  /** Bandwidths of the repeats that count (without the highest and the lowest), bytes per second. */
  readonly low: number;
  readonly high: number;
  /** (high - low) / middle. */
  readonly relative: number;
}

export interface NcioPoint {
  readonly method: NcioMethod;
  readonly case: NcioCase;
  readonly direction: "write" | "read";
  /** `ncio`, or a shape of an application. */
  readonly pattern: string;
  /** Regions of one rank, bytes of one, and bytes from start to start. */
  readonly count: number;
  readonly size: number;
  readonly spacing: number;
  readonly ranks: number;
  readonly backend: "posix" | "servers" | "mpiio" | "memory" | "null";
  /** Servers, when there are any. */
  readonly servers?: number;
  /** How ranks were run: `child processes`, or the MPI. */
  readonly launch: string;
  /** Of all ranks in one repeat; null when the library hides them. */
  readonly requests: number | null;
  readonly messages: number | null;
  /** What the closed formulas say. */
  readonly expectedRequests: number | null;
  readonly expectedMessages: number | null;
  readonly bytes: number;
  /** Bytes moved to or from storage; null when unknown. */
  readonly movedBytes: number | null;
  /** Mean over the repeats that count. */
  readonly bandwidthBytesPerSecond: number;
  /** Without the time of the sync. */
  readonly bandwidthWithoutSyncBytesPerSecond: number;
  readonly seconds: number;
  readonly syncSeconds: number;
  readonly spread: NcioSpread;
  readonly repeats: number;
  readonly warmUps: number;
  /** BPS and related metrics, from the records of the repeats that count. */
  readonly bps: number;
  readonly iops: number;
  readonly arptSeconds: number;
  /** The last rank began so much later than the others; absent where all began together. */
  readonly lateSeconds?: number;
  /** Then the mean time that the others spent in the operation. */
  readonly punctualSeconds?: number;
  /** How the servers of the run work, and what two phase does, where that is not the default: `blocking sync`. */
  readonly modes?: readonly string[];
  /** Every byte was compared; false only with storage that keeps nothing. */
  readonly verified: boolean;
  readonly notes: readonly string[];
}

export type NcioVariable = "count" | "size" | "spacing";

export interface NcioSweep {
  readonly plimsoll: "ncio-sweep";
  readonly version: 1;
  /** The values that each variable takes; the others stay at their defaults. */
  readonly variables: Readonly<Partial<Record<NcioVariable, readonly number[]>>>;
  readonly defaults: { readonly count: number; readonly size: number; readonly spacing: number };
  readonly machine: string;
  readonly startedUnixMs: number;
  readonly layout: string;
  readonly complete: boolean;
  readonly points: readonly NcioPoint[];
}

export interface NcioRegions {
  readonly count: number;
  readonly size: number;
  readonly spacing: number;
}

/**
 * One variable of a sweep at a value, the others at their defaults. The holes between regions stay as they are when regions grow: spacing
 * counts from start to start, so it grows with them.
 */
export function regionsAt(defaults: NcioRegions, variable: NcioVariable, value: number): NcioRegions {
  if (variable !== "size") return { ...defaults, [variable]: value };
  return { ...defaults, size: value, spacing: value + Math.max(0, defaults.spacing - defaults.size) };
}
