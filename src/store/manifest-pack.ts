/**
 * A copy of many manifest entries in one file, since to open 100,000 small files takes seconds. Entries never change, so what
 * the copy says of an id is true as long as the entry is listed; which entries there are, the folder alone says. It may be old,
 * missing or damaged: then entries are read one by one.
 *
 *     STORE/manifest.pack   a line for each entry, `<id> <JSON>`, and a last line with the SHA-256 of all before
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "../base/assert.ts";
import { writeWhole } from "../node/durable.ts";
import { ID_LENGTH, isBatchId } from "./layout.ts";
import type { BatchInfo } from "./manifest.ts";

export const PACK = "manifest.pack";
/** Fewer entries are read as fast one by one. */
const PACK_LEAST = 1000;
/** A new copy is made when this share of the entries is not in it. */
const STALE_SHARE = 0.1;
const HASH_LENGTH = 64;

/** Entries of the copy by id; none where there is no whole copy. Of most only the id is looked at until more is asked for. */
export function readPack(store: string): ReadonlyMap<string, BatchInfo> {
  const entries = new Map<string, BatchInfo>();
  const bytes = bytesOf(join(store, PACK));
  const end = (bytes?.length ?? 0) - HASH_LENGTH - 1;
  if (bytes === undefined || end < 0) return entries;
  const sum = createHash("sha256").update(bytes.subarray(0, end)).digest("hex");
  if (bytes.toString("latin1", end, end + HASH_LENGTH) !== sum) return entries;
  const text = bytes.toString("utf8", 0, end);
  // Rare, and looked for once: in each entry it would take longer than all else.
  const somePruned = text.includes(PRUNED);
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf("\n", at);
    const id = text.slice(at, at + ID_LENGTH);
    assert(isBatchId(id) && next > at + ID_LENGTH, "a whole copy has lines of entries");
    entries.set(id, lazyEntry(id, text.slice(at + ID_LENGTH + 1, next), somePruned));
    at = next + 1;
  }
  return entries;
}

/** Replacements stand first, so that those without are known at a glance. */
const NOTHING_REPLACED = '{"replaces":[],';
const NONE: readonly string[] = [];
const PRUNED = '"pruned":';

function lazyEntry(id: string, text: string, mayBePruned: boolean): BatchInfo {
  let parsed: BatchInfo | undefined;
  const all = (): BatchInfo => (parsed ??= JSON.parse(text) as BatchInfo);
  const plain = text.startsWith(NOTHING_REPLACED);
  // Properties of its own, so that a copy with `...` has them too.
  return {
    id,
    get version() {
      return all().version;
    },
    get created() {
      return all().created;
    },
    get writer() {
      return all().writer;
    },
    get replaces() {
      return plain ? NONE : all().replaces;
    },
    get tables() {
      return all().tables;
    },
    // Left out where there is none.
    ...(mayBePruned && text.includes(PRUNED) && { pruned: all().pruned as NonNullable<BatchInfo["pruned"]> }),
  };
}

/**
 * Makes a new copy where many entries are not in the one that was read; gives what the copy has then. A store that cannot be
 * written stays as it is.
 */
export function renewPack(
  store: string,
  entries: ReadonlyMap<string, BatchInfo>,
  packed: ReadonlyMap<string, BatchInfo>,
): ReadonlyMap<string, BatchInfo> {
  if (entries.size < PACK_LEAST) return packed;
  let missing = 0;
  for (const id of entries.keys()) if (!packed.has(id)) missing++;
  if (missing < STALE_SHARE * entries.size) return packed;
  const lines: string[] = [];
  for (const { id, version, created, writer, replaces, pruned, tables } of entries.values())
    lines.push(
      `${id} ${JSON.stringify({ replaces, version, created, writer, ...(pruned === undefined ? {} : { pruned }), tables })}\n`,
    );
  const text = lines.join("");
  const sum = createHash("sha256").update(text).digest("hex");
  try {
    writeWhole(join(store, PACK), `${text}${sum}\n`);
  } catch {
    // It only saves time.
  }
  return entries;
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
