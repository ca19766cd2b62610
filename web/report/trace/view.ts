/** The parts of the view put together: state, drawing when something changed, and what selections show. */
import { callTable, type TableActions } from "./call-table.ts";
import { Controls } from "./controls.ts";
import { make } from "../dom.ts";
import { drawOffsets, OFFSETS_HEIGHT, type OffsetResult } from "./draw-offsets.ts";
import { drawTimeline } from "./draw-timeline.ts";
import { listenToKeys } from "./keys.ts";
import { hitTimeline } from "./hit.ts";
import type { ShowView, TraceOptions } from "./index.ts";
import { type Layout, layOut, PINNED_HEIGHT, rowAt } from "./layout.ts";
import { OffsetPanel } from "./offset-panel.ts";
import { readPlace, writePlace } from "./place.ts";
import { stepCall } from "./step-calls.ts";
import { type Palette, readPalette } from "./palette.ts";
import { callPanel, cellPanel, lanePanel, type PanelActions, rangePanel } from "./panel.ts";
import { listenToOffsets, listenToTimeline } from "./pointer.ts";
import { timelineLabel, timelineStatus, windowText } from "./status.ts";
import { fileEnd, initialState, setWindow, type ViewState } from "./state.ts";
import type { LanesBy, TraceData } from "./trace-data.ts";

/** What is told to assistive technology waits until the view holds still. */
const SETTLE_MS = 250;
const INVITATION = "Click a call for its details. Drag over the lanes for the numbers of a range.";

export class TraceView {
  readonly data: TraceData;
  readonly state: ViewState;
  readonly options: TraceOptions;
  readonly root = make("div", { class: "trace-view" });
  readonly stage = make("div", { class: "trace-stage", tabindex: "0", role: "group" });
  readonly timeline = make("canvas", {
    class: "trace-timeline",
    role: "img",
    "aria-label": "Timeline of calls",
  });
  readonly offsets = make("canvas", {
    class: "trace-offsets",
    role: "img",
    "aria-label": "Offsets in a file",
  });
  readonly tip = make("div", { class: "trace-tip", hidden: "" });
  readonly controls: Controls;
  layout: Layout;
  /** Where the pointer is on the timeline, CSS pixels. */
  pointer: { readonly x: number; readonly y: number } | undefined;
  #palette: Palette | undefined;
  readonly #host: HTMLElement;
  readonly #offsetPanel: OffsetPanel;
  readonly #status = make("p", { class: "trace-status" });
  readonly #panel = make("div", { class: "trace-panel", "aria-live": "polite" });
  readonly #table = make("details", { class: "trace-table" });
  #frame = 0;
  #draws = 0;
  /** Whether the chosen file has nothing in the window: the file of a call that is clicked is then of more use. */
  #offsetsEmpty = false;
  /** Window and scroll position of the last frame; a tooltip does not outlive them. */
  #drawn = "";
  #settle: ReturnType<typeof setTimeout> | undefined;
  /** The place that the address has. */
  #place = "";
  readonly #cleanUp: (() => void)[] = [];

  constructor(host: HTMLElement, data: TraceData, options: TraceOptions) {
    this.#host = host;
    this.data = data;
    this.options = options;
    this.state = initialState(data);
    this.controls = new Controls(this);
    this.#offsetPanel = new OffsetPanel(this);
    this.stage.setAttribute("aria-label", "Timeline of calls; press ? for keys");
    this.stage.append(this.timeline, this.tip);
    this.#table.append(
      make("summary", {}, "Visible calls as a table"),
      make("div", { class: "trace-scroll" }),
    );
    this.#table.addEventListener("toggle", () => this.#settled());
    this.root.append(
      this.controls.element,
      this.#status,
      this.stage,
      this.#panel,
      this.#offsetPanel.element,
      this.#table,
    );
    host.append(this.root);
    this.layout = layOut(this.#width(), data, this.state);
    this.#showPanel([make("p", {}, INVITATION)]);
    this.#listen();
    this.#draw(false);
    this.#place = this.#placeNow();
    this.changed();
  }

  #listen(): void {
    const resize = new ResizeObserver(() => this.changed());
    resize.observe(this.root);
    const recolour = () => {
      this.#palette = undefined;
      this.changed();
    };
    const theme = new MutationObserver(recolour);
    theme.observe(document.documentElement, {
      attributes: true,
      attributeFilter: ["data-theme", "class", "style"],
    });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", recolour);
    this.#cleanUp.push(
      () => resize.disconnect(),
      () => theme.disconnect(),
      () => dark.removeEventListener("change", recolour),
      listenToTimeline(this),
      listenToOffsets(this),
      listenToKeys(this),
    );
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#settle);
    for (const action of this.#cleanUp) action();
    this.root.remove();
  }

  /** Draws with the next frame. */
  changed(): void {
    if (this.#frame === 0)
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.#draw();
      });
  }

  #width(): number {
    return Math.max(240, Math.floor(this.root.clientWidth));
  }

  /** The first picture comes without the offsets: they need calls by file, and nobody has scrolled there yet. */
  #draw(withOffsets = true): void {
    const began = performance.now();
    const drawn = `${this.state.t0} ${this.state.t1} ${this.state.scroll}`;
    if (drawn !== this.#drawn) this.tip.hidden = true;
    this.#drawn = drawn;
    const { data, state } = this;
    this.layout = layOut(this.#width(), data, state);
    state.scroll = Math.min(this.layout.scrollMax, Math.max(0, state.scroll));
    this.#palette ??= readPalette(this.root);
    const ratio = Math.min(3, Math.max(1, window.devicePixelRatio || 1));
    const font = `11px ${getComputedStyle(this.root).fontFamily || "sans-serif"}`;
    const common = { data, state, palette: this.#palette, ratio, font, format: this.options.format };
    const result = drawTimeline({
      ...common,
      layout: this.layout,
      context: sized(this.timeline, this.layout.width, this.layout.height, ratio),
    });
    const context = sized(this.offsets, this.layout.width, OFFSETS_HEIGHT, ratio);
    this.timeline.style.touchAction = this.layout.scrollMax > 0 ? "none" : "pan-y";
    const text = timelineStatus(this, result);
    if (this.#status.textContent !== text) this.#status.textContent = text;
    if (withOffsets) this.#sayOffsets(drawOffsets({ ...common, width: this.layout.width, context }));
    this.#publish(performance.now() - began);
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => this.#settled(), SETTLE_MS);
  }

  /** For tests and for whoever watches speed. */
  #publish(drawMs: number): void {
    const { dataset } = this.#host;
    dataset.drawMs = drawMs.toFixed(2);
    dataset.draws = String(++this.#draws);
    dataset.windowStart = String(this.state.t0);
    dataset.windowEnd = String(this.state.t1);
  }

  #sayOffsets(offsets: OffsetResult): void {
    this.#offsetsEmpty = offsets.kind !== "cells" && offsets.calls === 0;
    this.#offsetPanel.say(offsets);
  }

  /** What takes time or speaks: the labels and the table. */
  #settled(): void {
    const { data, state } = this;
    this.timeline.setAttribute("aria-label", timelineLabel(this));
    const path = data.trace.files[state.file]?.path ?? "no file";
    this.offsets.setAttribute("aria-label", `Offsets in ${path}, ${windowText(state)}.`);
    const place = this.#table.lastElementChild;
    if (this.#table.open)
      place?.replaceChildren(callTable(data, state, this.options.format, this.#tableActions));
    else place?.replaceChildren();
    this.#reportPlace();
  }

  #placeNow(): string {
    const { state, layout } = this;
    state.scroll = Math.min(layout.scrollMax, Math.max(0, state.scroll));
    return writePlace(state, this.data, layout.laneHeight);
  }

  #reportPlace(): void {
    const place = this.#placeNow();
    if (this.#place === place) return;
    this.#place = place;
    this.options.onPlace?.(place);
  }

  /** Shows what writePlace wrote; nothing for the first view. */
  restore(text: string): void {
    const { state, topLane } = readPlace(text, this.data);
    Object.assign(this.state, state);
    this.layoutNow();
    this.state.scroll = topLane * this.layout.laneHeight;
    this.controls.update();
    this.#offsetPanel.update();
    this.refreshPanel();
    this.#place = this.#placeNow();
    this.changed();
  }

  // What controls, keys and pointers ask for.

  setWindow(t0: number, t1: number): void {
    setWindow(this.state, this.data, t0, t1);
    this.changed();
  }

  setLanesBy(by: LanesBy): void {
    if (this.state.lanesBy === by) return;
    Object.assign(this.state, { lanesBy: by, scroll: 0, pinned: [], marked: undefined });
    if (this.state.selection?.kind === "cell") this.select(undefined);
    this.controls.update();
    this.changed();
  }

  setLayer(layer: number): void {
    const { state } = this;
    state.layer = layer;
    state.pinned = state.pinned.filter((lane) => lane < this.data.lanes(state.lanesBy, layer));
    state.selection = undefined;
    this.controls.update();
    this.refreshPanel();
    this.changed();
  }

  /** Scrolls to a lane and marks it. */
  goToLane(lane: number): void {
    const { layout, state } = this;
    state.marked = lane;
    state.scroll = lane * layout.laneHeight - (layout.lanes.height - layout.laneHeight) / 2;
    this.refreshPanel();
    this.changed();
  }

  /** Sizes for the state as it is, ahead of the next frame. */
  layoutNow(): void {
    this.layout = layOut(this.#width(), this.data, this.state);
  }

  laneUnderPointer(): number | undefined {
    return this.pointer === undefined ? undefined : rowAt(this.layout, this.state, this.pointer.y)?.lane;
  }

  laneOfSelection(): number | undefined {
    const { selection, lanesBy, layer, marked } = this.state;
    if (selection === undefined) return marked;
    return selection.kind === "cell" ? selection.lane : this.data.laneOfCall(lanesBy, layer, selection.call);
  }

  selectedSpan(): { t0: number; t1: number } | undefined {
    const { range, selection } = this.state;
    if (range !== undefined) return range;
    if (selection === undefined) return undefined;
    if (selection.kind === "cell") return selection;
    const { startSeconds, endSeconds } = this.data.trace.calls;
    const t0 = startSeconds[selection.call] as number;
    const t1 = endSeconds[selection.call] as number;
    return { t0: t0 - (t1 - t0), t1: t1 + (t1 - t0) };
  }

  togglePin(lane: number): void {
    const { state } = this;
    state.pinned = state.pinned.includes(lane)
      ? state.pinned.filter((pinned) => pinned !== lane)
      : [...state.pinned, lane].slice(-Math.floor(240 / PINNED_HEIGHT));
    this.refreshPanel();
    this.changed();
  }

  chooseFile(file: number): void {
    const { state } = this;
    state.file = file;
    state.y0 = 0;
    state.y1 = fileEnd(this.data, file);
    this.#offsetPanel.update();
    this.changed();
  }

  selectAt(x: number, y: number): void {
    if (x < this.layout.gutter) {
      const lane = rowAt(this.layout, this.state, y)?.lane;
      if (lane !== undefined) this.#selectLane(lane);
      return;
    }
    const hit = hitTimeline(this.data, this.state, this.layout, x, y);
    if (hit === undefined) return;
    if (hit.call !== undefined) this.select({ kind: "call", call: hit.call, others: hit.calls });
    else if (hit.from === "cell" && hit.calls + hit.busySeconds > 0)
      this.select({ kind: "cell", lane: hit.lane, t0: hit.t0, t1: hit.t1 });
    else this.select(undefined);
    if (hit.from === "cell" && hit.calls + hit.busySeconds > 0)
      this.#showPanel(cellPanel(this.data, this.state, hit, this.options.format, this.#actions), true);
  }

  #selectLane(lane: number): void {
    Object.assign(this.state, { marked: lane, range: undefined, selection: undefined });
    this.#showPanel(lanePanel(this.data, this.state, lane, this.#actions), true);
    this.changed();
  }

  select(selection: ViewState["selection"]): void {
    this.state.selection = selection;
    if (selection !== undefined) this.state.range = undefined;
    if (selection?.kind === "call" && this.#offsetsEmpty) {
      const file = this.data.trace.calls.file[selection.call] as number;
      if (file < this.data.trace.files.length) this.chooseFile(file);
    }
    this.refreshPanel();
    this.changed();
  }

  /** By a share of the window; without a range, one begins in the middle. */
  moveRangeEnd(share: number): void {
    const { state, data } = this;
    const middle = (state.t0 + state.t1) / 2;
    const { t0, t1 } = state.range ?? { t0: middle, t1: middle };
    const end = Math.min(data.t1, Math.max(data.t0, t1 + share * (state.t1 - state.t0)));
    this.setRange({ t0: Math.min(t0, end), t1: Math.max(t0, end) }, true);
  }

  stepCall(step: 1 | -1): void {
    const { state, data, layout } = this;
    const call = stepCall(data, state, Math.floor(state.scroll / layout.laneHeight), step);
    if (call !== undefined) this.goToCall(call);
  }

  /** Selects a call and brings it on the screen. */
  goToCall(call: number): void {
    const { state, data, layout } = this;
    const start = data.trace.calls.startSeconds[call] as number;
    const end = data.trace.calls.endSeconds[call] as number;
    const span = state.t1 - state.t0;
    if (end < state.t0 || start > state.t1) this.setWindow(start - span * 0.2, start + span * 0.8);
    const y = data.laneOfCall(state.lanesBy, state.layer, call) * layout.laneHeight;
    state.scroll = Math.min(y, Math.max(state.scroll, y + layout.laneHeight - layout.lanes.height));
    this.select({ kind: "call", call, others: 1 });
  }

  setRange(range: ViewState["range"], final: boolean): void {
    this.state.range = range && { t0: wholeNs(range.t0), t1: wholeNs(range.t1) };
    this.state.selection = undefined;
    if (final) this.refreshPanel();
    this.changed();
  }

  clear(): void {
    Object.assign(this.state, { range: undefined, selection: undefined, marked: undefined });
    this.refreshPanel();
    this.changed();
  }

  /** Where a link leads, the address says already. */
  follow(link: ShowView): void {
    this.show(link);
    this.#place = this.#placeNow();
  }

  show({ startSeconds, endSeconds, fileId, rank }: ShowView): void {
    const { data } = this;
    if (startSeconds !== undefined || endSeconds !== undefined) {
      const t0 = startSeconds ?? data.t0;
      const t1 = endSeconds ?? data.t1;
      const margin = (t1 - t0) * 0.05;
      if (t1 >= t0) this.setWindow(t0 - margin, t1 + margin);
    }
    const file = fileId === undefined ? -1 : data.trace.files.findIndex((entry) => entry.fileId === fileId);
    if (file >= 0) this.chooseFile(file);
    if (rank !== undefined && rank >= 0 && rank < data.trace.ranks) {
      this.setLanesBy("rank");
      this.layoutNow();
      this.goToLane(Math.floor(rank / data.ranksPerLane(this.state.layer)));
    }
  }

  readonly #tableActions: TableActions = {
    sortBy: (sort) => {
      this.state.sort = sort;
      this.#settled();
    },
    select: (call) => this.goToCall(call),
  };

  readonly #actions: PanelActions = {
    pin: (lane) => this.togglePin(lane),
    zoomTo: (t0, t1) => this.setWindow(t0, t1),
    chooseFile: (file) => this.chooseFile(file),
    clear: () => this.clear(),
  };

  refreshPanel(): void {
    const { data, state, options } = this;
    if (state.range !== undefined)
      this.#showPanel(rangePanel(data, state, state.range, options.format, this.#actions), true);
    else if (state.selection?.kind === "call") {
      const { call, others } = state.selection;
      this.#showPanel(callPanel(data, state, call, others, options.format, this.#actions), true);
    } else if (state.selection === undefined && state.marked !== undefined)
      this.#showPanel(lanePanel(data, state, state.marked, this.#actions));
    else if (state.selection === undefined) this.#showPanel([make("p", {}, INVITATION)]);
  }

  #showPanel(nodes: readonly Node[], selected = false): void {
    this.#panel.replaceChildren(...nodes);
    // As it is laid out: textContent would run names and values together.
    // biome-ignore lint/performance/useDomNodeTextContent: see above; once per selection
    if (selected) this.options.onSelect?.(this.#panel.innerText);
  }
}

/** A range says to the nanosecond what it holds, in the panel as in the address. */
function wholeNs(seconds: number): number {
  return Math.round(seconds * 1e9) / 1e9;
}

/** The canvas at this size in CSS pixels, with as many pixels as the screen has. */
function sized(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  ratio: number,
): CanvasRenderingContext2D {
  const w = Math.round(width * ratio);
  const h = Math.round(height * ratio);
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d", { alpha: false });
  if (context === null) throw new Error("this browser cannot draw on a canvas");
  return context;
}
