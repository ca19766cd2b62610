/** Interface of a storage target, and back ends described as data. */

/** A file on a target, open for reading and writing at any place. */
export interface TargetFile {
  /** Writes all bytes, or fails. */
  write(bytes: Uint8Array, at: number): Promise<void>;
  /** Fills the bytes; returns the number read, fewer only at the end of the file. */
  read(into: Uint8Array, at: number): Promise<number>;
  /** Flushes the data written so far from the cache. */
  flush(): Promise<void>;
  /** Makes the whole file durable, including writes of other processes. */
  sync(): Promise<void>;
  size(): Promise<number>;
  /** Identifies the file on its target, independent of its name. */
  identity(): Promise<string>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

export interface Backend {
  readonly name: string;
  /** False when data cannot be read back. */
  readonly keeps: boolean;
  /** Makes a file that must not exist. */
  create(path: string, target: number): Promise<TargetFile>;
  open(path: string, target: number): Promise<TargetFile>;
  /** Identity of the named file; undefined if it does not exist. */
  identityOf(path: string, target: number): Promise<string | undefined>;
}

/** A back end as data. */
export type BackendSpec =
  | { readonly kind: "posix" /** Lustre OST of each target. */; readonly osts?: readonly number[] }
  | { readonly kind: "null" }
  /** Bytes per second of each target; 0: no throttle. */
  | { readonly kind: "throttled"; readonly of: BackendSpec; readonly rates: readonly number[] }
  | { readonly kind: "faulty"; readonly of: BackendSpec; readonly faults: readonly TargetFault[] };

/** A fault of a target: a call fails, or is slow. */
export type TargetFault = FailingCall | SlowCall;

export interface FailingCall {
  readonly target: number;
  readonly call: "create" | "write" | "sync";
  readonly code: "EIO" | "ENOSPC";
  /** Bytes that each process may write to the target before it fails. */
  readonly afterBytes?: number;
}

export interface SlowCall {
  readonly target: number;
  readonly call: "write" | "sync";
  readonly code: "slow";
  /** The call starts this much later. */
  readonly seconds: number;
  /** Only writes of at most this many bytes. */
  readonly bytesMax?: number;
}

/** Services that a back end needs from its caller. */
export interface BackendServices {
  /** Resolves when the target would have taken the bytes at its rate, which all its writers share. */
  pace(target: number, bytes: number): Promise<void>;
}
