/** Sums, extents and sizes. What was not recorded is NaN in records and counts as nothing in sums. */
import { quantileOf } from "../../../base/statistics.ts";
import type { Job, JobFile } from "../job.ts";
import { addAccesses, type LayerRecord } from "../records.ts";

export const KIB = 1024;
export const MIB = 1024 * KIB;

export type Way = "read" | "write";
export const WAYS = ["write", "read"] as const;

/** Zero for what was not recorded: for sums over layers that count different things. */
export const known = (value: number) => (Number.isNaN(value) ? 0 : value);

export function sum<T>(list: Iterable<T>, value: (one: T) => number): number {
  let total = 0;
  for (const one of list) total += known(value(one));
  return total;
}

export const median = (values: readonly number[]): number => quantileOf(values, 0.5);

/** The one with most weight; the list must have one. */
export function heaviest<T>(list: readonly T[], weight: (one: T) => number): T {
  return list.reduce((a, b) => (weight(b) > weight(a) ? b : a));
}

/** What both directions call alike. */
export const callsOf = (record: LayerRecord, way: Way) => (way === "read" ? record.reads : record.writes);
export const bytesOf = (record: LayerRecord, way: Way) =>
  way === "read" ? record.bytesRead : record.bytesWritten;
export const secondsOf = (record: LayerRecord, way: Way) =>
  way === "read" ? record.readSeconds : record.writeSeconds;
export const consecutiveOf = (record: LayerRecord, way: Way) =>
  way === "read" ? record.consecutiveReads : record.consecutiveWrites;
export const sequentialOf = (record: LayerRecord, way: Way) =>
  way === "read" ? record.sequentialReads : record.sequentialWrites;
/** Highest byte that was read or written, plus one. */
export const endOf = (record: LayerRecord, way: Way) =>
  1 + (way === "read" ? record.maxByteRead : record.maxByteWritten);

/** Reads and writes together. */
export const accessesOf = ({ reads, writes }: LayerRecord) => known(reads) + known(writes);
export const accessSeconds = ({ readSeconds, writeSeconds }: LayerRecord) =>
  known(readSeconds) + known(writeSeconds);
export const bytesMoved = ({ bytesRead, bytesWritten }: { bytesRead: number; bytesWritten: number }) =>
  known(bytesRead) + known(bytesWritten);
/** The direction in which most bytes went. */
export const mainWay = ({ bytesRead, bytesWritten }: LayerRecord): Way =>
  bytesWritten >= bytesRead ? "write" : "read";

/** Highest byte of a file that was touched, plus one: the size of a new file, a lower bound for an old one. */
export function extentOf({ layers, called, bytesRead, bytesWritten }: JobFile): number {
  const moved = bytesMoved({ bytesRead, bytesWritten }) || bytesMoved(called);
  if (moved === 0) return 0;
  let last = Number.NaN;
  for (const { maxByteRead, maxByteWritten } of layers.values()) {
    if (!(maxByteRead <= last) && maxByteRead >= 0) last = maxByteRead;
    if (!(maxByteWritten <= last) && maxByteWritten >= 0) last = maxByteWritten;
  }
  return Number.isNaN(last) ? moved : last + 1;
}

/** I/O time of all ranks in the layers that the application calls. */
export const ioSeconds = ({ io }: Job) =>
  known(io.readSeconds) + known(io.writeSeconds) + known(io.metaSeconds);

/** The most frequent size of calls of one direction; undefined when the files were accessed in both directions. */
export function frequentSize(records: readonly LayerRecord[], way: Way): number | undefined {
  const counts = new Map<number, number>();
  for (const record of records) {
    if (callsOf(record, way === "read" ? "write" : "read") > 0) continue;
    addAccesses(record, counts);
  }
  let best: number | undefined;
  for (const [bytes, count] of counts)
    if (best === undefined || count > (counts.get(best) as number)) best = bytes;
  return best;
}
