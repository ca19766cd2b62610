/** Reads the inputs of one job, logs with counters or traces of calls, and judges it. */
import {
  type Job,
  JobStreams,
  type PictureOptions,
  type ThresholdValues,
  type Verdicts,
  buildJob,
  jobDocument,
  judge,
} from "../../analyze/job/index.ts";
import { FormatError } from "../../base/errors.ts";
import type { NameFilter } from "../../base/glob.ts";
import type { ModuleEntry } from "../../formats/darshan/header.ts";
import { importLog, runSpan } from "../../formats/darshan/import.ts";
import { type Document, type Tables, TablesBuilder } from "../../model/index.ts";
import { damageKeeper, type LogOptions, readThrough, skipDamage, withLog } from "../log/index.ts";
import type { Listener } from "../../base/listener.ts";
import { JobFilter } from "./file-filter.ts";
import type { InputHost } from "./host.ts";
import { TwinFinder, withoutTwins } from "./files.ts";
import { isTraces, type JobFile, jobFiles } from "./job-files.ts";
import { type LogOfJob, requireOneJob } from "./same-job.ts";
import { readTraces } from "./traces.ts";

export interface JobOptions extends LogOptions {
  /** Values in place of a rule's own, by `id.name` such as `small-writes.share`. */
  readonly thresholds?: ThresholdValues;
  /** Take logs of different jobs as one. */
  readonly forceMerge?: boolean;
  /** What else to do with them, for the error; the option of the command unless given. */
  readonly otherwise?: string;
  /** Files that count; ask it `requireMatches` when all is read. */
  readonly filter?: NameFilter;
  /** Single calls to keep for the timeline; none unless given. */
  readonly picture?: PictureOptions;
  /** Of traces: another name for paths, hosts and programs; as they are unless given. */
  readonly rename?: (text: string) => string;
}

export interface ReadJob {
  readonly job: Job;
  readonly tables: Tables;
  readonly streams: JobStreams;
  readonly thresholds: ThresholdValues;
  readonly verdicts: Verdicts;
}

/**
 * Of one log, damage is an error unless `keepGoing`; of several, a log that cannot be read is left out and named, as
 * long as one is left. Logs of different jobs are refused unless `forceMerge`.
 */
export async function readJob(
  paths: readonly string[],
  host: InputHost,
  options: JobOptions = {},
  listener: Listener = {},
): Promise<ReadJob> {
  const { thresholds = new Map() } = options;
  const files = jobFiles(paths, host, listener);
  const filter = options.filter && new JobFilter(options.filter);
  const read = isTraces(files)
    ? await readTraces(withoutTwins(files, host, listener), host, options, listener, filter)
    : await readLogs(files, host, options, listener, filter);
  const job = buildJob(read.tables, read.streams, filter?.applied);
  return { ...read, job, thresholds, verdicts: judge(job, thresholds) };
}

type Read = Pick<ReadJob, "tables" | "streams">;

/** Counters of logs, and their traced calls where they have some. */
async function readLogs(
  files: readonly JobFile[],
  host: InputHost,
  options: JobOptions,
  listener: Listener,
  filter: JobFilter | undefined,
): Promise<Read> {
  const runs = await readSpans(files, host, options, listener);
  if (runs.every(({ hasCounters }) => !hasCounters))
    return readTraces(withoutTwins(files, host, listener), host, options, listener, filter);
  if (options.forceMerge !== true)
    requireOneJob(
      runs.map(({ log }) => log),
      options.otherwise,
    );
  // Logs of one process each are of a job without MPI: their processes do not wait for one another.
  const isApart = runs.length > 1 && runs.every(({ span }) => span.ranks <= 1);
  const streams = new JobStreams(
    runs.map(({ span }) => ({ ...span, isApart })),
    options.picture,
  );
  const tables = new TablesBuilder(streams);
  const progress = listener.progress?.({ label: "reading logs", total: runs.length, unit: "logs" });
  let room = options.limits?.heldRecordsMax ?? Number.POSITIVE_INFINITY;
  for (const { path, span } of runs) {
    const limits = { ...options.limits, heldRecordsMax: room };
    await withLog(path, { ...options, limits }, host, (log) => {
      room -= importLog(log, tables, span.runId, damageKeeper(log, options), filter);
      skipDamage(log, listener);
    });
    progress?.add(1);
    await listener.yieldToEvents?.();
  }
  progress?.end();
  return { tables: tables.finish(), streams };
}

export interface ReportWords {
  /** Name and version of the program, and the command that made the report. */
  readonly madeBy: string;
  readonly command: string;
  /** How to get single calls where there are too many of them to keep; nothing unless given. */
  readonly callsHint?: string;
}

/** The report on a job that was read. */
export function reportDocument(
  { job, verdicts, tables, streams }: ReadJob,
  { madeBy, command, callsHint = "" }: ReportWords,
): Document {
  return jobDocument({
    ...{ job, verdicts, tables, madeBy, command },
    trace: streams.trace(job, callsHint),
  });
}

/** MPI numbers ranks with a C int, and so does the timeline of a report. */
const RANKS_MAX = 2 ** 31 - 1;

async function readSpans(
  files: readonly JobFile[],
  host: InputHost,
  options: LogOptions,
  listener: Listener,
) {
  const runs: { path: string; span: ReturnType<typeof runSpan>; hasCounters: boolean; log: LogOfJob }[] = [];
  const twins = new TwinFinder(host);
  const copies: { path: string; of: string }[] = [];
  let ranks = 0;
  for (const [index, { path, name }] of files.entries()) {
    try {
      const run = await withLog(path, options, host, (log) => {
        // What is left out must be left out whole, so each of several logs is read once before it counts.
        if (files.length > 1 && !options.keepGoing) readThrough(log, () => true);
        const of = files.length > 1 ? twins.earlier(path, log.source) : undefined;
        // Who names a log twice wants it twice.
        if (of !== undefined && name !== path) {
          copies.push({ path, of });
          return undefined;
        }
        const span = runSpan(log, files.length === 1 ? path : `${index}:${path}`);
        const { modules } = log;
        const hasCounters =
          !modules.some(isTrace) || modules.some((one) => one.region.length > 0 && !isTrace(one));
        return { path, span, hasCounters, log: { ...span, path, jobId: log.job.jobId, userId: log.job.uid } };
      });
      if (run === undefined) continue;
      const claimed = run.span.ranks;
      if (ranks + claimed > RANKS_MAX) throw new FormatError(path, {}, tooManyRanks(claimed, ranks));
      ranks += Math.max(0, claimed);
      runs.push(run);
    } catch (error) {
      if (files.length === 1 || !(error instanceof FormatError)) throw error;
      listener.skip?.(
        path,
        error.message.startsWith(`${path}: `) ? error.message.slice(path.length + 2) : error.message,
      );
    }
    await listener.yieldToEvents?.();
  }
  tellCopies(copies, listener);
  if (runs.length === 0) throw new FormatError(files[0]?.path ?? "", {}, "none of the logs could be read");
  return runs;
}

const isTrace = ({ name, region }: ModuleEntry) => region.length > 0 && name.startsWith("DXT_");

function tellCopies(copies: readonly { path: string; of: string }[], listener: Listener): void {
  const [first, ...others] = copies;
  if (first === undefined) return;
  const more = others.length === 0 ? "" : `; ${others.length} more logs are copies of others`;
  listener.skip?.(first.path, `identical to ${first.of}; counted once${more}`);
}

function tooManyRanks(ranks: number, before: number): string {
  const others = before === 0 ? "" : ` beside ${before} of the logs before it`;
  return `the job record claims ${ranks} processes${others}; a job has at most ${RANKS_MAX}`;
}
