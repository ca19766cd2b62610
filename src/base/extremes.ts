/** How far the least over the most of several sums could be from what it would be in the long run. */
import type { Interval } from "./bootstrap.ts";

/** What is known of a sum of amounts that come independently: the sum, the sum of their squares, the largest. */
export interface AmountSum {
  readonly sum: number;
  readonly squares: number;
  readonly largest: number;
}

/**
 * Interval of the least over the most of sums in the long run. Chance drives the extremes of many sums apart, so that the
 * least over the most of those seen is too small, and that of sums drawn from them again is smaller still: percentiles of a
 * bootstrap lie below the number itself. Here each sum has limits of its own, those of Fay and Feuer (1997) for
 * amounts that come as a Poisson process. The least of all is at least the least lower limit, and for this the limits of
 * the one that is least must hold; it is at most the least upper limit, and for this those of all must hold at once, so that
 * their error is divided by their number (Bonferroni). The same holds for the most. Whatever the sums are, the interval
 * covers with the given level or more.
 */
export function leastOverMostInterval(given: readonly AmountSum[], level: number): Interval {
  if (given.length === 0) return { low: Number.NaN, high: Number.NaN };
  // Of a sum of nothing it is only known that no amount came; it might have been as large as any.
  const largest = given.reduce((most, sum) => Math.max(most, sum.largest), 0);
  const sums = given.map((sum) => (sum.sum > 0 ? sum : { ...sum, largest }));
  const [one, all] = [(1 - level) / 4, (1 - level) / 4 / sums.length];
  const least = (of: (sum: AmountSum) => number) =>
    sums.reduce((low, sum) => Math.min(low, of(sum)), Infinity);
  const most = (of: (sum: AmountSum) => number) => sums.reduce((high, sum) => Math.max(high, of(sum)), 0);
  return {
    low: least((sum) => lowerLimit(sum, one)) / most((sum) => upperLimit(sum, one)),
    high: Math.min(1, least((sum) => upperLimit(sum, all)) / most((sum) => lowerLimit(sum, all))),
  };
}

/** Below which the long-run sum lies with this probability at most. */
function lowerLimit({ sum, squares }: AmountSum, error: number): number {
  return squares > 0 ? (squares / sum) * gammaQuantile((sum * sum) / squares, -normalTail(error)) : 0;
}

function upperLimit({ sum, squares, largest }: AmountSum, error: number): number {
  // One more amount, as large as the largest, might have come.
  const [more, spread] = [sum + largest, squares + largest * largest];
  return spread > 0 ? (spread / more) * gammaQuantile((more * more) / spread, normalTail(error)) : 0;
}

/** Quantile of the gamma distribution with scale 1 where the normal one has `z` (Wilson and Hilferty 1931). */
function gammaQuantile(shape: number, z: number): number {
  return shape * Math.max(0, 1 - 1 / (9 * shape) + z / (3 * Math.sqrt(shape))) ** 3;
}

/** The value that a normal variable exceeds with this probability, below one half (Abramowitz and Stegun 26.2.23). */
function normalTail(probability: number): number {
  const t = Math.sqrt(-2 * Math.log(probability));
  return (
    t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
  );
}
