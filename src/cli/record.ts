/** `plimsoll record -- CMD…`: runs a program, records its accesses, and sums them up. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AccessCollector, type Metrics } from "../analyze/metric/collector.ts";
import { UsageError } from "../base/errors.ts";
import { formatCount, formatMany, formatRate, formatScaled, formatSeconds } from "../base/units.ts";
import { strace } from "../formats/strace/format.ts";
import type { TraceFacts } from "../formats/trace/notes.ts";
import { paperSink } from "../formats/trace/paper.ts";
import type { CallSink } from "../model/index.ts";
import { withFile } from "../node/file-source.ts";
import { createOutput } from "../node/output-file.ts";
import { isLeftOut } from "../record/filters.ts";
import { gatherFolder } from "../record/gather.ts";
import { OPTIONS_FILE, pathPattern, type RecordRun, recordCommand, RUN_FILE } from "../record/launch.ts";
import { readTraceFiles } from "../record/read-folder.ts";
import { ShimUnavailable } from "../record/shim.ts";
import { STRACE_FILE } from "../record/strace.ts";
import { unseenNotes } from "../record/unseen.ts";
import { metricsJson } from "./bps/json.ts";
import { defineCommand, type OptionValues } from "./command.ts";
import type { Context } from "./context.ts";
import { CheckFailed } from "./failure.ts";
import { option } from "./option.ts";

const OPTIONS = {
  output: option.output("DIR", "trace folder (default: plimsoll-record-PID)"),
  force: option.flag("replace an existing trace in that folder"),
  only: option.list("PATH", "record only this file, folder or pattern (* and ?)"),
  skip: option.list("PATH", "do not record this file, folder or pattern"),
  all: option.flag("also record system files, pipes, sockets and terminals"),
  with: option.choice(["auto", "shim", "strace"], "how to record", { default: "auto" }),
  limit: option.bytes("max trace size per process; further calls are counted as dropped", {
    default: 4 * 2 ** 30,
    min: 2 ** 20,
  }),
  delay: option.text(
    "SPEC",
    "emulate a slow device: latency=200us,bandwidth=100MB/s,concurrency=1,path=/data",
  ),
  block: option.bytes("block size", { default: 512, min: 1 }),
  paper: option.text("FILE", "also write records in the format of the BPS paper (.bps32)"),
};

type Options = OptionValues<typeof OPTIONS>;

export default defineCommand({
  name: "record",
  description:
    "Runs a program with its children, threads and MPI ranks, unmodified, and records each read and write in a folder. The program keeps its input, output and exit code; the summary goes to stderr. The recorder is a small preloaded library, built with the C compiler on first use. Static and Go programs are recorded with strace instead, which distorts their times. I/O that cannot be recorded (fprintf, io_uring, programs without preload support) is listed. System files, pipes, sockets and terminals are skipped unless --all is given.",
  examples: {
    "plimsoll record -- ./simulate input.nml": "record a program and print an I/O summary",
    "plimsoll record -o trace -- mpiexec -n 4 ./simulate": "record four ranks to ./trace",
    "plimsoll record --only /scratch -- tar cf /scratch/a.tar data": "record only files below /scratch",
    "plimsoll bps trace": "analyse the trace in detail",
  },
  arguments: [
    { name: "command", help: "the program and its arguments, after --", kind: "text", variadic: true },
  ],
  options: OPTIONS,
  async run({ arguments: command, options }, context) {
    const folder = options.output ?? `plimsoll-record-${process.pid}`;
    makeWay(folder, options.force);
    const run = await runCommand(command, folder, options, context);
    context.exitWith(run.exitCode);
    if (run.lost !== undefined) context.note(run.lost);
    const filter = {
      only: options.only.map(pathPattern),
      skip: options.skip.map(pathPattern),
      all: options.all,
    };
    const collect = (syncs = false) =>
      new AccessCollector({
        syncs,
        blockBytes: options.block,
        includeNonFile: options.all,
        // strace writes down everything.
        ...(run.way === "strace" ? { file: (path: string) => !isLeftOut(path, filter) } : {}),
      });
    const trace = traceOf(run, context);
    const found = measure(trace, run, collect);
    if (context.json) context.printJson(jsonOf(found, run));
    else if (existsSync(run.folder)) for (const line of summary(found, run)) context.note(line);
    if (options.paper !== undefined) writePaper(options.paper, trace, context);
  },
});

async function runCommand(
  command: readonly string[],
  folder: string,
  options: Options,
  context: Context,
): Promise<RecordRun> {
  try {
    return await recordCommand(command, {
      folder,
      only: options.only,
      skip: options.skip,
      all: options.all,
      with: options.with as "auto",
      limitRecords: Math.floor(options.limit / 32),
      ...(options.delay === undefined ? {} : { delay: options.delay }),
      // stdout is for our document then; the program's output must not get into it.
      ...(context.json ? { stdio: ["inherit", 2, "inherit"] } : {}),
      note: (message) => context.note(message),
    });
  } catch (error) {
    if (error instanceof ShimUnavailable) throw new CheckFailed(error.message);
    throw error;
  }
}

/** Only an earlier trace may go. */
function makeWay(folder: string, force: boolean): void {
  if (!force || !existsSync(folder)) return;
  if (!existsSync(join(folder, RUN_FILE)) && !existsSync(join(folder, OPTIONS_FILE)))
    throw new UsageError(`${folder} is not an earlier trace; choose another folder with --output`);
  rmSync(folder, { recursive: true });
}

/** What a run comes to. */
interface Found {
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
interface Trace {
  read(sinkOf: () => CallSink): readonly TraceFacts[];
}

function traceOf({ folder, way }: RecordRun, context: Context): Trace {
  if (way === "shim") {
    const paths = existsSync(folder) ? gatherShim(folder, context) : [];
    return { read: (sinkOf) => readTraceFiles(paths, sinkOf) };
  }
  const path = join(folder, STRACE_FILE);
  const read = (sinkOf: () => CallSink) => {
    if (existsSync(path)) withFile(path, (source) => strace.calls(source, sinkOf()));
    return [];
  };
  return { read };
}

function measure(
  trace: Trace,
  { folder, way }: RecordRun,
  collect: (syncs?: boolean) => AccessCollector,
): Found {
  const collector = collect();
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

function writePaper(path: string, trace: Trace, context: Context): void {
  const partial = context.partialOutput(path);
  const output = createOutput(path);
  try {
    trace.read(() => paperSink((bytes) => output.append(bytes)));
    output.commit();
    partial.done();
  } catch (error) {
    output.abort();
    throw error;
  }
}

function gatherShim(folder: string, context: Context): readonly string[] {
  const { files, empty, running } = gatherFolder(folder);
  if (empty > 0)
    context.note(
      `${formatMany(empty, "process", "processes")} not recorded: no space in ${folder}, or the trace file was truncated`,
    );
  if (running > 0)
    context.note(
      `${formatMany(running, "process", "processes")} of the program still running; the summary does not include their later calls`,
    );
  return files;
}

function jsonOf(
  { metrics, syncs }: Found,
  { folder, way, exitCode, signal, seconds, lost }: RecordRun,
): Record<string, unknown> {
  return { ...metricsJson(metrics), folder, with: way, exitCode, signal, seconds, syncs, lost: lost ?? null };
}

function summary({ metrics, syncs }: Found, { folder, way, seconds, lost }: RecordRun): string[] {
  const { accesses, bytes, ioTimeSeconds, bps, iops, bandwidthBytesPerSecond, arptSeconds } = metrics;
  const { processes, files } = metrics;
  const rate = (value: number | null, unit: string) =>
    value === null ? "no time" : formatScaled(value, unit);
  const size = (value: bigint) => formatScaled(Number(value), "B");
  const syncTime =
    syncs === null || syncs.calls === 0
      ? undefined
      : `fsync took ${formatSeconds(syncs.ioAndSyncSeconds - ioTimeSeconds)}`;
  const lines = [
    `recorded ${formatMany(accesses, "access", "accesses")} of ${formatMany(processes, "process", "processes")} on ${formatMany(files, "file")} in ${folder}${way === "strace" ? " (strace)" : ""}`,
  ];
  if (accesses > 0) {
    const moved = metrics.movedBytes === null ? "moved bytes unknown" : `${size(metrics.movedBytes)} moved`;
    const bandwidth = bandwidthBytesPerSecond === null ? "no time" : formatRate(bandwidthBytesPerSecond);
    lines.push(
      `${size(bytes)} requested (${size(metrics.readBytes)} read, ${size(metrics.writtenBytes)} written), ${moved}; I/O took ${formatSeconds(ioTimeSeconds)} of ${formatSeconds(seconds)}${syncTime === undefined ? "" : `; ${syncTime} more`}`,
      `BPS ${rate(bps, "blocks/s")} (of ${formatCount(metrics.options.blockBytes)} B), IOPS ${rate(iops, "/s")}, bandwidth ${bandwidth}, ARPT ${arptSeconds === null ? "no time" : formatScaled(arptSeconds * 1e6, "us").replace(/^([\d.]+) kus$/, (_, ms) => `${ms} ms`)}`,
    );
  } else if (syncTime !== undefined) lines.push(`${syncTime} of ${formatSeconds(seconds)}`);
  const notes = metrics.notes.map(({ text }) => text);
  if (accesses === 0 && notes.length === 0 && lost === undefined) notes.push(NOTHING_COUNTS);
  return [...lines, ...notes];
}

const NOTHING_COUNTS =
  "no reads or writes of data files; system files, pipes, sockets and terminals are skipped (--all records them)";
