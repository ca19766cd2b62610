/** What the findings are good for: lists of files and hours that later steps turn into plans. */
import type { Cell, Queryable, TableBlock } from "../../../model/index.ts";
import { className } from "./a12-osts.ts";
import { fileIds } from "./file-ids.ts";
import { exact, number, table } from "./item.ts";
import type { Prepared } from "./prepare.ts";

/** Largest first; the caption says how many there are in all. */
const ROWS_MAX = 20_000;
/** Files whose next read is predicted within this many hours after the last access of the study; ours. */
const STAGE_HOURS = 24;
/** Read-heavy files with at least this many read runs; ours. */
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

/** Tables of files; without `details` only how many rows they have. */
export async function outputTables(
  prepared: Prepared,
  details = true,
): Promise<{ tables: TableBlock[]; counts: Record<string, RowCount> }> {
  const { db, options, classes, scan } = prepared;
  if (prepared.files === 0) return { tables: [], counts: {} };
  const { sequences } = scan;
  const end = Number(scan.facts.lastNs) / 1e9;
  const gap = (file: number) => (sequences.gapAny[file] as number) * 3600;
  const nextRead = (file: number) =>
    (sequences.lastRead[file] as number) + (sequences.gapRead[file] as number) * 3600;
  const tests: [id: string, caption: string, test: (file: number) => boolean][] = [
    ["files", "Selected files, largest first, with class and predicted next access.", () => true],
    [
      "files-to-compress",
      `Idle files: written and never read, or with at least ${options.gapHours} hours between runs.`,
      (file) => (classes[file] === -1 && sequences.reads[file] === 0) || gap(file) >= options.gapHours * 3600,
    ],
    [
      "files-to-stage-in",
      `Files whose next read is predicted within ${STAGE_HOURS} hours after the last access of the study.`,
      (file) => nextRead(file) >= end && nextRead(file) <= end + STAGE_HOURS * 3600,
    ],
    [
      "files-to-replicate",
      `Read-heavy files with at least ${REPLICATE_READS} read runs: copies on several OSTs would share their load.`,
      (file) => classes[file] === 1 && (sequences.reads[file] as number) >= REPLICATE_READS,
    ],
  ];
  if (!details)
    return {
      tables: [],
      counts: Object.fromEntries(tests.map(([id, , test]) => [id, countOf(classes, test)])),
    };
  const { file_no: largest = new Float64Array() } = await db.columns(
    "select file_no from reuse_selected order by bytes_read + bytes_written desc, file_no",
  );
  const lists = tests.map(([, , test]) => firstOf(largest, test));
  const chosen = [...new Set(lists.flatMap(({ files }) => files))];
  const ids = await fileIds(db, chosen, true);
  const sums = await totalsOf(db, chosen);
  const row = (file: number): Cell[] => {
    const { id = "", path = null, mount = null } = ids.get(file) ?? {};
    const { bytesRead = 0n, bytesWritten = 0n, runs = 0 } = sums.get(file) ?? {};
    const next = (last: Float64Array, gaps: Float64Array) =>
      time((last[file] as number) + (gaps[file] as number) * 3600);
    const applications = scan.sharing.applications[file] as number;
    return [
      id,
      path,
      mount,
      className(classes[file]),
      bytesRead,
      bytesWritten,
      runs,
      Number.isNaN(applications) ? null : applications,
      time(sequences.last[file] as number),
      time(gap(file)),
      next(sequences.last, sequences.gapAny),
      next(sequences.lastRead, sequences.gapRead),
      next(sequences.lastWrite, sequences.gapWrite),
    ];
  };
  const tables = tests.map(([id, caption], i) => {
    const { files, total } = lists[i] as { files: number[]; total: number };
    return table(id, caption, COLUMNS, files.map(row), total);
  });
  const counts = tables.map(({ id, rows, rowsTotal }) => [
    id,
    { rows: rows.length, total: rowsTotal ?? rows.length },
  ]);
  return { tables, counts: Object.fromEntries(counts) };
}

/** How many rows a table has, and how many files there are for it. */
export interface RowCount {
  readonly rows: number;
  readonly total: number;
}

function countOf({ length }: ArrayLike<number>, test: (file: number) => boolean): RowCount {
  let total = 0;
  for (let file = 0; file < length; file++) if (test(file)) total++;
  return { rows: Math.min(total, ROWS_MAX), total };
}

/** The first files that pass, and how many do. */
function firstOf(files: Float64Array, test: (file: number) => boolean): { files: number[]; total: number } {
  const first: number[] = [];
  let total = 0;
  for (const file of files) {
    if (!test(file)) continue;
    total++;
    if (first.length < ROWS_MAX) first.push(file);
  }
  return { files: first, total };
}

async function totalsOf(db: Queryable, files: readonly number[]) {
  const rows = await db.rows(`select s.file_no, s.bytes_read, s.bytes_written, s.runs from reuse_selected s
    where s.file_no in (select cast(unnest(string_split('${files.join(" ")}', ' ')) as uinteger))`);
  return new Map(
    rows.map((row) => [
      number(row.file_no),
      { bytesRead: exact(row.bytes_read), bytesWritten: exact(row.bytes_written), runs: number(row.runs) },
    ]),
  );
}

/** Milliseconds are enough. */
const time = (seconds: number): number | null =>
  Number.isNaN(seconds) ? null : Math.round(seconds * 1000) / 1000;
