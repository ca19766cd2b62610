/** Calls, file runs and counters of inputs as a file for other programs. */
import { basename } from "node:path";
import { FormatError, UsageError } from "../base/errors.ts";
import type { Listener } from "../base/listener.ts";
import { formatCount } from "../base/units.ts";
import { detectFormat } from "../formats/catalogue.ts";
import {
  callsCsv,
  callsParquet,
  type CollectionOptions,
  type ExportGroup,
  groupColumn,
  type LeftOut,
  type OrderedCalls,
  perfettoTrace,
  speedscopeProfile,
  tableCsv,
  tableParquet,
} from "../formats/export/index.ts";
import { temporaryPath } from "../node/output-file.ts";
import { withCalls, writePieces } from "./export.ts";
import { holdPipes } from "./held-pipes.ts";
import { type InputHost, openInput } from "./job/index.ts";
import { withLog } from "./log/index.ts";
import { type LogTable, logTable, logTableSchema } from "./log-tables.ts";
import { nodeHost } from "./node.ts";

/** Rows of a table are one of the last two. */
export const EXPORT_FORMATS = ["perfetto", "speedscope", "csv", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

interface ExportSetting {
  readonly output: string;
  readonly keepGoing: boolean;
  readonly madeBy: string;
}

interface CallsSetting extends ExportSetting, Pick<CollectionOptions, "window" | "minDurationNs"> {
  readonly format: ExportFormat;
  readonly by: ExportGroup | undefined;
}

interface Exported {
  readonly rows: number;
  readonly bytes: number;
  readonly leftOut?: LeftOut;
}

export async function exportCalls(
  paths: readonly string[],
  { output, format, by, madeBy, ...filter }: CallsSetting,
  listener: Listener,
): Promise<Exported> {
  const isInOrderOfTime = format === "perfetto" || (by === undefined && format !== "speedscope");
  const spillPath = `${temporaryPath(output)}.calls`;
  const partial = listener.partialOutput?.(spillPath);
  const setting = { ...filter, spillPath, ...(isInOrderOfTime ? {} : { by: groupColumn(by ?? "rank") }) };
  const done = await withCalls(paths, setting, listener, async (calls, { leftOut }) => {
    if (calls.count === 0) throw new FormatError(paths[0] ?? "", {}, emptyReason(leftOut));
    const about = { by: by ?? "rank", madeBy, name: basename(paths[0] ?? "") } as const;
    const bytes = await writePieces(encoded(calls, format, about), output, listener);
    return { rows: calls.count, bytes, leftOut };
  });
  partial?.done();
  return done;
}

function encoded(
  calls: OrderedCalls,
  format: ExportFormat,
  about: { readonly by: ExportGroup; readonly madeBy: string; readonly name: string },
): Iterable<Uint8Array> {
  switch (format) {
    case "perfetto":
      return perfettoTrace(calls, about);
    case "speedscope":
      return speedscopeProfile(calls, about);
    case "csv":
      return callsCsv(calls);
    case "parquet":
      return callsParquet(calls, about.madeBy);
  }
}

function emptyReason({ nonFile, unsound, short, outside }: LeftOut): string {
  const reasons = [
    outside > 0 ? `${formatCount(outside)} lie outside --window` : "",
    short > 0 ? `${formatCount(short)} are shorter than --min-duration` : "",
    nonFile > 0 ? `${formatCount(nonFile)} are on pipes, sockets and terminals` : "",
    unsound > 0 ? `${formatCount(unsound)} have invalid times` : "",
  ].filter((text) => text !== "");
  return `no call to export${reasons.length === 0 ? "" : `: ${reasons.join(", ")}`}`;
}

/** A table of one Darshan log. */
export async function exportTable(
  path: string,
  table: LogTable,
  { output, format, keepGoing, madeBy }: ExportSetting & { readonly format: "csv" | "parquet" },
  listener: Listener,
): Promise<Exported> {
  const {
    paths: [held = ""],
    host,
  } = holdPipes([path], nodeHost);
  requireLog(held, table, host);
  return withLog(held, { keepGoing }, host, async (log) => {
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
        : tableParquet(schema, blocks, { madeBy, synthetic });
    const bytes = await writePieces(pieces, output, listener);
    return { rows, bytes };
  });
}

function requireLog(path: string, table: string, host: InputHost): void {
  if (host.list(path) !== undefined)
    throw new UsageError(
      `${path} is a folder; --table ${table} takes one Darshan log, plimsoll ingest and store export many`,
    );
  const source = openInput(path, host, { partly: true });
  try {
    const format = detectFormat(source, "counters", "calls");
    if (format.counters === undefined)
      throw new FormatError(
        path,
        {},
        `this ${format.label} has no counters; use --table calls (${table} needs a Darshan log)`,
      );
  } finally {
    source.close();
  }
}
