/**
 * Ranks of a parallel run and what they say to each other, whoever started them: MPI, or processes of our own. Calls are
 * collective where noted: all ranks make them in the same order.
 */
export interface Communicator {
  /** `MPICH 4.0.2 (MPICH ABI)`, `child processes`. */
  readonly name: string;
  readonly rank: number;
  readonly size: number;
  /** Collective. */
  barrier(): Promise<void>;
  /** Collective: everybody gets the bytes of `root`. */
  broadcast(bytes: Uint8Array | undefined, root: number): Promise<Uint8Array>;
  /** Collective: `root` gets the bytes of everybody, by rank; the others get undefined. */
  gather(bytes: Uint8Array, root: number): Promise<Uint8Array[] | undefined>;
  /** Collective: `out[r]` goes to rank r; gives what each rank sent here. Sizes may differ and may be zero. */
  exchange(out: readonly Uint8Array[]): Promise<Uint8Array[]>;
  /** To one rank; received there by `receive`, in order from each sender. */
  send(to: number, bytes: Uint8Array): Promise<void>;
  /** The next message from anybody. */
  receive(): Promise<{ readonly from: number; readonly bytes: Uint8Array }>;
  /** Ends the whole run, on all ranks, with a line that says why. */
  abort(reason: string): never;
  /** Collective: nothing is sent afterwards. */
  close(): Promise<void>;
}
