/** A matrix of cells in classes of one scale, with stacked bars of column sums above and of row sums at the right. */

import type { HeatChart } from "../../model/index.ts";
import { type Cells, cellPaths } from "../cells.ts";
import { classesOf } from "../classes.ts";
import { formatExact, formatTick, formatValue } from "../format.ts";
import { type Frame, type FrameAxis, frame } from "../frame.ts";
import { classLegend, seriesLegend } from "../legend.ts";
import { type Box, outline } from "../places.ts";
import { coordinate, horizontalLine, label, lines, rectPath, tag, title, verticalLine } from "../svg.ts";
import { fitMiddle, textWidth } from "../text.ts";
import { linearTicks, thinnedTicks } from "../ticks.ts";
import { type ChartKind, type DrawContext, FONT, FONT_SMALL, nothingToDraw } from "./chart.ts";

export const heat: ChartKind<HeatChart> = {
  draw,
  csv: (chart) => ({
    columns: [
      { label: `${chart.x.label} from`, unit: chart.x.unit },
      { label: `${chart.x.label} to`, unit: chart.x.unit },
      { label: `${chart.y.label} from`, unit: chart.y.unit },
      { label: `${chart.y.label} to`, unit: chart.y.unit },
      { label: "part", unit: "text" },
      { label: chart.value.label, unit: chart.value.unit },
    ],
    rows: csvRows(chart),
  }),
  table,
};

/** Sums per column and per row of each part, and of the cells over all parts. */
interface Sums {
  readonly rows: number;
  readonly columns: number;
  readonly cells: Float64Array;
  readonly byColumn: readonly Float64Array[];
  readonly byRow: readonly Float64Array[];
}

/** Rows thinner than this are joined: a screen cannot show them, and a file would hold them all. */
const ROW_PX = 1.5;

function draw(chart: HeatChart, context: DrawContext) {
  const sums = sumsOf(chart);
  const { rows, columns } = sums;
  if (rows < 1 || columns < 1) return nothingToDraw(context.width);
  const { x, y, value, parts } = chart;
  const narrow = context.width < 480;
  const yTicks = axisTicks(y, 6);
  const left = 24 + Math.max(16, ...yTicks.map((tick) => textWidth(formatTick(tick, y.unit), FONT_SMALL)));
  const rightWidth = narrow ? 56 : 96;
  const legend = seriesLegend(
    parts.map(({ name, role }) => ({ name, show: role })),
    context,
  );
  const top: Box = {
    ...{ left, right: context.width - rightWidth - 14 },
    ...{ top: legend.height + 24, bottom: legend.height + 24 + 46 },
  };
  const main: Box = {
    ...{ left, right: top.right, top: top.bottom + 6 },
    bottom: top.bottom + 6 + Math.round(Math.min(narrow ? 220 : 300, Math.max(90, rows * 16))),
  };
  const side: Box = { ...main, left: main.right + 6, right: context.width - 8 };
  const axis = (of: HeatChart["x"], ticks: readonly number[]): FrameAxis => ({
    scale: "linear",
    domain: [of.edges[0]!, of.edges[of.edges.length - 1]!],
    ...{ ticks, unit: of.unit, shift: isIndexed(of) ? 0.5 : 0 },
  });
  const xTicks = thinnedTicks(axisTicks(x, narrow ? 4 : 7), main.right - main.left, x.unit);
  const made = frame({ ...main, x: axis(x, xTicks), y: axis(y, yTicks) });

  const shown = binned(sums, made, chart, main);
  const classes = classesOf(
    [...shown.values, ...(chart.reach?.cells ?? [])],
    value.scale ?? "linear",
    value.unit,
  );
  let body = legend.body;
  body += topLabel(chart.topLabel, left, main.right - left, legend.height + 18);
  body += sideLabel(chart.rightLabel, side, narrow);
  body += outline(main) + cellPaths(shown, classes) + made.axes;
  body += margin(chart, sums.byColumn, made, top, "top", context);
  body += margin(chart, sums.byRow, made, side, "side", context);
  const xLabel = fitMiddle(x.label, main.right - left, FONT);
  const place = { x: (left + main.right) / 2, y: main.bottom + 32, "text-anchor": "middle" };
  body += label(xLabel, { ...place, fill: "var(--plot-muted)" });
  body += label(fitMiddle(y.label, 200, FONT), {
    ...{ x: 0, y: 0, transform: `translate(11 ${coordinate((main.top + main.bottom) / 2)}) rotate(-90)` },
    ...{ "text-anchor": "middle", fill: "var(--plot-muted)" },
  });
  const bottom = main.bottom + 42;
  const note = shown.note === "" ? "" : `, ${shown.note}`;
  const name = `${value.label}${note}; blank: none`;
  const scale = classLegend(classes, value, name, left, context.width - 8, bottom);
  const none = { x: (main.left + main.right) / 2, y: (main.top + main.bottom) / 2 + 4 };
  if (scale.height === 0)
    body += label("all cells are zero", { ...none, "text-anchor": "middle", fill: "var(--plot-muted)" });
  return { body: body + scale.body, height: bottom + scale.height + 4 };
}

function sumsOf({ x, y, parts }: HeatChart): Sums {
  const [columns, rows] = [x.edges.length - 1, y.edges.length - 1];
  const size = Math.max(0, columns) * Math.max(0, rows);
  const cells = new Float64Array(size);
  const byColumn = parts.map(() => new Float64Array(Math.max(0, columns)));
  const byRow = parts.map(() => new Float64Array(Math.max(0, rows)));
  for (const [index, part] of parts.entries()) {
    for (let cell = 0; cell < size; cell++) {
      const value = part.cells[cell] ?? 0;
      // What is not recorded, infinite or negative has no colour and no length.
      if (!(value > 0) || value === Number.POSITIVE_INFINITY) continue;
      cells[cell] = cells[cell]! + value;
      byColumn[index]![cell % columns]! += value;
      byRow[index]![Math.floor(cell / columns)]! += value;
    }
  }
  return { rows, columns, cells, byColumn, byRow };
}

/** Cells as they are drawn: those that share a pixel are one, with the highest value of them. */
interface Shown extends Cells {
  readonly note: string;
}

function binned({ rows, columns, cells }: Sums, made: Frame, { x, y }: HeatChart, box: Box): Shown {
  const rowStep = Math.max(1, Math.ceil((rows * ROW_PX) / (box.bottom - box.top)));
  const columnStep = Math.max(1, Math.ceil(columns / (box.right - box.left)));
  const [rowsShown, columnsShown] = [Math.ceil(rows / rowStep), Math.ceil(columns / columnStep)];
  const values = new Float64Array(rowsShown * columnsShown);
  for (let row = 0; row < rows; row++) {
    const to = Math.floor(row / rowStep) * columnsShown;
    for (let column = 0; column < columns; column++) {
      const at = to + Math.floor(column / columnStep);
      const value = cells[row * columns + column]!;
      if (value > values[at]!) values[at] = value;
    }
  }
  const edges = (of: ArrayLike<number>, count: number, step: number, total: number, place: Frame["x"]) =>
    Float64Array.from({ length: count + 1 }, (_, i) => place(of[Math.min(total, i * step)]!));
  const merged = rowStep * columnStep;
  return {
    ...{ rows: rowsShown, columns: columnsShown, values },
    xs: edges(x.edges, columnsShown, columnStep, columns, made.x),
    ys: edges(y.edges, rowsShown, rowStep, rows, made.y),
    note: merged === 1 ? "" : `highest of ${merged} cells`,
  };
}

/** Stacked bars along one side, with the numbers on hover. */
function margin(
  chart: HeatChart,
  sums: readonly Float64Array[],
  made: Frame,
  box: Box,
  where: "top" | "side",
  context: DrawContext,
): string {
  const { parts, value } = chart;
  const along = where === "top" ? chart.x : chart.y;
  const place = where === "top" ? made.x : made.y;
  const count = along.edges.length - 1;
  const room = where === "top" ? box.bottom - box.top : box.right - box.left;
  // Bars finer than a pixel are summed, as they would fall onto each other.
  const extent = where === "top" ? box.right - box.left : box.bottom - box.top;
  const step = Math.max(1, Math.ceil(count / extent));
  const totals: number[] = [];
  for (let from = 0; from < count; from += step)
    totals.push(sums.reduce((sum, of) => sum + rangeSum(of, from, from + step), 0));
  const reach = where === "top" ? chart.reach?.column : chart.reach?.row;
  const highest = totals.reduce(
    (a, b) => Math.max(a, b),
    totals.some((total) => total > 0) ? (reach ?? 0) : 0,
  );
  const paths = parts.map(() => "");
  let hovers = "";
  for (let from = 0; from < count; from += step) {
    const to = Math.min(count, from + step);
    const [a, b] = [place(along.edges[from]!), place(along.edges[to]!)];
    const [start, size] = [Math.min(a, b), Math.abs(b - a)];
    // A gap between bars only where it does not eat them.
    const gap = size > 4 ? 1 : 0;
    let grown = 0;
    const texts = [`${rangeText(along, from, to)}`];
    for (const [index, of] of sums.entries()) {
      const sum = rangeSum(of, from, to);
      const length = highest > 0 ? (sum / highest) * room : 0;
      texts.push(`${parts[index]!.name}: ${formatExact(sum, value.unit)}`);
      if (sum > 0)
        paths[index] +=
          where === "top"
            ? rectPath(start, box.bottom - grown - length, size - gap, length)
            : rectPath(box.left + grown, start, length, size - gap);
      grown += length;
    }
    if (grown > 0) hovers += tag("path", { d: hoverPath(where, box, start, size) }, title(texts.join("; ")));
  }
  const bars = paths.map((d, index) =>
    d === "" ? "" : tag("path", { d, fill: context.fill(parts[index]!.role) }),
  );
  const line =
    where === "top"
      ? horizontalLine(box.bottom, box.left, box.right)
      : verticalLine(box.left, box.top, box.bottom);
  const base = lines(line, "muted");
  const limit = highest > 0 ? extentLabel(highest, chart, box, where) : "";
  return bars.join("") + base + limit + tag("g", { "fill-opacity": 0 }, hovers);
}

/** How long the longest bar is. */
function extentLabel(highest: number, { value }: HeatChart, box: Box, where: "top" | "side"): string {
  const text = `max ${formatValue(highest, value.unit)}`;
  const style = { "font-size": FONT_SMALL, fill: "var(--plot-muted)" };
  if (where === "top") return label(text, { x: box.right, y: box.top - 6, "text-anchor": "end", ...style });
  const room = box.right - box.left + 4;
  const shown = textWidth(text, FONT_SMALL) <= room ? text : fitMiddle(text.slice(4), room, FONT_SMALL);
  return label(shown, { x: box.right, y: box.bottom + 14, "text-anchor": "end", ...style }, text);
}

function hoverPath(where: "top" | "side", box: Box, start: number, size: number): string {
  return where === "top"
    ? rectPath(start, box.top, size, box.bottom - box.top)
    : rectPath(box.left, start, box.right - box.left, size);
}

function topLabel(text: string, left: number, width: number, y: number): string {
  const shown = fitMiddle(text, width - 90, FONT);
  return label(shown, { x: left, y, fill: "var(--plot-muted)" }, shown === text ? undefined : text);
}

/** Over the bars at the right, where the corner is free; in lines as narrow as they are. */
function sideLabel(text: string, side: Box, narrow: boolean): string {
  const width = side.right - side.left + (narrow ? 4 : 0);
  const words = text.split(" ");
  const lines: string[] = [];
  for (const word of words) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && textWidth(longer, FONT) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  // Four lines have room beside the upper margin; what is more ends in the fourth.
  const shown = lines.length <= 4 ? lines : [...lines.slice(0, 3), lines.slice(3).join(" ")];
  return shown
    .map((line, index) => {
      const y = side.top - 8 - (shown.length - 1 - index) * 13;
      return label(fitMiddle(line, width, FONT), { x: side.left, y, fill: "var(--plot-muted)" }, text);
    })
    .join("");
}

function axisTicks(axis: HeatChart["x"], count: number): number[] {
  const last = axis.edges[axis.edges.length - 1]!;
  return linearTicks(axis.edges[0]!, isIndexed(axis) ? last - 1 : last, count, axis.unit);
}

function isIndexed({ unit, edges }: HeatChart["x"]): boolean {
  return unit === "index" && edges[1]! - edges[0]! === 1;
}

function rangeSum(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let index = from; index < Math.min(to, values.length); index++) sum += values[index]!;
  return sum;
}

/** "rank 3", or "time 1.2 s to 2.4 s". */
function rangeText({ label: name, unit, edges }: HeatChart["x"], from: number, to: number): string {
  const [low, high] = [edges[from]!, edges[to]!];
  if (unit === "index" && high - low === 1) return `${name} ${low}`;
  const last = unit === "index" ? high - 1 : high;
  return `${name} ${formatValue(low, unit)} to ${formatValue(last, unit)}`;
}

/** Cells that are zero are blank in the picture, and left out here. */
function* csvRows({ x, y, parts }: HeatChart): Generator<readonly (number | string)[]> {
  const columns = x.edges.length - 1;
  for (let row = 0; row < y.edges.length - 1; row++)
    for (let column = 0; column < columns; column++)
      for (const { name, cells } of parts) {
        const value = cells[row * columns + column] ?? 0;
        if (value === 0) continue;
        yield [x.edges[column]!, x.edges[column + 1]!, y.edges[row]!, y.edges[row + 1]!, name, value];
      }
}

/** The margins: what the cells add up to, column by column, then row by row. */
function table(chart: HeatChart) {
  const { byColumn, byRow } = sumsOf(chart);
  const lines = (axis: HeatChart["x"], of: readonly Float64Array[], name: string) =>
    Array.from({ length: Math.max(0, axis.edges.length - 1) }, (_, index) => [
      name,
      rangeText(axis, index, index + 1),
      ...of.map((sums) => sums[index]!),
    ]);
  return {
    columns: [
      { label: "sum", unit: "text" as const },
      { label: "over", unit: "text" as const },
      ...chart.parts.map(({ name }) => ({ label: name, unit: chart.value.unit })),
    ],
    rows: [...lines(chart.x, byColumn, chart.topLabel), ...lines(chart.y, byRow, chart.rightLabel)],
  };
}
