/** `plimsoll export`: calls, file runs and counters for other programs. */
import { basename } from "node:path";
import { version } from "../../package.json";
import { FormatError, UsageError } from "../base/errors.ts";
import { formatCount } from "../base/units.ts";
import { detectFormat } from "../formats/catalogue.ts";
import {
  callsCsv,
  callsParquet,
  EXPORT_GROUPS,
  type ExportGroup,
  groupColumn,
  type LeftOut,
  type OrderedCalls,
  perfettoTrace,
  speedscopeProfile,
  tableCsv,
  tableParquet,
} from "../formats/export/index.ts";
import { withCalls, writePieces } from "../inputs/export.ts";
import { holdPipes } from "../inputs/held-pipes.ts";
import { type InputHost, openInput } from "../inputs/job/index.ts";
import { withLog } from "../inputs/log/index.ts";
import { LOG_TABLES, type LogTable, logTable, logTableSchema } from "../inputs/log-tables.ts";
import { nodeHost } from "../inputs/node.ts";
import { temporaryPath } from "../node/output-file.ts";
import { defineCommand, type OptionValues } from "./command.ts";
import type { Context } from "./context.ts";
import { option } from "./option.ts";
import { parseDuration, parseWindow } from "./values.ts";

const FORMATS = ["perfetto", "speedscope", "csv", "parquet"] as const;
type Format = (typeof FORMATS)[number];
const MADE_BY = `Plimsoll ${version}`;

const OPTIONS = {
  to: option.choice(FORMATS, "format of the output (default: by its name: .csv, .parquet)"),
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
    const format = formatOf(options.to as Format | undefined, output);
    if (options.table === "calls") await exportCalls(paths, output, format, options, context);
    else await exportTable(paths, output, format, options, context);
  },
});

type ExportValues = OptionValues<typeof OPTIONS>;

function formatOf(given: Format | undefined, output: string): Format {
  const byName = /\.(csv|parquet)(\.gz)?$/i.exec(output)?.[1]?.toLowerCase() as Format | undefined;
  const format = given ?? byName;
  if (format === undefined)
    throw new UsageError(
      `--to is missing: one of ${FORMATS.join(", ")}, or a name that ends in .csv or .parquet`,
    );
  if (format === "parquet" && /\.gz$/i.test(output))
    throw new UsageError(`--output ${output}: programs read Parquet as it is, not compressed as a whole`);
  return format;
}

async function exportCalls(
  paths: readonly string[],
  output: string,
  format: Format,
  options: ExportValues,
  context: Context,
): Promise<void> {
  const by = options.by as ExportGroup | undefined;
  const isInOrderOfTime = format === "perfetto" || (by === undefined && format !== "speedscope");
  const spillPath = `${temporaryPath(output)}.calls`;
  const partial = context.partialOutput(spillPath);
  const setting = {
    spillPath,
    keepGoing: options.keepGoing,
    ...(options.window === undefined ? {} : { window: nanoseconds(parseWindow(options.window)) }),
    ...(options.minDuration === undefined
      ? {}
      : { minDurationNs: parseDuration("--min-duration", options.minDuration) }),
    ...(isInOrderOfTime ? {} : { by: groupColumn(by ?? "rank") }),
  } as const;
  await withCalls(paths, setting, context, async (calls, { leftOut }) => {
    if (calls.count === 0) throw new FormatError(paths[0] ?? "", {}, emptyReason(leftOut));
    const pieces = encoded(calls, format, by ?? "rank", basename(paths[0] ?? ""));
    const bytes = await writePieces(pieces, output, context);
    tell({ table: "calls", rows: calls.count, format, output, bytes, leftOut }, context);
  });
  partial.done();
}

function encoded(calls: OrderedCalls, format: Format, by: ExportGroup, name: string): Iterable<Uint8Array> {
  switch (format) {
    case "perfetto":
      return perfettoTrace(calls, { by, madeBy: MADE_BY });
    case "speedscope":
      return speedscopeProfile(calls, { by, madeBy: MADE_BY, name });
    case "csv":
      return callsCsv(calls);
    case "parquet":
      return callsParquet(calls, MADE_BY);
  }
}

function emptyReason({ nonFile, unsound, short, outside }: LeftOut): string {
  const reasons = [
    outside > 0 ? `${formatCount(outside)} lie outside --window` : "",
    short > 0 ? `${formatCount(short)} are shorter than --min-duration` : "",
    nonFile > 0 ? `${formatCount(nonFile)} are on pipes, sockets and terminals` : "",
    unsound > 0 ? `${formatCount(unsound)} have no sound times` : "",
  ].filter((text) => text !== "");
  return `no call to export${reasons.length === 0 ? "" : `: ${reasons.join(", ")}`}`;
}

async function exportTable(
  paths: readonly string[],
  output: string,
  format: Format,
  options: ExportValues,
  context: Context,
): Promise<void> {
  const table = options.table as LogTable;
  const [path = ""] = paths;
  if (format !== "csv" && format !== "parquet")
    throw new UsageError(`--table ${table} is written as csv or parquet; ${format} takes calls`);
  if (options.window !== undefined || options.minDuration !== undefined || options.by !== undefined)
    throw new UsageError(`--window, --min-duration and --by select calls; --table ${table} has none`);
  if (paths.length > 1)
    throw new UsageError(`--table ${table} takes one log; plimsoll ingest and store export take many`);
  const {
    paths: [held = ""],
    host,
  } = holdPipes([path], nodeHost);
  requireLog(held, table, host);
  await withLog(held, { keepGoing: options.keepGoing }, host, async (log) => {
    const schema = logTableSchema(table);
    let rows = 0;
    const counted = function* (blocks: Awaited<ReturnType<typeof logTable>>) {
      for (const block of blocks) {
        rows += block.count;
        yield block;
      }
    };
    const blocks = counted(await logTable(log, held, table, host));
    const synthetic = log.job.isSynthetic;
    const pieces =
      format === "csv"
        ? tableCsv(schema, blocks, synthetic)
        : tableParquet(schema, blocks, { madeBy: MADE_BY, synthetic });
    const bytes = await writePieces(pieces, output, context);
    tell({ table, rows, format, output, bytes }, context);
  });
}

function requireLog(path: string, table: string, host: InputHost): void {
  const source = openInput(path, host, { partly: true });
  try {
    const format = detectFormat(source, "counters", "calls");
    if (format.counters === undefined)
      throw new FormatError(
        path,
        {},
        `this is a ${format.label}, which has single calls only; --table calls takes it (${table} needs a Darshan log)`,
      );
  } finally {
    source.close();
  }
}

interface Done {
  readonly table: string;
  readonly rows: number;
  readonly format: Format;
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
      `left out: ${formatCount(leftOut.nonFile)} calls on pipes, sockets and terminals, ${formatCount(leftOut.unsound)} without sound times`,
    );
  context.note(`wrote ${formatCount(rows)} ${table === "calls" ? "calls" : `rows of ${table}`} to ${output}`);
}

const nanoseconds = ({ startSeconds, endSeconds }: ReturnType<typeof parseWindow>) => ({
  fromNs: Math.round(startSeconds * 1e9),
  toNs: Math.round(endSeconds * 1e9),
});
