/**
 * How files are accessed in the POSIX layer: small, random, strided, read before they are written. Each call
 * belongs to one pattern only, so that one cause is reported once: random before strided before parts of blocks
 * before small. A pattern is an answer only when it reaches the limits of its rule.
 */
import type { Job, JobFile } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import type { TraceFileFacts } from "../trace-facts.ts";
import {
  bytesOf,
  callsOf,
  consecutiveOf,
  extentOf,
  isPlainFile,
  KIB,
  MIB,
  sequentialOf,
  total,
} from "./words-a.ts";
import type { Way } from "./words-a.ts";

/** Upper bounds of Darshan's classes of sizes, inclusive. */
const UPPER_BOUNDS = [
  100,
  KIB,
  10 * KIB,
  100 * KIB,
  MIB,
  4 * MIB,
  10 * MIB,
  100 * MIB,
  1024 * MIB,
  Number.POSITIVE_INFINITY,
] as const;

/** File system block and page of most systems. */
export const BLOCK_BYTES = 4 * KIB;

export const posixFiles = (job: Job) => job.layer("POSIX").filter(isPlainFile);

/** Calls below so many bytes, by the classes that lie below; NaN when sizes were not recorded. */
export function smallCalls(record: LayerRecord, way: Way, below: number): number {
  const sizes = way === "read" ? record.readSizes : record.writeSizes;
  let small = 0;
  UPPER_BOUNDS.forEach((bound, index) => {
    const calls = sizes[index] as number;
    if (bound > below) return;
    small += calls;
    // A class holds its upper bound: calls of exactly so many bytes are not below.
    if (bound === below) small -= Math.min(calls, countOfSize(record, below));
  });
  return small;
}

const countOfSize = (record: LayerRecord, size: number) =>
  total(record.accesses, ({ bytes, count }) => (bytes === size ? count : 0));

/** Writes of less than a block: the classes up to 1 KiB and frequent sizes of the class that the block divides. */
export function subBlockWrites(record: LayerRecord): number {
  const [tiny, kilobyte, across] = record.writeSizes as unknown as number[];
  const frequent = total(record.accesses, ({ bytes, count }) =>
    bytes > KIB && bytes < BLOCK_BYTES ? count : 0,
  );
  return (tiny as number) + (kilobyte as number) + Math.min(across as number, frequent);
}

/** At least half of the calls are made by all ranks together, so the library below decides what POSIX sees. */
export function isCollective(record: LayerRecord | undefined, way: Way): boolean {
  if (record === undefined) return false;
  const together =
    way === "read"
      ? record.collectiveReads + record.splitReads
      : record.collectiveWrites + record.splitWrites;
  return together > 0 && together >= 0.5 * callsOf(record, way);
}

export const layerOf = (job: Job, record: LayerRecord, layer: string): LayerRecord | undefined =>
  job.file(record.fileId)?.layers.get(layer);

const TRACES = new WeakMap<Job, ReadonlyMap<string, TraceFileFacts>>();

/** What traces say of the file in the layer of the record. */
export function traceOf(job: Job, { fileId, layer }: LayerRecord): TraceFileFacts | undefined {
  let files = TRACES.get(job);
  if (files === undefined) {
    files = new Map(job.trace?.files.map((file) => [`${file.layer} ${file.fileId}`, file]));
    TRACES.set(job, files);
  }
  return files.get(`${layer} ${fileId}`);
}

/** Files of HDF5, by their own records or those of their datasets. */
export function hdf5Files(job: Job): ReadonlySet<string> {
  return new Set([
    ...job.layer("H5F").map(({ fileId }) => fileId),
    ...job.layer("H5D").map(({ parentId }) => parentId),
  ]);
}

export interface Matched {
  readonly record: LayerRecord;
  /** Calls of the pattern. */
  readonly count: number;
}

export const RANDOM = { share: 0.2, calls: 1000 } as const;
/** Ours: a file of fewer pieces is read again rather than at random. */
const POSITIONS_MIN = 100;

/** Files with many accesses that begin before the end of the previous one of their rank. */
export function randomFiles(
  job: Job,
  way: Way,
  limits: { share: number; calls: number } = RANDOM,
): Matched[] {
  const matched = posixFiles(job)
    .map((record) => ({ record, count: backwardCalls(record, way) }))
    .filter(({ record, count }) => {
      const calls = callsOf(record, way);
      const positions = extentOf(record, way) / (bytesOf(record, way) / calls);
      return (
        count >= limits.share * calls &&
        positions >= POSITIONS_MIN &&
        consecutiveOf(record, way) < 0.5 * calls &&
        !isCollective(layerOf(job, record, "MPI-IO"), way)
      );
    });
  return total(matched, ({ count }) => count) >= limits.calls ? matched : [];
}

/**
 * Accesses that go back. Darshan counts the first access of a rank as one when it begins at 0, and so does each
 * pass over a file that is read again; these are taken off.
 */
function backwardCalls(record: LayerRecord, way: Way): number {
  const passes = Math.max(1, bytesOf(record, way) / extentOf(record, way));
  const starts = Math.max(record.opens || 0, record.ranks) + record.ranks * (passes - 1);
  return Math.max(0, callsOf(record, way) - sequentialOf(record, way) - starts);
}

export interface Strided extends Matched {
  readonly way: Way;
  readonly regionBytes: number;
  readonly gapBytes: number;
  readonly source: "counters" | "traces";
}

/** Ours: below, a gap that occurs again is no pattern. */
const REPEATED = 10;

export const STRIDED = { share: 0.5, calls: 1000, bytes: MIB } as const;

/** Files that are accessed in small pieces at equal gaps, by POSIX calls of the application itself. */
export function stridedFiles(
  job: Job,
  limits: { share: number; calls: number; bytes: number } = STRIDED,
): Strided[] {
  const random = new Set(
    (["read", "write"] as const).flatMap((way) => randomFiles(job, way).map(({ record }) => record.fileId)),
  );
  const matched: Strided[] = [];
  for (const record of posixFiles(job)) {
    if (random.has(record.fileId) || layerOf(job, record, "MPI-IO") !== undefined) continue;
    const way = record.reads > record.writes ? "read" : "write";
    const calls = callsOf(record, way);
    if (!(calls >= REPEATED * record.ranks)) continue;
    if (!(bytesOf(record, way) < limits.bytes * calls) || !(consecutiveOf(record, way) < 0.5 * calls))
      continue;
    const gaps = record.strides.filter(({ bytes, count }) => bytes > 0 && count >= REPEATED);
    const trace = traceOf(job, record)?.[way];
    const counted = Math.min(
      calls,
      total(gaps, ({ count }) => count),
    );
    const source = trace !== undefined && trace.stridedCalls > counted ? "traces" : "counters";
    const count = source === "traces" ? (trace?.stridedCalls ?? 0) : counted;
    if (!(count >= limits.share * calls)) continue;
    matched.push({
      record,
      way,
      count,
      source,
      regionBytes: record.accesses[0]?.bytes ?? bytesOf(record, way) / calls,
      gapBytes: gaps[0]?.bytes ?? Number.NaN,
    });
  }
  return total(matched, ({ count }) => count) >= limits.calls ? matched : [];
}

export const SUB_BLOCK = { share: 0.1, calls: 1000 } as const;

/** Files with many writes of less than a block that do not follow one another, so that no cache can join them. */
export function subBlockFiles(job: Job, limits: { share: number; calls: number } = SUB_BLOCK): Matched[] {
  const taken = new Set([
    ...randomFiles(job, "write").map(({ record }) => record.fileId),
    ...stridedFiles(job).map(({ record }) => record.fileId),
    ...hdf5MetadataFiles(job).map(({ record }) => record.fileId),
  ]);
  const matched = posixFiles(job)
    .filter(
      (record) =>
        !taken.has(record.fileId) &&
        record.consecutiveWrites < 0.5 * record.writes &&
        subBlockWrites(record) >= limits.share * record.writes,
    )
    .map((record) => ({ record, count: subBlockWrites(record) }));
  return total(matched, ({ count }) => count) >= limits.calls ? matched : [];
}

/** Calls below so many bytes are small, and so many of them make a finding. */
export const SMALL = { bytes: MIB, share: 0.1, calls: 1000 } as const;

export const REWRITE = { share: 0.1, switches: 100, bytes: 16 * MIB } as const;

export interface Rewritten extends Matched {
  /** Bytes that were read only to be written again. */
  readonly bytes: number;
  /** mpi-io: the library reads what the application never asked for; posix: the application alternates. */
  readonly by: "mpi-io" | "posix";
}

/** Files whose pieces are read before they are written. */
export function rewrittenFiles(
  job: Job,
  limits: { share: number; switches: number; bytes: number } = REWRITE,
): Rewritten[] {
  const matched: Rewritten[] = [];
  for (const record of posixFiles(job)) {
    if (!(record.rwSwitches >= limits.switches && record.bytesWritten > 0)) continue;
    const mpi = layerOf(job, record, "MPI-IO");
    const bytes = mpi === undefined ? alternated(job, record) : record.bytesRead - (mpi.bytesRead || 0);
    if (mpi !== undefined && !(mpi.bytesWritten > 0)) continue;
    if (!(bytes >= limits.bytes && bytes >= limits.share * record.bytesWritten)) continue;
    matched.push({ record, count: record.reads, bytes, by: mpi === undefined ? "posix" : "mpi-io" });
  }
  return matched;
}

/** Bytes that a program read and wrote in turns; 0 when it does not alternate on the same part of the file. */
function alternated(job: Job, record: LayerRecord): number {
  const turns = record.rwSwitches >= 0.5 * (record.reads + record.writes);
  const same =
    Math.min(extentOf(record, "read"), extentOf(record, "write")) >=
    0.5 * Math.max(extentOf(record, "read"), extentOf(record, "write"));
  if (!(turns && same)) return 0;
  const trace = traceOf(job, record);
  const both = Math.min(record.bytesRead, record.bytesWritten);
  return trace === undefined || Number.isNaN(trace.writtenAndReadBytes)
    ? both
    : Math.min(both, trace.writtenAndReadBytes);
}

export const METADATA = { bytes: 10 * KIB, calls: 1000, share: 0.1 } as const;

/** Parallel HDF5 files with many tiny independent accesses that are no transfers of datasets. */
export function hdf5MetadataFiles(
  job: Job,
  limits: { bytes: number; calls: number; share: number } = METADATA,
): Matched[] {
  if (!job.modules.has("H5F")) return [];
  const tiny = (record: LayerRecord) =>
    smallCalls(record, "read", limits.bytes) + smallCalls(record, "write", limits.bytes);
  const ofDatasets = new Map<string, number>();
  for (const dataset of job.layer("H5D"))
    ofDatasets.set(dataset.parentId, (ofDatasets.get(dataset.parentId) ?? 0) + (tiny(dataset) || 0));
  const matched: Matched[] = [];
  for (const file of job.layer("H5F")) {
    if (!(file.usesMpiio > 0 && file.ranks > 1)) continue;
    const below = layerOf(job, file, "MPI-IO") ?? layerOf(job, file, "POSIX");
    if (below === undefined) continue;
    const count = tiny(below) - (ofDatasets.get(file.fileId) ?? 0);
    if (count >= limits.share * (below.reads + below.writes)) matched.push({ record: below, count });
  }
  return total(matched, ({ count }) => count) >= limits.calls ? matched : [];
}

/** The file of a record with its layers. */
export const fileOf = (job: Job, record: LayerRecord): JobFile | undefined =>
  job.file(record.parentId === "0" ? record.fileId : record.parentId);

/** Stripe of the file on Lustre; NaN elsewhere. */
export function stripeOf(job: Job, record: LayerRecord): number {
  const own = record.stripeBytes > 0 ? record.stripeBytes : fileOf(job, record)?.stripeBytes;
  return own !== undefined && own > 0 ? own : Number.NaN;
}
