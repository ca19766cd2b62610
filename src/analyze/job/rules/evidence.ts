/** What a finding shows: the files that weigh most, when it happened, and how sure it is. */
import type { Confidence, Evidence, EvidenceFile } from "../../../model/index.ts";
import type { Job, JobFile } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { known, type Way } from "./measures.ts";

const FILES_SHOWN = 10;

type Files = Pick<Evidence, "files" | "filesTotal">;

/** A record with what decides its place in the list, and a note beside it. */
export interface Listed {
  readonly record: LayerRecord;
  readonly weight: number;
  readonly note: string;
}

/** The records with most weight; those of datasets and variables link to their file. */
export function worstRecords(list: readonly Listed[]): Files {
  const files = heaviestOf(
    list,
    ({ weight }) => weight,
    ({ record }) => record.path,
  ).map(
    ({ record, note }): EvidenceFile => ({
      fileId: record.parentId === "0" ? record.fileId : record.parentId,
      path: record.path,
      note,
    }),
  );
  return { files, filesTotal: list.length };
}

/** The files with most weight; notes are written for those that are shown only. */
export function worstFiles(
  files: readonly JobFile[],
  weight: (file: JobFile) => number,
  note: (file: JobFile) => string,
): Files {
  const shown = heaviestOf(files, weight, ({ path }) => path);
  return {
    files: shown.map((file) => ({ fileId: file.fileId, path: file.path, note: note(file) })),
    filesTotal: files.length,
  };
}

/** Heaviest first, of the same weight by path. A list of a hundred thousand is walked once instead of sorted. */
function heaviestOf<T>(list: readonly T[], weight: (one: T) => number, path: (one: T) => string): T[] {
  const kept: { one: T; weight: number }[] = [];
  for (const one of list) {
    const own = known(weight(one));
    const last = kept[FILES_SHOWN - 1];
    if (last !== undefined && (own < last.weight || (own === last.weight && path(one) >= path(last.one))))
      continue;
    let place = Math.min(kept.length, FILES_SHOWN - 1);
    const isAfter = ({ one: other, weight: its }: { one: T; weight: number }) =>
      its < own || (its === own && path(other) > path(one));
    while (place > 0 && isAfter(kept[place - 1] as { one: T; weight: number })) place--;
    kept.splice(place, 0, { one, weight: own });
    kept.length = Math.min(kept.length, FILES_SHOWN);
  }
  return kept.map(({ one }) => one);
}

type Span = Pick<Evidence, "span">;

/** When the heaviest of them was read or written; nothing when the log does not say. */
export function spanOf(list: readonly Listed[], way: Way): Span {
  let worst: Listed | undefined;
  for (const one of list) if (worst === undefined || one.weight > worst.weight) worst = one;
  return worst === undefined ? {} : spanOfRecord(worst.record, way);
}

export const spanOfRecord = (record: LayerRecord, way: Way): Span =>
  way === "read"
    ? spanBetween(record.readStart, record.readEnd)
    : spanBetween(record.writeStart, record.writeEnd);

export function spanBetween(startSeconds: number, endSeconds: number): Span {
  return startSeconds < endSeconds ? { span: { startSeconds, endSeconds } } : {};
}

/** From the first to the last access of the files. */
export function spanOfFiles(files: readonly JobFile[]): Span {
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { called } of files) {
    for (const time of [called.openStart, called.readStart, called.writeStart])
      if (time < start) start = time;
    for (const time of [called.readEnd, called.writeEnd, called.closeEnd]) if (time > end) end = time;
  }
  return spanBetween(start, end);
}

export interface Trust {
  readonly confidence: Confidence;
  readonly confidenceReason: string;
}

/** Modules that count calls of files. */
export const COUNTERS: readonly string[] = ["POSIX", "STDIO", "MPI-IO", "DFS", "DAOS"];

/** Less when one of the modules holds only a part of its records. */
export function trust(job: Job, modules: readonly string[], confidence: Confidence, reason: string): Trust {
  const partial = modules.filter((module) => job.partialModules.has(module));
  if (partial.length === 0) return { confidence, confidenceReason: reason };
  return {
    confidence: confidence === "high" ? "medium" : "low",
    confidenceReason: `${reason}; the log has only a part of the records of ${partial.join(" and ")}`,
  };
}
