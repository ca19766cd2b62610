/** Spans of the application above the calls: a lane per name, where at least one process has such a span open. */
import type { TraceSpans } from "../../../src/model/index.ts";
import type { Drawing } from "./draw-timeline.ts";
import { type Layout, SPAN_HEIGHT, timeAt, xOf } from "./layout.ts";
import { css } from "./palette.ts";
import { shorten } from "./shorten.ts";
import type { ViewState } from "./state.ts";
import type { TraceData } from "./trace-data.ts";

/** Pixels left and right of the pointer that still count. */
const REACH = 2;

export function drawSpans(drawing: Drawing): void {
  const { context, data, palette, layout } = drawing;
  const { spans = [] } = data.trace;
  if (spans.length === 0) return;
  for (const [lane, one] of spans.entries()) {
    const y = layout.spans.y + lane * SPAN_HEIGHT;
    context.textAlign = "left";
    context.fillStyle = css(palette.muted);
    context.fillText(shorten(context, spanName(one), layout.gutter - 10), 2, y + SPAN_HEIGHT / 2);
    context.fillStyle = css(palette.metadata, 0.75);
    drawLane(drawing, one, y + 2);
  }
  context.fillStyle = css(palette.grid);
  context.fillRect(layout.gutter - 1, layout.spans.y, 1, layout.spans.height);
  context.fillRect(0, layout.spans.y + layout.spans.height - 2, layout.width, 1);
}

export const spanName = ({ category, name }: TraceSpans) => (category === "" ? name : `${category}: ${name}`);

/** Stretches that fall on one pixel are one rectangle, so a lane costs no more than its width. */
function drawLane({ context, state, layout }: Drawing, spans: TraceSpans, y: number): void {
  const right = layout.gutter + layout.plotWidth;
  let [from, to] = [Number.NaN, Number.NaN];
  const flush = () => {
    if (to > from) context.fillRect(from, y, to - from, SPAN_HEIGHT - 4);
  };
  for (let i = firstAfter(spans, state.t0); i < spans.startSeconds.length; i++) {
    const start = spans.startSeconds[i] as number;
    if (start > state.t1) break;
    const x0 = Math.max(layout.gutter, Math.floor(xOf(layout, state, start)));
    const x1 = Math.min(
      right,
      Math.max(x0 + 1, Math.ceil(xOf(layout, state, spans.endSeconds[i] as number))),
    );
    if (x0 > to || Number.isNaN(to)) {
      flush();
      from = x0;
    }
    to = Math.max(x1, x0 > to || Number.isNaN(to) ? x1 : to);
  }
  flush();
}

/** The first stretch that ends at a time or later. */
export function firstAfter({ endSeconds }: TraceSpans, time: number): number {
  let [low, high] = [0, endSeconds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((endSeconds[middle] as number) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface SpanHit {
  readonly spans: TraceSpans;
  /** The stretch under the pointer. */
  readonly stretch: { readonly t0: number; readonly t1: number } | undefined;
}

export function hitSpan(
  data: TraceData,
  state: ViewState,
  layout: Layout,
  x: number,
  y: number,
): SpanHit | undefined {
  const lane = Math.floor((y - layout.spans.y) / SPAN_HEIGHT);
  const spans = y < layout.spans.y ? undefined : data.trace.spans?.[lane];
  if (spans === undefined) return undefined;
  const i = firstAfter(spans, timeAt(layout, state, x - REACH));
  const [t0, t1] = [spans.startSeconds[i], spans.endSeconds[i]];
  const isUnder =
    x >= layout.gutter && t0 !== undefined && t1 !== undefined && t0 <= timeAt(layout, state, x + REACH);
  return { spans, stretch: isUnder ? { t0, t1 } : undefined };
}
