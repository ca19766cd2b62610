/** The engine without a scheduler: the same tasks as processes of this machine, some at a time. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { exitOf } from "../node/child-program.ts";
import type { Stage } from "./plan.ts";
import type { RunFolder } from "./run-folder.ts";
import type { Program } from "./scripts.ts";

interface LocalRun {
  readonly folder: RunFolder;
  readonly program: Program;
  /** Processes at a time. */
  readonly processes: number;
  readonly signal: AbortSignal;
  /** Called when a task has ended. */
  ended(): void;
}

/** Runs every task that is not done, stage by stage; a stage with a task that failed is the last. */
export async function runLocally(run: LocalRun): Promise<void> {
  for (const stage of run.folder.plan.stages) {
    await runStage(run, stage);
    if (stage.tasks.some(({ name }) => run.folder.stateOf(name)?.state !== "done")) return;
  }
}

async function runStage(run: LocalRun, stage: Stage): Promise<void> {
  const waiting = stage.tasks.filter(({ name }) => run.folder.stateOf(name)?.state !== "done");
  const worker = async () => {
    for (let task = waiting.shift(); task !== undefined && !run.signal.aborted; task = waiting.shift()) {
      await runTask(run, task.name);
      run.ended();
    }
  };
  await Promise.all(Array.from({ length: Math.min(run.processes, waiting.length) }, worker));
  run.signal.throwIfAborted();
}

async function runTask({ folder, program, signal }: LocalRun, name: string): Promise<void> {
  const log = openSync(join(folder.path, "logs", `${name}.log`), "a");
  const [command = "", ...words] = program;
  const child = spawn(command, [...words, "cluster", "task", folder.path, name], {
    stdio: ["ignore", log, log],
    env: withoutSlurm(process.env),
  });
  closeSync(log);
  // How it ended is in its state; one that was killed has left none, or says that it runs.
  await exitOf(child, signal);
}

/** Inside a job of Slurm, tasks are still processes of this machine. */
function withoutSlurm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("SLURM_ARRAY_")));
}
