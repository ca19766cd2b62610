/** How ingest makes rows of an input: a file here, and a line in formats.ts. */
import type { ByteSource } from "../base/source.ts";
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
