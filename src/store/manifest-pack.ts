/**
 * A copy of many manifest entries in one file, since to open 100,000 small files takes seconds. Entries never change, so what
 * the copy says of an id is true as long as the entry is listed; which entries there are, the folder alone says. It may be old,
 * missing or damaged: then entries are read one by one.
 *
 *     STORE/manifest.pack   a head, a line for each entry, `<id> <JSON>`, with a = before the JSON where it replaces nothing and is
 *                           whole, and a last line with the SHA-256 of all before
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "../base/assert.ts";
import { writeWhole } from "../node/durable.ts";
import { ID_LENGTH, isBatchId } from "./layout.ts";
import { type BatchInfo, plainBatch } from "./manifest.ts";

export const PACK = "manifest.pack";
/** Fewer entries are read as fast one by one. */
const PACK_LEAST = 1000;
/** A new copy is made when this share of the entries is not in it. */
const STALE_SHARE = 0.1;
const HASH_LENGTH = 64;
/** Copies that begin otherwise are of other versions: they are made again. */
const HEAD = Buffer.from("plimsoll manifest 2\n");
const LINE_END = 10;
/** Before the JSON of an entry that replaces nothing and has lost nothing. */
const PLAIN = 61;

/** Entries of the copy by id; none where there is no whole copy. Of most only the id is looked at until more is asked for. */
export function readPack(store: string): ReadonlyMap<string, BatchInfo> {
  const entries = new Map<string, BatchInfo>();
  const bytes = bytesOf(join(store, PACK));
  const end = (bytes?.length ?? 0) - HASH_LENGTH - 1;
  if (bytes === undefined || end < HEAD.length || bytes.compare(HEAD, 0, HEAD.length, 0, HEAD.length) !== 0)
    return entries;
  const sum = createHash("sha256").update(bytes.subarray(0, end)).digest("hex");
  if (bytes.toString("latin1", end, end + HASH_LENGTH) !== sum) return entries;
  for (let at = HEAD.length; at < end; ) {
    const next = bytes.indexOf(LINE_END, at);
    const id = bytes.toString("latin1", at, at + ID_LENGTH);
    assert(isBatchId(id) && next > at + ID_LENGTH, "a whole copy has lines of entries");
    const from = at + ID_LENGTH + 1;
    entries.set(
      id,
      bytes[from] === PLAIN ? new PlainEntry(id, bytes, from + 1, next) : parse(bytes, from, next),
    );
    at = next + 1;
  }
  return entries;
}

const parse = (bytes: Buffer, from: number, to: number): BatchInfo =>
  JSON.parse(bytes.toString("utf8", from, to)) as BatchInfo;

const NONE: readonly string[] = [];

/** An entry that replaces nothing and has lost nothing, as most. */
class PlainEntry implements BatchInfo {
  readonly id: string;
  readonly replaces = NONE;
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #to: number;
  #parsed: BatchInfo | undefined;

  constructor(id: string, bytes: Buffer, from: number, to: number) {
    this.id = id;
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
  }

  get #all(): BatchInfo {
    return (this.#parsed ??= parse(this.#bytes, this.#from, this.#to));
  }

  get version(): number {
    return this.#all.version;
  }

  get created(): string {
    return this.#all.created;
  }

  get writer(): string {
    return this.#all.writer;
  }

  get tables(): BatchInfo["tables"] {
    return this.#all.tables;
  }
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
  const lines = [HEAD.toString()];
  for (const batch of entries.values()) {
    const plain = batch.replaces.length === 0 && batch.pruned === undefined;
    lines.push(
      `${batch.id} ${plain ? String.fromCharCode(PLAIN) : ""}${JSON.stringify(plainBatch(batch))}\n`,
    );
  }
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
