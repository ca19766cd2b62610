/** Rules on what HDF5 moves for its datasets, beside the layer below: fill values, chunks, small accesses. */
import { formatBytes } from "../../../base/units.ts";
import { largerLibraryCalls } from "../cost/library-remedies.ts";
import type { Healthy } from "../cost/ledger.ts";
import { estimatedCost, fewerBytes, largerCalls } from "../cost/remedies.ts";
import type { Job, JobFile } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { type CostClaim, defineRule, type Judgement, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import { accessesOf, bytesMoved, heaviest, KIB, known, mainWay, MIB, sum, WAYS } from "./measures.ts";
import { unseenChunks, unseenFilling } from "./libraries-hdf5-unseen.ts";
import { oncePerJob } from "../once-per-job.ts";
import { grouped, many, sizeText, times } from "./wording.ts";

/** What HDF5 moves for the datasets of a file, and what the layer below moves. */
interface Hdf5File {
  readonly file: JobFile;
  readonly datasets: readonly LayerRecord[];
  /** The layer that HDF5 calls. */
  readonly below: LayerRecord;
  readonly written: number;
  readonly read: number;
  readonly chunked: boolean;
}

const hdf5Transfers = oncePerJob((job): readonly Hdf5File[] => {
  const byFile = new Map<string, LayerRecord[]>();
  for (const dataset of job.layer("H5D")) {
    const known = byFile.get(dataset.parentId);
    if (known === undefined) byFile.set(dataset.parentId, [dataset]);
    else known.push(dataset);
  }
  return [...byFile].flatMap(([fileId, datasets]) => {
    const file = job.file(fileId);
    if (file === undefined || /^H5/.test(file.called.layer)) return [];
    return [
      {
        file,
        datasets,
        below: file.called,
        written: sum(datasets, ({ bytesWritten }) => bytesWritten),
        read: sum(datasets, ({ bytesRead }) => bytesRead),
        chunked: datasets.some(({ chunkBytes }) => chunkBytes > 0),
      },
    ];
  });
});

const RATIO = limit`1.5 ratio | bytes moved below HDF5 / bytes of its datasets, or / distinct bytes if HDF5 was not recorded | Plimsoll's choice: half as much again is more than headers and indexes`;
const BEYOND = limit`${MIB} bytes | bytes moved beyond those of the datasets | Plimsoll's choice: less is HDF5 metadata`;

const listedFiles = (files: readonly Hdf5File[], way: "read" | "write"): Listed[] =>
  files.map(({ below, written, read }) => ({
    record: below,
    weight: (way === "read" ? below.bytesRead - read : below.bytesWritten - written) || 0,
    note:
      way === "read"
        ? `${formatBytes(below.bytesRead)} read for ${formatBytes(read)} of datasets`
        : `${formatBytes(below.bytesWritten)} written for ${formatBytes(written)} of datasets`,
  }));

/**
 * Space is filled when a dataset is created, while all ranks wait: HDF5's time in that is the time of the filling. Where it
 * was not recorded, the bytes beyond those of the datasets at the rate of all that is written.
 */
function withoutFilling(job: Job, files: readonly Hdf5File[]): CostClaim {
  let unseenSeconds = 0;
  const healthy = files.map(({ below, datasets, written }): Healthy => {
    const filling = sum(datasets, ({ metaSeconds, ranks }) => known(metaSeconds) / Math.max(1, ranks));
    const bySize = 1 - written / below.bytesWritten;
    const whole = known(below.slowestSeconds);
    if (!(filling > bySize * whole * 0.5)) return { record: below, part: "write", remains: 1 - bySize };
    // Ranks that wait for the one that fills are not in a call of the layer below.
    unseenSeconds += Math.max(0, filling - whole);
    return { record: below, remains: Math.max(0, 1 - filling / whole) };
  });
  const model = "the time in which HDF5 creates the datasets, or that of the bytes beyond the datasets";
  return estimatedCost(healthy, model, { unseenSeconds: Math.min(unseenSeconds, job.runSeconds || 0) });
}

/** Ours: at most what the object header of a dataset and its part of the group's index take. */
const HEADER_BYTES = 4 * KIB;

const hdf5Fill = defineRule({
  id: "hdf5-fill",
  title: "HDF5 writes fill values first",
  subject: { text: "HDF5 fill values", plural: true },
  picture: { kind: "layers" },
  meaning:
    "Below HDF5, about twice the bytes of the datasets are written: space is allocated early and filled with values that the data then overwrites.",
  needs: [
    ["H5D", "POSIX calls"],
    ["MPI-IO", "POSIX"],
  ],
  thresholds: { ratio: RATIO, bytes: BEYOND },
  judge(job, limits) {
    const files = hdf5Transfers(job).filter(
      ({ below, written, datasets }) =>
        written > 0 &&
        below.bytesWritten >= limits.ratio * written &&
        below.bytesWritten - written >= limits.bytes + HEADER_BYTES * datasets.length &&
        // What was written to datasets that the log lacks would count as filling.
        !job.partialModules.has("H5D") &&
        // Chunks that are read, changed and written again are another cause.
        !(known(below.bytesRead) >= 0.5 * (below.bytesWritten - written)),
    );
    if (files.length === 0) return unseenFilling(job, limits);
    const worst = heaviest(files, ({ below, written }) => below.bytesWritten - written);
    const written = sum(files, (file) => file.written);
    const below = sum(files, (file) => file.below.bytesWritten);
    const listed = listedFiles(files, "write");
    return {
      cost: withoutFilling(job, files),
      measured: { ratio: below / written, bytes: below - written },
      statement: `HDF5 writes ${formatBytes(below)} to ${many(files.length, "file")} for ${formatBytes(written)} of datasets, ${times(below / written)} as much: fill values are written before the data.`,
      evidence: {
        numbers: [
          { label: "bytes of datasets", value: written, unit: "bytes" },
          { label: "bytes written below HDF5", value: below, unit: "bytes" },
          { label: "written over datasets", value: below / written, unit: "ratio" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, "write"),
      },
      action: {
        change: "Switch fill values off",
        advice: `Tell HDF5 not to write fill values into ${worst.file.path}: every element is written anyway. Parallel HDF5 allocates space early, so all ranks write fill values before the data.`,
        snippet: snippetFor(job, SNIPPETS.hdf5Fill),
      },
      effect: "Every byte is written once.",
      ...trust(
        job,
        ["H5D", "MPI-IO", "POSIX"],
        "medium",
        "bytes of both layers are recorded; that the difference is fill values is inferred",
      ),
      claims: files.map(({ file: { fileId } }) => ({ fileId, way: "write" })),
    };
  },
});

const hdf5ChunkCache = defineRule({
  id: "hdf5-chunk-cache",
  title: "HDF5 chunks moved repeatedly",
  subject: { text: "HDF5 chunks moved again", plural: true },
  picture: { kind: "layers" },
  meaning:
    "Below HDF5, a multiple of the bytes of chunked datasets is moved: the chunk cache is too small for the access order, so chunks are read and evicted repeatedly.",
  needs: [
    ["H5D", "POSIX calls"],
    ["MPI-IO", "POSIX"],
  ],
  thresholds: { ratio: { ...RATIO, value: 2 }, bytes: BEYOND },
  judge(job, limits) {
    const files = hdf5Transfers(job).filter(({ below, written, read, chunked }) => {
      const moved = known(below.bytesRead) + known(below.bytesWritten);
      const asked = written + read;
      const reads = known(below.bytesRead) - read;
      return (
        chunked &&
        asked > 0 &&
        moved >= limits.ratio * asked &&
        moved - asked >= limits.bytes &&
        reads >= 0.3 * (moved - asked)
      );
    });
    if (files.length === 0) return unseenChunks(job, limits);
    const worst = heaviest(files, ({ below }) => bytesMoved(below));
    const asked = sum(files, ({ written, read }) => written + read);
    const moved = sum(files, ({ below }) => bytesMoved(below));
    const chunk = worst.datasets.reduce((most, { chunkBytes }) => Math.max(most, chunkBytes || 0), 0);
    const way = worst.read >= worst.written ? "read" : "write";
    const listed = listedFiles(files, way);
    return {
      cost: fewerBytes(
        files.flatMap(({ below, written, read }) => [
          { record: below, way: "read" as const, needed: read },
          { record: below, way: "write" as const, needed: written || below.bytesWritten },
        ]),
        "each chunk moved once, at the overall rate",
      ),
      measured: { ratio: moved / asked, bytes: moved - asked },
      statement: `Below HDF5 ${formatBytes(moved)} are moved for ${formatBytes(asked)} of chunked datasets, ${times(moved / asked)} as much; chunks of ${worst.file.path} are ${sizeText(chunk)}, and HDF5's default chunk cache holds 1 MiB.`,
      evidence: {
        numbers: [
          { label: "bytes of datasets", value: asked, unit: "bytes" },
          { label: "bytes moved below HDF5", value: moved, unit: "bytes" },
          { label: "moved over datasets", value: moved / asked, unit: "ratio" },
          { label: "chunk", value: chunk, unit: "bytes", size: true },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, way),
      },
      action: {
        change: "Enlarge the chunk cache",
        advice:
          "Make the chunk cache large enough for the chunks that one pass touches (H5Pset_chunk_cache), or access whole chunks in file order; rewrite a file that is always read across its chunks with h5repack.",
        snippet: snippetFor(job, SNIPPETS.hdf5Chunks, { way }),
      },
      effect: "Each chunk is read and decompressed once.",
      ...trust(
        job,
        ["H5D", "MPI-IO", "POSIX"],
        "medium",
        "bytes of both layers are recorded; that chunks are moved repeatedly is inferred",
      ),
      claims: files.map(({ file: { fileId } }) => ({ fileId })),
    };
  },
});

/** Files of a program without parallel HDF5 that get small accesses for other objects than datasets. */
function smallObjects(
  job: Job,
  limits: { readonly bytes: number; readonly calls: number },
  said: ReadonlySet<string>,
): Judgement | undefined {
  const moved = new Map(hdf5Transfers(job).map(({ file, written, read }) => [file.fileId, written + read]));
  const files = job.layer("H5F").flatMap(({ fileId, usesMpiio, syncs: flushes }) => {
    const below = usesMpiio > 0 || said.has(fileId) ? undefined : job.file(fileId)?.layers.get("POSIX");
    if (below === undefined) return [];
    const calls = accessesOf(below);
    const bytes = bytesMoved(below);
    const isSmall = calls >= limits.calls * below.ranks && bytes <= limits.bytes * calls;
    return isSmall && (moved.get(fileId) ?? 0) < 0.5 * bytes ? [{ below, calls, bytes, flushes }] : [];
  });
  if (files.length === 0) return undefined;
  const worst = heaviest(files, ({ calls }) => calls).below;
  const calls = sum(files, (file) => file.calls);
  const bytes = sum(files, (file) => file.bytes);
  const flushes = sum(files, (file) => file.flushes);
  const way = mainWay(worst);
  const listed: Listed[] = files.map((file) => ({
    record: file.below,
    weight: file.calls,
    note: `${grouped(file.calls)} accesses of ${sizeText(file.bytes / file.calls)}`,
  }));
  return {
    cost: largerCalls(
      job,
      files.flatMap(({ below }) => WAYS.map((one) => ({ record: below, way: one }))),
    ),
    measured: { bytes: bytes / calls, calls },
    statement: `HDF5 makes ${grouped(calls)} accesses of ${sizeText(bytes / calls)} on average to ${many(files.length, "file")}, most of them for no dataset: attributes, headers and indexes${flushes > 0 ? `, after ${many(flushes, "flush", "flushes")}` : ""}.`,
    evidence: {
      numbers: [
        { label: "accesses below HDF5", value: calls, unit: "calls" },
        { label: "mean size", value: bytes / calls, unit: "bytes", size: true },
        { label: "flushes", value: flushes, unit: "calls" },
      ],
      ...worstRecords(listed),
      ...spanOf(listed, way),
    },
    action: {
      change: "Put small objects together",
      advice:
        "Put many attributes or tiny datasets into one dataset, or into a compound type, and flush once after the last; a file that fits into memory can be made there and written at the end (H5Pset_fapl_core).",
      snippet: snippetFor(job, SNIPPETS.hdf5Rows, { way }),
    },
    effect: "A few writes of megabytes instead of one for each header.",
    ...trust(
      job,
      ["H5F", "POSIX"],
      "medium",
      "calls of both layers are counted; attributes are not recorded",
    ),
    claims: files.map(({ below: { fileId } }) => ({ fileId })),
  };
}

/** Ours: a file with fewer accesses of a rank is not accessed row by row. */
const REPEATED = 10;

const hdf5Small = defineRule({
  id: "hdf5-small",
  title: "Small HDF5 accesses",
  subject: { text: "small HDF5 accesses", plural: true },
  picture: { kind: "sizes", upTo: "bytes" },
  meaning:
    "Datasets are read or written in many small accesses, a row or an element at a time; each passes through all layers down to storage.",
  needs: [["H5D", "H5F"]],
  thresholds: {
    bytes: limit`${64 * KIB} bytes, at most | mean size of the accesses to the datasets of a file, at most | Plimsoll's choice: a sixteenth of Lustre's usual stripe of 1 MiB`,
    calls: limit`100 calls | accesses of each rank, over all such files | Plimsoll's choice: fewer are not a pattern`,
  },
  judge(job, limits, others) {
    const said = others.claimed(["hdf5-chunk-cache", "hdf5-fill"]);
    const files = hdf5Transfers(job).flatMap((file) => {
      const calls = sum(file.datasets, ({ reads, writes }) => known(reads) + known(writes));
      const ranks = file.datasets.reduce((most, one) => Math.max(most, one.ranks), 1);
      const bytes = file.written + file.read;
      const isSmall = calls >= REPEATED * ranks && bytes <= limits.bytes * calls;
      return isSmall && !said.has(file.file.fileId) ? [{ ...file, calls, bytes, ranks }] : [];
    });
    // A file for each step has a part of the accesses.
    if (!(sum(files, (file) => file.calls / file.ranks) >= limits.calls))
      return smallObjects(job, limits, said);
    const worst = heaviest(files, ({ calls }) => calls);
    const calls = sum(files, (file) => file.calls);
    const bytes = sum(files, (file) => file.bytes);
    const listed: Listed[] = files.map((file) => ({
      record: file.below,
      weight: file.file.seconds,
      note: `${grouped(file.calls)} accesses of ${sizeText(file.bytes / file.calls)} to ${many(file.datasets.length, "dataset")}`,
    }));
    return {
      cost: largerLibraryCalls(
        job,
        files.flatMap(({ datasets }) => datasets),
      ),
      measured: { bytes: bytes / calls, calls: sum(files, (file) => file.calls / file.ranks) },
      statement: `${grouped(calls)} accesses to ${many(
        sum(files, ({ datasets }) => datasets.length),
        "dataset",
      )} move ${sizeText(bytes / calls)} each on average; ${worst.file.path} gets ${grouped(worst.calls)} of them.`,
      evidence: {
        numbers: [
          { label: "accesses to datasets", value: calls, unit: "calls" },
          { label: "mean size", value: bytes / calls, unit: "bytes", size: true },
          { label: "bytes", value: bytes, unit: "bytes" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, worst.written >= worst.read ? "write" : "read"),
      },
      action: {
        change: "Move many rows with one call",
        advice:
          "Collect rows in memory and move a whole block with one H5Dwrite or H5Dread (a hyperslab of many rows); merge many tiny datasets into one, or use a compound type.",
        snippet: snippetFor(job, SNIPPETS.hdf5Rows, {
          way: wayOf([{ bytesRead: worst.read, bytesWritten: worst.written }]),
        }),
      },
      effect: "One call through HDF5, MPI-IO and storage moves megabytes instead of a row.",
      ...trust(job, ["H5D"], "high", "accesses to datasets are counted with their bytes"),
      claims: files.flatMap(({ file: { fileId }, datasets }) => [
        { fileId },
        ...datasets.map((one) => ({ fileId: one.fileId })),
      ]),
    };
  },
});

export const HDF5_BYTES_RULES: readonly Rule[] = [hdf5Fill, hdf5ChunkCache, hdf5Small];
