/** From call to call by keys, along a lane. */
import { lowerBound, visibleEntries } from "./lane-index.ts";
import type { ViewState } from "./state.ts";
import type { TraceData } from "./trace-data.ts";

/**
 * The call after (or before) the selected one in its lane; without one, the first of the window in the marked lane or in
 * the first lane from `topLane` on that has any.
 */
export function stepCall(
  data: TraceData,
  state: ViewState,
  topLane: number,
  step: 1 | -1,
): number | undefined {
  if (!data.hasCalls(state.t0, state.t1)) return undefined;
  const index = data.index(state.lanesBy, state.layer);
  const isShown = (entry: number) => (index.write[entry] === 1 ? state.writes : state.reads);
  const walk = (from: number, low: number, high: number) => {
    for (let entry = from; entry >= low && entry < high; entry += step)
      if (isShown(entry)) return index.call[entry] as number;
    return undefined;
  };
  const { selection } = state;
  if (selection?.kind === "call") {
    const lane = data.laneOfCall(state.lanesBy, state.layer, selection.call);
    const low = index.laneStart[lane] as number;
    const high = index.laneStart[lane + 1] as number;
    // Entries of a lane are in the order of the calls.
    return walk(lowerBound(index.call, selection.call, low, high) + step, low, high);
  }
  const first = state.marked ?? topLane;
  for (let i = 0; i < index.lanes; i++) {
    const lane = (first + i) % index.lanes;
    const [from, to] = visibleEntries(index, lane, state.t0, state.t1);
    const found = walk(step > 0 ? from : to - 1, from, to);
    if (found !== undefined) return found;
  }
  return undefined;
}
