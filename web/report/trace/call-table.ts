/** The calls of the window as a table: for people who do not see the picture, and for the longest or largest calls. */
import { formatCount } from "../../../src/base/units.ts";
import { make } from "../dom.ts";
import { button, table } from "./dom.ts";
import { type LaneIndex, visibleEntries } from "./lane-index.ts";
import type { Format } from "./panel.ts";
import type { Sort, ViewState } from "./state.ts";
import type { TraceData } from "./trace-data.ts";

const TABLE_CALLS_MAX = 200;

const COLUMNS: readonly (readonly [label: string, sort?: Sort])[] = [
  ["start, s", "start"],
  ["duration", "duration"],
  ["rank"],
  ["direction"],
  ["offset"],
  ["bytes", "bytes"],
  ["file"],
];

export interface TableActions {
  sortBy(sort: Sort): void;
  select(call: number): void;
}

export function callTable(data: TraceData, state: ViewState, format: Format, actions: TableActions): Node {
  const { calls, files } = data.trace;
  if (!data.hasCalls(state.t0, state.t1))
    return make("p", {}, `Single calls of this window are not in this report. ${data.trace.hint}`);
  const index = data.allCalls(state.layer);
  const { entries, total } = sortedEntries(index, state);
  const rows = entries.map((entry) => {
    const call = index.call[entry] as number;
    const offset = calls.offset[call] as number;
    const start = (calls.startSeconds[call] as number).toFixed(6);
    return [
      button(start, "Details of this call", () => actions.select(call)),
      format((calls.endSeconds[call] as number) - (calls.startSeconds[call] as number), "seconds"),
      String(calls.rank[call]),
      calls.write[call] === 1 ? "write" : "read",
      Number.isNaN(offset) ? "not known" : String(offset),
      String(calls.bytes[call]),
      files[calls.file[call] as number]?.path ?? data.otherFiles,
    ];
  });
  const which = { start: "First", duration: "Longest", bytes: "Largest" }[state.sort];
  const caption =
    total > rows.length
      ? `${which} ${rows.length} of ${formatCount(total)} calls of the window; zoom in for the others`
      : `${total} calls of the window`;
  const heads = COLUMNS.map(([label, sort]) =>
    sort === undefined ? label : button(label, `Sort by ${sort}`, () => actions.sortBy(sort)),
  );
  const element = table(caption, heads, rows);
  element.querySelectorAll("thead th").forEach((head, i) => {
    const sort = COLUMNS[i]?.[1];
    if (sort === state.sort) head.setAttribute("aria-sort", sort === "start" ? "ascending" : "descending");
  });
  return element;
}

/** Entries that a table shows, in its order, and how many there are in all. */
function sortedEntries(
  index: LaneIndex,
  state: Pick<ViewState, "t0" | "t1" | "reads" | "writes" | "sort">,
): { entries: number[]; total: number } {
  const [from, to] = visibleEntries(index, 0, state.t0, state.t1);
  const isShown = (i: number) =>
    (index.end[i] as number) >= state.t0 && (index.write[i] === 1 ? state.writes : state.reads);
  const value = (i: number) =>
    state.sort === "bytes"
      ? (index.bytes[i] as number)
      : (index.end[i] as number) - (index.start[i] as number);
  const entries: number[] = [];
  const byStart = state.sort === "start";
  const values = new Float64Array(byStart ? 0 : to - from);
  let total = 0;
  for (let i = from; i < to; i++) {
    if (!isShown(i)) continue;
    if (!byStart) values[total] = value(i);
    else if (total < TABLE_CALLS_MAX) entries.push(i);
    total++;
  }
  if (byStart) return { entries, total };
  // The least value that is shown is found by sorting numbers alone, which is fast for a million of them.
  const sorted = values.subarray(0, total).sort();
  const least = sorted[Math.max(0, total - TABLE_CALLS_MAX)] ?? 0;
  for (let i = from; i < to; i++) if (isShown(i) && value(i) >= least) entries.push(i);
  entries.sort((a, b) => value(b) - value(a) || a - b);
  return { entries: entries.slice(0, TABLE_CALLS_MAX), total };
}
