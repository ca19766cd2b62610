/**
 * Many small batches become one: fewer files to open, runs that two writers stored at once kept once, older versions
 * rewritten. The new batch replaces the old ones from the moment its manifest entry exists; their files go after a
 * grace time, so that whoever reads them meanwhile can finish.
 */
import { assert } from "../base/assert.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  STORE_SCHEMA,
  STORE_VERSION,
  storedFiles,
  storedReadings,
  type TableSchema,
} from "../model/index.ts";
import { publish, type WrittenSegment } from "./batch.ts";
import { openDatabase, type StoreOptions } from "./database.ts";
import { ownReadingError } from "./engine-error.ts";
import { syncFolder } from "../node/durable.ts";
import { makeFolder } from "../node/folders.ts";
import { BUCKET_KEYS, bucketsOf, partedQuery, type Parting } from "./bucket.ts";
import { removeFile } from "./files.ts";
import { reached } from "./hooks.ts";
import { entryPath, MANIFEST, markPath, newBatchId, TMP } from "./layout.ts";
import {
  ageMs,
  type BatchInfo,
  bytesOf,
  judge,
  liveBatches,
  type Manifest,
  markSettled,
  plainBatch,
  readManifest,
  segmentsOf,
} from "./manifest.ts";
import { lacksLevels, levelOf, prunedOf, rollAgain, withoutLevels } from "./levels.ts";
import { findOverlaps, hideOverlaps, joinedReadings } from "./overlaps.ts";
import type { Store } from "./store.ts";
import { renewBatch } from "./renew.ts";
import { verifySegments } from "./verify.ts";
import { duplicateBatches, hiddenRuns, hideDuplicates, tableQuery, type ViewSetting } from "./views.ts";
import { writeBuckets, writeSegment } from "./write-segment.ts";

interface CompactOptions extends StoreOptions {
  /** Batches of at least this size are left alone, and segments become about this large. */
  readonly targetBytes?: number;
  /** How long replaced batches stay on disk. */
  readonly graceMs?: number;
  readonly nowMs?: number;
  /** Rows by buckets; as many as the store has, unless given. */
  readonly buckets?: number | undefined;
  /** Segments also by month. */
  readonly byMonth?: boolean | undefined;
}

interface CompactReport {
  /** The new batch; undefined when there was nothing to do, or another compaction was faster. */
  readonly batch: string | undefined;
  /** Batches that it replaces. */
  readonly replaced: number;
  /** Runs that were stored more than once and now are once. */
  readonly duplicateRuns: number;
  /** Stretches of counters that two batches had and one has now. */
  readonly overlappingStretches: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Other batches whose minutes were summed up to hours and days. */
  readonly rolledUp: number;
  /** Batches replaced earlier whose files are gone now. */
  readonly removedBatches: number;
  readonly removedBytes: number;
}

const TARGET_BYTES = 256 * 1024 * 1024;
/** Longer than a query takes, and than a writer needs between naming its batch and its manifest entry. */
const GRACE_MS = 3600 * 1000;

export async function compactStore(store: Store, options: CompactOptions = {}): Promise<CompactReport> {
  const { targetBytes = TARGET_BYTES, graceMs = GRACE_MS } = options;
  store.refresh();
  const live = store.batches();
  const written = await rewrite(store.path, live, targetBytes, options);
  store.refresh();
  const rolledUp = await rollUpRest(store, options);
  // The time by now: the new batch is younger than this compaction.
  const removed = removeReplaced(store.path, graceMs, options.nowMs ?? Date.now());
  store.refresh();
  return { ...written, rolledUp, ...removed };
}

/** Batches that were left alone get sums of their minutes; what they hold stays where it is. */
async function rollUpRest(store: Store, options: StoreOptions): Promise<number> {
  const lacking = store.batches().filter(lacksLevels);
  if (lacking.length === 0) return 0;
  const database = await openDatabase(store.path, options);
  let rolledUp = 0;
  try {
    for (const batch of lacking) {
      const renewal = { writer: "plimsoll store compact", before: {} };
      if ((await renewBatch(database.connection, store.path, batch, renewal)) !== undefined) rolledUp++;
    }
    return rolledUp;
  } catch (error) {
    throw await ownReadingError(error, store.path, lacking, database);
  } finally {
    database.close();
  }
}

type Rewritten = Omit<CompactReport, "rolledUp" | "removedBatches" | "removedBytes">;
const NOTHING: Rewritten = {
  ...{ batch: undefined, replaced: 0, duplicateRuns: 0, overlappingStretches: 0 },
  ...{ bytesBefore: 0, bytesAfter: 0 },
};

async function rewrite(
  store: string,
  live: readonly BatchInfo[],
  targetBytes: number,
  options: CompactOptions,
): Promise<Rewritten> {
  if (live.length === 0) return NOTHING;
  const parting = partingOf(live, options);
  const work = join(store, TMP, newBatchId());
  const database = await openDatabase(store, options);
  const renamed: string[] = [];
  try {
    const { connection } = database;
    await hideDuplicates(connection, store, live);
    const sharing = await duplicateBatches(connection, store, live);
    for (const { batch, copy } of await findOverlaps(connection, store, live))
      if (batch !== copy) sharing.add(batch).add(copy);
    const chosen = choose(live, options.buckets, targetBytes, sharing);
    if (chosen.length === 0) return NOTHING;
    await verifySegments(store, chosen);
    makeFolder(work);
    // A run is dropped only for a copy that goes into the same new batch: then no other compaction can lose that one.
    const hiding = await hideDuplicates(connection, store, chosen);
    const { copies, stretches } = await hideOverlaps(connection, store, chosen);
    // What loses copies is summed up again.
    const summed = chosen.map((batch) => (copies.has(batch.id) ? withoutLevels(batch) : batch));
    const segments: WrittenSegment[] = [];
    for (const table of STORE_SCHEMA) {
      const lot = parting !== undefined && table.name in BUCKET_KEYS ? Number.POSITIVE_INFINITY : targetBytes;
      for (const query of queriesOf(table, { store, batches: summed, hiding, copies }, lot)) {
        const path = join(work, `${table.name}-${segments.length}.parquet`);
        const parted = parting === undefined ? undefined : partedQuery(table.name, query, parting);
        if (parting !== undefined && parted !== undefined) {
          const folder = join(work, table.name);
          const of = parting.buckets;
          segments.push(
            ...(await writeBuckets(connection, { table: table.name, query: parted, folder, store, of })),
          );
          continue;
        }
        const written = await writeSegment(connection, { table: table.name, query, path, store });
        if (written !== undefined) segments.push(written);
      }
    }
    reached("segments-synced");
    const manifest = readManifest(store);
    const stillLive = new Set(liveBatches(manifest).map(({ id }) => id));
    if (!chosen.every(({ id }) => stillLive.has(id))) return NOTHING;
    const id = newBatchId([...manifest.entries.keys()].at(-1));
    const replaces = chosen.map((batch) => batch.id);
    const by = { store, writer: "plimsoll store compact" };
    const batch = publish(by, id, segments, replaces, renamed, prunedOf(chosen));
    return {
      batch: id,
      replaced: chosen.length,
      duplicateRuns: await hiddenRuns(connection),
      overlappingStretches: stretches,
      bytesBefore: chosen.reduce((sum, one) => sum + bytesOf(one), 0),
      bytesAfter: bytesOf(batch),
    };
  } catch (error) {
    throw await ownReadingError(error, store, live, database);
  } finally {
    for (const path of renamed) removeFile(path);
    database.close();
    rmSync(work, { recursive: true, force: true });
  }
}

/** One query for each new segment of a table. */
function queriesOf(table: TableSchema, setting: ViewSetting, targetBytes: number): string[] {
  const level = levelOf(table);
  if (level !== undefined) {
    const has = ({ tables }: BatchInfo) => tables[table.name] ?? tables[level.base.name];
    return setting.batches.some((batch) => has(batch) !== undefined)
      ? [rollAgain(level, `(${tableQuery(table, setting)})`)]
      : [];
  }
  return partition(setting.batches, table.name, targetBytes).map((batches) => {
    const all = tableQuery(table, { ...setting, batches });
    // The same file is named by many batches.
    if (table === storedFiles) return `select distinct * from (${all})`;
    return table === storedReadings ? joinedReadings(all) : all;
  });
}

/** Small batches when there are several, older versions, and all that share a run or a stretch of counters. */
function choose(
  live: readonly BatchInfo[],
  buckets: number | undefined,
  targetBytes: number,
  sharing: ReadonlySet<string>,
): BatchInfo[] {
  const small = live.filter((batch) => bytesOf(batch) < targetBytes);
  const ids = new Set(small.length > 1 ? small.map(({ id }) => id) : []);
  return live.filter(
    (batch) =>
      ids.has(batch.id) ||
      sharing.has(batch.id) ||
      batch.version < STORE_VERSION ||
      lacksBuckets(batch, buckets),
  );
}

/** Whether rows of a batch are to have buckets and have not, or others. */
function lacksBuckets({ tables }: BatchInfo, buckets: number | undefined): boolean {
  if (buckets === undefined) return false;
  return Object.keys(BUCKET_KEYS).some((name) =>
    (tables[name] ?? []).some(({ bucket }) => bucket?.of !== buckets),
  );
}

function partingOf(
  live: readonly BatchInfo[],
  { buckets, byMonth = false }: CompactOptions,
): Parting | undefined {
  const kept = buckets ?? bucketsOf(live.flatMap(({ tables }) => Object.values(tables).flat()));
  if (kept === undefined && !byMonth) return undefined;
  return { buckets: kept ?? 1, byMonth };
}

/** Rows that are joined with others of the same table. */
const WHOLE_TABLES: ReadonlySet<string> = new Set([storedFiles.name, storedReadings.name]);

/** The segments of a table in lots of about `targetBytes`, each as batches that hold nothing else. */
function partition(batches: readonly BatchInfo[], table: string, targetBytes: number): BatchInfo[][] {
  const lots: BatchInfo[][] = [];
  let bytes = 0;
  for (const batch of batches) {
    for (const segment of batch.tables[table] ?? []) {
      const full = bytes + segment.bytes > targetBytes && !WHOLE_TABLES.has(table);
      if (lots.length === 0 || full) {
        lots.push([]);
        bytes = 0;
      }
      lots.at(-1)?.push({ ...plainBatch(batch), tables: { [table]: [segment] } });
      bytes += segment.bytes;
    }
  }
  const placed = lots.reduce((sum, lot) => sum + lot.length, 0);
  assert(placed === segmentsOf(batches, table).length, "every segment is in one lot");
  return lots;
}

const segmentNames = (batches: readonly BatchInfo[]): string[] =>
  batches.flatMap(({ tables }) => Object.values(tables).flatMap((list) => list.map(({ file }) => file)));

function entryOf({ entries }: Manifest, id: string): BatchInfo {
  const batch = entries.get(id);
  assert(batch !== undefined, "only entries are judged");
  return batch;
}

/**
 * Removes the files of batches that were replaced, or lost to another compaction, at least `graceMs` ago. First a mark
 * settles the compactions for good, so that half of the work done means the same as none or all of it.
 */
export function removeReplaced(
  store: string,
  graceMs: number,
  nowMs: number,
): { removedBatches: number; removedBytes: number } {
  const before = readManifest(store);
  // Clocks of a file server may be ahead of ours; no grace means none.
  const isOld = (id: string) => graceMs <= 0 || ageMs(entryPath(store, id), nowMs) >= graceMs;
  const settled = new Set(before.settled);
  for (const [id, verdict] of judge(before)) {
    const { replaces } = entryOf(before, id);
    if (replaces.length === 0 || verdict === "rejected" || settled.has(id) || !isOld(id)) continue;
    // What it replaces must be settled itself, or it could come back.
    if (replaces.some((old) => (before.entries.get(old)?.replaces.length ?? 0) > 0 && !settled.has(old)))
      continue;
    markSettled(store, id);
    settled.add(id);
    reached("settled");
  }
  if (settled.size > before.settled.size) syncFolder(join(store, MANIFEST));

  const manifest = readManifest(store, { known: before.entries });
  const left = new Set(manifest.entries.keys());
  const final = new Set([...settled].flatMap((id) => manifest.entries.get(id)?.replaces ?? []));
  const removed: BatchInfo[] = [];
  for (const [id, verdict] of judge(manifest)) {
    const batch = entryOf(manifest, id);
    const goes = verdict === "replaced" ? final.has(id) : verdict === "rejected" && isOld(id);
    // As long as one that it replaced has an entry, this one must say that it is replaced; also after a crash.
    const needed = verdict === "replaced" && batch.replaces.some((old) => left.has(old));
    if (!goes || needed) continue;
    if (batch.replaces.length > 0) syncFolder(join(store, MANIFEST));
    if (!removeFile(entryPath(store, id))) continue;
    reached("entry-removed");
    removeFile(markPath(store, id));
    left.delete(id);
    removed.push(batch);
  }
  if (removed.length > 0) syncFolder(join(store, MANIFEST));
  const counting = new Set(segmentNames(liveBatches(manifest)));
  assert(!segmentNames(removed).some((file) => counting.has(file)), "a segment that counts is not removed");
  for (const file of segmentNames(removed)) {
    removeFile(join(store, file));
    reached("segment-removed");
  }
  const removedBatches = removed.length;
  const removedBytes = removed.reduce((sum, batch) => sum + bytesOf(batch), 0);
  return { removedBatches, removedBytes };
}
