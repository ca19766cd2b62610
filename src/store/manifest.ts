/**
 * The manifest: one small file per batch, written last. What it does not name does not exist.
 *
 * A compaction is a batch that replaces others. There are no locks, so two may replace the same batch. Readers all
 * decide alike: compactions count in the order of their ids, and one of which something is already replaced does not
 * count at all. Before the files of replaced batches are deleted, a mark settles the compaction for good.
 */
import { assert } from "../base/assert.ts";
import { readFileSync, statSync } from "node:fs";
import { sortedNames } from "../node/folders.ts";
import { basename, join } from "node:path";
import { FormatError } from "../base/errors.ts";
import { STORE_VERSION } from "../model/index.ts";
import { writeFile } from "../node/write-file.ts";
import { entryId, entryPath, isBatchId, MANIFEST, markId, markPath, segmentBatch } from "./layout.ts";
import { type Bucket, isBucket } from "./bucket.ts";
import { lostManifest } from "./mark.ts";

export interface Segment {
  /** From the folder of the store: `segments/<table>/<batch>-<n>.parquet`. */
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** The bucket that all of its rows are in; only after a compaction with buckets. */
  readonly bucket?: Bucket;
}

export interface BatchInfo {
  readonly id: string;
  /** Version of the tables that its segments hold. */
  readonly version: number;
  /** When it was committed, ISO 8601. */
  readonly created: string;
  /** Who wrote it, as the writer said. */
  readonly writer: string;
  /** Batches whose rows are in this one. */
  readonly replaces: readonly string[];
  /** Before these minutes since 1970 rows of a level were removed, and only roll-ups tell of that time (prune.ts). */
  readonly pruned?: Pruned;
  readonly tables: Readonly<Record<string, readonly Segment[]>>;
}

export interface Pruned {
  /** Before it there are hours and days alone. */
  readonly minutes?: number;
  /** Before it there are days alone. */
  readonly hours?: number;
  /** Before it there is nothing. */
  readonly days?: number;
}

export interface Manifest {
  /** All entries, by id, in the order of ids. */
  readonly entries: ReadonlyMap<string, BatchInfo>;
  readonly settled: ReadonlySet<string>;
  /** Entries that cannot be read, when the reader goes on without them. */
  readonly damaged: readonly FormatError[];
}

const KIND = "plimsoll batch";
const ENTRY_END = ".json";

export function entryText(batch: BatchInfo): string {
  assert(areTables(batch.tables, batch.id), "an entry that is written can be read");
  return `${JSON.stringify({ kind: KIND, ...plainBatch(batch) }, undefined, 1)}\n`;
}

/** With properties of its own: those of some batches are read when they are asked for. */
export function plainBatch(batch: BatchInfo): BatchInfo {
  const { id, version, created, writer, replaces, pruned, tables } = batch;
  return { id, version, created, writer, replaces, ...(pruned === undefined ? {} : { pruned }), tables };
}

interface ReadOptions {
  /** Entries never change; what was read before is not read again. */
  readonly known?: ReadonlyMap<string, BatchInfo>;
  /** Go on without damaged entries. */
  readonly lenient?: boolean;
}

export function readManifest(store: string, { known, lenient = false }: ReadOptions = {}): Manifest {
  for (let attempt = 0; ; attempt++) {
    const names = stableNames(join(store, MANIFEST));
    const same = known !== undefined && namesOnly(names, known) ? known : undefined;
    if (same !== undefined) return { entries: same, settled: settledOf(names), damaged: [] };
    const entries = new Map<string, BatchInfo>();
    const damaged: FormatError[] = [];
    try {
      for (const name of names) {
        const before = name.endsWith(ENTRY_END) ? known?.get(name.slice(0, -ENTRY_END.length)) : undefined;
        if (before !== undefined) {
          entries.set(before.id, before);
          continue;
        }
        const id = entryId(name);
        if (id === undefined) continue;
        try {
          entries.set(id, readEntry(entryPath(store, id), id));
        } catch (error) {
          if (!lenient || !(error instanceof FormatError)) throw error;
          damaged.push(error);
        }
      }
      if (entries.size === 0 && damaged.length === 0) {
        const lost = lenient ? undefined : lostManifest(store);
        // The first batch may have come since the listing; its entry is there before the mark says so.
        if (lost !== undefined && attempt > 0) throw new FormatError(store, {}, lost);
        if (lost !== undefined) continue;
      }
      return { entries, settled: settledOf(names), damaged };
    } catch (error) {
      // Someone removes replaced batches at this moment; what replaced them is in the next listing.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt === 20) throw error;
    }
  }
}

/** Whether the names are those of these entries, in their order, and of no others; without a text for each id, since there may be 100,000. */
function namesOnly(names: readonly string[], known: ReadonlyMap<string, BatchInfo>): boolean {
  if (known.size === 0) return false;
  const ids = known.keys();
  for (const name of names) {
    if (!name.endsWith(ENTRY_END)) continue;
    const { value: id } = ids.next();
    if (id === undefined || name.length !== id.length + ENTRY_END.length || !name.startsWith(id))
      return false;
  }
  return ids.next().done === true;
}

function settledOf(names: readonly string[]): Set<string> {
  const settled = new Set<string>();
  for (const name of names) {
    const id = name.endsWith(ENTRY_END) ? undefined : markId(name);
    if (id !== undefined) settled.add(id);
  }
  return settled;
}

/** Written by a program that knows more than this one: nothing is wrong with it. */
export class NewerEntry extends FormatError {}

/** All entries with those that cannot be read, which count as batches of which nothing is known. */
export function allEntries({ entries, damaged }: Manifest): Map<string, BatchInfo> {
  const unknown = damaged.flatMap(({ source }): [string, BatchInfo][] => {
    const id = entryId(basename(source));
    const nothing = { version: STORE_VERSION, created: "", writer: "", replaces: [], tables: {} };
    return id === undefined ? [] : [[id, { id, ...nothing }]];
  });
  return new Map([...entries, ...unknown].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** live: its rows count. replaced: they are in another batch now. rejected: a compaction that came too late. */
export type Verdict = "live" | "replaced" | "rejected";

/** Judges all entries, in the order of ids. */
export function judge({ entries, settled }: Pick<Manifest, "entries" | "settled">): Map<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  const compactions: BatchInfo[] = [];
  for (const [id, batch] of entries) {
    verdicts.set(id, "live");
    if (batch.replaces.length > 0) compactions.push(batch);
  }
  for (const { id } of compactions) if (!settled.has(id)) verdicts.set(id, "rejected");
  for (const id of settled) {
    for (const old of entries.get(id)?.replaces ?? []) if (verdicts.has(old)) verdicts.set(old, "replaced");
  }
  for (const { id, replaces } of compactions) {
    if (verdicts.get(id) !== "rejected" || !replaces.every((old) => verdicts.get(old) === "live")) continue;
    for (const old of replaces) verdicts.set(old, "replaced");
    verdicts.set(id, "live");
  }
  assert(verdicts.size === entries.size, "every entry is judged, and nothing else");
  for (const { id, replaces } of compactions)
    assert(
      verdicts.get(id) !== "live" || replaces.every((old) => verdicts.get(old) !== "live"),
      "no row counts in a batch and in the one that replaces it",
    );
  return verdicts;
}

/** From now on a compaction counts whatever else comes; the folder is still to be synced. */
export function markSettled(store: string, id: string): void {
  assert(isBatchId(id), "a compaction is settled by its id");
  writeFile(markPath(store, id), "");
}

/** Batches that count, in the order of ids. */
export function liveBatches(manifest: Manifest): BatchInfo[] {
  const all = [...manifest.entries.values()];
  if (all.every(({ replaces }) => replaces.length === 0)) return all;
  const verdicts = judge(manifest);
  return all.filter(({ id }) => verdicts.get(id) === "live");
}

export function segmentsOf(batches: readonly BatchInfo[], table: string): Segment[] {
  return batches.flatMap(({ tables }) => tables[table] ?? []);
}

export function rowsOf(batches: readonly BatchInfo[], table: string): number {
  return segmentsOf(batches, table).reduce((sum, { rows }) => sum + rows, 0);
}

export function bytesOf(batch: BatchInfo): number {
  return Object.values(batch.tables)
    .flat()
    .reduce((sum, { bytes }) => sum + bytes, 0);
}

/** A folder that did not change for so long is listed once; longer than clocks of machines are apart. */
const QUIET_MS = 60_000;

/** A listing that did not change while it was made; some file systems give no such promise for one call. */
function stableNames(folder: string): string[] {
  const changed = changedMs(folder);
  let names = sortedNames(folder);
  if (Date.now() - changed > QUIET_MS && changedMs(folder) === changed) return names;
  for (let attempt = 0; attempt < 10; attempt++) {
    const again = sortedNames(folder);
    if (again.length === names.length && again.every((name, index) => name === names[index])) break;
    names = again;
  }
  return names;
}

const changedMs = (folder: string): number =>
  statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;

function readEntry(path: string, id: string): BatchInfo {
  const text = readFileSync(path, "utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw damaged(path, `not a complete JSON document (${text.length} characters)`, cause);
  }
  const batch = value as BatchInfo & { kind: unknown };
  if (batch === null || typeof batch !== "object" || batch.kind !== KIND)
    throw damaged(path, "not a batch of a store");
  if (!Number.isSafeInteger(batch.version)) throw damaged(path, "no version");
  if (batch.version > STORE_VERSION) {
    throw new NewerEntry(
      path,
      {},
      `written by a newer Plimsoll (version ${batch.version}; this one reads up to ${STORE_VERSION}); update Plimsoll`,
    );
  }
  if (
    batch.id !== id ||
    batch.version < 1 ||
    typeof batch.created !== "string" ||
    typeof batch.writer !== "string" ||
    !Array.isArray(batch.replaces) ||
    !batch.replaces.every(isBatchId) ||
    !isPruned(batch.pruned) ||
    !areTables(batch.tables, id)
  ) {
    throw damaged(path, "missing or invalid fields");
  }
  return batch;
}

function areTables(tables: BatchInfo["tables"] | null, id: string): boolean {
  if (typeof tables !== "object" || tables === null || Array.isArray(tables)) return false;
  return Object.entries(tables).every(
    ([table, segments]) =>
      Array.isArray(segments) && segments.every((segment) => isSegment(segment, table, id)),
  );
}

function isSegment(segment: Segment | null, table: string, id: string): boolean {
  const [folder, of, name = "", ...more] = typeof segment?.file === "string" ? segment.file.split("/") : [];
  return (
    folder === "segments" &&
    of === table &&
    more.length === 0 &&
    segmentBatch(name) === id &&
    isCount(segment?.rows) &&
    isCount(segment?.bytes) &&
    typeof segment?.sha256 === "string" &&
    isBucket(segment.bucket)
  );
}

function isPruned(pruned: Pruned | null | undefined): boolean {
  if (pruned === undefined) return true;
  return (
    typeof pruned === "object" &&
    pruned !== null &&
    !Array.isArray(pruned) &&
    Object.values(pruned).every((minute) => Number.isSafeInteger(minute))
  );
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

function damaged(path: string, what: string, cause?: unknown): FormatError {
  return new FormatError(path, {}, `damaged manifest entry: ${what}`, { cause });
}

/** Milliseconds since a file was last changed; Infinity when it is gone. */
export function ageMs(path: string, nowMs: number): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? Number.POSITIVE_INFINITY : nowMs - stat.mtimeMs;
}
