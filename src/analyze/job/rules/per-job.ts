/** Lists that several rules walk through. A log may have a hundred thousand files, so each is made once per job. */
import type { Job, JobFile } from "../job.ts";
import { oncePerJob } from "../once-per-job.ts";
import type { LayerRecord } from "../records.ts";
import { isProgramFile } from "../program-files.ts";

export { traceOf } from "../trace-lookup.ts";

const isStream = (path: string) => path.startsWith("<");

/**
 * Standard streams, devices and the program's own files are none that a layout or a size of calls could help: nobody
 * changes how an interpreter reads its modules.
 */
const isPlain = (record: LayerRecord) =>
  !isStream(record.path) && !/^\/(dev|proc|sys)\//.test(record.path) && !isProgramFile(record);

/** Files that are not standard streams; those of the program are among them, for their opens. */
export const realFiles = oncePerJob((job): readonly JobFile[] =>
  job.files.filter(({ path }) => !isStream(path)),
);

/** Records of plain files. */
export const posixFiles = oncePerJob((job): readonly LayerRecord[] => job.layer("POSIX").filter(isPlain));
export const stdioFiles = oncePerJob((job): readonly LayerRecord[] => job.layer("STDIO").filter(isPlain));
export const mpiFiles = oncePerJob((job): readonly LayerRecord[] => job.layer("MPI-IO").filter(isPlain));

/** Layers that reach the file system themselves, not through one that is recorded below. */
const LOWEST: readonly string[] = ["POSIX", "STDIO", "DFS", "DAOS"];

/** Calls of a file that are no transfers, in the layers that reach the file system. */
interface FileCalls {
  readonly opens: number;
  readonly stats: number;
  readonly syncs: number;
  readonly mmaps: number;
  /** Time in opens, stats, closes and seeks, in the layer that is called; summed over ranks. */
  readonly metaSeconds: number;
}

/** Two, an open and its close; one where a trace has opens but no close at all. */
export const callsPerOpen = oncePerJob((job): 1 | 2 =>
  job.records.some(({ openStart }) => openStart >= 0) &&
  !job.records.some(({ closeStart }) => closeStart >= 0)
    ? 1
    : 2,
);

export function fileCalls(_: Job, { layers, called }: JobFile): FileCalls {
  if (layers.size === 1 && LOWEST.includes(called.layer)) {
    const { opens, stats, syncs, mmaps, metaSeconds } = called;
    return {
      opens: opens || 0,
      stats: stats || 0,
      syncs: syncs || 0,
      mmaps: mmaps || 0,
      metaSeconds: metaSeconds || 0,
    };
  }
  const sums = { opens: 0, stats: 0, syncs: 0, mmaps: 0, metaSeconds: 0 };
  for (const name of LOWEST) {
    const record = layers.get(name);
    if (record === undefined) continue;
    sums.opens += record.opens || 0;
    sums.stats += record.stats || 0;
    sums.syncs += record.syncs || 0;
    sums.mmaps += record.mmaps || 0;
    sums.metaSeconds += record.metaSeconds || 0;
  }
  if (called.layer === "MPI-IO") sums.metaSeconds = called.metaSeconds || 0;
  return sums;
}

/** Files of HDF5, by their own records or those of their datasets. */
export const hdf5Files = oncePerJob(
  (job): ReadonlySet<string> =>
    new Set([
      ...job.layer("H5F").map(({ fileId }) => fileId),
      ...job.layer("H5D").map(({ parentId }) => parentId),
    ]),
);

/** Where HDF5 itself was not recorded. */
export const HDF5_NAME = /\.(h5|hdf5|he5|nc4)$/;

/** Files of libraries above MPI-IO, which have rules of their own where their calls were recorded. */
export const libraryFiles = oncePerJob(
  (job): ReadonlySet<string> =>
    new Set([...job.layer("H5D"), ...job.layer("PNETCDF_VAR")].map(({ parentId }) => parentId)),
);

/** The record of the same file in another layer. Most logs with very many files have nothing in most layers. */
export const layerOf = (job: Job, record: LayerRecord, layer: string): LayerRecord | undefined =>
  job.layer(layer).length === 0 ? undefined : job.file(record.fileId)?.layers.get(layer);

/**
 * The record of the layer in which the program moves these bytes: MPI-IO above POSIX. Undefined where it asks for less than
 * half of them there: then sieving and fill values of libraries are what moves them.
 */
export function askedIn(job: Job, record: LayerRecord, way: "read" | "write"): LayerRecord | undefined {
  const above = layerOf(job, record, "MPI-IO");
  if (above === undefined || above === record) return record;
  const bytesIn = ({ bytesRead, bytesWritten }: LayerRecord) =>
    (way === "read" ? bytesRead : bytesWritten) || 0;
  return bytesIn(above) >= 0.5 * bytesIn(record) ? above : undefined;
}

/** The file of a record, of a dataset or of a variable, with its layers. */
export const fileOf = (job: Job, record: LayerRecord): JobFile | undefined =>
  job.file(record.parentId === "0" ? record.fileId : record.parentId);

/** Stripe of the file on Lustre; NaN elsewhere. */
export function stripeOf(job: Job, record: LayerRecord): number {
  const own = record.stripeBytes > 0 ? record.stripeBytes : fileOf(job, record)?.stripeBytes;
  return own !== undefined && own > 0 ? own : Number.NaN;
}
