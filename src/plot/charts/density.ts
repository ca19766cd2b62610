/** Counts in bins of two values, mostly logarithmic; colour is the decade of the count, and zeros stand in gutters. */

import type { DensityChart } from "../../model/index.ts";
import { cellPaths } from "../cells.ts";
import { type Classes, decadeClasses } from "../classes.ts";
import { formatExact, formatTick, formatValue } from "../format.ts";
import { frame } from "../frame.ts";
import { decadeLegend } from "../legend.ts";
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
} from "../places.ts";
import { coordinate, label, rectPath, tag, title } from "../svg.ts";
import { fitMiddle, textWidth } from "../text.ts";
import { linearTicks, logMarks, placeOn, type ValueAxis } from "../ticks.ts";
import { type ChartKind, type DrawContext, FONT_SMALL, nothingToDraw } from "./chart.ts";

export const density: ChartKind<DensityChart> = {
  draw,
  csv: (chart) => ({
    columns: [
      { label: `${chart.x.label} from`, unit: chart.x.unit },
      { label: `${chart.x.label} to`, unit: chart.x.unit },
      { label: `${chart.y.label} from`, unit: chart.y.unit },
      { label: `${chart.y.label} to`, unit: chart.y.unit },
      { label: chart.countLabel, unit: "count" },
    ],
    rows: csvRows(chart),
  }),
  table,
};

/** Counts with their gutters, all present; what is not a positive number is zero. */
interface Bins {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly counts: Float64Array;
  readonly zeroX: Float64Array;
  readonly zeroY: Float64Array;
  readonly zeroBoth: number;
}

/** The bins, joined to at most this many columns and rows; counts are summed. */
export function binsOf(chart: DensityChart, columnsMax: number, rowsMax: number): Bins {
  const cuts = (count: number, most: number) => {
    const step = Math.max(1, Math.ceil(count / Math.max(1, most)));
    const every = Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
    return [...every, count];
  };
  return joined(chart, cuts(chart.x.edges.length - 1, columnsMax), cuts(chart.y.edges.length - 1, rowsMax));
}

/** Which gutters there are. */
export function guttersOf({ zeroX, zeroY, zeroBoth }: DensityChart): { left: boolean; bottom: boolean } {
  const both = zeroBoth !== undefined && zeroBoth > 0;
  return { left: zeroX !== undefined || both, bottom: zeroY !== undefined || both };
}

/** Edges that can be drawn: at least two, finite and rising. */
export function isBinned({ x, y }: DensityChart): boolean {
  return [x.edges, y.edges].every(
    (edges) =>
      edges.length > 1 &&
      edges.every((edge, index) => Number.isFinite(edge) && (index === 0 || edge > edges[index - 1]!)),
  );
}

function joined(chart: DensityChart, columnCuts: readonly number[], rowCuts: readonly number[]): Bins {
  const columnsAll = chart.x.edges.length - 1;
  const [columns, rows] = [columnCuts.length - 1, rowCuts.length - 1];
  const [columnOf, rowOf] = [columnCuts, rowCuts].map(placesOf) as [Int32Array, Int32Array];
  const counts = new Float64Array(columns * rows);
  const [zeroX, zeroY] = [new Float64Array(rows), new Float64Array(columns)];
  for (const [row, to] of rowOf.entries()) {
    zeroX[to]! += counted(chart.zeroX?.[row]);
    for (let column = 0; column < columnsAll; column++)
      counts[to * columns + columnOf[column]!]! += counted(chart.counts[row * columnsAll + column]);
  }
  for (const [column, to] of columnOf.entries()) zeroY[to]! += counted(chart.zeroY?.[column]);
  return {
    x: columnCuts.map((cut) => chart.x.edges[cut]!),
    y: rowCuts.map((cut) => chart.y.edges[cut]!),
    ...{ counts, zeroX, zeroY, zeroBoth: counted(chart.zeroBoth) },
  };
}

/** For each of the places before the last cut, which interval between cuts holds it. */
function placesOf(cuts: readonly number[]): Int32Array {
  const places = new Int32Array(cuts.at(-1) ?? 0);
  for (let index = 0; index + 1 < cuts.length; index++) places.fill(index, cuts[index], cuts[index + 1]);
  return places;
}

function counted(count: number | undefined): number {
  return count !== undefined && count > 0 && count < Number.POSITIVE_INFINITY ? count : 0;
}

const GUTTER = 16;
/** Between a gutter and the bins. */
const GAP = 4;
/** Narrower bins are joined: a screen cannot show them. */
const BIN_PX = 1;
/** Up to this many bins tell their numbers on hover; more would make the file large. */
const HOVERS_MAX = 400;

function draw(chart: DensityChart, context: DrawContext) {
  if (!isBinned(chart)) return nothingToDraw(context.width);
  const { x, y } = chart;
  const gutters = guttersOf(chart);
  const [gutterX, gutterY] = [gutters.left ? GUTTER + GAP : 0, gutters.bottom ? GUTTER + GAP : 0];
  const [xAxis, yAxis] = [binAxis(x, context.width < 480 ? 5 : 9), binAxis(y, 7)];
  const texts = yAxis.ticks.map((tick) => textWidth(formatTick(tick, y.unit), FONT_SMALL));
  const left = 24 + Math.max(20, ...texts);
  const right = context.width - edgeRoom(xAxis.ticks, x.unit);
  const top = 10;
  const bottom = top + Math.round(Math.min(420, Math.max(200, (right - left) * 0.72)));
  const box = { left, right, top, bottom };
  const placeX = placeOn(xAxis, left + gutterX, right);
  const made = frame({
    ...{ ...box, gutterX, gutterY },
    x: {
      ...xAxis,
      ticks: ticksBeside(gutters.left ? "0" : "", left + GUTTER / 2, xAxis.ticks, placeX, right, x.unit),
      unit: x.unit,
    },
    y: { ...yAxis, unit: y.unit },
  });
  const bins = binsOf(
    chart,
    Math.floor((right - left - gutterX) / BIN_PX),
    Math.floor((bottom - top - gutterY) / BIN_PX),
  );
  const classes = decadeClasses([...bins.counts, ...bins.zeroX, ...bins.zeroY, bins.zeroBoth]);
  const merged = bins.x.length === x.edges.length && bins.y.length === y.edges.length ? "" : ", bins joined";
  const parts = partsOf(bins, gutters, box, placeX, made.y);
  let body = frameOf(gutters, box, gutterX, gutterY) + cellsOf(parts, classes) + made.axes;
  body += zeroMarks(gutters, box) + marksOf(chart, box, gutters, placeX, made.y) + hovers(chart, bins, parts);
  body += axisNames(x.label, y.label, box);
  const name = `${chart.countLabel} per bin${merged}; blank: none`;
  const legend = decadeLegend(classes, name, context.width < 480 ? 8 : left, context.width - 8, bottom + 42);
  if (legend.height === 0)
    body += label("all bins are empty", {
      ...{ x: (left + right) / 2, y: (top + bottom) / 2, "text-anchor": "middle" },
      fill: "var(--plot-muted)",
    });
  return { body: body + legend.body, height: bottom + 44 + legend.height };
}

/** The bins themselves and up to three gutters, each a matrix of its own. */
interface Part {
  readonly columns: number;
  readonly rows: number;
  readonly values: Float64Array;
  readonly xs: Float64Array;
  readonly ys: Float64Array;
  /** Whether its x or y is zero. */
  readonly zero: { readonly x: boolean; readonly y: boolean };
}

function partsOf(
  bins: Bins,
  gutters: { left: boolean; bottom: boolean },
  { left, bottom }: Box,
  placeX: (value: number) => number,
  placeY: (value: number) => number,
): Part[] {
  const [xs, ys] = [Float64Array.from(bins.x, placeX), Float64Array.from(bins.y, placeY)];
  const [zeroXs, zeroYs] = [Float64Array.of(left, left + GUTTER), Float64Array.of(bottom, bottom - GUTTER)];
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  const parts: Part[] = [{ columns, rows, values: bins.counts, xs, ys, zero: { x: false, y: false } }];
  if (gutters.left)
    parts.push({ columns: 1, rows, values: bins.zeroX, xs: zeroXs, ys, zero: { x: true, y: false } });
  if (gutters.bottom)
    parts.push({ columns, rows: 1, values: bins.zeroY, xs, ys: zeroYs, zero: { x: false, y: true } });
  if (gutters.left && gutters.bottom) {
    const values = Float64Array.of(bins.zeroBoth);
    parts.push({ columns: 1, rows: 1, values, xs: zeroXs, ys: zeroYs, zero: { x: true, y: true } });
  }
  return parts;
}

function cellsOf(parts: readonly Part[], classes: Classes): string {
  return parts.map((part) => cellPaths(part, classes)).join("");
}

/** One frame around the bins and one around each gutter: they are different places. */
function frameOf(
  gutters: { left: boolean; bottom: boolean },
  { left, right, top, bottom }: Box,
  gutterX: number,
  gutterY: number,
): string {
  const main = { left: left + gutterX, right, top, bottom: bottom - gutterY };
  let body = outline(main);
  if (gutters.left) body += outline({ ...main, left, right: left + GUTTER });
  if (gutters.bottom) body += outline({ ...main, top: bottom - GUTTER, bottom });
  if (gutters.left && gutters.bottom)
    body += outline({ left, right: left + GUTTER, top: bottom - GUTTER, bottom });
  return body;
}

function zeroMarks(gutters: { left: boolean; bottom: boolean }, { left, bottom }: Box): string {
  const style = { "font-size": FONT_SMALL, fill: "var(--plot-muted)" };
  let body = "";
  if (gutters.left)
    body += label("0", { x: left + GUTTER / 2, y: bottom + 15, "text-anchor": "middle", ...style });
  if (gutters.bottom)
    body += label("0", { x: left - 7, y: bottom - GUTTER / 2 + 3.5, "text-anchor": "end", ...style });
  return body;
}

/** Thin lines across all, with their names inside at an end that is free. */
function marksOf(
  { marks = [], x, y }: DensityChart,
  box: Box,
  gutters: { left: boolean; bottom: boolean },
  placeX: (value: number) => number,
  placeY: (value: number) => number,
): string {
  const taken: Box[] = [];
  let [lines, names] = ["", ""];
  for (const { axis, value, label: full } of marks) {
    const edges = axis === "x" ? x.edges : y.edges;
    const isZero = value === 0 && (axis === "x" ? gutters.left : gutters.bottom);
    if (!isZero && !(value >= edges[0]! && value <= edges.at(-1)!)) continue;
    const at =
      axis === "x"
        ? isZero
          ? box.left + GUTTER / 2
          : placeX(value)
        : isZero
          ? box.bottom - GUTTER / 2
          : placeY(value);
    const d =
      axis === "x"
        ? `M${coordinate(at)} ${coordinate(box.top)}V${coordinate(box.bottom)}`
        : `M${coordinate(box.left)} ${coordinate(at)}H${coordinate(box.right)}`;
    const unit = axis === "x" ? x.unit : y.unit;
    const hover = title(`${full}: ${formatExact(value, unit)}`);
    lines += tag("path", { d, stroke: "var(--plot-text)", "stroke-dasharray": "5 2", fill: "none" }, hover);
    const text = fitMiddle(full, 150, FONT_SMALL);
    const place = nameBoxes(axis, at, text, box).find(
      (one) => within(one, box) && !taken.some((other) => overlaps(one, other)),
    );
    if (place === undefined) continue;
    taken.push(place);
    names += boxedText(text, place, full);
  }
  return lines + names;
}

function nameBoxes(axis: "x" | "y", at: number, text: string, { left, right, top, bottom }: Box): Box[] {
  const width = textWidth(text, FONT_SMALL);
  if (axis === "y")
    return [at - 8, at + 9].flatMap((y) => [textBox(text, right - 3 - width, y), textBox(text, left + 3, y)]);
  const heights = [top + 9, top + 24, top + 39, bottom - 8, bottom - 23];
  return heights.flatMap((y) => [textBox(text, at + 4, y), textBox(text, at - 4 - width, y)]);
}

function hovers(chart: DensityChart, bins: Bins, parts: readonly Part[]): string {
  const filled = parts.reduce((sum, { values }) => sum + values.filter((count) => count > 0).length, 0);
  if (filled > HOVERS_MAX) return "";
  let body = "";
  for (const { columns, values, xs, ys, zero } of parts)
    for (const [index, count] of values.entries()) {
      if (!(count > 0)) continue;
      const [column, row] = [index % columns, Math.floor(index / columns)];
      const ofX = zero.x ? "0" : rangeText(bins.x, column, chart.x.unit);
      const ofY = zero.y ? "0" : rangeText(bins.y, row, chart.y.unit);
      const text =
        `${chart.x.label} ${ofX}; ${chart.y.label} ${ofY}: ` +
        `${formatExact(count, "count")} ${chart.countLabel}`;
      const [x, y] = [xs[column]!, ys[row + 1]!];
      body += tag("path", { d: rectPath(x, y, xs[column + 1]! - x, ys[row]! - y) }, title(text));
    }
  return body === "" ? "" : tag("g", { "fill-opacity": 0 }, body);
}

function binAxis({ edges, unit, scale }: DensityChart["x"], count: number): ValueAxis {
  const domain = [edges[0]!, edges.at(-1)!] as const;
  return isLog(edges, scale)
    ? { scale: "log", domain, ticks: logMarks(...domain, count, unit) }
    : { scale: "linear", domain, ticks: linearTicks(...domain, count, unit) };
}

function isLog(edges: readonly number[], scale: "linear" | "log" | undefined): boolean {
  return scale !== "linear" && edges[0]! > 0;
}

function* csvRows(chart: DensityChart): Generator<number[]> {
  const { x, y, counts, zeroX = [], zeroY = [], zeroBoth } = chart;
  const columns = x.edges.length - 1;
  // Zero and zero: what has no extent stands in a gutter.
  if (zeroBoth !== undefined && zeroBoth !== 0) yield [0, 0, 0, 0, zeroBoth];
  for (let column = 0; column < columns; column++)
    if ((zeroY[column] ?? 0) !== 0) yield [x.edges[column]!, x.edges[column + 1]!, 0, 0, zeroY[column]!];
  for (let row = 0; row + 1 < y.edges.length; row++) {
    const [low, high] = [y.edges[row]!, y.edges[row + 1]!];
    if ((zeroX[row] ?? 0) !== 0) yield [0, 0, low, high, zeroX[row]!];
    for (let column = 0; column < columns; column++) {
      const count = counts[row * columns + column] ?? 0;
      if (count !== 0) yield [x.edges[column]!, x.edges[column + 1]!, low, high, count];
    }
  }
}

/** More would be no table to read. */
const TABLE_GROUPS_MAX = 12;

/** A cross table by decades, with sums. */
function table(chart: DensityChart) {
  const first = { label: `${chart.y.label} by ${chart.x.label}`, unit: "text" as const };
  if (!isBinned(chart)) return { columns: [first], rows: [] };
  const gutters = guttersOf(chart);
  const bins = joined(chart, decadeCuts(chart.x.edges), decadeCuts(chart.y.edges));
  const columns = bins.x.length - 1;
  const row = (name: string, zero: number, counts: Float64Array) => {
    const cells = gutters.left ? [zero, ...counts] : [...counts];
    return [name, ...cells, cells.reduce((a, b) => a + b, 0)];
  };
  const rows = Array.from(bins.zeroX, (zero, index) =>
    row(
      rangeText(bins.y, index, chart.y.unit),
      zero,
      bins.counts.subarray(index * columns, (index + 1) * columns),
    ),
  );
  return {
    columns: [
      first,
      ...(gutters.left ? [{ label: "0", unit: "count" as const }] : []),
      ...Array.from({ length: columns }, (_, index) => ({
        label: rangeText(bins.x, index, chart.x.unit),
        unit: "count" as const,
      })),
      { label: `all ${chart.countLabel}`, unit: "count" as const },
    ],
    rows: gutters.bottom ? [row("0", bins.zeroBoth, bins.zeroY), ...rows] : rows,
  };
}

/** At powers of ten and at both ends; every k-th of them if there are too many, and even steps if there are none. */
function decadeCuts(edges: readonly number[]): number[] {
  const last = edges.length - 1;
  const inner: number[] = [];
  for (let index = 1; index < last; index++) {
    const power = Math.log10(edges[index]!);
    if (Math.abs(power - Math.round(power)) < 1e-9) inner.push(index);
  }
  if (inner.length === 0) for (let index = 1; index < last; index++) inner.push(index);
  const every = Math.ceil((inner.length + 1) / TABLE_GROUPS_MAX);
  return [0, ...inner.filter((_, index) => (index + 1) % every === 0), last];
}

/** "1 GB to 10 GB" */
function rangeText(edges: readonly number[], index: number, unit: DensityChart["x"]["unit"]): string {
  return `${formatValue(edges[index]!, unit)} to ${formatValue(edges[index + 1]!, unit)}`;
}
