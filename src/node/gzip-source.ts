/**
 * What is in a gzip file, as a byte source. Logs are read in any order, which gzip does not allow, so they are held in memory;
 * what is read from front to back is unpacked on the way (base/gzip-stream.ts).
 */
import { constants, createGunzip, gunzipSync } from "node:zlib";
import { FormatError, LimitError } from "../base/errors.ts";
import { GzipStream } from "../base/gzip-stream.ts";
import { HEAD_BYTES } from "../base/source.ts";
import type { FileSource } from "./file-source.ts";
import { engineOf, type NodeEngine } from "./zlib.ts";

/** Regions of logs are compressed already, so one that is larger than this comes from a trace of millions of calls. */
const PLAIN_BYTES_MAX = 256 << 20;
/** Checksum and length at the end, which would be compared. */
const TRAILER_BYTES = 8;

interface GunzipOptions {
  /** Told the first bytes of what is in the file; unless it says yes, the file stays as it is. */
  readonly wanted?: (head: Uint8Array) => boolean;
  /** Told the same: whether it is read from front to back, so that it need not be held. */
  readonly streams?: (head: Uint8Array) => boolean;
  /** Of a file that was cut off, take what is there. */
  readonly allowCut?: boolean;
  readonly bytesMax?: number;
}

/** The source itself, or what is in it when it is a gzip file. Takes over the source. */
export function gunzipped(source: FileSource, options: GunzipOptions = {}): FileSource {
  const {
    wanted = () => true,
    streams = () => false,
    allowCut = false,
    bytesMax = PLAIN_BYTES_MAX,
  } = options;
  try {
    const head = source.read(0, HEAD_BYTES);
    if (!isGzip(head)) return source;
    const plain = plainHead(head);
    if (!wanted(plain)) return Object.assign(source, { inside: plain });
    const stream = streams(plain) ? gzipStream(source, allowCut) : undefined;
    if (stream !== undefined) return stream;
    const bytes = gunzip(source, allowCut, bytesMax);
    return {
      name: source.name,
      byteLength: bytes.length,
      read: (offset, length) => bytes.subarray(offset, offset + length),
      state: source.state,
      hasChanged: () => source.hasChanged(),
      close: () => source.close(),
    };
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Undefined where this Node cannot unpack step by step. Takes over the source. */
export function gzipStream(source: FileSource, keepGoing: boolean): FileSource | undefined {
  const engine = engineOf(createGunzip());
  return engine && new GzipFile(source, engine, keepGoing);
}

class GzipFile extends GzipStream implements FileSource {
  readonly state: FileSource["state"];
  readonly #file: FileSource;
  readonly #node: NodeEngine;

  constructor(file: FileSource, engine: NodeEngine, keepGoing: boolean) {
    super(file, engine, keepGoing);
    this.state = file.state;
    this.#file = file;
    this.#node = engine;
  }

  hasChanged(): ReturnType<FileSource["hasChanged"]> {
    return this.#file.hasChanged();
  }

  close(): void {
    this.#node.close();
    this.#file.close();
  }
}

const isGzip = (head: Uint8Array) => head[0] === 0x1f && head[1] === 0x8b;

function plainHead(head: Uint8Array): Uint8Array {
  try {
    return gunzipSync(head.subarray(0, -TRAILER_BYTES), { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return new Uint8Array(0);
  }
}

function gunzip(source: FileSource, allowCut: boolean, bytesMax: number): Buffer {
  // One that is larger packed is larger plain as well.
  const packed = source.byteLength > bytesMax ? undefined : source.read(0, source.byteLength);
  try {
    if (packed !== undefined)
      return gunzipSync(packed, {
        maxOutputLength: bytesMax,
        ...(allowCut ? { finishFlush: constants.Z_SYNC_FLUSH } : {}),
      });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_BUFFER_TOO_LARGE")
      throw new FormatError(source.name, {}, `damaged gzip file: ${message}`, { cause: error });
  }
  throw new LimitError(
    source.name,
    {},
    `a gzip file with more than ${bytesMax / 2 ** 20} MiB of data; gunzip it first`,
  );
}
