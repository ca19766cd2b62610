/** What is under a point of the timeline. */
import { slotsNeeded, visibleEntries } from "./lane-index.ts";
import { type Layout, rowAt, timeAt } from "./layout.ts";
import { half } from "./paint-lanes.ts";
import type { ViewState } from "./state.ts";
import { visibleCells } from "./sums.ts";
import type { TraceData } from "./trace-data.ts";

export interface Hit {
  readonly lane: number;
  /** The call that is nearest, when there are calls; and how many are within reach in all. */
  readonly call: number | undefined;
  readonly calls: number;
  /** Sums within reach: from calls, or of the cell. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly busySeconds: number;
  readonly t0: number;
  readonly t1: number;
  readonly from: "calls" | "cell";
}

/** Pixels left and right of the pointer that still count. */
const REACH = 2;

export function hitTimeline(
  data: TraceData,
  state: ViewState,
  layout: Layout,
  x: number,
  y: number,
): Hit | undefined {
  const row = rowAt(layout, state, y);
  if (row === undefined || x < layout.gutter) return undefined;
  if (!data.hasCalls(state.t0, state.t1)) return hitCell(data, state, row.lane, timeAt(layout, state, x));
  const t0 = timeAt(layout, state, x - REACH);
  const t1 = timeAt(layout, state, x + REACH);
  const index = data.index(state.lanesBy, state.layer);
  const [from, to] = visibleEntries(index, row.lane, t0, t1);
  const onWrites = state.reads && state.writes && state.colourBy === "direction";
  const [top, bottom] = half(row, state, true, 0, 1);
  const wanted = onWrites ? (y >= top && y < bottom ? 1 : 0) : undefined;
  const middle = (t0 + t1) / 2;
  const shown = visibleEntries(index, row.lane, state.t0, state.t1);
  const slots = wanted === undefined ? 1 : slotsNeeded(index, shown[0], shown[1], wanted);
  const [slotTop, slotBottom] = half(row, state, wanted === 1, 0, 1);
  const slot = Math.floor(((y - slotTop) / Math.max(1, slotBottom - slotTop)) * slots);
  const sums = { calls: 0, bytesRead: 0, bytesWritten: 0, busySeconds: 0 };
  let call: number | undefined;
  let best = Number.POSITIVE_INFINITY;
  for (let i = from; i < to; i++) {
    const start = index.start[i] as number;
    const end = index.end[i] as number;
    const write = index.write[i] as number;
    if (end < t0 || (write === 1 ? !state.writes : !state.reads)) continue;
    if (wanted !== undefined && write !== wanted) continue;
    sums.calls++;
    if (write === 1) sums.bytesWritten += index.bytes[i] as number;
    else sums.bytesRead += index.bytes[i] as number;
    sums.busySeconds += Math.min(end, t1) - Math.max(start, t0);
    // Nearest in time, then in the right row, then the one that began last.
    const far =
      Math.max(0, start - middle, middle - end) + (slots > 1 && index.slot[i] !== slot ? (t1 - t0) / 8 : 0);
    if (far <= best) {
      best = far;
      call = index.call[i] as number;
    }
  }
  return { lane: row.lane, call, ...sums, t0, t1, from: "calls" };
}

function hitCell(data: TraceData, state: ViewState, lane: number, time: number): Hit | undefined {
  const level = data.levels(state.lanesBy, state.layer).at(-1);
  if (level === undefined || lane >= level.bins.lanes) return undefined;
  const { bins, cellSeconds, starts } = level;
  const column = Math.min(bins.columns - 1, Math.max(0, Math.floor(time / cellSeconds)));
  const [from, to] = visibleCells(bins.cell, starts, lane, bins.columns, column, column);
  const filled = from < to;
  return {
    lane,
    call: undefined,
    calls: filled ? (bins.calls[from] as number) : 0,
    bytesRead: filled ? (bins.bytesRead[from] as number) : 0,
    bytesWritten: filled ? (bins.bytesWritten[from] as number) : 0,
    busySeconds: filled ? (bins.busySeconds[from] as number) : 0,
    t0: column * cellSeconds,
    t1: (column + 1) * cellSeconds,
    from: "cell",
  };
}
