/** What the pool and its threads say to each other. */
import type { IdsWith } from "../formats/catalogue.ts";
import type { SeriesPlace } from "./input-format.ts";
import type { IngestNotes } from "./notes.ts";
import type { CoverageEntry } from "./system/coverage.ts";
import type { Found } from "../node/walk.ts";

export interface WorkerStart {
  readonly store: string;
  readonly stored: SharedArrayBuffer;
  readonly damaged: SharedArrayBuffer;
  readonly nowUnixSeconds: number;
  readonly cluster: string | undefined;
  readonly zone: string | undefined;
  /** Forms of servers' job ids. */
  readonly jobIds: readonly string[];
  /** Rows in memory before they go to the database. */
  readonly rowsMax: number;
  /** Inputs in one batch: what a kill can lose. */
  readonly batchInputs: number;
  /** Rows in one batch, should its inputs be large. */
  readonly batchRows: number;
  readonly memoryBytes: number;
}

/** A file of a series. */
export interface Placed extends Found {
  readonly place: SeriesPlace & { readonly format: IdsWith<"series"> };
}

export type IngestTask =
  | { readonly kind: "read"; readonly inputs: readonly Found[] }
  /** Texts that belong together, in order; and what other threads have stored meanwhile. */
  | {
      readonly kind: "series";
      readonly inputs: readonly Placed[];
      readonly covered: readonly CoverageEntry[];
    }
  /** Commit what is there. */
  | { readonly kind: "end" };

/** The answer to a thread that has counters or jobs and asks to be alone: no other ingest stores such from now on. */
export interface Alone {
  /** There as long as that is so. */
  readonly lockFile: string;
  /** What the store has of servers' counters. */
  readonly coverage: readonly CoverageEntry[];
}

/** What a thread did since it last told, in the middle of a task or at its end. */
export interface Done {
  readonly read: number;
  readonly stored: number;
  readonly known: number;
  readonly foreign: number;
  readonly bytes: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly series: readonly Placed[];
  readonly covered: readonly CoverageEntry[];
  readonly notes: IngestNotes;
}
