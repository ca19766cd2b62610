/** One file and the leases on it. Space is assigned once, in order, and never reused. */
import { assert } from "../../base/assert.ts";
import type { LentPiece } from "./message.ts";
import { Numbered } from "./numbered.ts";
import type { FilePolicy } from "./policy.ts";
import type { FailureCode, FileId, Rank, Seconds, TargetId } from "./step.ts";

/** The right to write these bytes of the file. */
export interface Lease {
  readonly lease: number;
  readonly offset: number;
  readonly length: number;
  /** The home of the piece. */
  readonly group: number;
  readonly epoch: number;
  readonly home: Rank;
  readonly piece: number;
  readonly rank: Rank;
  deadline: Seconds;
  /** Ordered to stop; the answer is pending. */
  stopping: boolean;
  /** Ordered to stop because its time ran out. */
  expired: boolean;
}

/** Work of another group waiting for a slot. */
export interface Guest extends LentPiece {
  readonly group: number;
  readonly epoch: number;
  readonly home: Rank;
}

export class FileLeases {
  readonly file: FileId;
  readonly target: TargetId;
  readonly reopened: number;
  readonly policy: FilePolicy;
  state: "waiting" | "opening" | "open" | "closed" = "waiting";
  /** When opening counts as failed. */
  openDeadline: Seconds = Number.POSITIVE_INFINITY;
  /** Reason of closing, and whether its target was given up too. */
  closed: { readonly code: FailureCode; readonly forGood: boolean } | undefined;
  readonly active = new Numbered<Lease>();
  readonly guests: Guest[] = [];
  /** The coordinator knows that the file has room. */
  offered = false;
  /** Offset of the next piece. */
  tail = 0;
  readonly #overheadBytes: number;
  #nextLease = 0;

  constructor(file: FileId, target: TargetId, reopened: number, policy: FilePolicy, overheadBytes = 0) {
    this.file = file;
    this.target = target;
    this.reopened = reopened;
    this.policy = policy;
    this.#overheadBytes = overheadBytes;
  }

  get hasSlot(): boolean {
    return this.state === "open" && this.active.size < this.policy.slots();
  }

  grant(piece: LentPiece, group: number, epoch: number, home: Rank, now: Seconds, deadline: Seconds): Lease {
    assert(this.hasSlot, "a lease is for an open file with a free slot");
    assert(piece.length > 0, "a lease has bytes");
    const { tail } = this;
    const lease: Lease = {
      lease: this.#nextLease++,
      offset: this.tail,
      length: piece.length,
      group,
      epoch,
      home,
      piece: piece.piece,
      rank: piece.rank,
      deadline,
      stopping: false,
      expired: false,
    };
    this.policy.began(now, this.active.size);
    this.tail += piece.length + this.#overheadBytes;
    assert(this.tail >= tail + piece.length, "the tail of a file only grows, past every lease");
    assert(Number.isSafeInteger(this.tail), "an offset is a whole number");
    this.active.add(lease.lease, lease);
    return lease;
  }

  /** Ends the lease; `written` is its number of valid bytes, 0 for a hole. */
  release(lease: Lease, now: Seconds, written: number): void {
    assert(written === 0 || written === lease.length, "a lease is used whole or not at all");
    if (!this.active.delete(lease.lease)) return;
    this.policy.ended(now, this.active.size + 1, written);
  }
}
