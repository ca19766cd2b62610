/** A figure as a mark of a few pixels, without words: it says what is behind a row or a link. */
import type { Chart, Figure } from "../model/index.ts";
import { coordinate, tag } from "./svg.ts";

const WIDTH = 120;
const HEIGHT = 28;
/** Columns that can still be told apart. */
const COLUMNS_MAX = 60;

interface Column {
  readonly value: number;
  readonly isMarked: boolean;
}

/** SVG text that stretches to its box; empty when there is nothing to draw. */
export function sparkSvg({ chart }: Figure): string {
  const columns = thinned(columnsOf(chart));
  const most = columns.reduce((high, { value }) => Math.max(high, value), 0);
  if (!(most > 0)) return "";
  const isLog = chart.kind === "bars" && chart.value.scale === "log";
  const scale = (value: number) => (isLog ? Math.log1p(value) / Math.log1p(most) : value / most);
  const isFlat = isHorizontal(chart);
  const step = (isFlat ? HEIGHT : WIDTH) / columns.length;
  const thick = columns.length > 30 ? step : step * 0.74;
  const severity = chart.kind === "culprit" ? chart.severity : "high";
  const rects = columns.map(({ value, isMarked }, at) => {
    if (!(value > 0)) return "";
    const place = at * step + (step - thick) / 2;
    const length = Math.max(1.2, scale(value) * (isFlat ? WIDTH : HEIGHT));
    const box = isFlat
      ? { x: 0, y: place, width: length, height: thick }
      : { x: place, y: HEIGHT - length, width: thick, height: length };
    return tag("rect", { ...box, fill: `var(--plot-${isMarked ? severity : "context"})` });
  });
  const attributes = {
    ...{ class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" },
    "aria-hidden": "true",
  };
  const base = tag("path", {
    d: isFlat ? `M0.5 0V${HEIGHT}` : `M0 ${coordinate(HEIGHT - 0.5)}H${WIDTH}`,
    ...{ stroke: "var(--plot-muted)", "stroke-opacity": 0.5, "vector-effect": "non-scaling-stroke" },
  });
  return tag("svg", attributes, rects.join("") + base);
}

const isHorizontal = (chart: Chart) =>
  (chart.kind === "culprit" || chart.kind === "bars") && chart.direction === "horizontal";

function columnsOf(chart: Chart): Column[] {
  const plain = (values: Iterable<number>) => Array.from(values, (value) => ({ value, isMarked: false }));
  switch (chart.kind) {
    case "culprit": {
      const marked = new Set(chart.marked);
      return chart.items.map(({ value }, at) => ({ value, isMarked: marked.has(at) }));
    }
    case "bars":
      return chart.stacked
        ? plain(chart.categories.map((_, at) => sum(chart.series.map(({ values }) => values[at] ?? 0))))
        : plain(chart.categories.flatMap((_, at) => chart.series.map(({ values }) => values[at] ?? 0)));
    case "strip":
      return plain(chart.items.map(({ height }) => height));
    case "heat": {
      const count = chart.x.edges.length - 1;
      const sums = new Float64Array(Math.max(0, count));
      for (const { cells } of chart.parts)
        for (let at = 0; at < cells.length; at++)
          if ((cells[at] as number) > 0)
            sums[at % count] = (sums[at % count] as number) + (cells[at] as number);
      return plain(sums);
    }
    case "density":
      return plain(columnSums(chart.counts, chart.x.edges.length - 1));
    case "cmf":
      return plain((chart.series[0]?.shares ?? []).map((share) => share));
    case "violin":
      return plain(chart.groups.map(({ mean }) => mean));
    case "points":
      return plain(chart.points.map(({ y }) => y));
    case "spans":
      return plain(covers(chart.spans));
  }
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + (value > 0 ? value : 0), 0);

function columnSums(cells: ArrayLike<number>, count: number): Float64Array {
  const sums = new Float64Array(Math.max(0, count));
  for (let at = 0; at < cells.length; at++)
    sums[at % count] = (sums[at % count] as number) + ((cells[at] as number) || 0);
  return sums;
}

function covers(spans: readonly { readonly x1: number; readonly x2: number }[]): Float64Array {
  const bins = new Float64Array(COLUMNS_MAX);
  const low = spans.reduce((least, { x1 }) => Math.min(least, x1), Number.POSITIVE_INFINITY);
  const high = spans.reduce((most, { x2 }) => Math.max(most, x2), Number.NEGATIVE_INFINITY);
  if (!(high > low)) return bins;
  for (const { x1, x2 } of spans) {
    const last = Math.min(COLUMNS_MAX - 1, Math.floor(((x2 - low) / (high - low)) * COLUMNS_MAX));
    for (let at = Math.floor(((x1 - low) / (high - low)) * COLUMNS_MAX); at <= last; at++)
      bins[at] = (bins[at] as number) + 1;
  }
  return bins;
}

/** Neighbours that share a column show the highest of them, and the mark of any. */
function thinned(columns: readonly Column[]): Column[] {
  const finite = columns.map(({ value, isMarked }) => ({
    value: Number.isFinite(value) ? value : 0,
    isMarked,
  }));
  if (finite.length <= COLUMNS_MAX) return finite;
  return Array.from({ length: COLUMNS_MAX }, (_, at) => {
    const part = finite.slice(
      Math.floor((at * finite.length) / COLUMNS_MAX),
      Math.floor(((at + 1) * finite.length) / COLUMNS_MAX),
    );
    return {
      value: part.reduce((most, { value }) => Math.max(most, value), 0),
      isMarked: part.some(({ isMarked }) => isMarked),
    };
  });
}
