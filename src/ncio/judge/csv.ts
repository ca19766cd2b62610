/** Points as CSV, a row each, with exact numbers. */
import { csvRow, type CsvValue } from "../../base/csv.ts";
import type { NcioPoint } from "../../model/index.ts";

const COLUMNS: readonly (readonly [name: string, value: (point: NcioPoint) => CsvValue])[] = [
  ["pattern", (point) => point.pattern],
  ["case", (point) => point.case],
  ["method", (point) => point.method],
  ["direction", (point) => point.direction],
  ["count", (point) => point.count],
  ["size_bytes", (point) => point.size],
  ["spacing_bytes", (point) => point.spacing],
  ["ranks", (point) => point.ranks],
  ["backend", (point) => point.backend],
  ["servers", (point) => point.servers],
  ["launch", (point) => point.launch],
  ["bytes", (point) => point.bytes],
  ["bandwidth_bytes_per_second", (point) => point.bandwidthBytesPerSecond],
  ["bandwidth_low", (point) => point.spread.low],
  ["bandwidth_high", (point) => point.spread.high],
  ["spread", (point) => point.spread.relative],
  ["bandwidth_without_sync", (point) => point.bandwidthWithoutSyncBytesPerSecond],
  ["seconds", (point) => point.seconds],
  ["sync_seconds", (point) => point.syncSeconds],
  ["requests", (point) => point.requests],
  ["expected_requests", (point) => point.expectedRequests],
  ["messages", (point) => point.messages],
  ["expected_messages", (point) => point.expectedMessages],
  ["moved_bytes", (point) => point.movedBytes],
  ["bps", (point) => point.bps],
  ["iops", (point) => point.iops],
  ["arpt_seconds", (point) => point.arptSeconds],
  ["late_seconds", (point) => point.lateSeconds],
  ["punctual_seconds", (point) => point.punctualSeconds],
  ["modes", (point) => point.modes?.join("; ")],
  ["repeats", (point) => point.repeats],
  ["warm_ups", (point) => point.warmUps],
  ["verified", (point) => point.verified],
  ["notes", (point) => point.notes.join("; ")],
];

export function pointsCsv(points: readonly NcioPoint[]): string {
  const rows = [
    COLUMNS.map(([name]) => name),
    ...points.map((point) => COLUMNS.map(([, value]) => value(point))),
  ];
  return `${rows.map(csvRow).join("\n")}\n`;
}
