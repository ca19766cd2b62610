/** One process of a run: hosts some ranks of the protocol, and does with files and clocks what they decide. */
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeBackend } from "../../backend/index.ts";
import { OP_MOVED, OP_UNUSED } from "../../model/write-run.ts";
import {
  type Effects,
  type FailureCode,
  type FileId,
  type IndexColumns,
  type Input,
  type Learned,
  type Message,
  type Outcome,
  Process,
  type Proposal,
  type Rank,
  type Setup,
  type TargetId,
  targetOfFile,
  type TimerName,
  type WriteStart,
} from "../../protocol/index.ts";
import type { Decision } from "../dataset/decision.ts";
import { syncFolder } from "../dataset/folders.ts";
import { sealFile } from "../dataset/seal.ts";
import { Journal } from "../keep/journal.ts";
import { type Buffers, buffersFor } from "../piece/buffers.ts";
import type { PieceEntry, PieceInfo } from "../piece/piece-info.ts";
import { writePiece } from "../piece/write-piece.ts";
import { SourceFailure, SourceReader } from "../stage/sources.ts";
import { type Range, snapped } from "../stage/stage.ts";
import { type CommitRequest, commitPieces, proposeAbort } from "./commit.ts";
import { addOp, noOps } from "./ops.ts";
import {
  type HostReport,
  type HostSetting,
  hostOfRank,
  machineSeconds,
  pathOfFile,
  ranksOfHost,
  setupOf,
} from "./setting.ts";
import { TargetFiles } from "./target-files.ts";
import { Turns } from "./turns.ts";

/** How a process reaches the others and whoever started it. */
export interface HostLink {
  send(from: Rank, to: Rank, message: Message): void;
  /** So many bytes more were written to a target. */
  progress(target: TargetId, bytes: number): void;
  /** A target refused; the protocol knows, people should too. */
  trouble(target: TargetId, text: string): void;
  /** It cannot go on, and no other process could either. */
  fatal(text: string): void;
  ended(report: HostReport): void;
  /** See `BackendServices`. */
  pace(target: TargetId, bytes: number): Promise<void>;
}

interface ActiveWrite {
  readonly order: WriteStart;
  readonly rank: Rank;
  cancelled: boolean;
  /** When it began to be written. */
  start: number;
  /** Written so far. */
  bytes: number;
}

/** Copies that were overtaken may end within this time. */
const LINGER_MS = 100;
/** Writes of this process to one target at a time; with more, each only waits longer. */
const WRITES_PER_TARGET = 8;

export class Host implements Effects {
  readonly #setting: HostSetting;
  readonly #index: number;
  readonly #link: HostLink;
  readonly #setup: Setup;
  readonly #processes = new Map<Rank, Process>();
  readonly #files: TargetFiles;
  readonly #sources: SourceReader;
  readonly #buffers: Buffers;
  readonly #journal: Journal | undefined;
  readonly #turns: Turns;
  readonly #inputs: { rank: Rank; input: Input }[] = [];
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #active = new Map<string, ActiveWrite>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #report = {
    ops: noOps(),
    opens: [] as { file: FileId; seconds: number; at: number }[],
    learned: [] as readonly Learned[],
    messages: {} as Record<string, number>,
    used: undefined as readonly string[] | undefined,
    decidedAt: Number.NaN,
  };
  readonly #lost = new Set<Rank>();
  /** Leading roles that know of all that is lost. */
  readonly #told = new WeakSet<object>();
  /** Whose step is under way. */
  #rank: Rank = -1;
  #stepping = false;
  #stopped = false;

  constructor(setting: HostSetting, index: number, link: HostLink) {
    this.#setting = setting;
    this.#index = index;
    this.#link = link;
    this.#setup = setupOf(setting);
    const backend = makeBackend(setting.backend, link);
    this.#files = new TargetFiles(backend, (file) => ({
      path: pathOfFile(setting, file),
      target: this.#targetOf(file),
    }));
    this.#sources = new SourceReader(setting.stage);
    this.#buffers = buffersFor(setting.memoryBytes, setting.targets.length);
    this.#turns = new Turns(setting.targets.length, WRITES_PER_TARGET);
    this.#journal = setting.commit.keeps
      ? new Journal(setting.names.notes, setting.attempt, index)
      : undefined;
    for (const rank of ranksOfHost(setting, index)) this.#processes.set(rank, new Process(this.#setup, rank));
  }

  start(): void {
    for (const rank of this.#processes.keys()) this.#inputs.push({ rank, input: { kind: "start" } });
    this.#steps();
    if (this.#processes.size === 0) void this.#end("complete", "");
  }

  deliver(from: Rank, to: Rank, message: Message): void {
    this.#take(to, { kind: "message", from, message });
  }

  /** Ranks of a process that is gone. Only those who lead something need to know, now or when they begin to. */
  lost(ranks: readonly Rank[]): void {
    for (const one of ranks) this.#lost.add(one);
    for (const rank of this.#processes.keys()) if (this.#leads(rank)) this.#tellLost(rank, ranks);
    this.#steps();
  }

  /** Ends at once, without a word. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const write of this.#active.values()) write.cancelled = true;
    await this.#close();
  }

  // Effects of the process whose step is under way.

  send(to: Rank, message: Message): void {
    const { messages } = this.#report;
    messages[message.kind] = (messages[message.kind] ?? 0) + 1;
    if (hostOfRank(to, this.#setting.hosts) !== this.#index) this.#link.send(this.#rank, to, message);
    else this.#inputs.push({ rank: to, input: { kind: "message", from: this.#rank, message } });
  }

  open(file: FileId): void {
    const rank = this.#rank;
    const began = machineSeconds();
    this.#do(
      this.#files.create(file).then(
        () => {
          this.#report.opens.push({ file, seconds: machineSeconds() - began, at: this.#now() });
          this.#take(rank, { kind: "opened", file });
        },
        (error: unknown) => this.#take(rank, { kind: "open-failed", file, code: this.#refused(file, error) }),
      ),
    );
  }

  write(order: WriteStart): void {
    const write: ActiveWrite = { order, rank: this.#rank, cancelled: false, start: Number.NaN, bytes: 0 };
    this.#active.set(keyOf(this.#rank, order.file, order.lease), write);
    this.#do(this.#turns.run(this.#targetOf(order.file), () => this.#write(write)));
  }

  cancel(file: FileId, lease: number): void {
    const write = this.#active.get(keyOf(this.#rank, file, lease));
    if (write !== undefined) write.cancelled = true;
  }

  sync(file: FileId): void {
    const rank = this.#rank;
    this.#do(
      this.#sync(file).then(
        () => this.#take(rank, { kind: "synced", file }),
        (error: unknown) => this.#take(rank, { kind: "sync-failed", file, code: this.#refused(file, error) }),
      ),
    );
  }

  timer(timer: TimerName, at: number): void {
    const rank = this.#rank;
    const key = `${rank} ${timer}`;
    clearTimeout(this.#timers.get(key));
    const wait = Math.max(0, Math.ceil((at - this.#now()) * 1000));
    this.#timers.set(
      key,
      setTimeout(() => {
        this.#timers.delete(key);
        this.#take(rank, { kind: "timer", timer });
      }, wait),
    );
  }

  commit(proposal: Proposal): void {
    const rank = this.#rank;
    const learned = this.#processes.get(rank)?.coordinator?.learned;
    if (learned !== undefined) this.#report.learned = [...learned.values()];
    this.#do(
      this.#commit(rank, proposal).then(
        ({ outcome, reason }) => {
          this.#report.decidedAt = this.#now();
          this.#take(rank, { kind: "committed", outcome, reason });
        },
        (error: unknown) => this.#fatal(error),
      ),
    );
  }

  finish(outcome: Outcome | "released", reason: string): void {
    this.#processes.delete(this.#rank);
    if (this.#processes.size === 0) void this.#end(outcome === "released" ? "complete" : outcome, reason);
  }

  // What they come to.

  async #write(write: ActiveWrite): Promise<void> {
    const { order, rank } = write;
    const { file, lease } = order;
    write.start = this.#now();
    let info: PieceInfo | undefined;
    let failure: unknown;
    try {
      if (!write.cancelled) info = await this.#writePiece(write);
    } catch (error) {
      failure = error;
    }
    if (!this.#active.delete(keyOf(rank, file, lease))) return;
    this.#addOp(write, info === undefined);
    if (this.#stopped || write.cancelled) return;
    if (info !== undefined) this.#take(rank, { kind: "written", file, lease, checksum: info });
    else if (failure instanceof SourceFailure) this.#fatal(failure);
    else if (failure !== undefined)
      this.#take(rank, { kind: "write-failed", file, lease, code: this.#refused(file, failure) });
  }

  #addOp({ order, rank, start, bytes, cancelled }: ActiveWrite, failed: boolean): void {
    if (bytes === 0) return;
    const { file, offset, block, moved } = order;
    const flags = (moved ? OP_MOVED : 0) | (failed || cancelled ? OP_UNUSED : 0);
    const times = { start, end: this.#now(), host: this.#index };
    addOp(this.#report.ops, {
      rank,
      block,
      target: this.#targetOf(file),
      file,
      offset,
      bytes,
      ...times,
      flags,
    });
  }

  async #writePiece(write: ActiveWrite): Promise<PieceInfo | undefined> {
    const { file, offset, block, at, length } = write.order;
    const target = this.#targetOf(file);
    const range = this.#rangeOf(block, at, length);
    const open = await this.#files.get(file);
    const info = await writePiece(
      {
        range,
        offset,
        isCancelled: () => write.cancelled || this.#stopped,
        progress: (bytes) => {
          write.bytes += bytes;
          this.#link.progress(target, bytes);
        },
      },
      {
        stage: this.#setting.stage,
        buffers: this.#buffers,
        read: (into, from) => this.#sources.read(into, from),
        write: (bytes, to) => open.write(bytes, to),
      },
    );
    if (info !== undefined && range.to > range.from)
      this.#journal?.add({ ...range, path: pathOfFile(this.#setting, file), target, info });
    return info;
  }

  /** Only what lies in the file: after a round that failed elsewhere more may be written behind it. */
  async #sync(file: FileId): Promise<void> {
    const { file: open } = await this.#files.get(file);
    await open.sync();
    if (this.#setting.commit.keeps) await syncFolder(dirname(pathOfFile(this.#setting, file)));
  }

  /** Gives every file an index of its own, now that nothing will be written to it. The dataset does not need it. */
  async #sealAll(parts: readonly IndexColumns[]): Promise<void> {
    const inside = new Map<FileId, PieceEntry[]>();
    for (const part of parts) {
      for (const [i, piece] of this.#pieces(part).entries()) {
        const file = part.file[i] as FileId;
        const known = inside.get(file);
        if (known === undefined) inside.set(file, [piece]);
        else known.push(piece);
      }
    }
    for (const [id, pieces] of inside) {
      try {
        const { file } = await this.#files.get(id);
        await sealFile(file, this.#setting.stage, pieces);
      } catch {
        // It cannot be opened alone, then; what it holds is durable and in the index of the whole.
      }
    }
  }

  async #commit(rank: Rank, { outcome, reason, parts }: Proposal): Promise<Decision> {
    const { names, attempt, stage, commit: setting } = this.#setting;
    const request: CommitRequest = { names, attempt, who: rank, stage, setting };
    if (outcome === "aborted") return proposeAbort(request, reason);
    await this.#sealAll(parts);
    const decided = await commitPieces(
      request,
      parts.flatMap((part) => this.#pieces(part)),
    );
    this.#report.used = parts.flatMap((part) =>
      Array.from({ length: part.count }, (_, i) => `${part.file[i]}/${part.offset[i]}`),
    );
    return decided;
  }

  #pieces(entries: IndexColumns): PieceEntry[] {
    return Array.from({ length: entries.count }, (_, i) => {
      const { block, at, length, file, checksum } = entries.entry(i);
      const place = { path: pathOfFile(this.#setting, file), target: this.#targetOf(file) };
      return { ...this.#rangeOf(block, at, length), ...place, info: checksum as PieceInfo };
    });
  }

  /** Pieces are cut at any byte; both neighbours move the cut to the same edge of an element. */
  #rangeOf(block: Rank, at: number, length: number): Range {
    const { from, to } = this.#setting.blocks[block] as Range;
    const end = from + at + length;
    const range = snapped(this.#setting.stage, from + at, end);
    return end >= to ? { from: range.from, to } : range;
  }

  #take(rank: Rank, input: Input): void {
    this.#inputs.push({ rank, input });
    this.#steps();
  }

  /** Takes inputs one by one; what a step sends to this process comes after what was there. */
  #steps(): void {
    if (this.#stepping || this.#stopped) return;
    this.#stepping = true;
    try {
      for (let i = 0; i < this.#inputs.length; i++) {
        const { rank, input } = this.#inputs[i] as { rank: Rank; input: Input };
        this.#rank = rank;
        const process = this.#processes.get(rank);
        if (process === undefined) continue;
        process.step(input, this.#now(), this);
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

  #tellLost(rank: Rank, lost: Iterable<Rank>): void {
    for (const one of lost) this.#inputs.push({ rank, input: { kind: "lost", rank: one } });
  }

  /** Whoever put it in its place may not have known of all that are gone. */
  #tellNewLeader(rank: Rank, { subs, coordinator }: Process): void {
    const roles: object[] = coordinator === undefined ? subs : [...subs, coordinator];
    const isNew = roles.some((role) => !this.#told.has(role));
    for (const role of roles) this.#told.add(role);
    if (isNew && this.#processes.has(rank)) this.#tellLost(rank, this.#lost);
  }

  #refused(file: FileId, error: unknown): FailureCode {
    const { code, message } = error as NodeJS.ErrnoException;
    this.#link.trouble(this.#targetOf(file), code ?? message);
    return code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG" ? "ENOSPC" : "EIO";
  }

  #fatal(error: unknown): void {
    if (this.#stopped) return;
    const { message, stack } = error as Error;
    this.#link.fatal(
      error instanceof SourceFailure || "code" in (error as object) ? message : (stack ?? message),
    );
  }

  #do(task: Promise<unknown>): void {
    const guarded = task.catch((error: unknown) => this.#fatal(error));
    this.#underWay.add(guarded);
    void guarded.finally(() => this.#underWay.delete(guarded));
  }

  async #end(outcome: Outcome, reason: string): Promise<void> {
    for (const write of this.#active.values()) {
      write.cancelled = true;
      this.#addOp(write, true);
    }
    this.#active.clear();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    // The commit that ended the last rank is one of these; it must not wait for itself.
    await new Promise((resolve) => setImmediate(resolve));
    // What hangs on a target that nobody needs any more is not waited for.
    await Promise.race([this.#close(), sleep(LINGER_MS, undefined, { ref: false })]);
    if (this.#stopped) return;
    const { user, system } = process.cpuUsage();
    this.#link.ended({
      ...this.#report,
      outcome,
      reason,
      cpuSeconds: (user + system) / 1e6,
      memoryBytes: process.resourceUsage().maxRSS * 1024,
    });
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.#files.close();
    await this.#sources.close();
    this.#journal?.close();
  }

  #targetOf(file: FileId): TargetId {
    return targetOfFile(file, this.#setting.targets.length);
  }

  #now(): number {
    return machineSeconds() - this.#setting.beganSeconds;
  }
}

const keyOf = (rank: Rank, file: FileId, lease: number): string => `${rank} ${file} ${lease}`;
