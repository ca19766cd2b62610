/**
 * A file as a method of noncontiguous I/O sees it: the requests that a storage system offers. Every call of a file is one
 * request of the client; what it becomes inside (strips, servers) is counted by the back end. A call that returns nothing is done; one
 * that returns a promise is not, so that files of the machine need no turn of the event loop for each eight bytes.
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
  /** Fills all of the bytes; what was never written reads as zero. */
  read(at: number, into: Uint8Array): Done;
  /** Many contiguous requests, one for each region, one after the other: only the call is shared, never a request. May be absent. */
  writeEach?(regions: FileRegions, memory: Uint8Array): Done;
  readEach?(regions: FileRegions, memory: Uint8Array): Done;
  /** One contiguous request whose data lies in many buffers. May be absent: then whoever writes packs it. */
  writeGathered?(at: number, buffers: readonly Uint8Array[]): Done;
  /** Absent where the storage knows only contiguous requests. At most `listMax` pieces; data is packed. */
  writeList?(pieces: FilePieces, data: Uint8Array): Done;
  readList?(pieces: FilePieces, into: Uint8Array): Done;
  /** `type` lies at `start` of the file; `skip` bytes of its data come before those given (a large access in several requests). */
  writeType?(start: number, type: Datatype, skip: number, data: Uint8Array): Done;
  readType?(start: number, type: Datatype, skip: number, into: Uint8Array): Done;
  /** What this process wrote is durable. */
  sync(): Done;
  close(): Done;
}

/** Requests, counted where they are made. A sync is none. */
export interface RequestCounts {
  /** Calls of the client: contiguous, list and datatype requests together. */
  readonly requests: number;
  /** Messages to servers, where there are servers: one request may need several. */
  readonly messages: number;
  /** Bytes that went to or came from storage; more than asked for when holes are moved too. */
  readonly movedBytes: number;
}

export interface Storage {
  /** `posix`, `servers`, `memory`, `null`. */
  readonly name: string;
  /** The kinds of requests beyond contiguous ones. */
  readonly listMax: number | undefined;
  readonly hasTypes: boolean;
  /** Most data of one list or datatype request; any size if absent. */
  readonly requestBytesMax?: number;
  /** What was written can be read back. */
  readonly keeps: boolean;
  /** `create`: there and empty (one rank does it, before the others open); `write`: for reading and writing; `read`: must be there. */
  open(path: string, mode: "create" | "write" | "read"): Promise<StorageFile>;
  counts(): RequestCounts;
  remove(path: string): Promise<void>;
  close(): Promise<void>;
}
