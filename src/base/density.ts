/** Distributions made drawable: kernel densities, cumulative shares and logarithmic bins, each in linear time. */

import { assert } from "./assert.ts";

interface KernelDensityOptions {
  /** At how many values, evenly spaced. */
  readonly points?: number;
  /** Over the decimal logarithm: values spaced by factors, densities per decade; what is not positive is left out. */
  readonly log?: boolean;
  /** Standard deviation of the kernel; in decades when `log`. */
  readonly bandwidth?: number;
  /** Follow the density from the least to the greatest value only, as a violin that claims no value beyond them. */
  readonly within?: boolean;
}

/** Up to this many terms are summed one by one; beyond, values are binned first. */
const DIRECT_TERMS_MAX = 200_000;
/** Bins per bandwidth: the error of linear binning is below a thousandth of the highest density. */
const BINS_PER_BANDWIDTH = 16;
const BINS_MAX = 1 << 18;
/** A Gaussian is below 2e-8 of its height six deviations out. */
const REACH = 6;
/** How far the density is followed beyond the data, in bandwidths. */
const TAIL = 3;

/**
 * Density of the finite values by a Gaussian kernel, the direct sum or one that differs by less than a thousandth of its
 * height. Without a bandwidth it takes Silverman's rule of thumb, 0.9 min(sd, IQR / 1.34) n^(-1/5) (Density Estimation,
 * 1986, eq. 3.31), but no less than the range divided by `points`, or peaks would fall between them. The values end three
 * bandwidths outside the data, or at zero when none is negative, or with the data when asked: what the kernel carries further
 * is cut. No data: nothing.
 */
export function kernelDensity(
  values: Float64Array | readonly number[],
  options: KernelDensityOptions = {},
): { values: number[]; densities: number[] } {
  const { log = false } = options;
  const points = Math.max(2, Math.floor(options.points ?? 128));
  const data = usable(values, log);
  if (data.length === 0) return { values: [], densities: [] };
  const [low, high] = extentOf(data);
  const bandwidth = positive(options.bandwidth) ?? bandwidthOf(data, low, high, log, points);
  const tail = options.within === true && high > low ? 0 : TAIL * bandwidth;
  const from = low - tail < 0 && low >= 0 && !log ? 0 : low - tail;
  const step = (high + tail - from) / (points - 1);
  const places = Array.from({ length: points }, (_, index) => from + index * step);
  const densities =
    data.length * points <= DIRECT_TERMS_MAX
      ? places.map((at) => directDensity(data, at, bandwidth))
      : binnedDensities(data, low, high, places, bandwidth);
  return { values: log ? places.map((place) => 10 ** place) : places, densities };
}

/** Finite values, as logarithms if asked. */
function usable(values: ArrayLike<number>, log: boolean): Float64Array {
  const data = new Float64Array(values.length);
  let count = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    // Sums of squares beyond this are infinite.
    if (!Number.isFinite(value) || (log ? value <= 0 : Math.abs(value) > 1e150)) continue;
    data[count++] = log ? Math.log10(value) : value;
  }
  return data.subarray(0, count);
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 && Number.isFinite(value) ? value : undefined;
}

function extentOf(data: Float64Array): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of data) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function bandwidthOf(data: Float64Array, low: number, high: number, log: boolean, points: number): number {
  // All values are equal: a narrow bump around the value, a twentieth of a decade or of the value.
  if (low === high) return log || low === 0 ? 0.05 : Math.abs(low) * 0.05;
  let mean = 0;
  for (const value of data) mean += value / data.length;
  let squares = 0;
  for (const value of data) squares += (value - mean) ** 2 / data.length;
  const work = data.slice();
  const last = data.length - 1;
  const upper = selected(work, Math.round(last * 0.75));
  const range = (upper - selected(work, Math.round(last * 0.25))) / 1.34;
  const deviation = Math.sqrt(squares);
  // More than half of the values may be equal; the deviation still tells of the others.
  const spread = range > 0 ? Math.min(deviation, range) : deviation;
  return Math.max(0.9 * spread * data.length ** -0.2, (high - low) / points);
}

/** The value at a place of the sorted order, by Hoare's selection; orders `data` partly. */
function selected(data: Float64Array, place: number): number {
  let [from, to] = [0, data.length - 1];
  while (from < to) {
    const pivot = data[(from + to) >> 1] as number;
    let [left, right] = [from, to];
    while (left <= right) {
      while ((data[left] as number) < pivot) left++;
      while ((data[right] as number) > pivot) right--;
      if (left > right) break;
      const kept = data[left] as number;
      data[left++] = data[right] as number;
      data[right--] = kept;
    }
    if (place <= right) to = right;
    else if (place >= left) from = left;
    else break;
  }
  return data[place] as number;
}

const ROOT_TWO_PI = Math.sqrt(2 * Math.PI);

function directDensity(data: Float64Array, at: number, bandwidth: number): number {
  let sum = 0;
  for (const value of data) sum += Math.exp(-0.5 * ((value - at) / bandwidth) ** 2);
  return sum / (data.length * bandwidth * ROOT_TWO_PI);
}

/** Each value is shared between the two nearest bins by its distance; then only bins are summed. */
function binnedDensities(
  data: Float64Array,
  low: number,
  high: number,
  places: readonly number[],
  bandwidth: number,
): number[] {
  const bins = Math.min(BINS_MAX, Math.ceil(((high - low) / bandwidth) * BINS_PER_BANDWIDTH) + 1);
  const width = bins > 1 ? (high - low) / (bins - 1) : 1;
  const weights = new Float64Array(bins + 1);
  for (const value of data) {
    const place = (value - low) / width;
    const bin = Math.min(bins - 1, Math.floor(place));
    const part = place - bin;
    weights[bin] = (weights[bin] as number) + 1 - part;
    weights[bin + 1] = (weights[bin + 1] as number) + part;
  }
  const scale = 1 / (data.length * bandwidth * ROOT_TWO_PI);
  return places.map((at) => {
    const first = Math.max(0, Math.floor((at - REACH * bandwidth - low) / width));
    const last = Math.min(bins, Math.ceil((at + REACH * bandwidth - low) / width));
    let sum = 0;
    for (let bin = first; bin <= last; bin++) {
      const weight = weights[bin] as number;
      if (weight !== 0) sum += weight * Math.exp(-0.5 * ((low + bin * width - at) / bandwidth) ** 2);
    }
    return sum * scale;
  });
}

/**
 * Right-continuous cumulative shares, F(x) = #{v <= x} / n, of values in rising order; NaN is left out. Exact when there
 * are at most `pointsMax` distinct values. Otherwise at most 2 `pointsMax` + 2 of the points are kept: each is exact, no step
 * of more than 1 / `pointsMax` is lost, and between two kept points the shares differ from the exact ones by at most that.
 */
export function cmfPoints(sorted: Float64Array, pointsMax = 2000): { values: number[]; shares: number[] } {
  let n = sorted.length;
  while (n > 0 && Number.isNaN(sorted[n - 1])) n--;
  const [values, shares]: [number[], number[]] = [[], []];
  const keep = (value: number, count: number) => {
    values.push(value);
    shares.push(count / n);
  };
  const exact = distinctUpTo(sorted, n, pointsMax) <= pointsMax;
  const stepMax = n / pointsMax;
  let [keptCount, previousCount, previousValue] = [0, 0, Number.NaN];
  for (let index = 0; index < n; ) {
    const value = sorted[index] as number;
    let end = index + 1;
    while (end < n && sorted[end] === value) end++;
    // What was passed over is kept when the next one would be too far from the last kept, or is itself a large step.
    if (keptCount < previousCount && (end - keptCount > stepMax || end - index > stepMax)) {
      keep(previousValue, previousCount);
      keptCount = previousCount;
    }
    if (exact || index === 0 || end === n || end - index > stepMax) {
      keep(value, end);
      keptCount = end;
    }
    [previousCount, previousValue, index] = [end, value, end];
  }
  return { values, shares };
}

/** How many distinct values there are, counted no further than past the limit. */
function distinctUpTo(sorted: Float64Array, n: number, limit: number): number {
  let distinct = 0;
  for (let index = 0; index < n && distinct <= limit; index++)
    if (index === 0 || sorted[index] !== sorted[index - 1]) distinct++;
  return distinct;
}

/**
 * Edges of bins that each cover 1 / `perDecade` of a decade, powers of ten among them; bin i holds edges[i] <= v <
 * edges[i + 1]. The first edge is at most `low`, the last above `high`.
 */
export function logBins(low: number, high: number, perDecade: number): number[] {
  assert(low > 0 && high >= low && high < 1e300, `log bins need 0 < low <= high < 1e300: ${low}, ${high}`);
  assert(Number.isInteger(perDecade) && perDecade > 0, `bins per decade are a whole number: ${perDecade}`);
  let first = Math.floor(Math.log10(low) * perDecade);
  while (logEdge(first, perDecade) > low) first--;
  while (logEdge(first + 1, perDecade) <= low) first++;
  let last = Math.max(first + 1, Math.floor(Math.log10(high) * perDecade));
  while (logEdge(last, perDecade) <= high) last++;
  return Array.from({ length: last - first + 1 }, (_, index) => logEdge(first + index, perDecade));
}

/** The same digits on every engine: they differ in the last bit of powers. */
function logEdge(index: number, perDecade: number): number {
  const decade = Math.floor(index / perDecade);
  const part = index - decade * perDecade;
  if (part === 0) return Number(`1e${decade}`);
  return Number(`${(10 ** (part / perDecade)).toPrecision(12)}e${decade}`);
}
