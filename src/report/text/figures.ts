/** Figures in a terminal: bars, rows of blocks, and tables where a line of text says it better. */
import type {
  BarsChart,
  CmfChart,
  CulpritChart,
  DensityChart,
  Figure,
  HeatChart,
  PointsChart,
  SpansChart,
  StripChart,
  ViolinChart,
} from "../../model/index.ts";
import {
  binsOf,
  decadeClasses,
  formatExact,
  formatValue,
  guttersOf,
  isBinned,
  quantileOf,
} from "../../plot/index.ts";
import { visible } from "../html/index.ts";
import { cut } from "../../base/cut.ts";
import { textTable } from "../../base/text-table.ts";

const EIGHTHS = " ▏▎▍▌▋▊▉█";
const HEIGHTS = " ▁▂▃▄▅▆▇█";

/** Lines of at most about `width` characters, without anything that a terminal would obey. */
export function figureText(figure: Figure, width: number): string[] {
  return chartLines(figure, width).map(visible);
}

function chartLines(figure: Figure, width: number): string[] {
  const { chart } = figure;
  switch (chart.kind) {
    case "bars":
      return barLines(chart, width);
    case "heat":
      return heatLines(chart, width);
    case "strip":
      return stripLines(chart, width);
    case "spans":
      return [...laneLines(chart, width), figure.summary];
    case "cmf":
      return cmfLines(chart, width);
    case "violin":
      return violinLines(chart, width);
    case "density":
      return densityLines(chart, width);
    case "points":
      return pointLines(chart, width);
    case "culprit":
      return culpritLines(chart, width);
  }
}

/** More bars than this become one line of heights for each series. */
const BAR_LINES_MAX = 40;

function barLines(chart: BarsChart, width: number): string[] {
  if (chart.categories.length > BAR_LINES_MAX) return heightLines(chart, width);
  const rows = chart.categories.flatMap((category, index) =>
    chart.series
      .map(({ name, values }) => ({ category, name, value: values[index] as number }))
      .filter(({ value }) => value !== 0 || !chart.stacked),
  );
  const labels = rows.map(({ category, name }) =>
    chart.series.length > 1 ? `${category}, ${name}` : category,
  );
  const widest = Math.min(36, Math.max(0, ...labels.map((label) => label.length)));
  const most = Math.max(0, ...rows.map(({ value }) => value || 0));
  const room = Math.max(8, width - widest - 16);
  const scale = (value: number) => {
    if (!(value > 0)) return 0;
    return chart.value.scale === "log" ? Math.log1p(value) / Math.log1p(most) : value / most;
  };
  return rows.map(({ value }, row) => {
    const label = cut(labels[row] as string, widest).padEnd(widest);
    return `${label} ${bar(scale(value), room)} ${formatValue(value, chart.value.unit)}`.trimEnd();
  });
}

/** A line for each item, or one line of heights; the cause has a mark in front. */
function culpritLines(
  { items, itemLabel, marked, markLabel, restLabel, value }: CulpritChart,
  width: number,
): string[] {
  const said = [
    ...(markLabel === "" ? [] : [`◆ ${markLabel}`]),
    ...(restLabel === undefined ? [] : [`  ${restLabel}`]),
  ];
  if (items.length > BAR_LINES_MAX / 2) {
    const room = Math.max(10, Math.min(items.length, width - 4));
    const [most, marks] = [new Float64Array(room), Array.from({ length: room }, () => " ")];
    items.forEach((item, at) => {
      const cell = Math.floor((at / items.length) * room);
      if (item.value > (most[cell] as number)) most[cell] = item.value;
      if (marked.includes(at)) marks[cell] = "◆";
    });
    const ends = [items[0]?.name ?? "", items.at(-1)?.name ?? ""] as const;
    return [
      ...said,
      `  ${spark(most)}`,
      `  ${marks.join("").trimEnd()}`,
      `  ${ends[0].padEnd(Math.max(0, room - ends[1].length))}${ends[1]}  ${itemLabel}`,
    ].filter((line) => line.trim() !== "");
  }
  const widest = Math.min(36, Math.max(0, ...items.map(({ name }) => name.length)));
  const most = items.reduce((high, item) => Math.max(high, item.value || 0), 0);
  const room = Math.max(8, width - widest - 18);
  return [
    ...said,
    ...items.map((item, at) => {
      const share = item.value > 0 ? item.value / most : 0;
      const name = cut(item.name, widest).padEnd(widest);
      return `${marked.includes(at) ? "◆" : " "} ${name} ${bar(share, room)} ${formatValue(item.value, value.unit)}`;
    }),
  ];
}

function heightLines({ categories, series, value }: BarsChart, width: number): string[] {
  const names = Math.min(20, Math.max(...series.map(({ name }) => name.length)));
  const room = Math.max(10, Math.min(categories.length, width - names - 16));
  const lines = series.map(({ name, values }) => {
    // Neighbours that share a character show the highest of them.
    const most = new Float64Array(room);
    values.forEach((one, at) => {
      const cell = Math.floor((at / categories.length) * room);
      if (one > (most[cell] as number)) most[cell] = one;
    });
    const highest = formatValue(Math.max(0, ...most), value.unit);
    return `${cut(name, names).padEnd(names)} ${spark(most)} up to ${highest}`;
  });
  const ends = [categories[0] ?? "", categories.at(-1) ?? ""] as const;
  return [...lines, `${"".padEnd(names)} ${ends[0].padEnd(room - ends[1].length)}${ends[1]}`];
}

const LANES_MAX = 16;

/** A line of heights for each lane: how much of each stretch is covered. Of many lanes the first and the last one. */
function laneLines({ laneNames, spans, x }: SpansChart, width: number): string[] {
  if (laneNames === undefined || spans.length === 0) return [];
  const low = spans.reduce((least, { x1 }) => Math.min(least, x1), Number.POSITIVE_INFINITY);
  const high = spans.reduce((most, { x2 }) => Math.max(most, x2), Number.NEGATIVE_INFINITY);
  if (!(high > low)) return [];
  const names = Math.min(28, Math.max(...laneNames.map(({ length }) => length)));
  const room = Math.max(10, width - names - 3);
  const step = (high - low) / room;
  const covers = new Map<number, Float64Array>();
  for (const { x1, x2, y1 } of spans) {
    const lane = Math.floor(y1);
    const cover = covers.get(lane) ?? new Float64Array(room);
    covers.set(lane, cover);
    const last = Math.min(room - 1, Math.floor((x2 - low) / step));
    for (let cell = Math.floor((x1 - low) / step); cell <= last; cell++) {
      const [from, to] = [Math.max(x1 - low, cell * step), Math.min(x2 - low, (cell + 1) * step)];
      cover[cell] = Math.min(1, (cover[cell] as number) + Math.max(0, to - from) / step);
    }
  }
  const shown = [...laneNames.keys()].filter(
    (lane) => laneNames.length <= LANES_MAX || lane < LANES_MAX - 1 || lane === laneNames.length - 1,
  );
  const lines = shown.map((lane) => {
    const cells = Array.from(covers.get(lane) ?? [], shareHeight).join("");
    return `${cut(laneNames[lane] as string, names).padEnd(names)} ${cells}`.trimEnd();
  });
  const left = laneNames.length - shown.length;
  if (left > 0) lines.splice(-1, 0, `… ${left} more`);
  const ends = [formatValue(low, x.unit), formatValue(high, x.unit)] as const;
  return [...lines, `${"".padEnd(names)} ${ends[0].padEnd(room - ends[1].length)}${ends[1]}`];
}

/** Anything above zero shows at least the lowest. */
const shareHeight = (share: number) =>
  share > 0 ? (HEIGHTS[Math.max(1, Math.round(share * 8))] as string) : " ";

/** A bar of `share` of the room, to an eighth of a character. */
function bar(share: number, room: number): string {
  const eighths = Math.round(Math.min(1, share) * room * 8);
  const rest = eighths % 8;
  return "█".repeat(Math.floor(eighths / 8)) + (rest > 0 ? EIGHTHS[rest] : "");
}

function heatLines(chart: HeatChart, width: number): string[] {
  const columns = chart.x.edges.length - 1;
  const rows = chart.y.edges.length - 1;
  const room = Math.max(10, Math.min(columns, width - 22));
  const end = chart.x.edges[columns] as number;
  const lines = chart.parts.map(({ name, cells }) => {
    const sums = new Float64Array(room);
    cells.forEach((value: number, cell: number) => {
      const at = Math.min(room - 1, Math.floor(((cell % columns) / columns) * room));
      if (value > 0) sums[at] = (sums[at] as number) + value;
    });
    const total = sums.reduce((a, b) => a + b, 0);
    return total > 0 ? `${name.padEnd(8)} ${spark(sums)} ${formatValue(total, chart.value.unit)}` : undefined;
  });
  const perRow = new Float64Array(rows);
  for (const { cells } of chart.parts)
    cells.forEach((value: number, cell: number) => {
      const row = Math.floor(cell / columns);
      if (value > 0) perRow[row] = (perRow[row] as number) + value;
    });
  const ranks = new Float64Array(Math.min(rows, room));
  perRow.forEach((value, row) => {
    const at = Math.floor((row / rows) * ranks.length);
    ranks[at] = (ranks[at] as number) + value;
  });
  return [
    ...lines.filter((line) => line !== undefined),
    `${"".padEnd(8)} 0${formatValue(end, chart.x.unit).padStart(room - 1)}`,
    `${"by rank".padEnd(8)} ${spark(ranks)} ${rows > ranks.length ? "groups of ranks" : ""}`.trimEnd(),
  ];
}

function stripLines(chart: StripChart, width: number): string[] {
  const shown = chart.items.slice(0, Math.max(10, width - 22));
  return [
    `${"bytes".padEnd(8)} ${spark(shown.map(({ height }) => height))}`,
    `${"time".padEnd(8)} ${spark(shown.map(({ colour }) => colour))} ${chart.itemLabel} ${shown[0]?.name ?? ""} to ${shown.at(-1)?.name ?? ""}`,
  ];
}

const QUANTILES = [0.1, 0.5, 0.8, 0.9];

function cmfLines({ x, series }: CmfChart, width: number): string[] {
  const number = (value: number) => (Number.isNaN(value) ? "-" : formatValue(value, x.unit));
  return [
    `${cut(visible(x.label), 60)}, not exceeded by 10, 50, 80 and 90 %`,
    ...columnLines(
      ["", "n", ...QUANTILES.map((share) => `${share * 100} %`), "mean"],
      series.map(({ name, n, mean, values, shares }) => [
        ...[name, formatExact(n, "count")],
        ...QUANTILES.map((share) => number(quantileOf(values, shares, share))),
        number(mean),
      ]),
      width,
    ),
  ];
}

function violinLines({ value, groupLabel, groups }: ViolinChart, width: number): string[] {
  const number = (at: number) => (Number.isNaN(at) ? "-" : formatValue(at, value.unit));
  return [
    cut(visible(value.label), width),
    ...columnLines(
      [groupLabel, "n", "lower quartile", "median", "upper quartile", "mean"],
      groups.map(({ name, n, lowerQuartile, median, upperQuartile, mean }) =>
        n > 0
          ? [name, formatExact(n, "count"), ...[lowerQuartile, median, upperQuartile, mean].map(number)]
          : [name, "no data", "", "", "", ""],
      ),
      width,
    ),
  ];
}

const DENSITY_COLUMNS_MAX = 60;
const DENSITY_ROWS_MAX = 20;

/** A character per bin: a dot for one, then the power of ten that the count does not exceed. */
function densityLines(chart: DensityChart, width: number): string[] {
  if (!isBinned(chart)) return ["nothing to draw"];
  const { x, y, countLabel } = chart;
  const gutters = guttersOf(chart);
  const room = Math.min(DENSITY_COLUMNS_MAX, Math.max(8, width - 18));
  const bins = binsOf(chart, room, DENSITY_ROWS_MAX);
  const columns = bins.x.length - 1;
  const classes = decadeClasses([...bins.counts, ...bins.zeroX, ...bins.zeroY, bins.zeroBoth]);
  const sign = (count: number) => {
    const of = classes.of(count);
    return of < 0 ? " " : of === 0 ? "·" : of < 10 ? String(of) : "#";
  };
  const text = (counts: Float64Array) => Array.from(counts, sign).join("");
  const line = (name: string, zero: number, counts: Float64Array) =>
    `${name.padStart(12)} ${gutters.left ? `${sign(zero)}│` : "│"}${text(counts)}`.trimEnd();
  const last = bins.zeroX.length - 1;
  const lines = Array.from(bins.zeroX, (zero, row) => {
    const edge = row === last ? bins.y[row + 1]! : row === 0 ? bins.y[0]! : Number.NaN;
    const counts = bins.counts.subarray(row * columns, (row + 1) * columns);
    return line(Number.isNaN(edge) ? "" : formatValue(edge, y.unit), zero, counts);
  }).reverse();
  const rule = `${"".padStart(13)}${gutters.left ? "─┼" : "└"}${"─".repeat(columns)}`;
  const ends = [formatValue(bins.x[0]!, x.unit), formatValue(bins.x[columns]!, x.unit)] as const;
  const scale = ends[0].padEnd(Math.max(ends[0].length + 1, columns - ends[1].length)) + ends[1];
  return [
    `${cut(visible(y.label), 40)} (up) by ${cut(visible(x.label), 40)} (right)`,
    ...lines,
    rule,
    ...(gutters.bottom ? [line("0", bins.zeroBoth, bins.zeroY)] : []),
    `${"".padStart(13)}${gutters.left ? "0 " : " "}${scale}`,
    `${cut(visible(countLabel), 40)}: · is 1, 1 is ≤ 10, 2 is ≤ 100, …; blank: none`,
  ];
}

const POINTS_MAX = 24;

function pointLines({ x, y, points }: PointsChart, width: number): string[] {
  const lines = columnLines(
    ["", x.label, y.label, "kind"],
    points
      .slice(0, POINTS_MAX)
      .map((point) => [point.label, formatValue(point.x, x.unit), formatValue(point.y, y.unit), point.role]),
    width,
  );
  return points.length > POINTS_MAX ? [...lines, `… ${points.length - POINTS_MAX} more`] : lines;
}

/** Columns side by side: the first is text and takes what the others, which are numbers, leave. */
function columnLines(head: readonly string[], rows: readonly (readonly string[])[], width: number): string[] {
  const columns = head.map((label, c) => ({
    ...{ label: visible(label), right: c > 0 },
    ...(c === 0 ? { rest: 8 } : { max: 28 }),
  }));
  const cells = rows.map((row) => row.map(visible));
  return textTable(columns, cells, { width, cut });
}

/** Heights by value; anything above zero shows at least the lowest. */
function spark(values: ArrayLike<number>): string {
  const list = Array.from(values);
  const most = Math.max(0, ...list);
  return list
    .map((value) => (value > 0 && most > 0 ? HEIGHTS[Math.max(1, Math.round((value / most) * 8))] : " "))
    .join("");
}
