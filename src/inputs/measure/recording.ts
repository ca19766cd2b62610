/** What `plimsoll record` left, measured: metrics of its accesses, and the time of its syncs. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AccessCollector, type Metrics } from "../../analyze/metric/collector.ts";
import type { Listener } from "../../base/listener.ts";
import { formatMany } from "../../base/units.ts";
import { strace } from "../../formats/strace/format.ts";
import type { TraceFacts } from "../../formats/trace/notes.ts";
import { paperSink } from "../../formats/trace/paper.ts";
import type { CallSink } from "../../model/index.ts";
import { withFile } from "../../node/file-source.ts";
import { createOutput } from "../../node/output-file.ts";
import { isLeftOut } from "../../record/filters.ts";
import { gatherFolder } from "../../record/gather.ts";
import { pathPattern, type RecordRun } from "../../record/launch.ts";
import { readTraceFiles } from "../../record/read-folder.ts";
import { STRACE_FILE } from "../../record/strace.ts";
import { unseenNotes } from "../../record/unseen.ts";

/** What a run comes to. */
export interface MeasuredRecording {
  readonly metrics: Metrics;
  /** Null where they are not known, with strace. */
  readonly syncs: Syncs | null;
}

/** fsync and similar calls: no accesses, but time that the program spends on I/O. */
interface Syncs {
  readonly calls: number;
  /** Of all calls together. */
  readonly seconds: number;
  /** Time with an access or a sync under way. */
  readonly ioAndSyncSeconds: number;
}

/** What a run has left, to be read as often as needed. */
interface RecordedTrace {
  read(sinkOf: () => CallSink): readonly TraceFacts[];
}

export function recordedTrace({ folder, way }: RecordRun, listener: Listener): RecordedTrace {
  if (way === "shim") {
    const paths = existsSync(folder) ? gatherShim(folder, listener) : [];
    return { read: (sinkOf) => readTraceFiles(paths, sinkOf) };
  }
  const path = join(folder, STRACE_FILE);
  const read = (sinkOf: () => CallSink) => {
    if (existsSync(path)) withFile(path, (source) => strace.calls(source, sinkOf()));
    return [];
  };
  return { read };
}

interface MeasureOptions {
  /** Bytes of a block. */
  readonly block: number;
  /** Patterns of paths, and whether pipes, sockets, terminals and system files count, as the recording was asked for. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly all: boolean;
}

export function measureRecording(
  trace: RecordedTrace,
  { folder, way }: Pick<RecordRun, "folder" | "way">,
  { block, only, skip, all: everything }: MeasureOptions,
): MeasuredRecording {
  const filter = { only: only.map(pathPattern), skip: skip.map(pathPattern), all: everything };
  const collect = (syncs: boolean) =>
    new AccessCollector({
      syncs,
      blockBytes: block,
      includeNonFile: everything,
      // strace writes down everything.
      ...(way === "strace" ? { file: (path: string) => !isLeftOut(path, filter) } : {}),
    });
  const collector = collect(false);
  const facts = trace.read(() => collector.sink(folder));
  for (const note of unseenNotes(folder)) collector.sink(folder).note(note);
  const metrics = collector.finish();
  if (way === "strace") return { metrics, syncs: null };
  const calls = facts.reduce((sum, { counts }) => sum + counts.syncs, 0);
  const seconds = facts.reduce((sum, { counts }) => sum + counts.syncNs, 0) / 1e9;
  if (calls === 0) return { metrics, syncs: { calls, seconds, ioAndSyncSeconds: metrics.ioTimeSeconds } };
  const all = collect(true);
  trace.read(() => all.sink(folder));
  return { metrics, syncs: { calls, seconds, ioAndSyncSeconds: all.finish().ioTimeSeconds } };
}

/** The records in the form of the BPS paper. */
export function writePaperFile(path: string, trace: RecordedTrace, listener: Listener): void {
  const partial = listener.partialOutput?.(path);
  const output = createOutput(path);
  try {
    trace.read(() => paperSink((bytes) => output.append(bytes)));
    output.commit();
    partial?.done();
  } catch (error) {
    output.abort();
    throw error;
  }
}

function gatherShim(folder: string, listener: Listener): readonly string[] {
  const { files, empty, running } = gatherFolder(folder);
  if (empty > 0)
    listener.note?.(
      `${formatMany(empty, "process", "processes")} not recorded: no space in ${folder}, or the trace file was truncated`,
    );
  if (running > 0)
    listener.note?.(
      `${formatMany(running, "process", "processes")} of the program still running; the summary does not include their later calls`,
    );
  return files;
}
