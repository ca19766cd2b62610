/** The tables of a collection. */
import { type Cell, table, type TableBlock, type TableColumn, tableColumns } from "../../model/index.ts";
import type { GroupTable, Grouping, Metrics, MetricValues, WindowTable } from "./metrics.ts";

const WINDOW_ROWS_MAX = 2000;

const valueColumns = ({ bandwidthOf }: MetricValues): readonly TableColumn[] => tableColumns`
  accesses | Accesses | count | N: accesses that the application made.
  bytes | Bytes | bytes | B in bytes: requested by the accesses.
  ioTimeSeconds | T | seconds | I/O time of this row (C02); rows overlap, so it does not add up.
  bps | BPS | blocks/s | Blocks requested / T of the row (C03).
  iops | IOPS | calls/s | Accesses / T of the row (C04).
  bandwidthBytesPerSecond | Bandwidth | bytes/s | ${bandwidthOf === "moved" ? "Bytes moved / T of the row (C04)." : "Bytes requested / T of the row (C04)."}
  arptSeconds | ARPT | seconds | Mean duration of an access (C04).
`;

const valueCells = (one: MetricValues): Cell[] => [
  ...[one.accesses, one.bytes, one.ioTimeSeconds],
  ...[one.bps, one.iops, one.bandwidthBytesPerSecond, one.arptSeconds],
];

const LABELS: Readonly<Record<Grouping, readonly [one: string, several: string]>> = {
  process: ["Process", "processes"],
  file: ["File", "files"],
  program: ["Program", "programs"],
  host: ["Host", "hosts"],
  input: ["Input", "inputs"],
  direction: ["Direction", "directions"],
};

export const groupTitle = (by: Grouping): string => `By ${by}`;

export function groupBlock({ by, rows, total }: GroupTable, metrics: Metrics): TableBlock {
  const [one, several] = LABELS[by];
  const which =
    rows.length < total ? `The ${rows.length} of ${total} ${several} with most bytes.` : "Most bytes first.";
  return {
    kind: "table",
    id: `bps-by-${by}`,
    caption: `${which} T is that of the row alone.`,
    columns: [{ key: by, label: one, unit: "text", about: `Name of the ${by}.` }, ...valueColumns(metrics)],
    rows: rows.map((row) => [row.name, ...valueCells(row)]),
    rowsTotal: total,
    sortedBy: "bytes",
    searchable: rows.length > 20,
  };
}

export function windowBlock({ everyNs, rows }: WindowTable): TableBlock {
  const shown = rows.slice(0, WINDOW_ROWS_MAX);
  return {
    kind: "table",
    id: "bps-windows-table",
    caption: `Windows of ${everyNs / 1e9} s${rows.length > shown.length ? `, the first ${shown.length}` : ""}. Windows without I/O have no rates.`,
    columns: tableColumns`
      start | From | seconds | Start of the window, after the first start.
      accesses | Accesses | count | Accesses that start in the window.
      bytes | Bytes | bytes | Bytes requested, spread over the duration of accesses.
      ioTimeSeconds | T | seconds | I/O time in the window.
      bps | BPS | blocks/s | Blocks of the window / its T.
      iops | IOPS | calls/s | Accesses that start in the window / its T.
      concurrency | Concurrency | count | Mean number of concurrent accesses over its T.
    `,
    rows: shown.map((row) => [
      ...[row.startSeconds, row.accesses, row.bytes, row.ioTimeSeconds],
      ...[row.bps, row.iops, row.meanConcurrency],
    ]),
    rowsTotal: rows.length,
    pale: shown.map(({ ioTimeSeconds }) => ioTimeSeconds === 0),
  };
}

export function leftOutBlock({ dropped, filtered }: Metrics): TableBlock | undefined {
  const reasons: readonly (readonly [string, number, string])[] = [
    ["ends before it starts", dropped.endBeforeStart, "dropped"],
    ["a time is missing or impossible", dropped.timeUnknown, "dropped"],
    ["negative size", dropped.sizeNegative, "dropped"],
    ["size missing, not an integer, or 4 PiB and more", dropped.sizeUnknown, "dropped"],
    ["the recorder could not keep it", dropped.notRecorded, "never recorded"],
    ["on a pipe, socket or terminal (--include-nonfile counts it)", filtered.nonFile, "excluded by options"],
    ["of the other direction (--only)", filtered.direction, "excluded by options"],
    ["of another file (--file)", filtered.file, "excluded by options"],
    ["starts at another time (--from, --to)", filtered.time, "excluded by options"],
  ];
  const rows = reasons.filter(([, count]) => count > 0);
  if (rows.length === 0) return undefined;
  return table(
    "bps-left-out",
    "Accesses not counted, by reason.",
    [
      ["reason", "Reason", "text", "Why it does not count."],
      ["accesses", "Accesses", "count", "Number of accesses."],
      ["kind", "What", "text", "Bad data, or excluded by options."],
    ],
    rows.map(([reason, count, kind]) => [reason, count, kind]),
  );
}

const CLOCKS = {
  realtime: "wall-clock time",
  own: "unknown start",
  none: "none",
} as const;

export function inputsBlock({ inputs }: Metrics): TableBlock {
  return table(
    "bps-inputs",
    "Inputs read.",
    [
      ["input", "Input", "text", "Name as given on the command line."],
      ["accesses", "Accesses", "count", "Accesses that count."],
      ["bytes", "Bytes", "bytes", "Bytes requested."],
      ["clock", "Clock", "text", "Origin of its times."],
    ],
    inputs.slice(0, 500).map(({ name, accesses, bytes, clock }) => [name, accesses, bytes, CLOCKS[clock]]),
    inputs.length,
  );
}
