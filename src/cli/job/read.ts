/** Reads the logs of one job for the commands that judge it. */
import { version } from "../../../package.json";
import { thisCommand } from "../again.ts";
import type { PictureOptions, ThresholdValues } from "../../analyze/job/index.ts";
import { UsageError } from "../../base/errors.ts";
import {
  CALLS_HINT,
  type ReportWords,
  nameFilter,
  type ReadJob,
  requireOneStdin,
} from "../../inputs/job/index.ts";
import { readJob as readLogs } from "../../inputs/node.ts";
import { collectEarlyFor } from "../../node/small-heap.ts";
import type { OptionSpecs, OptionValues } from "../command.ts";
import type { Context } from "../context.ts";
import { logOptions, READ_OPTIONS } from "../darshan/open.ts";
import { option } from "../option.ts";

/** Which files count. */
export const FILE_OPTIONS = {
  include: option.list("PATTERN", "count only matching files, such as '*.h5' or '/scratch/**'"),
  exclude: option.list("PATTERN", "skip matching files, such as '**/site-packages/**'"),
} as const satisfies OptionSpecs;

export const JOB_OPTIONS = {
  ...FILE_OPTIONS,
  threshold: option.list(
    "ID.NAME=VALUE",
    "override a rule threshold, such as small-writes.share=0.2 (see plimsoll findings --list)",
    { short: "t" },
  ),
  ...READ_OPTIONS,
} as const satisfies OptionSpecs;

/** For commands that take several logs of a job. */
export const MERGE_OPTIONS = {
  "force-merge": option.flag(
    "treat logs of different jobs as one job: sum bytes, count times from the first start",
  ),
} as const satisfies OptionSpecs;

type JobValues = OptionValues<typeof JOB_OPTIONS> & Partial<OptionValues<typeof MERGE_OPTIONS>>;

/** Jobs that are compared share the patterns: each must match something in one of them. */
export async function readJobs(
  inputs: readonly (readonly string[])[],
  values: JobValues,
  context: Context,
  picture?: PictureOptions,
): Promise<ReadJob[]> {
  requireOneStdin(inputs.flat());
  collectEarlyFor(inputs.flat());
  const filter = nameFilter(values);
  const options = {
    ...logOptions(values),
    thresholds: thresholdValues(values.threshold),
    forceMerge: values.forceMerge ?? false,
    ...(picture === undefined ? {} : { picture }),
    ...(filter === undefined ? {} : { filter }),
  };
  const jobs: ReadJob[] = [];
  for (const paths of inputs) jobs.push(await readLogs(paths, options, context));
  filter?.requireMatches();
  return jobs;
}

export async function readJob(
  paths: readonly string[],
  values: JobValues,
  context: Context,
  picture?: PictureOptions,
): Promise<ReadJob> {
  return (await readJobs([paths], values, context, picture))[0] as ReadJob;
}

/** `small-writes.share=0.2` as a map; which ids and names exist is checked where they are used. */
function thresholdValues(given: readonly string[]): ThresholdValues {
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

/** Of the command as it was given. */
export const reportWords = (context: Context): ReportWords => ({
  madeBy: `Plimsoll ${version}`,
  command: thisCommand(context),
  callsHint: CALLS_HINT,
});
