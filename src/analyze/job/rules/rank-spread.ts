/** How the bytes of a job spread over its ranks, as far as a log tells. */
import type { Job, JobFile } from "../job.ts";
import { addAllRankBytes, addRankBytes, type RankBytes } from "../rank-bytes.ts";
import type { LayerRecord } from "../records.ts";
import { bytesMoved, heaviest, mainWay, sum } from "./measures.ts";
import { oncePerJob } from "../once-per-job.ts";
import { realFiles } from "./per-job.ts";
import { many } from "./wording.ts";

interface RankSpread {
  readonly totalBytes: number;
  readonly heaviestRank: number;
  readonly heaviestBytes: number;
  /** How many of the other ranks take part: (sum of bytes)² / sum of squares, which is their number when all move the same. */
  readonly movers: number;
  /** Bytes of every rank; undefined when only the heaviest is known. */
  readonly byRank: EachRank | undefined;
  /** Of a light rank of a file that all ranks use, where only that is known. */
  readonly lightBytes?: number;
}

/** Bytes of every rank of a job: what each moved by itself, and what all moved in equal parts. */
interface EachRank {
  readonly ownBytes: RankBytes;
  /** Of each rank, beside its own. */
  readonly evenBytes: number;
}

/** Bytes in the layer that the application calls, so that collective MPI-IO counts for all ranks that took part. */
export const rankSpread = oncePerJob((job): RankSpread | undefined => {
  const files = realFiles(job).filter(({ called }) => bytesMoved(called) > 0);
  if (files.length === 0 || job.ranks < 2) return undefined;
  const totalBytes = sum(files, ({ called }) => bytesMoved(called));
  const byRank = fromRecords(job, files) ?? fromActivity(job, files, totalBytes);
  return byRank === undefined ? fromLargestFile(files, totalBytes) : fromBytes(byRank, job.ranks, totalBytes);
});

/** Bytes over ranks of some files, with those of the heaviest rank. */
export interface GroupSpread extends RankSpread {
  readonly files: readonly JobFile[];
  /** Files of single ranks among them, of whichever rank. */
  readonly ownFiles: readonly JobFile[];
  /** `the data`, or `what is written to 44 files`. */
  readonly what: string;
}

/** Of all files together, and of files of single ranks that belong together: balanced files would hide the others. */
export const groupSpreads = oncePerJob((job): readonly GroupSpread[] => {
  const all = rankSpread(job);
  const spreads: GroupSpread[] =
    all === undefined
      ? []
      : [{ ...all, files: filesOfRank(job, all), ownFiles: singleRankFiles(job), what: "the data" }];
  for (const files of movedAloneGroups(job).values()) {
    const ownBytes = new Map<number, number>();
    for (const { called } of files) addRankBytes(ownBytes, soleMover(called), bytesMoved(called));
    const totalBytes = sum(files, ({ called }) => bytesMoved(called));
    const spread = fromBytes({ ownBytes, evenBytes: 0 }, job.ranks, totalBytes);
    const verb =
      sum(files, ({ bytesWritten }) => bytesWritten) >= totalBytes / 2 ? "written to" : "read from";
    spreads.push({
      ...spread,
      files: files.filter(({ called }) => soleMover(called) === spread.heaviestRank),
      ownFiles: files,
      what: `what is ${verb} ${many(files.length, "file")}`,
    });
  }
  const grouped = new Set(
    [...movedAloneGroups(job).values()].flatMap((files) => (files.length > 1 ? files : [])),
  );
  for (const file of sharedFiles(job)) {
    if (grouped.has(file)) continue;
    const spread = fromSharedFile(file);
    if (spread === undefined) continue;
    const verb = mainWay(file.called) === "write" ? "written to" : "read from";
    spreads.push({ ...spread, files: [file], ownFiles: [], what: `what is ${verb} ${file.path}` });
  }
  return spreads;
});

/** Files that ranks share, each rank for itself: in collective calls the library decides who moves what. */
const sharedFiles = (job: Job) =>
  realFiles(job)
    .filter(({ called }) => called.shared && bytesMoved(called) > 0 && !isTogether(called))
    .sort((a, b) => b.slowestSeconds - a.slowestSeconds)
    .slice(0, SHARED_FILES_MOST);

/** The slowest files: a rank that is heavy in many small ones is so in one of these as well. */
const SHARED_FILES_MOST = 100;

const isTogether = (record: LayerRecord) =>
  record.collectiveReads > 0 ||
  record.collectiveWrites > 0 ||
  record.splitReads > 0 ||
  record.splitWrites > 0;

const filesOfRank = (job: Job, { heaviestRank }: RankSpread) =>
  realFiles(job).filter(({ called }) => called.slowestRank === heaviestRank && bytesMoved(called) > 0);

const singleRankFiles = (job: Job) =>
  realFiles(job).filter(({ called }) => called.ranks === 1 && bytesMoved(called) > 0);

const GROUPED_FILES_MOST = 50_000;

/**
 * The rank that alone moves data in a file, though others may open or stat it; -1 when several do, in collective calls,
 * or when the log does not tell.
 */
function soleMover(record: LayerRecord): number {
  if (record.ranks === 1) return record.slowestRank;
  const isSole = record.slowestBytes >= 0.99 * bytesMoved(record) && bytesMoved(record) > 0;
  return isSole && !isTogether(record) ? record.slowestRank : -1;
}

/** Files of one rank each, by layer, direction and name without its numbers: `/run/table.#`. */
export const ownFileGroups = oncePerJob((job) =>
  filesAlike(job, ({ ranks, slowestRank }) => (ranks === 1 ? slowestRank : -1)),
);

/** The same with files that others open or stat, too. */
const movedAloneGroups = oncePerJob((job) => filesAlike(job, soleMover));

function filesAlike(
  job: Job,
  rankOf: (record: LayerRecord) => number,
): ReadonlyMap<string, readonly JobFile[]> {
  const groups = new Map<string, JobFile[]>();
  // Names of very many files take longer to look through than an answer is worth: they are a finding of their own.
  if (job.ranks < 2 || job.files.length > GROUPED_FILES_MOST) return groups;
  for (const file of realFiles(job)) {
    const { called } = file;
    if (!(bytesMoved(called) > 0) || !(rankOf(called) >= 0)) continue;
    const key = `${called.layer} ${mainWay(called)} ${file.path.replace(/\d+/g, "#")}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [file]);
    else group.push(file);
  }
  return groups;
}

/** Exact when each file belongs to one rank, is moved by all in equal parts, or lies in a layer with loads per rank. */
function fromRecords(job: Job, files: readonly JobFile[]): EachRank | undefined {
  const ownBytes = new Map<number, number>();
  const open: JobFile[] = [];
  let evenBytes = 0;
  for (const file of files) {
    const { called } = file;
    const mover = soleMover(called);
    if (mover >= 0 && mover < job.rankEnd) addRankBytes(ownBytes, mover, bytesMoved(called));
    else if (called.ranks === job.ranks && called.varianceBytes === 0)
      evenBytes += bytesMoved(called) / job.ranks;
    else open.push(file);
  }
  if (open.length > 0) {
    // Loads per rank leave out shared files, and POSIX counts again what MPI-IO moves.
    if (open.some(({ called }) => called.shared) || job.layer("MPI-IO").length > 0) return undefined;
    ownBytes.clear();
    const layers = new Set(files.map(({ called }) => called.layer));
    for (const load of job.rankLoads)
      if (layers.has(load.layer) && load.rank < job.rankEnd)
        addRankBytes(ownBytes, load.rank, bytesMoved(load));
  }
  return { ownBytes, evenBytes };
}

/** The heat map or trace knows each rank, in one layer: usable when that layer moved what the job moved. */
function fromActivity(job: Job, files: readonly JobFile[], totalBytes: number): EachRank | undefined {
  const { activity } = job;
  if (activity === undefined) return undefined;
  if (files.some(({ called }) => called.collectiveReads > 0 || called.collectiveWrites > 0)) return undefined;
  const ownBytes = new Map(activity.rankBytesRead);
  addAllRankBytes(ownBytes, activity.rankBytesWritten);
  const seen = sum([...ownBytes.values()], (bytes) => bytes);
  return Math.abs(seen - totalBytes) <= 0.05 * totalBytes ? { ownBytes, evenBytes: 0 } : undefined;
}

function fromBytes(byRank: EachRank, ranks: number, totalBytes: number): RankSpread {
  const { ownBytes, evenBytes } = byRank;
  let heaviestRank = 0;
  let heaviestOwn = ownBytes.get(0) ?? 0;
  let squares = (ranks - ownBytes.size) * evenBytes ** 2;
  for (const [rank, own] of ownBytes) {
    squares += (own + evenBytes) ** 2;
    if (own > heaviestOwn || (own === heaviestOwn && rank < heaviestRank))
      [heaviestRank, heaviestOwn] = [rank, own];
  }
  return spread(totalBytes, heaviestRank, heaviestOwn + evenBytes, squares, byRank);
}

/** Of a shared file the variance over ranks and the bytes of the slowest rank are known, which is mostly the heaviest. */
function fromLargestFile(files: readonly JobFile[], totalBytes: number): RankSpread | undefined {
  const file = heaviest(files, (one) => bytesMoved(one.called));
  return bytesMoved(file.called) < 0.5 * totalBytes ? undefined : fromSharedFile(file);
}

function fromSharedFile({ called }: JobFile): RankSpread | undefined {
  const bytes = bytesMoved(called);
  const { ranks, varianceBytes, slowestBytes, fastestBytes, slowestRank, fastestRank } = called;
  if (!(varianceBytes >= 0) || !(slowestBytes >= 0)) return undefined;
  const fastest = fastestBytes > slowestBytes;
  const squares = ranks * varianceBytes + (bytes * bytes) / ranks;
  const found = spread(
    bytes,
    fastest ? fastestRank : slowestRank,
    fastest ? fastestBytes : slowestBytes,
    squares,
  );
  return called.shared ? { ...found, lightBytes: Math.min(fastestBytes, slowestBytes) } : found;
}

function spread(
  totalBytes: number,
  heaviestRank: number,
  heaviestBytes: number,
  squares: number,
  byRank?: EachRank,
): RankSpread {
  const rest = totalBytes - heaviestBytes;
  const restSquares = squares - heaviestBytes * heaviestBytes;
  const movers = restSquares > 0 ? (rest * rest) / restSquares : 0;
  return { totalBytes, heaviestRank, heaviestBytes, movers, byRank };
}
