/**
 * The coordinator (Algorithm 3): knows groups and files, never single writers. It matches files with room to groups with work,
 * replaces dead leaders, and decides when the dataset is complete.
 */
import { assert } from "../../base/assert.ts";
import { type Group, newGroup } from "./group-record.ts";
import { coordinatorOfEpoch, groupEpoch, targetOfFile } from "./ids.ts";
import { IdleFiles } from "./idle-files.ts";
import { groupOfTarget } from "./layout.ts";
import {
  type CoordinatorNews,
  type CoordinatorOrder,
  type FileClosed,
  type FileIdle,
  type GroupComplete,
  type Leader,
  type Learned,
  type Promote,
  NOBODY,
  type Writable,
} from "./message.ts";
import { type Setup, silenceSeconds, stallSeconds } from "./setup.ts";
import type { Effects, FileId, Outcome, Rank, Seconds, TargetId } from "./step.ts";
import { SyncRound } from "./sync-round.ts";

type WithoutHeader<T> = T extends unknown ? Omit<T, "group" | "coordinatorEpoch" | "serial"> : never;

export class Coordinator {
  readonly rank: Rank;
  readonly epoch: number;
  readonly groups: Group[];
  /** Measurements of each target, for the next output step. */
  readonly learned = new Map<TargetId, Learned>();
  /** A later coordinator exists. */
  retired = false;
  readonly #setup: Setup;
  readonly #idle: IdleFiles;
  readonly #badTargets = new Set<TargetId>();
  readonly #dead = new Set<Rank>();
  readonly #sync: SyncRound;
  #incomplete: number;
  #promotions = 0;
  #deciding = false;
  #tickedAt: Seconds = 0;
  /** Time of the last progress. */
  #movedAt: Seconds = 0;
  readonly #stallSeconds: Seconds;

  constructor(setup: Setup, rank: Rank, epoch: number, leaders: Iterable<Leader>, dead: Iterable<Rank>) {
    assert(epoch % setup.writers === rank, "an epoch can be taken by one rank only");
    this.#setup = setup;
    this.rank = rank;
    this.epoch = epoch;
    const { layout } = setup;
    this.groups = Array.from({ length: layout.groups }, (_, group) => newGroup(setup, group));
    for (const { group, rank: leader, epoch: led } of leaders)
      Object.assign(this.groups[group] as Group, { leader, epoch: led });
    for (const one of dead) this.#dead.add(one);
    this.#incomplete = layout.groups;
    this.#stallSeconds = stallSeconds(setup);
    for (const target of setup.skipped) this.#badTargets.add(target);
    for (const group of this.groups) group.stuck = !this.#hasTarget(group.group);
    this.#sync = new SyncRound(setup, this);
    this.#idle = new IdleFiles(setup, this);
  }

  start(now: Seconds, out: Effects): void {
    for (const group of this.groups) group.heardAt = now;
    this.#tickedAt = now;
    this.#movedAt = now;
    if (this.#setup.heartbeatSeconds > 0) out.timer("coordinator", now + this.#setup.heartbeatSeconds);
  }

  /** Takes over: every leader reports its state; those that do not respond are replaced. */
  takeOver(now: Seconds, out: Effects): void {
    this.start(now, out);
    for (const group of this.groups) {
      group.state = "busy";
      if (group.leader === NOBODY || this.#dead.has(group.leader)) this.#replace(group, now, out);
      else this.order(group, { kind: "new-coordinator", rank: this.rank }, out);
    }
  }

  news(from: Rank, news: CoordinatorNews, now: Seconds, out: Effects): void {
    if (this.#deciding || this.retired) return;
    const group = this.groups[news.group] as Group;
    if (news.epoch > group.epoch) this.#follow(group, from, news.epoch, out);
    // It was declared dead, but lives.
    if (news.epoch < group.epoch) out.send(from, { kind: "deposed", group: group.group, epoch: group.epoch });
    if (news.epoch !== group.epoch || from !== group.leader || news.serial <= group.lastSerial) return;
    group.lastSerial = news.serial;
    group.heardAt = now;
    assert(!group.leaderless, "a group without a leader sends nothing");
    assert(news.waitingBytes <= group.bytes, "no more bytes wait than the group has");
    if (news.waitingBytes !== group.reportedBytes) this.#movedAt = now;
    group.reportedBytes = news.waitingBytes;
    group.waitingBytes = news.waitingBytes;
    group.askedBytes = 0;
    if (group.state !== "complete") group.state = news.waitingBytes > 0 ? "writing" : "busy";
    this.#idle.heard(group);
    switch (news.kind) {
      case "group-complete":
        this.#groupComplete(group, news, now);
        break;
      case "file-idle":
        this.#fileIdle(group, news);
        break;
      case "writers-busy":
        this.#idle.busy(group, news, now);
        break;
      case "file-closed":
        this.#fileClosed(group, news);
        break;
      case "heartbeat":
        if (news.rate > 0) group.rate = news.rate;
        if (this.#setup.heartbeatSeconds > 0) this.order(group, { kind: "heartbeat-ack" }, out);
        break;
      case "synced":
        this.#sync.answer(news.round, news.file, news.ok, out);
        break;
      case "trouble":
        this.decide("aborted", news.reason, out);
        return;
    }
    this.#proceed(now, out);
  }

  lost(rank: Rank, now: Seconds, out: Effects): void {
    this.#dead.add(rank);
    if (this.#deciding || this.retired) return;
    for (const group of this.groups)
      if (group.leader === rank && !group.leaderless) this.#replace(group, now, out);
    this.#proceed(now, out);
  }

  stale(coordinatorEpoch: number): void {
    if (coordinatorEpoch > this.epoch && !this.#deciding) this.retired = true;
  }

  /** The beat: leaders that are silent are replaced; files that do not sync are lost. */
  tick(now: Seconds, out: Effects): void {
    const { heartbeatSeconds, writers } = this.#setup;
    if (this.#deciding || this.retired) return;
    if (now - this.#movedAt > this.#stallSeconds) {
      this.decide("aborted", `no progress for ${Math.round(now - this.#movedAt)} s`, out);
      return;
    }
    assert(now >= this.#tickedAt, "the clock of a coordinator does not go back");
    const silence = silenceSeconds(heartbeatSeconds, this.epoch, writers);
    // This process was suspended: messages from that time are still queued.
    const wasAway = now - this.#tickedAt > 2 * heartbeatSeconds;
    this.#tickedAt = now;
    for (const group of this.groups) {
      if (wasAway) group.heardAt = now;
      if (group.leaderless || now - group.heardAt <= silence) continue;
      this.#dead.add(group.leader);
      this.#replace(group, now, out);
    }
    this.#sync.tick(now, out);
    this.#proceed(now, out);
    out.timer("coordinator", now + heartbeatSeconds);
  }

  /** Looks for late writes to duplicate. */
  speculate(now: Seconds, out: Effects): void {
    if (this.#deciding || this.retired) return;
    this.#idle.speculate(now, out);
    this.#proceed(now, out);
  }

  /** Proposes the outcome of the dataset. All other input is ignored from here. */
  decide(outcome: Outcome, reason: string, out: Effects): void {
    if (this.#deciding) return;
    assert(!this.retired, "a coordinator that was replaced decides nothing");
    this.#deciding = true;
    if (outcome === "complete") this.#checkWhole();
    const parts = outcome === "complete" ? this.groups.flatMap(({ entries }) => entries ?? []) : [];
    out.commit({ outcome, reason, parts });
  }

  /** Decided: informs all ranks, through their leaders or, without one, directly. */
  committed(outcome: Outcome, reason: string, out: Effects): void {
    const finish = { kind: "finish", outcome, reason } as const;
    const { firstRank } = this.#setup.layout;
    for (const { group, leader } of this.groups) {
      if (leader !== NOBODY) out.send(leader, finish);
      else
        for (let rank = firstRank[group] as number; rank < (firstRank[group + 1] as number); rank++)
          if (!this.#dead.has(rank)) out.send(rank, finish);
    }
  }

  /** Takes ownership of `order` and adds the header in place (see `CoordinatorLink.tell`). */
  order(group: Group, order: WithoutHeader<CoordinatorOrder>, out: Effects): void {
    assert(group.leader !== NOBODY, "an order has a receiver");
    const message = order as Writable<CoordinatorOrder>;
    message.group = group.group;
    message.coordinatorEpoch = this.epoch;
    message.serial = group.serial++;
    out.send(group.leader, message);
  }

  /** The file is unreliable: its data is written again. */
  loseFile(file: FileId, now: Seconds, out: Effects): void {
    this.#badTargets.add(targetOfFile(file, this.#setup.targets));
    this.#idle.delete(file);
    for (const group of this.groups) group.stuck = !this.#hasTarget(group.group);
    for (const group of this.groups) {
      const holds = group.entries?.file.subarray(0, group.entries.count).includes(file) ?? false;
      if (holds && !this.#setup.retainData) {
        this.decide("aborted", "data was lost after its writers had ended", out);
        return;
      }
      assert(!holds || group.state === "complete", "only a complete group has delivered an index");
      if (holds) {
        group.entries = undefined;
        group.state = "busy";
        this.#incomplete++;
        if (group.leaderless) {
          group.leaderless = false;
          this.#replace(group, now, out);
          continue;
        }
      }
      if (!group.leaderless) this.order(group, { kind: "file-lost", file }, out);
    }
  }

  /** Every group has reported, and together they have all bytes of all ranks. */
  #checkWhole(): void {
    assert(this.#incomplete === 0, "a dataset is complete when all groups are");
    for (const { state, entries, bytes } of this.groups) {
      assert(state === "complete" && entries !== undefined, "every group has delivered its index");
      let indexed = 0;
      for (let i = 0; i < entries.count; i++) indexed += entries.length[i] as number;
      assert(indexed === bytes, "the index of a group has all its bytes");
    }
  }

  #proceed(now: Seconds, out: Effects): void {
    if (this.#deciding || this.retired) return;
    if (this.#incomplete === 0) {
      this.#sync.begin(now, out);
      return;
    }
    if (!this.#hasTarget()) {
      this.decide("aborted", "no storage target accepts data any more", out);
      return;
    }
    if (this.#setup.policy.offers === "never") {
      this.#checkStuck(out);
      return;
    }
    this.#idle.match(now, out);
  }

  /** If the policy moves nothing, work whose own targets failed cannot be written at all. */
  #checkStuck(out: Effects): void {
    const { name } = this.#setup.policy;
    const group = this.groups.find(({ stuck, state }) => stuck && state === "writing");
    if (group === undefined) return;
    const why = group.failure === "" ? `group ${group.group} has no target left` : group.failure;
    this.decide("aborted", `${why}, and policy ${name} does not move work`, out);
  }

  #groupComplete(group: Group, { entries, learned, waitingBytes }: GroupComplete, now: Seconds): void {
    for (const one of learned) this.learned.set(one.target, one);
    assert(waitingBytes === 0, "a complete group has nothing waiting");
    if (group.state !== "complete") {
      assert(this.#incomplete > 0, "a group completes once");
      this.#incomplete--;
      this.#movedAt = now;
    }
    group.state = "complete";
    group.entries = entries;
  }

  #fileIdle(group: Group, news: FileIdle): void {
    if (this.#badTargets.has(targetOfFile(news.file, this.#setup.targets))) return;
    if (news.rate > 0) group.rate = news.rate;
    this.#idle.add(group, news);
  }

  #fileClosed(group: Group, { file, code, forGood }: FileClosed): void {
    this.#idle.delete(file);
    if (!forGood) return;
    const target = targetOfFile(file, this.#setup.targets);
    this.#badTargets.add(target);
    group.stuck = !this.#hasTarget(group.group);
    group.failure = `target ${target} failed (${code})`;
  }

  /** Whether any target, or any of one group, still accepts data. */
  #hasTarget(group?: number): boolean {
    const { firstTarget, groups } = this.#setup.layout;
    const first = group === undefined ? 0 : (firstTarget[group] as number);
    const end = firstTarget[group === undefined ? groups : group + 1] as number;
    for (let target = first; target < end; target++)
      if (!this.#badTargets.has(target) && !this.#isLeaderless(target)) return true;
    return false;
  }

  /** No sub-coordinator assigns space on it any more. */
  #isLeaderless(target: TargetId): boolean {
    return this.groups[groupOfTarget(this.#setup.layout, target)]?.leaderless ?? true;
  }

  /** Replaces a dead leader by another rank. */
  #replace(group: Group, now: Seconds, out: Effects): void {
    // An earlier leader could not be replaced, and the run is ending.
    if (this.#deciding) return;
    this.#idle.forget(group.group);
    if (group.state === "complete") {
      // All its reports are here. Syncing, which remains, can be done by others.
      group.leaderless = true;
      this.#sync.leaderLost(group.leader, out);
      group.leader = NOBODY;
      group.epoch = this.#nextEpoch(group);
      this.#tellMoved(group, out);
      return;
    }
    const leader = this.#candidate(group);
    if (leader === undefined) {
      const reason = `all ranks of group ${group.group} died, and no other rank has their data`;
      this.decide("aborted", reason, out);
      return;
    }
    group.leader = leader;
    group.epoch = this.#nextEpoch(group);
    group.lastSerial = -1;
    group.heardAt = now;
    group.state = "busy";
    group.waitingBytes = 0;
    const { rank: coordinator, epoch: coordinatorEpoch } = this;
    const promote: Promote = {
      kind: "promote",
      group: group.group,
      coordinatorEpoch,
      serial: group.serial++,
      coordinator,
      epoch: group.epoch,
      dead: [...this.#dead],
      badTargets: [...this.#badTargets],
      leaders: this.#leaders(),
    };
    out.send(leader, promote);
    this.#tellMoved(group, out);
  }

  #nextEpoch(group: Group): number {
    const epoch = groupEpoch(this.epoch, ++this.#promotions);
    assert(epoch > group.epoch, "the epoch of a group only grows");
    return epoch;
  }

  /**
   * No space is assigned in the files of the former leader any more. A group without a leader learns it from its promotion, if
   * any: a new coordinator may not have handled all groups yet.
   */
  #tellMoved({ group, epoch, leader }: Group, out: Effects): void {
    for (const other of this.groups)
      if (other.group !== group && other.leader !== NOBODY)
        this.order(other, { kind: "group-moved", movedGroup: group, movedEpoch: epoch, rank: leader }, out);
  }

  /** A leader of a later epoch than this coordinator knows: an earlier coordinator promoted it and died before announcing it. */
  #follow(group: Group, leader: Rank, epoch: number, out: Effects): void {
    assert(coordinatorOfEpoch(epoch) <= this.epoch, "no group follows a coordinator that is older than it");
    this.#idle.forget(group.group);
    group.leader = leader;
    group.epoch = epoch;
    group.lastSerial = -1;
    if (group.state === "complete") {
      this.#incomplete++;
      this.#sync.stop();
    }
    group.state = "busy";
    group.leaderless = false;
    group.entries = undefined;
    this.order(group, { kind: "new-coordinator", rank: this.rank }, out);
  }

  /** This rank in its own group; else the next living rank of the group, or when data is shared, any living leader. */
  #candidate(group: Group): Rank | undefined {
    const { firstRank } = this.#setup.layout;
    const [first, end] = [firstRank[group.group] as number, firstRank[group.group + 1] as number];
    if (this.rank >= first && this.rank < end && !this.#dead.has(this.rank)) return this.rank;
    for (let rank = first; rank < end; rank++) if (!this.#dead.has(rank)) return rank;
    return this.#setup.sharedSources ? this.rank : undefined;
  }

  #leaders(): Leader[] {
    return this.groups
      .filter(({ epoch }) => epoch > 0)
      .map(({ group, leader, epoch }) => ({ group, rank: leader, epoch }));
  }
}
