/**
 * One process of a run with its roles: always a writer, perhaps the leader of groups, perhaps the coordinator. Inputs are
 * dispatched to the roles they concern. A driver creates one process per rank and performs its effects.
 */
import { assert } from "../../base/assert.ts";
import { Coordinator } from "./coordinator.ts";
import { coordinatorOfEpoch, nextCoordinatorEpoch, targetOfFile } from "./ids.ts";
import { groupOfTarget } from "./layout.ts";
import type { Lend, Message, Promote } from "./message.ts";
import type { Setup } from "./setup.ts";
import type { Effects, Input, Outcome, Rank, Seconds } from "./step.ts";
import { SubCoordinator } from "./sub-coordinator.ts";
import { Writer } from "./writer.ts";

/** Shared by all non-leaders: there can be a million of them. */
const NONE: SubCoordinator[] = [];

export class Process {
  readonly rank: Rank;
  readonly writer: Writer;
  subs: SubCoordinator[] = NONE;
  coordinator: Coordinator | undefined;
  readonly #setup: Setup;
  /** The latest known coordinator epoch, including its own: an epoch is never taken twice. */
  #latestEpoch = 0;
  /** The last epoch under which each group was led here, other than from the start. */
  #led: Map<number, number> | undefined;
  #finished = false;

  constructor(setup: Setup, rank: Rank) {
    this.#setup = setup;
    this.rank = rank;
    this.writer = new Writer(setup, rank);
    const { group } = this.writer;
    if (this.writer.leader !== rank) return;
    this.subs = [new SubCoordinator(setup, group, rank, undefined)];
    if (group === 0) this.coordinator = new Coordinator(setup, rank, 0, [], []);
  }

  step(input: Input, now: Seconds, out: Effects): void {
    if (this.#finished) return;
    switch (input.kind) {
      case "message":
        this.#message(input.from, input.message, now, out);
        break;
      case "written":
        this.writer.written(input.file, input.lease, input.checksum, out);
        break;
      case "start":
        this.coordinator?.start(now, out);
        for (const sub of this.subs) sub.start(now, out);
        this.writer.start(now, out);
        break;
      case "opened":
        for (const sub of this.subs) sub.work.opened(input.file, now, out);
        break;
      case "open-failed":
        for (const sub of this.subs) sub.work.openFailed(input.file, input.code, now, out);
        break;
      case "write-failed":
        this.writer.failed(input.file, input.lease, input.code, out);
        break;
      case "synced":
        for (const sub of this.subs) sub.synced(input.file, true, out);
        break;
      case "sync-failed":
        for (const sub of this.subs) sub.synced(input.file, false, out);
        break;
      case "committed":
        this.coordinator?.committed(input.outcome, input.reason, out);
        this.#finish(input.outcome, input.reason, out);
        return;
      case "undecided":
        this.#adopt(now, out);
        break;
      case "timer":
        this.#timer(input.timer, now, out);
        break;
      case "lost":
        for (const sub of this.subs) sub.lost(input.rank, true, now, out);
        this.coordinator?.lost(input.rank, now, out);
        if (this.subs.length === 0 && this.coordinator === undefined) this.writer.lose(input.rank, out);
        break;
    }
    this.#changeRoles(now, out);
  }

  #message(from: Rank, message: Message, now: Seconds, out: Effects): void {
    const { writer } = this;
    switch (message.kind) {
      // The most frequent ones first: there are millions of them.
      case "write-complete":
      case "index-body":
        for (const sub of this.subs) sub.message(from, message, now, out);
        return;
      case "write-start":
        writer.writeStart(from, message, out);
        return;
      case "cancel":
        writer.cancel(message, out);
        return;
      case "poll":
        writer.poll(from, message, out);
        return;
      case "here":
        writer.heard();
        return;
      case "note-entry":
        writer.note(message);
        return;
      case "lend":
        this.#lend(from, message, now, out);
        return;
      case "finish":
        this.#finish(message.outcome, message.reason, out);
        return;
      case "stale":
        this.#latestEpoch = Math.max(this.#latestEpoch, message.coordinatorEpoch);
        this.coordinator?.stale(message.coordinatorEpoch);
        for (const sub of this.subs) sub.follow(message.coordinator, message.coordinatorEpoch, now, out);
        return;
      case "promote":
        this.#promote(from, message, now, out);
        return;
      case "group-complete":
      case "file-idle":
      case "writers-busy":
      case "heartbeat":
      case "file-closed":
      case "synced":
      case "trouble":
        this.coordinator?.news(from, message, now, out);
        return;
      default:
        for (const sub of this.subs) sub.message(from, message, now, out);
    }
  }

  /** For the role that leads the file's group; if none does here, the work goes back. */
  #lend(from: Rank, message: Lend, now: Seconds, out: Effects): void {
    const { layout, targets } = this.#setup;
    const owner = groupOfTarget(layout, targetOfFile(message.file, targets));
    const sub = this.subs.find(({ group }) => group === owner);
    if (sub !== undefined) {
      sub.message(from, message, now, out);
      return;
    }
    const { group, epoch, file, pieces } = message;
    out.send(from, { kind: "lend-refused", group, epoch, file, pieces: pieces.map(({ piece }) => piece) });
  }

  #timer(timer: string, now: Seconds, out: Effects): void {
    // A coordinator is not an orphan: it knows the outcome.
    if (timer === "orphan") this.writer.look(now, this.coordinator !== undefined, out);
    // A role promoted since then has opened its files after its poll.
    else if (timer === "open")
      for (const sub of this.subs.filter(({ epoch }) => epoch === 0)) sub.open(now, out);
    else if (timer === "coordinator") this.coordinator?.tick(now, out);
    else if (timer === "speculate") this.coordinator?.speculate(now, out);
    else if (this.subs.length > 0) {
      for (const sub of this.subs) sub.tick(now, out);
      out.timer("sub-coordinator", now + this.#setup.heartbeatSeconds);
    }
  }

  /** Leads a group from now on; a repeat, or a message from a later coordinator, goes to the role that already leads it. */
  #promote(from: Rank, message: Promote, now: Seconds, out: Effects): void {
    const current = this.subs.find(({ group }) => group === message.group);
    // Also after having been deposed: a repeat must not open the files of that epoch a second time.
    if (message.epoch <= (this.#led?.get(message.group) ?? 0)) {
      current?.message(from, message, now, out);
      return;
    }
    this.#led ??= new Map();
    this.#led.set(message.group, message.epoch);
    assert(message.group < this.#setup.layout.groups, "a promotion names a group of the layout");
    assert(
      current === undefined || current.epoch < message.epoch,
      "a group is led under a later epoch each time",
    );
    const sub = new SubCoordinator(this.#setup, message.group, this.rank, message);
    this.subs = [...this.subs.filter((one) => one !== current), sub];
    sub.startPromoted(now, out);
  }

  #changeRoles(now: Seconds, out: Effects): void {
    for (const sub of this.subs) {
      this.#latestEpoch = Math.max(this.#latestEpoch, sub.coordinatorHeard);
      if (sub.deposed) this.subs = this.subs.filter(({ deposed }) => !deposed);
      else if (sub.takesOver) {
        sub.takesOver = false;
        this.#takeOver(sub, now, out);
      }
    }
    this.coordinator?.stale(this.#latestEpoch);
    if (this.coordinator?.retired) this.coordinator = undefined;
  }

  #takeOver(sub: SubCoordinator, now: Seconds, out: Effects): void {
    if (this.coordinator !== undefined || this.writer.deciding) return;
    const dead = new Set(sub.work.dead).add(sub.link.coordinator);
    const latest = Math.max(this.#latestEpoch, sub.link.coordinatorEpoch);
    const epoch = nextCoordinatorEpoch(latest, this.rank, this.#setup.writers);
    assert(epoch > latest, "a coordinator takes an unused epoch");
    this.#latestEpoch = epoch;
    const own = { group: sub.group, rank: this.rank, epoch: sub.epoch };
    this.coordinator = new Coordinator(this.#setup, this.rank, epoch, [...sub.leaders.values(), own], dead);
    this.coordinator.takeOver(now, out);
  }

  /**
   * As far as this rank knows, no leader is left and nothing is decided: it takes over the remaining ranks. If others do the
   * same, or a leader is still alive, epochs resolve the conflict, as when deputies take over.
   */
  #adopt(now: Seconds, out: Effects): void {
    if (this.coordinator !== undefined || this.writer.deciding) return;
    const [sub] = this.subs;
    if (sub !== undefined) {
      this.#takeOver(sub, now, out);
      return;
    }
    const { group, leader, epoch: led, lost } = this.writer;
    const { writers, layout } = this.#setup;
    const latest = Math.max(this.#latestEpoch, coordinatorOfEpoch(led));
    const epoch = nextCoordinatorEpoch(latest, this.rank, writers);
    assert(epoch > latest, "a coordinator takes an unused epoch");
    this.#latestEpoch = epoch;
    const known = led > 0 ? [{ group, rank: leader, epoch: led }] : [];
    this.coordinator = new Coordinator(this.#setup, this.rank, epoch, known, [...lost, leader]);
    this.coordinator.takeOver(now, out);
    // Polls its own group; orphans of other groups must not take over before it reaches them.
    const [first, end] = [layout.firstRank[group] as number, layout.firstRank[group + 1] as number];
    for (let rank = 0; rank < writers; rank++)
      if ((rank < first || rank >= end) && !lost.has(rank)) out.send(rank, { kind: "here" });
  }

  #finish(outcome: Outcome, reason: string, out: Effects): void {
    if (this.#finished) return;
    this.#finished = true;
    this.writer.stop(out);
    for (const sub of this.subs) sub.finish(outcome, reason, out);
    out.finish(outcome, reason);
  }
}
