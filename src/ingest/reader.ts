/** Reads inputs into rows: the work of one thread. */
import { createHash, type Hash } from "node:crypto";
import { FormatError } from "../base/errors.ts";
import type { ByteSource } from "../base/source.ts";
import { DarshanLog } from "../formats/darshan/log.ts";
import { type Identity, StoredRows } from "../formats/darshan/stored-rows.ts";
import { findFormat } from "../formats/index.ts";
import { MISSING_I64, type RowSink, storedSources } from "../model/index.ts";
import { nodeCodecs } from "../node/codecs.ts";
import { openFile } from "../node/file-source.ts";
import type { KnownHashes } from "./known.ts";
import type { Found } from "./walk.ts";

export type Outcome =
  | { readonly status: "stored" | "known"; readonly bytes: number }
  /** Not a format that is known here, in a folder that may hold anything. */
  | { readonly status: "foreign"; readonly bytes: number }
  | { readonly status: "skipped"; readonly bytes: number; readonly reason: string };

export class InputReader {
  readonly #stored: KnownHashes;
  readonly #damaged: KnownHashes;
  readonly #rows: StoredRows;
  readonly #sources: { high: bigint; low: bigint; path: string; bytes: number; reason: string | null }[] = [];

  /** `stored` and `damaged`: what the store has, and what was looked at before and could not be read. */
  constructor(stored: KnownHashes, damaged: KnownHashes, nowUnixSeconds: number) {
    this.#stored = stored;
    this.#damaged = damaged;
    this.#rows = new StoredRows({ identify, nowUnixSeconds });
  }

  /** Rows that wait for `flush`. */
  get rows(): number {
    return this.#rows.accesses + this.#rows.runs + this.#sources.length;
  }

  read({ path, named }: Found): Outcome {
    let source: ReturnType<typeof openFile> | undefined;
    try {
      source = openFile(path);
      return this.#readSource(source, path, named);
    } catch (error) {
      const reason = reasonOf(error, path);
      if (reason === undefined) throw error;
      return { status: "skipped", bytes: source?.byteLength ?? 0, reason };
    } finally {
      source?.close();
    }
  }

  #readSource(source: ByteSource, path: string, named: boolean): Outcome {
    const bytes = source.byteLength;
    if (findFormat(source) === undefined) {
      if (!named && !path.endsWith(".darshan")) return { status: "foreign", bytes };
      return {
        status: "skipped",
        bytes,
        reason: bytes === 0 ? "the file is empty" : "not a format that is known here",
      };
    }
    const hash = contentHash(source);
    const [high, low] = [hash.readBigUInt64BE(0), hash.readBigUInt64BE(8)];
    // What is damaged is tried and named again each time, but kept in the census once.
    const wasDamaged = this.#damaged.has(high);
    if (!wasDamaged && !this.#stored.add(high)) return { status: "known", bytes };
    try {
      const log = new DarshanLog(source, { codecs: nodeCodecs });
      this.#rows.add(log, path, { low: hash.readUInt32BE(4), high: hash.readUInt32BE(0) });
    } catch (error) {
      const reason = reasonOf(error, path);
      if (reason === undefined) throw error;
      if (this.#damaged.add(high)) this.#sources.push({ high, low, path, bytes, reason });
      return { status: "skipped", bytes, reason };
    }
    this.#sources.push({ high, low, path, bytes, reason: null });
    return { status: "stored", bytes };
  }

  async flush(sink: RowSink): Promise<void> {
    await this.#rows.flush(sink);
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

/** Why an input cannot be read, in words; undefined when the fault is ours. */
function reasonOf(error: unknown, path: string): string | undefined {
  if (error instanceof FormatError)
    return error.message.startsWith(`${path}: `) ? error.message.slice(path.length + 2) : error.message;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "it is gone",
    EACCES: "permission denied",
    EPERM: "not permitted",
    EISDIR: "it is a folder",
    EIO: "input/output error",
    ELOOP: "too many symbolic links",
    ESTALE: "stale file handle",
  };
  return code === undefined ? undefined : reasons[code];
}

const WINDOW_BYTES = 1 << 20;

function contentHash(source: ByteSource): Buffer {
  const hash: Hash = createHash("sha256");
  let window: Uint8Array | undefined;
  for (let at = 0; at < source.byteLength; at += WINDOW_BYTES) {
    window = source.read(at, Math.min(WINDOW_BYTES, source.byteLength - at), window);
    hash.update(window);
  }
  return hash.digest();
}

function identify(name: string): Identity {
  const hash = createHash("sha256").update(name).digest();
  return { low: hash.readUInt32BE(4), high: hash.readUInt32BE(0) };
}
