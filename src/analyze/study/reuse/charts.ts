/** The figures of the study, from columns of values. */
import { cmfPoints, kernelDensity, logBins } from "../../../base/density.ts";
import { mean, quantile, sorted } from "../../../base/statistics.ts";
import type { Axis, CmfChart, DensityChart, Queryable, Role, ViolinChart } from "../../../model/index.ts";
import { number } from "./item.ts";
import { mixed } from "./sweep/index.ts";

/** Beyond so many values a figure is drawn from every k-th by hash; means and shares in the text are of all. */
export const DRAWN_MAX = 100_000;

/** The values that are known; of very many those that hash of their place picks. */
export function drawnValues(values: Float64Array, max = DRAWN_MAX): Float64Array {
  const every = Math.max(1, Math.ceil(values.length / max));
  return values.filter((value, i) => !Number.isNaN(value) && (every === 1 || mixed(i, 1) % every === 0));
}

/** How to say that not all of `n` values are drawn. */
export const drawnNote = (n: number, max = DRAWN_MAX): string =>
  n <= max ? "" : ` Drawn from one in ${Math.ceil(n / max)}, chosen by hash.`;

export interface CmfSeries {
  readonly name: string;
  readonly role: Role;
  readonly values: Float64Array;
  /** Of all values, when only a part is drawn. */
  readonly mean?: number;
  readonly n?: number;
}

export function cmfChart(x: Axis, series: readonly CmfSeries[]): CmfChart {
  return {
    kind: "cmf",
    x,
    series: series
      .filter(({ values }) => values.length > 0)
      .map(({ name, role, values, ...all }) => ({
        name,
        role,
        ...cmfPoints(sorted(values)),
        mean: all.mean ?? mean(values),
        n: all.n ?? values.length,
      })),
  };
}

export interface ViolinGroup {
  readonly name: string;
  readonly role: Role;
  readonly values: Float64Array;
  readonly mean?: number;
}

/** Densities need two values; smaller groups are left out. */
export function violinChart(value: Axis, groupLabel: string, groups: readonly ViolinGroup[]): ViolinChart {
  return {
    kind: "violin",
    value,
    groupLabel,
    groups: groups
      .filter(({ values }) => values.length >= 2)
      .map(({ name, role, values, mean: given }) => {
        const rising = sorted(values);
        return {
          name,
          role,
          n: values.length,
          ...kernelDensity(values, { log: value.scale === "log" }),
          mean: given ?? mean(values),
          median: quantile(rising, 0.5),
          lowerQuartile: quantile(rising, 0.25),
          upperQuartile: quantile(rising, 0.75),
        };
      }),
  };
}

export const BINS_PER_DECADE = 4;

/** Number of the log bin of a positive value as SQL: bin b begins at 10^(b / 4). */
export const logBinSql = (value: string): string =>
  `cast(floor(log10(${value}) * ${BINS_PER_DECADE} + 1e-9) as integer)`;

/** Bin of a count by its first digit: 1, 2, … 9, 10, 20, …; exact for whole numbers. */
export const digitBinSql = (count: string): string => {
  const power = `cast(length(cast(${count} as varchar)) - 1 as integer)`;
  // Most counts have one digit, and need no text.
  return `if(${count} < 10, cast(${count} - 1 as integer), 9 * ${power} + cast(left(cast(${count} as varchar), 1) as integer) - 1)`;
};

export const digitEdges = (last: number): number[] =>
  Array.from({ length: last + 2 }, (_, bin) => ((bin % 9) + 1) * 10 ** Math.floor(bin / 9));

/** Rows (bin_x, bin_y, n) of a grouped query as a density; a NULL bin is the gutter of zeros. */
export async function densityChart(
  db: Queryable,
  sql: string,
  axes: { x: Axis; y: Axis; yBins: "log" | "digit"; countLabel: string; marks?: DensityChart["marks"] },
): Promise<DensityChart | undefined> {
  const cells = (await db.rows(sql)).map(({ bin_x, bin_y, n }) => ({
    bx: bin_x === null || bin_x === undefined ? undefined : Number(bin_x),
    by: bin_y === null || bin_y === undefined ? undefined : Number(bin_y),
    n: number(n),
  }));
  const xs = cells.flatMap(({ bx }) => (bx === undefined ? [] : [bx]));
  const ys = cells.flatMap(({ by }) => (by === undefined ? [] : [by]));
  if (xs.length === 0 || ys.length === 0) return undefined;
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const xEdges = edges(x0, x1);
  const yEdges = axes.yBins === "log" ? edges(y0, y1) : digitEdges(y1).slice(y0);
  const [columns, rows] = [xEdges.length - 1, yEdges.length - 1];
  const counts = new Float64Array(columns * rows);
  const zeroX = new Array<number>(rows).fill(0);
  const zeroY = new Array<number>(columns).fill(0);
  let zeroBoth = 0;
  for (const { bx, by, n } of cells) {
    if (bx === undefined && by === undefined) zeroBoth += n;
    else if (bx === undefined) zeroX[(by as number) - y0] = n;
    else if (by === undefined) zeroY[bx - x0] = n;
    else counts[(by - y0) * columns + bx - x0] = n;
  }
  return {
    kind: "density",
    x: { ...axes.x, edges: xEdges },
    y: { ...axes.y, edges: yEdges },
    countLabel: axes.countLabel,
    counts,
    ...(zeroX.some((n) => n > 0) ? { zeroX } : {}),
    ...(zeroY.some((n) => n > 0) ? { zeroY } : {}),
    ...(zeroBoth > 0 ? { zeroBoth } : {}),
    ...(axes.marks ? { marks: axes.marks } : {}),
  };
}

/** Edges of the bins from `first` to `last`, taken from the middles so that rounding cannot shift them. */
function edges(first: number, last: number): number[] {
  const middle = (bin: number) => 10 ** ((bin + 0.5) / BINS_PER_DECADE);
  return logBins(middle(first), middle(last), BINS_PER_DECADE);
}
