/** From dropped files to a document: which jobs they are, read and judged as by the command. */
import { version } from "../../package.json";
import { compareDocument, compareSummary, jobSummary, NOISE } from "../../src/analyze/job/index.ts";
import { UsageError } from "../../src/base/errors.ts";
import { formatCount } from "../../src/base/units.ts";
import type { Listener } from "../../src/base/listener.ts";
import {
  compareInput,
  findInputs,
  gatherCalls,
  type InputHost,
  type JobOptions,
  type ReadJob,
  readJob,
  reportDocument,
  reportWords,
  splitJobs,
  withoutTwins,
} from "../../src/inputs/job/index.ts";
import { CallCollection, type OrderedCalls } from "../../src/formats/export/index.ts";
import type { Document } from "../../src/model/index.ts";

/** As the command keeps them by default. */
const CALLS_MAX = 100_000;

/** A document, and what `--json` prints of it. */
export interface Result {
  readonly document: Document;
  readonly isComparison: boolean;
  json(): unknown;
  /** Calls of a job in order of time; absent for what has none, and for comparisons. */
  calls?(): Promise<OrderedCalls>;
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
    `these logs belong to ${jobs.length} jobs: ${named.join(", ")}${jobs.length > 3 ? ", …" : ""}; drop the logs of one job, or of two to compare`,
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
  const document = reportDocument(read, reportWords(version, first));
  const hasCalls = document.sections.some(({ blocks }) => blocks.some(({ kind }) => kind === "trace"));
  return {
    document,
    isComparison: false,
    json: () => jobSummary(read),
    ...(hasCalls && { calls: () => callsOf(first, host, options) }),
  };
}

/** 51 bytes each, and as much again while they are put in order. */
const SAVED_CALLS_MAX = 5_000_000;

async function callsOf(
  paths: readonly string[],
  host: InputHost,
  { keepGoing = false, rename }: JobOptions,
): Promise<OrderedCalls> {
  const inputs = withoutTwins(findInputs(paths, ["calls"], host, {}), host, {});
  const collection = new CallCollection();
  await gatherCalls(inputs, collection, { keepGoing, rename }, host);
  if (collection.count > SAVED_CALLS_MAX)
    throw new UsageError(
      `${formatCount(collection.count)} calls are too many for a page to save; use plimsoll export`,
    );
  return collection.finish();
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
