/** The figures of the study, from columns of values. */
import { mean } from "../../../base/statistics.ts";
import type { Axis, BarsChart, CmfChart, DensityChart, HeatChart, Role } from "../../../model/index.ts";
import { BINS_PER_DECADE, cmfChart, type DensityAxes, densityOf, drawnValues } from "../common/charts.ts";
import { dateOf, dayOfDate, weekdayOf } from "./clock.ts";

/** Colours of series that stand side by side and are none of reads and writes. */
const SIDE_ROLES: readonly Role[] = [
  "neutral",
  "other",
  "metadata",
  "wait",
  "before",
  "after",
  "read",
  "write",
];

/** Cumulative shares, one line for each name; means are of all values. */
export function cmf(
  x: Axis,
  series: readonly { name: string; values: Float64Array; role?: Role }[],
): CmfChart {
  return cmfChart(
    x,
    series.map(({ name, values, role }, i) => ({
      name,
      role: role ?? (SIDE_ROLES[i % SIDE_ROLES.length] as Role),
      values: drawnValues(values),
      mean: mean(values),
      n: values.length,
    })),
  );
}

export function bars(
  categories: readonly string[],
  categoryLabel: string,
  value: Axis,
  series: BarsChart["series"],
  stacked = false,
): BarsChart {
  return { kind: "bars", direction: "vertical", stacked, categories, categoryLabel, value, series };
}

/** Below all bins, which are quarters of decades of doubles. */
const GUTTER = -2000;

/** Pairs of values as a density; zeros in gutters. Counted by bin first: there are millions of pairs, and few bins. */
export function density(
  pairs: { readonly x: Float64Array; readonly y: Float64Array },
  axes: DensityAxes,
): DensityChart | undefined {
  const bin = (value: number) =>
    value > 0 ? Math.floor(Math.log10(value) * BINS_PER_DECADE + 1e-9) : undefined;
  const cells = new Map<number, { x: number | undefined; y: number | undefined; n: number }>();
  for (let i = 0; i < pairs.x.length; i++) {
    const [x, y] = [bin(pairs.x[i] as number), bin(pairs.y[i] as number)];
    const key = 4096 * (x ?? GUTTER) + (y ?? GUTTER);
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, { x, y, n: 1 });
    else cell.n++;
  }
  return densityOf([...cells.values()], axes);
}

const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

export interface CalendarLabels {
  readonly value: Axis;
  readonly name: string;
  readonly role: Role;
  readonly top: string;
  readonly right: string;
}

/** The days of a year as month by day of the month. */
export function monthCalendar(
  days: ReadonlyMap<number, number>,
  year: number,
  labels: CalendarLabels,
): HeatChart {
  const cells = new Float64Array(12 * 31);
  for (const [day, value] of days) {
    const date = dateOf(day);
    if (date.getUTCFullYear() === year) cells[date.getUTCMonth() * 31 + date.getUTCDate() - 1] = value;
  }
  return heat(
    { label: "day of the month", unit: "index" },
    upTo(32),
    { label: "month", unit: "index" },
    upTo(13),
    cells,
    labels,
  );
}

/** The same days as weekday (1 is Monday) by week of the year. */
export function weekCalendar(
  days: ReadonlyMap<number, number>,
  year: number,
  labels: CalendarLabels,
): HeatChart {
  const first = dayOfDate(year, 0, 1);
  const monday = (day: number) => (weekdayOf(day) + 6) % 7;
  const cells = new Float64Array(7 * 54);
  for (const [day, value] of days) {
    if (dateOf(day).getUTCFullYear() !== year) continue;
    cells[monday(day) * 54 + Math.floor((day - first + monday(first)) / 7)] = value;
  }
  return heat(
    { label: "week of the year", unit: "index" },
    upTo(55),
    { label: "weekday, 1 is Monday", unit: "index" },
    upTo(8),
    cells,
    labels,
  );
}

function heat(
  x: Axis,
  xEdges: number[],
  y: Axis,
  yEdges: number[],
  cells: Float64Array,
  labels: CalendarLabels,
): HeatChart {
  return {
    kind: "heat",
    x: { ...x, edges: xEdges },
    y: { ...y, edges: yEdges },
    value: labels.value,
    parts: [{ name: labels.name, role: labels.role, cells }],
    topLabel: labels.top,
    rightLabel: labels.right,
  };
}
