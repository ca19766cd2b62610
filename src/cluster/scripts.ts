/** The batch scripts of a plan: what `--dry-run` prints and Slurm gets. Pure. */
import { commandLine, scriptWord } from "../base/command-line.ts";
import type { Plan, Stage } from "./plan.ts";

/** How our own program is started on a node: `node …/start.js`. */
export type Program = readonly string[];

/** The script of a stage; one array task runs one task of the plan. */
export function stageScript(plan: Plan, stage: Stage, folder: string, program: Program): string {
  return `#!/bin/sh
# ${stage.name} of plimsoll cluster ${plan.what}: ${stage.tasks.length} ${stage.tasks.length === 1 ? "task" : "tasks"}
exec ${[...program, "cluster", "task", folder].map(scriptWord).join(" ")} ${stage.name}-"$SLURM_ARRAY_TASK_ID"
`;
}

interface Submission {
  readonly plan: Plan;
  readonly stage: Stage;
  /** Numbers of the tasks to run, from 1. */
  readonly numbers: readonly number[];
  /** Folder of the run. */
  readonly folder: string;
  readonly script: string;
  /** Job that must have ended well before. */
  readonly after?: string | undefined;
  /** What the user adds. */
  readonly extra: readonly string[];
}

/** Words for `sbatch`. What the user gives comes last and wins. */
export function sbatchWords({ plan, stage, numbers, folder, script, after, extra }: Submission): string[] {
  return [
    "--parsable",
    `--job-name=plimsoll-${plan.what.replaceAll(" ", "-")}-${stage.name}`,
    `--array=${arrayText(numbers)}`,
    `--output=${folder.replaceAll("%", "%%")}/logs/${stage.name}-%a.log`,
    "--open-mode=append",
    "--requeue",
    // A dependency that failed ends the job instead of leaving it in the queue for ever.
    ...(after === undefined ? [] : [`--dependency=afterok:${after}`, "--kill-on-invalid-dep=yes"]),
    ...extra,
    script,
  ];
}

interface PlannedStage {
  readonly stage: string;
  readonly script: string;
  /** The command that submits it. */
  readonly submit: string;
  /** The command of each task. */
  readonly tasks: readonly string[];
}

/** What a run in `folder` would submit; `JOB` stands for the job of the stage before. */
export function plannedStages(
  plan: Plan,
  folder: string,
  program: Program,
  extra: readonly string[],
): PlannedStage[] {
  return plan.stages.map((stage, i) => {
    const script = `${folder}/${stage.name}.sh`;
    const numbers = stage.tasks.map((_, task) => task + 1);
    const after = i === 0 ? undefined : "JOB";
    return {
      stage: stage.name,
      script: stageScript(plan, stage, folder, program),
      submit: commandLine(["sbatch", ...sbatchWords({ plan, stage, numbers, folder, script, after, extra })]),
      tasks: stage.tasks.map(({ words }) => commandLine(["plimsoll", ...words])),
    };
  });
}

/** `1-4,7,9-10` */
function arrayText(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] as number) + 1) end++;
    parts.push(end === i ? String(sorted[i]) : `${sorted[i]}-${sorted[end]}`);
    i = end + 1;
  }
  return parts.join(",");
}

/** Words of a command line as a shell would part them: spaces, and quotes of either kind. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const match of text.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g))
    words.push(match[0].replaceAll(/'([^']*)'|"([^"]*)"/g, (_, a, b) => a ?? b ?? ""));
  return words;
}
