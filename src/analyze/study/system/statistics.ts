/** Statistics that only this study needs. What is not defined is NaN. */
import { averageRanks, sorted } from "../../../base/statistics.ts";

/** Values below this are ranked by counting them. */
const COUNTED = 1 << 20;

/**
 * Ranks from 1, equal values share the mean of theirs; as `averageRanks`, for millions of values of which most are small
 * whole numbers. No value may be NaN.
 */
export function ranksOf(values: Float64Array): Float64Array {
  if (values.length < 5000) return averageRanks(values);
  const counts = new Uint32Array(COUNTED);
  let large = 0;
  const isSmall = (value: number) => value >= 0 && value < COUNTED && Number.isInteger(value);
  for (const value of values)
    if (isSmall(value)) counts[value] = (counts[value] as number) + 1;
    else large++;
  // What is not counted is looked up among its like; fractions and negatives among small numbers are rare: then all is sorted.
  const rest = large === 0 ? new Float64Array() : values.filter((value) => !isSmall(value)).sort();
  if (rest.length > 0 && (rest[0] as number) < COUNTED) return averageRanks(values);
  const rankOf = new Float64Array(COUNTED);
  let below = 0;
  for (let value = 0; value < COUNTED; value++) {
    const count = counts[value] as number;
    if (count === 0) continue;
    rankOf[value] = below + (count + 1) / 2;
    below += count;
  }
  const restRanks = averageRanksOfSorted(rest);
  return values.map((value) =>
    isSmall(value) ? (rankOf[value] as number) : below + (restRanks[firstAt(rest, value)] as number),
  );
}

function averageRanksOfSorted(rising: Float64Array): Float64Array {
  const ranks = new Float64Array(rising.length);
  for (let from = 0; from < rising.length; ) {
    let to = from + 1;
    while (to < rising.length && rising[to] === rising[from]) to++;
    ranks.fill((from + to + 1) / 2, from, to);
    from = to;
  }
  return ranks;
}

function firstAt(rising: Float64Array, value: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Pearson's r of millions of pairs in two passes; as `pearson` but for the last digits. */
export function correlation(x: Float64Array, y: Float64Array): number {
  const n = x.length;
  if (n < 2) return Number.NaN;
  let [sumX, sumY] = [0, 0];
  for (let i = 0; i < n; i++) {
    sumX += x[i] as number;
    sumY += y[i] as number;
  }
  const [centreX, centreY] = [sumX / n, sumY / n];
  let [xx, yy, xy] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const dx = (x[i] as number) - centreX;
    const dy = (y[i] as number) - centreY;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  // A side that is constant but for the rounding of its mean has no correlation.
  const flat = (squares: number, centre: number) => squares <= 1e-24 * n * centre * centre;
  return flat(xx, centreX) || flat(yy, centreY) ? Number.NaN : xy / Math.sqrt(xx * yy);
}

/** Largest difference between the shares of values up to x and x itself, for values from 0 to 1 (Kolmogorov). */
export function distanceToUniform(values: ArrayLike<number>): number {
  const rising = sorted(values);
  let most = rising.length === 0 ? Number.NaN : 0;
  rising.forEach((value, i) => {
    most = Math.max(most, (i + 1) / rising.length - value, value - i / rising.length);
  });
  return most;
}

interface RankTest {
  readonly h: number;
  /** Probability of such an H or a larger one if the groups are alike. */
  readonly p: number;
  /** How much of the spread of ranks the groups explain, 0 to 1: H over n - 1. */
  readonly effect: number;
}

/** Kruskal and Wallis' test (1952) with the correction for ties; empty groups do not count. */
export function kruskalWallis(groups: readonly (readonly number[])[]): RankTest {
  const filled = groups.filter((group) => group.length > 0);
  const all = filled.flat();
  const n = all.length;
  const none = { h: Number.NaN, p: Number.NaN, effect: Number.NaN };
  if (filled.length < 2 || n < 3) return none;
  const ranks = averageRanks(all);
  let at = 0;
  let spread = 0;
  for (const { length } of filled) {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += ranks[at++] as number;
    spread += (sum * sum) / length;
  }
  const raw = (12 / (n * (n + 1))) * spread - 3 * (n + 1);
  const ties = new Map<number, number>();
  for (const value of all) ties.set(value, (ties.get(value) ?? 0) + 1);
  let cubes = 0;
  for (const count of ties.values()) cubes += count ** 3 - count;
  const correction = 1 - cubes / (n ** 3 - n);
  if (correction === 0) return none;
  const h = Math.max(0, raw / correction);
  return { h, p: chiSquareTail(h, filled.length - 1), effect: h / (n - 1) };
}

/** Probability that a chi-square variable with this many degrees of freedom exceeds x. */
function chiSquareTail(x: number, freedom: number): number {
  const half = x / 2;
  // From the tail of one or two degrees of freedom upwards by steps of two; each adds one term.
  let tail = freedom % 2 === 0 ? Math.exp(-half) : normalBeyond(Math.sqrt(x));
  let term = freedom % 2 === 0 ? Math.exp(-half) : 0;
  for (let k = freedom % 2 === 0 ? 2 : 1; k < freedom; k += 2) {
    term = k === 1 ? Math.sqrt((2 * x) / Math.PI) * Math.exp(-half) : (term * half) / (k / 2);
    tail += term;
  }
  return Math.min(1, tail);
}

/** Probability that a normal variable lies further than z from its mean, either way. */
function normalBeyond(z: number): number {
  // Series for small z, continued fraction for large z (Abramowitz and Stegun 26.2.10 and 26.2.14).
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < 3) {
    let term = z;
    let sum = z;
    for (let k = 1; k < 200 && Math.abs(term) > 1e-17 * sum; k++) {
      term *= (z * z) / (2 * k + 1);
      sum += term;
    }
    return 1 - 2 * density * sum;
  }
  let fraction = z;
  for (let k = 60; k >= 1; k--) fraction = z + k / fraction;
  return (2 * density) / fraction;
}
