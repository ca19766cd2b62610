/** Figures in a terminal: bars and rows of blocks. */
import type { BarsChart, Figure, HeatChart, StripChart } from "../../model/figure.ts";
import { formatValue } from "../../plot/format.ts";

const EIGHTHS = " ▏▎▍▌▋▊▉█";
const HEIGHTS = " ▁▂▃▄▅▆▇█";

export function figureText(figure: Figure, width: number): string[] {
  const { chart } = figure;
  switch (chart.kind) {
    case "bars":
      return barLines(chart, width);
    case "heat":
      return heatLines(chart, width);
    case "strip":
      return stripLines(chart, width);
    case "spans":
      return [figure.summary];
  }
}

function barLines(chart: BarsChart, width: number): string[] {
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

/** Heights by value; anything above zero shows at least the lowest. */
function spark(values: ArrayLike<number>): string {
  const list = Array.from(values);
  const most = Math.max(0, ...list);
  return list
    .map((value) => (value > 0 && most > 0 ? HEIGHTS[Math.max(1, Math.round((value / most) * 8))] : " "))
    .join("");
}

/** Shortened in the middle, where names differ least. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const head = Math.ceil((width - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (width - 1 - head))}`;
}
