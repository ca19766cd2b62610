/** What the processes of a job are called: ranks where MPI started them. */
import { formatMany } from "../../base/units.ts";
import type { Job } from "./job.ts";
import { usesMpi } from "./snippets/index.ts";

export const whoOf = (job: Job) =>
  usesMpi(job)
    ? ({ one: "rank", many: "ranks", label: "Ranks" } as const)
    : ({ one: "process", many: "processes", label: "Processes" } as const);

/** `4 ranks`, `1 process`. */
export function countedProcesses(job: Job, count = job.ranks): string {
  const { one, many } = whoOf(job);
  return formatMany(count, one, many);
}
