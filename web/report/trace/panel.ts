/** The panel below the timeline: details of a call or a cell, numbers of a range. */
import { formatCount } from "../../../src/base/units.ts";
import type { Unit } from "../../../src/model/index.ts";
import { make } from "../dom.ts";
import { button, facts, table } from "./dom.ts";
import type { Hit } from "./hit.ts";
import type { ViewState } from "./state.ts";
import { BLOCK_BYTES, type CallStatistics, statisticsOfBins, statisticsOfCalls } from "./statistics.ts";
import type { TraceData } from "./trace-data.ts";

export type Format = (value: number, unit: Unit) => string;

export interface PanelActions {
  pin(lane: number): void;
  zoomTo(t0: number, t1: number): void;
  chooseFile(file: number): void;
  clear(): void;
}

const NOT_KNOWN = "not known";

export function callPanel(
  data: TraceData,
  state: ViewState,
  call: number,
  others: number,
  format: Format,
  actions: PanelActions,
): Node[] {
  const { calls, files, layers } = data.trace;
  const start = calls.startSeconds[call] as number;
  const end = calls.endSeconds[call] as number;
  const bytes = calls.bytes[call] as number;
  const offset = calls.offset[call] as number;
  const file = calls.file[call] as number;
  const lane = data.laneOfCall(state.lanesBy, state.layer, call);
  const title = `${layers[calls.layer[call] as number]?.name ?? ""} ${calls.write[call] === 1 ? "write" : "read"}`;
  const nodes: Node[] = [
    make("h4", {}, title),
    facts([
      ["rank", String(calls.rank[call])],
      ["file", files[file]?.path ?? data.otherFiles],
      ["offset", Number.isNaN(offset) ? NOT_KNOWN : `${formatCount(offset)} (${format(offset, "bytes")})`],
      ["bytes", `${formatCount(bytes)} (${format(bytes, "bytes")})`],
      ["start", `${start.toFixed(6)} s`],
      ["duration", format(end - start, "seconds")],
      ["rate", end > start ? format(bytes / (end - start), "bytes/s") : NOT_KNOWN],
    ]),
  ];
  if (others > 1)
    nodes.push(make("p", {}, `${others} calls are this close together here; zoom in to tell them apart.`));
  const margin = Math.max(end - start, 1e-6);
  const row = make(
    "p",
    { class: "trace-buttons" },
    button("Zoom to this call", "Shows the call with equal time on both sides", () =>
      actions.zoomTo(start - margin, end + margin),
    ),
    pinButton(state, lane, actions),
  );
  if (file < files.length)
    row.append(button("Show file by offset", "Chooses this file below", () => actions.chooseFile(file)));
  row.append(button("Clear", "Escape", actions.clear));
  nodes.push(row);
  return nodes;
}

function pinButton(state: ViewState, lane: number, actions: PanelActions): HTMLButtonElement {
  return button(state.pinned.includes(lane) ? "Unpin lane" : "Pin lane", "Key P", () => actions.pin(lane));
}

export function lanePanel(data: TraceData, state: ViewState, lane: number, actions: PanelActions): Node[] {
  return [
    make("h4", { class: "trace-path" }, data.laneName(state.lanesBy, state.layer, lane)),
    make(
      "p",
      { class: "trace-buttons" },
      pinButton(state, lane, actions),
      ...(state.lanesBy === "file" && lane < data.trace.files.length
        ? [button("Show file by offset", "Chooses this file below", () => actions.chooseFile(lane))]
        : []),
      button("Clear", "Escape", actions.clear),
    ),
  ];
}

export function cellPanel(
  data: TraceData,
  state: ViewState,
  hit: Hit,
  format: Format,
  actions: PanelActions,
): Node[] {
  const ranks = state.lanesBy === "rank" ? data.ranksPerLane(state.layer) : 1;
  const width = hit.t1 - hit.t0;
  return [
    make("h4", {}, `${data.laneName(state.lanesBy, state.layer, hit.lane)}: sum of a cell`),
    facts([
      ["time", `${hit.t0.toFixed(3)} s to ${hit.t1.toFixed(3)} s`],
      ["calls", format(hit.calls, "calls")],
      ["bytes read", format(hit.bytesRead, "bytes")],
      ["bytes written", format(hit.bytesWritten, "bytes")],
      ["time in calls", format(hit.busySeconds, "seconds")],
      [
        state.lanesBy === "rank" ? "busy share" : "calls in progress",
        state.lanesBy === "rank"
          ? format(hit.busySeconds / width / ranks, "share")
          : format(hit.busySeconds / width, "count"),
      ],
    ]),
    make("p", { class: "trace-hint" }, data.trace.hint),
    make(
      "p",
      { class: "trace-buttons" },
      pinButton(state, hit.lane, actions),
      button("Clear", "Escape", actions.clear),
    ),
  ];
}

export function rangePanel(
  data: TraceData,
  state: ViewState,
  range: { readonly t0: number; readonly t1: number },
  format: Format,
  actions: PanelActions,
): Node[] {
  const layer = data.trace.layers[state.layer]?.name ?? "";
  const title = `${range.t0.toFixed(6)} s to ${range.t1.toFixed(6)} s, ${format(range.t1 - range.t0, "seconds")}`;
  const body = data.hasCalls(range.t0, range.t1)
    ? rangeOfCalls(data, state, range, layer, format)
    : rangeOfBins(data, state, range, layer, format);
  return [
    make("h4", {}, title),
    ...body,
    make(
      "p",
      { class: "trace-buttons" },
      button("Zoom to range", "Shows only this range", () => actions.zoomTo(range.t0, range.t1)),
      button("Clear", "Escape", actions.clear),
    ),
  ];
}

function rangeOfCalls(
  data: TraceData,
  state: ViewState,
  { t0, t1 }: { readonly t0: number; readonly t1: number },
  layer: string,
  format: Format,
): Node[] {
  const { read, write, all, before } = statisticsOfCalls(data.allCalls(state.layer), t0, t1);
  const columns = [all, read, write];
  const row = (name: string, value: (part: CallStatistics) => string) => [name, ...columns.map(value)];
  const rate = (part: CallStatistics, amount: number, unit: Unit) =>
    part.unionSeconds > 0 ? format(amount / part.unionSeconds, unit) : "–";
  const took = (seconds: number) => (Number.isNaN(seconds) ? "–" : format(seconds, "seconds"));
  const others =
    before === 0 ? "" : `; ${format(before, "calls")} that began earlier and reach into it are not counted`;
  return [
    table(
      `${layer} calls of all lanes that start in the range${others}. T is the time with a call in progress; BPS is blocks of ${BLOCK_BYTES} bytes / T.`,
      ["", "both", "reads", "writes"],
      [
        row("calls", (part) => format(part.calls, "count")),
        row("bytes", (part) => format(part.bytes, "bytes")),
        row("T", (part) => format(part.unionSeconds, "seconds")),
        row("BPS, blocks/s", (part) => rate(part, part.bytes / BLOCK_BYTES, "count")),
        row("IOPS, calls/s", (part) => rate(part, part.calls, "count")),
        row("bandwidth", (part) => rate(part, part.bytes, "bytes/s")),
        row("ARPT, mean", (part) => took(part.sumSeconds / part.calls)),
        row("p50 duration", (part) => took(part.p50Seconds)),
        row("p95 duration", (part) => took(part.p95Seconds)),
        row("p99 duration", (part) => took(part.p99Seconds)),
      ],
    ),
  ];
}

function rangeOfBins(
  data: TraceData,
  state: ViewState,
  { t0, t1 }: { readonly t0: number; readonly t1: number },
  layer: string,
  format: Format,
): Node[] {
  const level = data.levels("rank", state.layer).at(-1) ?? data.levels("file", state.layer).at(-1);
  if (level === undefined) return [make("p", {}, `No cells of ${layer} are in this report.`)];
  const found = statisticsOfBins(level, t0, t1);
  const bytes = found.bytesRead + found.bytesWritten;
  const longest = found.unionSecondsMax;
  const least = (amount: number, unit: Unit) =>
    longest > 0 ? `at least ${format(amount / longest, unit)}` : "–";
  const sums = table(
    `${layer} calls of all lanes, from cells of ${format(level.cellSeconds, "seconds")}: ` +
      `whole cells from ${found.startSeconds.toFixed(3)} s to ${found.endSeconds.toFixed(3)} s`,
    ["", "both", "how it is known"],
    [
      ["calls", format(found.calls, "calls"), "sum of cells"],
      ["bytes read", format(found.bytesRead, "bytes"), "sum of cells"],
      ["bytes written", format(found.bytesWritten, "bytes"), "sum of cells"],
      [
        "ARPT, mean duration",
        found.calls > 0 ? format(found.busySeconds / found.calls, "seconds") : "–",
        "about: time in calls / calls, cut at the edges",
      ],
      [
        "T, time with a call in progress",
        `at most ${format(longest, "seconds")}`,
        "needs single calls; bounded by cells with a call",
      ],
      [
        "BPS, blocks of 512 bytes / T",
        least(bytes / BLOCK_BYTES, "blocks/s"),
        "needs single calls; bounded by T",
      ],
      ["IOPS, calls / T", least(found.calls, "calls/s"), "needs single calls; bounded by T"],
      ["bandwidth, bytes / T", least(bytes, "bytes/s"), "needs single calls; bounded by T"],
    ],
  );
  sums.classList.add("trace-sources");
  return [sums, make("p", { class: "trace-hint" }, data.trace.hint)];
}
