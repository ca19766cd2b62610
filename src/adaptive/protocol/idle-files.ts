/** Files with room, and the groups asked for work for them: the adaptive part of a coordinator. */
import { assert } from "../../base/assert.ts";
import type { Coordinator } from "./coordinator.ts";
import type { Group } from "./group-record.ts";
import { targetOfFile } from "./ids.ts";
import { groupOfTarget } from "./layout.ts";
import { type FileIdle, NOBODY, type WritersBusy } from "./message.ts";
import { canGive, type CoordinatorPolicy, type IdleFile } from "./policy.ts";
import type { Setup } from "./setup.ts";
import type { Effects, FileId, Seconds } from "./step.ts";

/** A file with room. */
interface Idle extends IdleFile {
  /** Counts the files that became idle: the lowest has been idle longest. */
  readonly since: number;
  /** The group asked to give work to it; -1 for none. */
  asked: number;
}

/** After this many files without a suitable group, the remaining files are skipped. */
const REFUSALS = 8;
/** Groups asked at a time for late writes to duplicate: the slowest. */
const COPIES_AT_ONCE = 32;

export class IdleFiles {
  readonly #setup: Setup;
  readonly #coordinator: Coordinator;
  readonly #policy: CoordinatorPolicy;
  readonly #idle = new Map<FileId, Idle>();
  /** Files for which no group is asked, longest idle first. */
  readonly #free: Idle[] = [];
  #count = 0;
  /** No group has work to give, until one reports waiting bytes. */
  #noWork = false;
  /** A timer for late writes is set. */
  #speculating = false;

  constructor(setup: Setup, coordinator: Coordinator) {
    this.#setup = setup;
    this.#coordinator = coordinator;
    this.#policy = setup.policy.coordinator(setup);
  }

  add(group: Group, { file, slots, rate }: FileIdle): void {
    // Inserted again by age, so that the file idle longest is served first.
    this.delete(file);
    assert(slots >= 1 && group.leader !== NOBODY, "an idle file has a slot, and an owner who assigns it");
    const since = this.#count++;
    const idle = { file, group: group.group, owner: group.leader, slots, rate, since, asked: -1 };
    this.#idle.set(file, idle);
    this.#free.push(idle);
  }

  delete(file: FileId): void {
    const idle = this.#idle.get(file);
    if (idle === undefined) return;
    this.#idle.delete(file);
    if (idle.asked === -1) this.#take(idle);
  }

  /** A group has reported its waiting bytes. */
  heard(group: Group): void {
    if (this.#noWork && canGive(group)) this.#noWork = false;
  }

  /** The group had nothing to give. */
  busy(group: Group, { file, speculative }: WritersBusy, now: Seconds): void {
    const idle = this.#idle.get(file);
    if (idle?.asked === group.group) this.#unask(idle);
    if (!speculative) {
      if (group.state === "writing") group.state = "busy";
      return;
    }
    // No late writes there: asked again after a wait that doubles.
    group.copyWait = Math.max(this.#policy.speculateSeconds, 2 * group.copyWait);
    group.copyFrom = now + group.copyWait;
  }

  /** The group has a new leader: its files are gone, and pending requests will not be answered. */
  forget(group: number): void {
    const { targets, layout } = this.#setup;
    for (const idle of this.#idle.values()) {
      if (groupOfTarget(layout, targetOfFile(idle.file, targets)) === group) this.delete(idle.file);
      else if (idle.asked === group) this.#unask(idle);
    }
  }

  /** Matches idle files with waiting work; if files remain idle, later looks for late writes. */
  match(now: Seconds, out: Effects): void {
    const unserved = this.#noWork ? this.#free.length : this.#serve(now, out);
    const { speculateSeconds } = this.#policy;
    if (unserved === 0 || speculateSeconds === 0 || this.#speculating) return;
    this.#speculating = true;
    out.timer("speculate", now + speculateSeconds);
  }

  /** Nothing waits and files have room: late writes get a second copy. */
  speculate(now: Seconds, out: Effects): void {
    this.#speculating = false;
    const free = this.#free.filter(({ rate }) => rate > 0);
    free.sort((a, b) => b.rate - a.rate || a.file - b.file);
    const late = this.#coordinator.groups.filter(
      ({ state, waitingBytes, copyFrom }) => state !== "complete" && waitingBytes === 0 && now >= copyFrom,
    );
    late.sort((a, b) => (a.rate || 0) - (b.rate || 0) || a.group - b.group);
    const all = Number.POSITIVE_INFINITY;
    for (const group of late.slice(0, COPIES_AT_ONCE)) {
      // A copy on the same target would be as late.
      const place = free.findIndex((one) => one.group !== group.group);
      if (place === -1) continue;
      const [idle] = free.splice(place, 1) as [Idle];
      this.#take(idle);
      this.#ask(idle, group, all, idle.slots, all, true, out);
    }
  }

  /** Asks a group for work for each free file; returns the number of files without a suitable group. */
  #serve(now: Seconds, out: Effects): number {
    const { groups } = this.#coordinator;
    const free = this.#free;
    let refused = 0;
    while (refused < free.length && refused <= REFUSALS) {
      const idle = free[refused] as Idle;
      const choice = this.#policy.choose(idle, groups, now);
      if (choice === undefined) {
        if (refused++ > 0 || groups.some(canGive)) continue;
        this.#noWork = true;
        break;
      }
      free.splice(refused, 1);
      const group = groups[choice.group] as Group;
      assert(choice.bytes > 0 && choice.pieceBytes > 0, "a group is asked for bytes");
      assert(canGive(group), "a group is asked for no more than it is known to have");
      // Counts until its next report. A policy that does not count bytes may ask it for every file.
      if (Number.isFinite(choice.bytes)) group.askedBytes += choice.bytes;
      this.#ask(idle, group, choice.bytes, choice.piecesMax, choice.pieceBytes, false, out);
    }
    return refused;
  }

  #take(idle: Idle): void {
    const place = this.#free.indexOf(idle);
    assert(place !== -1, "a file without a request is free");
    this.#free.splice(place, 1);
  }

  /** No group gives work to it: back to its place by age. */
  #unask(idle: Idle): void {
    const free = this.#free;
    assert(idle.asked !== -1, "a file becomes free once");
    idle.asked = -1;
    let place = free.length;
    while (place > 0 && (free[place - 1] as Idle).since > idle.since) place--;
    free.splice(place, 0, idle);
  }

  #ask(
    idle: Idle,
    group: Group,
    bytes: number,
    piecesMax: number,
    pieceBytes: number,
    speculative: boolean,
    out: Effects,
  ): void {
    assert(idle.asked === -1, "one group at a time is asked for a file");
    assert(group.group !== idle.group && piecesMax > 0, "work moves between groups");
    idle.asked = group.group;
    const { file, owner, rate } = idle;
    const kind = "adaptive-write-start";
    const order = { kind, file, owner, rate, bytes, piecesMax, pieceBytes, speculative } as const;
    this.#coordinator.order(group, order, out);
  }
}
