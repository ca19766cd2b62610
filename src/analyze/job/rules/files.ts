/** Rules on how many files there are. Those on what is done with them are in files-use.ts, on metadata in files-metadata.ts. */
import { formatBytes } from "../../../base/units.ts";
import { estimatedCost, NO_COST, syncSeconds, withLargerCalls } from "../cost/remedies.ts";
import type { Job, JobFile } from "../job.ts";
import { isProgramFile } from "../program-files.ts";
import type { LayerRecord } from "../records.ts";
import { type Action, type CostClaim, defineRule, limit, type Rule } from "../rule.ts";
import { programOf, SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { COUNTERS, trust, worstFiles } from "./evidence.ts";
import { dataFiles, metadataFacts, ownFiles } from "./file-facts.ts";
import { METADATA_RULES } from "./files-metadata.ts";
import { USE_RULES } from "./files-use.ts";
import { isWaiting } from "./metadata-calls.ts";
import {
  bytesMoved,
  bytesOf,
  callsOf,
  extentOf,
  ioSeconds,
  known,
  MIB,
  sum,
  type Way,
  WAYS,
} from "./measures.ts";
import { realFiles } from "./per-job.ts";
import { costSentence, grouped, many, percent, secondsText } from "./wording.ts";

const ANY_FILES = [["POSIX", "STDIO", "MPI-IO", "DFS"]] as const;

const manyFiles = defineRule({
  id: "many-files",
  title: "Very many files",
  subject: { text: "very many files", plural: true },
  picture: { kind: "numbers", words: ["Files, and ranks that use them", "files", "ranks"] },
  meaning:
    "The job opens thousands of files, often one per rank: creating, opening and later listing them loads the metadata servers, and the set is hard to handle with tools.",
  needs: ANY_FILES,
  thresholds: {
    perRank: limit`32 files | small files that each rank writes, which count as well | Plimsoll's choice: beyond checkpoints and logs`,
    bytes: limit`${MIB} bytes, at most | their mean size, at most | Lustre wiki, Lustre Striping Best Practices: files below 1 MiB count as small`,
    files: limit`4096 files | files of the job | Plimsoll's choice: sites warn of thousands of files at once (docs.archer2.ac.uk/user-guide/io: "thousands of files open at once can overload the filesystem")`,
  },
  judge(job, limits, others) {
    const own = ownFiles(job);
    const all = realFiles(job).filter((file) => !isProgramFile(file));
    const files = all.length >= limits.files ? all : smallWritten(job, limits);
    if (files.length === 0 || others.speak("small-file-set", "metadata-storm")) return undefined;
    const meta = metadataFacts(job);
    const perProcess = own.perProcess
      ? `. ${grouped(own.ranks)} of ${grouped(job.ranks)} ranks have private files, ${formatBytes(own.bytes / own.files.length)} each on average.`
      : sizesSentence(files);
    return {
      cost: fewerFiles(job, files),
      measured: {
        perRank: files.length / job.ranks,
        bytes: sum(files, extentOf) / files.length,
        files: files.length,
      },
      statement: `The job uses ${grouped(files.length)} files${perProcess}${metadataSentence(job)}`,
      evidence: {
        numbers: [
          { label: "files", value: files.length, unit: "files" },
          { label: "ranks", value: job.ranks, unit: "ranks" },
          {
            label: "files of a single rank",
            value: files.filter(({ called }) => called.ranks === 1).length,
            unit: "files",
            of: files.length,
          },
          { label: "metadata time", value: meta.seconds, unit: "seconds", of: ioSeconds(job) },
        ],
        ...worstFiles(files, bytesMoved, (file) => formatBytes(bytesMoved(file))),
      },
      action: fewerFilesAction(job, own.perProcess),
      effect: `${grouped(files.length)} files become a few; listing, archiving and deleting the results takes a fraction of the time.`,
      ...trust(job, COUNTERS, "high", "every file has a record"),
    };
  },
});

/** ` of 32.8 kB on average, with 960 syncs.` */
function sizesSentence(files: readonly JobFile[]): string {
  const syncs = sum(files, ({ layers }) => sum([...layers.values()], (record) => known(record.syncs)));
  const synced = syncs >= files.length ? `, with ${many(syncs, "sync")}` : "";
  return ` of ${formatBytes(sum(files, extentOf) / files.length)} on average${synced}.`;
}

const filePerProcess = defineRule({
  id: "file-per-process",
  title: "One file per rank",
  subject: { text: "one file per rank" },
  picture: { kind: "files", by: "opens" },
  meaning:
    "Each rank writes or reads its own files. That is often fast, but the number of files grows with the job, and a reader needs the same number of ranks or a step that merges the files.",
  needs: ANY_FILES,
  thresholds: {
    ranks: limit`512 ranks | ranks with private files | Plimsoll's choice: hundreds of files are no burden; docs.archer2.ac.uk/user-guide/io warns of thousands`,
  },
  judge(job, limits, others) {
    const own = ownFiles(job);
    if (!own.perProcess || own.ranks < limits.ranks || others.speak("many-files")) return undefined;
    const meta = metadataFacts(job);
    return {
      cost: NO_COST,
      measured: { ranks: own.ranks },
      statement: `${grouped(own.ranks)} of ${grouped(job.ranks)} ranks use private files: ${grouped(own.files.length)} files of ${formatBytes(own.bytes / own.files.length)} on average.${metadataSentence(job)}`,
      evidence: {
        numbers: [
          { label: "ranks with private files", value: own.ranks, unit: "ranks", of: job.ranks },
          { label: "such files", value: own.files.length, unit: "files", of: realFiles(job).length },
          { label: "metadata time", value: meta.seconds, unit: "seconds", of: ioSeconds(job) },
        ],
        ...worstFiles(own.files, bytesMoved, (file) => formatBytes(bytesMoved(file))),
      },
      action: fewerFilesAction(job, true),
      effect:
        "The number of files no longer grows with the job, and a shared file can be read with any number of ranks.",
      ...trust(job, COUNTERS, "high", "every file has a record, and every record its rank"),
    };
  },
});

const smallFileSet = defineRule({
  id: "small-file-set",
  title: "Very many small files",
  subject: { text: "very many small files", plural: true },
  picture: { kind: "files", by: "opens" },
  meaning:
    "The data is a large set of small files: each costs an open, a lock and a close at the metadata server for little data.",
  needs: ANY_FILES,
  thresholds: {
    files: limit`1000 files | files with data | Plimsoll's choice: at about 1 ms per open and close, thousands cost seconds in every pass`,
    bytes: limit`${MIB} bytes, at most | their mean size, at most | Lustre wiki, Lustre Striping Best Practices: files below 1 MiB count as small`,
  },
  judge(job, limits) {
    const { files, meanBytes } = dataFiles(job);
    // A set that is written has other remedies: many-files.
    const isRead = job.io.bytesRead >= job.io.bytesWritten;
    if (files.length < limits.files || !(meanBytes <= limits.bytes) || ownFiles(job).perProcess || !isRead)
      return undefined;
    const meta = metadataFacts(job);
    const meanShare = sum(files, ({ seconds }) => seconds) / job.ranks / job.runSeconds;
    return {
      cost: fewerFiles(job, files),
      measured: { files: files.length, bytes: meanBytes },
      statement: `The data lies in ${grouped(files.length)} files of ${formatBytes(meanBytes)} on average.${metadataSentence(job)} A rank spends ${percent(meanShare)} of the run time in them on average.`,
      evidence: {
        numbers: [
          { label: "files with data", value: files.length, unit: "files" },
          { label: "their mean size", value: meanBytes, unit: "bytes" },
          { label: "metadata time", value: meta.seconds, unit: "seconds", of: ioSeconds(job) },
        ],
        ...worstFiles(
          files,
          ({ seconds }) => seconds,
          (file) => `${formatBytes(extentOf(file))}, ${secondsText(file.seconds)} over all ranks`,
        ),
      },
      action: packedAction(job, files),
      effect: "One open per shard or image instead of one per file.",
      ...trust(job, COUNTERS, "high", "every file has a record"),
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

/** Small files that ranks write, when each has many of them. */
function smallWritten(job: Job, limits: { perRank: number; bytes: number }): readonly JobFile[] {
  const files = dataFiles(job).files.filter(
    (file) =>
      file.bytesWritten > 0 &&
      !(file.bytesRead > file.bytesWritten) &&
      extentOf(file) <= limits.bytes &&
      !isWaiting(job, file),
  );
  const ranks = new Set(files.map(({ called }) => called.slowestRank)).size;
  return files.length >= limits.perRank * Math.max(1, ranks) ? files : [];
}

/** One file for each rank: its opens, its syncs, and its data in calls of a megabyte. */
function fewerFiles(job: Job, files: readonly JobFile[]): CostClaim {
  const keep = Math.min(job.ranks, files.length) / files.length;
  const healthy = {
    *[Symbol.iterator]() {
      for (const file of files) {
        const isSmall = extentOf(file) <= MIB;
        for (const record of file.layers.values()) {
          if (!(record.opens > USES_MOST * record.ranks))
            yield { record, part: "meta" as const, remains: keep };
          for (const way of WAYS) {
            if (!isSmall || isInManyCalls(record, way)) continue;
            const one = inFewerFiles(job, record, way, keep);
            if (one !== undefined) yield one;
          }
        }
      }
    },
  };
  return estimatedCost(healthy, "one file per rank: its opens and syncs, and its data in calls of 1 MiB");
}

/** Ours: opens or calls of a file by each rank; beyond, what is done with the files costs the time, not how many they are. */
const USES_MOST = 32;
/** Pieces in which libraries read a small file as a whole. */
const PIECE_BYTES = 4096;

const isInManyCalls = (record: LayerRecord, way: Way) =>
  callsOf(record, way) >
  Math.max(USES_MOST * Math.max(record.ranks, known(record.opens)), bytesOf(record, way) / PIECE_BYTES);

/** What a call of a megabyte costs is shared by the files that it holds; of the syncs as many remain as of the files. */
function inFewerFiles(job: Job, record: LayerRecord, way: Way, keep: number) {
  const one = withLargerCalls(job, record, way, keep);
  if (one === undefined) return undefined;
  const syncs = way === "write" ? syncSeconds(job, record) / record.writeSeconds : 0;
  return { ...one, remains: Math.max(keep, one.remains - syncs * (1 - keep)) };
}

/** ` Opens, stats and closes take 12.3 % of the I/O time (4.5 s of 36.6 s over all ranks).` */
const metadataSentence = (job: Job) =>
  costSentence(job, metadataFacts(job).seconds, "Opens, stats and closes take");

function fewerFilesAction(job: Job, perProcess: boolean): Action {
  const way = wayOf([job.io]);
  if (!perProcess || !programOf(job).mpi)
    return {
      change: "Use fewer files",
      advice:
        "Put related data into one file: HDF5 or netCDF with a group per piece, an SQLite database, or tar shards; keep at most a few thousand files in a directory.",
      snippet: snippetFor(job, SNIPPETS.container, { way }),
    };
  const aggregators = Math.max(1, Math.ceil(job.ranks / 128));
  const snippet = snippetFor(job, SNIPPETS.sharedFile, {
    way,
    stripes: Math.min(72, Math.max(8, aggregators)),
  });
  return way === "write"
    ? {
        change: "Share files between ranks",
        advice: `Write one shared file with collective MPI-IO (or parallel HDF5, PnetCDF), or let a library write a few files: with ADIOS2's BP5 engine and one file for 128 ranks, ${many(aggregators, "file")} instead of ${grouped(job.ranks)}.`,
        snippet,
      }
    : {
        change: "Share files between ranks",
        advice: `Keep the input in one shared file, or in a few, and let each rank read its own part with collective MPI-IO (or parallel HDF5, PnetCDF), instead of ${grouped(job.ranks)} files.`,
        snippet,
      };
}

/** Written pieces go into one file as they are made; a set that is there is packed once. */
const packedAction = (job: Job, files: readonly JobFile[]): Action =>
  wayOf(files) === "write"
    ? {
        change: "Write small pieces into one file",
        advice:
          "Write the pieces into a container instead of one file each: HDF5 or Zarr with a dataset per piece, or tar shards of about 1 GB.",
        snippet: snippetFor(job, SNIPPETS.container, { way: "write" }),
      }
    : {
        change: "Pack small files together",
        advice:
          "Keep the set in a container: a SquashFS image that is mounted on each node, an HDF5 or Zarr store, or WebDataset shards (tar files of about 1 GB, read in order). If the set is read repeatedly, unpack it once to node-local storage.",
        snippet: snippetFor(job, SNIPPETS.oneImage, {
          path: (files[0] as JobFile).path,
          files: files.length,
        }),
      };
