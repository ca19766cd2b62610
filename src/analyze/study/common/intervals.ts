/** Intervals of a study's numbers by resampling its units: files, runs, jobs, users or days. */
import { bootstrap, type Interval } from "../../../base/bootstrap.ts";

/** An interval, and the median of the replicates that it was made of; without one it lies around the number already. */
export interface DrawnInterval extends Interval {
  readonly middle?: number;
}

const NO_INTERVAL: DrawnInterval = { low: Number.NaN, high: Number.NaN };

/**
 * The interval around the number that all units give. Replicates lie around a number of their own: of a part of the units
 * where there are many, and moved by what resampling adds to correlations, distances and extremes, which the data has
 * once already. Their spread is that of the number, so the interval is moved from their median to it.
 */
export function around(measured: number, { low, high, middle }: DrawnInterval): Interval {
  if (middle === undefined || !Number.isFinite(measured) || !Number.isFinite(middle)) return { low, high };
  return { low: measured + (low - middle), high: measured + (high - middle) };
}

/** Intervals of the statistics `names` of `units` units, which are a part of `all`. */
export function intervalsOf<Name extends string>(
  options: Parameters<typeof bootstrap>[2],
  units: number,
  all: number,
  names: readonly Name[],
  statistics: (weights: Float64Array) => readonly number[],
): Record<Name, DrawnInterval> {
  if (units === 0) return record(names, () => NO_INTERVAL);
  const raw = bootstrap(units, statistics, options);
  // A part of the units spreads more than all of them would, by the root of their numbers.
  const scale = Math.sqrt(units / Math.max(units, all));
  return record(names, (i) => {
    const { low, high, middle } = raw[i] ?? { ...NO_INTERVAL, middle: Number.NaN };
    return scale === 1
      ? { low, high, middle }
      : { low: middle + (low - middle) * scale, high: middle + (high - middle) * scale, middle };
  });
}

const record = <Name extends string>(names: readonly Name[], of: (i: number) => DrawnInterval) =>
  Object.fromEntries(names.map((name, i) => [name, of(i)])) as Record<Name, DrawnInterval>;
