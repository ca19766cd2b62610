/** What all commands of a cluster have in common: options, a run of their plan, and what is told of it. */
import { resolve } from "node:path";
import { textTable } from "../../base/text-table.ts";
import { formatBytes, formatCount, formatMany, formatSeconds } from "../../base/units.ts";
import {
  type JobRow,
  jobRows,
  outcomeOf,
  type Plan,
  type Program,
  plannedStages,
  queueOf,
  type RunFolder,
  runPlan,
  stageRows,
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
  /** Makes what the tasks share, before they start. */
  begin?(): Promise<void>;
  /** What the terminal is told at the end, of the merge's result. */
  readonly next: (result: unknown) => string;
}

export async function runCluster({ plan, options, begin, next }: Work, context: Context): Promise<void> {
  const { local, resume, wait } = options;
  const path = runPath(plan.what, options);
  const sbatch = wordsOf(options.sbatch ?? "");
  if (options.dryRun) return tellPlan(plan, path, sbatch, context);
  const folder = await runPlan(
    {
      ...{ plan, path, program: program(), madeBy: `Plimsoll ${version}` },
      ...{ resume, wait, sbatch, processes: local, begin },
    },
    context,
  );
  if (local === undefined && !wait) tellSubmitted(folder, context);
  else tellEnd(folder, next, context);
}

function tellPlan(plan: Plan, path: string, sbatch: readonly string[], context: Context): void {
  const stages = plannedStages(plan, path, program(), sbatch);
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
  const { rows, failed, waiting, result, isPartial } = outcomeOf(folder);
  const isDone = failed.length + waiting.length === 0;
  if (context.json) context.printJson({ run: folder.path, jobs: rows, result });
  else context.out.write(`${tableOf(rows)}\n${isDone ? next(result) : ""}`);
  if (isDone) {
    if (isPartial) context.exitWith(3);
    return;
  }
  context.exitWith(1);
  const [first] = failed;
  context.note(
    first === undefined
      ? `${formatMany(waiting.length, "task")} did not start; run the same command with --resume`
      : `${formatCount(failed.length)} of ${formatMany(rows.length, "task")} did not end well: ${first.task}: ${first.error ?? first.state} (log ${folder.path}/logs/${first.task}.log); run the same command with --resume`,
  );
}

function tableOf(rows: readonly JobRow[]): string {
  const cell = (value: number | null, format: (value: number) => string) =>
    value === null ? "–" : format(value);
  const head = ["stage", "state", "tasks", "longest", "CPU", "peak memory", "begun again"];
  return textTable(
    head.map((label) => ({ label })),
    stageRows(rows).map(({ stage, state, tasks, seconds, cpuSeconds, peakBytes, again }) => [
      ...[stage, state, formatCount(tasks)],
      ...[cell(seconds, formatSeconds), cell(cpuSeconds, formatSeconds), cell(peakBytes, formatBytes)],
      formatCount(again),
    ]),
  ).join("\n");
}
