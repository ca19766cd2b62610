import type { Job } from "./job.ts";

/** The same function, but for each job its answer is kept as long as the job is. */
export function oncePerJob<Answer>(compute: (job: Job) => Answer): (job: Job) => Answer {
  const answers = new WeakMap<Job, { readonly answer: Answer }>();
  return (job) => {
    let kept = answers.get(job);
    if (kept === undefined) {
      kept = { answer: compute(job) };
      answers.set(job, kept);
    }
    return kept.answer;
  };
}
