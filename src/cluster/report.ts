/** What became of the tasks of a run, as rows: the contract of `--json`. */
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
