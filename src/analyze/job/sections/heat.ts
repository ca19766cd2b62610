import { formatBytes, formatSeconds } from "../../../base/units.ts";
import type { Figure, HeatReach, Section } from "../../../model/index.ts";
import type { Activity } from "../activity.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { ReportInput } from "../input.ts";
import type { Job } from "../job.ts";
import { countedProcesses, whoOf } from "../who.ts";

export function heat({ job }: ReportInput): Section {
  const { one, label } = whoOf(job);
  const common = { id: "heat", title: `${label} over time` };
  if (job.activity === undefined)
    return {
      ...common,
      blocks: [
        {
          kind: "notice",
          level: "missing",
          text:
            job.files.length === 0
              ? "No I/O was recorded, so there is no time series."
              : "The log has neither a heat map nor traces.",
          how: "Darshan 3.4 and later record the heat map by default (module HEATMAP); for traces set DARSHAN_MOD_ENABLE=DXT_POSIX,DXT_MPIIO, or DXT_ENABLE_IO_TRACE=1 before 3.4.",
        },
      ],
    };
  return {
    ...common,
    intro: `Each row is a ${one} or a group of them, each column a time interval; the colours below the figure run from few bytes to many. The bars on the right are bytes per ${one}, those on top bytes over time.`,
    blocks: [{ kind: "figure", figure: heatFigure(job.activity, job) }],
  };
}

/** At most this many columns: more than a page is wide in cells that can be seen. */
const COLUMNS_MAX = 200;

/** Where the axis of time ends. */
export const heatEnd = ({ bytesRead, binSeconds }: Activity) => {
  const joined = Math.ceil(bytesRead.length / COLUMNS_MAX);
  return Math.ceil(bytesRead.length / joined) * (binSeconds * joined);
};

/** What scales must reach to hold all of them. */
export function commonReach(activities: readonly Activity[]): HeatReach {
  let [least, most, column, row] = [Number.POSITIVE_INFINITY, 0, 0, 0];
  for (const { rows, bytesRead, cellsRead, cellsWritten } of activities) {
    const columns = bytesRead.length;
    const joined = Math.ceil(columns / COLUMNS_MAX);
    const used = Math.ceil(columns / joined);
    const cells = new Float64Array(rows * used);
    const [byColumn, byRow] = [new Float64Array(used), new Float64Array(rows)];
    for (let cell = 0; cell < rows * columns; cell++) {
      const bytes = (cellsRead[cell] || 0) + (cellsWritten[cell] || 0);
      const [y, x] = [Math.floor(cell / columns), Math.floor((cell % columns) / joined)];
      cells[y * used + x] = (cells[y * used + x] as number) + bytes;
      byColumn[x] = (byColumn[x] as number) + bytes;
      byRow[y] = (byRow[y] as number) + bytes;
    }
    for (const bytes of cells) if (bytes > 0) [least, most] = [Math.min(least, bytes), Math.max(most, bytes)];
    for (const bytes of byColumn) column = Math.max(column, bytes);
    for (const bytes of byRow) row = Math.max(row, bytes);
  }
  return { cells: [least, most], column, row };
}

/** The axis of time goes on to `endSeconds` where a figure beside it does, and scales to what that reaches. */
export function heatFigure(activity: Activity, job: Job, endSeconds = 0, reach?: HeatReach): Figure {
  const { rows, ranksPerRow, source, layer } = activity;
  const { one } = whoOf(job);
  const counted = countedProcesses(job);
  const columns = activity.bytesRead.length;
  const joined = Math.ceil(columns / COLUMNS_MAX);
  const used = Math.ceil(columns / joined);
  const width = activity.binSeconds * joined;
  const edges = Array.from({ length: used + 1 }, (_, i) => i * width);
  // One empty column, as wide as it takes.
  if (endSeconds > used * width) edges.push(endSeconds);
  const shown = edges.length - 1;
  const join = (cells: Float64Array) => {
    const sums = new Float64Array(rows * shown);
    cells.forEach((value, cell) => {
      const at = Math.floor(cell / columns) * shown + Math.floor((cell % columns) / joined);
      sums[at] = (sums[at] as number) + value;
    });
    return sums;
  };
  const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  const [read, written] = [total(activity.bytesRead), total(activity.bytesWritten)];
  const active = new Set([...activity.rankBytesRead.keys(), ...activity.rankBytesWritten.keys()]).size;
  const busiest = activity.bytesRead.reduce(
    (best, bytes, column) => {
      const sum = bytes + (activity.bytesWritten[column] as number);
      return sum > best.sum ? { sum, column } : best;
    },
    { sum: -1, column: 0 },
  );
  return {
    id: "ranks-over-time",
    title: `${layer} bytes of each ${one} over time`,
    caption: `${counted}${ranksPerRow > 1 ? `, ${ranksPerRow} in a row` : ""}; columns of ${formatSeconds(width)}; ${formatBytes(read)} read and ${formatBytes(written)} written by ${active} of ${counted}. From ${source === "HEATMAP" ? "the heat map of the log" : "traced calls, bytes spread evenly over each call"}.`,
    summary: `${active} of ${counted} moved data; the busiest ${formatSeconds(activity.binSeconds)} begin at ${formatSeconds(busiest.column * activity.binSeconds)} with ${formatBytes(Math.max(0, busiest.sum))}.`,
    definition: DEFINITIONS.heat.id,
    options: { source, layer, columnSeconds: width, ranksPerRow },
    chart: {
      kind: "heat",
      x: {
        label: "time since the start",
        unit: "seconds",
        edges: Float64Array.from(edges),
      },
      y: {
        label: one,
        unit: "index",
        edges: Float64Array.from({ length: rows + 1 }, (_, i) => Math.min(i * ranksPerRow, job.rankEnd)),
      },
      value: { label: "bytes", unit: "bytes", scale: "log" },
      parts: [
        { name: "read", role: "read", cells: join(activity.cellsRead) },
        { name: "written", role: "write", cells: join(activity.cellsWritten) },
      ],
      topLabel: "bytes over time",
      rightLabel: `bytes per ${one}`,
      ...(reach !== undefined && { reach }),
    },
  };
}
