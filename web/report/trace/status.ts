/** What the view says in words: above the picture, and to those who do not see it. */
import { formatCount } from "../../../src/base/units.ts";
import type { TimelineResult } from "./draw-timeline.ts";
import { visibleEntries } from "./lane-index.ts";
import { visibleRows } from "./layout.ts";
import { spanName } from "./spans.ts";
import type { ViewState } from "./state.ts";
import type { TraceView } from "./view.ts";

export function timelineStatus(view: TraceView, { single, summed }: TimelineResult): string {
  const { data, state, layout, options } = view;
  const unit = state.colourBy === "busy" ? "how busy" : "bytes";
  if (!data.hasCalls(state.t0, state.t1)) {
    const level = data.levelFor(state.lanesBy, state.layer, (state.t1 - state.t0) / layout.plotWidth);
    return level === undefined
      ? `Nothing of this layer is in this report by ${state.lanesBy}.`
      : `Cells of ${options.format(level.cellSeconds, "seconds")}, shaded by ${unit}. ${data.trace.hint}`;
  }
  if (summed === 0) return single === 0 ? "No calls in this window." : "Single calls.";
  if (single === 0) return `Sums per pixel, shaded by ${unit}; zoom in for single calls.`;
  return `Single calls where they fit, else sums per pixel, shaded by ${unit}.`;
}

export function windowText(state: ViewState): string {
  return `${state.t0.toFixed(3)} s to ${state.t1.toFixed(3)} s`;
}

export function timelineLabel({ data, state, layout }: TraceView): string {
  const rows = visibleRows(layout, state).lanes;
  const name = (lane: number) => data.laneName(state.lanesBy, state.layer, lane);
  const layer = data.trace.layers[state.layer]?.name ?? "";
  let count = "";
  if (data.hasCalls(state.t0, state.t1)) {
    const [from, to] = visibleEntries(data.allCalls(state.layer), 0, state.t0, state.t1);
    count = `, about ${formatCount(to - from)} calls`;
  }
  const first = rows[0];
  const last = rows.at(-1);
  const lanes =
    first === undefined || last === undefined
      ? "no lanes"
      : `${name(first.lane)} to ${name(last.lane)} of ${layout.laneCount} lanes`;
  const spans = (data.trace.spans ?? []).map(spanName);
  const above = spans.length === 0 ? "" : ` Above them spans of the application: ${spans.join(", ")}.`;
  return `Timeline of ${layer} calls, ${windowText(state)}${count}, ${lanes}.${above}`;
}
