/**
 * Communication between the ranks of a parallel run, started by MPI or as our own processes. Calls are collective where noted:
 * all ranks make them in the same order.
 */
export interface Communicator {
  /** `MPICH 4.0.2 (MPICH ABI)`, `child processes`. */
  readonly name: string;
  readonly rank: number;
  readonly size: number;
  /** Collective. */
  barrier(): Promise<void>;
  /** Collective: all ranks get the bytes of `root`. */
  broadcast(bytes: Uint8Array | undefined, root: number): Promise<Uint8Array>;
  /** Collective: `root` gets the bytes of all ranks, by rank; the others get undefined. */
  gather(bytes: Uint8Array, root: number): Promise<Uint8Array[] | undefined>;
  /** Collective: `out[r]` goes to rank r; returns the bytes that each rank sent here. Sizes may differ and may be zero. */
  exchange(out: readonly Uint8Array[]): Promise<Uint8Array[]>;
  /** To one rank; received there by `receive`, in order from each sender. */
  send(to: number, bytes: Uint8Array): Promise<void>;
  /** The next message from any rank. */
  receive(): Promise<{ readonly from: number; readonly bytes: Uint8Array }>;
  /** Ends the whole run, on all ranks, with a line that gives the reason. */
  abort(reason: string): never;
  /** Collective: nothing is sent afterwards. */
  close(): Promise<void>;
}
