import type { Section } from "../../../model/index.ts";
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
            : `${job.runs.length} logs, shown as one job: ranks are counted on from log to log, times count from the first start.`,
        columns: [
          { key: "source", label: "Log", unit: "text", about: "File that was read." },
          { key: "application", label: "Program", unit: "text", about: "Base name of the executable." },
          { key: "job", label: "Job", unit: "text", about: "Job number of the scheduler." },
          { key: "ranks", label: "Ranks", unit: "ranks", about: "Processes (nprocs)." },
          { key: "first", label: "First rank", unit: "index", about: "Its number in this report." },
          { key: "start", label: "Start", unit: "unix-seconds", about: "Start time, UTC." },
          { key: "seconds", label: "Run time", unit: "seconds", about: "End - start." },
          { key: "version", label: "Format", unit: "text", about: "Version of the log format." },
          {
            key: "library",
            label: "Recorder",
            unit: "text",
            about: "Version of the recording library (lib_ver).",
          },
          { key: "modules", label: "Modules", unit: "text", about: "Modules with data." },
          { key: "partial", label: "Incomplete", unit: "text", about: "Modules that ran out of memory." },
        ],
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
        caption: "How the numbers are defined.",
        columns: [
          {
            key: "id",
            label: "Id",
            unit: "text",
            about: "With its version; a definition never changes under its id.",
          },
          { key: "title", label: "What", unit: "text", about: "Name." },
          { key: "text", label: "Definition", unit: "text", about: "Formula and source." },
        ],
        rows: Object.values(DEFINITIONS).map(({ id, title, text }) => [id, title, text]),
      },
    ],
  };
}
