/** What reading a job needs of the machine it runs on: Node (src/inputs/node.ts) or a page in a browser (web/page). */
import type { ByteSource } from "../../base/source.ts";
import type { Codecs } from "../../formats/darshan/log.ts";
import type { CallSink } from "../../model/index.ts";

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
export interface InputHost {
  readonly codecs: Codecs;
  /** Paths of the files in a folder, in order; undefined when the path is no folder. Throws when there is nothing. */
  list(path: string): readonly string[] | undefined;
  /** Paths of the files in folders below it, in order; folders behind links are not entered. */
  below(path: string): readonly string[];
  /** The file, or what is in it when it is a gzip file. */
  open(path: string, options?: OpenOptions): OpenSource;
  /** The text of a file in a folder; undefined when there is none. */
  textIn(folder: string, name: string): string | undefined;
  /** What tells apart the files that paths lead to. */
  identity(path: string): string;
  /** False for what can be read only once. */
  isFile(path: string): boolean;
  /** A SHA-256 in the making. */
  hash(): { update(bytes: Uint8Array): unknown; hex(): string };
  /** Reads what only a database can; absent where there is none. */
  readTable?(
    path: string,
    sink: CallSink,
    memoryBytes: number,
    yieldToEvents: () => Promise<void>,
  ): Promise<void>;
}
