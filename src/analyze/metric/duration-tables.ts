/** Percentiles of durations as columns, and the tables of a collection. */
import type { Cell, TableBlock, TableColumn } from "../../model/index.ts";
import type { Percentiles } from "./durations.ts";
import type { Metrics } from "./metrics.ts";

export const PERCENTILE_COLUMNS: readonly TableColumn[] = [
  { key: "p50", label: "p50", unit: "seconds", about: "Half of the calls took at most this." },
  { key: "p95", label: "p95", unit: "seconds", about: "95 % of the calls took at most this." },
  { key: "p99", label: "p99", unit: "seconds", about: "99 % of the calls took at most this." },
  { key: "longest", label: "Longest", unit: "seconds", about: "The longest call." },
];

export const percentileCells = ({ p50Seconds, p95Seconds, p99Seconds, maxSeconds }: Percentiles): Cell[] => [
  ...[p50Seconds, p95Seconds, p99Seconds, maxSeconds],
];

export function percentilesBlock({ percentiles }: Metrics): TableBlock | undefined {
  const rows = (["read", "write"] as const).flatMap((way) => {
    const own = percentiles[way];
    return own === null ? [] : [[way, ...percentileCells(own)]];
  });
  if (rows.length === 0) return undefined;
  return {
    kind: "table",
    id: "bps-percentiles",
    caption: "Durations of accesses: exact for up to 256 accesses, within 0.8 % for more.",
    columns: [
      { key: "direction", label: "Direction", unit: "text", about: "Reads or writes." },
      ...PERCENTILE_COLUMNS,
    ],
    rows,
  };
}

export function outliersBlock({ outliers: { accesses, longest } }: Metrics): TableBlock | undefined {
  if (longest.length === 0) return undefined;
  return {
    kind: "table",
    id: "bps-outliers",
    caption: `Accesses longer than ten times the 95th percentile of their file and direction, and longer than 1 ms; longest first.`,
    columns: [
      { key: "start", label: "At", unit: "seconds", about: "Start, relative to the first start." },
      { key: "seconds", label: "Took", unit: "seconds", about: "Duration." },
      { key: "p95", label: "p95", unit: "seconds", about: "95th percentile of its file and direction." },
      { key: "direction", label: "Direction", unit: "text", about: "Read or write." },
      { key: "process", label: "Process", unit: "text", about: "Process of the call." },
      { key: "file", label: "File", unit: "text", about: "Path; empty when not recorded." },
      { key: "offset", label: "Offset", unit: "bytes", about: "File offset." },
      { key: "bytes", label: "Bytes", unit: "bytes", about: "Requested." },
    ],
    rows: longest.map((one) => [
      ...[one.startSeconds, one.seconds, one.p95Seconds, one.direction],
      ...[one.process, one.file, one.offset, one.bytes],
    ]),
    rowsTotal: accesses,
  };
}
