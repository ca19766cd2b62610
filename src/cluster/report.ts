/** What became of the tasks of a run, as rows: the contract of `--json`. */
import { FormatError } from "../base/errors.ts";
import { allTasks } from "./plan.ts";
import type { RunFolder, TaskState } from "./run-folder.ts";
import { endOf, type Queue } from "./slurm.ts";

export interface JobRow {
  readonly id: string | null;
  readonly task: string;
  /** done, failed, running, queued, waiting; lost: it ended without a word. */
  readonly state: string;
  readonly seconds: number | null;
  readonly cpuSeconds: number | null;
  readonly peakBytes: number | null;
  readonly attempts: number;
  readonly node: string | null;
  readonly error: string | null;
}

/** `queue`: what Slurm still has; undefined where nothing of this run can be under way any more. */
export function jobRows(folder: RunFolder, queue: Queue | undefined): JobRow[] {
  const states = folder.states();
  return allTasks(folder.plan).map(({ name }) => {
    const found = states.get(name);
    const state = stateText(found, queue?.get(name)?.state);
    const why = state === "lost" && folder.submitted.length > 0 ? endOf(folder, name) : undefined;
    return {
      id: found?.job ?? jobOf(folder, name),
      task: name,
      state,
      seconds: found?.seconds ?? null,
      cpuSeconds: found?.cpuSeconds ?? null,
      peakBytes: found?.peakBytes ?? null,
      attempts: found?.attempts ?? 0,
      node: found?.node ?? null,
      error:
        found?.error ??
        (state === "lost" ? `ended without a message${why === undefined ? "" : `: ${why}`}` : null),
    };
  });
}

interface RunOutcome {
  readonly rows: readonly JobRow[];
  /** Tasks that did not end well, and those that never began. */
  readonly failed: readonly JobRow[];
  readonly waiting: readonly JobRow[];
  /** What the merge printed; null unless all tasks are done. */
  readonly result: unknown;
  /** A task left inputs out. */
  readonly isPartial: boolean;
}

/** Of a run that nothing works on any more. */
export function outcomeOf(folder: RunFolder): RunOutcome {
  const rows = jobRows(folder, undefined);
  const failed = rows.filter(({ state }) => state !== "done" && state !== "waiting");
  const waiting = rows.filter(({ state }) => state === "waiting");
  return {
    ...{ rows, failed, waiting },
    result: failed.length + waiting.length === 0 ? (folder.outputOf("merge-1") ?? null) : null,
    isPartial: rows.some(({ task }) => folder.stateOf(task)?.code === 3),
  };
}

interface StageRow {
  readonly stage: string;
  readonly state: string;
  readonly tasks: number;
  /** Of the slowest task, of all, and of the largest; null where no task has ended. */
  readonly seconds: number | null;
  readonly cpuSeconds: number | null;
  readonly peakBytes: number | null;
  /** Tasks that were begun again. */
  readonly again: number;
}

/** Tasks of one stage that ended alike are one row: a run may have thousands. */
export function stageRows(rows: readonly JobRow[]): StageRow[] {
  const groups = new Map<string, StageRow>();
  for (const { task, state, seconds, cpuSeconds, peakBytes, attempts } of rows) {
    const stage = task.split("-")[0] as string;
    const key = `${stage} ${state}`;
    const sum = groups.get(key);
    groups.set(key, {
      ...{ stage, state, tasks: 1 + (sum?.tasks ?? 0), again: Number(attempts > 1) + (sum?.again ?? 0) },
      seconds: joined(Math.max, sum?.seconds, seconds),
      cpuSeconds: joined((a, b) => a + b, sum?.cpuSeconds, cpuSeconds),
      peakBytes: joined(Math.max, sum?.peakBytes, peakBytes),
    });
  }
  return [...groups.values()];
}

function joined(
  join: (a: number, b: number) => number,
  a: number | null | undefined,
  b: number | null,
): number | null {
  return b === null ? (a ?? null) : join(a ?? 0, b);
}

/** What the tasks of the first stage printed; `isResult` says whether it is what the plan is about. */
export function outputsOf<T>(folder: RunFolder, isResult: (output: unknown) => output is T): T[] {
  return (folder.plan.stages[0]?.tasks ?? []).map(({ name }) => {
    const output = folder.outputOf(name);
    if (!isResult(output))
      throw new FormatError(
        `${folder.path}/out/${name}.json`,
        {},
        `no result of plimsoll ${folder.plan.what}; run the task again with --resume`,
      );
    return output;
  });
}

/** A task of which Slurm knows nothing any more and that did not say how it ended is lost. */
function stateText(state: TaskState | undefined, queued: string | undefined): string {
  if (state?.state === "done") return "done";
  if (queued !== undefined) return queued === "PENDING" ? "queued" : "running";
  if (state === undefined) return "waiting";
  return state.state === "running" ? "lost" : "failed";
}

const jobOf = (folder: RunFolder, task: string): string | null => {
  const [stage, number] = task.split("-");
  const found = folder.submitted.findLast(
    (one) => one.stage === stage && one.numbers.includes(Number(number)),
  );
  return found === undefined ? null : `${found.job}_${number}`;
};
