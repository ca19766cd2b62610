/** Small helpers of the pages about a replay. */

/** Min, mean and max over samples; NaN without samples. */
export function rangeOf(values: readonly number[]): { low: number; mean: number; high: number } {
  if (values.length === 0) return { low: Number.NaN, mean: Number.NaN, high: Number.NaN };
  let [low, high, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
    sum += value;
  }
  return { low, mean: sum / values.length, high };
}

/** Distinct values of a field, rising. */
export const distinct = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);

/** Table I as printed: tests, MB/s, MB/s, share. */
export const TABLE_1 = [
  { machine: "jaguar", twoJobs: false, name: "Jaguar", tests: 469, mean: 17800, sd: 10700, cov: 0.6009 },
  { machine: "franklin", twoJobs: false, name: "Franklin", tests: 2581, mean: 6220, sd: 2500, cov: 0.4022 },
  { machine: "xtp", twoJobs: true, name: "XTP, two jobs", tests: 400, mean: 789, sd: 344, cov: 0.4368 },
  { machine: "xtp", twoJobs: false, name: "XTP, one job", tests: 320, mean: 1440, sd: 128, cov: 0.0886 },
] as const;
