/**
 * The sub-coordinator (Algorithm 2): leads a group of writers and owns the files of the group's targets. This part handles
 * leadership and liveness; the work itself is in `group-work.ts`.
 */
import { assert } from "../../base/assert.ts";
import { CoordinatorLink } from "./coordinator-link.ts";
import { coordinatorOfEpoch } from "./ids.ts";
import { GroupWork } from "./group-work.ts";
import type { Entry } from "./index-columns.ts";
import {
  type CoordinatorOrder,
  type Leader,
  NOBODY,
  type Promote,
  type Report,
  type ToSubCoordinator,
} from "./message.ts";
import { sizeOf } from "./policy.ts";
import { type Setup, silenceSeconds } from "./setup.ts";
import type { Effects, FileId, Outcome, Rank, Seconds, TargetId } from "./step.ts";

/** Deputies take over in turn: each this much later, as a multiple of the silence, up to the sixth. */
const DEPUTY_STEP = 0.5;
const DEPUTY_STEPS = 6;

export class SubCoordinator {
  readonly group: number;
  readonly epoch: number;
  readonly rank: Rank;
  readonly work: GroupWork;
  readonly link: CoordinatorLink;
  /** State for a new coordinator: leaders other than a group's first rank, and targets given up. */
  readonly leaders = new Map<number, Leader>();
  readonly badTargets = new Set<TargetId>();
  /** The coordinator is silent, and it is this one's turn. */
  takesOver = false;
  /** Another rank leads the group now. */
  deposed = false;
  /** The latest coordinator epoch seen. */
  coordinatorHeard = 0;
  readonly #setup: Setup;
  /** While polling: ranks that have not reported yet. */
  #unreported: Set<Rank> | undefined;
  #reported: Entry[] = [];
  #pollDeadline: Seconds = 0;
  #tickedAt: Seconds = 0;
  readonly #syncRounds = new Map<FileId, number>();

  constructor(setup: Setup, group: number, rank: Rank, promotion: Promote | undefined) {
    this.#setup = setup;
    this.group = group;
    this.rank = rank;
    this.epoch = promotion?.epoch ?? 0;
    const coordinator = promotion?.coordinator ?? (setup.layout.firstRank[0] as number);
    this.link = new CoordinatorLink(group, this.epoch, coordinator, promotion?.coordinatorEpoch ?? 0);
    this.work = new GroupWork(setup, rank, this.link, promotion === undefined);
    for (const leader of promotion?.leaders ?? []) this.leaders.set(leader.group, leader);
    for (const target of promotion?.badTargets ?? []) this.badTargets.add(target);
    for (const one of promotion?.dead ?? []) this.work.dead.add(one);
    for (const target of setup.skipped) this.badTargets.add(target);
  }

  start(now: Seconds, out: Effects): void {
    assert(this.epoch === 0, "only first leaders start without a poll");
    this.link.heardAt = now;
    this.#tickedAt = now;
    const { openStaggerSeconds, heartbeatSeconds } = this.#setup;
    if (openStaggerSeconds > 0 && this.group > 0) out.timer("open", now + this.group * openStaggerSeconds);
    else this.open(now, out);
    if (heartbeatSeconds > 0) out.timer("sub-coordinator", now + heartbeatSeconds);
    // A group without bytes is complete before its file is open.
    this.work.pump(now, out);
  }

  /** Starts to lead: asks for written pieces. */
  startPromoted(now: Seconds, out: Effects): void {
    this.link.heardAt = now;
    this.#tickedAt = now;
    const { layout, heartbeatSeconds, leaseSeconds } = this.#setup;
    assert(this.epoch > 0, "a promotion has an epoch");
    this.work.paused = true;
    this.#unreported = new Set();
    const ask = (rank: Rank) => {
      if (this.work.dead.has(rank) || this.#unreported?.has(rank)) return;
      this.#unreported?.add(rank);
      out.send(rank, { kind: "poll", group: this.group, epoch: this.epoch });
    };
    for (let rank = this.#firstRank(); rank < this.#endRank(); rank++) ask(rank);
    // The keeper of notes, when the group's last rank led it.
    ask(layout.firstRank[(this.group + 1) % layout.groups] as number);
    this.#pollDeadline = now + Math.max(this.#silence(), leaseSeconds);
    if (heartbeatSeconds > 0) out.timer("sub-coordinator", now + heartbeatSeconds);
    this.work.tell({ kind: "heartbeat", rate: Number.NaN }, out);
    this.#pollDone(now, out);
  }

  open(now: Seconds, out: Effects): void {
    this.work.owned.openAll(this.badTargets, now, out);
  }

  message(from: Rank, message: ToSubCoordinator, now: Seconds, out: Effects): void {
    const { work } = this;
    switch (message.kind) {
      case "write-complete":
        work.writeComplete(message, now, out);
        return;
      case "index-body":
        work.indexBody(message, now, out);
        return;
      case "write-failed":
        work.writeFailed(message, now, out);
        return;
      case "cancelled":
        if (message.group === this.group) this.#hearEpoch(message.groupEpoch);
        if (!this.deposed) work.cancelled(message, now, out);
        return;
      case "lend":
        work.lend(from, message, now, out);
        return;
      case "lend-refused":
        work.lendRefused(message, now, out);
        return;
      case "recall":
        work.recall(message, now, out);
        return;
      case "report":
        this.#report(from, message, now, out);
        return;
      case "deposed":
        if (message.group === this.group) this.#hearEpoch(message.epoch);
        return;
      case "ping":
        if (message.group === this.group) out.send(from, { kind: "here" });
        return;
      default:
        if (message.group === this.group) this.#order(from, message, now, out);
    }
  }

  /** Learned of a later coordinator from another rank. */
  follow(coordinator: Rank, coordinatorEpoch: number, now: Seconds, out: Effects): void {
    if (this.link.follow(coordinator, coordinatorEpoch, now)) this.work.introduce(now, out);
  }

  synced(file: FileId, ok: boolean, out: Effects): void {
    const round = this.#syncRounds.get(file);
    if (round === undefined) return;
    this.#syncRounds.delete(file);
    this.work.tell({ kind: "synced", round, file, ok }, out);
  }

  /** `certain`: the transport reported its death; else it has only been silent. */
  lost(rank: Rank, certain: boolean, now: Seconds, out: Effects): void {
    this.work.lost(rank, certain, now, out);
    this.#heard(rank, now, out);
    if (rank === this.link.coordinator && this.#isNext()) this.takesOver = true;
  }

  /** Heartbeat: sends a sign of life, and checks for silent ranks. */
  tick(now: Seconds, out: Effects): void {
    const { heartbeatSeconds } = this.#setup;
    // This process was suspended: answers are still queued.
    assert(now >= this.#tickedAt, "the clock of a sub-coordinator does not go back");
    const wasAway = now - this.#tickedAt > 2 * heartbeatSeconds;
    this.#tickedAt = now;
    if (wasAway) this.link.heardAt = now;
    this.work.tell({ kind: "heartbeat", rate: this.work.owned.rateAt(now) }, out);
    this.work.checkDeadlines(now, out);
    if (this.#unreported !== undefined && now > this.#pollDeadline) {
      for (const rank of [...this.#unreported]) {
        this.work.dead.add(rank);
        this.#unreported.delete(rank);
      }
      this.#pollDone(now, out);
    }
    const turn = 1 + DEPUTY_STEP * Math.min(this.group, DEPUTY_STEPS);
    if (now - this.link.heardAt <= this.#silence() * turn) return;
    this.takesOver = true;
    this.link.heardAt = now;
  }

  /** Informs all ranks; the process then ends. */
  finish(outcome: Outcome, reason: string, out: Effects): void {
    if (!this.#setup.retainData) return;
    for (let rank = this.#firstRank(); rank < this.#endRank(); rank++)
      if (rank !== this.rank && !this.work.dead.has(rank))
        out.send(rank, { kind: "finish", outcome, reason });
  }

  #order(from: Rank, order: CoordinatorOrder, now: Seconds, out: Effects): void {
    const judged = this.link.judge(from, order, now);
    if (judged === "stale") {
      const { coordinator, coordinatorEpoch } = this.link;
      out.send(from, { kind: "stale", coordinator, coordinatorEpoch });
      return;
    }
    if (judged === "repeated") return;
    if (judged === "new") this.work.introduce(now, out);
    const { work } = this;
    switch (order.kind) {
      case "adaptive-write-start":
        work.adaptiveStart(order, now, out);
        return;
      case "overall-write-complete":
        this.#syncRounds.set(order.file, order.round);
        out.sync(order.file, order.target);
        return;
      case "file-lost":
        work.fileLost(order.file, now, out);
        return;
      case "group-moved":
        this.#moved(order.movedGroup, order.movedEpoch, order.rank, now, out);
        return;
      case "promote":
        for (const rank of order.dead) this.lost(rank, false, now, out);
        return;
      case "new-coordinator":
      case "heartbeat-ack":
        return;
    }
  }

  #moved(group: number, epoch: number, rank: Rank, now: Seconds, out: Effects): void {
    if (group === this.group) {
      this.#hearEpoch(epoch);
      return;
    }
    this.leaders.set(group, { group, epoch, rank });
    this.work.groupMoved(group, epoch, now, out);
  }

  /** A rank knows the group under this epoch; a later epoch means another leader, perhaps of a later coordinator. */
  #hearEpoch(epoch: number): void {
    if (epoch <= this.epoch) return;
    this.deposed = true;
    this.coordinatorHeard = Math.max(this.coordinatorHeard, coordinatorOfEpoch(epoch));
  }

  #report(from: Rank, { group, epoch, entries }: Report, now: Seconds, out: Effects): void {
    if (group !== this.group || epoch !== this.epoch || !this.#unreported?.has(from)) return;
    for (const entry of entries) this.#reported.push(entry);
    this.#heard(from, now, out);
  }

  #heard(rank: Rank, now: Seconds, out: Effects): void {
    if (this.#unreported?.delete(rank)) this.#pollDone(now, out);
  }

  /** All ranks have reported or are given up: ranges without an entry wait again. */
  #pollDone(now: Seconds, out: Effects): void {
    if (this.#unreported === undefined || this.#unreported.size > 0) return;
    assert(this.work.paused, "nothing is assigned before all have reported");
    this.#unreported = undefined;
    const byBlock = new Map<Rank, Entry[]>();
    for (const entry of this.#reported) {
      const list = byBlock.get(entry.block);
      if (list === undefined) byBlock.set(entry.block, [entry]);
      else list.push(entry);
    }
    this.#reported = [];
    for (let rank = this.#firstRank(); rank < this.#endRank(); rank++)
      this.#cover(rank, byBlock.get(rank) ?? []);
    this.work.paused = false;
    for (const rank of this.work.dead)
      if (rank >= this.#firstRank() && rank < this.#endRank()) this.work.checkData(rank, out);
    this.open(now, out);
    this.work.pump(now, out);
    this.work.tell({ kind: "heartbeat", rate: Number.NaN }, out);
  }

  /** Accepts entries that do not overlap; overlaps occur, since a range can have been written twice. */
  #cover(block: Rank, entries: Entry[]): void {
    const { blocks } = this.work;
    const size = sizeOf(this.#setup, block);
    let end = 0;
    entries.sort((a, b) => a.at - b.at || b.length - a.length);
    for (const { at, length, file, offset, checksum } of entries) {
      if (at < end) continue;
      if (at > end) blocks.wait(block, end, at - end, 1);
      blocks.entries.add(block, at, length, file, offset, checksum);
      end = at + length;
    }
    assert(end <= size, "no rank has written more than its block");
    if (end < size) blocks.wait(block, end, size - end, 1);
  }

  /** Whether every group before this one has lost its leader. */
  #isNext(): boolean {
    for (let group = 0; group < this.group; group++) {
      const leader = this.leaders.get(group)?.rank ?? (this.#setup.layout.firstRank[group] as number);
      if (leader !== NOBODY && !this.work.dead.has(leader)) return false;
    }
    return true;
  }

  #silence(): Seconds {
    return silenceSeconds(this.#setup.heartbeatSeconds, this.link.coordinatorEpoch, this.#setup.writers);
  }

  #firstRank(): Rank {
    return this.#setup.layout.firstRank[this.group] as number;
  }

  #endRank(): Rank {
    return this.#setup.layout.firstRank[this.group + 1] as number;
  }
}
