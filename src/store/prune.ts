/**
 * Rows of a level that are older than they are to be kept go out of a store, batch by batch. Before minutes go, their hours
 * and days are in the same new batch, so no moment of it is without them.
 */
import { join } from "node:path";
import { assert } from "../base/assert.ts";
import { STORE_LEVELS, STORE_SCHEMA } from "../model/index.ts";
import { removeReplaced } from "./compact.ts";
import { openDatabase, parquetRows, type StoreOptions } from "./database.ts";
import { ownReadingError } from "./engine-error.ts";
import { type BatchInfo, bytesOf, type Pruned, rowsOf, segmentsOf } from "./manifest.ts";
import { cutOf, renewBatch } from "./renew.ts";
import type { Store } from "./store.ts";
import { minuteOf, THINNED_TABLES } from "./thin.ts";

interface PruneOptions extends StoreOptions {
  /** How long rows of a level are kept, in milliseconds; forever unless given. */
  readonly keepMs: { readonly minutes?: number; readonly hours?: number; readonly days?: number };
  /** How long replaced batches stay on disk. */
  readonly graceMs: number;
  readonly nowMs?: number;
}

interface PruneReport {
  /** First minute that stays, in minutes since 1970; missing: all stay. */
  readonly before: Pruned;
  /** Batches that were written again. */
  readonly batches: number;
  /** Rows that went, by table. */
  readonly removed: Readonly<Record<string, number>>;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly removedBatches: number;
  readonly removedBytes: number;
}

/** Tables of sums, which a batch without them gets as it is written again. */
const LEVELS: ReadonlySet<string> = new Set(STORE_LEVELS.map(({ table }) => table.name));
const DAY_MS = 86_400_000;
const DAY_MINUTES = 1440;

export async function pruneStore(store: Store, options: PruneOptions): Promise<PruneReport> {
  const { keepMs, graceMs, nowMs = Date.now() } = options;
  // Whole days: then no hour and no day is cut.
  const cut = (keep: number | undefined) =>
    keep === undefined ? undefined : Math.floor((nowMs - keep) / DAY_MS) * DAY_MINUTES;
  const before = withoutUndefined({
    minutes: cut(keepMs.minutes),
    hours: cut(keepMs.hours),
    days: cut(keepMs.days),
  });
  const removed: Record<string, number> = {};
  const totals = { batches: 0, bytesBefore: 0, bytesAfter: 0 };
  store.refresh();
  const live = store.batches();
  const database = await openDatabase(store.path, options);
  try {
    for (const batch of live) {
      const first = (table: string, from?: number) =>
        firstMinute(database.connection, store.path, batch, table, from);
      const old = await oldLevels(first, batch, before);
      if (Object.keys(old).length === 0) continue;
      const renewal = { writer: "plimsoll store prune", before: old };
      const made = await renewBatch(database.connection, store.path, batch, renewal);
      if (made === undefined) continue;
      totals.batches++;
      totals.bytesBefore += bytesOf(batch);
      totals.bytesAfter += bytesOf(made);
      for (const { name } of STORE_SCHEMA) {
        const gone = rowsOf([batch], name) - rowsOf([made], name);
        assert(gone >= 0 || LEVELS.has(name), "a prune adds sums, and no other rows");
        if (gone > 0) removed[name] = (removed[name] ?? 0) + gone;
      }
    }
  } catch (error) {
    throw await ownReadingError(error, store.path, live, database);
  } finally {
    database.close();
  }
  const cleared = removeReplaced(store.path, graceMs, options.nowMs ?? Date.now());
  store.refresh();
  return { before, ...totals, removed, ...cleared };
}

const withoutUndefined = (pruned: Record<keyof Pruned, number | undefined>): Pruned =>
  Object.fromEntries(Object.entries(pruned).filter(([, minute]) => minute !== undefined));

/** The cuts that some rows of a batch lie before. */
async function oldLevels(
  first: (table: string, from?: number) => Promise<number>,
  batch: BatchInfo,
  before: Pruned,
): Promise<Pruned> {
  const tables = STORE_LEVELS.flatMap(({ table, base }) => [base, table]);
  const old = new Set<number>();
  for (const table of tables) {
    const from = cutOf(table, before);
    // A batch without sums yet has its hours and days in its minutes.
    const stored = batch.tables[table.name] === undefined ? baseOf(table.name) : table.name;
    if (from !== undefined && (await first(stored)) < from) old.add(from);
  }
  // States stay behind a cut, fewer: those are old that no earlier prune has seen.
  for (const table of THINNED_TABLES)
    for (const level of ["minutes", "hours", "days"] as const) {
      const from = before[level];
      if (from !== undefined && (await first(table, batch.pruned?.[level])) < from) old.add(from);
    }
  return Object.fromEntries(Object.entries(before).filter(([, minute]) => old.has(minute)));
}

const baseOf = (table: string): string =>
  STORE_LEVELS.find((level) => level.table.name === table)?.base.name ?? table;

async function firstMinute(
  connection: { runAndReadAll(sql: string): Promise<{ getRows(): unknown[][] }> },
  store: string,
  batch: BatchInfo,
  table: string,
  from?: number,
): Promise<number> {
  const files = segmentsOf([batch], table).map(({ file }) => join(store, file));
  if (files.length === 0) return Number.POSITIVE_INFINITY;
  const found = await connection.runAndReadAll(
    `select min(${minuteOf(table)}) from ${parquetRows(files)}${from === undefined ? "" : ` where ${minuteOf(table)} >= ${from}`}`,
  );
  return Number(found.getRows()[0]?.[0] ?? Number.POSITIVE_INFINITY);
}
