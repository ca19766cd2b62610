/** Keys, when the view has the focus. A tap moves a step; a key that is held moves on smoothly. */
import { pan, zoom } from "./state.ts";
import type { TraceView } from "./view.ts";

const STEP = 0.1;
const ZOOM = 0.8;
/** Share of the window by which keys move the end of the range. */
const RANGE_STEP = 0.02;
const HOLD_MS = 180;
/** Windows per second while a key is held. */
const PAN_SPEED = 1.2;
/** How far a second of holding zooms. */
const ZOOM_SPEED = 6;

type Motion = { readonly kind: "pan" | "zoom"; readonly sign: 1 | -1 };

const MOTIONS: Readonly<Record<string, Motion>> = {
  a: { kind: "pan", sign: -1 },
  d: { kind: "pan", sign: 1 },
  arrowleft: { kind: "pan", sign: -1 },
  arrowright: { kind: "pan", sign: 1 },
  w: { kind: "zoom", sign: 1 },
  s: { kind: "zoom", sign: -1 },
  "+": { kind: "zoom", sign: 1 },
  "=": { kind: "zoom", sign: 1 },
  "-": { kind: "zoom", sign: -1 },
  _: { kind: "zoom", sign: -1 },
};

export function listenToKeys(view: TraceView): () => void {
  const { root } = view;
  const held = new Map<string, Motion>();
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let frame = 0;
  let last = 0;
  const apply = ({ kind, sign }: Motion, share: number) => {
    const { state, data } = view;
    if (kind === "pan") pan(state, data, sign * share);
    else zoom(state, data, share ** sign, state.pointerTime ?? (state.t0 + state.t1) / 2);
    view.changed();
  };
  const tick = (now: number) => {
    const seconds = Math.min(0.1, (now - last) / 1000);
    last = now;
    for (const motion of held.values())
      apply(motion, motion.kind === "pan" ? PAN_SPEED * seconds : ZOOM_SPEED ** -seconds);
    frame = held.size > 0 ? requestAnimationFrame(tick) : 0;
  };
  const release = () => {
    held.clear();
    cancelAnimationFrame(frame);
    frame = 0;
  };
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const onKeyUp = (event: KeyboardEvent) => {
    const key = event.key.toLowerCase();
    clearTimeout(timers.get(key));
    timers.delete(key);
    held.delete(key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    const key = event.key.toLowerCase();
    const motion = event.shiftKey && key.startsWith("arrow") ? undefined : MOTIONS[key];
    if (motion === undefined) {
      if (command(view, event.key, event.target, event.shiftKey)) event.preventDefault();
      return;
    }
    event.preventDefault();
    // Who wants less motion gets steps.
    if (!calm.matches && (event.repeat || held.has(key) || timers.has(key))) return;
    apply(motion, motion.kind === "pan" ? STEP : ZOOM);
    if (calm.matches) return;
    const start = () => {
      timers.delete(key);
      held.set(key, motion);
      if (frame === 0) {
        last = performance.now();
        frame = requestAnimationFrame(tick);
      }
    };
    timers.set(key, setTimeout(start, HOLD_MS));
  };
  const onBlur = () => {
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
    release();
  };
  root.addEventListener("keydown", onKeyDown);
  root.addEventListener("keyup", onKeyUp);
  root.addEventListener("focusout", onBlur);
  window.addEventListener("blur", onBlur);
  return () => {
    onBlur();
    root.removeEventListener("keydown", onKeyDown);
    root.removeEventListener("keyup", onKeyUp);
    root.removeEventListener("focusout", onBlur);
    window.removeEventListener("blur", onBlur);
  };
}

/** Whether the key meant something. */
function command(view: TraceView, key: string, target: EventTarget | null, shift: boolean): boolean {
  const { state, data, layout } = view;
  switch (key) {
    case "ArrowLeft":
    case "ArrowRight":
      if (shift) view.moveRangeEnd(key === "ArrowLeft" ? -RANGE_STEP : RANGE_STEP);
      return shift;
    case "r":
    case "R":
      view.setRange({ t0: state.t0, t1: state.t1 }, true);
      return true;
    case ".":
    case ",":
      view.stepCall(key === "." ? 1 : -1);
      return true;
    case "ArrowUp":
    case "ArrowDown": {
      if (layout.scrollMax <= 0 || target !== view.stage) return false;
      state.scroll += (key === "ArrowUp" ? -STEP : STEP) * layout.lanes.height;
      view.changed();
      return true;
    }
    case "Escape":
      view.clear();
      return true;
    case "/":
      view.controls.focusSearch();
      return true;
    case "?":
      view.controls.toggleHelp();
      return true;
    case "0":
      view.setWindow(data.t0, data.t1);
      return true;
    case "p":
    case "P": {
      const lane = view.laneUnderPointer() ?? view.laneOfSelection();
      if (lane !== undefined) view.togglePin(lane);
      return true;
    }
    case "f":
    case "F": {
      const span = view.selectedSpan();
      if (span !== undefined) view.setWindow(span.t0, span.t1);
      return true;
    }
    default:
      return false;
  }
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement
    ? target.type !== "checkbox"
    : target instanceof HTMLSelectElement;
}
