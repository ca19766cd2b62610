import { type Section, tableColumns } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { ReportInput } from "../input.ts";
import { known } from "./layers.ts";

const LOGS_MAX = 500;
const COMMANDS_MAX = 5;

/** Where the numbers come from: the logs, and the definitions. */
export function about({ job }: ReportInput): Section {
  const runs = job.runs.slice(0, LOGS_MAX);
  const commands = [...new Set(job.runs.map(({ commandLine }) => commandLine))]
    .filter((line) => line !== "")
    .slice(0, COMMANDS_MAX);
  return {
    id: "about",
    title: "Logs and definitions",
    detail: true,
    blocks: [
      ...commands.map((code) => ({ kind: "code" as const, language: "program", code })),
      {
        kind: "table",
        id: "logs",
        caption:
          job.runs.length === 1
            ? "The log."
            : `${job.runs.length} logs, shown as one job: ranks are numbered on from log to log, times count from the first start.`,
        columns: tableColumns`
          source | Log | text | File that was read.
          application | Program | text | Base name of the executable.
          job | Job | text | Job number of the scheduler.
          ranks | Ranks | ranks | Processes (nprocs).
          first | First rank | index | Its number in this report.
          start | Start | unix-seconds | Start time, UTC.
          seconds | Run time | seconds | End - start.
          version | Format | text | Version of the log format.
          library | Recorder | text | Version of the recording library (lib_ver).
          modules | Modules | text | Modules with data.
          partial | Incomplete | text | Modules that ran out of memory.
        `,
        rows: runs.map((run) => [
          run.source,
          run.application,
          run.jobId,
          known(run.ranks),
          run.rankBase,
          known(run.startUnixSeconds),
          known(run.runSeconds),
          run.logVersion,
          run.libraryVersion,
          run.modules.join(" "),
          run.partialModules.join(" ") || "none",
        ]),
        rowsTotal: job.runs.length,
      },
      {
        kind: "table",
        id: "definitions",
        prose: true,
        caption: "How the numbers are defined.",
        columns: tableColumns`
          id | Id | text | With its version; a definition never changes under its id.
          title | What | text | Name.
          text | Definition | text | Formula and source.
        `,
        rows: Object.values(DEFINITIONS).map(({ id, title, text }) => [id, title, text]),
      },
    ],
  };
}
