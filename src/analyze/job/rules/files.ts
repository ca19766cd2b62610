/** Rules on how many files there are. Those on what is done with them are in files-use.ts, on metadata in files-metadata.ts. */
import { formatBytes, formatSeconds } from "../../../base/units.ts";
import type { Job, JobFile } from "../job.ts";
import { defineRule, type Rule } from "../rule.ts";
import { dataFiles, metadataFacts, ownFiles } from "./file-facts.ts";
import { METADATA_RULES } from "./files-metadata.ts";
import { USE_RULES } from "./files-use.ts";
import { manyFilesLeast, smallFileBytes, smallFilesLeast } from "./files-limits.ts";
import {
  bytesOf,
  count,
  extentOf,
  folderOf,
  many,
  percent,
  realFiles,
  severityOf,
  shareOfSeconds,
  unlessPartial,
  worstFiles,
} from "./words-b.ts";

const ANY_FILES = [["POSIX", "STDIO", "MPI-IO", "DFS"]] as const;

const manyFiles = defineRule({
  id: "many-files",
  title: "Very many files",
  meaning:
    "The job opens thousands of files, often one for each rank: creating, opening and later listing them loads the metadata servers, and tools cannot handle the set well.",
  needs: ANY_FILES,
  thresholds: {
    files: {
      value: manyFilesLeast,
      unit: "files",
      meaning: "files of the job",
      source:
        'ours: sites warn of thousands of files at once (docs.archer2.ac.uk/user-guide/io: "thousands of files open at once can overload the filesystem")',
    },
  },
  judge(job, limits) {
    const files = realFiles(job);
    if (files.length < limits.files) return undefined;
    const own = ownFiles(job);
    if (!own.perProcess && isSmallSet(job)) return undefined;
    const meta = metadataFacts(job);
    const perProcess = own.perProcess
      ? ` ${count(own.ranks)} of ${count(job.ranks)} ranks have files of their own, ${formatBytes(own.bytes / own.files.length)} each on average.`
      : "";
    return {
      severity: meta.shareOfRun >= 0.1 || files.length >= 10 * limits.files ? "high" : "warn",
      statement: `The job uses ${count(files.length)} files.${perProcess} Opens, stats and closes take ${shareOfSeconds(meta.seconds, meta.ioSeconds)} of the I/O time over all ranks.`,
      evidence: {
        numbers: [
          { label: "files", value: files.length, unit: "files" },
          { label: "ranks", value: job.ranks, unit: "ranks" },
          { label: "files of a single rank", value: own.files.length, unit: "files", of: files.length },
          { label: "metadata time", value: meta.seconds, unit: "seconds", of: meta.ioSeconds },
        ],
        ...worstFiles(files, bytesOf, (file) => formatBytes(bytesOf(file))),
      },
      ...fileCountAdvice(job, own.perProcess),
      effect: `${count(files.length)} files become a few; reading, archiving and deleting the results gets much faster.`,
      confidence: "high",
      confidenceReason: unlessPartial(job, "each file has its record"),
    };
  },
});

const filePerProcess = defineRule({
  id: "file-per-process",
  title: "A file for each rank",
  meaning:
    "Each rank writes or reads its own files. That is fast at first, but their number grows with the job, and whoever reads them needs the same number of ranks or a step that joins them.",
  needs: ANY_FILES,
  thresholds: {
    ranks: {
      value: 512,
      unit: "ranks",
      meaning: "ranks with files of their own",
      source: "ours: hundreds of files are no load; docs.archer2.ac.uk/user-guide/io warns of thousands",
    },
    files: {
      value: manyFilesLeast,
      unit: "files",
      meaning: "files above which many-files says so",
      source: "the limit of many-files",
    },
  },
  judge(job, limits) {
    const own = ownFiles(job);
    const total = realFiles(job).length;
    if (!own.perProcess || own.ranks < limits.ranks || total >= limits.files) return undefined;
    const meta = metadataFacts(job);
    return {
      severity: meta.shareOfRun >= 0.05 ? "warn" : "info",
      statement: `${count(own.ranks)} of ${count(job.ranks)} ranks use files of their own: ${count(own.files.length)} files of ${formatBytes(own.bytes / own.files.length)} on average. Opens, stats and closes take ${shareOfSeconds(meta.seconds, meta.ioSeconds)} of the I/O time over all ranks.`,
      evidence: {
        numbers: [
          { label: "ranks with files of their own", value: own.ranks, unit: "ranks", of: job.ranks },
          { label: "such files", value: own.files.length, unit: "files", of: total },
          { label: "metadata time", value: meta.seconds, unit: "seconds", of: meta.ioSeconds },
        ],
        ...worstFiles(own.files, bytesOf, (file) => formatBytes(bytesOf(file))),
      },
      ...fileCountAdvice(job, true),
      effect: "Fewer files at larger scale; a shared file can also be read with another number of ranks.",
      confidence: "high",
      confidenceReason: unlessPartial(job, "each file has its record, and each record its rank"),
    };
  },
});

const smallFileSet = defineRule({
  id: "small-file-set",
  title: "Very many small files",
  meaning:
    "The data is a large set of small files: each costs an open, a lock and a close at the metadata server for little data.",
  needs: ANY_FILES,
  thresholds: {
    files: {
      value: smallFilesLeast,
      unit: "files",
      meaning: "files with data",
      source: "ours: at about a millisecond for each open and close, thousands are seconds for every pass",
    },
    bytes: {
      value: smallFileBytes,
      unit: "bytes",
      meaning: "their mean size, at most",
      source: "Lustre wiki, Lustre Striping Best Practices: files below 1 MiB count as small",
    },
  },
  judge(job, limits) {
    const { files, meanBytes } = dataFiles(job);
    if (files.length < limits.files || !(meanBytes <= limits.bytes) || ownFiles(job).perProcess)
      return undefined;
    const meta = metadataFacts(job);
    const folder = folderOf((files[0] as JobFile).path);
    return {
      severity: severityOf(meta.shareOfRun, meta.meanSeconds),
      statement: `${count(files.length)} files with ${formatBytes(meanBytes)} on average hold the data. Opens, stats and closes take ${shareOfSeconds(meta.seconds, meta.ioSeconds)} of the I/O time over all ranks, ${percent(meta.shareOfRun)} of the run time on average.`,
      evidence: {
        numbers: [
          { label: "files with data", value: files.length, unit: "files" },
          { label: "their mean size", value: meanBytes, unit: "bytes" },
          { label: "metadata time", value: meta.seconds, unit: "seconds", of: meta.ioSeconds },
        ],
        ...worstFiles(
          files,
          ({ seconds }) => seconds,
          (file) => `${formatBytes(extentOf(file))}, ${formatSeconds(file.seconds)}`,
        ),
      },
      advice:
        "Keep the set in a container: an HDF5 or Zarr store, WebDataset shards (tar files of about 1 GB, read in order), or a SquashFS image that is mounted on each node. For a set that is read again and again, unpack it to node-local storage once.",
      snippet: {
        language: "shell",
        code: `# one image instead of ${count(files.length)} files, mounted read-only without root\nmksquashfs ${folder} data.squashfs\nmkdir -p /tmp/data && squashfuse data.squashfs /tmp/data`,
      },
      effect: "One open for each shard or image instead of one for each file.",
      confidence: "high",
      confidenceReason: unlessPartial(job, "each file has its record"),
    };
  },
});

export const FILES_RULES: readonly Rule[] = [
  manyFiles,
  filePerProcess,
  smallFileSet,
  ...METADATA_RULES,
  ...USE_RULES,
];

function isSmallSet(job: Job): boolean {
  const { files, meanBytes } = dataFiles(job);
  return files.length >= smallFilesLeast && meanBytes <= smallFileBytes;
}

function fileCountAdvice(job: Job, perProcess: boolean) {
  const aggregators = Math.max(1, Math.ceil(job.ranks / 128));
  return perProcess
    ? {
        advice: `Write one shared file with collective MPI-IO (or parallel HDF5, PnetCDF), or let a library write a few files: with ADIOS2's BP5 engine and one file for 128 ranks, ${many(aggregators, "file")} instead of ${count(job.ranks)}.`,
        snippet: {
          language: "c",
          code: `/* all ranks together, each its part, into one file */\nMPI_Info info;\nMPI_Info_create(&info);\nMPI_Info_set(info, "romio_cb_write", "enable");\nMPI_Info_set(info, "striping_factor", "${Math.min(72, Math.max(8, aggregators))}");  /* OSTs of a new file */\nMPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &file);\nMPI_File_write_at_all(file, (MPI_Offset)rank * bytes_per_rank, buffer, count, MPI_BYTE, MPI_STATUS_IGNORE);`,
        },
      }
    : {
        advice:
          "Put what belongs together into one file: HDF5 or netCDF with a group for each piece, an SQLite database, or tar shards; keep at most some thousand files in a directory.",
        snippet: {
          language: "python",
          code: `import h5py\nwith h5py.File("results.h5", "a") as store:\n    store.create_dataset(f"step{step}/field", data=field)  # instead of a file for each`,
        },
      };
}
