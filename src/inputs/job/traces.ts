/** A job from traces of single calls: read once to number and count, once more for what the streams of a job keep. */
import { CallSurvey, JobStreams } from "../../analyze/job/index.ts";
import { FormatError } from "../../base/errors.ts";
import {
  CALL_NONFILE,
  type CallNote,
  type CallSink,
  joinedNotes,
  noteText,
  TablesBuilder,
} from "../../model/index.ts";
import type { InputFormat } from "../../formats/input-format.ts";
import { isLeftOut } from "../../formats/trace/system-files.ts";
import { notesOfUnseen, UNSEEN_FILE } from "../../formats/trace/unseen.ts";
import { readCalls, sinkBefore } from "./calls.ts";
import { reasonOf } from "./files.ts";
import type { InputHost } from "./host.ts";
import type { JobOptions, ReadJob } from "./read.ts";
import type { JobFile } from "./job-files.ts";
import type { Listener } from "../../base/listener.ts";

/** For the database that reads Parquet. */
const MEMORY_BYTES = 2 ** 30;

export async function readTraces(
  files: readonly JobFile[],
  host: InputHost,
  options: JobOptions,
  listener: Listener,
): Promise<Pick<ReadJob, "tables" | "streams">> {
  const survey = new CallSurvey();
  const notes: CallNote[] = [];
  const progress = listener.progress?.({ label: "reading traces", total: 2 * files.length, unit: "files" });
  const used: JobFile[] = [];
  for (const file of files) {
    const noting = sinkBefore(survey.sink(), { note: (note) => void notes.push(note) });
    if (await isRead(file, noting, files.length, host, options, listener)) used.push(file);
    progress?.add(1);
  }
  const [first] = used;
  if (first === undefined || survey.isEmpty)
    throw new FormatError(files[0]?.name ?? "", {}, "no call on a file is recorded here");
  for (const name of new Set(used.filter(({ name, path }) => name !== path).map(({ name }) => name)))
    for (const note of notesOfUnseen(host.textIn(name, UNSEEN_FILE) ?? "")) survey.warn(noteText(note));
  for (const note of joinedNotes(notes, () => "")) survey.warn(noteText(note));
  const tables = new TablesBuilder();
  const run = {
    runId: first.name,
    source: first.name,
    kind: first.format?.id ?? "",
    recorder: first.format?.label ?? "",
  };
  const streams = new JobStreams([survey.finish(run, tables)], options.picture);
  for (const file of used) {
    await readTrace(file, streams.callsAs(survey.naming()), host, options, listener);
    progress?.add(1);
  }
  progress?.end();
  return { tables: tables.finish(), streams };
}

/** Of several traces, one that cannot be read is left out and named. */
async function isRead(
  file: JobFile,
  sink: CallSink,
  count: number,
  host: InputHost,
  options: JobOptions,
  listener: Listener,
): Promise<boolean> {
  try {
    await readTrace(file, sink, host, options, listener);
    return true;
  } catch (error) {
    if (count === 1 || !(error instanceof FormatError)) throw error;
    listener.skip?.(file.path.slice(file.path.lastIndexOf("/") + 1), reasonOf(error, file.path));
    return false;
  }
}

async function readTrace(
  { path, format }: JobFile,
  sink: CallSink,
  host: InputHost,
  { keepGoing = false, rename }: JobOptions,
  listener: Listener,
): Promise<void> {
  const reading = { format: () => format, read: { keepGoing }, memoryBytes: MEMORY_BYTES };
  const into = rename === undefined ? sink : renamed(sink, rename);
  const sinkOf = ({ hasSystemFiles }: InputFormat) => (hasSystemFiles ? withoutSystemFiles(into) : into);
  await readCalls(path, sinkOf, reading, host, listener);
  await listener.yieldToEvents?.();
}

/** Commands go: their arguments say more than a name. */
const renamed = (sink: CallSink, rename: (text: string) => string): CallSink =>
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
function withoutSystemFiles(sink: CallSink): CallSink {
  const isSystem: boolean[] = [];
  return sinkBefore(sink, {
    file(file) {
      const number = sink.file(file);
      isSystem[number] = isLeftOut(file.path, NO_FILTER);
      return number;
    },
    block(block) {
      for (let i = 0; i < block.count; i++)
        if (isSystem[block.file[i] as number] === true)
          block.flags[i] = (block.flags[i] as number) | CALL_NONFILE;
      sink.block(block);
    },
  });
}
