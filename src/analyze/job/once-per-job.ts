import type { Job } from "./job.ts";

/** The same function, but each job keeps its answer. */
export function oncePerJob<Answer>(compute: (job: Job) => Answer): (job: Job) => Answer {
  return (job) => {
    const { kept } = job;
    if (!kept.has(compute)) kept.set(compute, compute(job));
    return kept.get(compute) as Answer;
  };
}
