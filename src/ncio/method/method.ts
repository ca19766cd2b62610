/** Input and result of a method of noncontiguous I/O. */
import type { Communicator } from "../../launch/communicator.ts";
import type { NcioMethod } from "../../model/index.ts";
import type { RankAccess } from "../pattern/index.ts";
import type { Storage, StorageFile } from "../storage.ts";

export interface MethodOptions {
  /** Offset-length pairs of a list request, in memory and in the file. PVFS took 64. */
  readonly listPairs: number;
  /** Buffer of data sieving. ROMIO's for writing is 512 KiB. */
  readonly sieveBytes: number;
  /** Ranks that do the I/O of two phase; at most all. */
  readonly aggregators: number;
  /** Buffer of each aggregator; ROMIO's is 16 MiB, older ones 4 MiB. */
  readonly collectiveBytes: number;
  /** Alignment of the aggregators' file shares, except the first: the strip, for example. */
  readonly alignBytes: number;
  /** Max data of one list or datatype request. */
  readonly requestBytes: number;
  /** Max memory regions per datatype request to a contiguous file. The servers of PVFS2 took 1,024 at a time; default: no limit. */
  readonly flowPairs?: number | undefined;
  /** How an aggregator of two phase writes a window with holes: read-modify-write, or requests that skip holes. */
  readonly inside: Inside;
  /** Makes data durable before the operation ends. */
  readonly sync: boolean;
  /** In two phase one rank syncs for all, as in ROMIO's driver for PVFS2; valid if a sync covers the whole file. */
  readonly oneSync: boolean;
}

type Inside = "sieving" | "list" | "datatype";
export const INSIDE: readonly Inside[] = ["sieving", "list", "datatype"];

export const METHOD_DEFAULTS: MethodOptions = {
  listPairs: 64,
  sieveBytes: 512 * 1024,
  aggregators: 4,
  collectiveBytes: 4 * 1024 * 1024,
  alignBytes: 1,
  requestBytes: 16 * 1024 * 1024,
  inside: "sieving",
  sync: true,
  oneSync: false,
};

/**
 * Called after completed requests, with plain numbers to avoid allocations. `requests` were made back to back between start and
 * end. Asked bytes are bytes of the pattern that these requests moved: the read of a read-modify-write has none.
 */
export type OnRequests = (
  kind: "read" | "write",
  startNs: number,
  endNs: number,
  askedBytes: number,
  movedBytes: number,
  requests: number,
) => void;

export interface RankOperation {
  readonly method: NcioMethod;
  readonly direction: "write" | "read";
  readonly storage: Storage;
  /** Opened by every rank; for writing also readable. */
  readonly file: StorageFile;
  readonly access: RankAccess;
  /** Written from, or read into; at least as long as the memory type. */
  readonly buffer: Uint8Array;
  readonly communicator: Communicator;
  /** Defaults: `METHOD_DEFAULTS`. */
  readonly options?: Partial<MethodOptions>;
  readonly onRequests?: OnRequests;
  /** Monotonic nanoseconds with an arbitrary origin. */
  readonly clock?: () => number;
}

/** Of one rank. */
export interface OperationResult {
  /** Data of the access. */
  readonly bytes: number;
  readonly requests: number;
  readonly movedBytes: number;
  /** The sync, including waiting for the syncing rank. */
  readonly syncNs: number;
  /** Kind of requests used instead of unsupported ones. */
  readonly fallback?: "list" | "contiguous";
}
