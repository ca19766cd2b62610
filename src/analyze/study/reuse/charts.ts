/** The figures of the study, from columns of values. */
import { kernelDensity } from "../../../base/density.ts";
import { mean, quantile, sorted } from "../../../base/statistics.ts";
import type { Axis, DensityChart, Queryable, Role, SqlValue, ViolinChart } from "../../../model/index.ts";
import { BINS_PER_DECADE, type DensityAxes, densityOf, logEdges } from "../common/charts.ts";
import { number } from "./item.ts";

interface ViolinGroup {
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
          ...kernelDensity(values, { log: value.scale === "log", within: true }),
          mean: given ?? mean(values),
          median: quantile(rising, 0.5),
          lowerQuartile: quantile(rising, 0.25),
          upperQuartile: quantile(rising, 0.75),
        };
      }),
  };
}

/** Number of the log bin of a positive value as SQL: bin b begins at 10^(b / 4). */
export const logBinSql = (value: string): string =>
  `cast(floor(log10(${value}) * ${BINS_PER_DECADE} + 1e-9) as integer)`;

/** Bin of a count by its first digit: 1, 2, … 9, 10, 20, …; exact for whole numbers. */
export const digitBinSql = (count: string): string => {
  const power = `cast(length(cast(${count} as varchar)) - 1 as integer)`;
  // Most counts have one digit, and need no text.
  return `if(${count} < 10, cast(${count} - 1 as integer), 9 * ${power} + cast(left(cast(${count} as varchar), 1) as integer) - 1)`;
};

const digitEdges = (last: number): number[] =>
  Array.from({ length: last + 2 }, (_, bin) => ((bin % 9) + 1) * 10 ** Math.floor(bin / 9));

/** Rows (bin_x, bin_y, n) of a grouped query as a density; a NULL bin is the gutter of zeros. */
export async function densityChart(
  db: Queryable,
  sql: string,
  axes: DensityAxes & { readonly yBins: "log" | "digit" },
): Promise<DensityChart | undefined> {
  const bin = (value: SqlValue | undefined) =>
    value === null || value === undefined ? undefined : Number(value);
  const cells = (await db.rows(sql)).map(({ bin_x, bin_y, n }) => ({
    x: bin(bin_x),
    y: bin(bin_y),
    n: number(n),
  }));
  const digits = (first: number, last: number) => digitEdges(last).slice(first);
  return densityOf(cells, axes, axes.yBins === "log" ? logEdges : digits);
}
