/** Runs the processes of the protocol on virtual time: performs their effects, and passes the results to them. */
import { assert } from "../../../base/assert.ts";
import {
  type Effects,
  type FileId,
  type Input,
  InvariantChecker,
  type Message,
  type Outcome,
  type Process,
  type Proposal,
  type Rank,
  type Setup,
  type TargetId,
  targetOfFile,
  type TimerName,
  type WriteStart,
} from "../../protocol/index.ts";
import { type EventQueue, FIRST_HOST_KIND } from "../events.ts";
import { type StorageModel, WRITE_ENOSPC, WRITE_OK, type WriteStatus } from "../storage/index.ts";
import { EventLog } from "./event-log.ts";
import { FaultState } from "./fault-state.ts";
import { type FileAnswer, FileService } from "./file-service.ts";
import type { Fault } from "./faults.ts";
import { Network } from "./network.ts";
import type { HostSetting } from "./setting.ts";
import { WriteColumns } from "./write-columns.ts";
import { DEAD, FINISHED, Processes } from "./processes.ts";
import { CALL_MOVED } from "../../../model/index.ts";
import { WriteTable } from "./write-table.ts";

const DELIVER = FIRST_HOST_KIND;
const TIMER = FIRST_HOST_KIND + 1;
const OPENED = FIRST_HOST_KIND + 2;
const SYNCED = FIRST_HOST_KIND + 3;
const COMMIT = FIRST_HOST_KIND + 4;
const FAULT = FIRST_HOST_KIND + 5;
const NOTICE = FIRST_HOST_KIND + 6;
const START = FIRST_HOST_KIND + 7;
const WRITTEN = FIRST_HOST_KIND + 8;
const INQUIRED = FIRST_HOST_KIND + 9;

const TIMERS: readonly TimerName[] = ["open", "sub-coordinator", "coordinator", "speculate", "orphan"];

export class Host implements Effects {
  readonly calls: WriteColumns;
  readonly network: Network;
  readonly files: FileService;
  outcome: Outcome | undefined;
  reason = "";
  decidedAt = Number.NaN;
  parts: Proposal["parts"] = [];
  coordinator: Process["coordinator"];

  readonly #setting: HostSetting;
  readonly #setup: Setup;
  readonly #queue: EventQueue;
  readonly #storage: StorageModel;
  readonly #checker: InvariantChecker | undefined;
  readonly #log: EventLog | undefined;
  readonly #processes: Processes;
  /** Rank of the current step. */
  #rank: Rank = 0;
  readonly #writes = new WriteTable();
  readonly #timers = new Map<number, number>();
  readonly #proposals: { rank: Rank; proposal: Proposal }[] = [];
  readonly #faults = new FaultState();

  constructor(setting: HostSetting) {
    const { setup, world, seed, plan } = setting;
    this.#setting = setting;
    this.calls = new WriteColumns(setup.writers);
    this.#setup = setup;
    this.#queue = world.queue;
    this.#storage = world.storage;
    this.#checker = setting.check ? new InvariantChecker(setup) : undefined;
    this.#log = setting.hash || setting.log !== undefined ? new EventLog(setting.log) : undefined;
    this.#processes = new Processes(setup, setting.makeProcess);
    this.network = new Network({
      queue: this.#queue,
      kind: DELIVER,
      ranks: setup.writers,
      latencySeconds: setting.latencySeconds,
      serviceSeconds: setting.serviceSeconds,
      faults: plan?.network,
      seed,
    });
    const { layout, skipped } = setup;
    this.files = new FileService({
      queue: this.#queue,
      faults: this.#faults,
      openedKind: OPENED,
      syncedKind: SYNCED,
      openSeconds: setting.openSeconds,
      syncSeconds: setting.syncSeconds,
      firstOpens: (layout.firstTarget[layout.groups] as number) - skipped.length,
    });
    this.#storage.onWriteEnd = (token, _target, status) => this.#writeEnd(token, status);
  }

  /** Runs until every process has ended. */
  run(): void {
    const queue = this.#queue;
    this.#begin();
    while (this.#processes.left > 0 && queue.nextTime <= this.#setting.secondsMax && queue.next()) {
      if (queue.kind < FIRST_HOST_KIND) this.#setting.world.handle();
      else this.#handle(queue.kind, queue.a, queue.b);
    }
    assert(
      this.outcome !== "complete" || this.parts.length === this.#setup.layout.groups,
      "a complete dataset has the index of every group",
    );
    if (this.outcome === "complete") this.calls.markUnused(this.parts);
    this.#checker?.ended(this.#processes.living());
  }

  get events(): number {
    return this.#queue.taken;
  }

  /** Hash of all events, in order. */
  digest(): string {
    return this.#log?.digest() ?? "";
  }

  // Effects of the current step.

  send(to: Rank, message: Message): void {
    this.#checker?.acted(this.#rank);
    assert(to >= 0 && to < this.#setup.writers, "a message goes to a rank of the run");
    if (this.#processes.isGone(to)) return;
    this.network.send(this.#rank, to, message, this.#setting.ready?.[to] ?? 0);
  }

  open(file: FileId, target: TargetId): void {
    this.files.open(this.#living(), file, target);
  }

  write(order: WriteStart): void {
    this.#checker?.writeStarted(this.#rank, order);
    const token = this.#writes.add(this.#living(), order, this.#queue.now);
    this.#storage.startWrite(targetOfFile(order.file, this.#setup.targets), order.length, token);
  }

  cancel(file: FileId, lease: number): void {
    const token = this.#writes.find(this.#rank, file, lease);
    if (token !== undefined) this.#cancelToken(token);
  }

  sync(file: FileId, target: TargetId): void {
    this.#checker?.acted(this.#rank);
    this.files.sync(this.#living(), file, target);
  }

  timer(timer: TimerName, at: number): void {
    const number = TIMERS.indexOf(timer);
    assert(number !== -1, "a host knows all timers");
    const key = this.#living() * TIMERS.length + number;
    this.#timers.set(key, at);
    this.#queue.push(at, TIMER, this.#rank, number);
  }

  commit(proposal: Proposal): void {
    this.#checker?.proposed(this.#rank, proposal);
    this.#proposals.push({ rank: this.#living(), proposal });
    this.#queue.push(
      this.#queue.now + this.#setting.commitSeconds,
      COMMIT,
      this.#proposals.length - 1,
      this.#rank,
    );
  }

  inquire(): void {
    this.#checker?.acted(this.#rank);
    this.#queue.push(this.#queue.now + this.#setting.commitSeconds, INQUIRED, this.#rank, 0);
  }

  finish(outcome: Outcome | "released", reason: string): void {
    this.#checker?.finished(this.#rank, outcome);
    assert(outcome === "released" || outcome === this.outcome, "a process ends as the dataset does");
    if (outcome !== "released" && reason !== "" && this.reason === "") this.reason = reason;
    this.#end(this.#rank, FINISHED);
  }

  /** Rank of the effect. */
  #living(): Rank {
    assert(!this.#processes.isGone(this.#rank), "a dead process has no effects");
    return this.#rank;
  }

  // Events.

  #begin(): void {
    const { ready, plan } = this.#setting;
    plan?.faults.forEach((fault, index) => {
      if ("at" in fault) this.#queue.push(fault.at, FAULT, index, 0);
      else this.#faults.arm(fault, this.#storage);
    });
    assert(this.#queue.taken === 0, "a run has its queue from the start");
    for (const rank of this.#processes.starters()) this.#queue.push(ready?.[rank] ?? 0, START, rank, 0);
  }

  #handle(kind: number, a: number, b: number): void {
    const { now } = this.#queue;
    const rank = this.#rankOf(kind, a, b);
    if (rank !== -1 && this.#isAway(rank, kind, a, b)) return;
    if (this.#log !== undefined) this.#record(this.#log, kind, a, b);
    switch (kind) {
      case DELIVER: {
        const from = this.network.from(a);
        this.#step(b, { kind: "message", from, message: this.network.take(a) });
        break;
      }
      case WRITTEN:
        this.#written(a);
        break;
      case START:
        this.#step(a, { kind: "start" });
        break;
      case TIMER: {
        const key = a * TIMERS.length + b;
        if (this.#timers.get(key) !== now) break;
        this.#timers.delete(key);
        this.#step(a, { kind: "timer", timer: TIMERS[b] as TimerName });
        break;
      }
      case OPENED:
        for (const answer of this.files.opened(this.files.answer(a))) this.#tellOpened(answer);
        break;
      case SYNCED:
        this.#syncDone(this.files.answer(a));
        break;
      case COMMIT:
        this.#commitDone(a);
        break;
      case INQUIRED:
        this.#answer(a);
        break;
      case FAULT:
        this.#strike(this.#setting.plan?.faults[a] as Fault);
        break;
      case NOTICE:
        assert(this.#processes.isGone(a), "only deaths are noticed");
        for (let other = 0; other < this.#setup.writers; other++)
          if (!this.#processes.isGone(other)) this.#step(other, { kind: "lost", rank: a });
        break;
    }
  }

  /** The rank that receives an event; -1 for none, or if the event happens regardless of the rank's state. */
  #rankOf(kind: number, a: number, b: number): Rank {
    if (kind === DELIVER) return b;
    if (kind === START || kind === TIMER || kind === INQUIRED) return a;
    if (kind === WRITTEN) return this.#writes.order(a) === undefined ? -1 : this.#writes.rank(a);
    return -1;
  }

  /** A paused process takes its inputs later; a dead one takes none. */
  #isAway(rank: Rank, kind: number, a: number, b: number): boolean {
    if (this.#processes.isGone(rank)) {
      if (kind === DELIVER) this.network.take(a);
      return true;
    }
    const until = this.#faults.canPause ? this.#faults.pausedUntil(rank) : 0;
    if (until <= this.#queue.now) return false;
    if (kind === TIMER) {
      const key = a * TIMERS.length + b;
      if (this.#timers.get(key) === this.#queue.now) this.#timers.set(key, until);
    }
    this.#queue.push(until, kind, a, b);
    return true;
  }

  #step(rank: Rank, input: Input): void {
    if (this.#processes.isGone(rank)) return;
    if (this.#faults.diesNow(rank)) {
      this.#kill(rank);
      return;
    }
    this.#rank = rank;
    const process = this.#processes.of(rank);
    process.step(input, this.#queue.now, this);
    if (process.coordinator !== undefined) this.coordinator = process.coordinator;
  }

  #writeEnd(token: number, status: WriteStatus): void {
    this.#writes.end(token, status);
    const order = this.#underWay(token);
    this.#checker?.writeEnded(order.file, order.offset, status === WRITE_OK);
    if (status === WRITE_OK) this.#addCall(token, order);
    if (this.#faults.canPause) this.#queue.push(this.#queue.now, WRITTEN, token, 0);
    else {
      if (this.#log !== undefined) this.#record(this.#log, WRITTEN, token, 0);
      this.#written(token);
    }
  }

  #written(token: number): void {
    const order = this.#writes.order(token);
    const status = this.#writes.status(token);
    // Cancelled while its process was paused; the token may be in use again.
    if (order === undefined || status === undefined) return;
    const { file, lease } = order;
    this.#writes.remove(token);
    const rank = this.#writes.rank(token);
    if (status === WRITE_OK) this.#step(rank, { kind: "written", file, lease, checksum: undefined });
    else
      this.#step(rank, {
        kind: "write-failed",
        file,
        lease,
        code: status === WRITE_ENOSPC ? "ENOSPC" : "EIO",
      });
  }

  #tellOpened({ rank, file, code }: FileAnswer): void {
    if (code === undefined) this.#step(rank, { kind: "opened", file });
    // A hanging open gives no answer; its process must detect that by itself.
    else if (code !== "expired") this.#step(rank, { kind: "open-failed", file, code });
  }

  #syncDone({ rank, file, code }: FileAnswer): void {
    if (this.#processes.isGone(rank)) return;
    if (code === undefined) {
      this.#checker?.synced(file);
      this.#step(rank, { kind: "synced", file });
    } else this.#step(rank, { kind: "sync-failed", file, code });
  }

  /** The first proposal wins, even if its process has died since. */
  #commitDone(index: number): void {
    const proposed = this.#proposals[index];
    assert(proposed !== undefined, "a commit follows a proposal");
    const { rank, proposal } = proposed;
    if (this.outcome === undefined) {
      this.#checker?.committed(proposal);
      this.outcome = proposal.outcome;
      this.reason = proposal.reason;
      this.parts = proposal.parts;
      this.decidedAt = this.#queue.now;
    }
    this.#step(rank, { kind: "committed", outcome: this.outcome, reason: this.reason });
  }

  #answer(rank: Rank): void {
    const { outcome, reason } = this;
    if (outcome === undefined) this.#step(rank, { kind: "undecided" });
    else this.#step(rank, { kind: "committed", outcome, reason });
  }

  // Faults.

  #strike(fault: Fault): void {
    const dies = this.#faults.strike(fault, this.#storage, this.#queue.now);
    if (dies !== undefined) this.#kill(dies);
  }

  #kill(rank: Rank): void {
    if (this.#processes.isGone(rank)) return;
    this.#checker?.died(rank);
    this.#end(rank, DEAD);
    const notice = this.#setting.plan?.noticeSeconds;
    if (notice !== undefined) this.#queue.push(this.#queue.now + notice, NOTICE, rank, 0);
  }

  #end(rank: Rank, how: typeof FINISHED | typeof DEAD): void {
    this.#processes.end(rank, how);
    if (how === DEAD) for (const token of this.#writes.of(rank)) this.#cancelToken(token);
  }

  // Writes.

  #cancelToken(token: number): void {
    const order = this.#underWay(token);
    if (this.#writes.status(token) === undefined) {
      this.#storage.cancel(token);
      this.#checker?.writeCancelled(order.file, order.offset);
    }
    this.#writes.remove(token);
  }

  #underWay(token: number): WriteStart {
    const order = this.#writes.order(token);
    assert(order !== undefined, "a token of a write that is under way");
    return order;
  }

  #addCall(token: number, order: WriteStart): void {
    const { calls } = this;
    const i = calls.row();
    calls.process[i] = this.#writes.rank(token);
    calls.owner[i] = order.block;
    calls.file[i] = targetOfFile(order.file, this.#setup.targets);
    calls.fileId[i] = order.file;
    calls.offset[i] = order.offset;
    calls.bytes[i] = order.length;
    calls.startNs[i] = Math.round(1e9 * this.#writes.start(token));
    calls.endNs[i] = Math.round(1e9 * this.#queue.now);
    calls.flags[i] = order.moved ? CALL_MOVED : 0;
  }

  #record(log: EventLog, kind: number, a: number, b: number): void {
    const { now } = this.#queue;
    const message = kind === DELIVER ? this.network.look(a) : undefined;
    const order = kind === WRITTEN ? this.#writes.order(a) : undefined;
    if (message !== undefined) log.message(now, kind, b, message);
    else if (order !== undefined)
      log.write(now, kind, this.#writes.rank(a), order, this.#writes.status(a) ?? 0);
    else log.event(now, kind, a, b);
  }
}
