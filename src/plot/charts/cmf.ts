/** Cumulative shares as steps, with a dotted line at each mean: what share of the population has at most x. */

import type { CmfChart } from "../../model/index.ts";
import { formatExact, formatValue } from "../format.ts";
import { frame } from "../frame.ts";
import { type LegendEntry, lineSwatch, seriesLegend } from "../legend.ts";
import {
  axisNames,
  type Box,
  boxedText,
  edgeRoom,
  HALO,
  outline,
  overlaps,
  textBox,
  ticksBeside,
  within,
  zeroText,
} from "../places.ts";
import { publishedMarks } from "../published.ts";
import { coordinate, horizontalLine, label, lines, tag, title, verticalLine } from "../svg.ts";
import { fitMiddle, textWidth } from "../text.ts";
import { roleColour } from "../theme.ts";
import { placeOn, spreadAxis } from "../ticks.ts";
import { type ChartKind, type DrawContext, FONT, FONT_SMALL, nothingToDraw, recorded } from "./chart.ts";

export const cmf: ChartKind<CmfChart> = {
  draw,
  csv: ({ x, series, published }) => ({
    columns: [
      { label: "series", unit: "text" },
      { label: "n", unit: "count" },
      { label: `mean ${x.label}`, unit: x.unit },
      { label: x.label, unit: x.unit },
      { label: "share at or below", unit: "share" },
    ],
    rows: csvRows(series, published),
  }),
  table: ({ x, series, published = [] }) => ({
    columns: [
      { label: "series", unit: "text" },
      { label: "n", unit: "count" },
      { label: "mean", unit: x.unit },
      ...TABLE_SHARES.map((share) => ({ label: `${share * 100} % at or below`, unit: x.unit })),
    ],
    rows: [
      ...series.map(({ name, n, mean, values, shares }) => [
        ...[name, recorded(n), recorded(mean)],
        ...TABLE_SHARES.map((share) => recorded(quantileOf(values, shares, share))),
      ]),
      ...published.map(({ label, value, share }) => [
        ...[label, null, share === undefined ? value : null],
        ...TABLE_SHARES.map((one) => (one === share ? value : null)),
      ]),
    ],
  }),
};

const TABLE_SHARES = [0.1, 0.25, 0.5, 0.75, 0.8, 0.9, 1];

/** The smallest of the rising values that `share` of the population does not exceed; NaN when none is. */
export function quantileOf(values: readonly number[], shares: readonly number[], share: number): number {
  // Shares are quotients of counts: 0.8 may stand there as 0.7999999999999999.
  const index = shares.findIndex((of) => of >= share - 1e-12);
  return values[index] ?? Number.NaN;
}

function* csvRows(
  series: CmfChart["series"],
  published: CmfChart["published"] = [],
): Generator<(number | string)[]> {
  for (const { name, n, mean, values, shares } of series) {
    if (values.length === 0) yield [name, n, mean, Number.NaN, Number.NaN];
    for (const [index, value] of values.entries()) yield [name, n, mean, value, shares[index] ?? Number.NaN];
  }
  for (const { label, value, share } of published)
    yield share === undefined
      ? [label, Number.NaN, value, Number.NaN, Number.NaN]
      : [label, Number.NaN, Number.NaN, value, share];
}

/** Told apart without colour. Dots are for means. */
const DASHES = [undefined, "7 4", "12 3 2 3", "4 3", "16 4", "8 3 2 3 2 3"] as const;
const SHARE_TICKS = [0, 0.2, 0.4, 0.5, 0.6, 0.8, 1];
/** Where people read such curves: the median, and "80 % of all". */
const READING_SHARES = [0.5, 0.8];
const GUTTER = 22;
/** More means than these are told on hover only. */
const MEANS_MAX = 6;
const MEAN_LINE = 13;
/** Where a name is tried beside its curve, best first. */
const NAME_SHARES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.65, 0.85, 0.12];

type Series = CmfChart["series"][number];

/** A series as it is drawn, without the points that cannot be. */
interface Curve {
  readonly series: Series;
  readonly colour: string;
  readonly dash: string | undefined;
  readonly values: readonly number[];
  readonly shares: readonly number[];
}

function draw(chart: CmfChart, context: DrawContext) {
  const { x } = chart;
  const curves = chart.series.map(curveOf);
  if (curves.every(({ values }) => values.length === 0)) return nothingToDraw(context.width);
  const { published = [] } = chart;
  const all = [
    ...curves.flatMap(({ values, series }) => [
      values[0]!,
      values.at(-1)!,
      firstPositive(values),
      series.mean,
    ]),
    ...published.map(({ value }) => value),
  ];
  const axis = spreadAxis(all, x.scale ?? "log", context.width < 480 ? 5 : 8, x.unit);
  const below = all.filter((value) => value <= 0);
  const zero = axis.scale === "log" && below.length > 0 ? zeroText(below) : "";
  const gutter = zero === "" ? 0 : GUTTER;
  const legend = seriesLegend(curves.map(legendEntry), context);
  const left = 24 + textWidth("100 %", FONT_SMALL);
  const right = context.width - edgeRoom(axis.ticks, x.unit);
  const scaled = placeOn(axis, left + gutter, right);
  const placeX = (value: number) => (gutter > 0 && value <= 0 ? left + GUTTER / 2 - 1 : scaled(value));
  const means = meanRows(curves, x, placeX, left, right);
  const top = legend.height + 8 + MEAN_LINE * means.rows;
  const bottom = top + Math.round(Math.min(300, Math.max(180, context.width * 0.42)));
  const box = { left, right, top, bottom };
  const placeY = (share: number) => bottom - share * (bottom - top);
  const made = frame({
    ...{ ...box, gutterX: gutter },
    x: {
      ...axis,
      ticks: ticksBeside(zero, left + GUTTER / 2, axis.ticks, scaled, right, x.unit),
      unit: x.unit,
    },
    y: { scale: "linear", domain: [0, 1], ticks: SHARE_TICKS, unit: "share" },
  });
  let body = legend.body + outline(box) + readingLines(box, placeY);
  if (gutter > 0) body += gutterMark(zero, left, box);
  body += made.axes + means.draw(top, bottom);
  for (const curve of curves) body += steps(curve, box, placeX, placeY, x);
  const drawnCurves = curves.map((curve) => ({ ...curve, xs: Float64Array.from(curve.values, placeX) }));
  const named = names(drawnCurves, box, placeX, placeY);
  body += named.body;
  body += publishedMarks(published, {
    ...{ box, unit: x.unit, axis: "x", place: placeX, placeShare: placeY },
    uprights: curves.map(({ series }) => placeX(series.mean)),
    covered: (place) =>
      drawnCurves.some((curve) => crosses(curve, place, placeY)) ||
      named.places.some((other) => overlaps(place, other)),
  });
  body += axisNames(x.label, "share at or below", box);
  return { body, height: bottom + 40 };
}

function curveOf(series: Series, index: number): Curve {
  const [values, shares]: [number[], number[]] = [[], []];
  for (const [at, value] of series.values.entries()) {
    const share = series.shares[at] ?? Number.NaN;
    if (!Number.isFinite(value) || !Number.isFinite(share)) continue;
    values.push(value);
    shares.push(Math.min(1, Math.max(0, share)));
  }
  return { series, colour: roleColour(series.role), dash: DASHES[index % DASHES.length], values, shares };
}

function firstPositive(values: readonly number[]): number {
  return values.find((value) => value > 0) ?? Number.NaN;
}

function legendEntry({ series, colour, dash, values }: Curve): LegendEntry {
  const count = values.length === 0 ? "no data" : `n = ${formatExact(series.n, "count")}`;
  // The name is cut, not its count.
  const name = `${fitMiddle(series.name, 180, FONT)} (${count})`;
  return { name, show: lineSwatch({ stroke: colour, "stroke-width": 2, "stroke-dasharray": dash }, 30) };
}

function readingLines({ left, right }: Box, placeY: (share: number) => number): string {
  return lines(READING_SHARES.map((share) => horizontalLine(placeY(share), left, right)).join(""), "grid");
}

/** The place of zeros is no part of the log scale: a line keeps it apart. */
function gutterMark(text: string, left: number, { top, bottom }: Box): string {
  return (
    lines(verticalLine(left + GUTTER - 2, top, bottom), "grid") +
    label(text, {
      ...{ x: left + GUTTER / 2 - 1, y: bottom + 15, "text-anchor": "middle" },
      ...{ "font-size": FONT_SMALL, fill: "var(--plot-muted)" },
    })
  );
}

/** From the left edge to the right one, level between values and upright at them. */
function steps(
  curve: Curve,
  { left, right }: Box,
  placeX: (value: number) => number,
  placeY: (share: number) => number,
  { label: name, unit }: CmfChart["x"],
): string {
  const { series, colour, dash, values, shares } = curve;
  if (values.length === 0) return "";
  let d = `M${coordinate(left)} ${coordinate(placeY(0))}`;
  let index = 0;
  while (index < values.length) {
    const x = placeX(values[index]!);
    // Steps within a quarter of a pixel are one, as high as the last of them.
    while (index + 1 < values.length && placeX(values[index + 1]!) - x < 0.25) index++;
    d += `H${coordinate(x)}V${coordinate(placeY(shares[index]!))}`;
    index++;
  }
  d += `H${coordinate(right)}`;
  const line = { d, stroke: colour, "stroke-width": 2, "stroke-dasharray": dash, fill: "none" };
  let hovers = "";
  for (let percent = 10; percent <= 90; percent += 10) {
    const value = quantileOf(values, shares, percent / 100);
    if (Number.isNaN(value)) continue;
    const text = `${series.name}: ${percent} % have ${name} of ${formatExact(value, unit)} or less`;
    hovers += tag("circle", { cx: placeX(value), cy: placeY(percent / 100), r: 7 }, title(text));
  }
  return (
    tag("path", { ...line, "stroke-linejoin": "round" }, title(series.name)) +
    tag("g", { "fill-opacity": 0 }, hovers)
  );
}

/** Means as dotted lines with their values above the plot, in as many rows as they need to stand apart. */
function meanRows(
  curves: readonly Curve[],
  { unit }: CmfChart["x"],
  placeX: (value: number) => number,
  left: number,
  right: number,
) {
  const shown = curves
    .filter(({ values, series }) => values.length > 0 && Number.isFinite(series.mean))
    .map((curve) => {
      const name = curves.length > 1 ? `${fitMiddle(curve.series.name, 90, FONT_SMALL)} mean` : "mean";
      const text = `${name} ${formatValue(curve.series.mean, unit)}`;
      return { curve, x: placeX(curve.series.mean), text, width: textWidth(text, FONT_SMALL) };
    })
    .sort((a, b) => a.x - b.x);
  const inside = (start: number, width: number) => Math.max(left - 20, Math.min(right + 8 - width, start));
  const ends: number[] = [];
  const placed = shown.map((of, index) => {
    const { x, width } = of;
    if (shown.length > MEANS_MAX) return { ...of, start: Number.NaN, row: 0 };
    // Two stand back to back at their lines; more are centred over them.
    const wanted = shown.length !== 2 ? x - width / 2 : index === 0 ? x - width + 3 : x - 3;
    const start = inside(wanted, width);
    const free = ends.findIndex((end) => end + 5 <= start);
    const row = free < 0 ? ends.length : free;
    ends[row] = start + width;
    return { ...of, start, row };
  });
  return {
    rows: ends.length,
    draw(top: number, bottom: number): string {
      const lines = placed.map(({ curve: { series, colour }, x }) => {
        const d = `M${coordinate(x)} ${coordinate(top)}V${coordinate(bottom)}`;
        const style = { stroke: colour, "stroke-width": 1.6, "stroke-linecap": "round", fill: "none" };
        const hover = title(`${series.name}: mean ${formatExact(series.mean, unit)}`);
        return tag("path", { d, ...style, "stroke-dasharray": "0.1 4" }, hover);
      });
      const texts = placed
        .filter(({ start }) => !Number.isNaN(start))
        .map(({ text, start, row }) =>
          label(text, { x: start, y: top - row * MEAN_LINE - 4, "font-size": FONT_SMALL, ...HALO }),
        );
      return lines.join("") + texts.join("");
    },
  };
}

/** Names beside their curves, where no curve and no other name is. */
function names(
  curves: readonly Placed[],
  box: Box,
  placeX: (value: number) => number,
  placeY: (share: number) => number,
): { readonly body: string; readonly places: readonly Box[] } {
  const taken: Box[] = [];
  if (curves.length < 2) return { body: "", places: taken };
  let body = "";
  for (const curve of curves) {
    if (curve.values.length === 0) continue;
    const shown = fitMiddle(curve.series.name, 110, FONT_SMALL);
    const place = candidates(curve, shown, placeX, placeY).find(
      (at) =>
        within(at, box) &&
        !taken.some((other) => overlaps(at, other)) &&
        !curves.some((other) => crosses(other, at, placeY)),
    );
    if (place === undefined) continue;
    taken.push(place);
    body += boxedText(shown, place, curve.series.name);
  }
  return { body, places: taken };
}

interface Placed extends Curve {
  /** The values in pixels. */
  readonly xs: Float64Array;
}

/** Left and right of the curve at several heights. */
function candidates(
  { values, shares }: Curve,
  text: string,
  placeX: (value: number) => number,
  placeY: (share: number) => number,
): Box[] {
  const perPixel = 1 / (placeY(0) - placeY(1));
  return NAME_SHARES.flatMap((share) => {
    const [low, high] = [share - 7 * perPixel, share + 8 * perPixel];
    const [before, after] = [quantileOf(values, shares, low), quantileOf(values, shares, high)];
    const wide = textWidth(text, FONT_SMALL);
    const y = placeY(share);
    const right = Number.isNaN(after) ? [] : [textBox(text, placeX(after) + 6, y)];
    return Number.isNaN(before) ? right : [...right, textBox(text, placeX(before) - 6 - wide, y)];
  });
}

/** Curves only rise: one passes through a box if it is not above it at its left nor below it at its right. */
function crosses({ shares, xs }: Placed, box: Box, placeY: (share: number) => number): boolean {
  if (shares.length === 0) return false;
  const shareAt = (x: number) => shares[countUpTo(xs, x) - 1] ?? 0;
  return placeY(shareAt(box.left - 3)) >= box.top && placeY(shareAt(box.right + 3)) <= box.bottom;
}

/** How many of the rising places are at or before `x`. */
function countUpTo(places: Float64Array, x: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]! <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}
