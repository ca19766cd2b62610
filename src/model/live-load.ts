/** What a file system does now: targets and jobs with their rates, from a collector's folder or a store. */

/** In a second. */
export interface LoadRates {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly reads: number;
  readonly writes: number;
  /** Metadata operations, and on an OST what is neither a read nor a write. */
  readonly operations: number;
}

export interface LiveTarget extends LoadRates {
  readonly fileSystem: string | null;
  readonly target: string;
  readonly server: string | null;
  /** Mean times on the server; null: not counted, or none was made. */
  readonly secondsPerRead: number | null;
  readonly secondsPerWrite: number | null;
  readonly secondsPerOperation: number | null;
  /** Used shares of bytes and inodes; null: not known. */
  readonly bytesUsedShare: number | null;
  readonly inodesUsedShare: number | null;
  /** COMPLETE, RECOVERING and so on; null: not known. */
  readonly recovery: string | null;
  /** End of the time that the rates are of. */
  readonly atUnix: number;
}

export interface LiveJob extends LoadRates {
  readonly id: string;
  readonly user: string | null;
  /** Targets that it was busy on. */
  readonly targets: number | null;
}

export interface LiveLoad {
  /** The time that rates are of, seconds since 1970. */
  readonly fromUnix: number;
  readonly toUnix: number;
  readonly targets: readonly LiveTarget[];
  readonly jobs: readonly LiveJob[];
  /** What a person should know. */
  readonly notices: readonly string[];
  readonly synthetic: boolean;
}

export const NO_RATES: LoadRates = { bytesRead: 0, bytesWritten: 0, reads: 0, writes: 0, operations: 0 };

export const addRates = (a: LoadRates, b: LoadRates): LoadRates => ({
  bytesRead: a.bytesRead + b.bytesRead,
  bytesWritten: a.bytesWritten + b.bytesWritten,
  reads: a.reads + b.reads,
  writes: a.writes + b.writes,
  operations: a.operations + b.operations,
});
