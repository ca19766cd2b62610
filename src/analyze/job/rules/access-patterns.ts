/**
 * How files are accessed in the POSIX layer: small, random, strided, read before they are written. A call belongs to
 * one pattern only, so that one cause is reported once: random before strided before parts of blocks before small.
 * A rule hands in its limits and what it leaves to others.
 */
import { timeModel } from "../cost/time-model.ts";
import type { Job } from "../job.ts";
import { type LayerRecord, sizeAt } from "../records.ts";
import type { TraceFileFacts } from "../trace-facts.ts";
import {
  accessesOf,
  bytesOf,
  callsOf,
  consecutiveOf,
  endOf,
  KIB,
  MIB,
  secondsOf,
  sequentialOf,
  sum,
  WAYS,
  type Way,
} from "./measures.ts";
import { layerOf, posixFiles, stdioFiles, traceOf } from "./per-job.ts";

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

/** Calls below this many bytes, by the classes that lie below; NaN when sizes were not recorded. */
export function smallCalls(record: LayerRecord, way: Way, below: number): number {
  let small = 0;
  for (let index = 0; index < UPPER_BOUNDS.length; index++) {
    const bound = UPPER_BOUNDS[index] as number;
    if (bound > below) break;
    const calls = sizeAt(record, way, index);
    small += calls;
    // A class holds its upper bound: calls of exactly this many bytes are not below.
    if (bound === below && calls > 0) small -= Math.min(calls, countOfSize(record, below));
  }
  return small;
}

const countOfSize = (record: LayerRecord, size: number) =>
  sum(record.accesses, ({ bytes, count }) => (bytes === size ? count : 0));

/** Writes of less than a block: the classes up to 1 KiB and frequent sizes of the class that the block divides. */
function subBlockWrites(record: LayerRecord): number {
  const [tiny, kilobyte, across] = record.writeSizes as unknown as number[];
  const frequent = sum(record.accesses, ({ bytes, count }) =>
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

export interface Matched {
  readonly record: LayerRecord;
  /** Calls of the pattern. */
  readonly count: number;
}

export const countOf = (files: readonly Matched[]) => sum(files, ({ count }) => count);

/** All of them when they have enough calls together, otherwise none. */
const enough = <Kind extends Matched>(files: Kind[], calls: number): Kind[] =>
  countOf(files) >= calls ? files : [];

/** Ours: a file of fewer pieces may be accessed again rather than at random, unless each piece is accessed about once. */
const POSITIONS_MIN = 100;
const POSITIONS_LEAST = 8;
const ABOUT_ONCE = 1.5;

/** Files with many accesses that begin before the end of the previous one of their rank. */
export function randomFiles(job: Job, way: Way, limits: { share: number; calls: number }): Matched[] {
  const matched: Matched[] = [];
  for (const record of posixFiles(job)) {
    const calls = callsOf(record, way);
    if (!(calls > 0)) continue;
    const count = backwardCalls(record, way);
    const positions = endOf(record, way) / (bytesOf(record, way) / calls);
    const isOnce = bytesOf(record, way) <= ABOUT_ONCE * endOf(record, way);
    const isRandom =
      count >= limits.share * calls &&
      positions >= (isOnce ? POSITIONS_LEAST * record.ranks : POSITIONS_MIN) &&
      consecutiveOf(record, way) < 0.5 * calls &&
      !isCollective(layerOf(job, record, "MPI-IO"), way);
    if (isRandom) matched.push({ record, count });
  }
  return enough(matched, limits.calls);
}

/** Ours: a seek that stays in the buffer costs no more than copying; storage takes longer than this. */
const FROM_STORAGE_SECONDS = 50e-6;

/** Streams that seek before most reads, each of which waits for storage: the buffer is fetched for a few bytes. */
export function seekingStreams(job: Job, limits: { calls: number }): Matched[] {
  const matched: Matched[] = [];
  for (const record of stdioFiles(job)) {
    const { reads, readSeconds, bytesRead } = record;
    const count = Math.min(reads, record.seeks - (record.opens || 0));
    const isSeeking =
      count >= 0.5 * reads &&
      readSeconds >= FROM_STORAGE_SECONDS * reads &&
      endOf(record, "read") >= POSITIONS_MIN * (bytesRead / reads);
    if (isSeeking) matched.push({ record, count });
  }
  return enough(matched, limits.calls);
}

/**
 * Accesses that go back. Darshan counts the first access of a rank as one when it begins at 0, and so does each
 * pass over a file that is read again; these are taken off.
 */
function backwardCalls(record: LayerRecord, way: Way): number {
  const passes = Math.max(1, bytesOf(record, way) / endOf(record, way));
  const starts = Math.max(record.opens || 0, record.ranks) + record.ranks * (passes - 1);
  return Math.max(0, callsOf(record, way) - sequentialOf(record, way) - starts);
}

export interface Strided extends Matched {
  readonly way: Way;
  readonly regionBytes: number;
  readonly gapBytes: number;
  readonly source: "counters" | "traces";
}

/** Ours: part of a file that pieces fill where nothing but headers is left out. */
const WOVEN = 0.9;
/** Ours: below, a gap that occurs again is no pattern. */
const REPEATED = 10;

/** The pieces of each rank fill the gaps of the others: the size of the pieces costs. */
const isWoven = (record: LayerRecord, way: Way) =>
  record.ranks > 1 && bytesOf(record, way) >= WOVEN * endOf(record, way);

/** Files that are accessed in small pieces at equal gaps, by POSIX calls of the application itself. */
export function stridedFiles(
  job: Job,
  limits: { share: number; calls: number; bytes: number },
  taken: ReadonlySet<string>,
): Strided[] {
  const matched: Strided[] = [];
  for (const record of posixFiles(job)) {
    const way = record.reads > record.writes ? "read" : "write";
    const calls = callsOf(record, way);
    if (!(calls >= REPEATED * record.ranks) || taken.has(record.fileId)) continue;
    if (!(bytesOf(record, way) < limits.bytes * calls) || !(consecutiveOf(record, way) < 0.5 * calls))
      continue;
    if (layerOf(job, record, "MPI-IO") !== undefined || isWoven(record, way)) continue;
    const gaps = record.strides.filter(({ bytes, count }) => bytes > 0 && count >= REPEATED);
    const trace = traceOf(job, record)?.[way];
    const counted = Math.min(
      calls,
      sum(gaps, ({ count }) => count),
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
  return enough(matched, limits.calls);
}

/** Files with many writes of less than a block that do not follow one another, so that no cache can join them. */
export function subBlockFiles(
  job: Job,
  limits: { share: number; calls: number },
  taken: ReadonlySet<string>,
): Matched[] {
  const matched: Matched[] = [];
  for (const record of posixFiles(job)) {
    // The first write of a file follows none.
    if (!(record.consecutiveWrites < 0.5 * (record.writes - record.ranks)) || taken.has(record.fileId))
      continue;
    const count = subBlockWrites(record);
    if (count >= limits.share * record.writes) matched.push({ record, count });
  }
  return enough(matched, limits.calls);
}

interface Small {
  readonly files: readonly Matched[];
  readonly count: number;
  /** Calls of this direction in all files, also in those that are left to others. */
  readonly calls: number;
}

/** Small calls that no other pattern explains, when there are many. */
export function smallAccesses(
  job: Job,
  way: Way,
  limits: { bytes: number; share: number; calls: number },
  taken: ReadonlySet<string>,
  isRepeated: (record: LayerRecord) => boolean,
): Small | undefined {
  const files: Matched[] = [];
  let calls = 0;
  for (const record of posixFiles(job)) {
    if (!(callsOf(record, way) > 0)) continue;
    const count = smallCalls(record, way, limits.bytes);
    if (Number.isNaN(count)) continue;
    calls += callsOf(record, way);
    const isTaken = taken.size > 0 && taken.has(record.fileId);
    if (count > 0 && !isTaken && !isRepeated(record) && areMost(job, record, way, count))
      files.push({ record, count });
  }
  const count = countOf(files);
  return count >= limits.calls && count >= limits.share * calls ? { files, count, calls } : undefined;
}

/** Small calls are at least half of the calls of the file, or of their time by the costs of the job's calls and bytes. */
function areMost(job: Job, record: LayerRecord, way: Way, small: number): boolean {
  if (small >= 0.5 * callsOf(record, way)) return true;
  const model = timeModel(job, record.layer, way);
  return model !== undefined && model.perCall * small >= 0.5 * secondsOf(record, way);
}

interface Rewritten extends Matched {
  /** Bytes that were read only to be written again. */
  readonly bytes: number;
  /** mpi-io: the library reads what the application never asked for; posix: the application alternates. */
  readonly by: "mpi-io" | "posix";
}

/** Files whose pieces are read before they are written. */
export function rewrittenFiles(
  job: Job,
  limits: { share: number; switches: number; bytes: number; turns: number },
): Rewritten[] {
  const matched: Rewritten[] = [];
  for (const record of posixFiles(job)) {
    if (!(record.rwSwitches >= limits.switches && record.bytesWritten > 0)) continue;
    const mpi = layerOf(job, record, "MPI-IO");
    const bytes = mpi === undefined ? alternated(job, record) : record.bytesRead - (mpi.bytesRead || 0);
    if (mpi !== undefined && !(mpi.bytesWritten > 0)) continue;
    const much = bytes >= limits.bytes || (bytes > 0 && record.rwSwitches >= limits.turns);
    if (!(much && bytes >= limits.share * record.bytesWritten)) continue;
    matched.push({ record, count: record.reads, bytes, by: mpi === undefined ? "posix" : "mpi-io" });
  }
  return matched;
}

/** Whether most reads were of a place that the rank wrote next. */
export const isRewritten = ({ read, rewrites }: TraceFileFacts) =>
  rewrites.calls > 0 && rewrites.calls >= 0.5 * read.calls;

/** Bytes that a program read and wrote in turns; 0 when it does not alternate on the same part of the file. */
function alternated(job: Job, record: LayerRecord): number {
  const trace = traceOf(job, record);
  // Reads that the write of the same place followed: nothing is inferred.
  if (trace !== undefined && isRewritten(trace))
    return (record.bytesRead * trace.rewrites.calls) / trace.read.calls;
  // What is changed is read first; what is written first is read back.
  if (record.writeStart < record.readStart) return 0;
  const turns = record.rwSwitches >= 0.5 * accessesOf(record);
  const [written, read] = WAYS.map((way) => endOf(record, way)) as [number, number];
  const same = Math.min(read, written) >= 0.5 * Math.max(read, written);
  if (!(turns && same)) return 0;
  const both = Math.min(record.bytesRead, record.bytesWritten);
  return trace === undefined || Number.isNaN(trace.writtenAndReadBytes)
    ? both
    : Math.min(both, trace.writtenAndReadBytes);
}

/** Parallel HDF5 files with many tiny independent accesses that are no transfers of datasets. */
export function hdf5MetadataFiles(
  job: Job,
  limits: { bytes: number; calls: number; share: number },
): Matched[] {
  const tiny = (record: LayerRecord) => sum(WAYS, (way) => smallCalls(record, way, limits.bytes));
  const ofDatasets = new Map<string, number>();
  for (const dataset of job.layer("H5D"))
    ofDatasets.set(dataset.parentId, (ofDatasets.get(dataset.parentId) ?? 0) + tiny(dataset));
  const matched: Matched[] = [];
  for (const file of job.layer("H5F")) {
    if (!(file.usesMpiio > 0 && file.ranks > 1)) continue;
    const below = layerOf(job, file, "MPI-IO") ?? layerOf(job, file, "POSIX");
    if (below === undefined) continue;
    const count = tiny(below) - (ofDatasets.get(file.fileId) ?? 0);
    if (count > 0 && count >= limits.share * accessesOf(below)) matched.push({ record: below, count });
  }
  return enough(matched, limits.calls);
}
