/** Points for the terminal. */
import { textTable } from "../../base/text-table.ts";
import { formatBytes, formatCount, formatRate, formatShare } from "../../base/units.ts";
import type { NcioPoint } from "../../model/index.ts";
import { formatValue } from "../../plot/index.ts";

type Cell = (point: NcioPoint) => string;

const COLUMNS: readonly (readonly [string, Cell, "left" | "right"])[] = [
  ["case", (point) => point.case, "left"],
  ["method", ({ method }) => method, "left"],
  ["", ({ direction }) => direction, "left"],
  ["bandwidth", ({ bandwidthBytesPerSecond: rate }) => formatRate(rate), "right"],
  ["spread", ({ spread }) => formatShare(spread.relative), "right"],
  ["time", ({ seconds }) => formatValue(seconds, "seconds"), "right"],
  [
    "sync time",
    ({ syncSeconds, direction }) => (direction === "read" ? "" : formatValue(syncSeconds, "seconds")),
    "right",
  ],
  [
    "ranks on time",
    ({ punctualSeconds }) => (punctualSeconds === undefined ? "" : formatValue(punctualSeconds, "seconds")),
    "right",
  ],
  ["requests", ({ requests }) => (requests === null ? "hidden" : formatCount(requests)), "right"],
  ["messages", ({ messages }) => (messages === null || messages === 0 ? "" : formatCount(messages)), "right"],
  ["moved", ({ movedBytes }) => (movedBytes === null ? "" : formatBytes(movedBytes)), "right"],
  ["BPS", ({ bps }) => formatCount(bps), "right"],
];

export function pointLines(points: readonly NcioPoint[]): string[] {
  const shown = COLUMNS.filter(([, cell]) => points.some((point) => cell(point) !== ""));
  return textTable(
    shown.map(([label, , align]) => ({ label, right: align === "right" })),
    points.map((point) => shown.map(([, cell]) => cell(point))),
  );
}

/** Where points were measured, and by whom. */
export function storageLines([first]: readonly NcioPoint[], machine: string): string[] {
  if (first === undefined) return [];
  const servers = first.servers === undefined ? "" : ` (${first.servers})`;
  return [
    `Storage    ${first.backend}${servers}${machine === "not recorded" ? "" : `; ${machine}`}`,
    `Ranks      ${first.ranks}, ${first.launch}${first.lateSeconds === undefined ? "" : `; the last one starts ${formatValue(first.lateSeconds, "seconds")} late`}`,
  ];
}

/** What is the same for all points, and how they were measured. */
export function headLines(points: readonly NcioPoint[], machine: string, layout: string): string[] {
  const [first] = points;
  if (first === undefined) return [];
  const kept = first.repeats < 3 ? first.repeats : first.repeats - 2;
  return [
    ...storageLines(points, machine),
    ...modeLines(points),
    `Layout     ${layout}`,
    `Measured   mean of ${kept} of ${first.repeats} repeats after ${first.warmUps} warm-ups${first.verified ? "; every byte verified" : "; not verified"}`,
  ];
}

const modeLines = (points: readonly NcioPoint[]): string[] => {
  const modes = [...new Set(points.flatMap((point) => point.modes ?? []))];
  return modes.length === 0 ? [] : [`Modes      ${modes.join("; ")}`];
};

export function noteLines(points: readonly NcioPoint[]): string[] {
  const wrong = points.filter(
    ({ requests, expectedRequests: expected }) =>
      requests !== null && expected !== null && requests !== expected,
  );
  const notes = new Set(points.flatMap(({ notes: list }) => list));
  for (const { method, case: name, requests, expectedRequests } of wrong)
    notes.add(`${method} ${name}: ${requests} requests; the formula gives ${expectedRequests}`);
  return [...notes].map((note) => `Note       ${note}`);
}
