/** A run of a plan, from its folder to its end: new or resumed, through Slurm or as processes of this machine. */
import { rmSync } from "node:fs";
import { UsageError } from "../base/errors.ts";
import type { Listener } from "../base/listener.ts";
import { pause } from "../base/pause.ts";
import { formatMany } from "../base/units.ts";
import { runLocally } from "./local.ts";
import { allTasks, type Plan } from "./plan.ts";
import { RunFolder } from "./run-folder.ts";
import type { Program } from "./scripts.ts";
import { queueOf, slurmMissing, submitRun } from "./slurm.ts";

interface RunRequest {
  readonly plan: Plan;
  readonly path: string;
  readonly program: Program;
  readonly madeBy: string;
  /** Run what is not done of the run in that folder; else the folder is new. */
  readonly resume: boolean;
  /** Processes of this machine at a time; through Slurm unless given. */
  readonly processes?: number | undefined;
  /** Further words for `sbatch`. */
  readonly sbatch: readonly string[];
  /** With Slurm: return when its tasks have ended. */
  readonly wait: boolean;
  /** Called before tasks start, also of a run that is resumed: makes what they share. */
  readonly begin?: (() => Promise<void>) | undefined;
}

type RunListener = Listener & { readonly signal: AbortSignal };

export async function runPlan(request: RunRequest, listener: RunListener): Promise<RunFolder> {
  const { program, processes, wait } = request;
  const missing = processes === undefined ? slurmMissing() : undefined;
  if (missing !== undefined) throw new UsageError(missing);
  const folder = request.resume
    ? resumedFolder(request)
    : RunFolder.create(request.path, request.plan, program, request.madeBy);
  try {
    await request.begin?.();
    if (processes === undefined) submitRun(folder, request.sbatch);
  } catch (error) {
    // No task will begin: the same command can be given again.
    if (!request.resume && folder.submitted.length === 0)
      rmSync(folder.path, { recursive: true, force: true });
    throw error;
  }
  if (processes === undefined && !wait) return folder;
  const total = allTasks(folder.plan).length;
  const bar = listener.progress?.({ label: folder.plan.what, total, unit: "tasks" });
  const look = () => {
    const done = [...folder.states().values()].filter(({ state }) => state === "done").length;
    bar?.update(done);
    return done === total;
  };
  look();
  if (processes === undefined) await follow(folder, look, listener);
  else await runLocally({ folder, program, processes, signal: listener.signal, ended: look });
  bar?.end();
  return folder;
}

function resumedFolder({ path, plan }: RunRequest): RunFolder {
  const folder = RunFolder.open(path);
  if (JSON.stringify(folder.plan) !== JSON.stringify(plan))
    throw new UsageError(
      `${path} is a run of another command: ${folder.plan.what} with ${formatMany(allTasks(folder.plan).length - 1, "task")}; give the same options, or another folder with --run`,
    );
  const queue = folder.submitted.length === 0 ? undefined : queueOf(folder);
  const [first] = queue?.keys() ?? [];
  if (first !== undefined)
    throw new UsageError(
      `${formatMany(queue?.size ?? 0, "task")} of ${path} ${queue?.size === 1 ? "is" : "are"} still in Slurm's queue, the first is ${first}; wait for them, or end them with scancel ${folder.submitted.at(-1)?.job}`,
    );
  return folder;
}

/** How often tasks are looked for; a controller is asked by many. */
const POLL_MS = 2000;
/** A shared file system may show a state some seconds after its task has left the queue. */
const QUIET_POLLS = 3;

async function follow(folder: RunFolder, look: () => boolean, listener: RunListener): Promise<void> {
  const { signal } = listener;
  for (let quiet = 0; !look(); ) {
    quiet = queueOf(folder)?.size === 0 ? quiet + 1 : 0;
    if (quiet === QUIET_POLLS) return;
    await pause(quiet > 0 ? POLL_MS / 4 : POLL_MS, signal);
    if (!signal.aborted) continue;
    listener.note?.(
      "the tasks go on without this program; --resume --wait follows them when they have ended",
    );
    signal.throwIfAborted();
  }
}
