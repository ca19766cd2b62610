/** Interface of the storage for protocol hosts and experiments. */

/** Status of an ended write: 0, or the error of the target. */
export const WRITE_OK = 0;
export const WRITE_ENOSPC = 1;
export const WRITE_EIO = 2;
export type WriteStatus = typeof WRITE_OK | typeof WRITE_ENOSPC | typeof WRITE_EIO;

/** Called when a write ends, at the queue's `now`. `token` may then be reused. */
export type WriteEnded = (token: number, target: number, status: WriteStatus) => void;

export interface StorageModel {
  /** Targets in use, numbered from 0. */
  readonly targets: number;
  onWriteEnd: WriteEnded;
  /** Starts a write now. `token` is a small whole number chosen by the caller, unique among writes in flight. */
  startWrite(target: number, bytes: number, token: number): void;
  /** Cancels a write; it will not be reported. Returns the bytes that the target had accepted. */
  cancel(token: number): number;
  /** Bytes of a write in flight that the target has accepted so far. */
  accepted(token: number): number;
  /** Speed of a target relative to normal: 0.3 slows it, 0 hangs it, 1 ends both. Affects writes in flight. */
  setSpeed(target: number, factor: number): void;
  /** Writes in flight, and those started until `WRITE_OK` is set again, end with this error after `opOverhead`. */
  setError(target: number, status: WriteStatus): void;
  /** Room left on a target, in bytes; a write that does not fit ends with ENOSPC. Default: no limit. */
  setRoom(target: number, bytes: number): void;
}
