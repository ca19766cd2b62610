/** What the pool and its threads say to each other. */
import type { Found } from "./walk.ts";

export interface WorkerStart {
  readonly store: string;
  readonly stored: SharedArrayBuffer;
  readonly damaged: SharedArrayBuffer;
  readonly nowUnixSeconds: number;
  /** Rows in memory before they go to the database. */
  readonly rowsMax: number;
  /** Inputs in one batch: what a kill can lose. */
  readonly batchInputs: number;
  readonly memoryBytes: number;
}

export type ToWorker =
  | { readonly kind: "read"; readonly inputs: readonly Found[] }
  | { readonly kind: "end" };

export type FromWorker =
  | { readonly kind: "ready" }
  | {
      readonly kind: "done";
      readonly read: number;
      readonly stored: number;
      readonly known: number;
      readonly foreign: number;
      readonly bytes: number;
      readonly skipped: readonly { readonly path: string; readonly reason: string }[];
    }
  | { readonly kind: "ended" }
  | {
      readonly kind: "failed";
      readonly message: string;
      /** What a system error carries, and the name of the kind of error. */
      readonly facts: Readonly<Record<string, string | number>>;
    };
