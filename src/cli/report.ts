/** `plimsoll report`: what is slow in a job, where, and what to change. */
import { wholeText } from "./again.ts";
import { jobSummary, withSection } from "../analyze/job/index.ts";
import { UsageError } from "../base/errors.ts";
import { formatSeconds } from "../base/units.ts";
import { reportDocument } from "../inputs/job/index.ts";
import { defineCommand } from "./command.ts";
import { JOB_OPTIONS, MERGE_OPTIONS, readJob, reportWords } from "./job/read.ts";
import { countedByServers } from "./job/servers.ts";
import { showDocument } from "./show-document.ts";
import { option } from "./option.ts";
import { parseWindow } from "./values.ts";

export default defineCommand({
  name: "report",
  description:
    "Reads the inputs of one job and prints the main finding in one sentence, then bytes, I/O share, throughput and all findings with advice. Inputs are Darshan logs and their text (darshan-parser), folders of plimsoll record, strace text (strace -f -ttt -T -y), DFTracer traces, fio latency logs, tables of accesses (CSV, Parquet), folders of any of these, and - for standard input. With --output it writes a self-contained HTML file: figures, a timeline of traced calls, tables and raw counters. Several logs of one job (many processes, several steps) become one report; logs of different jobs are refused.",
  arguments: [
    {
      name: "input",
      help: "logs or traces of one job, a folder of them, or - for stdin",
      kind: "file",
      variadic: true,
    },
  ],
  options: {
    output: option.output("FILE.html", "write the full report as one HTML file"),
    figures: option.text("DIR", "write every figure as SVG and CSV to a folder; replaces earlier figures"),
    full: option.flag("print all sections on the terminal"),
    calls: option.whole("embed at most N calls in the HTML; above that the timeline shows binned activity", {
      min: 0,
      default: 100_000,
    }),
    window: option.text(
      "FROM-TO",
      "embed only calls in this time range of the run, in seconds, such as 12.5-14",
    ),
    store: option.text("DIR", "add the server counters of the job, from a store of plimsoll ingest"),
    cluster: option.text("NAME", "with --store: cluster of the job, if several clusters have its id"),
    ...MERGE_OPTIONS,
    ...JOB_OPTIONS,
  },
  examples: {
    "plimsoll report run.darshan": "summary on the terminal",
    "plimsoll report run.darshan -o report.html": "full report as one HTML file",
    "plimsoll report trace-folder": "report on a recorded run",
    "plimsoll report run.darshan --store centre -o report.html":
      "with load per minute, targets and other jobs, from server counters",
    "zcat strace.txt.gz | plimsoll report -": "from a pipe",
    "plimsoll report logs/*.darshan -o report.html": "one report for a job with many logs",
  },
  async run({ arguments: paths, options }, context) {
    const window = options.window === undefined ? undefined : parseWindow(options.window);
    const wantsCalls = options.output !== undefined;
    if (window !== undefined && !wantsCalls)
      throw new UsageError("--window selects calls of the HTML report; add --output FILE.html");
    const read = await readJob(paths, options, context, {
      callsMax: wantsCalls ? options.calls : 0,
      ...(window === undefined ? {} : { window }),
    });
    if (window !== undefined && window.startSeconds > read.job.runSeconds)
      throw new UsageError(
        `--window ${options.window}: the run ends before, after ${formatSeconds(read.job.runSeconds)}`,
      );
    const { store, cluster } = options;
    if (store === undefined && cluster !== undefined)
      throw new UsageError("--cluster chooses a job of a store; add --store DIR");
    const servers = store === undefined ? undefined : await countedByServers(read.job, { store, cluster });
    const report = reportDocument(read, reportWords(context));
    const document = servers === undefined ? report : withSection(report, servers.section);
    const more = wholeText("report", context, "report.html");
    await showDocument(
      document,
      { ...options, json: () => ({ ...jobSummary(read), ...servers?.json }), more },
      context,
    );
  },
});
