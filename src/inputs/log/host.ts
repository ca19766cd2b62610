/** What opening a log needs of the machine it runs on. */
import type { ByteSource } from "../../base/source.ts";
import type { Codecs } from "../../formats/darshan/log.ts";

export interface OpenSource extends ByteSource {
  /** Where a packed file stops before its end, in words; known once that was read. */
  readonly cut?: string | undefined;
  close(): void;
}

export interface OpenOptions {
  /** Only parts of it will be read: nothing is held in memory. */
  readonly partly?: boolean;
  /** Told the first bytes of what is in a gzip file; unless it says yes, the file stays as it is. Without it, all are unpacked. */
  readonly wanted?: (head: Uint8Array) => boolean;
  /** Told the same: whether it is read from front to back, so that it need not be held. */
  readonly streams?: (head: Uint8Array) => boolean;
  /** Of a gzip file that was cut off, take what is there. */
  readonly allowCut?: boolean;
}

/** Paths are whatever the host gives names to. */
export interface LogHost {
  readonly codecs: Codecs;
  /** The file, or what is in it when it is a gzip file. */
  open(path: string, options?: OpenOptions): OpenSource;
}
