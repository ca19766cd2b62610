/** What a method of noncontiguous I/O is given, and what it gives back. */
import type { Communicator } from "../../launch/communicator.ts";
import type { NcioMethod } from "../../model/index.ts";
import type { RankAccess } from "../pattern/index.ts";
import type { Storage, StorageFile } from "../storage.ts";

export interface MethodOptions {
  /** Offset-length pairs of a list request, in memory and in the file. PVFS took 64. */
  readonly listPairs: number;
  /** Buffer of data sieving. ROMIO's for writing is 512 KiB. */
  readonly sieveBytes: number;
  /** Ranks that do the I/O of two phase; no more than there are. */
  readonly aggregators: number;
  /** Buffer of each aggregator; ROMIO's is 16 MiB, older ones 4 MiB. */
  readonly collectiveBytes: number;
  /** Shares of the file that aggregators get begin at multiples of this, beside the first: the strip, for example. */
  readonly alignBytes: number;
  /** Most data of one list or datatype request. */
  readonly requestBytes: number;
  /**
   * Most regions of memory that a datatype request covers where the file is contiguous. The servers of PVFS2 took 1,024 at a time; any
   * number unless given.
   */
  readonly flowPairs?: number | undefined;
  /** How an aggregator of two phase writes a window with holes: back with what it read, or by requests that leave holes alone. */
  readonly inside: Inside;
  /** Data is durable before the operation ends. */
  readonly sync: boolean;
  /** In two phase one rank syncs for all, as in ROMIO's driver for PVFS2; right where one sync is for the whole file. */
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
 * Called after requests are done, with plain numbers so that nothing is allocated. `requests` of them came one right after the other
 * between start and end. Asked bytes are those that the pattern wants and that these requests brought to their place: the
 * reading of a read-modify-write asks for none.
 */
export type OnRequests = (
  kind: "read" | "write",
  startNs: number,
  endNs: number,
  askedBytes: number,
  movedBytes: number,
  requests: number,
) => void;

export interface Operation {
  readonly method: NcioMethod;
  readonly direction: "write" | "read";
  readonly storage: Storage;
  /** Opened by every rank; for writing also readable. */
  readonly file: StorageFile;
  readonly access: RankAccess;
  /** Written from, or read into; at least as long as the memory type. */
  readonly buffer: Uint8Array;
  readonly communicator: Communicator;
  /** What is not given is as in `METHOD_DEFAULTS`. */
  readonly options?: Partial<MethodOptions>;
  readonly onRequests?: OnRequests;
  /** Nanoseconds from any start; monotonic. */
  readonly clock?: () => number;
}

/** Of one rank. */
export interface OperationResult {
  /** Data of the access. */
  readonly bytes: number;
  readonly requests: number;
  readonly movedBytes: number;
  /** The sync, and waiting for those who do it. */
  readonly syncNs: number;
  /** Requests that the storage does not know were replaced by these. */
  readonly fallback?: "list" | "contiguous";
}
