/** The study of file reuse over a store, within a limit of memory. */
import { itemsJson } from "../analyze/study/common/items-json.ts";
import {
  BYTES_PER_NUMBERED,
  BYTES_PER_SELECTED,
  BYTES_PER_SPILLED,
  type Keeping,
  REUSE_ROWS,
  type ReuseOptions,
  reusePart,
  runStudy,
  STUDY_STEPS,
  type Study,
  studyDocument,
} from "../analyze/study/reuse/index.ts";
import { UsageError } from "../base/errors.ts";
import { formatMany } from "../base/units.ts";
import { collectGarbage, groupRunsInThread } from "./reuse-thread.ts";
import type { StoreStudy } from "./store-study.ts";

interface StudyLimits {
  readonly memory?: number | undefined;
  readonly threads?: number | undefined;
}

export function reuseStudy(
  chosen: ReuseOptions,
  { memory = MEMORY_DEFAULT, threads }: StudyLimits,
): StoreStudy<Study> {
  const database = databaseBytes(memory);
  const resources = {
    databaseBytes: database,
    recordBytes: Math.max(memory - database, memory / 2),
    keep: (files: number) => keepFiles(memory, files),
    groupRuns: groupRunsInThread(threads),
    collect: collectGarbage,
  };
  return {
    name: "reuse",
    kind: "plimsoll study",
    steps: STUDY_STEPS,
    databaseBytes: database,
    rows: REUSE_ROWS,
    empty: "has no runs of Darshan logs",
    origin: ["runs"],
    run: (session, watch) => runStudy(session, chosen, { ...watch, ...resources }),
    options: chosen,
    part: (session, write) => reusePart(session, chosen, resources, write),
    document: studyDocument,
    tables: ({ outputs }) => outputs,
    json: studyJson,
  };
}

const GIBIBYTE = 1024 ** 3;
/** Enough for thirty million accesses of selected files in one pass; ours. */
const MEMORY_DEFAULT = 2 * GIBIBYTE;
/** Less does not suffice to group millions of accesses by file; ours. */
const DATABASE_LEAST = 64 * 1024 ** 2;
/** For tables of selected files, and three readers of their accesses; beyond it, accesses need the memory more. */
const DATABASE_ENOUGH = 512 * 1024 ** 2;

/** The database's share of the memory: half of a small limit, a quarter of a large one. */
export function databaseBytes(memory: number): number {
  const part = Math.max(memory / 4, Math.min(memory / 2, DATABASE_ENOUGH));
  return Math.max(part, Math.min(memory, DATABASE_LEAST));
}

/** Accesses are read in as many passes as their memory requires; a smaller share would mean too many passes. Ours. */
const ACCESS_SHARE = 1 / 8;

/** Memory for accesses, after the database and the totals of each selected file, which stay in memory if they fit. */
export function keepFiles(memory: number, files: number): Keeping {
  const held = leftOf(memory, files, BYTES_PER_SELECTED);
  if (held >= ACCESS_SHARE * memory) return { accessBytes: held, spilled: false };
  // Items read columns after the accesses are freed: until then accesses may use that memory.
  if (leftOf(memory, files, BYTES_PER_SPILLED) >= ACCESS_SHARE * memory)
    return { accessBytes: Math.min(memory / 2, leftOf(memory, files, BYTES_PER_NUMBERED)), spilled: true };
  let gibibytes = 1;
  while (leftOf(gibibytes * GIBIBYTE, files, BYTES_PER_SPILLED) < ACCESS_SHARE * gibibytes * GIBIBYTE)
    gibibytes++;
  throw new UsageError(
    `${formatMany(files, "selected file")} do not fit into --memory: give the study --memory ${gibibytes}GiB, or select fewer files with a larger --min-bytes or --min-runs`,
  );
}

/** Memory left by database and files. */
const leftOf = (memory: number, files: number, bytesPerFile: number): number =>
  memory - Math.min(databaseBytes(memory), memory / 2) - files * bytesPerFile;

/** The contract of all studies. */
function studyJson({ items, findings, options, files, outputRows, seconds }: Study): object {
  return {
    study: "reuse",
    options,
    files,
    items: itemsJson(items),
    findings,
    tables: outputRows,
    seconds,
  };
}
