/** How ingest makes rows of an input: a file here, and a line in formats.ts. */
import type { ByteSource } from "../base/source.ts";
import type { LustreParser, Reading } from "../formats/lustre/index.ts";
import type { RowSink } from "../model/index.ts";
import type { IngestNotes } from "./notes.ts";
import type { InputOrigin } from "./origin.ts";
import type { Coverage } from "./system/coverage.ts";
import type { SystemRows } from "./system/system-rows.ts";

export interface ImportSetting {
  readonly nowUnixSeconds: number;
  readonly notes: IngestNotes;
  readonly coverage: Coverage;
  /** Of the input that is being read. */
  readonly origin: InputOrigin;
  /** Differences of servers' counters; all formats that give some share them. */
  readonly system: SystemRows;
  /** Cluster of jobs whose text does not say, and zone of times that have none. */
  readonly cluster: string | undefined;
  readonly zone: string | undefined;
}

/** `waiting`: it holds nothing yet that can be stored. `overlapping`: the store has that time from elsewhere. */
export type Added = "stored" | "waiting" | "overlapping";

/** Takes inputs of one format, each of which stands for itself. */
export interface FileImporter {
  /** Rows that wait for `flush`. */
  readonly rows: number;
  /** On a throw nothing of the input stays. `hash`: SHA-256 of its content. */
  add(source: ByteSource, path: string, hash: Buffer): Added;
  flush(sink: RowSink): Promise<void>;
}

/** A file of a series, while it is read. */
export interface SeriesFile {
  /** Without `.gz`. */
  readonly path: string;
  /** The last of the series. */
  readonly isLast: boolean;
  readonly notes: IngestNotes;
  /** Readings of a series share its table. */
  readonly parser: LustreParser;
  take(reading: Reading): void;
  /** What is wrong with the file, in words; the first counts. */
  damaged(reason: string): void;
  yieldToEvents(): Promise<void>;
}

/** Which series a file belongs to, and its place there. */
export interface SeriesPlace {
  readonly key: string;
  /** Of its first reading, where it can be told without reading it all. */
  readonly firstNs: bigint | undefined;
}

/** Takes files of one format, which are read in the order of their times. */
export interface SeriesReader {
  place(head: Uint8Array, path: string): SeriesPlace;
  read(source: ByteSource, file: SeriesFile): Promise<void>;
}

/** The name of what is in a gzip file, and of any other file. */
export const plainName = (path: string): string => path.replace(/\.gz$/, "");
