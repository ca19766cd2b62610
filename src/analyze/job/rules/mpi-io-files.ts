/** Files in the MPI-IO layer: of whom, opened how, accessed independently or without a view. */
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { isCollective, layerOf, type Matched, randomFiles, SMALL, traceOf } from "./access-patterns.ts";
import { bytesOf, callsOf, consecutiveOf, total, type Way } from "./words-a.ts";

/** Files of libraries above MPI-IO, which have rules of their own where their calls were recorded. */
export function libraryFiles(job: Job): ReadonlySet<string> {
  const datasets = [...job.layer("H5D"), ...job.layer("PNETCDF_VAR")];
  return new Set(datasets.map(({ parentId }) => parentId));
}

/** Opened by every rank for itself (MPI_COMM_SELF), so that nothing can be collective. */
export const isOpenedAlone = (record: LayerRecord) =>
  record.collectiveOpens === 0 && record.opens > 0 && record.ranks > 1;

export const independentOf = (record: LayerRecord, way: Way) =>
  way === "read" ? record.independentReads : record.independentWrites;

export const INDEPENDENT = { share: 0.5, calls: 1000 } as const;

/** Files that several ranks opened together and yet access one by one. */
export function independentFiles(
  job: Job,
  way: Way,
  limits: { share: number; calls: number } = INDEPENDENT,
): LayerRecord[] {
  const library = libraryFiles(job);
  const files = job
    .layer("MPI-IO")
    .filter(
      (record) =>
        record.ranks > 1 &&
        !library.has(record.fileId) &&
        !isOpenedAlone(record) &&
        independentOf(record, way) > 0 &&
        independentOf(record, way) >= limits.share * callsOf(record, way),
    );
  return total(files, (record) => independentOf(record, way)) >= limits.calls ? files : [];
}

export interface Viewless extends Matched {
  readonly way: Way;
  /** Share of the requests that do not begin where the one before ended. */
  readonly apart: number;
  readonly collective: boolean;
  readonly traced: boolean;
}

export const VIEWLESS = { bytes: SMALL.bytes, perRank: 100, apart: 0.5, calls: SMALL.calls } as const;

/** Files of many small requests that lie apart, without a file view; independent ones of several ranks not. */
export function viewlessFiles(
  job: Job,
  limits: { bytes: number; perRank: number; apart: number; calls: number } = VIEWLESS,
): Viewless[] {
  const library = libraryFiles(job);
  const files = job.layer("MPI-IO").flatMap((record) => {
    const way = record.writes >= record.reads ? ("write" as const) : ("read" as const);
    const calls = callsOf(record, way);
    const collective = isCollective(record, way);
    if (record.views !== 0 || library.has(record.fileId)) return [];
    if (record.ranks > 1 && !collective) return [];
    if (!(calls >= limits.perRank * record.ranks && bytesOf(record, way) < limits.bytes * calls)) return [];
    const traced = traceOf(job, record)?.[way];
    const below = layerOf(job, record, "POSIX");
    let next = Number.NaN;
    if (traced !== undefined && traced.calls > 0) next = traced.consecutiveCalls / traced.calls;
    // Below collective calls POSIX shows the order of the library.
    else if (!collective && below !== undefined) next = consecutiveOf(below, way) / callsOf(below, way);
    return 1 - next >= limits.apart
      ? [{ record, way, count: calls, apart: 1 - next, collective, traced: traced !== undefined }]
      : [];
  });
  const random = new Set(
    files.length === 0
      ? []
      : (["read", "write"] as const).flatMap((way) =>
          randomFiles(job, way).map(({ record }) => `${way} ${record.fileId}`),
        ),
  );
  const kept = files.filter(({ record, way }) => !random.has(`${way} ${record.fileId}`));
  return total(kept, ({ count }) => count) >= limits.calls ? kept : [];
}
