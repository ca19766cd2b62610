/**
 * What a format of single accesses offers: bytes in, accesses out. A new one is a folder plus one line in
 * access-formats.ts.
 */
import type { Codec } from "../base/codec.ts";
import type { ByteSource } from "../base/source.ts";
import type { AccessSink } from "../model/index.ts";

export const TIME_UNITS = ["s", "ms", "us", "ns"] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** What the host passes in. Everything has a default but the codecs, which only compressed inputs need. */
export interface AccessReadOptions {
  readonly codecs?: { readonly zlib: Codec; readonly bzip2: Codec };
  /** Unit of times where the input does not say it: CSV (seconds) and the log time of fio (milliseconds). */
  readonly time?: TimeUnit;
  /** Unit of the latencies of a fio log: nanoseconds as fio 3 writes them; fio 2 wrote microseconds. */
  readonly latency?: TimeUnit;
  /** Bytes of a block where the input counts blocks; 512 as in the paper. */
  readonly blockBytes?: number;
  /** Use what comes before damage, with a note `truncated`, instead of an error. */
  readonly keepGoing?: boolean;
}

export interface AccessFormat {
  readonly id: string;
  readonly label: string;
  /** True when `read` goes once from the first byte to the last, so that the source may be a pipe without end. */
  readonly sequential: boolean;
  /** A cheap look at the first bytes and the name; no parsing. */
  recognizes(head: Uint8Array, name: string): boolean;
  /**
   * Hands all accesses of the source to the sink; throws FormatError on input that is none. Single bad lines or
   * records are counted in notes.
   */
  read(source: ByteSource, sink: AccessSink, options?: AccessReadOptions): void;
}
