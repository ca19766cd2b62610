/** `plimsoll record -- CMD…`: runs a program, records its accesses, and sums them up. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AccessCollector, type Metrics } from "../analyze/metric/collector.ts";
import { UsageError } from "../base/errors.ts";
import { formatCount, formatMany, formatRate, formatScaled, formatSeconds } from "../base/units.ts";
import { strace } from "../formats/strace/format.ts";
import { paperSink } from "../formats/trace/paper.ts";
import { withFile } from "../node/file-source.ts";
import { createOutput } from "../node/output-file.ts";
import { isLeftOut } from "../record/filters.ts";
import { gatherFolder } from "../record/gather.ts";
import { pathPattern, type RecordRun, recordCommand, RUN_FILE } from "../record/launch.ts";
import { readTraceFiles } from "../record/read-folder.ts";
import { ShimUnavailable } from "../record/shim.ts";
import { STRACE_FILE } from "../record/strace.ts";
import { metricsJson } from "./bps/json.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { CheckFailed } from "./failure.ts";

export default defineCommand({
  name: "record",
  summary: "run any program, record its reads and writes, and compute BPS and its kin",
  description:
    "Runs the program with its children, threads and MPI ranks, unchanged, and records each read and write in a folder. Its output, input and exit code stay its own; the summary goes to stderr. A small library is built with the C compiler at first use and loaded into the program; static and Go programs are recorded with strace instead, which makes times useless. System files, pipes, sockets and terminals are left out unless asked for.",
  examples: [
    { command: "plimsoll record -- ./simulate input.nml", does: "record a program and sum up its I/O" },
    {
      command: "plimsoll record -o trace -- mpiexec -n 4 ./simulate",
      does: "keep the trace of four ranks in ./trace",
    },
    {
      command: "plimsoll record --only /scratch -- tar cf /scratch/a.tar data",
      does: "only what is below /scratch",
    },
    { command: "plimsoll bps trace", does: "look at a trace again, in more detail" },
  ],
  arguments: [
    { name: "command", help: "the program and its arguments, after --", kind: "text", variadic: true },
  ],
  options: {
    out: {
      kind: "string",
      short: "o",
      valueName: "DIR",
      help: "folder for the trace; plimsoll-record-PID unless given",
    },
    force: { kind: "boolean", help: "replace an earlier trace in that folder" },
    only: { kind: "list", valueName: "PATH", help: "record only this file, folder or pattern (* and ?)" },
    skip: { kind: "list", valueName: "PATH", help: "do not record this file, folder or pattern" },
    all: { kind: "boolean", help: "also record system files, pipes, sockets and terminals" },
    with: { kind: "choice", choices: ["auto", "shim", "strace"], default: "auto", help: "how to record" },
    limit: {
      kind: "bytes",
      default: 4 * 2 ** 30,
      min: 2 ** 20,
      help: "size of the trace of one process; more is counted as dropped",
    },
    delay: {
      kind: "string",
      valueName: "SPEC",
      help: "imitate a device: latency=200us,bandwidth=100MB/s,concurrency=1,path=/data",
    },
    block: { kind: "bytes", default: 512, min: 1, help: "size of a block" },
    paper: {
      kind: "string",
      valueName: "FILE",
      help: "also write the records of the BPS paper (name ends in .bps32)",
    },
  },
  async run({ arguments: command, options }, context) {
    const folder = options.out ?? `plimsoll-record-${process.pid}`;
    makeWay(folder, options.force);
    const run = await runCommand(command, folder, options, context);
    const filter = {
      only: options.only.map(pathPattern),
      skip: options.skip.map(pathPattern),
      all: options.all,
    };
    const collector = new AccessCollector({
      blockBytes: options.block,
      includeNonFile: options.all,
      // strace writes down everything.
      ...(run.way === "strace" ? { file: (path: string) => !isLeftOut(path, filter) } : {}),
    });
    readInto(collector, run, options.paper, context);
    const metrics = collector.finish();
    if (context.json) context.printJson(jsonOf(metrics, run));
    else for (const line of summary(metrics, run)) context.note(line);
    context.exitWith(run.exitCode);
  },
});

interface Options {
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly all: boolean;
  readonly with: string;
  readonly limit: number;
  readonly delay: string | undefined;
}

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
  if (!existsSync(join(folder, RUN_FILE)) && !existsSync(join(folder, "options")))
    throw new UsageError(`${folder} is not an earlier trace; choose another folder with --out`);
  rmSync(folder, { recursive: true });
}

function readInto(
  collector: AccessCollector,
  { folder, way }: RecordRun,
  paperPath: string | undefined,
  context: Context,
): void {
  const paths =
    way === "shim"
      ? gatherShim(folder, context)
      : [join(folder, STRACE_FILE)].filter((path) => existsSync(path));
  if (way === "shim") readTraceFiles(paths, () => collector.sink(folder));
  else for (const path of paths) withFile(path, (source) => strace.read(source, collector.sink(folder)));
  if (paperPath === undefined) return;
  const partial = context.partialOutput(paperPath);
  const output = createOutput(paperPath);
  try {
    if (way === "shim") readTraceFiles(paths, () => paperSink((bytes) => output.append(bytes)));
    else
      for (const path of paths)
        withFile(path, (source) =>
          strace.read(
            source,
            paperSink((bytes) => output.append(bytes)),
          ),
        );
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
    context.note(`${formatMany(empty, "process", "processes")} not recorded: no space in ${folder}`);
  if (running > 0)
    context.note(
      `${formatMany(running, "process", "processes")} of the program still run; what they do from now on is not in the summary`,
    );
  return files;
}

function jsonOf(
  metrics: Metrics,
  { folder, way, exitCode, signal, seconds }: RecordRun,
): Record<string, unknown> {
  return { ...metricsJson(metrics), folder, with: way, exitCode, signal, seconds };
}

function summary(metrics: Metrics, { folder, way, seconds }: RecordRun): string[] {
  const {
    accesses,
    bytes,
    ioTimeSeconds,
    bps,
    iops,
    bandwidthBytesPerSecond,
    arptSeconds,
    processes,
    files,
  } = metrics;
  const rate = (value: number | null, unit: string) =>
    value === null ? "no time" : formatScaled(value, unit);
  const size = (value: bigint) => formatScaled(Number(value), "B");
  const lines = [
    `recorded ${formatMany(accesses, "access", "accesses")} of ${formatMany(processes, "process", "processes")} on ${formatMany(files, "file")} in ${folder}${way === "strace" ? " (strace)" : ""}`,
  ];
  if (accesses > 0) {
    const moved = metrics.movedBytes === null ? "moved bytes not known" : `${size(metrics.movedBytes)} moved`;
    const bandwidth = bandwidthBytesPerSecond === null ? "no time" : formatRate(bandwidthBytesPerSecond);
    lines.push(
      `${size(bytes)} asked for (${size(metrics.readBytes)} read, ${size(metrics.writtenBytes)} written), ${moved}; I/O took ${formatSeconds(ioTimeSeconds)} of ${formatSeconds(seconds)}`,
      `BPS ${rate(bps, "blocks/s")} (of ${formatCount(metrics.options.blockBytes)} B), IOPS ${rate(iops, "/s")}, bandwidth ${bandwidth}, ARPT ${arptSeconds === null ? "no time" : formatScaled(arptSeconds * 1e6, "us").replace(/^([\d.]+) kus$/, (_, ms) => `${ms} ms`)}`,
    );
  }
  return [...lines, ...metrics.notes.map(({ text }) => text)];
}
