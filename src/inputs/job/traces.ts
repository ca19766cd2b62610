/** A job from traces of single calls: read once to number and count, once more for what the streams of a job keep. */
import { CallSurvey, JobStreams } from "../../analyze/job/index.ts";
import { FormatError, LimitError } from "../../base/errors.ts";
import {
  type CallNote,
  type CallSink,
  joinedNotes,
  noteText,
  sinkBefore,
  sinkWithout,
  TablesBuilder,
} from "../../model/index.ts";
import type { InputFormat } from "../../formats/input-format.ts";
import { isLeftOut, notesOfUnseen, RUN_FILE, SYNC_NOTE, UNSEEN_FILE } from "../../formats/trace/index.ts";
import { readCalls, sharedNames } from "./calls.ts";
import type { JobFilter } from "./file-filter.ts";
import { skipReason, unrecordedIn } from "./files.ts";
import type { InputHost } from "./host.ts";
import type { JobOptions, ReadJob } from "./read.ts";
import type { JobFile } from "./job-files.ts";
import { launchesOf, requireOneLaunch, TraceListener, type TraceOfJob } from "./same-launch.ts";
import type { Listener } from "../../base/listener.ts";
import { formatMany } from "../../base/units.ts";

/** For the database that reads Parquet. */
const MEMORY_BYTES = 2 ** 30;

export async function readTraces(
  files: readonly JobFile[],
  host: InputHost,
  options: JobOptions,
  listener: Listener,
  filter?: JobFilter,
): Promise<Pick<ReadJob, "tables" | "streams">> {
  const survey = new CallSurvey();
  const notes: CallNote[] = [];
  const progress = listener.progress?.({ label: "reading traces", total: 2 * files.length, unit: "files" });
  const used: JobFile[] = [];
  const launches: TraceOfJob[] = [];
  const setting = {
    keepGoing: options.keepGoing ?? false,
    names: sharedNames(files, host),
    rename: options.rename,
  };
  for (const file of files) {
    const heard = new TraceListener(file.path, file.format?.id === "trace");
    const surveying = heard.before(survey.sink());
    const counting = filter?.sink(surveying, true) ?? surveying;
    const noting = sinkBefore(counting, {
      note: (note) => void notes.push(note),
      block(block) {
        counting.block(block);
        requireRoom(file.path, survey.files, options.limits?.heldRecordsMax);
      },
    });
    if (await isRead(file, noting, files.length, host, setting, listener)) {
      used.push(file);
      launches.push(heard);
    }
    progress?.add(1);
  }
  const [first] = used;
  const { sound, unsound } = survey.calls;
  if (first === undefined || sound === 0) {
    options.filter?.requireMatches();
    const reason = unsound === 0 ? "" : `: ${formatMany(unsound, "call")} without sound times or sizes`;
    throw new FormatError(files[0]?.name ?? "", {}, `no I/O calls found${reason}`);
  }
  const jobs = launchesOf(launches);
  if (options.forceMerge !== true) requireOneLaunch(jobs);
  else if (jobs.length > 1)
    survey.warn(`The traces are of ${jobs.length} different jobs; they are shown as if they were one.`);
  for (const name of new Set(used.filter(({ name, path }) => name !== path).map(({ name }) => name)))
    notes.push(...unrecordedIn(name, host), ...notesOfUnseen(host.textIn(name, UNSEEN_FILE) ?? ""));
  if (
    used.every((file) => isWholeRecording(file, host)) &&
    !notes.some(({ id }) => id === "unrecorded-processes")
  )
    survey.takeAsWhole();
  // A report has the time of syncs beside that of reads and writes.
  for (const note of joinedNotes(notes, () => ""))
    if (note.id !== SYNC_NOTE) survey.warn(noteText(note), tellsOfMissing(note, sound));
  const tables = new TablesBuilder();
  const run = {
    runId: first.name,
    source: first.name,
    kind: first.format?.id ?? "",
    recorder: first.format?.label ?? "",
  };
  const streams = new JobStreams([survey.finish(run, tables)], options.picture);
  for (const file of used) {
    const calls = streams.callsAs(survey.naming());
    await readTrace(file, filter?.sink(calls, false) ?? calls, host, setting, listener);
    progress?.add(1);
  }
  progress?.end();
  return { tables: tables.finish(), streams };
}

/** `plimsoll record` writes the facts of the run into the folder when the program has ended. */
const isWholeRecording = ({ format, name, path }: JobFile, host: InputHost): boolean =>
  format?.id === "trace" && name !== path && host.textIn(name, RUN_FILE) !== undefined;

const MISSING = /^(unseen-.*|unrecorded-processes|dropped|truncated|mapped|strict)$/;

/** Whether calls are missing; a few bad lines among very many calls are none. */
const tellsOfMissing = ({ id, count }: CallNote, calls: number) =>
  MISSING.test(id) || (id === "bad-line" && count > 0.01 * calls);

function requireRoom(path: string, files: number, most = Number.POSITIVE_INFINITY): void {
  if (files > most) throw new LimitError(path, {}, "calls on more files than fit into memory");
}

interface TraceSetting {
  readonly keepGoing: boolean;
  readonly names: ReturnType<typeof sharedNames>;
  readonly rename: JobOptions["rename"];
}

/** Of several traces, one that cannot be read is left out and named. */
async function isRead(
  file: JobFile,
  sink: CallSink,
  count: number,
  host: InputHost,
  setting: TraceSetting,
  listener: Listener,
): Promise<boolean> {
  try {
    await readTrace(file, sink, host, setting, listener);
    return true;
  } catch (error) {
    if (count === 1 || !(error instanceof FormatError)) throw error;
    listener.skip?.(file.path.slice(file.path.lastIndexOf("/") + 1), skipReason(error, file.path));
    return false;
  }
}

async function readTrace(
  { path, format }: JobFile,
  sink: CallSink,
  host: InputHost,
  { keepGoing, names, rename }: TraceSetting,
  listener: Listener,
): Promise<void> {
  const reading = { format: () => format, read: { keepGoing }, memoryBytes: MEMORY_BYTES, names };
  const into = rename === undefined ? sink : renamed(sink, rename);
  const sinkOf = ({ hasSystemFiles }: InputFormat) => (hasSystemFiles ? withoutSystemFiles(into) : into);
  await readCalls(path, sinkOf, reading, host, listener);
  await listener.yieldToEvents?.();
}

/** Commands go: their arguments say more than a name. */
export const renamed = (sink: CallSink, rename: (text: string) => string): CallSink =>
  sinkBefore(sink, {
    file: (file) => sink.file({ ...file, path: rename(file.path) }),
    process({ command: _, host, program, ...process }) {
      return sink.process({
        ...process,
        ...(host === undefined ? {} : { host: rename(host) }),
        ...(program === undefined ? {} : { program: rename(program) }),
      });
    },
  });

const NO_FILTER = { only: [], skip: [], all: false };

/** Calls on system files count as those on pipes: none of the job's I/O. */
const withoutSystemFiles = (sink: CallSink) => sinkWithout(sink, ({ path }) => isLeftOut(path, NO_FILTER));
