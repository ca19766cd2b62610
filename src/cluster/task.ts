/**
 * One task of a run, in this process. A task that is done is not done again; one that another process is at is waited for, as
 * when Slurm takes a node for dead that is not and starts the task elsewhere.
 */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { UsageError } from "../base/errors.ts";
import { lockFolder } from "../node/folder-lock.ts";
import { taskOf } from "./plan.ts";
import type { RunFolder, TaskState } from "./run-folder.ts";

interface Effects {
  /** Runs a command line; gives its exit code and what it printed. */
  run(
    words: readonly string[],
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  say(message: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** Exit codes of commands that did their work. */
export const isDone = (code: number): boolean => code === 0 || code === 3;

/** Gives the exit code of the task. */
export async function performTask(folder: RunFolder, name: string, effects: Effects): Promise<number> {
  const task = taskOf(folder.plan, name);
  if (task === undefined) throw new UsageError(`${folder.path} has no task ${name}`);
  const { signal } = effects;
  const lock = await lockFolder(join(folder.path, "locks", name), name, {
    ...(signal === undefined ? {} : { signal }),
    onWait: (holder) => effects.say(`${name}: ${holder} is running it; waiting`),
  });
  try {
    const before = folder.stateOf(name);
    if (before?.state === "done") {
      effects.say(`${name}: already done`);
      return before.code ?? 0;
    }
    const began = performance.now();
    const running: TaskState = {
      state: "running",
      attempts: (before?.attempts ?? 0) + 1,
      job: jobOf(effects.env),
      node: effects.env.SLURMD_NODENAME ?? hostname(),
      startedUnix: Date.now() / 1000,
    };
    folder.setState(name, running);
    const { code, out, err } = await effects.run(task.words);
    // One task is one process: its start counts too.
    const used = process.cpuUsage();
    if (isDone(code)) folder.setOutput(name, out);
    folder.setState(name, {
      ...running,
      state: isDone(code) ? "done" : "failed",
      seconds: (performance.now() - began) / 1000,
      cpuSeconds: (used.user + used.system) / 1e6,
      peakBytes: peakBytes(),
      code,
      ...(isDone(code) ? {} : { error: lastLine(err) }),
    });
    return code;
  } finally {
    lock.release();
  }
}

/** `17_3` of Slurm, else the process. */
function jobOf(env: Effects["env"]): string {
  const array = env.SLURM_ARRAY_JOB_ID;
  return array === undefined ? `process ${process.pid}` : `${array}_${env.SLURM_ARRAY_TASK_ID ?? ""}`;
}

const lastLine = (text: string): string =>
  text
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^plimsoll: /, "") ?? "";

/** Highest memory of this process. What `resourceUsage` says may be that of the process that started it. */
function peakBytes(): number {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    if (kib !== undefined) return Number(kib) * 1024;
  } catch {
    // No /proc: the system's own count has to do.
  }
  return process.resourceUsage().maxRSS * 1024;
}
