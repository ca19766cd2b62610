/** Words, evidence and weight that the rules of accesses, MPI-IO and libraries share. */
import { formatBytes, formatSeconds } from "../../../base/units.ts";
import type { Confidence, Evidence, EvidenceFile, Severity } from "../../../model/finding.ts";
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;

export type Way = "read" | "write";

/** What both directions call alike. */
export const callsOf = (record: LayerRecord, way: Way) => (way === "read" ? record.reads : record.writes);
export const bytesOf = (record: LayerRecord, way: Way) =>
  way === "read" ? record.bytesRead : record.bytesWritten;
export const secondsOf = (record: LayerRecord, way: Way) =>
  way === "read" ? record.readSeconds : record.writeSeconds;
export const extentOf = (record: LayerRecord, way: Way) =>
  1 + (way === "read" ? record.maxByteRead : record.maxByteWritten);
export const consecutiveOf = (record: LayerRecord, way: Way) =>
  way === "read" ? record.consecutiveReads : record.consecutiveWrites;
export const sequentialOf = (record: LayerRecord, way: Way) =>
  way === "read" ? record.sequentialReads : record.sequentialWrites;

export const total = <T>(list: readonly T[], value: (one: T) => number): number =>
  list.reduce((sum, one) => sum + (value(one) || 0), 0);

/** `32,768`. */
export const grouped = (count: number) => Math.round(count).toLocaleString("en-US");

/** `1,024 writes`, `1 write`. */
export const several = (count: number, word: string) =>
  `${grouped(count)} ${word}${Math.round(count) === 1 ? "" : "s"}`;

/** `93.1 %`; what is not all is never written as 100 %, what is not nothing never as 0 %. */
export function percent(part: number, whole: number): string {
  const hundredths = (100 * part) / whole;
  if (part < whole && hundredths > 99.9) return "over 99.9 %";
  if (part > 0 && hundredths < 0.1) return "under 0.1 %";
  return `${Number(hundredths.toFixed(1))} %`;
}

/** Sizes of calls are mostly powers of two: `4 KiB`, `1 MiB`; others as amounts: `3 MB`. */
export function sizeText(bytes: number): string {
  for (const [unit, name] of [
    [GIB, "GiB"],
    [MIB, "MiB"],
    [KIB, "KiB"],
  ] as const)
    if (bytes >= unit && bytes % unit === 0) return `${grouped(bytes / unit)} ${name}`;
  return formatBytes(bytes);
}

/** `6.17 s`, `570,000 s`. */
export const secondsText = (seconds: number) =>
  seconds >= 1000 ? `${grouped(Number(seconds.toPrecision(3)))} s` : formatSeconds(seconds);

/** `this file` or `these files`. */
export const theseFiles = (count: number) => (count === 1 ? "this file" : "these files");

/** `3.1 times`. */
export const times = (quotient: number) =>
  `${quotient >= 100 ? grouped(quotient) : Number(quotient.toPrecision(2))} times`;

/** Standard streams and devices are no files that a layout or a size of calls could help. */
export const isPlainFile = ({ path }: LayerRecord) =>
  !path.startsWith("<") && !/^\/(dev|proc|sys)\//.test(path);

export interface Listed {
  readonly record: LayerRecord;
  /** Decides the order. */
  readonly weight: number;
  readonly note: string;
}

const FILES_SHOWN = 10;

/** The worst files first, and how many there are. */
export function worstFiles(list: readonly Listed[]): Pick<Evidence, "files" | "filesTotal"> {
  const files: EvidenceFile[] = [...list]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, FILES_SHOWN)
    .map(({ record, note }) => ({
      fileId: record.parentId === "0" ? record.fileId : record.parentId,
      path: record.path,
      note,
    }));
  return { files, filesTotal: list.length };
}

/** When the heaviest of them was read or written; nothing when the log does not say. */
export function spanOf(list: readonly Listed[], way: Way): Pick<Evidence, "span"> {
  let worst: Listed | undefined;
  for (const one of list) if (worst === undefined || one.weight > worst.weight) worst = one;
  if (worst === undefined) return {};
  const { record } = worst;
  return spanBetween(
    way === "read" ? record.readStart : record.writeStart,
    way === "read" ? record.readEnd : record.writeEnd,
  );
}

export function spanBetween(startSeconds: number, endSeconds: number): Pick<Evidence, "span"> {
  return startSeconds <= endSeconds ? { span: { startSeconds, endSeconds } } : {};
}

/** I/O time of all ranks in the layers that the application calls. */
export const ioSeconds = ({ io }: Job) =>
  (io.readSeconds || 0) + (io.writeSeconds || 0) + (io.metaSeconds || 0);

/** Ours: below a tenth of the I/O time a repair cannot be felt, below a twentieth of the run I/O cannot. */
const COSTLY_SHARE_OF_IO = 0.1;
const NOTABLE_SHARE_OF_IO = 0.01;
const COSTLY_SHARE_OF_RUN = 0.05;
/** Nobody tunes what takes less than a second of all ranks together. */
const COSTLY_SECONDS = 1;

/** By the time that the calls in question took, summed over ranks. */
export function severityOf(job: Job, seconds: number, most: Severity = "high"): Severity {
  const share = seconds / ioSeconds(job);
  const matters = !(job.io.slowestShare < COSTLY_SHARE_OF_RUN) && seconds >= COSTLY_SECONDS;
  const severity =
    share >= COSTLY_SHARE_OF_IO && matters ? "high" : !(share < NOTABLE_SHARE_OF_IO) ? "warn" : "info";
  return severity === "high" ? most : most === "info" ? "info" : severity;
}

/** ` They take 71.9 s of 72.8 s of I/O time, summed over ranks (98.8 %).`; empty when no times were recorded. */
export function costSentence(job: Job, seconds: number, what = "They take"): string {
  const all = ioSeconds(job);
  if (!(seconds > 0 && all > 0)) return "";
  // Layers nest: calls of a lower layer can take a little longer than those of the layer that is called.
  const part = Math.min(seconds, all);
  return ` ${what} ${secondsText(part)} of ${secondsText(all)} of I/O time, summed over ranks (${percent(part, all)}).`;
}

export interface Trust {
  readonly confidence: Confidence;
  readonly confidenceReason: string;
}

/** Less when one of the modules holds only a part of its records. */
export function trust(job: Job, modules: readonly string[], confidence: Confidence, reason: string): Trust {
  const partial = modules.filter((module) => job.partialModules.has(module));
  if (partial.length === 0) return { confidence, confidenceReason: reason };
  return {
    confidence: confidence === "high" ? "medium" : "low",
    confidenceReason: `${reason}; the log has only a part of the records of ${partial.join(" and ")}`,
  };
}

/** The most frequent size of calls of one direction; undefined when the files were accessed in both directions. */
export function frequentSize(records: readonly LayerRecord[], way: Way): number | undefined {
  const counts = new Map<number, number>();
  for (const record of records) {
    if (callsOf(record, way === "read" ? "write" : "read") > 0) continue;
    for (const { bytes, count } of record.accesses) counts.set(bytes, (counts.get(bytes) ?? 0) + count);
  }
  let best: number | undefined;
  for (const [bytes, count] of counts)
    if (best === undefined || count > (counts.get(best) as number)) best = bytes;
  return best;
}
