/** Compares a store with its manifest, finds what no manifest entry names, and removes that when it is old enough. */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { FormatError } from "../base/errors.ts";
import { STORE_SCHEMA, storedRuns } from "../model/store-schema.ts";
import { openDatabase, quoteText, type StoreOptions } from "./database.ts";
import { messageOf } from "./engine-error.ts";
import { hashFile, sizeOf } from "./files.ts";
import {
  entryId,
  entryPath,
  isBatchId,
  isPart,
  ID_LENGTH,
  LOCKS,
  MANIFEST,
  markId,
  SEGMENTS,
  STORE_FILE,
  segmentBatch,
  storePath,
  TMP,
} from "./layout.ts";
import {
  type BatchInfo,
  bytesOf,
  judge,
  readManifest,
  rowsOf,
  type Segment,
  segmentsOf,
} from "./manifest.ts";
import { findOverlaps, type Overlap } from "./overlaps.ts";
import { readVersion } from "./store.ts";
import { hiddenRuns, hideDuplicates } from "./views.ts";

export interface CheckOptions extends StoreOptions {
  /** Also compares the checksum of every segment. */
  readonly deep?: boolean;
  /** How long ago rubbish must have been written last to be removed: a writer may still be at work on it. */
  readonly graceMs?: number;
  /** Whether rubbish is removed at all. */
  readonly remove?: boolean;
  readonly nowMs?: number;
  /** Told after each segment how far it is. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number) => void | Promise<void>;
}

export interface Problem {
  /** From the folder of the store. */
  readonly path: string;
  readonly what: string;
}

export interface Rubbish {
  readonly path: string;
  readonly bytes: number;
  readonly ageSeconds: number;
  readonly removed: boolean;
}

export interface CheckReport {
  readonly store: string;
  /** Batches that count. */
  readonly batches: number;
  /** Batches whose rows are in another batch now, and whose files wait to be removed. */
  readonly replaced: number;
  readonly tables: Readonly<Record<string, { segments: number; rows: number; bytes: number }>>;
  readonly problems: readonly Problem[];
  /** Runs in more than one batch, which queries see once. */
  readonly duplicateRuns: number;
  /** Stretches of counters that are in more than one batch, and count as often. */
  readonly overlaps: readonly Overlap[];
  /** Left by writers that did not finish. */
  readonly rubbish: readonly Rubbish[];
  /** Not ours; never touched. */
  readonly foreign: readonly string[];
}

/** A day: longer than any batch takes to write. */
export const RUBBISH_GRACE_MS = 24 * 3600 * 1000;

export async function checkStore(path: string, options: CheckOptions = {}): Promise<CheckReport> {
  const root = storePath(path);
  readVersion(root, path);
  const leftovers = findLeftovers(root);
  const manifest = readManifest(root, { lenient: true });
  const verdicts = judge(manifest);
  const live = [...manifest.entries.values()].filter(({ id }) => verdicts.get(id) === "live");
  const problems: Problem[] = manifest.damaged.map((error: FormatError) => ({
    path: relative(root, error.source),
    what: error.detail,
  }));
  const tables: Record<string, { segments: number; rows: number; bytes: number }> = {};
  let duplicateRuns = 0;
  let overlaps: readonly Overlap[] = [];
  const database = await openDatabase(root, options);
  const bytesTotal = live.reduce((sum, batch) => sum + bytesOf(batch), 0);
  let bytesDone = 0;
  const after = async ({ bytes }: Segment) => options.onProgress?.((bytesDone += bytes), bytesTotal);
  try {
    for (const { name } of STORE_SCHEMA) {
      const segments = segmentsOf(live, name);
      const bytes = segments.reduce((sum, one) => sum + one.bytes, 0);
      tables[name] = { segments: segments.length, rows: rowsOf(live, name), bytes };
      problems.push(
        ...(await checkSegments(root, segments, database.connection, options.deep ?? false, after)),
      );
    }
    if (problems.length === 0) {
      await hideDuplicates(database.connection, root, live);
      duplicateRuns = await hiddenRuns(database.connection);
      problems.push(...(await doubledRuns(database.connection, root, live, duplicateRuns)));
      overlaps = await findOverlaps(database.connection, root, live);
      problems.push(...overlapProblems(overlaps));
    }
  } finally {
    database.close();
  }
  const rubbish = clearRubbish(root, leftovers.ours, options);
  const replaced = [...verdicts.values()].filter((verdict) => verdict !== "live").length;
  const { foreign } = leftovers;
  return {
    ...{ store: root, batches: live.length, replaced, tables, problems },
    ...{ duplicateRuns, overlaps, rubbish, foreign },
  };
}

async function checkSegments(
  store: string,
  segments: readonly Segment[],
  connection: DuckDBConnection,
  deep: boolean,
  after: (segment: Segment) => Promise<void>,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const whole: Segment[] = [];
  for (const segment of segments) {
    const { file, bytes, sha256 } = segment;
    const found = sizeOf(join(store, file));
    if (found === undefined) problems.push({ path: file, what: "segment has vanished" });
    else if (found !== bytes)
      problems.push({ path: file, what: `${found} bytes, the manifest says ${bytes}` });
    else if (deep && (await hashFile(join(store, file))) !== sha256)
      problems.push({ path: file, what: "checksum differs from the manifest: its content was changed" });
    else whole.push(segment);
    await after(segment);
  }
  problems.push(...(await checkRows(store, whole, connection)));
  return problems;
}

/** Compares the rows that the segments' own footers give; all at once, and one by one when one of them is damaged. */
async function checkRows(
  store: string,
  segments: readonly Segment[],
  connection: DuckDBConnection,
): Promise<Problem[]> {
  if (segments.length === 0) return [];
  try {
    const files = segments.map(({ file }) => quoteText(join(store, file)));
    const result = await connection.runAndReadAll(
      `select file_name, num_rows from parquet_file_metadata([${files.join(", ")}])`,
    );
    const rows = new Map(result.getRows().map(([file, count]) => [String(file), Number(count)]));
    return segments.flatMap(({ file, rows: expected }) => {
      const found = rows.get(join(store, file));
      return found === expected ? [] : [{ path: file, what: `${found} rows, the manifest says ${expected}` }];
    });
  } catch (error) {
    if (segments.length === 1)
      return [
        { path: (segments[0] as Segment).file, what: `damaged: ${messageOf(error).split("\n", 1)[0]}` },
      ];
    const half = segments.length >> 1;
    return [
      ...(await checkRows(store, segments.slice(0, half), connection)),
      ...(await checkRows(store, segments.slice(half), connection)),
    ];
  }
}

/** A run twice in one batch is a fault of whoever wrote it: queries count it twice. */
async function doubledRuns(
  connection: DuckDBConnection,
  store: string,
  live: readonly BatchInfo[],
  hidden: number,
): Promise<Problem[]> {
  const files = segmentsOf(live, storedRuns.name).map(({ file }) => quoteText(join(store, file)));
  if (files.length === 0) return [];
  const from = `read_parquet([${files.join(", ")}], filename = true)`;
  const distinct = await connection.runAndReadAll(`select count(distinct run_id) from ${from}`);
  if (Number(distinct.getRows()[0]?.[0]) + hidden === rowsOf(live, storedRuns.name)) return [];
  const result = await connection.runAndReadAll(
    `select batch, count(*) from (
       select left(parse_filename(filename), ${ID_LENGTH}) as batch from ${from} group by batch, run_id having count(*) > 1
     ) group by batch order by batch`,
  );
  return result.getRows().map(([batch, count]) => ({
    path: `${MANIFEST}/${batch}.json`,
    what: `${count} runs are in it more than once`,
  }));
}

/** One for each batch that has what another one has. */
function overlapProblems(overlaps: readonly Overlap[]): Problem[] {
  const byCopy = new Map<string, Overlap[]>();
  for (const overlap of overlaps) byCopy.set(overlap.copy, [...(byCopy.get(overlap.copy) ?? []), overlap]);
  return [...byCopy].map(([copy, found]) => {
    const [first] = found as [Overlap];
    const others = [...new Set(found.map(({ batch }) => batch))].filter((batch) => batch !== copy);
    const remedy = found.some(({ batch }) => batch === copy)
      ? "some copies are in this batch itself and cannot be told apart; ingest the samples into a new store"
      : `batch ${others.join(", ")} has them too; plimsoll store compact removes the copies`;
    return {
      path: `${MANIFEST}/${copy}.json`,
      what: `${found.length} stretches of counters count more than once, the first is ${stretchText(first)}; ${remedy}`,
    };
  });
}

/** `lustre1-OST0007 job_stats from 2018-06-07T00:01:00.000Z to 2018-06-07T00:40:00.000Z` */
export function stretchText({ fileSystem, target, kind, fromUnixNs, toUnixNs }: Overlap): string {
  const time = (ns: bigint) => new Date(Number(ns / 1_000_000n)).toISOString();
  const name = fileSystem === null ? target : `${fileSystem}-${target}`;
  return `${name} ${kind} from ${time(fromUnixNs)} to ${time(toUnixNs)}`;
}

interface Leftovers {
  /** Files and folders of ours that no manifest entry needs. */
  readonly ours: readonly string[];
  readonly foreign: readonly string[];
}

function findLeftovers(store: string): Leftovers {
  const ours: string[] = [];
  const foreign: string[] = [];
  const sort = (path: string, kind: "keep" | "ours" | "foreign") => {
    if (kind !== "keep") (kind === "ours" ? ours : foreign).push(path);
  };
  const hasEntry = (id: string) => existsSync(entryPath(store, id));
  for (const name of list(store)) {
    const known = [STORE_FILE, SEGMENTS, MANIFEST, TMP, LOCKS].includes(name);
    sort(name, known ? "keep" : name.startsWith(STORE_FILE) && isPart(name) ? "ours" : "foreign");
  }
  for (const name of list(join(store, MANIFEST))) {
    const mark = markId(name);
    const kind = entryId(name) !== undefined ? "keep" : isPart(name) ? "ours" : "foreign";
    sort(`${MANIFEST}/${name}`, mark === undefined ? kind : hasEntry(mark) ? "keep" : "ours");
  }
  for (const table of list(join(store, SEGMENTS))) {
    if (!STORE_SCHEMA.some(({ name }) => name === table)) {
      foreign.push(`${SEGMENTS}/${table}`);
      continue;
    }
    for (const name of list(join(store, SEGMENTS, table))) {
      const batch = segmentBatch(name);
      sort(
        `${SEGMENTS}/${table}/${name}`,
        batch === undefined ? "foreign" : hasEntry(batch) ? "keep" : "ours",
      );
    }
  }
  for (const name of list(join(store, TMP)))
    sort(`${TMP}/${name}`, isBatchId(name.replace(/-spill$/, "")) ? "ours" : "foreign");
  return { ours, foreign };
}

function clearRubbish(store: string, paths: readonly string[], options: CheckOptions): Rubbish[] {
  const { graceMs = RUBBISH_GRACE_MS, remove = true, nowMs = Date.now() } = options;
  return paths.flatMap((path) => {
    const full = join(store, path);
    const { bytes, changedMs } = extent(full);
    if (changedMs === 0) return [];
    const ageMs = nowMs - changedMs;
    const batch = segmentBatch(path.split("/").at(-1) ?? "");
    // It may have been committed since we looked.
    if (batch !== undefined && existsSync(entryPath(store, batch))) return [];
    const removed = remove && ageMs >= graceMs && removeAll(full);
    return [{ path, bytes, ageSeconds: Math.max(0, Math.round(ageMs / 1000)), removed }];
  });
}

/** Bytes of a file or of all files in a folder, and when the last of them changed. */
function extent(path: string): { bytes: number; changedMs: number } {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { bytes: 0, changedMs: 0 };
  if (!stat.isDirectory()) return { bytes: stat.size, changedMs: stat.mtimeMs };
  let bytes = 0;
  let changedMs = stat.mtimeMs;
  for (const name of list(path)) {
    const inner = extent(join(path, name));
    bytes += inner.bytes;
    changedMs = Math.max(changedMs, inner.changedMs);
  }
  return { bytes, changedMs };
}

function removeAll(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
