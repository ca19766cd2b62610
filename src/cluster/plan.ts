/**
 * A plan: stages of tasks, each a command line of ours. Tasks of a stage are independent; a stage begins when all tasks of the
 * one before are done. Plans are data: engines run them, and `--dry-run` prints them.
 */
import { assert } from "../base/assert.ts";

interface Task {
  /** `map-3`: name of its state, log and output. */
  readonly name: string;
  /** Words after `plimsoll`. */
  readonly words: readonly string[];
}

export interface Stage {
  readonly name: string;
  readonly tasks: readonly Task[];
}

export interface Plan {
  /** `ingest`, `study reuse`, `generate reuse`. */
  readonly what: string;
  readonly stages: readonly Stage[];
}

/** As many tasks as Slurm's largest arrays; ours. */
export const TASKS_MAX = 100_000;

/** `tasks` command lines side by side, and one that joins what they made. */
export function mapAndMerge(
  what: string,
  tasks: number,
  map: (index: number, of: number) => readonly string[],
  merge: readonly string[],
): Plan {
  assert(Number.isSafeInteger(tasks) && tasks >= 1 && tasks <= TASKS_MAX, "a plan has tasks");
  return {
    what,
    stages: [
      {
        name: "map",
        tasks: Array.from({ length: tasks }, (_, i) => ({
          name: `map-${i + 1}`,
          words: map(i + 1, tasks),
        })),
      },
      { name: "merge", tasks: [{ name: "merge-1", words: merge }] },
    ],
  };
}

export const allTasks = (plan: Plan): Task[] => plan.stages.flatMap(({ tasks }) => [...tasks]);

export function taskOf(plan: Plan, name: string): Task | undefined {
  return allTasks(plan).find((task) => task.name === name);
}
