/** Time of each layer: on average, and of its slowest rank. */
import type { Job } from "./job.ts";
import { knownSum, plus, sumOf } from "./records.ts";

export interface LayerTimes {
  readonly layer: string;
  /** Seconds of an average rank. NaN where the layer does not keep that time. */
  readonly read: number;
  readonly write: number;
  readonly metadata: number;
  readonly wait: number;
  /** What is known of these together. */
  readonly average: number;
  readonly slowest: number;
}

/** Layers from the application down. */
export const LAYER_ORDER = [
  "H5F",
  "H5D",
  "PNETCDF_FILE",
  "PNETCDF_VAR",
  "MPI-IO",
  "POSIX",
  "STDIO",
  "DFS",
  "DAOS",
] as const;

const LAYER_NAMES: Readonly<Record<string, string>> = {
  H5F: "HDF5 files",
  H5D: "HDF5 datasets",
  PNETCDF_FILE: "PnetCDF files",
  PNETCDF_VAR: "PnetCDF variables",
};
export const layerName = (layer: string) => LAYER_NAMES[layer] ?? layer;

export function layerTimes(job: Job): LayerTimes[] {
  return LAYER_ORDER.filter((layer) => job.layer(layer).length > 0).map((layer) => {
    const records = job.layer(layer);
    const perRank = (seconds: number) => seconds / Math.max(1, job.ranks);
    const unique = new Map<number, number>();
    for (const load of job.rankLoads) {
      if (load.layer !== layer) continue;
      const seconds = load.readSeconds + load.writeSeconds + load.metaSeconds;
      unique.set(load.rank, (unique.get(load.rank) ?? 0) + seconds);
    }
    const most = [...unique.values()].reduce((a, b) => Math.max(a, b), 0);
    const shared = sumOf(
      records.filter((record) => record.shared),
      ({ slowestSeconds }) => slowestSeconds,
    );
    const read = perRank(sumOf(records, ({ readSeconds }) => readSeconds));
    const write = perRank(sumOf(records, ({ writeSeconds }) => writeSeconds));
    const metadata = perRank(sumOf(records, ({ metaSeconds }) => metaSeconds));
    const wait = perRank(sumOf(records, ({ waitSeconds }) => waitSeconds));
    return {
      ...{ layer, read, write, metadata, wait, average: plus(knownSum(read, write, metadata), wait) },
      slowest: unique.size === 0 && Number.isNaN(shared) ? Number.NaN : most + (shared || 0),
    };
  });
}
