/** Where things are in the timeline, in CSS pixels. */
import type { ViewState } from "./state.ts";
import type { TraceData } from "./trace-data.ts";

export interface Band {
  readonly y: number;
  readonly height: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Lane names are left of this, time starts here. */
  readonly gutter: number;
  readonly plotWidth: number;
  readonly overview: Band;
  readonly ruler: Band;
  /** Spans of the application; without any it has no height. */
  readonly spans: Band;
  readonly pinned: Band;
  readonly lanes: Band;
  readonly strip: Band;
  readonly laneCount: number;
  readonly laneHeight: number;
  readonly scrollMax: number;
}

const OVERVIEW = 40;
const RULER = 22;
const STRIP = 60;
const GAP = 4;
const SCROLLBAR = 10;
const NARROW = 560;
const LANE_MIN = 6;
const LANE_MAX = 30;
const LANE_TALL = 26;
export const PINNED_HEIGHT = 24;
export const SPAN_HEIGHT = 15;

export function gutterOf(width: number): number {
  return width < NARROW ? 78 : 156;
}

export function layOut(width: number, data: TraceData, state: ViewState): Layout {
  const gutter = gutterOf(width);
  const laneCount = data.lanes(state.lanesBy, state.layer);
  const most = width < NARROW ? 300 : 400;
  const fit = Math.floor(most / Math.max(1, laneCount));
  const laneHeight = state.laneHeight === "tall" ? LANE_TALL : Math.min(LANE_MAX, Math.max(LANE_MIN, fit));
  const lanesHeight = Math.min(most, Math.max(laneCount * laneHeight, 2 * LANE_MIN));
  const overview = { y: 0, height: OVERVIEW };
  const ruler = { y: OVERVIEW + GAP, height: RULER };
  const spanLanes = data.trace.spans?.length ?? 0;
  const spans = { y: ruler.y + RULER, height: spanLanes > 0 ? spanLanes * SPAN_HEIGHT + GAP : 0 };
  const pinned = { y: spans.y + spans.height, height: state.pinned.length * PINNED_HEIGHT };
  const lanes = { y: pinned.y + pinned.height + (pinned.height > 0 ? GAP : 0), height: lanesHeight };
  const strip = { y: lanes.y + lanes.height + GAP, height: STRIP };
  return {
    width,
    height: strip.y + strip.height,
    gutter,
    plotWidth: Math.max(20, width - gutter - SCROLLBAR),
    overview,
    ruler,
    spans,
    pinned,
    lanes,
    strip,
    laneCount,
    laneHeight,
    scrollMax: Math.max(0, laneCount * laneHeight - lanesHeight),
  };
}

export interface Row {
  readonly lane: number;
  /** Top in CSS pixels of the canvas. */
  readonly y: number;
  readonly height: number;
}

/** The lanes that are seen: pinned ones, and those at the scroll position. */
export function visibleRows(layout: Layout, state: ViewState): { pinned: Row[]; lanes: Row[] } {
  const pinned = state.pinned.map((lane, i) => ({
    lane,
    y: layout.pinned.y + i * PINNED_HEIGHT,
    height: PINNED_HEIGHT,
  }));
  const { laneHeight, laneCount } = layout;
  const first = Math.max(0, Math.floor(state.scroll / laneHeight));
  const last = Math.min(laneCount - 1, Math.ceil((state.scroll + layout.lanes.height) / laneHeight) - 1);
  const lanes: Row[] = [];
  for (let lane = first; lane <= last; lane++)
    lanes.push({ lane, y: layout.lanes.y + lane * laneHeight - state.scroll, height: laneHeight });
  return { pinned, lanes };
}

/** The row under a height of the canvas. */
export function rowAt(layout: Layout, state: ViewState, y: number): Row | undefined {
  const rows = visibleRows(layout, state);
  const inside = (row: Row) => y >= row.y && y < row.y + row.height;
  if (y < layout.lanes.y) return rows.pinned.find(inside);
  if (y >= layout.lanes.y + layout.lanes.height) return undefined;
  return rows.lanes.find(inside);
}

export function timeAt(layout: Layout, state: ViewState, x: number): number {
  return state.t0 + ((x - layout.gutter) / layout.plotWidth) * (state.t1 - state.t0);
}

export function xOf(layout: Layout, state: ViewState, time: number): number {
  return layout.gutter + ((time - state.t0) / (state.t1 - state.t0)) * layout.plotWidth;
}
