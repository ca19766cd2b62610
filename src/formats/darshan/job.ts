/**
 * The job region: a fixed record, then text. All of it fits into 4096 plain bytes.
 *
 *   < 3.41  uid, start, end, nprocs, job id            (5 words)   metadata 1024 bytes   text
 *   3.41    uid, start, start ns, end, end ns, nprocs, job id (7)  metadata 1024 bytes   text
 *
 * The text is the command line, then per mount a newline, the file system type, a TAB and the mount point.
 */
import { FormatError } from "../../base/errors.ts";
import type { Header } from "./header.ts";

export const JOB_BYTES_MAX = 4096;
export const METADATA_BYTES = 1024;
/** Bytes of the fixed record in format 3.41, and the room it leaves for text with its NUL. */
export const JOB_RECORD_BYTES = 56 + METADATA_BYTES;
export const JOB_TEXT_BYTES_MAX = JOB_BYTES_MAX - JOB_RECORD_BYTES - 1;

export interface Mount {
  readonly path: string;
  readonly type: string;
  readonly pathBytes: Uint8Array;
  readonly typeBytes: Uint8Array;
}

export class Job {
  readonly uid: bigint;
  readonly startSeconds: bigint;
  readonly startNanoseconds: bigint;
  readonly endSeconds: bigint;
  readonly endNanoseconds: bigint;
  readonly nprocs: bigint;
  readonly jobId: bigint;
  /** Raw metadata, up to its NUL. */
  readonly metadataBytes: Uint8Array;
  /** Raw text, up to its NUL. */
  readonly textBytes: Uint8Array;
  /** Before format 3.41: times are whole seconds, and the second in which the job ends counts as run time. */
  readonly countsWholeSeconds: boolean;
  #mounts: readonly Mount[] | undefined;
  #metadata: readonly (readonly [string, string])[] | undefined;
  #commandLine: string | undefined;

  constructor(plain: Uint8Array, header: Header, source: string) {
    this.countsWholeSeconds = header.minor < 41;
    const words = this.countsWholeSeconds ? 5 : 7;
    const recordBytes = 8 * words + METADATA_BYTES;
    if (plain.length < recordBytes) {
      throw new FormatError(
        source,
        { offset: header.job.offset },
        `the job region holds ${plain.length} plain bytes, the job record needs ${recordBytes}`,
      );
    }
    const view = new DataView(plain.buffer, plain.byteOffset, plain.byteLength);
    const word = (index: number) => view.getBigInt64(8 * index, !header.bigEndian);
    this.uid = word(0);
    this.startSeconds = word(1);
    this.startNanoseconds = this.countsWholeSeconds ? 0n : word(2);
    this.endSeconds = word(this.countsWholeSeconds ? 2 : 3);
    this.endNanoseconds = this.countsWholeSeconds ? 0n : word(4);
    this.nprocs = word(words - 2);
    this.jobId = word(words - 1);
    this.metadataBytes = upToNul(plain.subarray(8 * words, recordBytes));
    this.textBytes = upToNul(plain.subarray(recordBytes));
  }

  /** Seconds from start to end. Before 3.41 there are whole seconds only, and a job lasts at least one. */
  get runTimeSeconds(): number {
    const seconds = this.endSeconds - this.startSeconds;
    if (this.countsWholeSeconds) return Number(seconds) + 1;
    return Number(seconds * 1_000_000_000n + this.endNanoseconds - this.startNanoseconds) / 1e9;
  }

  /** The run time as darshan-parser computes it: a difference of large doubles, off by some tenths of a microsecond. */
  get printedRunTimeSeconds(): number {
    if (this.countsWholeSeconds) return this.runTimeSeconds;
    const moment = (seconds: bigint, nanoseconds: bigint) => Number(seconds) + Number(nanoseconds) / 1e9;
    return moment(this.endSeconds, this.endNanoseconds) - moment(this.startSeconds, this.startNanoseconds);
  }

  /** Program and arguments. */
  get commandLine(): string {
    return (this.#commandLine ??= decode(this.commandLineBytes));
  }

  get commandLineBytes(): Uint8Array {
    const end = this.textBytes.indexOf(10);
    return end < 0 ? this.textBytes : this.textBytes.subarray(0, end);
  }

  /** Lines `key=value`, split at the first `=`; a note without one has an empty value. */
  get metadata(): readonly (readonly [string, string])[] {
    if (this.#metadata !== undefined) return this.#metadata;
    const pairs: (readonly [string, string])[] = [];
    for (const line of decode(this.metadataBytes).split("\n")) {
      const at = line.indexOf("=");
      if (at >= 0) pairs.push([line.slice(0, at), line.slice(at + 1)]);
      else if (line !== "") pairs.push([line, ""]);
    }
    this.#metadata = pairs;
    return pairs;
  }

  /** A generator made it; nothing in it was recorded on a machine. */
  get isSynthetic(): boolean {
    return this.metadata.some(([key, value]) => key === "made_by" && value.endsWith("(synthetic)"));
  }

  /** The time zone of the site, where the log says it. */
  get zone(): string | undefined {
    return this.metadata.find(([key]) => key === "zone")?.[1];
  }

  /** Mounted file systems, longest mount point first: the first that is a prefix of a path is its mount. */
  get mounts(): readonly Mount[] {
    if (this.#mounts !== undefined) return this.#mounts;
    const at = this.textBytes.indexOf(10);
    const text = this.textBytes.subarray(at < 0 ? this.textBytes.length : at);
    if (text.length !== latestMounts.text.length || !isPrefix(text, latestMounts.text)) {
      const kept = new Uint8Array(text);
      latestMounts = { text: kept, mounts: readMounts(kept) };
    }
    this.#mounts = latestMounts.mounts;
    return this.#mounts;
  }

  /** The mount of a path: the longest mount point that is a plain prefix. */
  mountOf(path: Uint8Array): Mount | undefined {
    // An entry without a path would be a prefix of everything.
    return this.mounts.find((mount) => mount.pathBytes.length > 0 && isPrefix(mount.pathBytes, path));
  }
}

/** Those of the log before: logs of one machine mostly have the same. */
let latestMounts: { readonly text: Uint8Array; readonly mounts: readonly Mount[] } = {
  text: new Uint8Array(),
  mounts: [],
};

/** Of text that begins with a newline; nobody writes into its bytes. */
function readMounts(text: Uint8Array): Mount[] {
  const mounts: Mount[] = [];
  let at = text.indexOf(10);
  while (at >= 0) {
    const next = text.indexOf(10, at + 1);
    const line = text.subarray(at + 1, next < 0 ? text.length : next);
    const tab = line.indexOf(9);
    if (tab >= 0) {
      const typeBytes = line.subarray(0, tab);
      const pathBytes = line.subarray(tab + 1);
      mounts.push({ path: decode(pathBytes), type: decode(typeBytes), pathBytes, typeBytes });
    }
    at = next;
  }
  // The sort is stable, so equal lengths keep the order of the file.
  return mounts.sort((a, b) => b.pathBytes.length - a.pathBytes.length);
}

const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

/** UTF-8; what is not becomes replacement characters. */
export function decode(bytes: Uint8Array): string {
  return TEXT.decode(bytes);
}

/** A C string in a fixed field. */
export function upToNul(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

function isPrefix(prefix: Uint8Array, bytes: Uint8Array): boolean {
  if (prefix.length > bytes.length) return false;
  for (let i = 0; i < prefix.length; i++) if (prefix[i] !== bytes[i]) return false;
  return true;
}
