/** One process of a run: hosts some ranks of the protocol, passes events to them, and performs their effects. */
import { assert } from "../../../base/assert.ts";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Effects,
  type FailureCode,
  type FileId,
  type Input,
  type Learned,
  type Message,
  type Outcome,
  Process,
  type Proposal,
  type Rank,
  type Setup,
  type TargetId,
  type TimerName,
  type WriteStart,
} from "../../protocol/index.ts";
import { CommitRefused } from "../dataset/check-names.ts";
import type { PieceInfo } from "../piece/piece-info.ts";
import { SourceFailure } from "../stage/sources.ts";
import { type ActiveWrite, FileWork, type FileWorkLink } from "./file-work.ts";
import { type HostReport, type HostSetting, hostOfRank, ranksOfHost, setupOf } from "./setting.ts";

/** Link of a process to the others and to its parent. */
interface HostLink extends FileWorkLink {
  send(from: Rank, to: Rank, message: Message): void;
  /** A target failed: a note for the user; the protocol knows already. */
  trouble(target: TargetId, text: string): void;
  /** Fatal for every process. */
  fatal(text: string): void;
  ended(report: HostReport): void;
}

/** After a loss, interval of checks for a decision. */
const DECISION_MS = 500;
/** Overtaken copies may end within this time. */
const LINGER_MS = 100;
export class Host implements Effects {
  readonly #setting: HostSetting;
  readonly #index: number;
  readonly #link: HostLink;
  readonly #setup: Setup;
  readonly #processes = new Map<Rank, Process>();
  readonly #work: FileWork;
  readonly #inputs: { rank: Rank; input: Input }[] = [];
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #active = new Map<string, ActiveWrite>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #report = {
    learned: [] as readonly Learned[],
    messages: {} as Record<string, number>,
  };
  readonly #lost = new Set<Rank>();
  /** Leading roles that know all lost ranks. */
  readonly #informed = new WeakSet<object>();
  /** Rank of the current step. */
  #rank: Rank = -1;
  #stepping = false;
  #stopped = false;
  /** A rank of this process is about to decide, or to carry out a decision. */
  #committing = false;

  constructor(setting: HostSetting, index: number, link: HostLink) {
    assert(index >= 0 && index < setting.hosts, "a process of the run");
    this.#setting = setting;
    this.#index = index;
    this.#link = link;
    this.#setup = setupOf(setting);
    this.#work = new FileWork(setting, index, link);
    for (const rank of ranksOfHost(setting, index)) this.#processes.set(rank, new Process(this.#setup, rank));
  }

  start(): void {
    for (const rank of this.#processes.keys()) this.#inputs.push({ rank, input: { kind: "start" } });
    this.#steps();
    if (this.#processes.size === 0) void this.#end("complete", "");
  }

  deliver(from: Rank, to: Rank, message: Message): void {
    assert(hostOfRank(to, this.#setting.hosts) === this.#index, "a message comes to the process of its rank");
    this.#take(to, { kind: "message", from, message });
  }

  /**
   * Ranks of a dead process. Only leaders need to know, now or when they start to lead; and the first rank here, which takes
   * over when no leader is left.
   */
  lost(ranks: readonly Rank[]): void {
    assert(
      ranks.every((rank) => !this.#processes.has(rank)),
      "a process never loses its own ranks",
    );
    for (const one of ranks) this.#lost.add(one);
    const first = Math.min(...this.#processes.keys());
    for (const rank of this.#processes.keys())
      if (rank === first || this.#leads(rank)) this.#tellLost(rank, ranks);
    this.#steps();
    this.#lookForDecision();
  }

  /** Ends at once, without messages. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const write of this.#active.values()) write.cancelled = true;
    await this.#close();
  }

  // Effects of the current step.

  send(to: Rank, message: Message): void {
    assert(to >= 0 && to < this.#setting.blocks.length, "a message goes to a rank of the run");
    const { messages } = this.#report;
    messages[message.kind] = (messages[message.kind] ?? 0) + 1;
    if (hostOfRank(to, this.#setting.hosts) !== this.#index) this.#link.send(this.#rank, to, message);
    else this.#inputs.push({ rank: to, input: { kind: "message", from: this.#rank, message } });
  }

  open(file: FileId): void {
    const rank = this.#acting();
    this.#do(
      this.#work.open(file).then(
        () => this.#take(rank, { kind: "opened", file }),
        (error: unknown) => this.#take(rank, { kind: "open-failed", file, code: this.#refused(file, error) }),
      ),
    );
  }

  write(order: WriteStart): void {
    const rank = this.#acting();
    const key = keyOf(rank, order.file, order.lease);
    assert(!this.#active.has(key), "a lease is written once");
    const write: ActiveWrite = { order, rank, cancelled: false, start: Number.NaN, bytes: 0 };
    this.#active.set(key, write);
    this.#do(this.#write(write));
  }

  cancel(file: FileId, lease: number): void {
    const write = this.#active.get(keyOf(this.#rank, file, lease));
    if (write !== undefined) write.cancelled = true;
  }

  sync(file: FileId): void {
    const rank = this.#acting();
    this.#do(
      this.#work.sync(file).then(
        () => this.#take(rank, { kind: "synced", file }),
        (error: unknown) => this.#take(rank, { kind: "sync-failed", file, code: this.#refused(file, error) }),
      ),
    );
  }

  timer(timer: TimerName, at: number): void {
    assert(Number.isFinite(at), "a timer has a finite time");
    const rank = this.#acting();
    const key = `${rank} ${timer}`;
    clearTimeout(this.#timers.get(key));
    const wait = Math.max(0, Math.ceil((at - this.#work.now()) * 1000));
    this.#timers.set(
      key,
      setTimeout(() => {
        this.#timers.delete(key);
        this.#take(rank, { kind: "timer", timer });
      }, wait),
    );
  }

  commit(proposal: Proposal): void {
    const rank = this.#acting();
    const learned = this.#processes.get(rank)?.coordinator?.learned;
    if (learned !== undefined) this.#report.learned = [...learned.values()];
    this.#committing = true;
    const committed = this.#work.commit(rank, proposal).finally(() => (this.#committing = false));
    this.#do(
      committed.then(
        ({ outcome, reason }) => this.#take(rank, { kind: "committed", outcome, reason }),
        (error: unknown) => this.#fatal(error),
      ),
    );
  }

  inquire(): void {
    const rank = this.#acting();
    this.#do(
      this.#work.decided().then((decided) => {
        if (decided === undefined) this.#take(rank, { kind: "undecided" });
        else this.#take(rank, { kind: "committed", outcome: decided.outcome, reason: decided.reason });
      }),
    );
  }

  finish(outcome: Outcome | "released", reason: string): void {
    const lived = this.#processes.delete(this.#rank);
    assert(lived, "a rank ends once");
    if (this.#processes.size === 0) void this.#end(outcome === "released" ? "complete" : outcome, reason);
  }

  /** Rank of the effect: only in a step of a rank that has not ended. */
  #acting(): Rank {
    assert(this.#stepping && this.#processes.has(this.#rank), "a rank acts in its own steps, until it ends");
    return this.#rank;
  }

  // What they come to.

  async #write(write: ActiveWrite): Promise<void> {
    const { order, rank } = write;
    const { file, lease } = order;
    let info: PieceInfo | undefined;
    let failure: unknown;
    try {
      info = await this.#work.write(write);
    } catch (error) {
      failure = error;
    }
    if (!this.#active.delete(keyOf(rank, file, lease))) return;
    this.#work.note(write, info === undefined);
    if (this.#stopped || write.cancelled) return;
    if (info !== undefined) this.#take(rank, { kind: "written", file, lease, checksum: info });
    else if (failure instanceof SourceFailure) this.#fatal(failure);
    else if (failure !== undefined)
      this.#take(rank, { kind: "write-failed", file, lease, code: this.#refused(file, failure) });
  }

  #take(rank: Rank, input: Input): void {
    this.#inputs.push({ rank, input });
    this.#steps();
  }

  /** Takes inputs one by one; messages of a step to this process are queued last. */
  #steps(): void {
    if (this.#stepping || this.#stopped) return;
    this.#stepping = true;
    try {
      for (let i = 0; i < this.#inputs.length; i++) {
        const { rank, input } = this.#inputs[i] as { rank: Rank; input: Input };
        this.#rank = rank;
        const process = this.#processes.get(rank);
        if (process === undefined) continue;
        process.step(input, this.#work.now(), this);
        if (this.#lost.size > 0) this.#tellNewLeader(rank, process);
      }
    } catch (error) {
      this.#fatal(error);
    } finally {
      this.#inputs.length = 0;
      this.#stepping = false;
    }
  }

  #leads(rank: Rank): boolean {
    const process = this.#processes.get(rank);
    return process !== undefined && (process.subs.length > 0 || process.coordinator !== undefined);
  }

  /** The rank that should announce the decision may be lost; without this its writers would wait for minutes. */
  #lookForDecision(): void {
    if (this.#stopped || this.#processes.size === 0 || this.#timers.has(DECISION)) return;
    const look = () => {
      this.#timers.delete(DECISION);
      this.#do(this.#followDecision());
    };
    this.#timers.set(DECISION, setTimeout(look, DECISION_MS));
  }

  async #followDecision(): Promise<void> {
    const decided = this.#committing ? undefined : await this.#work.decided();
    if (decided === undefined) {
      this.#lookForDecision();
      return;
    }
    const { outcome, reason } = decided;
    for (const rank of this.#processes.keys())
      this.#inputs.push({ rank, input: { kind: "committed", outcome, reason } });
    this.#steps();
  }

  #tellLost(rank: Rank, lost: Iterable<Rank>): void {
    for (const one of lost) this.#inputs.push({ rank, input: { kind: "lost", rank: one } });
  }

  /** The coordinator that promoted it may not have known all lost ranks. */
  #tellNewLeader(rank: Rank, { subs, coordinator }: Process): void {
    const roles: object[] = coordinator === undefined ? subs : [...subs, coordinator];
    const isNew = roles.some((role) => !this.#informed.has(role));
    for (const role of roles) this.#informed.add(role);
    if (isNew && this.#processes.has(rank)) this.#tellLost(rank, this.#lost);
  }

  #refused(file: FileId, error: unknown): FailureCode {
    const { code, message } = error as NodeJS.ErrnoException;
    this.#link.trouble(this.#work.targetOf(file), code ?? message);
    return code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG" ? "ENOSPC" : "EIO";
  }

  #fatal(error: unknown): void {
    if (this.#stopped) return;
    const { message, stack } = error as Error;
    const expected =
      error instanceof SourceFailure || error instanceof CommitRefused || "code" in (error as object);
    this.#link.fatal(expected ? message : (stack ?? message));
  }

  #do(task: Promise<unknown>): void {
    const guarded = task.catch((error: unknown) => this.#fatal(error));
    this.#underWay.add(guarded);
    void guarded.finally(() => this.#underWay.delete(guarded));
  }

  async #end(outcome: Outcome, reason: string): Promise<void> {
    assert(this.#processes.size === 0, "a process ends after its ranks");
    for (const write of this.#active.values()) {
      write.cancelled = true;
      this.#work.note(write, true);
    }
    this.#active.clear();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    // The commit that ended the last rank is one of these; it must not wait for itself.
    await new Promise((resolve) => setImmediate(resolve));
    // Calls hanging on an abandoned target are not awaited.
    await Promise.race([this.#close(), sleep(LINGER_MS, undefined, { ref: false })]);
    if (this.#stopped) return;
    const { user, system } = process.cpuUsage();
    this.#link.ended({
      ...this.#report,
      ...this.#work.report,
      outcome,
      reason,
      cpuSeconds: (user + system) / 1e6,
      memoryBytes: process.resourceUsage().maxRSS * 1024,
    });
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.#work.close();
  }
}

/** A timer of the process, not of a rank. */
const DECISION = "decision";

const keyOf = (rank: Rank, file: FileId, lease: number): string => `${rank} ${file} ${lease}`;
