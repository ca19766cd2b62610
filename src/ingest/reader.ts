/** Reads inputs into rows: the work of one thread. */
import * as crypto from "node:crypto";
import { FormatError, pathReason } from "../base/errors.ts";
import { type ByteSource, HEAD_BYTES } from "../base/source.ts";
import { findFormat, type IdsWith, refusal } from "../formats/catalogue.ts";
import { isLogName } from "../formats/darshan/header.ts";
import { MISSING_I64, type RowSink, storedSources } from "../model/index.ts";
import { type FileSource, openFile } from "../node/file-source.ts";
import { gunzipped } from "../node/gzip-source.ts";
import { IMPORTERS, SERIES } from "./formats.ts";
import { type FileImporter, type ImportSetting, plainName } from "./input-format.ts";
import type { Witness } from "./journal.ts";
import type { KnownHashes } from "./known.ts";
import { count } from "./notes.ts";
import type { Placed } from "./messages.ts";
import type { Found } from "../node/walk.ts";

type Outcome = Witness & Result;

type Result =
  | { readonly status: "stored" | "known"; readonly bytes: number }
  /** Unknown format, in a folder that may hold anything. */
  | { readonly status: "foreign"; readonly bytes: number }
  /** Only an ingest that is alone may store it. */
  | { readonly status: "alone"; readonly bytes: number }
  /** It is to be read with others, in the order of time. */
  | { readonly status: "series"; readonly bytes: number; readonly place: Placed["place"] }
  | { readonly status: "skipped"; readonly bytes: number; readonly reason: string };

/** What came of an input when it was read. */
export type Settled = Exclude<Outcome, { status: "alone" }>;

interface Source {
  readonly high: bigint;
  readonly low: bigint;
  readonly path: string;
  readonly bytes: number;
  readonly reason: string | null;
}

export class InputReader {
  readonly #stored: KnownHashes;
  readonly #damaged: KnownHashes;
  readonly #setting: ImportSetting;
  readonly #importers = new Map<string, FileImporter>();
  readonly #sources: Source[] = [];
  /** Inputs that became known since the last commit. */
  readonly #added: [set: KnownHashes, hash: bigint][] = [];
  /** Whether no other ingest stores counters and jobs at the same time. */
  alone = false;

  /** `stored` and `damaged`: what the store has, and what was looked at before and could not be read. */
  constructor(stored: KnownHashes, damaged: KnownHashes, setting: ImportSetting) {
    this.#stored = stored;
    this.#damaged = damaged;
    this.#setting = setting;
  }

  /** Rows that wait for `flush`. */
  get rows(): number {
    let rows = this.#setting.system.rows + this.#sources.length;
    for (const importer of this.#importers.values()) rows += importer.rows;
    return rows;
  }

  read({ path, named }: Found): Outcome {
    let source: FileSource | undefined;
    let bytes = 0;
    this.#setting.origin.begin(path);
    try {
      source = openFile(path);
      bytes = source.byteLength;
      // By its content an input is the same with gzip and without.
      source = gunzipped(source, {
        wanted: (head) => formatOf(head, path) !== undefined,
        streams: (head) => formatOf(head, path)?.series === true,
      });
      const result = this.#readSource(source, { path, named, bytes });
      return { ...result, state: source.state, changed: source.hasChanged() };
    } catch (error) {
      const reason = unreadableReason(error, path);
      if (reason === undefined) throw error;
      return { status: "skipped", bytes, reason };
    } finally {
      source?.close();
    }
  }

  #readSource(source: ByteSource, { path, named, bytes }: Found & { readonly bytes: number }): Result {
    const head = source.read(0, HEAD_BYTES);
    const format = formatOf(head, path);
    if (format?.series === true) {
      const id = format.id as IdsWith<"series">;
      const place = { ...SERIES[id].place(head, plainName(path)), format: id };
      return { status: "series", bytes: 0, place };
    }
    if (format?.rows === undefined) {
      if (!named && !isLogName(path)) return { status: "foreign", bytes };
      return {
        status: "skipped",
        bytes,
        reason: refusal(head, path, ["rows", "series"], source.inside),
      };
    }
    if (format.rows.alone && !this.alone) return { status: "alone", bytes: 0 };
    const hash = contentHash(source);
    const [high, low] = [hash.readBigUInt64BE(0), hash.readBigUInt64BE(8)];
    // What is damaged is tried and named again each time, but kept in the census once.
    const wasDamaged = this.#damaged.has(high);
    if (!wasDamaged && !this.#add(this.#stored, high)) return { status: "known", bytes };
    try {
      const added = this.#importer(format.id as IdsWith<"rows">).add(source, path, hash);
      if (added !== "stored") {
        count(this.#setting.notes.counts, added === "waiting" ? "waiting" : "overlappingInputs");
        return { status: added === "waiting" ? "foreign" : "known", bytes };
      }
    } catch (error) {
      const reason = unreadableReason(error, path);
      if (reason === undefined) throw error;
      if (this.#add(this.#damaged, high)) this.#sources.push({ high, low, path, bytes, reason });
      return { status: "skipped", bytes, reason };
    }
    this.#sources.push({ high, low, path, bytes, reason: null });
    return { status: "stored", bytes };
  }

  #add(set: KnownHashes, hash: bigint): boolean {
    const isNew = set.add(hash);
    if (isNew) this.#added.push([set, hash]);
    return isNew;
  }

  /** The rows that were flushed are committed. */
  settle(): void {
    this.#added.length = 0;
  }

  /** The rows that were flushed since the last `settle` are forgotten, and their inputs are not known any more. */
  takeBack(): void {
    for (const [set, hash] of this.#added) set.remove(hash);
    this.#added.length = 0;
  }

  #importer(format: IdsWith<"rows">): FileImporter {
    let importer = this.#importers.get(format);
    if (importer === undefined) this.#importers.set(format, (importer = IMPORTERS[format](this.#setting)));
    return importer;
  }

  async flush(sink: RowSink): Promise<void> {
    for (const importer of this.#importers.values()) await importer.flush(sink);
    await this.#setting.system.flush(sink);
    const sources = this.#sources;
    if (sources.length === 0) return;
    await sink.append(storedSources, sources.length, {
      hash_high: BigUint64Array.from(sources, ({ high }) => high),
      hash_low: BigUint64Array.from(sources, ({ low }) => low),
      path: sources.map(({ path }) => path),
      input_bytes: BigInt64Array.from(sources, ({ bytes }) => (bytes < 0 ? MISSING_I64 : BigInt(bytes))),
      status: sources.map(({ reason }) => (reason === null ? "stored" : "skipped")),
      reason: sources.map(({ reason }) => reason),
    });
    sources.length = 0;
  }
}

/** By what is in the file, when it is packed. */
const formatOf = (head: Uint8Array, path: string) => findFormat(head, plainName(path), "rows", "series");

/** Why an input cannot be read, in words; undefined when the fault is ours. */
export function unreadableReason(error: unknown, path: string): string | undefined {
  if (error instanceof FormatError)
    return error.message.startsWith(`${path}: `) ? error.message.slice(path.length + 2) : error.message;
  return pathReason(error);
}

const WINDOW_BYTES = 1 << 20;

function contentHash(source: ByteSource): Buffer {
  const { byteLength } = source;
  // In one call, which Node has since 20.12.
  if (byteLength <= WINDOW_BYTES && crypto.hash !== undefined)
    return crypto.hash("sha256", source.read(0, byteLength), "buffer");
  const hash = crypto.createHash("sha256");
  let window: Uint8Array | undefined;
  for (let at = 0; at < byteLength; at += WINDOW_BYTES) {
    window = source.read(at, Math.min(WINDOW_BYTES, byteLength - at), window);
    hash.update(window);
  }
  return hash.digest();
}
