/** Figures that studies share, from columns of values. */
import { cmfPoints, logBins } from "../../../base/density.ts";
import { mean, sorted } from "../../../base/statistics.ts";
import type { Axis, CmfChart, DensityChart, Role } from "../../../model/index.ts";
import { mixed } from "./hash.ts";

/** Beyond this many values a figure is drawn from every k-th by hash; means and shares in the text are of all. */
const DRAWN_MAX = 100_000;

/** The values that are known; of very many those that hash of their place picks. */
export function drawnValues(values: Float64Array): Float64Array {
  const every = Math.max(1, Math.ceil(values.length / DRAWN_MAX));
  return values.filter((value, i) => !Number.isNaN(value) && (every === 1 || mixed(i, 1) % every === 0));
}

/** How to say that not all of `n` values are drawn. */
export const drawnNote = (n: number): string =>
  n <= DRAWN_MAX ? "" : ` Drawn from one in ${Math.ceil(n / DRAWN_MAX)}, chosen by hash.`;

interface CmfSeries {
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

/** Bins of densities: quarters of decades. Bin b begins at 10^(b / 4). */
export const BINS_PER_DECADE = 4;

/** Edges of the bins from `first` to `last`, taken from the middles so that rounding cannot shift them. */
export function logEdges(first: number, last: number): number[] {
  const middle = (bin: number) => 10 ** ((bin + 0.5) / BINS_PER_DECADE);
  return logBins(middle(first), middle(last), BINS_PER_DECADE);
}

export interface DensityAxes {
  readonly x: Axis;
  readonly y: Axis;
  readonly countLabel: string;
  readonly marks?: DensityChart["marks"];
}

/** Counts of pairs by bin; without a bin (undefined) they stand in the gutter of zeros. */
export function densityOf(
  cells: readonly { readonly x: number | undefined; readonly y: number | undefined; readonly n: number }[],
  axes: DensityAxes,
  yEdgesOf = logEdges,
): DensityChart | undefined {
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of cells) {
    if (x !== undefined) [x0, x1] = [Math.min(x0, x), Math.max(x1, x)];
    if (y !== undefined) [y0, y1] = [Math.min(y0, y), Math.max(y1, y)];
  }
  if (x0 > x1 || y0 > y1) return undefined;
  const [xEdges, yEdges] = [logEdges(x0, x1), yEdgesOf(y0, y1)];
  const [columns, rows] = [xEdges.length - 1, yEdges.length - 1];
  const counts = new Float64Array(columns * rows);
  const zeroX = new Array<number>(rows).fill(0);
  const zeroY = new Array<number>(columns).fill(0);
  let zeroBoth = 0;
  for (const { x, y, n } of cells) {
    if (x === undefined && y === undefined) zeroBoth += n;
    else if (x === undefined) zeroX[(y as number) - y0]! += n;
    else if (y === undefined) zeroY[x - x0]! += n;
    else counts[(y - y0) * columns + x - x0]! += n;
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
