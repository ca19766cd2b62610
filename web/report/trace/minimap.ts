/** The whole run above the lanes: drag a new window, move the window, or one of its edges. */
import type { Layout } from "./layout.ts";
import type { ViewState } from "./state.ts";
import type { TraceData } from "./trace-data.ts";

type MinimapPart = "start" | "end" | "inside" | "outside";

/** Pixels left and right of an edge that still take hold of it. */
const REACH = 5;

export function minimapTime(layout: Layout, data: TraceData, x: number): number {
  const share = Math.min(1, Math.max(0, (x - layout.gutter) / layout.plotWidth));
  return data.t0 + share * (data.t1 - data.t0);
}

export function minimapX(layout: Layout, data: TraceData, time: number): number {
  return layout.gutter + ((time - data.t0) / (data.t1 - data.t0)) * layout.plotWidth;
}

/** What a press there takes hold of. A window that is the whole run has no inside: a drag makes a smaller one. */
export function minimapPart(layout: Layout, data: TraceData, state: ViewState, x: number): MinimapPart {
  const from = minimapX(layout, data, state.t0);
  const to = minimapX(layout, data, state.t1);
  if (state.t0 <= data.t0 && state.t1 >= data.t1) return "outside";
  // A narrow window is moved, not stretched by accident: its edges are then outside of it.
  const inner = Math.min(REACH, (to - from) / 4);
  if (x >= from - REACH && x <= from + inner) return "start";
  if (x >= to - inner && x <= to + REACH) return "end";
  return x > from && x < to ? "inside" : "outside";
}

export interface MinimapDrag {
  readonly part: MinimapPart;
  /** Time of the press, and the window then. */
  readonly at: number;
  readonly t0: number;
  readonly t1: number;
}

/** The window that the drag has reached at `time`. */
export function minimapWindow(
  { part, at, t0, t1 }: MinimapDrag,
  time: number,
  moved: boolean,
): readonly [number, number] {
  const ordered = (a: number, b: number) => [Math.min(a, b), Math.max(a, b)] as const;
  if (part === "start") return ordered(time, t1);
  if (part === "end") return ordered(t0, time);
  if (part === "outside" && moved) return ordered(at, time);
  const by = part === "inside" && moved ? time - at : time - (t0 + t1) / 2;
  return [t0 + by, t1 + by];
}
