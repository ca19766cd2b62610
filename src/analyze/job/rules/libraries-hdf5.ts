/** Rules on HDF5. */
import { formatBytes } from "../../../base/units.ts";
import { largerLibraryCalls } from "../cost/library-remedies.ts";
import { estimatedCost, NO_COST } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import { countOf, hdf5MetadataFiles } from "./access-patterns.ts";
import { MISALIGNED_THRESHOLDS, misalignedFacts, misalignedFiles } from "./alignment.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import { HDF5_BYTES_RULES } from "./libraries-hdf5-bytes.ts";
import { accessesOf, accessSeconds, bytesMoved, heaviest, KIB, mainWay, MIB, sum } from "./measures.ts";
import { hdf5Files, stripeOf } from "./per-job.ts";
import { costSentence, grouped, many, partOf, percent, sizeText } from "./wording.ts";

/** Whether the file of a dataset is accessed through MPI-IO. */
function isParallel(job: Job, dataset: LayerRecord): boolean {
  const layers = job.file(dataset.parentId)?.layers;
  return (layers?.get("H5F")?.usesMpiio ?? 0) > 0 || layers?.has("MPI-IO") === true;
}

const independent = defineRule({
  id: "hdf5-independent",
  title: "Independent HDF5 transfers",
  subject: { text: "independent HDF5 transfers", plural: true },
  picture: { kind: "sizes" },
  meaning:
    "Datasets of a file that many ranks opened through MPI-IO are accessed with independent transfers, HDF5's default.",
  needs: [["H5D"]],
  thresholds: {
    calls: limit`1000 calls | accesses to such datasets | as independent-mpiio (Drishti: collective_operations_absolute)`,
  },
  judge(job, limits, others) {
    const said = others.claimed(["hdf5-small"]);
    const datasets = job
      .layer("H5D")
      .filter(
        (one) =>
          !said.has(one.fileId) &&
          one.usesCollective === 0 &&
          one.ranks > 1 &&
          accessesOf(one) > 0 &&
          isParallel(job, one),
      );
    const calls = sum(datasets, accessesOf);
    if (!(calls >= limits.calls)) return undefined;
    const all = sum(job.layer("H5D"), accessesOf);
    const seconds = sum(datasets, accessSeconds);
    const worst = heaviest(datasets, accessesOf);
    const listed: Listed[] = datasets.map((record) => ({
      record,
      weight: accessesOf(record),
      note: `${grouped(accessesOf(record))} independent accesses, ${formatBytes(bytesMoved(record))}`,
    }));
    return {
      cost: largerLibraryCalls(job, datasets),
      measured: { calls },
      statement:
        `${many(datasets.length, "dataset")} of parallel HDF5 files never had a collective transfer: ${partOf(calls, all, "dataset accesses")} are independent, and ${worst.path} is used by ${many(worst.ranks, "rank")}.` +
        costSentence(job, seconds),
      evidence: {
        numbers: [
          { label: "independent accesses", value: calls, unit: "calls", of: all },
          { label: "bytes", value: sum(datasets, bytesMoved), unit: "bytes" },
          { label: "time in these accesses, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, mainWay(worst)),
      },
      action: {
        change: "Make HDF5 transfers collective",
        advice:
          "Set collective transfers in the transfer property list. All ranks that opened the file then make the call; those without data select nothing. H5Pget_mpio_no_collective_cause tells why HDF5 fell back to independent transfers.",
        snippet: snippetFor(job, SNIPPETS.hdf5Collective, { way: mainWay(worst) }),
      },
      effect:
        "MPI-IO combines the pieces of all ranks, and chunked datasets are moved chunk by chunk instead of piece by piece.",
      ...trust(job, ["H5D"], "high", "HDF5 transfers are recorded with their mode"),
    };
  },
});

const metadata = defineRule({
  id: "hdf5-metadata",
  title: "Small HDF5 metadata accesses",
  subject: { text: "small HDF5 metadata accesses", plural: true },
  picture: { kind: "sizes" },
  meaning:
    "A parallel HDF5 file gets many tiny accesses outside its datasets: object headers, chunk indexes and attributes, read or written by each rank separately.",
  needs: [["H5F"], ["MPI-IO", "POSIX"]],
  thresholds: {
    bytes: limit`${10 * KIB} bytes, at most | accesses below this count as metadata | Plimsoll's choice: HDF5 headers and index nodes are below 10 KiB (the limit of a size class)`,
    calls: limit`1000 calls | such accesses | as small-writes (Drishti: small_requests_absolute)`,
    share: limit`0.1 share | such accesses of all accesses to the file | as small-writes (Drishti: small_requests)`,
  },
  judge(job, limits, others) {
    const said = others.claimed(["hdf5-small"]);
    const files = hdf5MetadataFiles(job, limits).filter(({ record }) => !said.has(record.fileId));
    if (files.length === 0) return undefined;
    const count = countOf(files);
    const calls = sum(files, ({ record }) => accessesOf(record));
    const worst = heaviest(files, (file) => file.count).record;
    const seconds = sum(
      files,
      ({ record, count: part }) => (accessSeconds(record) * part) / accessesOf(record),
    );
    const known = job.facts.has("H5D");
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.count,
      note: `${grouped(file.count)} of ${grouped(accessesOf(file.record))} accesses (${file.record.layer})`,
    }));
    return {
      cost: estimatedCost(
        files.map(({ record, count: part }) => ({
          record,
          remains: 1 - Math.min(1, part / accessesOf(record)),
        })),
        "the time of tiny accesses, in proportion to their number",
        { atMost: true },
      ),
      measured: { bytes: bytesMoved(worst) / accessesOf(worst), calls: count, share: count / calls },
      statement: `${partOf(count, calls, `accesses that HDF5 makes to ${many(files.length, "parallel file")}`)} are below ${sizeText(limits.bytes)} and belong to no dataset access; ${worst.path} is used by ${many(worst.ranks, "rank")}.${costSentence(job, seconds, "By their number they take about")}`,
      evidence: {
        numbers: [
          { label: "tiny accesses", value: count, unit: "calls", of: calls },
          { label: "their part of the time, in proportion to their number", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, mainWay(worst)),
      },
      action: {
        change: "Make HDF5 metadata collective",
        advice:
          "Make metadata collective (H5Pset_coll_metadata_write, H5Pset_all_coll_metadata_ops), keep it in pages (paged aggregation when the file is created), and create objects before the data is written. Page buffering (H5Pset_page_buffer_size) does not help: HDF5 built for parallel access refuses it.",
        snippet: snippetFor(job, SNIPPETS.hdf5Metadata, { way: mainWay(worst) }),
      },
      effect:
        "One rank reads a header and broadcasts it, instead of every rank reading it; metadata is stored together and moved in larger pieces.",
      ...trust(
        job,
        ["H5F", "MPI-IO", "POSIX"],
        known ? "medium" : "low",
        known
          ? "metadata is what remains, by size, after subtracting dataset accesses"
          : "dataset accesses were not recorded, so some of these may be data",
      ),
      claims: files.map(({ record: { fileId } }) => ({ fileId })),
    };
  },
});

/** Ours: what HDF5 keeps of a dataset's chunks in memory by default (rdcc_nbytes of 1.x). */
const CHUNK_CACHE_BYTES = MIB;

type ChunkTrouble = "small" | "partial" | "misfit";

const CHUNK_WORDS: Readonly<Record<ChunkTrouble, string>> = {
  small: "chunks are small",
  partial: "accesses cover a small part of a chunk",
  misfit: "accesses are not a multiple of the chunk",
};

const chunks = defineRule({
  id: "hdf5-chunks",
  title: "HDF5 chunks that do not fit the accesses",
  subject: { text: "unfit HDF5 chunks", plural: true },
  picture: { kind: "layers" },
  meaning:
    "HDF5 reads, writes, filters and indexes whole chunks. Tiny chunks make many requests and a large index; chunks larger than the accesses are read or compressed repeatedly.",
  needs: [["H5D"]],
  thresholds: {
    bytes: limit`${64 * KIB} bytes, at most | chunks below this are small | Plimsoll's choice: a sixteenth of Lustre's usual stripe of 1 MiB`,
    chunks: limit`1000 count | chunks moved, for a dataset with small chunks | as small-writes (Drishti: small_requests_absolute)`,
    part: limit`0.25 share, at most | the most frequent access covers less than this part of a chunk | Plimsoll's choice: each chunk is touched at least four times`,
    calls: limit`100 calls | accesses to a dataset whose chunks do not fit | Plimsoll's choice: fewer are not worth a new layout`,
  },
  judge(job, limits) {
    const found = job.layer("H5D").flatMap((record) => {
      const chunk = record.chunkBytes;
      const access = record.accesses[0]?.bytes ?? Number.NaN;
      if (!(chunk > 0)) return [];
      const moved = bytesMoved(record) / chunk;
      const many = accessesOf(record) >= limits.calls;
      const trouble: ChunkTrouble | undefined =
        chunk < limits.bytes && moved >= limits.chunks
          ? "small"
          : many && access < limits.part * chunk && chunk > CHUNK_CACHE_BYTES
            ? "partial"
            : many && access > chunk && access % chunk !== 0
              ? "misfit"
              : undefined;
      return trouble === undefined ? [] : [{ record, chunk, access, moved, trouble }];
    });
    if (found.length === 0) return undefined;
    const order = { small: 0, partial: 1, misfit: 2 };
    const worst = found.reduce((a, b) =>
      order[b.trouble] < order[a.trouble] ||
      (b.trouble === a.trouble && accessesOf(b.record) > accessesOf(a.record))
        ? b
        : a,
    );
    const seconds = sum(found, ({ record }) => accessSeconds(record));
    const listed: Listed[] = found.map((one) => ({
      record: one.record,
      weight: accessesOf(one.record) / (1 + order[one.trouble]),
      note: `${CHUNK_WORDS[one.trouble]}: chunk ${sizeText(one.chunk)}, ${Number.isNaN(one.access) ? "accesses of unknown size" : `most frequent access ${sizeText(one.access)}`}`,
    }));
    const statement = {
      small: `Chunks of ${worst.record.path} are ${sizeText(worst.chunk)}, below ${sizeText(limits.bytes)}: the ${sizeText(bytesMoved(worst.record))} moved are about ${grouped(worst.moved)} chunks.`,
      partial: `The most frequent access to ${worst.record.path} (${sizeText(worst.access)}) covers ${percent(worst.access, worst.chunk)} of a chunk of ${sizeText(worst.chunk)}, in ${grouped(accessesOf(worst.record))} accesses; the chunk is larger than the chunk cache of ${sizeText(CHUNK_CACHE_BYTES)}.`,
      misfit: `The most frequent access to ${worst.record.path} (${sizeText(worst.access)}) is not a multiple of the chunk (${sizeText(worst.chunk)}), so whole chunks are moved for the parts at its edges, in ${grouped(accessesOf(worst.record))} accesses.`,
    }[worst.trouble];
    return {
      cost:
        worst.trouble === "misfit"
          ? NO_COST
          : largerLibraryCalls(
              job,
              found.map(({ record }) => record),
            ),
      statement: `${statement} This applies to ${grouped(found.length)} of ${many(job.layer("H5D").length, "dataset")}.${costSentence(job, seconds, "Accesses to them take")}`,
      evidence: {
        numbers: [
          { label: "chunk", value: worst.chunk, unit: "bytes", size: true },
          ...(Number.isNaN(worst.access)
            ? []
            : [{ label: "most frequent access", value: worst.access, unit: "bytes", size: true } as const]),
          {
            label: "datasets with such chunks",
            value: found.length,
            unit: "count",
            of: job.layer("H5D").length,
          },
          { label: "time in accesses to them, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, mainWay(worst.record)),
      },
      action: {
        change: "Fit chunks to the accesses",
        advice: `Choose chunks that match the accesses: the data of one call of a rank, or an even part of it, of 1 MB or more. ${worst.trouble === "partial" ? "If the file cannot change, make the chunk cache large enough for the chunks that one pass touches (H5Pset_chunk_cache)." : "Existing files can be rewritten with h5repack (-l CHUNK=…)."}`,
        snippet: snippetFor(job, SNIPPETS.hdf5Chunks, { way: mainWay(worst.record) }),
      },
      effect: "Each chunk is moved and filtered once, and the chunk index stays small.",
      ...trust(
        job,
        ["H5D"],
        worst.trouble === "misfit" ? "low" : "medium",
        "chunk and access are compared in bytes, not in their shape per dimension",
      ),
    };
  },
});

const selections = defineRule({
  id: "hdf5-selections",
  title: "Point or irregular HDF5 selections",
  subject: { text: "irregular HDF5 selections", plural: true },
  picture: { kind: "sizes" },
  meaning:
    "Dataset accesses select single points or unions of blocks. HDF5 moves them element by element or block by block, and collective transfers may fall back to independent ones.",
  needs: [["H5D"]],
  thresholds: {
    share: limit`0.1 share | accesses with such selections, as part of all accesses to the datasets | Plimsoll's choice: Drishti's share of small requests`,
    calls: limit`100 calls | accesses with such selections | Plimsoll's choice: each can stand for thousands of elements`,
  },
  judge(job, limits) {
    const slow = (record: LayerRecord) => (record.pointSelects || 0) + (record.irregularSelects || 0);
    const datasets = job
      .layer("H5D")
      .filter((record) => slow(record) > 0 && slow(record) <= accessesOf(record));
    const count = sum(datasets, slow);
    const calls = sum(job.layer("H5D"), accessesOf);
    if (!(count >= limits.calls && count >= limits.share * calls)) return undefined;
    const points = sum(datasets, (record) => record.pointSelects);
    const seconds = sum(datasets, accessSeconds);
    const listed: Listed[] = datasets.map((record) => ({
      record,
      weight: slow(record),
      note: `${grouped(record.pointSelects || 0)} point and ${grouped(record.irregularSelects || 0)} irregular selections of ${grouped(accessesOf(record))} accesses`,
    }));
    const worst = heaviest(datasets, slow);
    return {
      cost: largerLibraryCalls(job, datasets),
      measured: { share: count / calls, calls: count },
      statement:
        `${partOf(count, calls, "dataset accesses")} use point selections (${grouped(points)}) or irregular hyperslabs (${grouped(count - points)}).` +
        costSentence(job, seconds, "Accesses to these datasets take"),
      evidence: {
        numbers: [
          { label: "point selections", value: points, unit: "calls", of: calls },
          { label: "irregular hyperslabs", value: count - points, unit: "calls", of: calls },
          { label: "time in accesses to these datasets, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, mainWay(worst)),
      },
      action: {
        change: "Select regular blocks",
        advice:
          "Select regular hyperslabs (start, stride, count, block), or read the box around the points and select in memory; if you need a point list, sort it by position.",
        snippet: snippetFor(job, SNIPPETS.hdf5Hyperslab, { way: mainWay(worst) }),
      },
      effect: "One selection and few large transfers instead of one per point.",
      ...trust(job, ["H5D"], "high", "the selection type of every access is counted"),
    };
  },
});

const alignment = defineRule({
  id: "hdf5-alignment",
  title: "HDF5 objects not aligned to stripes",
  subject: { text: "misaligned HDF5 objects", plural: true },
  picture: { kind: "sizes" },
  meaning:
    "Large accesses to an HDF5 file on Lustre begin inside stripes, since HDF5 by default packs objects one after another.",
  needs: [["H5F", "H5D"], ["POSIX"], ["layout"]],
  thresholds: MISALIGNED_THRESHOLDS,
  judge(job, limits) {
    const hdf5 = hdf5Files(job);
    const files = misalignedFiles(
      job,
      limits,
      (record) => hdf5.has(record.fileId) && stripeOf(job, record) > 0,
    );
    if (files.length === 0) return undefined;
    const { worst, stripe, ...facts } = misalignedFacts(job, files);
    return {
      ...facts,
      action: {
        change: "Align HDF5 objects to stripes",
        advice: `Align objects of ${worst.path} to its stripe of ${sizeText(stripe)} when the file is created: H5Pset_alignment for contiguous datasets and chunks, or paged aggregation with pages of a stripe. The file grows by the gaps.`,
        snippet: snippetFor(job, SNIPPETS.hdf5Alignment, { stripeBytes: stripe, way: mainWay(worst) }),
      },
    };
  },
});

export const HDF5_RULES: readonly Rule[] = [
  ...HDF5_BYTES_RULES,
  independent,
  metadata,
  chunks,
  selections,
  alignment,
];
