/**
 * Statistics of plain arrays of numbers. What is not defined (no values, a spread of one value, a mean of zero) is NaN,
 * never zero.
 */

type Numbers = ArrayLike<number>;

export function sum(values: Numbers): number {
  // Neumaier's compensated sum: a million small values beside a large one keep their digits.
  let total = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return total + lost;
}

export function mean(values: Numbers): number {
  return values.length === 0 ? Number.NaN : sum(values) / values.length;
}

/** Variance with n - ddof in the denominator; 0 is the population's, 1 the sample's. */
export function variance(values: Numbers, ddof = 0): number {
  if (values.length - ddof <= 0) return Number.NaN;
  const centre = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += ((values[i] as number) - centre) ** 2;
  return squares / (values.length - ddof);
}

export function standardDeviation(values: Numbers, ddof = 0): number {
  return Math.sqrt(variance(values, ddof));
}

/** Coefficient of variation as a fraction, sd / mean. Not defined for fewer than two values or a mean of zero. */
export function coefficientOfVariation(values: Numbers, ddof = 0): number {
  const centre = mean(values);
  return values.length < 2 || centre === 0 ? Number.NaN : standardDeviation(values, ddof) / centre;
}

/** Quantile of rising values by linear interpolation between the two nearest (type 7 of Hyndman and Fan). */
export function quantile(sorted: Numbers, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (place - below) * (high - low);
}

/**
 * Quantile of values in any order, as `quantile` of the sorted ones. The two values that count are found without sorting
 * the others (Hoare's selection), in a copy.
 */
export const quantileOf = (values: Numbers, share: number): number =>
  quantileIn(Float64Array.from(values), share);

/** As `quantileOf`; the values change places. */
export function quantileIn(values: Float64Array, share: number): number {
  if (values.length === 0) return Number.NaN;
  const place = share * (values.length - 1);
  const below = Math.floor(place);
  const low = select(values, below);
  // All behind the place are at least as large; the next one is the least of them.
  let high = Number.POSITIVE_INFINITY;
  for (let i = below + 1; i < values.length; i++) high = Math.min(high, values[i] as number);
  return below + 1 < values.length ? low + (place - below) * (high - low) : low;
}

/** Puts the k-th smallest value at place k, smaller ones before it and larger ones behind it. */
export function select(values: Float64Array, k: number): number {
  let [left, right] = [0, values.length - 1];
  while (left < right) {
    const pivot = values[(left + right) >> 1] as number;
    let [i, j] = [left, right];
    while (i <= j) {
      while ((values[i] as number) < pivot) i++;
      while ((values[j] as number) > pivot) j--;
      if (i > j) break;
      const held = values[i] as number;
      values[i++] = values[j] as number;
      values[j--] = held;
    }
    if (k <= j) right = j;
    else if (k >= i) left = i;
    else break;
  }
  return values[k] as number;
}

/** Rising, without what is not a number. The argument stays as it is. */
export function sorted(values: Numbers): Float64Array {
  return Float64Array.from(values)
    .filter((value) => !Number.isNaN(value))
    .sort();
}

/** Pearson's r; NaN for fewer than two pairs or a constant side. */
export function pearson(x: Numbers, y: Numbers): number {
  const centreX = mean(x);
  const centreY = mean(y);
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let i = 0; i < x.length; i++) {
    const dx = (x[i] as number) - centreX;
    const dy = (y[i] as number) - centreY;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return x.length < 2 || xx === 0 || yy === 0 ? Number.NaN : xy / Math.sqrt(xx * yy);
}

/** Ranks from 1; equal values share the mean of their ranks. */
export function averageRanks(values: Numbers): Float64Array {
  const order = Array.from({ length: values.length }, (_, i) => i).sort(
    (a, b) => (values[a] as number) - (values[b] as number),
  );
  const ranks = new Float64Array(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to] as number] === values[order[from] as number]) to++;
    for (let i = from; i < to; i++) ranks[order[i] as number] = (from + to + 1) / 2;
    from = to;
  }
  return ranks;
}

/** Spearman's ρ: Pearson's r of the ranks, with average ranks for ties. */
export function spearman(x: Numbers, y: Numbers): number {
  return pearson(averageRanks(x), averageRanks(y));
}

/** Gini coefficient: 0 when all are equal, near 1 when one has everything. NaN when nothing is shared out. */
export function gini(values: Numbers): number {
  const rising = sorted(values);
  const total = sum(rising);
  if (rising.length === 0 || total === 0) return Number.NaN;
  let weighted = 0;
  for (let i = 0; i < rising.length; i++)
    weighted += (2 * (i + 1) - rising.length - 1) * (rising[i] as number);
  return weighted / (rising.length * total);
}
