/** From dropped files to a document: which jobs they are, read and judged as by the command. */
import { version } from "../../package.json";
import { compareDocument, compareSummary, jobSummary, NOISE } from "../../src/analyze/job/index.ts";
import { UsageError } from "../../src/base/errors.ts";
import type { Listener } from "../../src/base/listener.ts";
import {
  compareInput,
  type InputHost,
  type JobOptions,
  type ReadJob,
  readJob,
  reportDocument,
  reportWords,
  splitJobs,
} from "../../src/inputs/job/index.ts";
import type { Document } from "../../src/model/index.ts";

/** As the command keeps them, unless it is told otherwise. */
const CALLS_MAX = 100_000;

/** A document, and what `--json` prints of it. */
export interface Result {
  readonly document: Document;
  readonly isComparison: boolean;
  json(): unknown;
}

export interface Jobs {
  readonly host: InputHost;
  /** One job, or two to compare. */
  readonly paths: readonly (readonly string[])[];
}

/** The jobs in what was dropped: one to report on, or two to compare. */
export async function findJobs(
  host: InputHost,
  roots: readonly string[],
  options: JobOptions,
  listener: Listener,
): Promise<readonly (readonly string[])[]> {
  const jobs = await splitJobs(roots, host, options, listener);
  if (jobs.length <= 2) return jobs;
  const named = jobs.slice(0, 3).map(([first = ""]) => first);
  throw new UsageError(
    `these are logs of ${jobs.length} jobs (${named.join(", ")}${jobs.length > 3 ? ", …" : ""}); drop the logs of one job, or of two to compare`,
  );
}

export async function openJobs(
  { host, paths }: Jobs,
  options: JobOptions,
  listener: Listener,
): Promise<Result> {
  const [first = [], second] = paths;
  if (second !== undefined) return compared(host, [first, second], options, listener);
  const read = await readJob(first, host, { ...options, picture: { callsMax: CALLS_MAX } }, listener);
  return {
    document: reportDocument(read, reportWords(version, first, "report.html")),
    isComparison: false,
    json: () => jobSummary(read),
  };
}

async function compared(
  host: InputHost,
  [first, second]: readonly [readonly string[], readonly string[]],
  options: JobOptions,
  listener: Listener,
): Promise<Result> {
  const jobs: [ReadJob, ReadJob] = [
    await readJob(first, host, options, listener),
    await readJob(second, host, options, listener),
  ];
  const input = compareInput(version, jobs, [nameOf(first), nameOf(second)], { noise: NOISE });
  return { document: compareDocument(input), isComparison: true, json: () => compareSummary(input) };
}

const nameOf = ([first = "", ...others]: readonly string[]) =>
  others.length === 0 ? first : `${first} and ${others.length} more`;
