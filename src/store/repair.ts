/**
 * Takes out of a store what cannot be read, so that the rest can be asked again. A damaged batch is replaced, in the way of a
 * compaction, by one that holds the rows that are whole. Its manifest entry and all of its files are kept in `aside/<batch>`,
 * with what is lost. Nothing is done unless `apply` is set.
 */
import { assert } from "../base/assert.ts";
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { FormatError, UsageError } from "../base/errors.ts";
import type { Listener } from "../base/listener.ts";
import { fileSynced, syncFolder } from "../node/durable.ts";
import { makeFolder } from "../node/folders.ts";
import { STORE_SCHEMA, STORE_VERSION } from "../model/index.ts";
import { asideFolder, keepAside, linkOrCopy } from "./aside.ts";
import { PARQUET, publish, type WrittenSegment } from "./batch.ts";
import { type Database, openDatabase, quotePath, quoteText, type StoreOptions } from "./database.ts";
import { ownReadingError } from "./engine-error.ts";
import { hashFile, removeFile, sizeOf } from "./files.ts";
import { reached } from "./hooks.ts";
import {
  batchIn,
  entryId,
  entryPath,
  MANIFEST,
  markPath,
  newBatchId,
  SEGMENTS,
  segmentBatch,
  storePath,
  TMP,
} from "./layout.ts";
import { type BatchLoss, type DamagedPart, type Plan, part, planOf, withoutSegments } from "./loss.ts";
import {
  allEntries,
  type BatchInfo,
  bytesOf,
  judge,
  type Manifest,
  markSettled,
  NewerEntry,
  readManifest,
  rowsOf,
  type Segment,
  type Verdict,
} from "./manifest.ts";
import { lostManifest, readMark } from "./mark.ts";
import { segmentFault } from "./verify.ts";

interface RepairOptions extends StoreOptions {
  /** Else it only says what would be lost. */
  readonly apply?: boolean;
}

export interface RepairReport {
  readonly store: string;
  readonly applied: boolean;
  /** Batches that count. */
  readonly batches: number;
  /** Those of which something is lost. */
  readonly losses: readonly BatchLoss[];
}

/** Reads all of a store, and takes out what is damaged. */
export async function repairStore(
  path: string,
  options: RepairOptions = {},
  listener: Listener = {},
): Promise<RepairReport> {
  const state = readState(path);
  const total = state.live.reduce((sum, batch) => sum + bytesOf(batch), 0);
  const bar = listener.progress?.({ label: "checking", total, unit: "bytes" });
  const damaged = new Map<string, DamagedPart[]>();
  let [missing, segments] = [0, 0];
  for (const batch of state.live) {
    for (const [table, list] of Object.entries(batch.tables)) {
      for (const segment of list) {
        const what = await unusable(state.store, segment);
        segments++;
        if (sizeOf(join(state.store, segment.file)) === undefined) missing++;
        if (what !== undefined) {
          const found = { path: segment.file, what, table, rows: segment.rows };
          damaged.set(batch.id, [...(damaged.get(batch.id) ?? []), found]);
        }
        bar?.add(segment.bytes);
        await listener.yieldToEvents?.();
      }
    }
  }
  bar?.end();
  if (segments > 0 && missing === segments)
    throw new FormatError(
      state.store,
      {},
      `none of its ${segments} segments exist; mount or restore the folder ${SEGMENTS}, or remove batches with plimsoll store drop-batch`,
    );
  return repair(state, damaged, { ...options, everything: false });
}

/** Takes a whole batch out, so that all of its inputs can be read again. `batch`: its id, or a file of it. */
export async function dropBatch(
  path: string,
  batch: string,
  options: RepairOptions = {},
): Promise<RepairReport> {
  const state = readState(path);
  const id = batchIn(batch);
  if (id === undefined)
    throw new UsageError(
      `${batch} is not a batch; expected an id such as ${newBatchId()}, or one of its files`,
    );
  const verdict = state.verdicts.get(id);
  if (verdict === undefined) throw new UsageError(`no batch ${id} in ${path}`);
  if (verdict !== "live" && !state.broken.has(id))
    throw new UsageError(`batch ${id} is no longer used: its rows are in another batch`);
  const damaged = new Map<string, DamagedPart[]>([[id, []]]);
  for (const [table, list] of Object.entries(state.manifest.entries.get(id)?.tables ?? {})) {
    for (const segment of list) {
      const what = await unusable(state.store, segment);
      if (what !== undefined) damaged.get(id)?.push({ path: segment.file, what, table, rows: segment.rows });
    }
  }
  const broken = new Map([...state.broken].filter(([one]) => one === id));
  return repair({ ...state, broken }, broken.size > 0 ? new Map() : damaged, {
    ...options,
    everything: true,
  });
}

interface State {
  readonly store: string;
  readonly manifest: Manifest;
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly live: readonly BatchInfo[];
  /** Entries that cannot be read, by batch. */
  readonly broken: ReadonlyMap<string, FormatError>;
}

function readState(path: string): State {
  const store = storePath(path);
  readMark(store, path);
  const manifest = readManifest(store, { lenient: true });
  const newer = manifest.damaged.find((error) => error instanceof NewerEntry);
  if (newer !== undefined) throw newer;
  const entries = allEntries(manifest);
  const lost = entries.size === 0 ? lostManifest(store) : undefined;
  if (lost !== undefined) throw new FormatError(store, {}, lost);
  const verdicts = judge({ entries, settled: manifest.settled });
  const live = [...manifest.entries.values()].filter(({ id }) => verdicts.get(id) === "live");
  const broken = new Map(manifest.damaged.map((error) => [batchOf(error), error]));
  return { store, manifest, verdicts, live, broken };
}

function batchOf({ source }: FormatError): string {
  const id = entryId(basename(source));
  assert(id !== undefined, "an entry that cannot be read is known by its name");
  return id;
}

/** Why a segment cannot be used. What only this user may not read is no loss, and is thrown. */
async function unusable(store: string, segment: Segment): Promise<string | undefined> {
  try {
    return await segmentFault(store, segment, { deep: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EIO") return "cannot be read: input/output error";
    throw error;
  }
}

async function repair(
  state: State,
  damaged: ReadonlyMap<string, readonly DamagedPart[]>,
  { apply = false, everything, ...options }: RepairOptions & { readonly everything: boolean },
): Promise<RepairReport> {
  const { store } = state;
  const losses: BatchLoss[] = [];
  const database = await openDatabase(store, options);
  try {
    const bad = new Set([...damaged.values()].flat().map(({ path }) => path));
    const live = state.live.map((batch) => withoutSegments(batch, bad));
    for (const [id, error] of state.broken) {
      const loss = await brokenLoss(database.connection, state, id, error);
      losses.push(loss);
      if (apply) takeBrokenOut(state, loss);
    }
    for (const [id, parts] of damaged) {
      const batch = state.manifest.entries.get(id);
      assert(batch !== undefined, "damaged segments are of a batch that can be read");
      const tables = new Set(parts.flatMap(({ table }) => table ?? []));
      const sound = withoutSegments(batch, bad);
      const plan = await planOf(database.connection, store, sound, tables, { live, everything });
      const loss = lossOf(batch, parts, plan);
      losses.push(loss);
      if (apply) await replace(database, store, batch, plan, loss);
    }
  } catch (error) {
    throw await ownReadingError(error, store, state.live, database);
  } finally {
    database.close();
  }
  return { store, applied: apply, batches: state.live.length, losses };
}

function lossOf(batch: BatchInfo, damaged: readonly DamagedPart[], plan: Plan): BatchLoss {
  const { id, created, writer } = batch;
  const { kept, inputs, from, to } = plan;
  const names = STORE_SCHEMA.map(({ name }) => name).filter((name) => rowsOf([batch], name) > 0);
  const lost = names.map((name) => [name, rowsOf([batch], name) - (kept[name] ?? 0)] as const);
  return {
    ...{ batch: id, created, writer, damaged },
    lost: Object.fromEntries(lost.filter(([, rows]) => rows > 0)),
    kept: Object.fromEntries(names.map((name) => [name, kept[name] ?? 0])),
    ...{ from, to, inputs, aside: asideFolder(id) },
  };
}

/** Writes a batch of the rows that stay, which replaces the damaged one. */
async function replace(
  { connection }: Database,
  store: string,
  batch: BatchInfo,
  plan: Plan,
  loss: BatchLoss,
): Promise<void> {
  assert(loss.batch === batch.id, "what is kept aside is what is replaced");
  const work = join(store, TMP, newBatchId());
  const renamed: string[] = [];
  try {
    makeFolder(work);
    const files = Object.values(batch.tables).flatMap((list) => list.map(({ file }) => file));
    keepAside(store, loss, files, entryPath(store, batch.id));
    reached("set-aside");
    const segments = await soundSegments(connection, store, work, plan);
    reached("segments-synced");
    const manifest = readManifest(store, { lenient: true });
    const entries = allEntries(manifest);
    if (judge({ entries, settled: manifest.settled }).get(batch.id) !== "live")
      throw new FormatError(store, {}, `batch ${batch.id} was replaced meanwhile; run the command again`);
    const id = newBatchId([...entries.keys()].at(-1));
    publish({ store, writer: "plimsoll store repair" }, id, segments, [batch.id], renamed, batch.pruned);
  } finally {
    for (const path of renamed) removeFile(path);
    rmSync(work, { recursive: true, force: true });
  }
}

/** Segments of which all rows stay are linked; of the others those rows are written. */
async function soundSegments(
  connection: DuckDBConnection,
  store: string,
  work: string,
  { sound, filters, kept }: Plan,
): Promise<WrittenSegment[]> {
  const segments: WrittenSegment[] = [];
  for (const { name: table } of STORE_SCHEMA) {
    if (kept[table] === 0) continue;
    const next = () => join(work, `${table}-${segments.length}.parquet`);
    const where = filters[table];
    if (where === undefined && sound.version === STORE_VERSION) {
      for (const { file, rows, bytes, sha256 } of sound.tables[table] ?? []) {
        const path = next();
        linkOrCopy(join(store, file), path);
        segments.push({ table, path, rows, bytes, sha256 });
      }
      continue;
    }
    const path = next();
    const query = `select * from ${part(table)} where ${where ?? "true"}`;
    const copied = await connection.run(`copy (${query}) to ${quoteText(path)} (${PARQUET})`);
    const [[count] = []] = await copied.getRows();
    assert(Number(count) === kept[table], "as many rows are written as were announced to stay");
    await fileSynced(path);
    const bytes = sizeOf(path) ?? 0;
    segments.push({ table, path, rows: kept[table] ?? 0, bytes, sha256: await hashFile(path) });
  }
  return segments;
}

/** What a batch held whose entry cannot be read, as far as its segments tell. Nothing is lost when it was replaced. */
async function brokenLoss(
  connection: DuckDBConnection,
  { store, manifest, verdicts }: State,
  id: string,
  error: FormatError,
): Promise<BatchLoss> {
  const tables: Record<string, Segment[]> = {};
  const isReplaced = verdicts.get(id) !== "live";
  for (const file of isReplaced ? [] : segmentFiles(store, id)) {
    const rows = await rowsInFooter(connection, join(store, file));
    if (rows === undefined) continue;
    const table = file.split("/")[1] as string;
    (tables[table] ??= []).push({ file, rows, bytes: sizeOf(join(store, file)) ?? 0, sha256: "" });
  }
  const none = { version: STORE_VERSION, created: "", writer: "", replaces: [] };
  const found: BatchInfo = { id, ...none, tables };
  const nothing = { inputs: [], from: null, to: null };
  const plan = await planOf(connection, store, found, new Set(), {
    live: [...manifest.entries.values()],
    everything: true,
  }).catch(() => nothing);
  const damaged = [{ path: relative(store, error.source), what: error.detail }];
  return {
    ...lossOf(found, damaged, { sound: found, filters: {}, kept: {}, ...plan }),
    ...{ created: null, writer: null },
  };
}

async function rowsInFooter(connection: DuckDBConnection, path: string): Promise<number | undefined> {
  try {
    const result = await connection.runAndReadAll(
      `select sum(num_rows) from parquet_file_metadata(${quotePath(path)})`,
    );
    return Number(result.getRows()[0]?.[0]);
  } catch {
    return undefined;
  }
}

function segmentFiles(store: string, id: string): string[] {
  return STORE_SCHEMA.flatMap(({ name }) => {
    const folder = join(store, SEGMENTS, name);
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    return readdirSync(folder)
      .filter((file) => segmentBatch(file) === id)
      .sort()
      .map((file) => `${SEGMENTS}/${name}/${file}`);
  });
}

/**
 * An entry that cannot be read replaces nothing and cannot be replaced: it goes aside itself. Before that, a compaction that
 * replaced it must count without it, and a store must not be left without any entry.
 */
function takeBrokenOut({ store, manifest, verdicts }: State, loss: BatchLoss): void {
  const { batch } = loss;
  assert(!manifest.entries.has(batch), "only an entry that cannot be read is taken out");
  const entry = entryPath(store, batch);
  const files = segmentFiles(store, batch);
  keepAside(store, loss, files, entry);
  reached("set-aside");
  for (const { id, replaces } of manifest.entries.values())
    if (verdicts.get(id) !== "rejected" && replaces.includes(batch)) settle(store, manifest, id);
  syncFolder(join(store, MANIFEST));
  if (readManifest(store, { lenient: true }).entries.size === 0)
    publish({ store, writer: "plimsoll store repair" }, newBatchId(batch), [], [], []);
  // Its other name is in the folder by now; a rename between two names of one file would do nothing.
  rmSync(entry, { force: true });
  reached("entry-aside");
  syncFolder(join(store, MANIFEST));
  removeFile(markPath(store, batch));
  for (const file of files) removeFile(join(store, file));
}

/** A compaction counts whatever else comes; so must the compactions that it replaced. */
function settle(store: string, manifest: Manifest, id: string): void {
  for (const old of manifest.entries.get(id)?.replaces ?? [])
    if ((manifest.entries.get(old)?.replaces.length ?? 0) > 0) settle(store, manifest, old);
  markSettled(store, id);
}
