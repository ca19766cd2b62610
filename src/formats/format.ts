/** What a format offers. A new format is a folder plus one line in catalogue.ts. */
import type { Codec } from "../base/codec.ts";
import type { ByteSource } from "../base/source.ts";
import type { TablesBuilder } from "../model/index.ts";

/** What the host passes in. */
export interface ReadOptions {
  readonly codecs: { readonly zlib: Codec; readonly bzip2: Codec };
  /** Identity of the run in the tables; the name of the source when absent. */
  readonly runId?: string;
}

export interface Format {
  readonly id: string;
  readonly label: string;
  /** A cheap look at the first bytes and the name; no parsing. */
  recognizes(head: Uint8Array, name: string): boolean;
  /** Reads the source into the tables; throws FormatError on bad input. */
  read(source: ByteSource, into: TablesBuilder, options: ReadOptions): void;
}
