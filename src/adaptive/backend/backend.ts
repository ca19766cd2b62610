/** What a storage target offers, and what an order for a back end looks like. */

/** A file on a target, open for reading and writing at any place. */
export interface TargetFile {
  /** Writes all bytes, or fails. */
  write(bytes: Uint8Array, at: number): Promise<void>;
  /** Fills the bytes; gives how many there were, fewer only at the end of the file. */
  read(into: Uint8Array, at: number): Promise<number>;
  /** What was written so far leaves the cache. */
  flush(): Promise<void>;
  /** All of the file is durable, by whomever it was written. */
  sync(): Promise<void>;
  size(): Promise<number>;
  /** Tells the file from every other on its target, whatever its name is now. */
  identity(): Promise<string>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

export interface Backend {
  readonly name: string;
  /** False when nothing can be read back. */
  readonly keeps: boolean;
  /** Makes a file that must not exist. */
  create(path: string, target: number): Promise<TargetFile>;
  open(path: string, target: number): Promise<TargetFile>;
  /** Of the file that the name leads to; undefined when it leads to none. */
  identityOf(path: string, target: number): Promise<string | undefined>;
}

/** A back end as data. */
export type BackendSpec =
  | { readonly kind: "posix" /** Lustre OST of each target. */; readonly osts?: readonly number[] }
  | { readonly kind: "null" }
  /** Bytes per second of each target; 0: as fast as it is. */
  | { readonly kind: "throttled"; readonly of: BackendSpec; readonly rates: readonly number[] }
  | { readonly kind: "faulty"; readonly of: BackendSpec; readonly faults: readonly TargetFault[] };

/** What is wrong with a target: a call fails, or takes its time. */
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
  /** It begins this much later. */
  readonly seconds: number;
  /** Only writes of at most this many bytes. */
  readonly bytesMax?: number;
}

/** What a back end needs from whoever uses it. */
export interface BackendServices {
  /** Ends when the target would have taken the bytes, at its speed, shared by all who write to it. */
  pace(target: number, bytes: number): Promise<void>;
}

/** A failed call as the system would report it. */
export function systemError(code: string, call: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${call} '${path}'`), { code, syscall: call, path });
}
