/** Alignment rules: file offsets and memory buffers. The HDF5 rules reuse `misalignedFiles`. */
import { formatRate } from "../../../base/units.ts";
import { estimatedCost, NO_COST } from "../cost/remedies.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { type Action, type CostClaim, defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { countOf, type Matched, smallCalls } from "./access-patterns.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import {
  accessesOf,
  accessSeconds,
  bytesMoved,
  bytesOf,
  callsOf,
  heaviest,
  known,
  MIB,
  secondsOf,
  sum,
  WAYS,
} from "./measures.ts";
import { fileOf, HDF5_NAME, posixFiles, stripeOf } from "./per-job.ts";
import { costSentence, grouped, many, partOf, sizeText, theseFiles } from "./wording.ts";

/** Ours: a call over this many stripes has two edges and many whole ones; below a megabyte edges of blocks count as well. */
const STRIPES_WIDE = 32;

/** A piece of two blocks has a whole one between its edges; a smaller one is first of all a part of a block. */
const BLOCKS_LEAST = 2;

interface Misaligned extends Matched {
  readonly calls: number;
}

/** Files of large accesses that begin inside a block or stripe. Small ones cannot all begin at one. */
export function misalignedFiles(
  job: Job,
  limits: { share: number; calls: number },
  isWanted: (record: LayerRecord) => boolean,
): Misaligned[] {
  const matched: Misaligned[] = [];
  for (const record of posixFiles(job)) {
    const calls = accessesOf(record);
    const count = record.fileNotAligned;
    if (!(count >= limits.share * calls && count > 0 && count <= calls) || !isWanted(record)) continue;
    if (!(record.fileAlignment > 0)) continue;
    // The cache of one rank joins what follows one another, wherever it begins.
    if (record.ranks === 1 && record.consecutiveReads + record.consecutiveWrites >= 0.5 * calls) continue;
    // Calls shorter than the alignment cannot begin at one; those of many stripes touch every server anyhow.
    const mean = bytesMoved(record) / calls;
    if (mean >= record.fileAlignment && mean < Math.max(STRIPES_WIDE * record.fileAlignment, MIB)) {
      // Small calls that follow one another, or reads, are joined by the cache.
      const apart = record.consecutiveReads + record.consecutiveWrites < 0.5 * calls;
      const small = sum(WAYS, (way) => (callsOf(record, way) > 0 ? smallCalls(record, way, MIB) : 0));
      const wide = mean >= BLOCKS_LEAST * record.fileAlignment;
      if (small < 0.5 * calls || (apart && wide && record.writes > 0 && record.ranks > 1))
        matched.push({ record, count, calls });
    }
  }
  return countOf(matched) >= limits.calls ? matched : [];
}

export const MISALIGNED_THRESHOLDS = {
  share: limit`0.1 share | misaligned accesses, as part of all accesses to a file | Drishti: misaligned_requests`,
  calls: limit`100 calls | misaligned accesses | Plimsoll's choice: with fewer than 100 large calls, boundaries are crossed too rarely to matter`,
} as const;

/**
 * A write that begins and ends inside a block makes the file system read the blocks at both edges first: two requests more,
 * or one where ranks share the cache of a node. Where one rank reads or writes everything, nothing is known to be lost.
 */
function misalignedCost(job: Job, files: readonly Misaligned[]): CostClaim {
  const perByte = byteSecondsElsewhere(job, new Set(files.map(({ record }) => record)));
  const [requests, model] =
    perByte === undefined
      ? [
          1,
          "a block is read first for every misaligned write: at most one more request in all of its time, since nothing else in the job shows how long its bytes take",
        ]
      : [
          2,
          `blocks at both edges are read first for every misaligned write: two more requests share the time beyond what its bytes take at ${formatRate(1 / perByte)} per rank, the rate elsewhere in the job`,
        ];
  return estimatedCost(
    files
      .filter(({ record }) => record.ranks > 1 && record.writes > 0)
      .map(({ record, count, calls }) => {
        const forBytes =
          Math.min(1, ((perByte ?? 0) * known(record.bytesWritten)) / record.writeSeconds) || 0;
        const edges = ((count / calls) * requests) / (requestsOf(bytesMoved(record) / calls) + requests);
        return { record, part: "write", remains: forBytes + (1 - forBytes) * (1 - edges) };
      }),
    model,
    perByte === undefined ? { atMost: true } : {},
  );
}

/** Clients of parallel file systems send pieces of a megabyte. */
const requestsOf = (bytes: number) => Math.max(1, bytes / MIB);

/** Seconds of a rank for a byte in large calls of other files: of writes, or of reads where nothing else is written. */
function byteSecondsElsewhere(job: Job, apart: ReadonlySet<LayerRecord>): number | undefined {
  for (const way of WAYS) {
    const rates: { bytes: number; perByte: number }[] = [];
    for (const record of posixFiles(job)) {
      const bytes = bytesOf(record, way);
      const isLarge = bytes >= MIB * callsOf(record, way) && secondsOf(record, way) > 0;
      if (!isLarge || apart.has(record) || (way === "write" && record.syncs > 0)) continue;
      rates.push({ bytes, perByte: secondsOf(record, way) / bytes });
    }
    if (rates.length > 0) return middleByBytes(rates);
  }
  return undefined;
}

/** Half of the bytes took no longer than this each: neither a slow target nor a cached piece counts for much. */
function middleByBytes(rates: { readonly bytes: number; readonly perByte: number }[]): number {
  rates.sort((a, b) => a.perByte - b.perByte);
  const half = sum(rates, ({ bytes }) => bytes) / 2;
  let below = 0;
  for (const { bytes, perByte } of rates) {
    below += bytes;
    if (below >= half) return perByte;
  }
  return (rates.at(-1) as { perByte: number }).perByte;
}

/** Numbers and words that the rule of plain files and the one of HDF5 share. */
export function misalignedFacts(job: Job, files: readonly Misaligned[]) {
  const count = countOf(files);
  const calls = sum(files, (file) => file.calls);
  const seconds = sum(files, ({ record }) => accessSeconds(record));
  const worst = heaviest(files, (file) => file.count).record;
  const stripe = stripeOf(job, worst);
  const alignment = worst.fileAlignment;
  const conflict = files.some(({ record }) => record.ranks > 1 && record.writes > 0);
  const listed: Listed[] = files.map((file) => ({
    record: file.record,
    weight: file.count,
    note: `${grouped(file.count)} of ${grouped(file.calls)} accesses miss ${sizeText(file.record.fileAlignment)}`,
  }));
  return {
    worst,
    stripe: stripe > 0 ? stripe : alignment,
    cost: misalignedCost(job, files),
    measured: { share: count / calls, calls: count },
    statement:
      `${partOf(count, calls, "accesses")} to ${many(files.length, "file")} do not begin at a multiple of ` +
      `${sizeText(alignment)}, ${stripe === alignment ? "the stripe" : "the alignment"} of ${files.length === 1 ? "the file" : worst.path}.` +
      costSentence(job, seconds, `Accesses to ${theseFiles(files.length)} take`),
    evidence: {
      numbers: [
        { label: "misaligned accesses", value: count, unit: "calls", of: calls },
        { label: "alignment of the file", value: alignment, unit: "bytes", size: true },
        ...(stripe > 0 ? [{ label: "stripe", value: stripe, unit: "bytes", size: true } as const] : []),
        { label: "time in accesses to these files, all ranks", value: seconds, unit: "seconds" },
      ],
      ...worstRecords(listed),
      ...spanOf(listed, worst.writes >= worst.reads ? "write" : "read"),
    } as const,
    effect: conflict
      ? "Two ranks no longer write into the same stripe and wait for each other's locks, and each request goes to one server."
      : "Each request goes to one server instead of two.",
    ...trust(job, ["POSIX"], "high", "every access is counted"),
    claims: files.map(({ record: { fileId } }) => ({ fileId })),
  };
}

const misaligned = defineRule({
  id: "misaligned",
  title: "Misaligned accesses",
  subject: { text: "misaligned accesses", plural: true },
  picture: {
    kind: "numbers",
    beside: "whole",
    words: ["Accesses that miss the alignment of the file", "misaligned", "all accesses"],
  },
  meaning:
    "Large accesses start inside a stripe or block: each touches one more server, and ranks that share a stripe " +
    "wait for each other's locks. Small accesses and HDF5 files have separate findings.",
  needs: [["POSIX"]],
  thresholds: MISALIGNED_THRESHOLDS,
  drishti: "P08",
  judge(job, limits, others) {
    const taken = others.claimed(["hdf5-alignment"]);
    const files = misalignedFiles(job, limits, ({ fileId }) => !taken.has(fileId));
    if (files.length === 0) return undefined;
    const { worst, stripe, ...facts } = misalignedFacts(job, files);
    const mpi = fileOf(job, worst)?.layers.has("MPI-IO") ?? false;
    return {
      ...facts,
      action: mpi ? alignedDomains(job, worst, stripe) : alignedParts(job, worst, stripe),
    };
  },
});

/** Only new files take a stripe from a hint; aggregators that read get a buffer of whole stripes. */
function alignedDomains(job: Job, worst: LayerRecord, stripe: number): Action {
  const hdf5 = HDF5_NAME.test(worst.path)
    ? " If HDF5 wrote it, as its name suggests, HDF5 can also align the objects of a new file to stripes."
    : "";
  const hints = (key: string, value: number) =>
    snippetFor(job, SNIPPETS.mpiHints, {
      hints: [
        { key: `romio_cb_${wayOf([worst])}`, value: "enable" },
        { key, value },
      ],
    });
  if (wayOf([worst]) === "write")
    return {
      change: "Align writes to stripes",
      advice: `Let collective MPI-IO split the file at stripe boundaries: set striping_unit to ${sizeText(stripe)} and keep collective buffering on (romio_cb_write); ROMIO then gives each aggregator whole stripes.${hdf5}`,
      snippet: hints("striping_unit", stripe),
    };
  const buffer = Math.max(16 * MIB, stripe);
  return {
    change: "Align reads to stripes",
    advice: `Read collectively with collective buffering on (romio_cb_read) and a buffer of whole stripes (cb_buffer_size, ${sizeText(buffer)}): ROMIO then gives each aggregator whole stripes.${hdf5}`,
    snippet: hints("cb_buffer_size", buffer),
  };
}

const isStriped = (job: Job, record: LayerRecord) => (fileOf(job, record)?.stripeCount ?? 0) >= 1;

/** Without a stripe on record the alignment is that of the file system, and lfs may have nothing to say there. */
const alignedParts = (job: Job, worst: LayerRecord, stripe: number): Action => ({
  change: `Align accesses to ${isStriped(job, worst) ? "stripes" : sizeText(stripe)}`,
  advice: `${worst.ranks > 1 ? `Make each rank's part a multiple of ${sizeText(stripe)} and start it at one` : `Start pieces at multiples of ${sizeText(stripe)}`}${isStriped(job, worst) ? ", or choose a stripe that divides the size of the pieces (lfs setstripe -S for a new file, a multiple of 64 KiB)" : ""}.`,
  snippet: snippetFor(job, SNIPPETS.alignedPieces, { stripeBytes: stripe, way: wayOf([worst]) }),
});

const misalignedMemory = defineRule({
  id: "misaligned-memory",
  title: "Buffers not aligned in memory",
  subject: { text: "unaligned memory buffers", plural: true },
  picture: { kind: "sizes" },
  meaning:
    "Read and write buffers start at addresses that are not a multiple of the memory alignment; with direct I/O such " +
    "calls fail or are copied first; through the page cache it hardly matters.",
  needs: [["POSIX"]],
  thresholds: {
    share: limit`0.1 share | accesses with a misaligned buffer of all accesses | Drishti: misaligned_requests`,
    calls: limit`1000 calls | accesses with a misaligned buffer | Plimsoll's choice: the minimum of other rules; one copy costs only microseconds`,
  },
  drishti: "P07",
  judge(job, limits) {
    const files = posixFiles(job)
      .filter(
        (record) =>
          record.memoryNotAligned > 0 &&
          record.memoryNotAligned <= accessesOf(record) &&
          record.memoryAlignment > 0,
      )
      .map((record) => ({ record, count: record.memoryNotAligned }));
    const count = countOf(files);
    const calls = sum(posixFiles(job), accessesOf);
    if (!(count >= limits.calls && count >= limits.share * calls)) return undefined;
    const alignment = files[0]?.record.memoryAlignment ?? Number.NaN;
    const listed = files.map((file) => ({
      record: file.record,
      weight: file.count,
      note: many(file.count, "misaligned buffer"),
    }));
    return {
      cost: NO_COST,
      measured: { share: count / calls, calls: count },
      statement: `The buffers of ${partOf(count, calls, "accesses")} do not begin at a multiple of ${sizeText(alignment)}.`,
      evidence: {
        numbers: [
          { label: "misaligned buffers", value: count, unit: "calls", of: calls },
          { label: "alignment of memory", value: alignment, unit: "bytes", size: true },
        ],
        ...worstRecords(listed),
      },
      action: {
        change: "Align buffers in memory",
        advice: "Allocate I/O buffers at page boundaries; O_DIRECT requires it.",
        snippet: snippetFor(job, SNIPPETS.alignedMemory),
      },
      effect:
        "Direct I/O becomes possible and copies get slightly faster; through the page cache little changes.",
      ...trust(job, ["POSIX"], "high", "every access is counted"),
    };
  },
});

export const ALIGNMENT_RULES: readonly Rule[] = [misaligned, misalignedMemory];
