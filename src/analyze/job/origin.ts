/** How many runs of a job a generator made. */
import type { Provenance } from "../../model/index.ts";
import type { RunFacts } from "./job.ts";

export const originOfRuns = (runs: readonly Pick<RunFacts, "isSynthetic">[]): Provenance => ({
  synthetic: runs.filter(({ isSynthetic }) => isSynthetic).length,
  of: runs.length,
  unit: "runs",
});
