/**
 * Names in a store.
 *
 *     STORE/store.json                          kind, version, whether there are batches
 *     STORE/manifest/<batch>.json               a batch exists when this file exists
 *     STORE/manifest/<batch>.settled            a compaction that nothing can contest any more
 *     STORE/segments/<table>/<batch>-<n>.parquet
 *     STORE/aside/<batch>/                      a batch that a repair took out: entry, files, what is lost
 *     STORE/tmp/<id>/                           what is being written, what queries spill
 *     STORE/locks/<what>/                       who does something that only one may do at a time
 */
import { assert } from "../base/assert.ts";
import { randomBytes } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "../base/errors.ts";
import { PART } from "../node/durable.ts";
import { isRaw } from "../node/raw-path.ts";

export const STORE_FILE = "store.json";
export const MANIFEST = "manifest";
export const SEGMENTS = "segments";
export const ASIDE = "aside";
export const TMP = "tmp";
/** Folders that are locks of `node/folder-lock.ts`. */
export const LOCKS = "locks";

/** Length of every batch id; views find the batch of a row by the first characters of its file's name. */
export const ID_LENGTH = 33;

/** `20260731T101530123-0001f3-9a8b7c6`: UTC to the millisecond, process, random. */
const ID = /^\d{8}T\d{9}-[0-9a-f]{6}-[0-9a-f]{7}$/;
const ENTRY = /^(\d{8}T\d{9}-[0-9a-f]{6}-[0-9a-f]{7})\.json$/;
const MARK = /^(\d{8}T\d{9}-[0-9a-f]{6}-[0-9a-f]{7})\.settled$/;
const SEGMENT = /^(\d{8}T\d{9}-[0-9a-f]{6}-[0-9a-f]{7})-(\d+)\.parquet$/;

/** The batch that a text names: its id, a manifest entry or a segment. */
export const batchIn = (text: string): string | undefined =>
  /\d{8}T\d{9}-[0-9a-f]{6}-[0-9a-f]{7}/.exec(text)?.[0];
export const isBatchId = (name: string): boolean => ID.test(name);
export const entryId = (name: string): string | undefined => ENTRY.exec(name)?.[1];
export const markId = (name: string): string | undefined => MARK.exec(name)?.[1];
export const segmentBatch = (name: string): string | undefined => SEGMENT.exec(name)?.[1];
/** What `writeWhole` leaves when it is killed. */
export const isPart = (name: string): boolean => PART.test(name);

export const entryPath = (store: string, id: string): string => join(store, MANIFEST, `${id}.json`);
export const markPath = (store: string, id: string): string => join(store, MANIFEST, `${id}.settled`);
export function segmentName(table: string, id: string, number: number): string {
  const name = `${id}-${number}.parquet`;
  assert(segmentBatch(name) === id, "the batch of a segment is found by its name");
  return `${SEGMENTS}/${table}/${name}`;
}

let lastMs = 0;

/**
 * A name that no other process or thread takes. Names of one process sort in the order in which they were made, and
 * after `after`, whatever the clocks of other machines said.
 */
export function newBatchId(after = ""): string {
  const afterMs = isBatchId(after) ? timeOf(after) : 0;
  lastMs = Math.max(Date.now(), lastMs + 1, afterMs + 1);
  const time = new Date(lastMs).toISOString().replace(/[-:.Z]/g, "");
  const process_ = (process.pid & 0xffffff).toString(16).padStart(6, "0");
  const id = `${time}-${process_}-${randomBytes(4).toString("hex").slice(0, 7)}`;
  assert(isBatchId(id) && id.length === ID_LENGTH, "an id is as long as views take it to be");
  assert(afterMs === 0 || id > after, "a later batch sorts after an earlier one");
  return id;
}

/** When a batch got its name, in milliseconds since 1970 UTC. */
export function timeOf(id: string): number {
  const [, y, mo, d, h, mi, s, ms] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})/.exec(id) ?? [];
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`);
}

/** The absolute path of a store; one that DuckDB cannot be told is refused. */
export function storePath(path: string): string {
  const full = existsSync(path) ? realpathSync(path) : resolve(path);
  patternOf(full);
  return full;
}

const WILD = /[*?[]/g;

/** A path as a pattern that fits this path alone: DuckDB takes the paths of files to read for patterns. */
export function patternOf(path: string): string {
  if (isRaw(path))
    throw new UsageError(
      `${path}: DuckDB cannot open a name that is not UTF-8; rename the file or its folder`,
    );
  // A backslash parts folders in patterns, and cannot be escaped there.
  if (path.search(WILD) >= 0 && path.includes("\\"))
    throw new UsageError(
      `${path}: DuckDB cannot open a name with a backslash and one of * ? [; rename the file or its folder`,
    );
  return path.replace(WILD, "[$&]");
}
