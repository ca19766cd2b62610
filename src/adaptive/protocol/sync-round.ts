/** The end of a run: every file with data is synced, then the dataset is committed. */
import { assert } from "../../base/assert.ts";
import type { Coordinator } from "./coordinator.ts";
import type { Group } from "./group-record.ts";
import { targetOfFile } from "./ids.ts";
import { groupOfTarget } from "./layout.ts";
import { SILENT_BEATS, type Setup } from "./setup.ts";
import type { Effects, FileId, Rank, Seconds } from "./step.ts";

export class SyncRound {
  readonly #setup: Setup;
  readonly #coordinator: Coordinator;
  /** Files of this round without an answer, and the group asked. */
  readonly #pending = new Map<FileId, Group>();
  #running = false;
  #round = 0;
  #deadline: Seconds = Number.POSITIVE_INFINITY;

  constructor(setup: Setup, coordinator: Coordinator) {
    this.#setup = setup;
    this.#coordinator = coordinator;
  }

  begin(now: Seconds, out: Effects): void {
    if (this.#running) return;
    const { leaseSeconds, heartbeatSeconds } = this.#setup;
    const { groups } = this.#coordinator;
    assert(
      groups.every(({ state }) => state === "complete"),
      "files are synced when all data is written",
    );
    this.#running = true;
    this.#round++;
    this.#deadline =
      leaseSeconds === 0 ? Number.POSITIVE_INFINITY : now + leaseSeconds + SILENT_BEATS * heartbeatSeconds;
    this.#pending.clear();
    for (const file of this.#filesOf()) this.#ask(file, out);
    this.#settle(out);
  }

  /** A group is not complete after all. */
  stop(): void {
    this.#running = false;
  }

  answer(round: number, file: FileId, ok: boolean, out: Effects): void {
    if (!this.#running || round !== this.#round || !this.#pending.has(file)) return;
    this.#pending.delete(file);
    if (ok) this.#settle(out);
    else this.#fail(file, Number.NaN, out);
  }

  tick(now: Seconds, out: Effects): void {
    if (!this.#running || now <= this.#deadline) return;
    const [late] = this.#pending.keys();
    if (late !== undefined) this.#fail(late, now, out);
  }

  /** The asked leader is dead: asks another one. */
  leaderLost(leader: Rank, out: Effects): void {
    if (!this.#running) return;
    for (const [file, group] of [...this.#pending])
      if (group.leaderless && group.leader === leader) this.#ask(file, out);
  }

  #settle(out: Effects): void {
    assert(this.#running, "a stopped round settles nothing");
    if (this.#pending.size === 0) this.#coordinator.decide("complete", "", out);
  }

  #fail(file: FileId, now: Seconds, out: Effects): void {
    this.#running = false;
    this.#coordinator.loseFile(file, now, out);
  }

  #ask(file: FileId, out: Effects): void {
    const { targets, layout } = this.#setup;
    const target = targetOfFile(file, targets);
    const owner = this.#coordinator.groups[groupOfTarget(layout, target)];
    assert(owner !== undefined, "a file with entries lies on a target of the layout");
    const group = owner.leaderless ? this.#coordinator.groups.find((one) => !one.leaderless) : owner;
    if (group === undefined) {
      this.#coordinator.decide("aborted", "no sub-coordinator is left", out);
      return;
    }
    this.#pending.set(file, group);
    const order = { kind: "overall-write-complete", round: this.#round, file, target } as const;
    this.#coordinator.order(group, order, out);
  }

  /** Every file with an entry. */
  #filesOf(): Set<FileId> {
    const files = new Set<FileId>();
    for (const { entries } of this.#coordinator.groups)
      for (let i = 0; i < (entries?.count ?? 0); i++) files.add(entries?.file[i] as FileId);
    return files;
  }
}
