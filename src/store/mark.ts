/**
 * `store.json`: the mark by which a folder is a store. It says the version, and whether a batch was ever committed: a store
 * with batches and without manifest entries has lost its manifest, while one without batches is just empty.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { FormatError, UsageError } from "../base/errors.ts";
import { STORE_SCHEMA, STORE_VERSION } from "../model/index.ts";
import { writeWhole } from "../node/durable.ts";
import { MANIFEST, SEGMENTS, STORE_FILE, segmentBatch } from "./layout.ts";

const KIND = "plimsoll store";

export interface Mark {
  readonly version: number;
  /** Whether a batch was committed; undefined in a store that was made before the mark said so. */
  readonly batches: boolean | undefined;
}

export function writeMark(store: string, batches: boolean): void {
  writeWhole(join(store, STORE_FILE), `${JSON.stringify({ kind: KIND, version: STORE_VERSION, batches })}\n`);
}

/** The mark of a store; `shown` is its path as the user gave it. */
export function readMark(store: string, shown: string): Mark {
  const path = join(store, STORE_FILE);
  const text = markText(store, path, shown);
  let value: { kind?: unknown; version?: unknown; batches?: unknown } | null;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new FormatError(path, {}, "damaged: incomplete JSON", { cause });
  }
  if (value?.kind !== KIND || !Number.isSafeInteger(value.version))
    throw new FormatError(path, {}, `expected {"kind": "${KIND}", "version": …}`);
  const version = value.version as number;
  if (version > STORE_VERSION) {
    const what = `a store of version ${version}; this Plimsoll reads up to ${STORE_VERSION}; update Plimsoll`;
    throw new FormatError(shown, {}, what);
  }
  return { version, batches: typeof value.batches === "boolean" ? value.batches : undefined };
}

function markText(store: string, path: string, shown: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw cause;
    if (isFile(store)) throw new UsageError(`${shown} is a file; a store is a folder`, { cause });
    if (countSegments(store) > 0) {
      const what = `${STORE_FILE} is missing, but there are segments`;
      throw new FormatError(shown, {}, `${what}; restore it, or run plimsoll ingest, which rewrites it`, {
        cause,
      });
    }
    const why = existsSync(store) ? `no ${STORE_FILE} in it` : "no such folder";
    throw new UsageError(`${shown} is not a store: ${why}; plimsoll ingest creates one`, { cause });
  }
}

const RESTORE = "restore it from a backup, or ingest the logs into a new store";

/**
 * What is wrong with a store whose manifest has no entry; undefined when it is just empty. In a store without batches there
 * may be segments of a writer that is at work on the first one, or was killed.
 */
export function lostManifest(store: string): string | undefined {
  const isThere = existsSync(join(store, MANIFEST));
  const { batches } = readMark(store, store);
  const segments = countSegments(store);
  if (batches === true || (segments > 0 && !(isThere && batches === false))) {
    const what = isThere ? "the manifest has no entry" : `the folder ${MANIFEST} is missing`;
    const though = segments > 0 ? `there are ${segments} segments` : "batches were committed";
    return `${what}, though ${though}; ${RESTORE}`;
  }
  return undefined;
}

/** Segments of all batches that have one, committed or not. */
export function countSegments(store: string): number {
  let count = 0;
  for (const { name } of STORE_SCHEMA) {
    try {
      for (const file of readdirSync(join(store, SEGMENTS, name)))
        if (segmentBatch(file) !== undefined) count++;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    }
  }
  return count;
}

export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Not there, or below a file: what is done next says so.
    return false;
  }
}
