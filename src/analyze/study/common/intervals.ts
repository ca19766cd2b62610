/** Intervals of a study's numbers by resampling its units: files, runs, jobs, users or days. */
import { bootstrap, type Interval } from "../../../base/bootstrap.ts";

/** An interval, and where its units alone put the number, when they are a part of all. */
export interface DrawnInterval extends Interval {
  readonly partAt?: number;
}

export const NO_INTERVAL: DrawnInterval = { low: Number.NaN, high: Number.NaN };

/**
 * The interval around the number that all units give. A part of them gives a number of its own, and the interval that it
 * gives lies around that one.
 */
export function around(measured: number, { low, high, partAt }: DrawnInterval): Interval {
  if (partAt === undefined || Number.isNaN(measured) || Number.isNaN(partAt)) return { low, high };
  return { low: measured + (low - partAt), high: measured + (high - partAt) };
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
  const estimates = statistics(new Float64Array(units).fill(1));
  const raw = bootstrap(units, statistics, options);
  // A part of the units spreads more than all of them would, by the root of their numbers.
  const scale = Math.sqrt(units / Math.max(units, all));
  return record(names, (i) => {
    const { low, high } = raw[i] ?? NO_INTERVAL;
    const at = estimates[i] as number;
    return scale === 1
      ? { low, high }
      : { low: at + (low - at) * scale, high: at + (high - at) * scale, partAt: at };
  });
}

const record = <Name extends string>(names: readonly Name[], of: (i: number) => DrawnInterval) =>
  Object.fromEntries(names.map((name, i) => [name, of(i)])) as Record<Name, DrawnInterval>;
