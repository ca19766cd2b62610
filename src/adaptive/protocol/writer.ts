/**
 * The writer (Algorithm 1): waits for (file, offset), writes, tells the sub-coordinators. It remembers its writes until
 * everything is durable, so that a new sub-coordinator can ask for them.
 */
import { assert } from "../../base/assert.ts";
import type { Entry } from "./index-columns.ts";
import { groupOfRank } from "./layout.ts";
import type { Cancel, NoteEntry, Poll, WriteStart } from "./message.ts";
import { sizeOf } from "./policy.ts";
import { SILENT_BEATS, type Setup } from "./setup.ts";
import type { Effects, FailureCode, FileId, Rank, Seconds } from "./step.ts";

interface ActiveWrite {
  readonly order: WriteStart;
  /** The sub-coordinator that owns the file. */
  readonly owner: Rank;
}

/** Interval of an orphan's checks, in units of the silence that counts as death. */
const ORPHAN_PERIODS = 2;
/** Checks without an answer after which all leaders count as dead; each later rank waits one more, up to this many. */
const SILENT_LOOKS = 3;
const TURNS_MAX = 4;
/** Takeovers that a rank tries before it proposes to give up. */
const TAKEOVERS_MAX = 3;

/** Shared by all writers without one: there can be a million. */
const NONE: Entry[] = [];
const IDLE: ActiveWrite[] = [];
const NOBODY_LOST: ReadonlySet<Rank> = new Set();

export class Writer {
  readonly rank: Rank;
  readonly group: number;
  readonly #setup: Setup;
  /** Leader of the group, and its epoch. */
  leader: Rank;
  epoch = 0;
  #active: ActiveWrite[] = IDLE;
  /** The last lease seen in the first file that it wrote to: older ones are repeats. */
  #lastFile: FileId = -1;
  #lastLease = -1;
  /** The same for further files. */
  #lastLeases: Map<FileId, number> | undefined;
  #entries: Entry[] = NONE;
  #notes: Entry[] = NONE;
  /** Without `retainData`: first bytes of the pieces written, once the block came in pieces. */
  #writtenAt: number[] | undefined;
  #writtenBytes = 0;
  /** Checks since the last message of a sub-coordinator. */
  #silentLooks = 0;
  #takeovers = 0;
  /** Ranks whose death the transport reported. */
  #lost: Set<Rank> | undefined;
  /** Has proposed to give up, and waits for the decision. */
  deciding = false;

  constructor(setup: Setup, rank: Rank) {
    this.rank = rank;
    this.#setup = setup;
    this.group = groupOfRank(setup.layout, rank);
    this.leader = setup.layout.firstRank[this.group] as number;
  }

  start(now: Seconds, out: Effects): void {
    if (this.#setup.heartbeatSeconds > 0) out.timer("orphan", now + this.#orphanSeconds());
    else if (!this.#setup.retainData && sizeOf(this.#setup, this.rank) === 0 && this.rank !== this.leader)
      out.finish("released", "");
  }

  writeStart(from: Rank, order: WriteStart, out: Effects): void {
    this.#silentLooks = 0;
    if (!this.#isNext(order)) return;
    if (order.group === this.group && order.epoch < this.epoch) {
      this.#tellCancelled(order, from, out);
      return;
    }
    assert(order.block === this.rank || this.#setup.sharedSources, "a rank writes data it has");
    assert(order.at + order.length <= sizeOf(this.#setup, order.block), "a write lies in its block");
    const write = { order, owner: from };
    // A new list of one entry; a growing list would reserve room for many.
    if (this.#active.length === 0) this.#active = [write];
    else this.#active.push(write);
    out.write(order);
  }

  written(file: FileId, lease: number, checksum: unknown, out: Effects): void {
    const write = this.#remove(file, lease);
    if (write === undefined) return;
    const { group, epoch, piece, offset, block, at, length, home } = write.order;
    const separate = this.#setup.policy.separateIndex;
    const complete = {
      kind: "write-complete",
      group,
      epoch,
      piece,
      file,
      lease,
      offset,
      block,
      at,
      length,
      checksum: separate ? undefined : checksum,
    } as const;
    out.send(write.owner, complete);
    if (home !== write.owner) out.send(home, complete);
    if (separate) out.send(home, { kind: "index-body", group, epoch, piece, file, checksum });
    if (this.#setup.retainData) {
      const entry = { block, at, length, file, offset, checksum };
      if (this.#entries === NONE) this.#entries = [entry];
      else this.#entries.push(entry);
      if (this.rank === home && this.#setup.heartbeatSeconds > 0) this.#noteElsewhere(group, entry, out);
      return;
    }
    // A speculative copy of the same piece counts once.
    if (length < sizeOf(this.#setup, this.rank)) {
      this.#writtenAt ??= [];
      if (this.#writtenAt.includes(at)) return;
      this.#writtenAt.push(at);
    }
    this.#writtenBytes += length;
    this.#release(out);
  }

  failed(file: FileId, lease: number, code: FailureCode, out: Effects): void {
    const write = this.#remove(file, lease);
    if (write === undefined) return;
    const { group, epoch, piece, home } = write.order;
    const failed = { kind: "write-failed", group, epoch, piece, file, lease, code, rank: this.rank } as const;
    out.send(write.owner, failed);
    if (home !== write.owner) out.send(home, failed);
  }

  cancel({ file, lease, group, epoch, piece }: Cancel, out: Effects): void {
    const write = this.#active.find(
      ({ order }) =>
        order.file === file &&
        (lease === -1
          ? order.group === group && order.epoch === epoch && order.piece === piece
          : order.lease === lease),
    );
    // Already over: the answer is in flight, or was sent for the first copy of this message.
    if (write !== undefined) this.#stop(write, out);
  }

  /** A new sub-coordinator: writes in flight stop, written pieces are reported. */
  poll(from: Rank, { group, epoch }: Poll, out: Effects): void {
    this.#silentLooks = 0;
    if (group === this.group) {
      if (epoch < this.epoch) return;
      this.epoch = epoch;
      this.leader = from;
    }
    for (const write of [...this.#active])
      if (write.order.group === group && write.order.epoch < epoch) this.#stop(write, out);
    const mine = (entry: Entry) => groupOfRank(this.#setup.layout, entry.block) === group;
    const entries = [...this.#entries.filter(mine), ...this.#notes.filter(mine)];
    out.send(from, { kind: "report", group, epoch, entries });
  }

  note(message: NoteEntry): void {
    const { entry } = message;
    if (!this.#notes.some(({ file, offset }) => file === entry.file && offset === entry.offset))
      this.#notes = [...this.#notes, entry];
  }

  heard(): void {
    this.#silentLooks = 0;
  }

  /** Stops all writes: no work is left. */
  stop(out: Effects): void {
    for (const { order } of this.#active) out.cancel(order.file, order.lease);
    this.#active = IDLE;
  }

  /** Ranks known for certain to be dead. */
  get lost(): ReadonlySet<Rank> {
    return this.#lost ?? NOBODY_LOST;
  }

  /**
   * The transport reported the death of a rank. If, as far as this rank knows, no leader is left, the lowest living rank asks
   * for a decision, and takes over at once if there is none.
   */
  lose(rank: Rank, out: Effects): void {
    this.#lost ??= new Set();
    this.#lost.add(rank);
    const { layout } = this.#setup;
    if (this.deciding || !this.#lost.has(this.leader)) return;
    for (let group = 0; group < layout.groups; group++)
      if (!this.#lost.has(layout.firstRank[group] as number)) return;
    for (let lower = 0; lower < this.rank; lower++) if (!this.#lost.has(lower)) return;
    out.inquire();
  }

  /**
   * After a long silence: asks the leader; if it does not answer either, takes over in its turn unless the dataset has been
   * decided meanwhile. If that fails too, proposes to give up.
   */
  look(now: Seconds, coordinates: boolean, out: Effects): void {
    if (this.deciding) return;
    this.#silentLooks = coordinates ? 0 : this.#silentLooks + 1;
    if (this.#silentLooks > SILENT_LOOKS + this.#turn() && this.#takeovers < TAKEOVERS_MAX) {
      this.#silentLooks = 0;
      this.#takeovers++;
      out.inquire();
    } else if (this.#silentLooks > SILENT_LOOKS + TURNS_MAX) {
      this.deciding = true;
      const reason = `rank ${this.rank} has no answer from any coordinator`;
      out.commit({ outcome: "aborted", reason, parts: [] });
      return;
    }
    out.send(this.leader, { kind: "ping", group: this.group });
    out.timer("orphan", now + this.#orphanSeconds());
  }

  /** The lowest living rank of the first group goes first. */
  #turn(): number {
    const first = this.#setup.layout.firstRank[this.group] as number;
    let turn = this.group;
    for (let lower = first; lower < this.rank && turn < TURNS_MAX; lower++)
      if (lower !== this.leader && !this.lost.has(lower)) turn++;
    return Math.min(turn, TURNS_MAX);
  }

  /** Whether the lease is newer than the last one seen in its file; otherwise it is a repeat. */
  #isNext({ file, lease }: WriteStart): boolean {
    if (this.#lastFile === -1) this.#lastFile = file;
    if (file === this.#lastFile) {
      if (lease <= this.#lastLease) return false;
      this.#lastLease = lease;
      return true;
    }
    this.#lastLeases ??= new Map();
    if (lease <= (this.#lastLeases.get(file) ?? -1)) return false;
    this.#lastLeases.set(file, lease);
    return true;
  }

  #orphanSeconds(): Seconds {
    return this.#setup.heartbeatSeconds * SILENT_BEATS * ORPHAN_PERIODS;
  }

  /** Leaders and ranks that keep data stay until the end. */
  #release(out: Effects): void {
    if (this.#setup.retainData || this.rank === this.leader || this.#active.length > 0) return;
    if (this.#writtenBytes >= sizeOf(this.#setup, this.rank)) out.finish("released", "");
  }

  #noteElsewhere(group: number, entry: Entry, out: Effects): void {
    const { firstRank, groups } = this.#setup.layout;
    const next = this.rank + 1;
    const inGroup = next < (firstRank[group + 1] as number);
    const keeper = inGroup ? next : (firstRank[(group + 1) % groups] as number);
    if (keeper !== this.rank) out.send(keeper, { kind: "note-entry", group, entry });
  }

  #stop(write: ActiveWrite, out: Effects): void {
    const place = this.#active.indexOf(write);
    assert(place !== -1, "a write stops once");
    this.#active.splice(place, 1);
    out.cancel(write.order.file, write.order.lease);
    this.#tellCancelled(write.order, write.owner, out);
    this.#release(out);
  }

  #tellCancelled({ group, epoch, piece, file, lease, home }: WriteStart, owner: Rank, out: Effects): void {
    const groupEpoch = group === this.group ? this.epoch : epoch;
    const cancelled = { kind: "cancelled", group, epoch, piece, file, lease, groupEpoch } as const;
    out.send(owner, cancelled);
    if (home !== owner) out.send(home, cancelled);
  }

  #remove(file: FileId, lease: number): ActiveWrite | undefined {
    const active = this.#active;
    for (let i = 0; i < active.length; i++) {
      const write = active[i] as ActiveWrite;
      if (write.order.file !== file || write.order.lease !== lease) continue;
      active.splice(i, 1);
      return write;
    }
    return undefined;
  }
}
