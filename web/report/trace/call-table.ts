/** The calls of the window as a table, for people who do not see the picture. */
import { make, table } from "./dom.ts";
import { visibleEntries } from "./lane-index.ts";
import type { Format } from "./panel.ts";
import type { ViewState } from "./state.ts";
import type { TraceData } from "./trace-data.ts";

export const TABLE_CALLS_MAX = 200;

export function callTable(data: TraceData, state: ViewState, format: Format): Node {
  const { calls, files } = data.trace;
  if (!data.hasCalls(state.t0, state.t1))
    return make("p", {}, `Single calls of this window are not in this report. ${data.trace.hint}`);
  const index = data.allCalls(state.layer);
  const [from, to] = visibleEntries(index, 0, state.t0, state.t1);
  const rows: string[][] = [];
  let total = 0;
  for (let i = from; i < to; i++) {
    const write = index.write[i] === 1;
    if ((index.end[i] as number) < state.t0 || (write ? !state.writes : !state.reads)) continue;
    total++;
    if (rows.length >= TABLE_CALLS_MAX) continue;
    const call = index.call[i] as number;
    const offset = calls.offset[call] as number;
    rows.push([
      (calls.startSeconds[call] as number).toFixed(6),
      format((calls.endSeconds[call] as number) - (calls.startSeconds[call] as number), "seconds"),
      String(calls.rank[call]),
      write ? "write" : "read",
      Number.isNaN(offset) ? "not known" : String(offset),
      String(calls.bytes[call]),
      files[calls.file[call] as number]?.path ?? data.otherFiles,
    ]);
  }
  const caption =
    total > rows.length
      ? `First ${rows.length} of ${total.toLocaleString("en")} calls of the window; zoom in for the others`
      : `${total} calls of the window`;
  return table(caption, ["start, s", "duration", "rank", "direction", "offset", "bytes", "file"], rows);
}
