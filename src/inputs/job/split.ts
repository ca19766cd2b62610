/** Which jobs are in a heap of inputs that nobody has sorted, such as what is dropped on a page. */
import { FormatError } from "../../base/errors.ts";
import type { Listener } from "../../base/listener.ts";
import { runSpan } from "../../formats/darshan/import.ts";
import { type LogOptions, withLog } from "../log/index.ts";
import type { InputHost } from "./host.ts";
import { jobFiles } from "./job-files.ts";
import { jobsOf, type LogOfJob } from "./same-job.ts";

/**
 * Paths by job. Logs say whose they are; traces that come together are read as one job. One log beside one trace
 * are two. What cannot be read goes with the first job, whose reader will name it.
 */
export async function splitJobs(
  paths: readonly string[],
  host: InputHost,
  options: LogOptions = {},
  listener: Listener = {},
): Promise<(readonly string[])[]> {
  const files = jobFiles(paths, host, listener);
  const traces = files.filter(({ format }) => format !== undefined && format.counters === undefined);
  if (traces.length > 0) {
    const isPair = paths.length === 2 && traces.length < files.length;
    return isPair ? paths.map((path) => [path]) : [paths];
  }
  if (files.length === 1) return [paths];
  const logs: LogOfJob[] = [];
  const unread: string[] = [];
  for (const { path } of files) {
    try {
      logs.push(
        await withLog(path, options, host, (log) => ({
          ...runSpan(log, path),
          ...{ path, jobId: log.job.jobId, userId: log.job.uid },
        })),
      );
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      unread.push(path);
    }
    await listener.yieldToEvents?.();
  }
  const jobs = jobsOf(logs);
  if (jobs.length <= 1) return [paths];
  // As they were given, not by the clock: the first one is the one before.
  const order = new Map(files.map(({ path }, at) => [path, at]));
  const placed = jobs.map((job) => job.map(({ path }) => path)).sort((a, b) => first(a) - first(b));
  return placed.map((job, at) => (at === 0 ? [...job, ...unread] : job));

  function first(job: readonly string[]): number {
    return Math.min(...job.map((path) => order.get(path) ?? 0));
  }
}
