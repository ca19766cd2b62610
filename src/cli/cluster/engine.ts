/** What all commands of a cluster have in common: options, the choice of an engine, following, and the report. */
import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { textTable } from "../../base/text-table.ts";
import { formatBytes, formatCount, formatMany, formatSeconds } from "../../base/units.ts";
import {
  allTasks,
  type JobRow,
  jobRows,
  type Plan,
  type Program,
  queueOf,
  RunFolder,
  runLocally,
  sbatchWords,
  shellWords,
  slurmMissing,
  stageScript,
  submitRun,
  TASKS_MAX,
  wordsOf,
} from "../../cluster/index.ts";
import { builtFile } from "../../node/built.ts";
import { version } from "../../../package.json";
import type { OptionSpecs, OptionValues } from "../command.ts";
import type { Context } from "../context.ts";
import { option } from "../option.ts";

export const CLUSTER_OPTIONS = {
  tasks: option.whole("number of tasks", { min: 1, max: TASKS_MAX, default: 16 }),
  run: option.text(
    "DIR",
    "run folder: scripts, logs, time and memory of every task (default: plimsoll-COMMAND)",
  ),
  sbatch: option.text("OPTIONS", 'additional sbatch options, such as "-p batch -t 2:00:00 --mem=4G"'),
  local: option.whole("without Slurm: run tasks as local processes, N at a time", {
    min: 1,
    max: 1024,
  }),
  wait: option.flag("show progress until the result is complete"),
  resume: option.flag("rerun only the failed and missing tasks of --run"),
  "dry-run": option.flag("print the batch scripts and submit commands, run nothing"),
} as const satisfies OptionSpecs;

export type ClusterValues = OptionValues<typeof CLUSTER_OPTIONS>;

/** How our program is started on a node that shares this file system. */
const program = (): Program => [process.execPath, builtFile("start.cjs")];

/** The folder of the run, as an absolute path. */
export const runPath = (what: string, { run }: ClusterValues): string =>
  resolve(run ?? `plimsoll-${what.replaceAll(" ", "-")}`);

interface Work {
  readonly plan: Plan;
  readonly options: ClusterValues;
  /** Called before tasks start for the first time: makes what they share. */
  begin?(): Promise<void>;
  /** What the terminal is told at the end, of the merge's result. */
  readonly next: (result: unknown) => string;
}

export async function runCluster({ plan, options, begin, next }: Work, context: Context): Promise<void> {
  const path = runPath(plan.what, options);
  if (options.dryRun) return dryRun(plan, path, options, context);
  const missing = options.local === undefined ? slurmMissing() : undefined;
  if (missing !== undefined) throw new UsageError(missing);
  const folder = await runFolder(plan, path, options, begin);
  if (options.local === undefined) {
    submit(folder, options);
    if (!options.wait) return tellSubmitted(folder, context);
    await follow(folder, context);
  } else {
    const bar = context.progress({ label: plan.what, total: allTasks(plan).length, unit: "tasks" });
    bar.update(doneOf(folder));
    await runLocally({
      folder,
      program: program(),
      processes: options.local,
      signal: context.signal,
      ended: () => bar.update(doneOf(folder)),
    });
    bar.end();
  }
  tellEnd(folder, next, context);
}

async function runFolder(
  plan: Plan,
  path: string,
  { resume }: ClusterValues,
  begin: Work["begin"],
): Promise<RunFolder> {
  if (!resume) {
    const folder = RunFolder.create(path, plan, program(), `Plimsoll ${version}`);
    try {
      await begin?.();
    } catch (error) {
      // Nothing was begun: the same command can be given again.
      rmSync(folder.path, { recursive: true, force: true });
      throw error;
    }
    return folder;
  }
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
  // What is to be shared may not have been made before.
  await begin?.();
  return folder;
}

function submit(folder: RunFolder, { sbatch, resume }: ClusterValues): void {
  try {
    submitRun(folder, wordsOf(sbatch ?? ""));
  } catch (error) {
    // No task will begin: the same command can be given again, with other options for sbatch.
    if (!resume && folder.submitted.length === 0) rmSync(folder.path, { recursive: true, force: true });
    throw error;
  }
}

const doneOf = (folder: RunFolder): number =>
  [...folder.states().values()].filter(({ state }) => state === "done").length;

/** How often tasks are looked for; a controller is asked by many. */
const POLL_MS = 2000;
/** A shared file system may show a state some seconds after its task has left the queue. */
const QUIET_POLLS = 3;

async function follow(folder: RunFolder, context: Context): Promise<void> {
  const total = allTasks(folder.plan).length;
  const bar = context.progress({ label: folder.plan.what, total, unit: "tasks" });
  const { signal } = context;
  let quiet = 0;
  for (;;) {
    const done = doneOf(folder);
    bar.update(done);
    if (done === total) break;
    const queue = queueOf(folder);
    quiet = queue?.size === 0 ? quiet + 1 : 0;
    if (quiet === QUIET_POLLS) break;
    try {
      await setTimeout(quiet > 0 ? POLL_MS / 4 : POLL_MS, undefined, { signal });
    } catch {
      context.note(`the tasks go on without this program; --resume --wait follows them when they have ended`);
      signal.throwIfAborted();
    }
  }
  bar.end();
}

function dryRun(plan: Plan, path: string, options: ClusterValues, context: Context): void {
  const extra = wordsOf(options.sbatch ?? "");
  const stages = plan.stages.map((stage, i) => {
    const script = `${path}/${stage.name}.sh`;
    const numbers = stage.tasks.map((_, task) => task + 1);
    const after = i === 0 ? undefined : "JOB";
    const words = sbatchWords({ plan, stage, numbers, folder: path, script, after, extra });
    return {
      stage: stage.name,
      script: stageScript(plan, stage, path, program()),
      submit: `sbatch ${shellWords(words)}`,
      tasks: stage.tasks.map(({ words }) => `plimsoll ${shellWords(words)}`),
    };
  });
  if (context.json) {
    context.printJson({ jobs: [], result: null, stages });
    return;
  }
  for (const { stage, script, submit, tasks } of stages)
    context.out.write(
      `# ${path}/${stage}.sh\n${script}\n# submitted with\n${submit}\n\n# ${tasks.length === 1 ? "its task" : `its ${tasks.length} tasks, the first and the last`}\n${[...new Set([tasks[0], tasks.at(-1)])].join("\n")}\n\n`,
    );
}

function tellSubmitted(folder: RunFolder, context: Context): void {
  if (context.json) {
    context.printJson({ run: folder.path, jobs: jobRows(folder, queueOf(folder)), result: null });
    return;
  }
  const jobs = folder.submitted.map(
    ({ job, stage, numbers }) => `${stage} ${job} (${formatMany(numbers.length, "task")})`,
  );
  context.out.write(
    `submitted ${jobs.join(", ") || "nothing: all tasks are done"}\nrun folder ${folder.path}; the same command with --resume --wait gives the result when they have ended\n`,
  );
}

function tellEnd(folder: RunFolder, next: Work["next"], context: Context): void {
  const rows = jobRows(folder, undefined);
  const failed = rows.filter(({ state }) => state !== "done" && state !== "waiting");
  const waiting = rows.filter(({ state }) => state === "waiting");
  const isDone = failed.length + waiting.length === 0;
  const result = isDone ? (folder.outputOf("merge-1") ?? null) : null;
  if (context.json) context.printJson({ run: folder.path, jobs: rows, result });
  else context.out.write(`${tableOf(rows)}\n${isDone ? next(result) : ""}`);
  if (!isDone) {
    context.exitWith(1);
    const [first] = failed;
    context.note(
      first === undefined
        ? `${formatMany(waiting.length, "task")} did not start; run the same command with --resume`
        : `${formatCount(failed.length)} of ${formatMany(rows.length, "task")} did not end well: ${first.task}: ${first.error ?? first.state} (log ${folder.path}/logs/${first.task}.log); run the same command with --resume`,
    );
  } else if (allTasks(folder.plan).some(({ name }) => folder.stateOf(name)?.code === 3)) context.exitWith(3);
}

/** Tasks of one stage that ended alike are one line: a run may have thousands. */
function tableOf(rows: readonly JobRow[]): string {
  const groups = new Map<string, JobRow[]>();
  for (const row of rows) {
    const key = `${row.task.split("-")[0]} ${row.state}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const lines = [...groups].map(([key, group]) => {
    const [stage = "", state = ""] = key.split(" ");
    /** A cell of what is known; tasks that did not end have nothing. */
    const cell = (
      of: (row: JobRow) => number | null,
      join: (a: number, b: number) => number,
      format: (value: number) => string,
    ) => {
      const values = group.flatMap((row) => of(row) ?? []);
      return values.length === 0 ? "–" : format(values.reduce((a, b) => join(a, b)));
    };
    const again = group.filter(({ attempts }) => attempts > 1).length;
    return [
      stage,
      state,
      formatCount(group.length),
      cell(({ seconds }) => seconds, Math.max, formatSeconds),
      cell(
        ({ cpuSeconds }) => cpuSeconds,
        (a, b) => a + b,
        formatSeconds,
      ),
      cell(({ peakBytes }) => peakBytes, Math.max, formatBytes),
      formatCount(again),
    ];
  });
  const head = ["stage", "state", "tasks", "longest", "CPU", "peak memory", "begun again"];
  return textTable(
    head.map((label) => ({ label })),
    lines,
  ).join("\n");
}
