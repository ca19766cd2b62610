/**
 * What the view shows as a short text for the address: `12.5:20/sel:13:14/by:file`. It holds numbers and words of this
 * list only, never a name from the log. What equals the first view is left out.
 */
import { fileEnd, initialState, setWindow, SORTS, type Sort, type ViewState } from "./state.ts";
import type { TraceData } from "./trace-data.ts";

/** `scroll` is measured in lanes here, as the height of a lane follows the width of the page. */
interface Place {
  readonly state: ViewState;
  readonly topLane: number;
}

export function writePlace(state: ViewState, data: TraceData, laneHeight: number): string {
  const first = initialState(data);
  const parts: string[] = [];
  const add = (name: string, isFirst: boolean, ...values: readonly (string | number)[]) => {
    if (!isFirst) parts.push([...(name === "" ? [] : [name]), ...values].join(":"));
  };
  const top = Math.round((state.scroll / laneHeight) * 10) / 10;
  const { selection, range } = state;
  add("", state.t0 === first.t0 && state.t1 === first.t1, seconds(state.t0), seconds(state.t1));
  if (range !== undefined) add("sel", false, seconds(range.t0), seconds(range.t1));
  if (selection?.kind === "call") add("call", false, selection.call);
  add("by", state.lanesBy === first.lanesBy, state.lanesBy);
  add("layer", state.layer === first.layer, state.layer);
  add("only", state.reads && state.writes, state.reads ? "reads" : state.writes ? "writes" : "none");
  add("colour", state.colourBy === first.colourBy, state.colourBy);
  add("rows", state.laneHeight === first.laneHeight, state.laneHeight);
  add("top", top === 0, top);
  if (state.marked !== undefined) add("lane", false, state.marked);
  add("pin", state.pinned.length === 0, ...state.pinned);
  add("file", state.file === first.file, state.file);
  const whole = state.y0 === 0 && state.y1 === fileEnd(data, state.file);
  add("offset", whole, Math.round(state.y0), Math.round(state.y1));
  add("sort", state.sort === first.sort, state.sort);
  return parts.join("/");
}

/** Whatever the text says: what does not fit this trace is as in the first view. */
export function readPlace(text: string, data: TraceData): Place {
  const state = initialState(data);
  let topLane = 0;
  const fields = new Map(
    text.split("/").map((part): [string, string[]] => {
      const [name = "", ...values] = part.split(":");
      return /^-?[\d.]/.test(name) ? ["", [name, ...values]] : [name, values];
    }),
  );
  const word = (name: string) => fields.get(name)?.[0];
  const pair = (name: string): readonly [number, number] | undefined => {
    const [from = Number.NaN, to = Number.NaN] = (fields.get(name) ?? []).map(Number);
    return Number.isFinite(from) && Number.isFinite(to) && from <= to ? [from, to] : undefined;
  };
  const below = (value: string | undefined, limit: number): number | undefined => {
    const number = value === undefined || value === "" ? -1 : Number(value);
    return Number.isInteger(number) && number >= 0 && number < limit ? number : undefined;
  };
  const window = pair("");
  if (window !== undefined) setWindow(state, data, ...window);
  state.layer = below(word("layer"), data.trace.layers.length) ?? state.layer;
  if (word("by") === "file") state.lanesBy = "file";
  const only = word("only");
  if (only !== undefined) Object.assign(state, { reads: only === "reads", writes: only === "writes" });
  if (word("colour") === "busy") state.colourBy = "busy";
  if (word("rows") === "tall") state.laneHeight = "tall";
  const lanes = data.lanes(state.lanesBy, state.layer);
  state.marked = below(word("lane"), lanes);
  state.pinned = [...new Set(fields.get("pin") ?? [])]
    .flatMap((lane) => below(lane, lanes) ?? [])
    .slice(0, 10);
  const top = Number(word("top") ?? 0);
  if (top > 0 && top < lanes) topLane = top;
  state.file = below(word("file"), data.trace.files.length) ?? state.file;
  const offsets = pair("offset");
  const end = fileEnd(data, state.file);
  const fits = offsets !== undefined && offsets[0] >= 0 && offsets[0] < offsets[1] && offsets[1] <= end;
  [state.y0, state.y1] = fits ? offsets : [0, end];
  const range = pair("sel");
  if (range !== undefined) state.range = { t0: range[0], t1: range[1] };
  const call = below(word("call"), data.trace.calls.count);
  if (call !== undefined && data.trace.calls.layer[call] === state.layer && range === undefined)
    state.selection = { kind: "call", call, others: 1 };
  state.sort = SORTS.find((sort): sort is Sort => sort === word("sort")) ?? state.sort;
  return { state, topLane };
}

/** To the nanosecond, which is all that a trace has. */
function seconds(value: number): number {
  return Number(value.toFixed(9));
}
