/** Writes a dataset step by step. */
import { assert } from "../../../base/assert.ts";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { keepsData, makeBackend, ratesOf, requireLfs } from "../../backend/index.ts";
import { UsageError } from "../../../base/errors.ts";
import { formatBytes, formatMany, formatRate } from "../../../base/units.ts";
import type { Decision } from "../dataset/decision.ts";
import { sealPath } from "../dataset/seal.ts";
import { type CommitSetting, type HostReport, type HostSetting, machineSeconds } from "../host/setting.ts";
import { History, type TargetMemory } from "../keep/history.ts";
import { readJournals } from "../keep/journal.ts";
import { type Lock, takeLock } from "../keep/lock.ts";
import { requireSame, type SavedPlan, savePlan } from "../keep/plan-file.ts";
import { goodPieces } from "../keep/resume.ts";
import type { PieceEntry } from "../piece/piece-info.ts";
import { cutBlocks, leftOver } from "../stage/blocks.ts";
import type { Range } from "../stage/stage.ts";
import { childProcesses } from "../transport/child-processes.ts";
import { inProcess } from "../transport/in-process.ts";
import { type Completed, completedStep } from "./completed.ts";
import { clearAfter, discard, tidyUp, waitForTheDead } from "./leftovers.ts";
import { type Checked, checkOptions, type WriterOptions } from "./options.ts";
import { isResumable, outcomeOf, type Run } from "./outcome.ts";
import { planNext } from "./plan-next.ts";
import { recordJson, recordOf, type StepRecord } from "./run-record.ts";
import { type StepDescription, type StepInput, type StepSource, stepInput } from "./step-input.ts";
import { writeFile } from "../../../node/write-file.ts";

export interface StepResult {
  /** Output step, from 0. */
  readonly step: number;
  /** Bytes of data, including those kept of an interrupted write. */
  readonly bytes: number;
  readonly sources: number;
  /** Blocks of this step in the dataset, as readers count them. */
  readonly blocks: number;
  /** From the last open to the end of the last write. */
  readonly seconds: number;
  /** From the call to the end: start of processes, sync and commit included. */
  readonly wallSeconds: number;
  readonly record: StepRecord;
  /** Number of processes that died. */
  readonly died: number;
  /** The step was already complete: nothing was written. */
  readonly alreadyComplete: boolean;
}

export async function openAdaptive(options: WriterOptions): Promise<AdaptiveWriter> {
  const checked = checkOptions(options);
  const { names } = checked;
  if (options.osts !== undefined && options.backend === undefined) requireLfs();
  const lock = takeLock(names.notes, names.index);
  try {
    await waitForTheDead(names);
    let leftover = await tidyUp(names);
    if (leftover !== undefined && options.force) {
      discard(names, leftover);
      leftover = undefined;
    }
    if (leftover !== undefined && !options.resume)
      throw new UsageError(
        `${names.index}: an earlier write was interrupted; continue it with --resume, or start over with --force`,
      );
    return new AdaptiveWriter(options, checked, lock, leftover);
  } catch (error) {
    lock.release();
    throw error;
  }
}

export class AdaptiveWriter {
  readonly #options: WriterOptions;
  readonly #checked: Checked;
  readonly #lock: Lock;
  #leftover: SavedPlan | undefined;
  /** Measurements of earlier steps, by target. */
  #known: (TargetMemory | undefined)[];
  #steps = 0;

  constructor(options: WriterOptions, checked: Checked, lock: Lock, leftover: SavedPlan | undefined) {
    this.#options = options;
    this.#checked = checked;
    this.#lock = lock;
    this.#leftover = leftover;
    const { history, targets, policy } = checked;
    this.#known = history === undefined || policy !== "plimsoll" ? [] : new History(history).recall(targets);
  }

  /** Writes one output step; when this returns it is durable and readers see it. */
  writeStep(sources: readonly StepSource[], description: StepDescription = {}): Promise<StepResult> {
    return this.writeInput(stepInput(sources, description));
  }

  /**
   * Without an input: continues the interrupted write from its plan. With `resume` a complete step is not written again, and a
   * dataset from other sources is refused.
   */
  async writeInput(input?: StepInput): Promise<StepResult> {
    const began = machineSeconds();
    const { names } = this.#checked;
    const leftover = this.#leftover;
    const completed = await this.#completed(input);
    if (completed !== undefined) {
      this.#steps++;
      return this.#nothingToDo(completed, began);
    }
    if (input === undefined && leftover === undefined)
      throw new UsageError(`${names.index}: no interrupted write`);
    const plan = input === undefined ? (leftover as SavedPlan) : await this.#plan(input);
    if (leftover !== undefined) requireSame(leftover, plan, names.index);
    this.#noteEmpty(input?.empty ?? []);
    const targets = [...new Set([...this.#checked.targets, ...(leftover?.targets ?? [])])];
    const whole = { ...plan, targets };
    await savePlan(names, whole);
    this.#leftover = undefined;
    try {
      const kept = leftover === undefined ? [] : await this.#keep(whole);
      const result = await this.#write(whole, kept, began);
      this.#steps++;
      return result;
    } catch (error) {
      if (await isResumable(names, whole.stage)) this.#leftover = whole;
      else discard(names, whole);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#lock.release();
  }

  /** The last step of the dataset, if it is the requested one. */
  async #completed(input: StepInput | undefined): Promise<Completed | undefined> {
    const { resume = false, append = false } = this.#options;
    if (!resume || this.#leftover !== undefined || this.#steps > 0) return undefined;
    return completedStep(this.#checked.names, input, append);
  }

  #nothingToDo({ step, bytes, sources, blocks }: Completed, began: number): StepResult {
    const { policy, targets } = this.#checked;
    const title = `${formatBytes(bytes)} in ${blocks} blocks`;
    const about = { label: policy, title, policy, writers: 0, targetNames: targets, slowed: [] };
    const record = recordOf(about, [], { keptBytes: bytes, readyAt: 0, outcome: "complete" });
    const wallSeconds = machineSeconds() - began;
    return {
      step: step - 1,
      bytes,
      sources,
      blocks,
      seconds: 0,
      wallSeconds,
      record,
      died: 0,
      alreadyComplete: true,
    };
  }

  #noteEmpty(empty: readonly string[]): void {
    if (empty.length === 0) return;
    const more = empty.length > NAMES_LISTED ? ` and ${empty.length - NAMES_LISTED} more` : "";
    const names = empty.slice(0, NAMES_LISTED).join(", ");
    this.#options.onNote?.(
      `${formatMany(empty.length, "source")} of 0 bytes without a variable in the dataset: ${names}${more}`,
    );
  }

  #plan(input: StepInput): Promise<SavedPlan> {
    const { names, targets } = this.#checked;
    const { append = false, force = false } = this.#options;
    const leftover = this.#leftover;
    const more = append || this.#steps > 0 || leftover?.append === true;
    return planNext(names, targets, input, {
      append: more,
      force: (force && this.#steps === 0) || leftover !== undefined,
    });
  }

  /** Valid pieces of an interrupted write, in files that are sealed again. */
  async #keep({ stage }: SavedPlan): Promise<PieceEntry[]> {
    const { names, backend: spec } = this.#checked;
    const backend = makeBackend(spec, { pace: async () => {} });
    let bytes = 0;
    const kept = await goodPieces(stage, readJournals(names.notes), backend, (more) => {
      bytes += more;
      this.#options.onProgress?.({ bytes, totalBytes: stage.bytes, perTarget: [], phase: "checking" });
    });
    const whole: PieceEntry[] = [];
    for (const path of new Set(kept.map((one) => one.path))) {
      const inside = kept.filter((one) => one.path === path);
      try {
        await sealPath(backend, path, (inside[0] as PieceEntry).target, stage, inside);
        whole.push(...inside);
      } catch (error) {
        // The target does not even accept an index; its pieces are written again elsewhere.
        this.#options.onNote?.(
          `${path} cannot be sealed (${(error as Error).message}); its data is written again`,
        );
      }
    }
    assert(whole.length <= kept.length && bytes <= stage.bytes, "no more bytes are kept than the step has");
    return whole;
  }

  async #write(plan: SavedPlan, kept: readonly PieceEntry[], began: number): Promise<StepResult> {
    const { stage } = plan;
    const { targets, writers, policy, backend } = this.#checked;
    const attempt = randomBytes(6).toString("hex");
    const wanted = Math.max(writers, targets.length);
    const blocks = cutBlocks(stage, wanted, kept.length === 0 ? undefined : leftOver(stage, kept));
    const commit: CommitSetting = {
      kept,
      append: plan.append,
      firstSubfile: plan.firstSubfile,
      replaced: plan.replaced,
      keeps: keepsData(backend),
    };
    const keptBytes = kept.reduce((sum, { from, to }) => sum + to - from, 0);
    const newBytes = blocks.reduce((sum, { from, to }) => sum + to - from, 0);
    assert(keptBytes + newBytes === stage.bytes, "kept and new bytes are the whole step");
    const setting = this.#setting(plan, blocks, commit, attempt, began);
    const run = blocks.length === 0 ? undefined : await this.#run(setting, keptBytes);
    const decided = await outcomeOf(setting, run, this.#options.signal);
    assert(decided.outcome === "complete", "a write that is not complete has failed before");
    const written = decided.blocks ?? blocks.length;
    const reports = run?.reports.flatMap((one) => one ?? []) ?? [];
    const record = recordOf(
      {
        label: policy,
        title: `${formatBytes(stage.bytes)} in ${written} blocks, ${setting.hosts} processes, ${targets.length} targets`,
        policy,
        writers: blocks.length,
        targetNames: targets,
        slowed: ratesOf(backend).flatMap((rate, target) =>
          rate > 0 ? [{ target, how: `throttled to ${formatRate(rate)}` }] : [],
        ),
      },
      reports,
      { keptBytes, readyAt: run?.readyAt ?? 0, outcome: "complete" },
    );
    await this.#afterwards(decided, record, reports, plan.targets);
    return {
      step: stage.step - 1,
      bytes: stage.bytes,
      sources: stage.sources.length,
      blocks: written,
      seconds: record.run.seconds,
      wallSeconds: machineSeconds() - began,
      record,
      died: run?.died ?? 0,
      alreadyComplete: false,
    };
  }

  #setting(
    { stage }: SavedPlan,
    blocks: readonly Range[],
    commit: CommitSetting,
    attempt: string,
    began: number,
  ): HostSetting {
    const { writers, policy, perTarget, targets, backend, names, memoryBytes, ...timing } = this.#checked;
    const hosts = Math.max(1, Math.min(writers, blocks.length));
    const known = targets.map((_, i) => this.#known[i]);
    const some = known.some((one) => one !== undefined);
    return {
      stage,
      blocks,
      hosts,
      policy,
      perTarget,
      priorRates: some ? known.map((one) => one?.rate ?? Number.NaN) : undefined,
      priorSlots: some ? known.map((one) => one?.slots ?? Number.NaN) : undefined,
      targets,
      backend,
      names,
      attempt,
      commit,
      memoryBytes: memoryBytes / hosts,
      heartbeatSeconds: timing.heartbeatSeconds,
      leaseSeconds: timing.leaseSeconds,
      beganSeconds: began,
    };
  }

  async #run(setting: HostSetting, keptBytes: number): Promise<Run> {
    const { onProgress, onNote, signal, inProcess: here } = this.#options;
    const inMemory = setting.stage.sources.some(({ data }) => data.kind === "memory");
    const perTarget = setting.targets.map(() => 0);
    const troubles = new Map<number, string>();
    let bytes = keptBytes;
    let died = 0;
    const transport = here || inMemory ? inProcess : (this.#options.transport ?? childProcesses);
    const end = await transport.run(setting, {
      progress: (target, more) => {
        assert(
          target >= 0 && target < perTarget.length && more > 0,
          "progress belongs to a target of the run",
        );
        perTarget[target] = (perTarget[target] ?? 0) + more;
        bytes += more;
        onProgress?.({ bytes, totalBytes: setting.stage.bytes, perTarget, phase: "writing" });
      },
      trouble: (target, text) => {
        if (troubles.has(target)) return;
        troubles.set(target, text);
        onNote?.(
          `target ${target} (${setting.targets[target]}): ${text}; its work moves to other targets if possible`,
        );
      },
      began: (_, pid) => this.#lock.addProcess(pid),
      died: (host, how) => {
        died++;
        onNote?.(`writer process ${host} is gone (${how}); other processes take over its work`);
      },
      signal,
    });
    return { ...end, troubles, died };
  }

  async #afterwards(
    decided: Decision,
    record: StepRecord,
    reports: readonly HostReport[],
    allTargets: readonly string[],
  ): Promise<void> {
    const { names, history, targets, policy } = this.#checked;
    clearAfter(names, decided, allTargets);
    writeFile(join(names.notes, "run.json"), recordJson(record));
    const learned = reports.flatMap((one) => one.learned);
    if (learned.length === 0) return;
    const at = new Date().toISOString();
    for (const { target, rate, slots } of learned) {
      assert(target < targets.length, "a measurement belongs to a target of the run");
      this.#known[target] = { rate, slots, at };
    }
    if (history !== undefined && policy === "plimsoll")
      new History(history).learn(
        learned.map(({ target, rate, slots }) => ({ target: targets[target] as string, rate, slots })),
      );
  }
}

/** Max sources listed in a note. */
const NAMES_LISTED = 5;
