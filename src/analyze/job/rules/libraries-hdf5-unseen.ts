/**
 * Fill values and chunks where the calls of HDF5 were not recorded: files that are HDF5 by their names, by what single calls
 * below show. A file that stays open and is written twice over was filled first; one whose pieces of one size are read again
 * and again has a chunk cache that is too small.
 */
import { formatBytes } from "../../../base/units.ts";
import { fewerBytes } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import type { Judgement } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import type { TraceWay } from "../trace-facts.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import { bytesOf, callsOf, heaviest, known, MIB, sum, type Way } from "./measures.ts";
import { oncePerJob } from "../once-per-job.ts";
import { fileOf, hdf5Files, posixFiles, traceOf } from "./per-job.ts";
import { many, sizeText, times } from "./wording.ts";

const HDF5_NAME = /\.(h5|hdf5|he5|nc4)$/;
/** Ours: opened this often by a rank, the program goes over the file again, not the library. */
const OPENS_MOST = 2;
/** HDF5's default chunk cache: what fits is not read again. */
const CACHE_BYTES = MIB;

interface Limits {
  readonly ratio: number;
  readonly bytes: number;
}

interface Unseen {
  readonly record: LayerRecord;
  readonly traced: TraceWay;
  readonly distinct: number;
}

const unrecorded = oncePerJob((job): readonly LayerRecord[] =>
  job.facts.has("POSIX calls")
    ? posixFiles(job).filter(
        ({ fileId, path, opens, ranks }) =>
          HDF5_NAME.test(path) && !hdf5Files(job).has(fileId) && opens <= OPENS_MOST * ranks + 1,
      )
    : [],
);

function movedAgain(job: Job, way: Way, { ratio, bytes }: Limits): Unseen[] {
  return unrecorded(job).flatMap((record) => {
    const traced = traceOf(job, record)?.[way];
    if (traced === undefined || !(traced.bytes >= 0.99 * bytesOf(record, way))) return [];
    const distinct = way === "read" ? traced.distinctByRankBytes : traced.distinctBytes;
    const isAgain = distinct > 0 && traced.bytes >= ratio * distinct && traced.bytes - distinct >= bytes;
    return isAgain ? [{ record, traced, distinct }] : [];
  });
}

/** Written twice over, and hardly read. */
export function unseenFilling(job: Job, limits: Limits): Judgement | undefined {
  const files = movedAgain(job, "write", limits).filter(
    ({ record, traced, distinct }) => !(known(record.bytesRead) >= 0.5 * (traced.bytes - distinct)),
  );
  if (files.length === 0) return undefined;
  return {
    ...sharedFacts(job, files, "write"),
    statement: `${formatBytes(movedBytes(files))} are written to ${many(files.length, "HDF5 file")} that ${files.length === 1 ? "stays" : "stay"} open, for ${formatBytes(distinctBytes(files))} of different bytes: about ${times(movedBytes(files) / distinctBytes(files))}, as when fill values are written before the data.`,
    action: {
      change: "Switch fill values off",
      advice:
        "Tell HDF5 not to write fill values if every element is written anyway. If the program itself writes its datasets twice, write each once it is final.",
      snippet: snippetFor(job, SNIPPETS.hdf5Fill),
    },
    effect: "Every byte is written once.",
  };
}

/** Pieces of one size, more than the cache holds, read again and again. */
export function unseenChunks(job: Job, limits: Limits): Judgement | undefined {
  const files = movedAgain(job, "read", limits).filter(({ record, distinct }) => {
    const [usual] = record.accesses;
    return (
      usual !== undefined &&
      usual.count >= 0.5 * callsOf(record, "read") &&
      distinct >= 2 * usual.bytes &&
      distinct > CACHE_BYTES
    );
  });
  if (files.length === 0) return undefined;
  const worst = heaviest(files, ({ traced }) => traced.bytes).record;
  return {
    ...sharedFacts(job, files, "read"),
    statement: `${formatBytes(movedBytes(files))} are read from ${many(files.length, "HDF5 file")} that ${files.length === 1 ? "stays" : "stay"} open, for ${formatBytes(distinctBytes(files))} of different bytes. Most reads are ${sizeText(worst.accesses[0]?.bytes ?? 0)}: HDF5 chunks; the default chunk cache holds 1 MiB.`,
    action: {
      change: "Enlarge the chunk cache",
      advice:
        "Make the chunk cache large enough for the chunks that one pass touches (H5Pset_chunk_cache), or access whole chunks in file order. If the program itself reads the same data again, keep it in memory.",
      snippet: snippetFor(job, SNIPPETS.hdf5Chunks, { way: "read" }),
    },
    effect: "Each chunk is read and decompressed once.",
  };
}

const movedBytes = (files: readonly Unseen[]) => sum(files, ({ traced }) => traced.bytes);
const distinctBytes = (files: readonly Unseen[]) => sum(files, ({ distinct }) => distinct);

function sharedFacts(job: Job, files: readonly Unseen[], way: Way) {
  const done = way === "read" ? "read" : "written";
  const listed: Listed[] = files.map(({ record, traced, distinct }) => ({
    record,
    weight: traced.bytes - distinct,
    note: `${formatBytes(traced.bytes)} ${done} of ${formatBytes(distinct)}`,
  }));
  return {
    cost: fewerBytes(
      files.map(({ record, distinct }) => ({ record, way, needed: distinct })),
      `each byte ${done} once, at the overall rate`,
    ),
    evidence: {
      numbers: [
        { label: `bytes ${done}`, value: movedBytes(files), unit: "bytes" as const },
        { label: "different bytes", value: distinctBytes(files), unit: "bytes" as const },
        {
          label: `times each byte was ${done}`,
          value: movedBytes(files) / distinctBytes(files),
          unit: "ratio" as const,
        },
      ],
      ...worstRecords(listed),
      ...spanOf(listed, way),
    },
    ...trust(
      job,
      ["POSIX"],
      "medium",
      "offsets of every call are recorded; that HDF5 made them is inferred from the file names, since HDF5 calls were not recorded",
    ),
    claims: files.map(({ record }) => ({ fileId: fileOf(job, record)?.fileId ?? record.fileId, way })),
  };
}
