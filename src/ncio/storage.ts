/**
 * A file as seen by a method of noncontiguous I/O: the requests that a storage system offers. Every call on a file is one
 * request of the client; the back end counts what it causes inside (strips, servers). A call that returns nothing is done; only
 * slow ones return a promise, so that local files need no turn of the event loop for each eight bytes.
 */
import type { Datatype } from "./pattern/index.ts";

export type Done = undefined | Promise<void>;

/** Pieces of a file, in the order of the data. */
export interface FilePieces {
  readonly count: number;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
}

/** Pieces that are contiguous in memory and in the file. */
export interface FileRegions {
  readonly count: number;
  readonly memory: Float64Array;
  readonly file: Float64Array;
  readonly lengths: Float64Array;
}

export interface StorageFile {
  write(at: number, bytes: Uint8Array): Done;
  /** Fills all bytes; unwritten ones read as zero. */
  read(at: number, into: Uint8Array): Done;
  /** Many contiguous requests, one per region, in sequence: only the call is shared, never a request. Optional. */
  writeEach?(regions: FileRegions, memory: Uint8Array): Done;
  readEach?(regions: FileRegions, memory: Uint8Array): Done;
  /** One contiguous request with data in many buffers. Optional: without it the caller packs the data. */
  writeGathered?(at: number, buffers: readonly Uint8Array[]): Done;
  /** Absent if the storage supports only contiguous requests. At most `listMax` pieces; data is packed. */
  writeList?(pieces: FilePieces, data: Uint8Array): Done;
  readList?(pieces: FilePieces, into: Uint8Array): Done;
  /** `type` lies at `start` of the file; `skip` bytes of its data come before those given (a large access in several requests). */
  writeType?(start: number, type: Datatype, skip: number, data: Uint8Array): Done;
  readType?(start: number, type: Datatype, skip: number, into: Uint8Array): Done;
  /** Makes the writes of this process durable. */
  sync(): Done;
  close(): Done;
}

/** Requests, counted by the client. Syncs are not counted. */
export interface RequestCounts {
  /** Calls of the client: contiguous, list and datatype requests together. */
  readonly requests: number;
  /** Messages to servers, if any: one request may need several. */
  readonly messages: number;
  /** Bytes moved to or from storage; more than requested if holes are moved too. */
  readonly movedBytes: number;
}

export interface Storage {
  /** `posix`, `servers`, `memory`, `null`. */
  readonly name: string;
  /** The kinds of requests beyond contiguous ones. */
  readonly listMax: number | undefined;
  readonly hasTypes: boolean;
  /** Max data of one list or datatype request; default: no limit. */
  readonly requestBytesMax?: number;
  /** Whether written data can be read back. */
  readonly keeps: boolean;
  /** `create`: exists and is empty (done by one rank, before the others open); `write`: for reading and writing; `read`: must exist. */
  open(path: string, mode: "create" | "write" | "read"): Promise<StorageFile>;
  counts(): RequestCounts;
  remove(path: string): Promise<void>;
  close(): Promise<void>;
}
