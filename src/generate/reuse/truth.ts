/** What truly happened at the centre: files, runs and accesses before anybody recorded them. */

/** 0: POSIX, 1: MPI-IO above POSIX, 2: STDIO alone. */
export type LayerCode = 0 | 1 | 2;
export const LAYERS = ["POSIX", "MPI-IO", "STDIO"] as const;
export const POSIX: LayerCode = 0;
export const MPIIO: LayerCode = 1;
export const STDIO: LayerCode = 2;

export interface FileTruth {
  readonly path: string;
  /** Halves of the record id. */
  readonly idLow: number;
  readonly idHigh: number;
  /** Empty for files that are not on Lustre. */
  readonly osts: readonly number[];
  readonly ostText: string | null;
  readonly accesses: AccessTruth[];
}

export interface AccessTruth {
  readonly file: FileTruth;
  readonly run: RunTruth;
  readonly layer: LayerCode;
  /** Ranks that touched the file: all of the run (a shared record), or rank 0 alone. */
  readonly ioRanks: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Of the slowest rank: in reads, in writes and in metadata operations. */
  readonly readSeconds: number;
  readonly writeSeconds: number;
  readonly metaSeconds: number;
  /** I/O time of the slowest rank: the sum of the three, added in this order. */
  readonly slowestSeconds: number;
}

export interface RunTruth {
  /** The stream it comes from and its number there: no two runs have the same pair. */
  readonly kind: RunKind;
  readonly number: number;
  readonly user: number;
  readonly application: number;
  /** Whole seconds since the Epoch. */
  readonly start: number;
  readonly durationMs: number;
  readonly ranks: number;
  readonly accesses: AccessTruth[];
}

/** Some files with all their runs: nothing in another group touches them. */
export interface Group {
  readonly runs: readonly RunTruth[];
  readonly files: readonly FileTruth[];
}

/** Streams of random numbers and of run numbers. */
export type RunKind = 1 | 2 | 3;
export const SELECTED: RunKind = 1;
export const DECOY: RunKind = 2;
export const BACKGROUND: RunKind = 3;
/** Streams that no run belongs to. */
export const SHIFT_STREAM = 11;
export const PLACEMENT_STREAM = 12;
export const LOAD_STREAM = 13;

/** Share of a rank's I/O time that goes to opens, closes and stats. */
const META_SHARE = 0.02;

/** I/O time of an access, metadata included: what its reads and what its writes took. */
export interface IoTime {
  readonly readSeconds: number;
  readonly writeSeconds: number;
}

/** As long for each byte, read or written. */
export function evenTime(bytesRead: number, bytesWritten: number, seconds: number): IoTime {
  const share = bytesRead / Math.max(1, bytesRead + bytesWritten);
  return { readSeconds: seconds * share, writeSeconds: seconds * (1 - share) };
}

/** Adds an access to its run and its file. */
export function addAccess(
  run: RunTruth,
  file: FileTruth,
  layer: LayerCode,
  ioRanks: number,
  bytesRead: number,
  bytesWritten: number,
  time: IoTime,
): void {
  const isMeta = bytesRead + bytesWritten === 0;
  const metaShare = isMeta ? 1 : META_SHARE;
  const metaSeconds = (time.readSeconds + time.writeSeconds) * metaShare;
  const readSeconds = time.readSeconds * (1 - metaShare);
  const writeSeconds = time.writeSeconds * (1 - metaShare);
  const access = {
    file,
    run,
    layer,
    ioRanks,
    bytesRead,
    bytesWritten,
    readSeconds,
    writeSeconds,
    metaSeconds,
    slowestSeconds: readSeconds + writeSeconds + metaSeconds,
  };
  run.accesses.push(access);
  file.accesses.push(access);
}
