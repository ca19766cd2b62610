/** `plimsoll record -- CMD…`: runs a program, records its accesses, and sums them up. */
import { existsSync } from "node:fs";
import { recordCommand } from "../record/launch.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { reportDocument, reportWords } from "../inputs/job/index.ts";
import { readJob } from "../inputs/node.ts";
import { version } from "../../package.json";
import { plain } from "../report/text/index.ts";
import { writePage } from "./page-output.ts";
import { measureRecording, recordedTrace, writePaperFile } from "../inputs/measure/recording.ts";
import { option } from "./option.ts";
import { recordJson, summaryLines } from "./record/summary.ts";

const OPTIONS = {
  output: option.output("DIR", "trace folder (default: plimsoll-record-PID)"),
  force: option.flag("replace an existing trace in that folder"),
  only: option.list("PATH", "record only this file, folder or pattern (* and ?)"),
  skip: option.list("PATH", "do not record this file, folder or pattern"),
  all: option.flag("also record system files, pipes, sockets and terminals"),
  metadata: option.choice(
    ["on", "off"],
    "record open, close, stat and similar calls; off records reads, writes and syncs only",
    { default: "on" },
  ),
  with: option.choice(["auto", "shim", "strace"], "how to record", { default: "auto" }),
  limit: option.bytes("max trace size per process; further calls are counted as dropped", {
    default: 4 * 2 ** 30,
    min: 2 ** 20,
  }),
  delay: option.text(
    "SPEC",
    "emulate a slow device: latency=200us,bandwidth=100MB/s,concurrency=1,path=/data",
  ),
  report: option.text(
    "FILE.html",
    "also write the report on the run as one HTML file (as plimsoll report DIR -o FILE.html)",
  ),
  block: option.bytes("block size", { default: 512, min: 1 }),
  paper: option.text("FILE", "also write records in the format of the BPS paper (.bps32)"),
};

export default defineCommand({
  name: "record",
  description:
    "Runs a program with its children, threads and MPI ranks, unmodified, and records each read, write, sync and metadata call (open, stat, unlink and similar) in a folder. The program keeps its input, output and exit code; the summary goes to stderr. The recorder is a small preloaded library, built with the C compiler on first use. Static and Go programs are recorded with strace instead, which distorts their times. I/O that cannot be recorded (mapped files, io_uring without liburing, programs without preload support) is listed, with bytes if the kernel counts them. System files, pipes, sockets and terminals are skipped unless --all is given.",
  examples: {
    "plimsoll record -- ./simulate input.nml": "record a program and print an I/O summary",
    "plimsoll record -o trace -- mpiexec -n 4 ./simulate": "record four ranks to ./trace",
    "plimsoll record --only /scratch -- tar cf /scratch/a.tar data": "record only files below /scratch",
    "plimsoll record --report run.html -- ./simulate":
      "record a program and write a report with findings, files, timeline and metadata",
    "plimsoll report trace": "findings of a recorded run",
    "plimsoll bps trace": "BPS and related metrics of a recorded run",
  },
  arguments: [
    { name: "command", help: "the program and its arguments, after --", kind: "text", variadic: true },
  ],
  options: OPTIONS,
  async run({ arguments: command, options }, context) {
    const folder = options.output ?? `plimsoll-record-${process.pid}`;
    const run = await recordCommand(command, {
      folder,
      force: options.force,
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
    context.exitWith(run.exitCode);
    if (run.lost !== undefined) context.note(run.lost);
    const trace = recordedTrace(run, context);
    const found = measureRecording(trace, run, command[0] ?? "", options);
    if (context.json) context.printJson(recordJson(found, run));
    else if (existsSync(run.folder)) for (const line of summaryLines(found, run)) context.note(line);
    if (options.paper !== undefined) writePaperFile(options.paper, trace, context);
    if (options.report !== undefined) await writeReport(folder, options.report, context);
  },
});

/** Single calls in the timeline of the page, as `plimsoll report` has them. */
const REPORT_CALLS = 100_000;

async function writeReport(folder: string, path: string, context: Context): Promise<void> {
  const read = await readJob([folder], { picture: { callsMax: REPORT_CALLS } }, context);
  const document = reportDocument(read, reportWords(version, [folder], path));
  await writePage(document, path, context);
  context.note(`wrote ${path}: ${plain(document.verdict)}`);
}
