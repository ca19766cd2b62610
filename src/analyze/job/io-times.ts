/** J02: bytes and I/O time of a job, on average and of the slowest rank, and the throughput they give. */
import type { IoTimes, JobFile, RankLoad } from "./job.ts";

export function ioTimes(
  files: readonly JobFile[],
  rankLoads: readonly RankLoad[],
  ranks: number,
  runSeconds: number,
  exact: { readonly read: bigint; readonly written: bigint },
): IoTimes {
  let [readSeconds, writeSeconds, metaSeconds] = [0, 0, 0];
  let shared = 0;
  for (const file of files) {
    const timed = file.called.layer === "MPI-IO" ? [file.called] : [...file.layers.values()];
    for (const record of timed) {
      // HDF5 and PnetCDF times contain those of the layers below.
      if (/^(H5|PNETCDF)/.test(record.layer) || isBelowDfs(record.layer, file.layers)) continue;
      readSeconds += record.readSeconds || 0;
      writeSeconds += record.writeSeconds || 0;
      metaSeconds += record.metaSeconds || 0;
      if (record.shared) shared += record.slowestSeconds || 0;
    }
  }
  const unique = slowestOfRanks(files, rankLoads);
  const sum = readSeconds + writeSeconds + metaSeconds;
  const meanSeconds = ranks > 0 ? sum / ranks : Number.NaN;
  const slowest = Math.max(unique.seconds + shared, meanSeconds || 0);
  // The slowest rank of one shared file need not be that of another, and threads of a rank can wait at the same time,
  // so the sums may pass the run time.
  const slowestSeconds = runSeconds > 0 ? Math.min(slowest, runSeconds) : slowest;
  const bytes = Number(exact.read + exact.written);
  return {
    bytesRead: Number(exact.read),
    bytesWritten: Number(exact.written),
    bytesReadExact: exact.read,
    bytesWrittenExact: exact.written,
    readSeconds,
    writeSeconds,
    metaSeconds,
    meanSeconds,
    slowestSeconds,
    slowestRank: unique.rank,
    meanShare: runSeconds > 0 ? Math.min(1, meanSeconds / runSeconds) : Number.NaN,
    slowestShare: runSeconds > 0 ? slowestSeconds / runSeconds : Number.NaN,
    bytesPerSecond: slowestSeconds > 0 ? bytes / slowestSeconds : Number.NaN,
  };
}

/** DFS calls DAOS for the same object, under the same id: what DAOS counts there is the same data and time again. */
export const isBelowDfs = (layer: string, layers: { has(layer: string): boolean }): boolean =>
  layer === "DAOS" && layers.has("DFS");

/** Rank that spent most in files that it did not share, in the layer that is called. */
function slowestOfRanks(
  files: readonly JobFile[],
  rankLoads: readonly RankLoad[],
): { rank: number; seconds: number } {
  // Loads are per layer: where a rank's own files go through MPI-IO, the POSIX time below is inside it.
  const nested = files.some(
    ({ called, layers }) => called.layer === "MPI-IO" && !called.shared && layers.size > 1,
  );
  const onDaos = files.some(({ layers }) => layers.get("DAOS")?.shared === false && layers.has("DFS"));
  const perRank = new Map<number, { upper: number; lower: number; daos: number }>();
  for (const load of rankLoads) {
    if (/^(H5|PNETCDF)/.test(load.layer)) continue;
    const sums = perRank.get(load.rank) ?? { upper: 0, lower: 0, daos: 0 };
    const seconds = load.readSeconds + load.writeSeconds + load.metaSeconds;
    if (load.layer === "MPI-IO") sums.upper += seconds;
    else if (load.layer === "DAOS" && onDaos) sums.daos += seconds;
    else sums.lower += seconds;
    perRank.set(load.rank, sums);
  }
  let slowest = { rank: Number.NaN, seconds: 0 };
  for (const [rank, { upper, lower, daos }] of perRank) {
    const below = Math.max(lower, daos);
    const seconds = nested ? Math.max(upper, below) : upper + below;
    if (seconds > slowest.seconds) slowest = { rank, seconds };
  }
  return slowest;
}
