/** `plimsoll export`: calls, file runs and counters for other programs. */
import { version } from "../../package.json";
import { UsageError } from "../base/errors.ts";
import { formatCount, formatMany } from "../base/units.ts";
import { EXPORT_GROUPS, type ExportGroup, type LeftOut } from "../formats/export/index.ts";
import { EXPORT_FORMATS, exportCalls, type ExportFormat, exportTable } from "../inputs/export-file.ts";
import { LOG_TABLES, type LogTable } from "../inputs/log-tables.ts";
import { defineCommand, type OptionValues } from "./command.ts";
import type { Context } from "./context.ts";
import { option } from "./option.ts";
import { parseDuration, parseWindow } from "./values.ts";

const MADE_BY = `Plimsoll ${version}`;

const OPTIONS = {
  to: option.choice(EXPORT_FORMATS, "format of the output (default: by its name: .csv, .parquet)"),
  output: option.output("FILE", "output file; a name that ends in .gz is compressed (not for parquet)"),
  table: option.choice(
    ["calls", ...LOG_TABLES],
    "CSV and Parquet: contents of a row; files and counters need a Darshan log",
    {
      default: "calls",
    },
  ),
  window: option.text(
    "FROM-TO",
    "only calls that overlap this time range of the run, in seconds, such as 12.5-14",
  ),
  "min-duration": option.text("TIME", "only calls that take at least this long, such as 1ms"),
  by: option.choice(
    EXPORT_GROUPS,
    "a track or profile per rank (default) or per file; in tables, the sort order",
  ),
  "keep-going": option.flag("use the readable part of a damaged input"),
};

export default defineCommand({
  name: "export",
  description:
    "Writes the traced calls of an input (Darshan logs with DXT, plimsoll record folders, strace text, DFTracer traces, fio latency logs, CSV and Parquet tables, - for standard input) for other programs. perfetto: trace events for ui.perfetto.dev and chrome://tracing, with overlapping calls on separate lanes and bytes in flight as a counter. speedscope: a profile per rank or file. csv and parquet: a row per call, times in seconds since the start of the run. --table files and counters write the file runs and the counters of one Darshan log. The file appears only when complete.",
  arguments: [
    { name: "input", help: "a log or trace, a folder of them, or - for stdin", kind: "file", variadic: true },
  ],
  options: OPTIONS,
  examples: {
    "plimsoll export run.darshan --to perfetto -o run.json.gz": "open it in ui.perfetto.dev",
    "plimsoll export trace/ -o calls.parquet": "duckdb: from 'calls.parquet'",
    "plimsoll export run.darshan --table files -o files.parquet": "bytes, calls and times per file",
    "plimsoll export run.darshan --to speedscope --window 10-20 -o run.speedscope.json":
      "ten seconds of a run",
  },
  async run({ arguments: paths, options }, context) {
    const { output } = options;
    if (output === undefined) throw new UsageError("--output is missing: name a file");
    const format = formatOf(options.to as ExportFormat | undefined, output);
    const { table } = options;
    const run = table === "calls" ? exportedCalls : exportedTable;
    tell({ table, format, output, ...(await run(paths, output, format, options, context)) }, context);
  },
});

type ExportValues = OptionValues<typeof OPTIONS>;

function formatOf(given: ExportFormat | undefined, output: string): ExportFormat {
  const byName = /\.(csv|parquet)(\.gz)?$/i.exec(output)?.[1]?.toLowerCase() as ExportFormat | undefined;
  const format = given ?? byName;
  if (format === undefined)
    throw new UsageError(
      `--to is missing: one of ${EXPORT_FORMATS.join(", ")}, or a name that ends in .csv or .parquet`,
    );
  if (format === "parquet" && /\.gz$/i.test(output))
    throw new UsageError(`--output ${output}: programs read Parquet as it is, not compressed as a whole`);
  return format;
}

function exportedCalls(
  paths: readonly string[],
  output: string,
  format: ExportFormat,
  options: ExportValues,
  context: Context,
) {
  const setting = {
    ...{ output, format, madeBy: MADE_BY, keepGoing: options.keepGoing },
    by: options.by as ExportGroup | undefined,
    ...(options.window === undefined ? {} : { window: nanoseconds(parseWindow(options.window)) }),
    ...(options.minDuration === undefined
      ? {}
      : { minDurationNs: parseDuration("--min-duration", options.minDuration) }),
  };
  return exportCalls(paths, setting, context);
}

function exportedTable(
  paths: readonly string[],
  output: string,
  format: ExportFormat,
  options: ExportValues,
  context: Context,
) {
  const table = options.table as LogTable;
  if (format !== "csv" && format !== "parquet")
    throw new UsageError(`--table ${table} is written as csv or parquet; ${format} takes calls`);
  if (options.window !== undefined || options.minDuration !== undefined || options.by !== undefined)
    throw new UsageError(`--window, --min-duration and --by select calls; --table ${table} has none`);
  if (paths.length > 1)
    throw new UsageError(`--table ${table} takes one log; plimsoll ingest and store export take many`);
  const setting = { output, format, madeBy: MADE_BY, keepGoing: options.keepGoing };
  return exportTable(paths[0] ?? "", table, setting, context);
}

interface Done {
  readonly table: string;
  readonly rows: number;
  readonly format: ExportFormat;
  readonly output: string;
  readonly bytes: number;
  readonly leftOut?: LeftOut;
}

function tell({ table, rows, format, output, bytes, leftOut }: Done, context: Context): void {
  if (context.json) {
    context.printJson({
      table,
      rows,
      format,
      path: output,
      bytes,
      ...(leftOut === undefined ? {} : { leftOut }),
    });
    return;
  }
  if (leftOut !== undefined && leftOut.unsound + leftOut.nonFile > 0)
    context.note(
      `left out: ${formatMany(leftOut.nonFile, "call")} on pipes, sockets and terminals, ${formatCount(leftOut.unsound)} with invalid times`,
    );
  context.note(
    `wrote ${table === "calls" ? formatMany(rows, "call") : `${formatMany(rows, "row")} of ${table}`} to ${output}`,
  );
}

const nanoseconds = ({ startSeconds, endSeconds }: ReturnType<typeof parseWindow>) => ({
  fromNs: Math.round(startSeconds * 1e9),
  toNs: Math.round(endSeconds * 1e9),
});
