/** Rectangles over time: calls on lanes, or the offsets of a file that they touched. */

import type { Role, SpansChart } from "../../model/index.ts";
import { formatTick } from "../format.ts";
import { frame } from "../frame.ts";
import { seriesLegend } from "../legend.ts";
import { outline } from "../places.ts";
import { coordinate, label, rectPath, tag, title } from "../svg.ts";
import { fitMiddle, fitNames, textWidth } from "../text.ts";
import { ROLES } from "../theme.ts";
import { linearTicks, thinnedTicks } from "../ticks.ts";
import { type ChartKind, type DrawContext, FONT, FONT_SMALL, nothingToDraw, recorded } from "./chart.ts";

export const spans: ChartKind<SpansChart> = {
  draw,
  csv: (chart) => ({
    columns: columnsOf(chart),
    rows: chart.spans.map(({ x1, x2, y1, y2, role, note }) => [x1, x2, y1, y2, role, note ?? ""]),
  }),
  table: (chart) => (chart.namedByLane === true ? laneTable(chart) : spanTable(chart)),
};

function laneTable({ x, y, laneNames = [], spans }: SpansChart) {
  return {
    columns: [
      { label: y.label, unit: "text" as const },
      { label: "from", unit: x.unit },
      { label: "to", unit: x.unit },
    ],
    rows: spans.map(({ x1, x2, y1 }) => [laneNames[Math.floor(y1)] ?? null, recorded(x1), recorded(x2)]),
  };
}

const spanTable = (chart: SpansChart) => ({
  columns: columnsOf(chart),
  rows: chart.spans.map(({ x1, x2, y1, y2, role, note }) => [
    ...[recorded(x1), recorded(x2), recorded(y1), recorded(y2)],
    ...[role, note ?? null],
  ]),
});

function columnsOf({ x, y }: SpansChart) {
  return [
    { label: `${x.label} from`, unit: x.unit },
    { label: `${x.label} to`, unit: x.unit },
    { label: `${y.label} from`, unit: y.unit },
    { label: `${y.label} to`, unit: y.unit },
    { label: "kind", unit: "text" as const },
    { label: "note", unit: "text" as const },
  ];
}

/** Smaller than this a hatch is noise; the legend and the note still tell. */
const HATCHED_PX = 7;

function draw(chart: SpansChart, context: DrawContext) {
  const { laneNames, x, y } = chart;
  const drawable = chart.spans.filter(({ x1, x2, y1, y2 }) => [x1, x2, y1, y2].every(Number.isFinite));
  if (drawable.length === 0) return nothingToDraw(context.width);
  const domainX = extent(drawable.flatMap(({ x1, x2 }) => [x1, x2]));
  const domainY =
    laneNames === undefined
      ? extent(drawable.flatMap(({ y1, y2 }) => [y1, y2]))
      : extent([0, laneNames.length, ...drawable.flatMap(({ y1, y2 }) => [y1, y2])]);
  const roles = chart.namedByLane === true ? [] : rolesOf(drawable);
  const legend = seriesLegend(
    roles.map((role) => ({ name: role, show: role })),
    context,
  );
  const shownNames = laneNames && fitNames(laneNames, Math.min(180, context.width * 0.3), FONT_SMALL);
  const yTicks = laneNames === undefined ? linearTicks(...domainY, 6, y.unit) : [];
  const yTexts = shownNames ?? yTicks.map((tick) => formatTick(tick, y.unit));
  const left = 24 + Math.max(20, ...yTexts.map((text) => textWidth(text, FONT_SMALL)));
  const allTicks = linearTicks(...domainX, 7, x.unit);
  const right = context.width - 6 - textWidth(formatTick(allTicks.at(-1) ?? 0, x.unit), FONT_SMALL) / 2;
  const top = legend.height + 8;
  const lanes = domainY[1] - domainY[0];
  const wanted = laneNames === undefined ? context.width * 0.42 : 16 * lanes;
  const bottom = top + Math.round(Math.min(laneNames === undefined ? 300 : 900, Math.max(60, wanted)));
  const box = { left, right, top, bottom };
  const xTicks = thinnedTicks(allTicks, right - left, x.unit);
  const made = frame({
    ...box,
    x: { scale: "linear", domain: domainX, ticks: xTicks, unit: x.unit },
    y: { scale: "linear", domain: domainY, ticks: yTicks, unit: y.unit, down: laneNames !== undefined },
  });
  let body = legend.body + outline(box);
  body += made.axes;
  // Spans without a note are one path per role and fill: their number does not become elements.
  const plain = new Map<string, string>();
  for (const span of drawable) {
    const [x1, x2] = [made.x(Math.min(span.x1, span.x2)), made.x(Math.max(span.x1, span.x2))];
    const [ya, yb] = [made.y(span.y1), made.y(span.y2)];
    const [y1, y2] = [Math.min(ya, yb), Math.max(ya, yb)];
    // Short calls stay visible; lanes keep a hair's breadth apart.
    const width = Math.max(0.6, x2 - x1);
    const gap = laneNames !== undefined && y2 - y1 > 6 ? 1 : 0;
    const height = Math.max(0.8, y2 - y1 - 2 * gap);
    const fill = spanFill(span.role, width, height, context);
    const d = rectPath(x1, y1 + gap, width, height);
    if (span.note === undefined) plain.set(fill, (plain.get(fill) ?? "") + d);
    else body += tag("path", { d, fill }, title(`${span.role}: ${span.note}`));
  }
  for (const [fill, d] of plain) body += tag("path", { d, fill });
  if (shownNames !== undefined) body += laneLabels(laneNames!, shownNames, left, made.y);
  body += label(fitMiddle(x.label, right - left, FONT), {
    ...{ x: (left + right) / 2, y: bottom + 32, "text-anchor": "middle", fill: "var(--plot-muted)" },
  });
  body += label(fitMiddle(y.label, bottom - top, FONT), {
    ...{ x: 0, y: 0, transform: `translate(12 ${coordinate((top + bottom) / 2)}) rotate(-90)` },
    ...{ "text-anchor": "middle", fill: "var(--plot-muted)" },
  });
  return { body, height: bottom + 40 };
}

const rolesOf = (spans: SpansChart["spans"]) =>
  ROLES.filter((role) => spans.some((span) => span.role === role));

function spanFill(role: Role, width: number, height: number, context: DrawContext): string {
  return width >= HATCHED_PX && height >= HATCHED_PX ? context.fill(role) : `var(--plot-${role})`;
}

function laneLabels(
  names: readonly string[],
  shown: readonly string[],
  left: number,
  place: (value: number) => number,
): string {
  const every = Math.max(1, Math.ceil(12 / Math.max(0.01, place(1) - place(0))));
  let body = "";
  for (let lane = 0; lane < names.length; lane += every) {
    const at = { x: left - 6, y: place(lane + 0.5) + 3.5, "text-anchor": "end", "font-size": FONT_SMALL };
    body += label(shown[lane]!, at, shown[lane] === names[lane] ? undefined : names[lane]);
  }
  return body;
}

/** The smallest and largest; a single value gets room around it. */
function extent(values: readonly number[]): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high > low ? [low, high] : [low - 0.5, low + Math.max(0.5, Math.abs(low) * 1e-9)];
}
