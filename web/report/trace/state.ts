/** What the view shows, and how it moves in time. */
import type { LanesBy, TraceData } from "./trace-data.ts";

type Selection =
  | { readonly kind: "call"; readonly call: number; readonly others: number }
  | { readonly kind: "cell"; readonly lane: number; readonly t0: number; readonly t1: number };

export interface ViewState {
  /** The visible window, seconds. */
  t0: number;
  t1: number;
  lanesBy: LanesBy;
  layer: number;
  reads: boolean;
  writes: boolean;
  colourBy: "direction" | "busy";
  laneHeight: "fit" | "tall";
  /** Pixels that the lanes are scrolled up. */
  scroll: number;
  /** Lanes kept at the top, of the kind that is shown. */
  pinned: number[];
  /** A lane that was searched for. */
  marked: number | undefined;
  range: { readonly t0: number; readonly t1: number } | undefined;
  selection: Selection | undefined;
  /** Time under the pointer. */
  pointerTime: number | undefined;
  /** Offset view: index of the file, and the visible offsets. */
  file: number;
  y0: number;
  y1: number;
  /** Order of the table of calls. */
  sort: Sort;
}

export const SORTS = ["start", "duration", "bytes"] as const;
export type Sort = (typeof SORTS)[number];

/** Windows shorter than this show nothing that a clock could tell apart. */
const SPAN_MIN = 1e-7;

export function initialState(data: TraceData): ViewState {
  const { layers, files } = data.trace;
  let layer = 0;
  layers.forEach(({ calls }, i) => {
    if (calls > (layers[layer] as (typeof layers)[number]).calls) layer = i;
  });
  let file = 0;
  files.forEach((entry, i) => {
    const best = files[file] as (typeof files)[number];
    if (entry.bytesRead + entry.bytesWritten > best.bytesRead + best.bytesWritten) file = i;
  });
  return {
    t0: data.t0,
    t1: data.t1,
    lanesBy: "rank",
    layer,
    reads: true,
    writes: true,
    colourBy: "direction",
    laneHeight: "fit",
    scroll: 0,
    pinned: [],
    marked: undefined,
    range: undefined,
    selection: undefined,
    pointerTime: undefined,
    file,
    y0: 0,
    y1: fileEnd(data, file),
    sort: "start",
  };
}

/** Top of the offset axis of a file. */
export function fileEnd(data: TraceData, file: number): number {
  return Math.max(1, data.trace.files[file]?.endOffset ?? 1);
}

/** Sets the window, kept within the run and no shorter than sense allows. */
export function setWindow(state: ViewState, data: TraceData, t0: number, t1: number): void {
  const full = data.t1 - data.t0;
  const span = Math.min(full, Math.max(SPAN_MIN, t1 - t0));
  const middle = (t0 + t1) / 2;
  const from = t1 - t0 === span ? t0 : middle - span / 2;
  state.t0 = Math.min(Math.max(from, data.t0), data.t1 - span);
  state.t1 = state.t0 + span;
}

/** `factor` below 1 shows less time; the time `at` stays where it is. */
export function zoom(state: ViewState, data: TraceData, factor: number, at: number): void {
  const full = data.t1 - data.t0;
  const span = state.t1 - state.t0;
  const next = Math.min(full, Math.max(SPAN_MIN, span * factor));
  const share = (at - state.t0) / span;
  setWindow(state, data, at - share * next, at + (1 - share) * next);
}

/** Moves by a share of the window, to later for positive. */
export function pan(state: ViewState, data: TraceData, share: number): void {
  const by = (state.t1 - state.t0) * share;
  setWindow(state, data, state.t0 + by, state.t1 + by);
}
