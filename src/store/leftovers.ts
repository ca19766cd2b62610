/** Files in a store that no manifest entry names: what stopped writers left, and what is not ours. */
import { PACK } from "./manifest-pack.ts";
import { assert } from "../base/assert.ts";
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { STORE_SCHEMA } from "../model/index.ts";
import { sortedNames } from "../node/folders.ts";
import {
  ASIDE,
  LOCKS,
  entryId,
  entryPath,
  isBatchId,
  isPart,
  MANIFEST,
  markId,
  SEGMENTS,
  STORE_FILE,
  segmentBatch,
  TMP,
} from "./layout.ts";

export interface RubbishOptions {
  /** How long ago rubbish must have been written last to be removed: a writer may still be at work on it. */
  readonly graceMs?: number;
  /** Whether rubbish is removed; else it is only named. */
  readonly remove?: boolean;
  readonly nowMs?: number;
}

export interface Rubbish {
  readonly path: string;
  readonly bytes: number;
  readonly ageSeconds: number;
  readonly removed: boolean;
  /** Why it was not removed although it is old enough and should be. */
  readonly kept?: string;
}

/** A day: longer than any batch takes to write. */
const RUBBISH_GRACE_MS = 24 * 3600 * 1000;

interface Leftovers {
  /** Files and folders of ours that no manifest entry needs. */
  readonly ours: readonly string[];
  /** Folders of batches that a repair took out. */
  readonly aside: readonly string[];
  readonly foreign: readonly string[];
}

export function findLeftovers(store: string): Leftovers {
  const ours: string[] = [];
  const foreign: string[] = [];
  const sort = (path: string, kind: "keep" | "ours" | "foreign") => {
    if (kind !== "keep") (kind === "ours" ? ours : foreign).push(path);
  };
  const hasEntry = (id: string) => existsSync(entryPath(store, id));
  for (const name of sortedNames(store)) {
    const known = [STORE_FILE, PACK, SEGMENTS, MANIFEST, ASIDE, LOCKS, TMP].includes(name);
    sort(
      name,
      known
        ? "keep"
        : (name.startsWith(STORE_FILE) || name.startsWith(PACK)) && isPart(name)
          ? "ours"
          : "foreign",
    );
  }
  for (const name of sortedNames(join(store, MANIFEST))) {
    const mark = markId(name);
    const kind = entryId(name) !== undefined ? "keep" : isPart(name) ? "ours" : "foreign";
    sort(`${MANIFEST}/${name}`, mark === undefined ? kind : hasEntry(mark) ? "keep" : "ours");
  }
  for (const table of sortedNames(join(store, SEGMENTS))) {
    if (!STORE_SCHEMA.some(({ name }) => name === table)) {
      foreign.push(`${SEGMENTS}/${table}`);
      continue;
    }
    for (const name of sortedNames(join(store, SEGMENTS, table))) {
      const batch = segmentBatch(name);
      sort(
        `${SEGMENTS}/${table}/${name}`,
        batch === undefined ? "foreign" : hasEntry(batch) ? "keep" : "ours",
      );
    }
  }
  for (const name of sortedNames(join(store, TMP)))
    sort(`${TMP}/${name}`, isBatchId(name.replace(/-spill$/, "")) ? "ours" : "foreign");
  const aside = sortedNames(join(store, ASIDE)).map((name) => `${ASIDE}/${name}`);
  return { ours, aside, foreign };
}

export function clearRubbish(
  store: string,
  paths: readonly string[],
  options: RubbishOptions & { readonly isDamaged: boolean },
): Rubbish[] {
  const { graceMs = RUBBISH_GRACE_MS, remove = false, nowMs = Date.now(), isDamaged } = options;
  const bare = tablesWithNothingElse(store, paths);
  return paths.flatMap((path) => {
    const full = join(store, path);
    const { bytes, changedMs } = extent(full);
    if (changedMs === 0) return [];
    const ageMs = nowMs - changedMs;
    const batch = segmentBatch(path.split("/").at(-1) ?? "");
    // It may have been committed since we looked.
    if (batch !== undefined && existsSync(entryPath(store, batch))) return [];
    const table = tableOf(path);
    const found = { path, bytes, ageSeconds: Math.max(0, Math.round(ageMs / 1000)) };
    if (!remove || (graceMs > 0 && ageMs < graceMs)) return [{ ...found, removed: false }];
    if (isDamaged) return [{ ...found, removed: false, kept: "the store is damaged" }];
    if (bare.has(table))
      return [{ ...found, removed: false, kept: `the table ${table} has no other segment` }];
    assert(!path.startsWith("/") && !path.split("/").includes(".."), "what is removed lies in the store");
    return [{ ...found, removed: removeAll(full) }];
  });
}

/** The table whose segment it is. */
function tableOf(path: string): string | undefined {
  const [folder, table, name] = path.split("/");
  return folder === SEGMENTS && name !== undefined ? table : undefined;
}

/** Tables that would have no segment any more: then it is more likely that the manifest has lost entries. */
function tablesWithNothingElse(store: string, paths: readonly string[]): ReadonlySet<string | undefined> {
  const going = new Set(paths);
  return new Set(
    STORE_SCHEMA.map(({ name }) => name).filter((table) =>
      sortedNames(join(store, SEGMENTS, table)).every(
        (name) => segmentBatch(name) === undefined || going.has(`${SEGMENTS}/${table}/${name}`),
      ),
    ),
  );
}

/** Bytes of a file or of all files in a folder, and when the last of them changed. */
function extent(path: string): { bytes: number; changedMs: number } {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { bytes: 0, changedMs: 0 };
  if (!stat.isDirectory()) return { bytes: stat.size, changedMs: stat.mtimeMs };
  let bytes = 0;
  let changedMs = stat.mtimeMs;
  for (const name of sortedNames(path)) {
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
