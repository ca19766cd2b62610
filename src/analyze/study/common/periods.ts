/** Periods in the writes of a job: the autocorrelation of its minutes, and whether chance could have made it. */
import type { Random } from "../../../base/prng.ts";

export interface Period {
  /** Minutes; 0: none was found. */
  readonly minutes: number;
  /** Autocorrelation at that distance, 0 to 1. */
  readonly strength: number;
  /** One minus the share of shuffled series that have as high a peak, the series itself counted among them. */
  readonly confidence: number;
}

export const NO_PERIOD: Period = { minutes: 0, strength: 0, confidence: 0 };

/** Shuffled series with a peak this much lower still count as high: rounding must not decide. */
const SLACK = 1e-9;
/** Below this many products they are summed one by one. */
const DIRECT_MAX = 1 << 12;

/** Finds periods; holds the room for it. */
export class PeriodFinder {
  #series = new Float64Array(2048);
  #other = new Float64Array(2048);
  #first = new Float64Array(2050);
  #second = new Float64Array(2050);
  readonly #transforms = new Map<number, Transform>();

  /**
   * The highest peak of the autocorrelation of log10(1 + bytes), from a distance of two minutes to half the series. `limit`:
   * shuffled series of `shuffles` that may have as high a peak; with more the search ends.
   */
  find(bytes: Float64Array, bins: number, random: Random, shuffles: number, limit: number): Period {
    const lags = Math.floor(bins / 2) + 1;
    if (bins > this.#series.length) {
      this.#series = new Float64Array(2 * bins);
      this.#other = new Float64Array(2 * bins);
      this.#first = new Float64Array(bins + 2);
      this.#second = new Float64Array(bins + 2);
    }
    const square = this.#centre(bytes, bins);
    if (!(square > 0)) return NO_PERIOD;
    this.#correlate(this.#series, this.#other, bins, lags, false);
    const at = highestPeak(this.#first, lags);
    if (at === 0) return NO_PERIOD;
    const peak = (this.#first[at] as number) / square;
    const strength = Math.min(1, (peak * bins) / (bins - at));
    const shuffled = this.#shuffled(bins, lags, square, peak, random, shuffles, limit);
    return { minutes: at, strength, confidence: 1 - (shuffled.high + 1) / (shuffled.done + 1) };
  }

  /** Logarithms less their mean; gives the sum of their squares. */
  #centre(bytes: Float64Array, bins: number): number {
    const series = this.#series;
    let sum = 0;
    for (let i = 0; i < bins; i++) sum += series[i] = Math.log10(1 + (bytes[i] as number));
    const mean = sum / bins;
    let square = 0;
    for (let i = 0; i < bins; i++) {
      const value = (series[i] = (series[i] as number) - mean);
      square += value * value;
    }
    // A series that is constant but for rounding has no period.
    return square > 1e-18 * bins * (1 + mean * mean) ? square : 0;
  }

  #shuffled(
    bins: number,
    lags: number,
    square: number,
    peak: number,
    random: Random,
    shuffles: number,
    limit: number,
  ): { done: number; high: number } {
    let [done, high] = [0, 0];
    const series = this.#series;
    while (done < shuffles && high <= limit) {
      shuffle(series, bins, random);
      this.#other.set(series.subarray(0, bins));
      const two = done + 1 < shuffles;
      if (two) shuffle(this.#other, bins, random);
      this.#correlate(series, this.#other, bins, lags, two);
      for (const sums of two ? [this.#first, this.#second] : [this.#first]) {
        const at = highestPeak(sums, lags);
        done++;
        if (at > 0 && (sums[at] as number) / square >= peak - SLACK) high++;
      }
      if (two) series.set(this.#other.subarray(0, bins));
    }
    return { done, high };
  }

  /** Sums of products at distances 0 to `lags` into `#first`, and of the second series into `#second`. */
  #correlate(one: Float64Array, two: Float64Array, bins: number, lags: number, both: boolean): void {
    if (bins * lags <= DIRECT_MAX) {
      direct(one, bins, lags, this.#first);
      if (both) direct(two, bins, lags, this.#second);
      return;
    }
    let size = 2;
    while (size < bins + lags + 1) size *= 2;
    let transform = this.#transforms.get(size);
    if (transform === undefined) this.#transforms.set(size, (transform = new Transform(size)));
    transform.correlate(one, both ? two : undefined, bins, lags, this.#first, this.#second);
  }
}

function shuffle(values: Float64Array, count: number, random: Random): void {
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor((random.bits() / 4294967296) * (i + 1));
    const held = values[i] as number;
    values[i] = values[j] as number;
    values[j] = held;
  }
}

/** Distance of the highest local maximum from 2 to before `lags`; 0 without any above zero. */
function highestPeak(sums: Float64Array, lags: number): number {
  let best = 0;
  for (let k = 2; k < lags; k++) {
    const here = sums[k] as number;
    const above = here - (sums[k - 1] as number) > SLACK * (sums[0] as number);
    if (!above || here < (sums[k + 1] as number) - SLACK * (sums[0] as number) || here <= 0) continue;
    if (best === 0 || here > (sums[best] as number) + SLACK * (sums[0] as number)) best = k;
  }
  return best;
}

function direct(series: Float64Array, bins: number, lags: number, sums: Float64Array): void {
  for (let k = 0; k <= lags; k++) {
    let sum = 0;
    for (let i = 0; i + k < bins; i++) sum += (series[i] as number) * (series[i + k] as number);
    sums[k] = sum;
  }
}

/** Fourier transforms of one size, a power of two (Cooley and Tukey 1965). */
class Transform {
  readonly #size: number;
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #turned: Uint32Array;
  readonly #real: Float64Array;
  readonly #imaginary: Float64Array;

  constructor(size: number) {
    this.#size = size;
    this.#cos = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
    this.#sin = Float64Array.from({ length: size / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / size));
    this.#turned = new Uint32Array(size);
    for (let i = 1; i < size; i++)
      this.#turned[i] = ((this.#turned[i >> 1] as number) >> 1) | (i & 1 ? size >> 1 : 0);
    this.#real = new Float64Array(size);
    this.#imaginary = new Float64Array(size);
  }

  /** Two real series at once: one is the real part and the other the imaginary part. */
  correlate(
    one: Float64Array,
    two: Float64Array | undefined,
    bins: number,
    lags: number,
    first: Float64Array,
    second: Float64Array,
  ): void {
    const [re, im, size] = [this.#real, this.#imaginary, this.#size];
    re.fill(0, bins);
    im.fill(0);
    re.set(one.subarray(0, bins));
    if (two !== undefined) im.set(two.subarray(0, bins));
    this.#run();
    // Power of each series from the sum of both: X(k) = (Z(k) + conj Z(-k)) / 2, Y(k) = (Z(k) - conj Z(-k)) / 2i.
    for (let k = 0; k <= size / 2; k++) {
      const back = (size - k) % size;
      const [a, b, c, d] = [re[k] as number, im[k] as number, re[back] as number, im[back] as number];
      const power = ((a + c) ** 2 + (b - d) ** 2) / 4;
      const other = ((b + d) ** 2 + (c - a) ** 2) / 4;
      re[k] = re[back] = power;
      im[k] = im[back] = other;
    }
    // Powers are even, so a second transform forward is the one back, but for the size.
    this.#run();
    for (let k = 0; k <= lags; k++) first[k] = (re[k] as number) / size;
    if (two !== undefined) for (let k = 0; k <= lags; k++) second[k] = (im[k] as number) / size;
  }

  #run(): void {
    const [re, im, size, cos, sin, turned] = [
      this.#real,
      this.#imaginary,
      this.#size,
      this.#cos,
      this.#sin,
      this.#turned,
    ];
    for (let i = 0; i < size; i++) {
      const j = turned[i] as number;
      if (j <= i) continue;
      const r = re[i] as number;
      const m = im[i] as number;
      re[i] = re[j] as number;
      im[i] = im[j] as number;
      re[j] = r;
      im[j] = m;
    }
    for (let half = 1; half < size; half *= 2) {
      const step = size / (2 * half);
      for (let from = 0; from < size; from += 2 * half) {
        for (let i = from, turn = 0; i < from + half; i++, turn += step) {
          const j = i + half;
          const c = cos[turn] as number;
          const s = sin[turn] as number;
          const r = re[j] as number;
          const m = im[j] as number;
          const tr = r * c - m * s;
          const ti = r * s + m * c;
          re[j] = (re[i] as number) - tr;
          im[j] = (im[i] as number) - ti;
          re[i] = (re[i] as number) + tr;
          im[i] = (im[i] as number) + ti;
        }
      }
    }
  }
}
