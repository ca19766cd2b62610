/** How the bytes of a job spread over its ranks, as far as a log tells. */
import type { Job, JobFile } from "../job.ts";
import { bytesMoved, heaviest, sum } from "./measures.ts";
import { oncePerJob, realFiles } from "./per-job.ts";

export interface RankSpread {
  readonly totalBytes: number;
  readonly heaviestRank: number;
  readonly heaviestBytes: number;
  /** How many of the other ranks take part: (sum of bytes)² / sum of squares, which is their number when all move the same. */
  readonly movers: number;
  /** Bytes of every rank; undefined when only the heaviest is known. */
  readonly byRank: Float64Array | undefined;
}

/** Bytes in the layer that the application calls, so that collective MPI-IO counts for all ranks that took part. */
export const rankSpread = oncePerJob((job): RankSpread | undefined => {
  const files = realFiles(job).filter(({ called }) => bytesMoved(called) > 0);
  if (files.length === 0 || job.ranks < 2) return undefined;
  const totalBytes = sum(files, ({ called }) => bytesMoved(called));
  const byRank = fromRecords(job, files) ?? fromActivity(job, files, totalBytes);
  return byRank === undefined ? fromLargestFile(files, totalBytes) : fromBytes(byRank, totalBytes);
});

/** Exact when each file belongs to one rank, is moved by all in equal parts, or lies in a layer with loads per rank. */
function fromRecords(job: Job, files: readonly JobFile[]): Float64Array | undefined {
  const byRank = new Float64Array(job.ranks);
  const open: JobFile[] = [];
  let even = 0;
  for (const file of files) {
    const { called } = file;
    if (called.ranks === 1 && called.slowestRank >= 0 && called.slowestRank < job.ranks)
      byRank[called.slowestRank] = (byRank[called.slowestRank] as number) + bytesMoved(called);
    else if (called.ranks === job.ranks && called.varianceBytes === 0) even += bytesMoved(called) / job.ranks;
    else open.push(file);
  }
  if (open.length > 0) {
    // Loads per rank leave out shared files, and POSIX counts again what MPI-IO moves.
    if (open.some(({ called }) => called.shared) || job.layer("MPI-IO").length > 0) return undefined;
    byRank.fill(0);
    const layers = new Set(files.map(({ called }) => called.layer));
    for (const load of job.rankLoads)
      if (layers.has(load.layer) && load.rank < job.ranks)
        byRank[load.rank] = (byRank[load.rank] as number) + bytesMoved(load);
  }
  return byRank.map((bytes) => bytes + even);
}

/** The heat map or trace knows each rank, in one layer: usable when that layer moved what the job moved. */
function fromActivity(job: Job, files: readonly JobFile[], totalBytes: number): Float64Array | undefined {
  const { activity } = job;
  if (activity === undefined) return undefined;
  if (files.some(({ called }) => called.collectiveReads > 0 || called.collectiveWrites > 0)) return undefined;
  const byRank = activity.rankBytesRead.map(
    (bytes, rank) => bytes + (activity.rankBytesWritten[rank] as number),
  );
  const seen = sum(byRank, (bytes) => bytes);
  return byRank.length === job.ranks && Math.abs(seen - totalBytes) <= 0.05 * totalBytes ? byRank : undefined;
}

function fromBytes(byRank: Float64Array, totalBytes: number): RankSpread {
  let heaviestRank = 0;
  byRank.forEach((bytes, rank) => {
    if (bytes > (byRank[heaviestRank] as number)) heaviestRank = rank;
  });
  const heaviestBytes = byRank[heaviestRank] as number;
  const squares = sum(byRank, (bytes) => bytes * bytes);
  return spread(totalBytes, heaviestRank, heaviestBytes, squares, byRank);
}

/** Of a shared file the variance over ranks and the bytes of the slowest rank are known, which is mostly the heaviest. */
function fromLargestFile(files: readonly JobFile[], totalBytes: number): RankSpread | undefined {
  const { called } = heaviest(files, (file) => bytesMoved(file.called));
  const bytes = bytesMoved(called);
  const { ranks, varianceBytes, slowestBytes, fastestBytes, slowestRank, fastestRank } = called;
  if (bytes < 0.5 * totalBytes || !(varianceBytes >= 0) || !(slowestBytes >= 0)) return undefined;
  const fastest = fastestBytes > slowestBytes;
  const squares = ranks * varianceBytes + (bytes * bytes) / ranks;
  return spread(bytes, fastest ? fastestRank : slowestRank, fastest ? fastestBytes : slowestBytes, squares);
}

function spread(
  totalBytes: number,
  heaviestRank: number,
  heaviestBytes: number,
  squares: number,
  byRank?: Float64Array,
): RankSpread {
  const rest = totalBytes - heaviestBytes;
  const restSquares = squares - heaviestBytes * heaviestBytes;
  const movers = restSquares > 0 ? (rest * rest) / restSquares : 0;
  return { totalBytes, heaviestRank, heaviestBytes, movers, byRank };
}
