/** What a recorded run comes to: metrics of its reads and writes, and the time of syncs and metadata calls beside them. */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { AccessCollector, type CollectorOptions, type Metrics } from "../../analyze/metric/index.ts";
import type { Listener } from "../../base/listener.ts";
import { formatMany } from "../../base/units.ts";
import { strace } from "../../formats/strace/format.ts";
import { isLeftOut, paperSink, type TraceCounts } from "../../formats/trace/index.ts";
import { type CallBlock, type CallSink, Operation } from "../../model/index.ts";
import { withFile } from "../../node/file-source.ts";
import { createOutput } from "../../node/output-file.ts";
import { checkAgainstKernel } from "../../record/cross-check.ts";
import { gatherFolder } from "../../record/gather.ts";
import { pathPattern, type RecordRun } from "../../record/launch.ts";
import { readTraceFiles } from "../../record/read-folder.ts";
import { STRACE_FILE } from "../../record/strace.ts";
import { unseenNotes } from "../../record/unseen.ts";

export interface MeasuredRecording {
  readonly metrics: Metrics;
  /** Null where they are not known, with strace. */
  readonly syncs: Syncs | null;
  readonly metadata: CallTimes | null;
}

/** Calls that are no accesses, but time that the program spends on I/O. */
interface CallTimes {
  readonly calls: number;
  /** Of all calls together. */
  readonly seconds: number;
  /** Time with such a call under way. */
  readonly unionSeconds: number;
}

/** fsync and similar calls. */
interface Syncs extends CallTimes {
  /** Time with an access or a sync under way. */
  readonly ioAndSyncSeconds: number;
}

/** What a run has left, to be read as often as needed. */
interface RecordedTrace {
  read(sinkOf: () => CallSink): readonly TraceCounts[];
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

interface MeasureOptions {
  /** Bytes of a block. */
  readonly block: number;
  /** Patterns of paths, and whether pipes, sockets, terminals and system files count, as the recording was asked for. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly all: boolean;
}

function collectorOptions({ block, only, skip, all: everything }: MeasureOptions, way: RecordRun["way"]) {
  const filter = { only: only.map(pathPattern), skip: skip.map(pathPattern), all: everything };
  return {
    blockBytes: block,
    includeNonFile: everything,
    // strace writes down everything.
    ...(way === "strace" ? { file: (path: string) => !isLeftOut(path, filter) } : {}),
  };
}

/** `program` is the command that was run, whose own kernel counters are compared. */
export function measureRecording(
  trace: RecordedTrace,
  { folder, way, kernel }: RecordRun,
  program: string,
  asked: MeasureOptions,
): MeasuredRecording {
  const options = collectorOptions(asked, way);
  const collector = new AccessCollector(options);
  const facts = trace.read(() => collector.sink(folder));
  if (way === "shim" && kernel !== undefined && existsSync(folder))
    checkAgainstKernel(folder, basename(program), kernel, facts);
  for (const note of unseenNotes(folder)) collector.sink(folder).note(note);
  const counted = collector.finish();
  // Nothing of a run is there twice; requests that end at once, or within a microsecond of strace's clock, only look like it.
  const metrics = { ...counted, notes: counted.notes.filter(({ id }) => id !== "duplicates") };
  if (way === "strace") return { metrics, syncs: null, metadata: null };
  const sum = (of: (counts: TraceCounts["counts"]) => number) =>
    facts.reduce((total, { counts }) => total + of(counts), 0);
  const syncs = { calls: sum(({ syncs }) => syncs), seconds: sum(({ syncNs }) => syncNs) / 1e9 };
  const metadata = {
    calls: sum(({ metadata }) => metadata),
    seconds: sum(({ metadataNs }) => metadataNs) / 1e9,
  };
  const union = unionTimes(trace, folder, options, { syncs: syncs.calls > 0, metadata: metadata.calls > 0 });
  return {
    metrics,
    syncs: { ...syncs, unionSeconds: union.syncs, ioAndSyncSeconds: union.both ?? metrics.ioTimeSeconds },
    metadata: { ...metadata, unionSeconds: union.metadata },
  };
}

/** A second reading, of calls that the metrics leave out; none where there are none. */
function unionTimes(
  trace: RecordedTrace,
  folder: string,
  options: CollectorOptions,
  has: { readonly syncs: boolean; readonly metadata: boolean },
) {
  const both = has.syncs ? new AccessCollector({ ...options, syncs: true }) : undefined;
  const syncs = has.syncs ? new AccessCollector(options) : undefined;
  const metadata = has.metadata ? new AccessCollector(options) : undefined;
  if (has.syncs || has.metadata)
    trace.read(() =>
      all([
        ...(both === undefined ? [] : [both.sink(folder)]),
        ...(syncs === undefined ? [] : [onlyCalls(syncs.sink(folder), isSync)]),
        ...(metadata === undefined ? [] : [onlyCalls(metadata.sink(folder), isMetadata)]),
      ]),
    );
  return {
    both: both?.finish().ioTimeSeconds,
    syncs: syncs?.finish().ioTimeSeconds ?? 0,
    metadata: metadata?.finish().ioTimeSeconds ?? 0,
  };
}

const isSync = (operation: number) => operation === Operation.sync;
const isMetadata = (operation: number) => operation > Operation.write && operation !== Operation.sync;

/** Several sinks as one: processes and files have the number of the first. */
function all(sinks: readonly CallSink[]): CallSink {
  const numbers = <T>(give: (sink: CallSink) => T) => sinks.map(give)[0] as T;
  return {
    clock: (clock) => void numbers((sink) => sink.clock(clock)),
    process: (process) => numbers((sink) => sink.process(process)),
    file: (file) => numbers((sink) => sink.file(file)),
    note: () => {},
    block: (block) => void numbers((sink) => sink.block(block)),
  };
}

/** Hands on the chosen calls as if they were reads of nothing: only their times count. */
function onlyCalls(sink: CallSink, chosen: (operation: number) => boolean): CallSink {
  return { ...all([sink]), block: (block) => sink.block(chosenCalls(block, chosen)) };
}

function chosenCalls(block: CallBlock, chosen: (operation: number) => boolean): CallBlock {
  const rows: number[] = [];
  for (let i = 0; i < block.count; i++) if (chosen(block.operation[i] as number)) rows.push(i);
  const wide = (column: Float64Array) => Float64Array.from(rows, (i) => column[i] as number);
  const whole = (column: Uint32Array) => Uint32Array.from(rows, (i) => column[i] as number);
  const small = (column: Uint8Array) => Uint8Array.from(rows, (i) => column[i] as number);
  return {
    count: rows.length,
    ...{ startNs: wide(block.startNs), endNs: wide(block.endNs), bytes: new Float64Array(rows.length) },
    ...{ process: whole(block.process), file: whole(block.file) },
    ...{ operation: new Uint8Array(rows.length), layer: small(block.layer), flags: small(block.flags) },
  };
}
