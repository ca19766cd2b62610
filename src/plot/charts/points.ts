/** Points with labels; shape and colour by role. */

import type { PointsChart, Role } from "../../model/index.ts";
import { formatExact, formatTick } from "../format.ts";
import { frame } from "../frame.ts";
import { type LegendEntry, seriesLegend } from "../legend.ts";
import {
  axisNames,
  type Box,
  boxedText,
  edgeRoom,
  outline,
  overlaps,
  textBox,
  ticksBeside,
  within,
  zeroText,
} from "../places.ts";
import { coordinate, label, tag, title } from "../svg.ts";
import { fitMiddle, textWidth } from "../text.ts";
import { ROLES, roleColour } from "../theme.ts";
import { placeOn, spreadAxis, type ValueAxis } from "../ticks.ts";
import { type ChartKind, type DrawContext, FONT_SMALL, nothingToDraw, recorded } from "./chart.ts";

export const points: ChartKind<PointsChart> = {
  draw,
  csv: (chart) => ({
    columns: columnsOf(chart),
    rows: chart.points.map(({ label, x, y, role }) => [label, x, y, role]),
  }),
  table: (chart) => ({
    columns: columnsOf(chart),
    rows: chart.points.map(({ label, x, y, role }) => [label, recorded(x), recorded(y), role]),
  }),
};

function columnsOf({ x, y }: PointsChart) {
  return [
    { label: "point", unit: "text" as const },
    { label: x.label, unit: x.unit },
    { label: y.label, unit: y.unit },
    { label: "kind", unit: "text" as const },
  ];
}

/** Names for more points than these would cover the points. */
const NAMED_MAX = 24;
/** Points beyond this have no text on hover and are one path per role. */
const HOVERS_MAX = 2000;
const GUTTER = 18;
const RADIUS = 4;

/** Around a middle, in units of the radius; roles differ in shape as in colour. */
const SHAPES: Readonly<Record<Role, (x: number, y: number, r: number) => string>> = {
  read: (x, y, r) => circle(x, y, r),
  write: (x, y, r) => polygon(x, y, r * 0.9, [-1, -1, 1, -1, 1, 1, -1, 1]),
  metadata: (x, y, r) => polygon(x, y, r * 1.15, [0, -1, 1, 0.8, -1, 0.8]),
  wait: (x, y, r) => polygon(x, y, r * 1.25, [0, -1, 1, 0, 0, 1, -1, 0]),
  other: (x, y, r) =>
    polygon(
      x,
      y,
      r * 0.5,
      [-2, -1, -1, -2, 0, -1, 1, -2, 2, -1, 1, 0, 2, 1, 1, 2, 0, 1, -1, 2, -2, 1, -1, 0],
    ),
  neutral: (x, y, r) => circle(x, y, r) + circle(x, y, r * 0.45),
  before: (x, y, r) =>
    polygon(x, y, r, [-1, -1, 1, -1, 1, 1, -1, 1]) + polygon(x, y, r * 0.5, [-1, -1, 1, -1, 1, 1, -1, 1]),
  after: (x, y, r) => polygon(x, y, r * 1.15, [-1, -0.8, 1, -0.8, 0, 1]),
  context: (x, y, r) => circle(x, y, r * 0.7),
  high: (x, y, r) => polygon(x, y, r * 1.5, [0, -1, 1, 0, 0, 1, -1, 0]),
  warn: (x, y, r) => polygon(x, y, r * 1.4, [0, -1, 1, 0.8, -1, 0.8]),
};

function circle(x: number, y: number, r: number): string {
  const [radius, across] = [coordinate(r), coordinate(2 * r)];
  const half = `a${radius} ${radius} 0 1 0`;
  return `M${coordinate(x - r)} ${coordinate(y)}${half} ${across} 0${half} -${across} 0z`;
}

function polygon(x: number, y: number, r: number, corners: readonly number[]): string {
  const at: string[] = [];
  for (let index = 0; index < corners.length; index += 2)
    at.push(`${coordinate(x + r * corners[index]!)} ${coordinate(y + r * corners[index + 1]!)}`);
  return `M${at.join("L")}z`;
}

type Point = PointsChart["points"][number];

function draw(chart: PointsChart, context: DrawContext) {
  const { x, y } = chart;
  const drawable = chart.points.filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y));
  if (drawable.length === 0) return nothingToDraw(context.width);
  const narrow = context.width < 480;
  const xAxis = spreadAxis(
    drawable.map((point) => point.x),
    x.scale ?? "linear",
    narrow ? 4 : 7,
    x.unit,
  );
  const yAxis = spreadAxis(
    drawable.map((point) => point.y),
    y.scale ?? "linear",
    6,
    y.unit,
  );
  const [belowX, belowY] = [
    below(
      drawable.map((p) => p.x),
      xAxis,
    ),
    below(
      drawable.map((p) => p.y),
      yAxis,
    ),
  ];
  const [gutterX, gutterY] = [belowX === "" ? 0 : GUTTER, belowY === "" ? 0 : GUTTER];
  const roles = ROLES.filter((role) => drawable.some((point) => point.role === role));
  const legend = seriesLegend(legendEntries(roles, chart, chart.points.length - drawable.length), context);
  const texts = yAxis.ticks.map((tick) => textWidth(formatTick(tick, y.unit), FONT_SMALL));
  const left = 24 + Math.max(20, ...texts);
  const right = context.width - edgeRoom(xAxis.ticks, x.unit);
  const top = legend.height + 10;
  const bottom = top + Math.round(Math.min(340, Math.max(190, (right - left) * 0.6)));
  const box = { left, right, top, bottom };
  const scaledX = placeOn(xAxis, left + gutterX, right);
  const made = frame({
    ...{ ...box, gutterX, gutterY },
    x: {
      ...xAxis,
      ticks: ticksBeside(belowX, left + GUTTER / 2, xAxis.ticks, scaledX, right, x.unit),
      unit: x.unit,
    },
    y: { ...yAxis, unit: y.unit },
  });
  const places = drawable.map((point) => ({
    point,
    x: gutterX > 0 && point.x <= 0 ? left + GUTTER / 2 : scaledX(point.x),
    y: gutterY > 0 && point.y <= 0 ? bottom - GUTTER / 2 : made.y(point.y),
  }));
  let body = legend.body + made.grid + made.axes + outline(box) + gutterMarks(belowX, belowY, box);
  body += places.length > HOVERS_MAX ? merged(places) : apart(places, chart);
  if (places.length <= NAMED_MAX) body += names(places, box);
  return { body: body + axisNames(x.label, y.label, box), height: bottom + 40 };
}

interface Placed {
  readonly point: Point;
  readonly x: number;
  readonly y: number;
}

/** The name of the gutter for what a log axis cannot hold; empty when nothing is there. */
function below(values: readonly number[], { scale }: ValueAxis): string {
  return scale === "log" && values.some((value) => value <= 0) ? zeroText(values) : "";
}

function legendEntries(roles: readonly Role[], { names }: PointsChart, missing: number): LegendEntry[] {
  const entries: LegendEntry[] = roles.map((role) => ({
    name: names?.[role] ?? role,
    show: {
      width: 11,
      draw: (x, y) => tag("path", { d: SHAPES[role](x + 5.5, y, RADIUS), ...shapeStyle(role) }),
    },
  }));
  const shown = roles.length > 1 ? entries : [];
  return missing === 0 ? shown : [...shown, { name: `${missing} not recorded or infinite`, show: "missing" }];
}

function shapeStyle(role: Role) {
  return { fill: roleColour(role), "fill-rule": "evenodd" };
}

function apart(places: readonly Placed[], { x, y }: PointsChart): string {
  return places
    .map(({ point, ...at }) => {
      const numbers = `${x.label} ${formatExact(point.x, x.unit)}; ${y.label} ${formatExact(point.y, y.unit)}`;
      const hover = title(
        `${point.label === "" ? point.role : `${point.label} (${point.role})`}: ${numbers}`,
      );
      return tag("path", { d: SHAPES[point.role](at.x, at.y, RADIUS), ...shapeStyle(point.role) }, hover);
    })
    .join("");
}

/** Very many: small, on whole pixels, and those of one role on one pixel are one. */
function merged(places: readonly Placed[]): string {
  const paths = new Map<Role, Set<string>>();
  for (const { point, x, y } of places) {
    const of = paths.get(point.role) ?? new Set();
    paths.set(point.role, of.add(SHAPES[point.role](Math.round(x), Math.round(y), 2)));
  }
  return ROLES.map((role) => {
    const d = [...(paths.get(role) ?? [])].join("");
    // Shapes lie upon each other, and evenodd would cut them out.
    return d === "" ? "" : tag("path", { d, fill: roleColour(role) });
  }).join("");
}

/** Names beside their points, where there is room. */
function names(places: readonly Placed[], box: Box): string {
  const around = (at: Placed) => ({ left: at.x - 5, right: at.x + 5, top: at.y - 5, bottom: at.y + 5 });
  const taken: Box[] = places.map(around);
  let body = "";
  for (const at of places) {
    if (at.point.label === "") continue;
    const text = fitMiddle(at.point.label, 120, FONT_SMALL);
    const width = textWidth(text, FONT_SMALL);
    const place = [
      textBox(text, at.x + 7, at.y),
      textBox(text, at.x - 7 - width, at.y),
      textBox(text, at.x - width / 2, at.y - 12),
      textBox(text, at.x - width / 2, at.y + 13),
    ].find((one) => within(one, box) && !taken.some((other) => overlaps(one, other)));
    if (place === undefined) continue;
    taken.push(place);
    body += boxedText(text, place, at.point.label);
  }
  return body;
}

function gutterMarks(belowX: string, belowY: string, { left, right, top, bottom }: Box): string {
  const style = { "font-size": FONT_SMALL, fill: "var(--plot-muted)" };
  const line = (d: string) =>
    tag("path", { d, stroke: "var(--plot-muted)", "stroke-dasharray": "1 2", fill: "none" });
  let body = "";
  if (belowX !== "") {
    body += line(`M${coordinate(left + GUTTER)} ${coordinate(top)}V${coordinate(bottom)}`);
    body += label(belowX, { x: left + GUTTER / 2, y: bottom + 15, "text-anchor": "middle", ...style });
  }
  if (belowY !== "") {
    body += line(`M${coordinate(left)} ${coordinate(bottom - GUTTER)}H${coordinate(right)}`);
    body += label(belowY, { x: left - 7, y: bottom - GUTTER / 2 + 3.5, "text-anchor": "end", ...style });
  }
  return body;
}
