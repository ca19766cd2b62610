/** Compares a store with its manifest, finds what no manifest entry names, and removes that when told to. */
import { join, relative, resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { FormatError } from "../base/errors.ts";
import type { Listener } from "../base/listener.ts";
import { STORE_SCHEMA, storedRuns } from "../model/index.ts";
import { builtFile } from "../node/built.ts";
import { ThreadPool } from "../node/thread-pool.ts";
import { changedSegment } from "./changed-segment.ts";
import { openDatabase, parquetRows, quotePath, type StoreOptions } from "./database.ts";
import { messageOf } from "./engine-error.ts";
import { ID_LENGTH, MANIFEST, storePath } from "./layout.ts";
import { clearRubbish, findLeftovers, type Rubbish, type RubbishOptions } from "./leftovers.ts";
import {
  allEntries,
  type BatchInfo,
  bytesOf,
  judge,
  readManifest,
  rowsOf,
  type Segment,
  segmentsOf,
} from "./manifest.ts";
import { lostManifest, readMark } from "./mark.ts";
import { findOverlaps, type Overlap } from "./overlaps.ts";
import { faultsOf, groupsOf, TASK_BYTES, type VerifyTask } from "./verify.ts";
import { hiddenRuns, hideDuplicates } from "./views.ts";

interface CheckOptions extends StoreOptions, RubbishOptions {
  /** Also compares the checksum of every segment. */
  readonly deep?: boolean;
  /** Checksums of more than this are compared by threads, in tasks of this size. */
  readonly taskBytes?: number;
}

interface Problem {
  /** From the folder of the store. */
  readonly path: string;
  readonly what: string;
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
  /** Folders of batches that a repair took out of the store, from the folder of the store. */
  readonly aside: readonly string[];
  /** Not ours; never touched. */
  readonly foreign: readonly string[];
}

export async function checkStore(
  path: string,
  options: CheckOptions = {},
  listener: Listener = {},
): Promise<CheckReport> {
  const root = storePath(path);
  readMark(root, path);
  const leftovers = findLeftovers(root);
  const manifest = readManifest(root, { lenient: true });
  const verdicts = judge({ entries: allEntries(manifest), settled: manifest.settled });
  const live = [...manifest.entries.values()].filter(({ id }) => verdicts.get(id) === "live");
  const problems: Problem[] = manifest.damaged.map((error: FormatError) => ({
    path: relative(root, error.source),
    what: error.detail,
  }));
  const lost = manifest.entries.size + manifest.damaged.length === 0 ? lostManifest(root) : undefined;
  if (lost !== undefined) problems.push({ path: MANIFEST, what: lost });
  const tables: Record<string, { segments: number; rows: number; bytes: number }> = {};
  let duplicateRuns = 0;
  let overlaps: readonly Overlap[] = [];
  const database = await openDatabase(root, options);
  const bytesTotal = live.reduce((sum, batch) => sum + bytesOf(batch), 0);
  const bar = listener.progress?.({ label: "checking", total: bytesTotal, unit: "bytes" });
  const { deep = false, taskBytes = TASK_BYTES } = options;
  const threads = deep && bytesTotal > taskBytes ? database.threads : 1;
  const pool = threads > 1 ? startPool(threads) : undefined;
  const faults = async (segments: readonly Segment[]) => {
    const found = await (pool?.run({ store: root, segments }) ?? faultsOf(root, segments, { deep }));
    for (const { bytes } of segments) bar?.add(bytes);
    await listener.yieldToEvents?.();
    return found;
  };
  try {
    for (const { name } of STORE_SCHEMA) {
      const segments = segmentsOf(live, name);
      const bytes = segments.reduce((sum, one) => sum + one.bytes, 0);
      tables[name] = { segments: segments.length, rows: rowsOf(live, name), bytes };
      const checked = pool === undefined ? groupsOf(segments, 1) : groupsOf(segments, taskBytes);
      problems.push(...(await checkSegments(root, checked, database.connection, faults, threads)));
    }
    if (problems.length === 0) {
      await hideDuplicates(database.connection, root, live);
      duplicateRuns = await hiddenRuns(database.connection);
      problems.push(...(await doubledRuns(database.connection, root, live, duplicateRuns)));
      overlaps = await findOverlaps(database.connection, root, live);
      problems.push(...overlapProblems(overlaps));
    }
  } catch (error) {
    // Rows that cannot be compared with each other: one of the segments has other columns than its table.
    const changed = await changedSegment(database.connection, root, live);
    if (changed === undefined) throw error;
    problems.push({ path: relative(root, changed.source), what: changed.detail });
  } finally {
    bar?.end();
    await pool?.stop();
    database.close();
  }
  // Without a whole manifest nobody can tell rubbish from rows.
  const isDamaged = problems.length > 0;
  const rubbish = clearRubbish(root, leftovers.ours, { ...options, isDamaged });
  const replaced = [...verdicts.values()].filter((verdict) => verdict !== "live").length;
  const { foreign, aside } = leftovers;
  return {
    ...{ store: root, batches: live.length, replaced, tables, problems, duplicateRuns, overlaps, rubbish },
    ...{ aside, foreign },
  };
}

const startPool = (threads: number) =>
  new ThreadPool<VerifyTask, (string | undefined)[]>({ program: builtFile("verify-worker.js"), threads });

async function checkSegments(
  store: string,
  groups: readonly Segment[][],
  connection: DuckDBConnection,
  faults: (segments: readonly Segment[]) => Promise<(string | undefined)[]>,
  threads: number,
): Promise<Problem[]> {
  const found: (readonly (string | undefined)[])[] = [];
  let next = 0;
  const oneAfterTheOther = async () => {
    for (let at = next++; at < groups.length; at = next++) found[at] = await faults(groups[at] as Segment[]);
  };
  await Promise.all(Array.from({ length: threads }, oneAfterTheOther));
  const problems: Problem[] = [];
  const whole: Segment[] = [];
  for (const [at, group] of groups.entries())
    for (const [place, segment] of group.entries()) {
      const what = found[at]?.[place];
      if (what === undefined) whole.push(segment);
      else problems.push({ path: segment.file, what });
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
    const files = segments.map(({ file }) => quotePath(join(store, file)));
    const result = await connection.runAndReadAll(
      `select file_name, num_rows from parquet_file_metadata([${files.join(", ")}])`,
    );
    const rows = new Map(result.getRows().map(([file, count]) => [String(file), Number(count)]));
    return segments.flatMap(({ file, rows: expected }) => {
      const found = rows.get(resolve(store, file));
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
  const files = segmentsOf(live, storedRuns.name).map(({ file }) => join(store, file));
  if (files.length === 0) return [];
  const from = parquetRows(files, { fileNames: true });
  const distinct = await connection.runAndReadAll(`select count(distinct run_id) from ${from}`);
  if (Number(distinct.getRows()[0]?.[0]) + hidden === rowsOf(live, storedRuns.name)) return [];
  const result = await connection.runAndReadAll(
    `select batch, count(*) from (
       select left(parse_filename(filename), ${ID_LENGTH}) as batch from ${from} group by batch, run_id having count(*) > 1
     ) group by batch order by batch`,
  );
  return result.getRows().map(([batch, count]) => ({
    path: `${MANIFEST}/${batch}.json`,
    what: `it has ${count} runs more than once`,
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
      ? "this batch contains copies of its own samples; ingest the samples into a new store"
      : `batch ${others.join(", ")} also has them; plimsoll store compact removes the copies`;
    return {
      path: `${MANIFEST}/${copy}.json`,
      what: `${found.length} counter intervals count more than once, the first is ${stretchText(first)}; ${remedy}`,
    };
  });
}

/** `lustre1-OST0007 job_stats from 2018-06-07T00:01:00.000Z to 2018-06-07T00:40:00.000Z` */
export function stretchText({ fileSystem, target, kind, fromUnixNs, toUnixNs }: Overlap): string {
  const time = (ns: bigint) => new Date(Number(ns / 1_000_000n)).toISOString();
  const name = fileSystem === null ? target : `${fileSystem}-${target}`;
  return `${name} ${kind} from ${time(fromUnixNs)} to ${time(toUnixNs)}`;
}
