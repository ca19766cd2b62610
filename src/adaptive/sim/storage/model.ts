/** What a host of a protocol, or an experiment, sees of the storage. */

/** How a write ended: 0, or the error of the target. */
export const WRITE_OK = 0;
export const WRITE_ENOSPC = 1;
export const WRITE_EIO = 2;
export type WriteStatus = typeof WRITE_OK | typeof WRITE_ENOSPC | typeof WRITE_EIO;

/** Told when a write ends, at the queue's `now`. `token` is free for another write from then on. */
export type WriteEnded = (token: number, target: number, status: WriteStatus) => void;

export interface StorageModel {
  /** Targets in use, numbered from 0. */
  readonly targets: number;
  onWriteEnd: WriteEnded;
  /** Starts a write now. `token` is a small whole number of the caller's that no write under way has. */
  startWrite(target: number, bytes: number, token: number): void;
  /** Takes a write back; it will not be reported. Gives the bytes that the target had accepted of it. */
  cancel(token: number): number;
  /** Bytes of a write under way that the target has accepted by now. */
  accepted(token: number): number;
  /** A target's speed against its usual one: 0.3 slows it, 0 hangs it, 1 ends both. Acts on writes under way. */
  setSpeed(target: number, factor: number): void;
  /** Writes under way, and those started until `WRITE_OK` is set again, end with this error after `opOverhead`. */
  setError(target: number, status: WriteStatus): void;
  /** Room left on a target, in bytes; a write that does not fit ends with ENOSPC. No limit unless set. */
  setRoom(target: number, bytes: number): void;
}
