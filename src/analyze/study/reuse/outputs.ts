/** What the findings are good for: lists of files and hours that later steps turn into plans. */
import type { Cell, Queryable, TableBlock } from "../../../model/index.ts";
import { className } from "./a12-osts.ts";
import { fileIds } from "./file-ids.ts";
import { exact, number, table } from "./item.ts";
import type { Prepared } from "./prepare.ts";
import { eachPage } from "./sweep/index.ts";

/** Largest first; the caption says how many there are in all. */
const ROWS_MAX = 20_000;
/** Files whose next read is predicted within this many hours after the last access of the study; ours. */
const STAGE_HOURS = 24;
/** Read-heavy files with at least this many read runs; ours. */
const REPLICATE_READS = 10;

const COLUMNS = [
  ["file", "File", "text", "Record id."],
  ["path", "Path", "text", "Name, if recorded."],
  ["mount", "Mount", "text", "Mount point."],
  ["class", "Class", "text", "Read-heavy, write-heavy or both (A05)."],
  ["bytesRead", "Read", "bytes", "Bytes read over the period."],
  ["bytesWritten", "Written", "bytes", "Bytes written over the period."],
  ["runs", "Runs", "count", "Runs that touched the file."],
  ["applications", "Applications", "count", "Distinct applications."],
  ["lastAccess", "Last access", "unix-seconds", "Start of the last run that read or wrote it."],
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
  const tests: [id: string, caption: string, test: (file: Facts) => boolean][] = [
    ["files", "Selected files, largest first, with class and predicted next access.", () => true],
    [
      "files-to-compress",
      `Idle files: written and never read, or with at least ${options.gapHours} hours between runs.`,
      ({ of, reads, gapAny }) => (of === -1 && reads === 0) || gapAny * 3600 >= options.gapHours * 3600,
    ],
    [
      "files-to-stage-in",
      `Files whose next read is predicted within ${STAGE_HOURS} hours after the last access of the study.`,
      ({ lastRead, gapRead }) => {
        const next = lastRead + gapRead * 3600;
        return next >= end && next <= end + STAGE_HOURS * 3600;
      },
    ],
    [
      "files-to-replicate",
      `Read-heavy files with at least ${REPLICATE_READS} read runs: copies on several OSTs would split their load.`,
      ({ of, reads }) => of === 1 && reads >= REPLICATE_READS,
    ],
  ];
  const { passed, totals } = passedTests(
    prepared,
    tests.map(([, , test]) => test),
  );
  if (!details) {
    const counts = tests.map(([id], i) => {
      const total = totals[i] as number;
      return [id, { rows: Math.min(total, ROWS_MAX), total }];
    });
    return { tables: [], counts: Object.fromEntries(counts) };
  }
  const { file_no: largest = new Float64Array() } = await db.columns(
    "select file_no from reuse_selected order by bytes_read + bytes_written desc, file_no",
  );
  const lists = tests.map((_, i) => firstOf(largest, passed, 1 << i));
  const chosen = [...new Set(lists.flat())];
  const place = new Map(chosen.map((file, i) => [file, i]));
  const [last, lastRead, lastWrite] = [
    sequences.last.at(chosen),
    sequences.lastRead.at(chosen),
    sequences.lastWrite.at(chosen),
  ];
  const [gapAny, gapRead, gapWrite] = [
    sequences.gapAny.at(chosen),
    sequences.gapRead.at(chosen),
    sequences.gapWrite.at(chosen),
  ];
  const applicationsOf = scan.sharing.applications.at(chosen);
  const ids = await fileIds(db, chosen, true);
  const sums = await totalsOf(db, chosen);
  const row = (file: number): Cell[] => {
    const { id = "", path = null, mount = null } = ids.get(file) ?? {};
    const { bytesRead = 0n, bytesWritten = 0n, runs = 0 } = sums.get(file) ?? {};
    const at = place.get(file) as number;
    const next = (last: Float64Array, gaps: Float64Array) =>
      time((last[at] as number) + (gaps[at] as number) * 3600);
    const applications = applicationsOf[at] as number;
    return [
      id,
      path,
      mount,
      className(classes[file]),
      bytesRead,
      bytesWritten,
      runs,
      Number.isNaN(applications) ? null : applications,
      time(last[at] as number),
      time((gapAny[at] as number) * 3600),
      next(last, gapAny),
      next(lastRead, gapRead),
      next(lastWrite, gapWrite),
    ];
  };
  const tables = tests.map(([id, caption], i) => {
    return table(id, caption, COLUMNS, (lists[i] as number[]).map(row), totals[i]);
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

/** What is asked of a file for these lists. */
interface Facts {
  readonly of: number;
  readonly reads: number;
  readonly gapAny: number;
  readonly gapRead: number;
  readonly lastRead: number;
}

/** By file the tests that it passes, as bits from the lowest, and how many pass each. */
function passedTests(
  { classes, scan }: Prepared,
  tests: readonly ((file: Facts) => boolean)[],
): { readonly passed: Uint8Array; readonly totals: readonly number[] } {
  const passed = new Uint8Array(classes.length);
  const totals = tests.map(() => 0);
  const { reads, gapAny, gapRead, lastRead } = scan.sequences;
  eachPage([reads, gapAny, gapRead, lastRead], ([reads, gapAny, gapRead, lastRead], from) => {
    for (let i = 0; i < reads.length; i++) {
      const file = {
        of: classes[from + i] as number,
        reads: reads[i] as number,
        gapAny: gapAny[i] as number,
        gapRead: gapRead[i] as number,
        lastRead: lastRead[i] as number,
      };
      for (const [bit, test] of tests.entries()) {
        if (!test(file)) continue;
        passed[from + i] = (passed[from + i] as number) | (1 << bit);
        totals[bit] = (totals[bit] as number) + 1;
      }
    }
  });
  return { passed, totals };
}

/** The first files with this bit. */
function firstOf(files: Float64Array, passed: Uint8Array, bit: number): number[] {
  const first: number[] = [];
  for (const file of files) {
    if (first.length === ROWS_MAX) break;
    if (((passed[file] as number) & bit) !== 0) first.push(file);
  }
  return first;
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
