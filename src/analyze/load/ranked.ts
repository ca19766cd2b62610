/** Rankings of runs, files and applications: rows in order, and as a document. */
import { formatCount } from "../../base/units.ts";
import type { Cell, Document } from "../../model/index.ts";
import { type Column, table } from "./blocks.ts";

export const RANKED = ["runs", "files", "applications"] as const;
export const RANKED_ORDERS = [
  ...(["bytes", "read", "write", "calls", "opens", "metadata"] as const),
  ...(["io-time", "rate", "run-time", "files", "runs"] as const),
] as const;
export type RankedOrder = (typeof RANKED_ORDERS)[number];

/** A row of any of the three kinds; fields that a kind lacks are missing. */
export interface RankedRow {
  readonly [key: string]: string | number | null;
}

type Value = (row: RankedRow) => number | null;

const sum = (row: RankedRow, ...keys: readonly string[]) =>
  keys.reduce((all, key) => all + Number(row[key] ?? 0), 0);

/** Bytes over the I/O time of the slowest rank, as darshan-parser's agg_perf_by_slowest. */
const rateOf: Value = (row) => {
  const seconds = row.slowestSeconds;
  const bytes = row.ratedBytes ?? sum(row, "bytesRead", "bytesWritten");
  return typeof seconds === "number" && seconds > 0 ? Number(bytes) / seconds : null;
};

const number =
  (key: string): Value =>
  (row) =>
    typeof row[key] === "number" ? row[key] : null;

const ORDERS: Readonly<Record<RankedOrder, Value>> = {
  bytes: (row) => sum(row, "bytesRead", "bytesWritten"),
  read: number("bytesRead"),
  write: number("bytesWritten"),
  calls: (row) => sum(row, "reads", "writes"),
  opens: number("opens"),
  metadata: number("metadataSeconds"),
  "io-time": number("seconds"),
  rate: rateOf,
  "run-time": number("runSeconds"),
  files: number("files"),
  runs: number("runs"),
};

const SUMS: readonly Column[] = [
  ["bytesRead", "Read", "bytes", "Bytes read below MPI-IO."],
  ["bytesWritten", "Written", "bytes", "Bytes written below MPI-IO."],
  ["opens", "Opens", "count", "Opens."],
  ["reads", "Reads", "count", "Read calls below MPI-IO."],
  ["writes", "Writes", "count", "Write calls below MPI-IO."],
  ["seconds", "I/O time, all ranks", "seconds", "Read + write + metadata time, summed over ranks."],
  ["metadataSeconds", "Metadata time", "seconds", "Metadata part of the I/O time, summed over ranks."],
];

export const RANKED_COLUMNS: Readonly<Record<(typeof RANKED)[number], readonly Column[]>> = {
  runs: [
    ["source", "Log", "text", "Log file."],
    ["application", "Program", "text", "Base name of the executable."],
    ["jobId", "Job", "text", "Job id of the scheduler."],
    ["userId", "User", "text", "User id."],
    ["ranks", "Ranks", "count", "Processes of the run."],
    ["startUnixSeconds", "Start", "unix-seconds", "Start, UTC."],
    ["runSeconds", "Run time", "seconds", "End - start."],
    ["files", "Files", "count", "Files with a record."],
    ...SUMS,
    [
      "slowestSeconds",
      "Slowest rank",
      "seconds",
      "Time of the slowest rank in its own files, plus the slowest of each shared file.",
    ],
    ["bytesPerSecond", "Throughput", "bytes/s", "Bytes / time of the slowest rank (agg_perf_by_slowest)."],
    ["partialModules", "Incomplete", "text", "Modules that ran out of memory: numbers are lower bounds."],
  ],
  files: [
    ["path", "Path", "text", "Name as recorded."],
    ["runs", "Runs", "count", "Runs with a record of the file."],
    ...SUMS,
  ],
  applications: [
    ["application", "Program", "text", "Base name of the executable."],
    ["runs", "Runs", "count", "Number of runs."],
    ["users", "Users", "count", "Different users."],
    ["runSeconds", "Run time", "seconds", "Summed over runs."],
    ["files", "Files", "count", "Files with a record, summed over runs."],
    ...SUMS,
    [
      "slowestSeconds",
      "Slowest ranks",
      "seconds",
      "Time of the slowest rank, summed over runs where it is known.",
    ],
    ["bytesPerSecond", "Throughput", "bytes/s", "Bytes of these runs / that time."],
  ],
};

/** Priority of columns on a narrow terminal, after the name and the sort column. */
const COLUMNS_FIRST = [
  ...["path", "source", "application", "runs", "ranks", "partialModules", "bytesRead", "bytesWritten"],
  ...["runSeconds", "bytesPerSecond", "seconds", "slowestSeconds", "files", "jobId", "metadataSeconds"],
  ...["opens", "users", "userId", "reads", "writes", "startUnixSeconds"],
];

const ORDER_COLUMNS: Readonly<Record<RankedOrder, readonly string[]>> = {
  bytes: ["bytesRead", "bytesWritten"],
  read: ["bytesRead"],
  write: ["bytesWritten"],
  calls: ["reads", "writes"],
  opens: ["opens"],
  metadata: ["metadataSeconds"],
  "io-time": ["seconds"],
  rate: ["bytesPerSecond"],
  "run-time": ["runSeconds"],
  files: ["files"],
  runs: ["runs"],
};

export function importantColumns(
  what: (typeof RANKED)[number],
  order: RankedOrder,
  rows: readonly RankedRow[],
): string[] {
  const keys = RANKED_COLUMNS[what].map(([key]) => key);
  const says = (key: string) => key !== "partialModules" || rows.some((row) => row[key]);
  const wanted = [keys[0] as string, ...ORDER_COLUMNS[order], ...COLUMNS_FIRST];
  return [...new Set(wanted)].filter((key) => keys.includes(key) && says(key));
}

/** Largest first; unknown values last. */
export function ranked(rows: readonly RankedRow[], order: RankedOrder, limit: number): RankedRow[] {
  const value = ORDERS[order];
  const keyed = rows.map((row, index) => ({ row, index, key: value(row) ?? Number.NEGATIVE_INFINITY }));
  keyed.sort((a, b) => (a.key === b.key ? a.index - b.index : b.key - a.key));
  return keyed.slice(0, limit).map(({ row }) => row);
}

/** Whether rows of this kind have this order. */
export const hasOrder = (what: (typeof RANKED)[number], order: RankedOrder): boolean => {
  if (order === "rate") return what !== "files";
  const keys = RANKED_COLUMNS[what].map(([key]) => key);
  return order === "run-time"
    ? keys.includes("runSeconds")
    : order === "files" || order === "runs"
      ? keys.includes(order)
      : true;
};

/** Runs of one program in one row. */
export function byApplication(runs: readonly RankedRow[]): RankedRow[] {
  const groups = new Map<string, Record<string, number | string | null> & { seen: Set<unknown> }>();
  const keys = ["runSeconds", "files", ...SUMS.map(([key]) => key)];
  for (const run of runs) {
    const application = String(run.application ?? "");
    let group = groups.get(application);
    if (group === undefined) {
      const zeros = Object.fromEntries(keys.map((key) => [key, 0]));
      group = Object.assign(zeros, {
        application,
        runs: 0,
        // Unknown until the first run with a value.
        slowestSeconds: null,
        ratedBytes: 0,
        seen: new Set(),
      });
      groups.set(application, group);
    }
    group.runs = Number(group.runs) + 1;
    group.seen.add(run.userId);
    for (const key of keys) group[key] = Number(group[key]) + Number(run[key] ?? 0);
    if (typeof run.slowestSeconds === "number") {
      group.slowestSeconds = Number(group.slowestSeconds) + run.slowestSeconds;
      group.ratedBytes = Number(group.ratedBytes) + sum(run, "bytesRead", "bytesWritten");
    }
  }
  return [...groups.values()].map(
    ({ seen, ...row }) => ({ ...row, users: seen.size }) as unknown as RankedRow,
  );
}

/** A row as the cells of its columns. */
export const rankedCells = (what: (typeof RANKED)[number], row: RankedRow): Cell[] =>
  RANKED_COLUMNS[what].map(([key]) => (key === "bytesPerSecond" ? rateOf(row) : (row[key] ?? null)));

export function rankedDocument(
  what: (typeof RANKED)[number],
  rows: readonly RankedRow[],
  total: number,
  order: RankedOrder,
  about: { readonly command: string; readonly madeBy: string },
): Document {
  const caption = `The first ${formatCount(rows.length)} of ${formatCount(total)} ${what} by ${order}.`;
  const cells = rows.map((row) => rankedCells(what, row));
  return {
    title: `Top ${what} by ${order}`,
    facts: [],
    verdict: caption,
    sections: [
      {
        id: "ranking",
        title: "Ranking",
        blocks: [
          {
            ...table("ranking", caption, RANKED_COLUMNS[what], cells, total),
            important: importantColumns(what, order, rows),
            more: "raise --limit",
          },
        ],
      },
    ],
    ...about,
  };
}
