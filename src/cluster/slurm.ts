/** The engine of a centre: array jobs through the site's own `sbatch`, followed with `squeue`. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { UsageError } from "../base/errors.ts";
import type { RunFolder } from "./run-folder.ts";
import { sbatchWords } from "./scripts.ts";

/** Said before anything is made; undefined where Slurm is there. */
export function slurmMissing(): string | undefined {
  const found = spawnSync("sbatch", ["--version"], { encoding: "utf8" });
  return found.error === undefined && found.status === 0
    ? undefined
    : "sbatch not found: run this on a Slurm submit node, or add --local N to run the tasks as local processes, N at a time";
}

/** Submits, stage by stage, every task that is not done; a stage waits for the one before. */
export function submitRun(folder: RunFolder, extra: readonly string[]): void {
  let after: string | undefined;
  for (const stage of folder.plan.stages) {
    const numbers = stage.tasks.flatMap(({ name }, i) =>
      folder.stateOf(name)?.state === "done" ? [] : [i + 1],
    );
    if (numbers.length === 0) continue;
    const script = join(folder.path, `${stage.name}.sh`);
    const words = sbatchWords({
      plan: folder.plan,
      stage,
      numbers,
      folder: folder.path,
      script,
      after,
      extra,
    });
    const { stdout, stderr, status, error } = spawnSync("sbatch", words, { encoding: "utf8" });
    const job = /^\d+/.exec(stdout ?? "")?.[0];
    if (status !== 0 || job === undefined) {
      // What waits for it would never start.
      if (after !== undefined) spawnSync("scancel", [after]);
      throw new UsageError(
        `sbatch refused the ${stage.name} job: ${(stderr ?? "").trim().split("\n").at(-1) || (error?.message ?? `exit code ${status}`)}`,
      );
    }
    folder.note({ job, stage: stage.name, numbers });
    after = job;
  }
}

/** Whether Slurm still has tasks of these jobs; undefined when it does not answer. */
export type Queue = ReadonlyMap<string, QueuedTask>;

interface QueuedTask {
  /** PENDING, RUNNING, COMPLETING, … */
  readonly state: string;
  readonly reason: string;
}

/**
 * Tasks of the run that are in the queue, by name. A controller that does not answer (it restarts, the network is away) gives
 * undefined: nothing is known then.
 */
export function queueOf(folder: RunFolder): Queue | undefined {
  const queue = new Map<string, QueuedTask>();
  for (const { job, stage } of folder.submitted) {
    const words = ["--noheader", "--array", `--jobs=${job}`, "--format=%K|%T|%r"];
    const { stdout, stderr, status } = spawnSync("squeue", words, { encoding: "utf8" });
    // A job that ended some minutes ago is forgotten.
    if (status !== 0 && /Invalid job id/i.test(stderr ?? "")) continue;
    if (status !== 0) return undefined;
    for (const line of stdout.split("\n")) {
      const [number, state, reason] = line.trim().split("|");
      if (number !== undefined && state !== undefined && /^\d+$/.test(number) && !OVER.test(state))
        queue.set(`${stage}-${number}`, { state, reason: reason ?? "" });
    }
  }
  return queue;
}

/** States that squeue shows for a while after the end. */
const OVER = /^(COMPLETED|CANCELLED|FAILED|TIMEOUT|NODE_FAIL|PREEMPTED|BOOT_FAIL|DEADLINE|OUT_OF_MEMORY)/;

/** Why a task ended, as Slurm says: `NODE_FAIL`, `OUT_OF_MEMORY`; undefined where it no longer knows. */
export function endOf(folder: RunFolder, task: string): string | undefined {
  const [stage, number] = task.split("-");
  const submitted = folder.submitted.findLast(
    (one) => one.stage === stage && one.numbers.includes(Number(number)),
  );
  if (submitted === undefined) return undefined;
  const id = `${submitted.job}_${number}`;
  const shown = spawnSync("scontrol", ["show", "--oneliner", "job", id], { encoding: "utf8" });
  const told = /\bJobState=(\S+)/.exec(shown.stdout ?? "")?.[1];
  if (told !== undefined) return told;
  const words = ["--noheader", "--parsable2", "--allocations", "--format=State", `--jobs=${id}`];
  const accounted = spawnSync("sacct", words, { encoding: "utf8" });
  return accounted.status === 0
    ? accounted.stdout.trim().split("\n").at(-1)?.split(" ")[0] || undefined
    : undefined;
}
