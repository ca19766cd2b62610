/** What the findings are good for: lists of files and hours that later steps turn into plans. */
import type { Cell, TableBlock } from "../../model/document.ts";
import type { Queryable, SqlRow } from "../../model/query.ts";
import { className } from "./a12-osts.ts";
import { exact, number, table } from "./item.ts";
import type { ReuseOptions } from "./options.ts";
import { prepare } from "./prepare.ts";
import { matrixTable } from "./tables.ts";

/** Largest first; the caption says how many there are in all. */
const ROWS_MAX = 20_000;
/** Files whose next read is predicted within so many hours after the last access of the study; ours. */
const STAGE_HOURS = 24;
/** Read-heavy files with at least so many read runs; ours. */
const REPLICATE_READS = 10;

const COLUMNS = [
  ["file", "File", "text", "Record id."],
  ["path", "Path", "text", "Name, where recorded."],
  ["mount", "Mount", "text", "Mount point."],
  ["class", "Class", "text", "Read-heavy, write-heavy or both (A05)."],
  ["bytesRead", "Read", "bytes", "Bytes read over the period."],
  ["bytesWritten", "Written", "bytes", "Bytes written over the period."],
  ["runs", "Runs", "count", "Runs that touched the file."],
  ["applications", "Applications", "count", "Distinct applications."],
  ["lastAccess", "Last access", "unix-seconds", "Start of the last run that moved its bytes."],
  ["meanGap", "Mean gap", "seconds", "Mean time between successive runs, start to start."],
  ["nextAccess", "Next access", "unix-seconds", "Predicted: last access plus mean gap."],
  ["nextRead", "Next read", "unix-seconds", "Predicted: last read run plus mean gap of read runs."],
  ["nextWrite", "Next write", "unix-seconds", "Predicted: last write run plus mean gap of write runs."],
] as const;

export async function outputTables(db: Queryable, options: ReuseOptions): Promise<TableBlock[]> {
  const prepared = await prepare(db, options);
  if (prepared.files === 0) return [];
  await matrixTable(prepared);
  const next = (last: string, gap: string) => `${last} / 1e9 + ${gap} * 3600`;
  await db.run(`create or replace temp view reuse_outlook as
    select s.file_id, d.mount, s.bytes_read, s.bytes_written, s.runs, s.class, m.applications, m.reads,
      m.last_ns / 1e9 as last, m.gap_any * 3600 as gap, ${next("m.last_ns", "m.gap_any")} as next_any,
      ${next("m.last_read_ns", "m.gap_read")} as next_read, ${next("m.last_write_ns", "m.gap_write")} as next_write,
      s.bytes_read + s.bytes_written as total
    from reuse_selected s join reuse_matrix m on s.file_no = m.file_no join reuse_mounts d on s.mount_no = d.mount_no`);
  const end = Number(prepared.lastNs) / 1e9;
  const list = async (id: string, caption: string, where: string): Promise<TableBlock> => {
    const [{ n } = { n: 0 }] = await db.rows(`select count(*) as n from reuse_outlook where ${where}`);
    const rows = await db.rows(`with chosen as (select * from reuse_outlook where ${where}
        order by total desc, file_id limit ${ROWS_MAX}),
      names as (select file_id, min(path) as path from files where file_id in (select file_id from chosen) group by file_id)
      select c.*, names.path from chosen c left join names on c.file_id = names.file_id order by c.total desc, c.file_id`);
    return table(id, caption, COLUMNS, rows.map(cells), number(n));
  };
  return [
    await list("files", "Selected files, largest first, with class and predicted next access.", "true"),
    await list(
      "files-to-compress",
      `Files that rest: written and never read, or with ${options.gapHours} hours and more between runs.`,
      `(class = -1 and coalesce(reads, 0) = 0) or gap >= ${options.gapHours * 3600}`,
    ),
    await list(
      "files-to-stage-in",
      `Files whose next read is predicted within ${STAGE_HOURS} hours after the last access of the study.`,
      `next_read between ${end} and ${end + STAGE_HOURS * 3600}`,
    ),
    await list(
      "files-to-replicate",
      `Read-heavy files with ${REPLICATE_READS} and more read runs: copies on several OSTs would share their load.`,
      `class = 1 and reads >= ${REPLICATE_READS}`,
    ),
  ];
}

function cells(row: SqlRow): Cell[] {
  const time = (value: SqlRow[string] | undefined) =>
    value === null || value === undefined ? null : Math.round(Number(value) * 1000) / 1000;
  return [
    String(row.file_id),
    row.path === null ? null : String(row.path),
    row.mount === null ? null : String(row.mount),
    className(row.class),
    exact(row.bytes_read),
    exact(row.bytes_written),
    number(row.runs),
    row.applications === null ? null : number(row.applications),
    time(row.last),
    time(row.gap),
    time(row.next_any),
    time(row.next_read),
    time(row.next_write),
  ];
}
