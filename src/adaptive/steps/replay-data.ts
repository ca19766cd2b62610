/** Small helpers of the pages about a replay. */

/** Least, mean and greatest of a number of each sample; NaN without samples. */
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
