/** Rules on the size and place of single accesses. */
import { formatBytes } from "../../../base/units.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { defineRule, type Judgement, type Rule } from "../rule.ts";
import {
  BLOCK_BYTES,
  fileOf,
  hdf5Files,
  isCollective,
  layerOf,
  type Matched,
  posixFiles,
  SMALL,
  SUB_BLOCK,
  smallCalls,
  stripeOf,
  subBlockFiles,
} from "./access-patterns.ts";
import { smallAccesses } from "./small-accesses.ts";
import { alignedPieces, collectiveCall, hints, readAhead, writeBuffer } from "./snippets-a.ts";
import {
  bytesOf,
  callsOf,
  costSentence,
  frequentSize,
  grouped,
  type Listed,
  MIB,
  percent,
  secondsOf,
  several,
  severityOf,
  sizeText,
  spanOf,
  theseFiles,
  total,
  trust,
  type Way,
  worstFiles,
} from "./words-a.ts";

const SMALL_THRESHOLDS = {
  bytes: {
    value: SMALL.bytes,
    unit: "bytes",
    meaning: "calls below this are small; classes of sizes that lie below count",
    source: "Drishti: small_bytes",
  },
  share: {
    value: SMALL.share,
    unit: "share",
    meaning: "small calls of all calls in this direction",
    source: "Drishti: small_requests",
  },
  calls: {
    value: SMALL.calls,
    unit: "calls",
    meaning: "small calls",
    source: "Drishti: small_requests_absolute",
  },
} as const;

function small(way: Way): Rule {
  const what = `${way}s`;
  return defineRule({
    id: `small-${what}`,
    title: way === "write" ? "Small writes" : "Small reads",
    meaning:
      `Many ${what} move less than 1 MiB each, so that the time goes into calls and requests instead of into data. ` +
      "Random and strided accesses have findings of their own.",
    needs: [["POSIX"]],
    thresholds: SMALL_THRESHOLDS,
    drishti: way === "write" ? "P06" : "P05",
    judge(job, limits) {
      const found = smallAccesses(job, way, limits);
      if (found === undefined) return undefined;
      const records = found.files.map(({ record }) => record);
      const seconds = total(records, (record) => secondsOf(record, way));
      const usual = frequentSize(records, way);
      const listed = listOf(
        found.files,
        (file) => `${several(file.count, `small ${way}`)} of ${grouped(callsOf(file.record, way))}`,
      );
      return {
        severity: severityOf(job, seconds),
        statement:
          `${percent(found.count, found.calls)} of ${what} (${grouped(found.count)} of ${grouped(found.calls)}) are below ${sizeText(limits.bytes)}` +
          `${usual !== undefined && usual < limits.bytes ? `; the most frequent size is ${sizeText(usual)}` : ""}.` +
          costSentence(
            job,
            seconds,
            `${way === "write" ? "Writing" : "Reading"} ${theseFiles(found.files.length)} takes`,
          ),
        evidence: {
          numbers: [
            { label: `small ${what}`, value: found.count, unit: "calls", of: found.calls },
            ...(usual === undefined
              ? []
              : [{ label: "most frequent size", value: usual, unit: "bytes" } as const]),
            {
              label: `bytes of all ${what} in these files`,
              value: total(records, (one) => bytesOf(one, way)),
              unit: "bytes",
            },
            { label: `time in ${what} of these files, all ranks`, value: seconds, unit: "seconds" },
          ],
          ...worstFiles(listed),
          ...spanOf(listed, way),
        },
        ...smallAdvice(job, records, way),
        effect: `Fewer and larger requests: each call then costs its latency once for megabytes instead of once for ${usual === undefined ? "kilobytes" : sizeText(usual)}.`,
        ...trust(job, ["POSIX"], "high", "counted by the recorder for every call, in classes of sizes"),
      };
    },
  });
}

/** What can be done depends on who makes the calls: MPI-IO, many ranks on a file, or one. */
function smallAdvice(
  job: Job,
  records: readonly LayerRecord[],
  way: Way,
): Pick<Judgement, "advice" | "snippet"> {
  const worst = records.reduce((a, b) => (callsOf(b, way) > callsOf(a, way) ? b : a));
  const mpi = layerOf(job, worst, "MPI-IO");
  if (isCollective(mpi, way)) {
    const stripe = stripeOf(job, worst);
    return {
      advice:
        `${worst.path} is ${way === "write" ? "written" : "read"} collectively and yet reaches the file system in small pieces: ` +
        "turn collective buffering on and give aggregators a buffer of at least a stripe.",
      snippet: hints([
        { key: `romio_cb_${way}`, value: "enable" },
        { key: "cb_buffer_size", value: Math.max(16 * MIB, stripe || 0) },
        { key: `romio_ds_${way}`, value: "disable" },
      ]),
    };
  }
  if (mpi !== undefined)
    return {
      advice:
        `${worst.path} is accessed through MPI-IO: describe what each rank ${way === "write" ? "writes" : "reads"} with a file view ` +
        `and make one collective call (MPI_File_${way}_all), so that aggregators join the pieces of all ranks.`,
      snippet: collectiveCall(way),
    };
  if (worst.ranks > 1)
    return {
      advice:
        `${several(worst.ranks, "rank")} make these calls on ${worst.path} through POSIX. Collect pieces in memory and ${way} megabytes ` +
        "at a time; where the pieces of ranks lie between one another, use collective MPI-IO, which joins them.",
      snippet: way === "write" ? collectiveCall("write") : collectiveCall("read"),
    };
  return way === "write"
    ? {
        advice: `Collect records in a buffer of a few megabytes and write it when it is full (${worst.path} first).`,
        snippet: writeBuffer,
      }
    : {
        advice: `Read a few megabytes at a time and take records from memory (${worst.path} first).`,
        snippet: readAhead,
      };
}

const subBlock = defineRule({
  id: "sub-block-writes",
  title: "Scattered writes of parts of blocks",
  meaning:
    "Many writes are shorter than a block of the file system (4 KiB) and do not follow one another, so that blocks " +
    "are filled in parts and may be read before they are written.",
  needs: [["POSIX"]],
  thresholds: {
    share: {
      value: SUB_BLOCK.share,
      unit: "share",
      meaning: "writes below 4 KiB of all writes of a file",
      source: "as small-writes (Drishti: small_requests)",
    },
    calls: {
      value: SUB_BLOCK.calls,
      unit: "calls",
      meaning: "writes below 4 KiB",
      source: "as small-writes (Drishti: small_requests_absolute)",
    },
  },
  judge(job, limits) {
    const files = subBlockFiles(job, limits);
    if (files.length === 0) return undefined;
    const records = files.map(({ record }) => record);
    const count = total(files, (file) => file.count);
    const writes = total(records, (record) => record.writes);
    const consecutive = total(records, (record) => record.consecutiveWrites);
    const seconds = total(records, (record) => record.writeSeconds);
    const listed = listOf(files, (file) => `${several(file.count, "write")} below ${sizeText(BLOCK_BYTES)}`);
    return {
      severity: severityOf(job, seconds),
      statement:
        `${percent(count, writes)} of writes (${grouped(count)} of ${grouped(writes)}) to ${several(files.length, "file")} are below the block of ` +
        `${sizeText(BLOCK_BYTES)}, and ${percent(consecutive, writes)} of the writes (${grouped(consecutive)} of ${grouped(writes)}) begin where the one before ended.` +
        costSentence(job, seconds, `Writing ${theseFiles(files.length)} takes`),
      evidence: {
        numbers: [
          { label: "writes below a block", value: count, unit: "calls", of: writes },
          { label: "consecutive writes", value: consecutive, unit: "calls", of: writes },
          { label: "time in writes of these files, all ranks", value: seconds, unit: "seconds" },
        ],
        ...worstFiles(listed),
        ...spanOf(listed, "write"),
      },
      ...smallAdvice(job, records, "write"),
      effect: "Whole blocks reach the servers, none of which has to be read first to be completed.",
      ...trust(
        job,
        ["POSIX"],
        "medium",
        "counted for every call, but the class of 1–10 KiB is divided by the four most frequent sizes only",
      ),
    };
  },
});

/** Ours: fewer misplaced calls cost too little to move data for. */
const MISALIGNED_CALLS = 100;

export interface Misaligned {
  readonly record: LayerRecord;
  readonly count: number;
  readonly calls: number;
}

/** Files of large accesses that begin inside a block or stripe. Small ones cannot all begin at one. */
export function misalignedFiles(job: Job, limits: { share: number; calls: number }): Misaligned[] {
  const matched = posixFiles(job)
    .filter((record) => {
      const calls = (record.reads || 0) + (record.writes || 0);
      const small = (smallCalls(record, "read", MIB) || 0) + (smallCalls(record, "write", MIB) || 0);
      // The cache of one rank joins what follows one another, wherever it begins.
      const joined = record.ranks === 1 && record.consecutiveReads + record.consecutiveWrites >= 0.5 * calls;
      return record.fileNotAligned >= limits.share * calls && calls > 0 && small < 0.5 * calls && !joined;
    })
    .map((record) => ({ record, count: record.fileNotAligned, calls: record.reads + record.writes }));
  return total(matched, ({ count }) => count) >= limits.calls ? matched : [];
}

export const MISALIGNED_THRESHOLDS = {
  share: {
    value: 0.1,
    unit: "share",
    meaning: "accesses of a file that miss its alignment",
    source: "Drishti: misaligned_requests",
  },
  calls: {
    value: MISALIGNED_CALLS,
    unit: "calls",
    meaning: "misaligned accesses",
    source: "ours: below a hundred large calls the boundaries are crossed too rarely to be felt",
  },
} as const;

/** Numbers and words that the rule of plain files and the one of HDF5 share. */
export function misalignedFacts(job: Job, files: readonly Misaligned[]) {
  const count = total(files, (file) => file.count);
  const calls = total(files, (file) => file.calls);
  const seconds = total(files, ({ record }) => (record.readSeconds || 0) + (record.writeSeconds || 0));
  const worst = files.reduce((a, b) => (b.count > a.count ? b : a)).record;
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
    // Ranks meet in a stripe only when several write the file; for one rank the cache joins the pieces.
    severity: conflict ? severityOf(job, seconds) : ("info" as const),
    statement:
      `${percent(count, calls)} of accesses (${grouped(count)} of ${grouped(calls)}) to ${several(files.length, "file")} do not begin at a multiple of ` +
      `${sizeText(alignment)}, ${stripe === alignment ? "the stripe" : "the alignment"} of ${files.length === 1 ? "the file" : worst.path}.` +
      costSentence(job, seconds, `Accesses to ${theseFiles(files.length)} take`),
    evidence: {
      numbers: [
        { label: "misaligned accesses", value: count, unit: "calls", of: calls },
        { label: "alignment of the file", value: alignment, unit: "bytes" },
        ...(stripe > 0 ? [{ label: "stripe", value: stripe, unit: "bytes" } as const] : []),
        { label: "time in accesses to these files, all ranks", value: seconds, unit: "seconds" },
      ],
      ...worstFiles(listed),
      ...spanOf(listed, worst.writes >= worst.reads ? "write" : "read"),
    } as const,
    effect: conflict
      ? "Two ranks no longer write into the same stripe, so that they need not wait for one another's locks, and each request goes to one server."
      : "Each request goes to one server instead of two.",
    ...trust(job, ["POSIX"], "high", "counted by the recorder for every access"),
  };
}

const misaligned = defineRule({
  id: "misaligned",
  title: "Misaligned accesses",
  meaning:
    "Large accesses begin inside a stripe or block: each touches one more server, and ranks that meet inside a stripe " +
    "wait for one another's locks. Small accesses and HDF5 files have findings of their own.",
  needs: [["POSIX"]],
  thresholds: MISALIGNED_THRESHOLDS,
  drishti: "P08",
  judge(job, limits) {
    const hdf5 = hdf5Files(job);
    const files = misalignedFiles(job, limits).filter(
      ({ record }) => !(hdf5.has(record.fileId) && stripeOf(job, record) > 0),
    );
    if (!(total(files, ({ count }) => count) >= limits.calls)) return undefined;
    const { worst, stripe, ...facts } = misalignedFacts(job, files);
    const mpi = fileOf(job, worst)?.layers.has("MPI-IO") ?? false;
    return {
      ...facts,
      advice: mpi
        ? `Let collective MPI-IO cut the file at stripes: set striping_unit to ${sizeText(stripe)} and keep collective buffering on; ROMIO then gives each aggregator whole stripes.${/\.(h5|hdf5|he5|nc4?)$/.test(worst.path) ? ` If HDF5 writes it, as its name says, H5Pset_alignment(fapl, 65536, ${stripe}) puts its objects at stripes.` : ""}`
        : `${worst.ranks > 1 ? `Make the part of each rank a multiple of ${sizeText(stripe)} and begin it at one` : `Begin pieces at multiples of ${sizeText(stripe)}`}, or choose a stripe that divides the size of the pieces ` +
          `(lfs setstripe -S for a new file); collective MPI-IO does so by itself.`,
      snippet: mpi
        ? hints([
            { key: "romio_cb_write", value: "enable" },
            { key: "striping_unit", value: stripe },
          ])
        : alignedPieces(stripe),
    };
  },
});

const misalignedMemory = defineRule({
  id: "misaligned-memory",
  title: "Buffers not aligned in memory",
  meaning:
    "Buffers of reads and writes begin at addresses that are no multiple of the memory alignment; with direct I/O such " +
    "calls fail or are copied, otherwise the copy is a little slower.",
  needs: [["POSIX"]],
  thresholds: {
    share: {
      value: 0.1,
      unit: "share",
      meaning: "accesses with a misaligned buffer of all accesses",
      source: "Drishti: misaligned_requests",
    },
    calls: {
      value: 1000,
      unit: "calls",
      meaning: "accesses with a misaligned buffer",
      source: "ours: as many as other rules want, since a single copy costs microseconds",
    },
  },
  drishti: "P07",
  judge(job, limits) {
    const files = posixFiles(job)
      .filter((record) => record.memoryNotAligned > 0)
      .map((record) => ({ record, count: record.memoryNotAligned }));
    const count = total(files, (file) => file.count);
    const calls = total(posixFiles(job), (record) => (record.reads || 0) + (record.writes || 0));
    if (!(count >= limits.calls && count >= limits.share * calls)) return undefined;
    const alignment = files[0]?.record.memoryAlignment ?? Number.NaN;
    const listed = listOf(files, (file) => several(file.count, "misaligned buffer"));
    return {
      severity: "info",
      statement: `The buffers of ${percent(count, calls)} of accesses (${grouped(count)} of ${grouped(calls)}) do not begin at a multiple of ${formatBytes(alignment)}.`,
      evidence: {
        numbers: [
          { label: "misaligned buffers", value: count, unit: "calls", of: calls },
          { label: "alignment of memory", value: alignment, unit: "bytes" },
        ],
        ...worstFiles(listed),
      },
      advice: "Allocate buffers of I/O at page boundaries; with O_DIRECT it is required.",
      snippet: {
        language: "c",
        code: ["void *buffer;", "posix_memalign(&buffer, 4096, bytes); /* instead of malloc(bytes) */"].join(
          "\n",
        ),
      },
      effect:
        "Direct I/O becomes possible and copies are a little faster; through the page cache little changes.",
      ...trust(job, ["POSIX"], "high", "counted by the recorder for every access"),
    };
  },
});

function listOf(files: readonly Matched[], note: (file: Matched) => string): Listed[] {
  return files.map((file) => ({ record: file.record, weight: file.count, note: note(file) }));
}

export const SIZE_RULES: readonly Rule[] = [
  small("write"),
  small("read"),
  subBlock,
  misaligned,
  misalignedMemory,
];
