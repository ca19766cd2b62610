/** `plimsoll record -- CMD…`: runs a program, records its accesses, and sums them up. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../base/errors.ts";
import { paperSink } from "../formats/trace/paper.ts";
import { createOutput } from "../node/output-file.ts";
import { isLeftOut } from "../record/filters.ts";
import { OPTIONS_FILE, pathPattern, type RecordRun, recordCommand, RUN_FILE } from "../record/launch.ts";
import { ShimUnavailable } from "../record/shim.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { CheckFailed } from "./failure.ts";
import { readJob, reportDocument } from "../inputs/job.ts";
import { version } from "../../package.json";
import { plain } from "../report/text/index.ts";
import { writePage } from "./page-output.ts";
import { measure, type Trace, traceOf } from "./record/measure.ts";
import { recordJson, summaryLines } from "./record/summary.ts";

export default defineCommand({
  name: "record",
  description:
    "Runs a program with its children, threads and MPI ranks, unmodified, and records each read, write, sync and metadata call (open, stat, unlink and similar) in a folder. The program keeps its input, output and exit code; the summary goes to stderr. The recorder is a small preloaded library, built with the C compiler on first use. Static and Go programs are recorded with strace instead, which distorts their times. I/O that cannot be recorded (io_uring, mapped files, programs without preload support) is listed, with bytes where the kernel counts them. System files, pipes, sockets and terminals are skipped unless --all is given.",
  examples: [
    { command: "plimsoll record -- ./simulate input.nml", does: "record a program and print an I/O summary" },
    {
      command: "plimsoll record -o trace -- mpiexec -n 4 ./simulate",
      does: "record four ranks to ./trace",
    },
    {
      command: "plimsoll record --only /scratch -- tar cf /scratch/a.tar data",
      does: "record only files below /scratch",
    },
    {
      command: "plimsoll record --report run.html -- ./simulate",
      does: "record a program and write a report with findings, files, timeline and metadata",
    },
    { command: "plimsoll report trace", does: "findings of a recorded run" },
    { command: "plimsoll bps trace", does: "BPS and related metrics of a recorded run" },
  ],
  arguments: [
    { name: "command", help: "the program and its arguments, after --", kind: "text", variadic: true },
  ],
  options: {
    output: {
      kind: "string",
      short: "o",
      valueName: "DIR",
      help: "trace folder (default: plimsoll-record-PID)",
    },
    force: { kind: "boolean", help: "replace an existing trace in that folder" },
    only: { kind: "list", valueName: "PATH", help: "record only this file, folder or pattern (* and ?)" },
    skip: { kind: "list", valueName: "PATH", help: "do not record this file, folder or pattern" },
    all: { kind: "boolean", help: "also record system files, pipes, sockets and terminals" },
    metadata: {
      kind: "choice",
      choices: ["on", "off"],
      default: "on",
      help: "record open, close, stat and similar calls; off records reads, writes and syncs only",
    },
    with: { kind: "choice", choices: ["auto", "shim", "strace"], default: "auto", help: "how to record" },
    limit: {
      kind: "bytes",
      default: 4 * 2 ** 30,
      min: 2 ** 20,
      help: "max trace size per process; further calls are counted as dropped",
    },
    delay: {
      kind: "string",
      valueName: "SPEC",
      help: "emulate a slow device: latency=200us,bandwidth=100MB/s,concurrency=1,path=/data",
    },
    report: {
      kind: "string",
      valueName: "FILE.html",
      help: "also write the report on the run as one HTML file (as plimsoll report DIR -o FILE.html)",
    },
    block: { kind: "bytes", default: 512, min: 1, help: "block size" },
    paper: {
      kind: "string",
      valueName: "FILE",
      help: "also write records in the format of the BPS paper (.bps32)",
    },
  },
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
    const trace = traceOf(run, context);
    const found = measure(trace, run, command[0] ?? "", {
      blockBytes: options.block,
      includeNonFile: options.all,
      // strace writes down everything.
      ...(run.way === "strace" ? { file: (path: string) => !isLeftOut(path, filter) } : {}),
    });
    if (context.json) context.printJson(recordJson(found, run));
    else if (existsSync(run.folder)) for (const line of summaryLines(found, run)) context.note(line);
    if (options.paper !== undefined) writePaper(options.paper, trace, context);
    if (options.report !== undefined) await writeReport(folder, options.report, context);
  },
});

interface Options {
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly all: boolean;
  readonly metadata: string;
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
      metadata: options.metadata === "on",
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

/** Single calls in the timeline of the page, as `plimsoll report` has them. */
const REPORT_CALLS = 100_000;

async function writeReport(folder: string, path: string, context: Context): Promise<void> {
  const read = await readJob([folder], { picture: { callsMax: REPORT_CALLS } }, context);
  const document = reportDocument(read, {
    madeBy: `Plimsoll ${version}`,
    command: `plimsoll report ${folder} -o ${path}`,
    callsHint: `Calls of a time range: plimsoll report --window FROM-TO -o FILE.html ${folder}`,
  });
  await writePage(document, path, context);
  context.note(`wrote ${path}: ${plain(document.verdict)}`);
}
