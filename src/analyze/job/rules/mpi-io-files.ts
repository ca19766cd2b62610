/** Files in the MPI-IO layer: opened how, accessed independently or without a view. */
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { countOf, isCollective, type Matched } from "./access-patterns.ts";
import { bytesOf, callsOf, consecutiveOf, endOf, MIB, sum, type Way } from "./measures.ts";
import { layerOf, libraryFiles, mpiFiles, traceOf } from "./per-job.ts";

/** Opened by every rank for itself (MPI_COMM_SELF), so that nothing can be collective. */
export const isOpenedAlone = (record: LayerRecord) =>
  record.collectiveOpens === 0 && record.opens > 0 && record.ranks > 1;

/** Counted, or, where calls are not told apart, inferred. */
export function independentOf(job: Job, record: LayerRecord, way: Way): number {
  const counted = way === "read" ? record.independentReads : record.independentWrites;
  return Number.isNaN(counted) && reachesStorageOneByOne(job, record, way) ? callsOf(record, way) : counted;
}

/** Each rank makes one POSIX call for each of its own, with pieces that lie apart: aggregators would have joined them. */
function reachesStorageOneByOne(job: Job, record: LayerRecord, way: Way): boolean {
  const below = layerOf(job, record, "POSIX");
  return (
    below !== undefined &&
    below.ranks === record.ranks &&
    callsOf(below, way) === callsOf(record, way) &&
    bytesOf(below, way) === bytesOf(record, way) &&
    consecutiveOf(below, way) < 0.5 * callsOf(below, way)
  );
}

/** Each rank goes through a range of its own: its small calls become large without the others. */
function isInOrder(job: Job, record: LayerRecord, way: Way): boolean {
  const below = layerOf(job, record, "POSIX");
  return (
    below !== undefined &&
    bytesOf(record, way) < MIB * callsOf(record, way) &&
    callsOf(below, way) >= 0.5 * callsOf(record, way) &&
    consecutiveOf(below, way) >= 0.5 * callsOf(below, way)
  );
}

/** Files that several ranks opened together and yet access one by one. */
export function independentFiles(
  job: Job,
  way: Way,
  limits: { share: number; calls: number },
): LayerRecord[] {
  const library = libraryFiles(job);
  const files = mpiFiles(job).filter(
    (record) =>
      record.ranks > 1 &&
      !library.has(record.fileId) &&
      !isOpenedAlone(record) &&
      independentOf(job, record, way) > 0 &&
      independentOf(job, record, way) >= limits.share * callsOf(record, way) &&
      !isInOrder(job, record, way) &&
      // Calls of megabytes gain little by being joined; only many of them are worth a word.
      (bytesOf(record, way) < MIB * callsOf(record, way) ||
        independentOf(job, record, way) >= 10 * limits.calls),
  );
  return sum(files, (record) => independentOf(job, record, way)) >= limits.calls ? files : [];
}

interface Viewless extends Matched {
  readonly way: Way;
  /** Share of the requests that do not start where the previous one ended. */
  readonly apart: number;
  readonly collective: boolean;
  readonly traced: boolean;
}

/** Files of many small requests that lie apart, without a file view; independent ones of several ranks not. */
export function viewlessFiles(
  job: Job,
  limits: { bytes: number; perRank: number; apart: number; calls: number },
  isTaken: (fileId: string, way: Way) => boolean,
): Viewless[] {
  const library = libraryFiles(job);
  const files = mpiFiles(job).flatMap((record): Viewless[] => {
    const way = record.writes >= record.reads ? "write" : "read";
    const calls = callsOf(record, way);
    const collective = isCollective(record, way);
    if (record.views !== 0 || library.has(record.fileId) || isTaken(record.fileId, way)) return [];
    if (record.ranks > 1 && !collective) return [];
    if (!(calls >= limits.perRank * record.ranks && bytesOf(record, way) < limits.bytes * calls)) return [];
    const traced = traceOf(job, record)?.[way];
    const below = layerOf(job, record, "POSIX");
    // The same bytes again and again: a view would only describe them as often.
    if (below !== undefined && bytesOf(below, way) >= 2 * endOf(below, way) * record.ranks) return [];
    let next = Number.NaN;
    if (traced !== undefined && traced.calls > 0) next = traced.consecutiveCalls / traced.calls;
    // Below collective calls POSIX shows the order of the library.
    else if (!collective && below !== undefined) next = consecutiveOf(below, way) / callsOf(below, way);
    return 1 - next >= limits.apart
      ? [{ record, way, count: calls, apart: 1 - next, collective, traced: traced !== undefined }]
      : [];
  });
  return countOf(files) >= limits.calls ? files : [];
}
