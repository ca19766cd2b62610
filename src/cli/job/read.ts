/** Reads the logs of one job for the commands that judge it. */
import {
  type Job,
  JobStreams,
  type PictureOptions,
  type ThresholdValues,
  type Verdicts,
  buildJob,
  judge,
} from "../../analyze/job/index.ts";
import { FormatError, UsageError } from "../../base/errors.ts";
import { importLog, runSpan } from "../../formats/darshan/index.ts";
import { type Tables, TablesBuilder } from "../../model/index.ts";
import type { OptionSpecs } from "../command.ts";
import type { Context } from "../context.ts";
import {
  damageKeeper,
  READ_OPTIONS,
  type ReadOptions,
  readThrough,
  skipDamage,
  withLog,
} from "../darshan/open.ts";
import { type LogOfJob, requireOneJob } from "./same-job.ts";

export const JOB_OPTIONS = {
  threshold: {
    kind: "list",
    short: "t",
    valueName: "ID.NAME=VALUE",
    help: "override a rule threshold, such as small-writes.share=0.2; may be repeated (see plimsoll findings --list)",
  },
  ...READ_OPTIONS,
} as const satisfies OptionSpecs;

/** For commands that take several logs of a job. */
export const MERGE_OPTIONS = {
  "force-merge": {
    kind: "boolean",
    help: "treat logs of different jobs as one job: sum bytes, count times from the first start",
  },
} as const satisfies OptionSpecs;

export interface ReadJob {
  readonly job: Job;
  readonly tables: Tables;
  readonly streams: JobStreams;
  readonly thresholds: ThresholdValues;
  readonly verdicts: Verdicts;
}

/**
 * Of one log, damage is an error unless --keep-going; of several, a log that cannot be read is left out and named, as
 * long as one is left. Logs of different jobs are refused unless --force-merge.
 */
export async function readJob(
  paths: readonly string[],
  options: ReadOptions & { readonly threshold: readonly string[]; readonly forceMerge?: boolean },
  context: Context,
  picture?: PictureOptions,
): Promise<ReadJob> {
  const values = thresholdValues(options.threshold);
  const runs = await readSpans(paths, options, context);
  if (options.forceMerge !== true) requireOneJob(runs.map(({ log }) => log));
  const streams = new JobStreams(
    runs.map(({ span }) => span),
    picture,
  );
  const tables = new TablesBuilder(streams);
  const progress = context.progress({ label: "reading logs", total: runs.length, unit: "logs" });
  for (const { path, span } of runs) {
    await withLog(path, options, (log) => {
      importLog(log, tables, span.runId, damageKeeper(log, options));
      skipDamage(log, context);
    });
    progress.add(1);
    await context.yieldToEvents();
  }
  progress.end();
  const finished = tables.finish();
  const job = buildJob(finished, streams);
  return { job, tables: finished, streams, thresholds: values, verdicts: judge(job, values) };
}

/** MPI numbers ranks with a C int, and so does the timeline of a report. */
const RANKS_MAX = 2 ** 31 - 1;

async function readSpans(paths: readonly string[], options: ReadOptions, context: Context) {
  const runs: { path: string; span: ReturnType<typeof runSpan>; log: LogOfJob }[] = [];
  let ranks = 0;
  for (const [index, path] of paths.entries()) {
    try {
      const run = await withLog(path, options, (log) => {
        // What is left out must be left out whole, so each of several logs is read once before it counts.
        if (paths.length > 1 && !options.keepGoing) readThrough(log, () => true);
        const span = runSpan(log, paths.length === 1 ? path : `${index}:${path}`);
        return { path, span, log: { ...span, path, jobId: log.job.jobId, userId: log.job.uid } };
      });
      const claimed = run.span.ranks;
      if (ranks + claimed > RANKS_MAX) throw new FormatError(path, {}, tooManyRanks(claimed, ranks));
      ranks += Math.max(0, claimed);
      runs.push(run);
    } catch (error) {
      if (paths.length === 1 || !(error instanceof FormatError)) throw error;
      context.skip(
        path,
        error.message.startsWith(`${path}: `) ? error.message.slice(path.length + 2) : error.message,
      );
    }
    await context.yieldToEvents();
  }
  if (runs.length === 0) throw new FormatError(paths[0] ?? "", {}, "none of the logs could be read");
  return runs;
}

function tooManyRanks(ranks: number, before: number): string {
  const others = before === 0 ? "" : ` beside ${before} of the logs before it`;
  return `the job record claims ${ranks} processes${others}; a job has at most ${RANKS_MAX}`;
}

/** `small-writes.share=0.2` as a map; which ids and names exist is checked where they are used. */
export function thresholdValues(given: readonly string[]): ThresholdValues {
  const values = new Map<string, number>();
  for (const text of given) {
    const match = /^([a-z0-9-]+\.\w+)=(.+)$/.exec(text);
    const value = Number(match?.[2]);
    if (match === null || Number.isNaN(value) || match[2]?.trim() === "")
      throw new UsageError(`--threshold ${text} is not ID.NAME=NUMBER, such as small-writes.share=0.2`);
    values.set(match[1] as string, value);
  }
  return values;
}
