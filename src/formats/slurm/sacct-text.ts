/** `sacct --parsable2` and `--parsable`, with any delimiter. */
import { FormatError, UsageError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { eachWindow } from "../text/windows.ts";
import { alignCells } from "./align.ts";
import { JobRows, type SlurmFile, type SlurmOptions } from "./fields.ts";
import { noteBroken } from "./job.ts";
import { zoneOf } from "./times.ts";

/** The first column's name and what stands between it and the next. */
const HEADER =
  /^(JobIDRaw|JobID|Cluster|User|JobName|Account|State|Submit|Partition)([^A-Za-z0-9]+)[A-Za-z]/i;

export const isSacctHeader = (line: string) => HEADER.test(line) && /job_?id/i.test(line);

export function readSacctText(source: ByteSource, options: SlurmOptions = {}): SlurmFile {
  const rows = rowsFor(options);
  const utf8 = new TextDecoder();
  let columns: readonly string[] | undefined = options.columns?.map((name) => name.toLowerCase());
  let delimiter = options.delimiter ?? "|";
  // Without a header only the rows themselves can tell.
  let endsWithDelimiter: boolean | undefined;
  let line = 0;
  eachWindow(source, (bytes, from, end) => {
    const lines = utf8.decode(bytes.subarray(from, end)).split("\n");
    // The window ends with a newline, but perhaps the last.
    if (lines.at(-1) === "") lines.pop();
    for (const text of lines) {
      line++;
      const row = text.endsWith("\r") ? text.slice(0, -1) : text;
      if (row === "") continue;
      if (columns === undefined) {
        delimiter = options.delimiter ?? HEADER.exec(row)?.[2] ?? "|";
        columns = headerColumns(row, delimiter, source.name, line);
        rows.notes.missingColumns.push(...missing(columns, options));
        endsWithDelimiter = row.endsWith(delimiter);
      } else if (!isSacctHeader(row)) {
        const isEmptyLast =
          row.endsWith(delimiter) && (endsWithDelimiter ?? hasOneMore(row, columns, delimiter));
        addRow(isEmptyLast ? row.slice(0, -delimiter.length) : row, line, columns, delimiter, rows);
      }
    }
  });
  return { jobs: rows.jobs, notes: rows.notes };
}

/** A store of rows, with the zone that was asked for. */
export function rowsFor(options: SlurmOptions): JobRows {
  const zone = zoneOf(options.zone ?? "UTC");
  if (zone === undefined)
    throw new UsageError(
      `"${options.zone}" is not a time zone; use UTC, +02:00 or a name such as Europe/Berlin`,
    );
  return new JobRows(zone, options.cluster ?? "");
}

function headerColumns(row: string, delimiter: string, source: string, line: number): string[] {
  const names = row.split(delimiter).map((name) => name.trim().toLowerCase().replace(/%.*$/, ""));
  // `--parsable` ends every line with the delimiter.
  if (names.at(-1) === "") names.pop();
  if (!names.includes("jobid") && !names.includes("jobidraw"))
    throw new FormatError(
      source,
      { line },
      "no header line of sacct with JobID or JobIDRaw; use --parsable2, or name the columns",
    );
  return names;
}

/** Without these a job cannot be told from others, or not be found in counters. */
const NEEDED: readonly (readonly string[])[] = [
  ["Cluster"],
  ["JobIDRaw"],
  ["User", "UID"],
  ["Start"],
  ["End"],
];

function missing(columns: readonly string[], { cluster }: SlurmOptions): string[] {
  const has = (name: string) =>
    columns.includes(name.toLowerCase()) || (name === "Cluster" && cluster !== undefined);
  return NEEDED.flatMap((names) => (names.some(has) ? [] : [names.join(" or ")]));
}

/** Whether a row has one field more than there are columns. */
const hasOneMore = (row: string, columns: readonly string[], delimiter: string) =>
  row.split(delimiter).length === columns.length + 1;

function addRow(
  row: string,
  line: number,
  columns: readonly string[],
  delimiter: string,
  rows: JobRows,
): void {
  let cells = row.split(delimiter);
  if (cells.length > columns.length) {
    const aligned = alignCells(cells, columns, delimiter);
    if (aligned !== undefined) {
      rows.notes.repaired++;
      cells = aligned;
    }
  }
  if (cells.length !== columns.length) {
    rows.notes.rows++;
    noteBroken(rows.notes, line, `${cells.length} fields, but the header has ${columns.length}`);
    return;
  }
  rows.add(line, (name) => {
    const at = columns.indexOf(name);
    return at < 0 ? undefined : cells[at];
  });
}
