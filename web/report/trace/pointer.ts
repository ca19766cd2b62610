/** Mouse and touch: move, zoom, select, and what the tooltip says. */
import { offsetPlot } from "./draw-offsets.ts";
import { hitTimeline } from "./hit.ts";
import { rowAt, timeAt, xOf } from "./layout.ts";
import { type MinimapDrag, minimapPart, minimapTime, minimapWindow } from "./minimap.ts";
import { zoomOffsets } from "./offset-panel.ts";
import { fileEnd, pan, zoom } from "./state.ts";
import { hitSpan, spanName } from "./spans.ts";
import type { TraceView } from "./view.ts";

/** A press that moves less than this is a click. */
const CLICK_PIXELS = 4;
const WHEEL_ZOOM = 0.0022;

/** Pixels left and right of an edge of the range that still take hold of it. */
const EDGE_PIXELS = 5;

type Drag =
  | ({ readonly kind: "overview" } & MinimapDrag)
  | { readonly kind: "range"; readonly from: number; readonly isEdge: boolean }
  | { readonly kind: "scrollbar" }
  | { readonly kind: "pan" };

interface Press {
  x: number;
  y: number;
}

export function listenToTimeline(view: TraceView): () => void {
  const { timeline: canvas } = view;
  const pressed = new Map<number, Press>();
  let drag: Drag | undefined;
  let moved = 0;
  const at = (event: PointerEvent | MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  const down = (event: PointerEvent) => {
    if (event.button > 1) return;
    const { x, y } = at(event);
    pressed.set(event.pointerId, { x, y });
    capture(canvas, event.pointerId);
    moved = 0;
    view.stage.focus({ preventScroll: true });
    // The middle button would scroll the page.
    if (event.button === 1) event.preventDefault();
    drag = event.button === 1 ? { kind: "pan" } : dragFrom(view, event, x, y);
  };

  const move = (event: PointerEvent) => {
    const { x, y } = at(event);
    const { layout, state, data } = view;
    const last = pressed.get(event.pointerId);
    view.pointer = { x, y };
    state.pointerTime =
      x >= layout.gutter && x <= layout.gutter + layout.plotWidth ? timeAt(layout, state, x) : undefined;
    if (last === undefined || drag === undefined) {
      canvas.style.cursor = cursorAt(view, x, y);
      showTip(view, x, y);
      view.changed();
      return;
    }
    moved += Math.abs(x - last.x) + Math.abs(y - last.y);
    view.tip.hidden = true;
    if (pressed.size === 2) pinch(view, pressed, event.pointerId, { x, y });
    else if (drag.kind === "overview") {
      if (moved >= CLICK_PIXELS) view.setWindow(...minimapWindow(drag, minimapTime(layout, data, x), true));
    } else if (drag.kind === "range") {
      const to = timeAt(
        layout,
        state,
        Math.min(layout.gutter + layout.plotWidth, Math.max(layout.gutter, x)),
      );
      if (moved >= CLICK_PIXELS)
        view.setRange({ t0: Math.min(drag.from, to), t1: Math.max(drag.from, to) }, false);
    } else if (drag.kind === "scrollbar")
      state.scroll += ((y - last.y) / layout.lanes.height) * layout.laneCount * layout.laneHeight;
    else {
      pan(state, data, (last.x - x) / layout.plotWidth);
      state.scroll += last.y - y;
    }
    pressed.set(event.pointerId, { x, y });
    view.changed();
  };

  const up = (event: PointerEvent) => {
    if (!pressed.delete(event.pointerId)) return;
    const { x, y } = at(event);
    if (event.type === "pointerup" && drag !== undefined) {
      const isClick = moved < CLICK_PIXELS;
      const onRuler = y < view.layout.ruler.y + view.layout.ruler.height;
      if (drag.kind === "overview") {
        if (isClick) view.setWindow(...minimapWindow(drag, drag.at, false));
      } else if (drag.kind === "range" && !isClick) view.setRange(view.state.range, true);
      else if (drag.kind === "range" && onRuler && !drag.isEdge) view.setRange(undefined, true);
      else if (isClick && event.button === 0 && drag.kind !== "scrollbar") view.selectAt(x, y);
    }
    if (pressed.size === 0) drag = undefined;
    else moved = CLICK_PIXELS;
  };

  canvas.style.cursor = "crosshair";
  const leave = () => {
    view.pointer = undefined;
    view.state.pointerTime = undefined;
    view.tip.hidden = true;
    view.changed();
  };

  const wheel = (event: WheelEvent) => {
    const { layout, state, data } = view;
    const { x } = at(event);
    if (event.ctrlKey || event.metaKey) {
      zoom(state, data, Math.exp(lines(event, event.deltaY) * WHEEL_ZOOM), timeAt(layout, state, x));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      pan(state, data, lines(event, event.deltaX || event.deltaY) / layout.plotWidth);
    else {
      const next = Math.min(layout.scrollMax, Math.max(0, state.scroll + lines(event, event.deltaY)));
      // At the end of the lanes the page scrolls on.
      if (next === state.scroll) return;
      state.scroll = next;
    }
    event.preventDefault();
    view.tip.hidden = true;
    view.changed();
  };

  const doubleClick = (event: MouseEvent) => {
    const { x, y } = at(event);
    const { layout, state, data } = view;
    if (x < layout.gutter || y < layout.ruler.y) return;
    zoom(state, data, event.shiftKey ? 3 : 1 / 3, timeAt(layout, state, x));
    view.changed();
  };

  return listen(canvas, { down, move, up, leave, wheel, doubleClick });
}

/** The same window by drag and wheel; Shift with the wheel zooms the offsets. */
export function listenToOffsets(view: TraceView): () => void {
  const { offsets: canvas } = view;
  const pressed = new Map<number, Press>();
  const at = (event: PointerEvent | MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const time = (x: number) => {
    const plot = offsetPlot(view.layout.width);
    return view.state.t0 + ((x - plot.left) / plot.width) * (view.state.t1 - view.state.t0);
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    pressed.set(event.pointerId, at(event));
    capture(canvas, event.pointerId);
    view.stage.focus({ preventScroll: true });
  };
  const move = (event: PointerEvent) => {
    const { x, y } = at(event);
    const { state, data } = view;
    const plot = offsetPlot(view.layout.width);
    const last = pressed.get(event.pointerId);
    state.pointerTime = x >= plot.left && x <= plot.left + plot.width ? time(x) : undefined;
    if (last !== undefined) {
      if (pressed.size === 2) pinch(view, pressed, event.pointerId, { x, y });
      else {
        pan(state, data, (last.x - x) / plot.width);
        const span = state.y1 - state.y0;
        const by = ((y - last.y) / plot.height) * span;
        state.y0 = Math.min(Math.max(0, state.y0 + by), fileEnd(data, state.file) - span);
        state.y1 = state.y0 + span;
      }
      pressed.set(event.pointerId, { x, y });
    }
    view.changed();
  };
  const up = (event: PointerEvent) => {
    pressed.delete(event.pointerId);
  };
  const leave = () => {
    view.state.pointerTime = undefined;
    view.changed();
  };
  const wheel = (event: WheelEvent) => {
    const { x, y } = at(event);
    const plot = offsetPlot(view.layout.width);
    const by = lines(event, event.deltaY || event.deltaX);
    if (event.ctrlKey || event.metaKey) zoom(view.state, view.data, Math.exp(by * WHEEL_ZOOM), time(x));
    else if (event.shiftKey)
      zoomOffsets(
        view,
        Math.exp(by * WHEEL_ZOOM),
        Math.min(1, Math.max(0, 1 - (y - plot.top) / plot.height)),
      );
    else return;
    event.preventDefault();
    view.changed();
  };
  const doubleClick = (event: MouseEvent) => {
    zoom(view.state, view.data, event.shiftKey ? 3 : 1 / 3, time(at(event).x));
    view.changed();
  };
  canvas.style.touchAction = "pan-y";
  return listen(canvas, { down, move, up, leave, wheel, doubleClick });
}

interface Handlers {
  down(event: PointerEvent): void;
  move(event: PointerEvent): void;
  up(event: PointerEvent): void;
  leave(): void;
  wheel(event: WheelEvent): void;
  doubleClick(event: MouseEvent): void;
}

function listen(
  canvas: HTMLCanvasElement,
  { down, move, up, leave, wheel, doubleClick }: Handlers,
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  canvas.addEventListener("pointerdown", down, { signal });
  canvas.addEventListener("pointermove", move, { signal });
  canvas.addEventListener("pointerup", up, { signal });
  canvas.addEventListener("pointercancel", up, { signal });
  canvas.addEventListener("pointerleave", leave, { signal });
  canvas.addEventListener("wheel", wheel, { signal, passive: false });
  canvas.addEventListener("dblclick", doubleClick, { signal });
  return () => stop.abort();
}

/** A pointer that is gone already cannot be captured. */
function capture(canvas: HTMLCanvasElement, pointer: number): void {
  try {
    canvas.setPointerCapture(pointer);
  } catch {
    // The drag then ends at the edge of the canvas.
  }
}

/** Wheels count in pixels, lines or pages. */
function lines(event: WheelEvent, delta: number): number {
  return event.deltaMode === 1 ? delta * 24 : event.deltaMode === 2 ? delta * 400 : delta;
}

/** Two fingers keep the times under them. */
function pinch(view: TraceView, pressed: ReadonlyMap<number, Press>, moving: number, to: Press): void {
  const { layout, state, data } = view;
  const before = pressed.get(moving);
  const other = [...pressed].find(([id]) => id !== moving)?.[1];
  if (before === undefined || other === undefined) return;
  const wasApart = Math.max(8, Math.abs(before.x - other.x));
  const isApart = Math.max(8, Math.abs(to.x - other.x));
  zoom(state, data, wasApart / isApart, timeAt(layout, state, (before.x + other.x) / 2));
  pan(state, data, (before.x - to.x) / 2 / layout.plotWidth);
}

/** What a press of the main button begins: fingers move what is drawn, a mouse selects; on the ruler all select. */
function dragFrom(view: TraceView, event: PointerEvent, x: number, y: number): Drag {
  const { layout, state, data } = view;
  const { t0, t1 } = state;
  if (y < layout.overview.y + layout.overview.height)
    return {
      kind: "overview",
      part: minimapPart(layout, data, state, x),
      at: minimapTime(layout, data, x),
      ...{ t0, t1 },
    };
  if (x > layout.width - 10 && layout.scrollMax > 0 && y >= layout.lanes.y) return { kind: "scrollbar" };
  const onRuler = y < layout.ruler.y + layout.ruler.height;
  if (x < layout.gutter || event.shiftKey || (event.pointerType === "touch" && !onRuler))
    return { kind: "pan" };
  const edge = rangeEdge(view, x);
  return { kind: "range", from: edge?.opposite ?? timeAt(layout, state, x), isEdge: edge !== undefined };
}

/** The edge of the selected range at this place: the range is then drawn from the opposite edge. */
function rangeEdge({ layout, state: { range }, state }: TraceView, x: number) {
  if (range === undefined) return undefined;
  if (Math.abs(xOf(layout, state, range.t0) - x) <= EDGE_PIXELS) return { opposite: range.t1 };
  if (Math.abs(xOf(layout, state, range.t1) - x) <= EDGE_PIXELS) return { opposite: range.t0 };
  return undefined;
}

function cursorAt(view: TraceView, x: number, y: number): string {
  const { layout, state, data } = view;
  if (x < layout.gutter || x > layout.gutter + layout.plotWidth) return "default";
  if (y >= layout.overview.y + layout.overview.height)
    return rangeEdge(view, x) === undefined ? "crosshair" : "ew-resize";
  const part = minimapPart(layout, data, state, x);
  return part === "inside" ? "grab" : part === "outside" ? "crosshair" : "ew-resize";
}

function showTip(view: TraceView, x: number, y: number): void {
  const { layout, state, tip } = view;
  const text = tipText(view, x, y);
  tip.hidden = text === "";
  if (text === "") return;
  tip.textContent = text;
  const row = rowAt(layout, state, y);
  const below = (row?.y ?? y) + (row?.height ?? 0) + 6;
  const left = Math.min(x + 12, Math.max(0, layout.width - tip.offsetWidth - 4));
  tip.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(below, y + 14)}px)`;
}

function tipText({ layout, state, data, options: { format } }: TraceView, x: number, y: number): string {
  const row = rowAt(layout, state, y);
  if (row === undefined) return spanText(hitSpan(data, state, layout, x, y), format);
  const name = data.laneName(state.lanesBy, state.layer, row.lane);
  if (x < layout.gutter) return name;
  const hit = hitTimeline(data, state, layout, x, y);
  if (hit === undefined || hit.calls + hit.busySeconds === 0) return "";
  const { calls, files } = data.trace;
  if (hit.call !== undefined && hit.calls === 1) {
    const call = hit.call;
    const other =
      state.lanesBy === "rank"
        ? (files[calls.file[call] as number]?.path ?? data.otherFiles)
        : `rank ${calls.rank[call]}`;
    const took = (calls.endSeconds[call] as number) - (calls.startSeconds[call] as number);
    const verb = calls.write[call] === 1 ? "write" : "read";
    return `${name}\n${verb} ${format(calls.bytes[call] as number, "bytes")} in ${format(took, "seconds")}\n${other}`;
  }
  const parts = [name, format(hit.calls, "calls")];
  if (hit.bytesRead > 0) parts.push(`read ${format(hit.bytesRead, "bytes")}`);
  if (hit.bytesWritten > 0) parts.push(`written ${format(hit.bytesWritten, "bytes")}`);
  return parts.join("\n");
}

function spanText(hit: ReturnType<typeof hitSpan>, format: TraceView["options"]["format"]): string {
  if (hit === undefined) return "";
  const name = spanName(hit.spans);
  if (hit.stretch === undefined) return name;
  const { t0, t1 } = hit.stretch;
  return `${name}\nopen for ${format(t1 - t0, "seconds")} from ${format(t0, "seconds")} on`;
}
