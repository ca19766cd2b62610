/** Bootstrap intervals: how far a number could move had other units been seen. The seed decides all of it. */
import { Random } from "./prng.ts";
import { quantile, sorted } from "./statistics.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** What the replicates say: where most of them lie, and their median, which is off the number itself by what resampling adds. */
interface Replicates extends Interval {
  readonly middle: number;
}

interface BootstrapOptions {
  readonly seed: number;
  /** How many times the units are resampled. */
  readonly replicates: number;
  /** Share of the replicates inside the interval: 0.95. */
  readonly level: number;
}

/**
 * Percentile intervals of several statistics of the same `units` units. `statistics` gets how often each unit was drawn
 * (drawing with replacement) and returns one number per statistic; NaN where a replicate has none, which is left out.
 */
export function bootstrap(
  units: number,
  statistics: (weights: Float64Array) => readonly number[],
  { seed, replicates, level }: BootstrapOptions,
): Replicates[] {
  const random = new Random(seed);
  const weights = new Float64Array(units);
  const drawn: number[][] = [];
  for (let replicate = 0; replicate < replicates; replicate++) {
    weights.fill(0);
    for (let i = 0; i < units; i++) {
      // 32 bits are enough to choose among the units of a sample, and twice as fast as 53.
      const at = Math.floor((random.bits() / 4294967296) * units);
      weights[at] = (weights[at] as number) + 1;
    }
    statistics(weights).forEach((value, index) => {
      (drawn[index] ??= []).push(value);
    });
  }
  return drawn.map((values) => percentiles(values, level));
}

function percentiles(values: readonly number[], level: number): Replicates {
  const tail = (1 - level) / 2;
  const rising = sorted(values);
  return { low: quantile(rising, tail), middle: quantile(rising, 0.5), high: quantile(rising, 1 - tail) };
}

/**
 * Means of columns of the same units, for statistics that are made of means. Columns lie side by side in fours, so that
 * four sums are made at a time. What is not a number is left out of its column.
 */
export class UnitMeans {
  /** Four columns each: the values (0 where there is none), then for each way of having values 1 or 0. */
  readonly #fours: readonly Float64Array[];
  /** Where the weights of the units with a value are summed, by column. */
  readonly #counts: readonly number[];
  readonly #sums: Float64Array;
  /** Units with a weight. */
  readonly #drawn: Uint32Array;

  constructor(units: number, columns: readonly ArrayLike<number>[]) {
    // Columns that know the same units share a count.
    const ways = new Map<string, number>();
    this.#counts = columns.map((values) => {
      const way = Array.from({ length: units }, (_, i) => (Number.isNaN(values[i]) ? "0" : "1")).join("");
      if (!ways.has(way)) ways.set(way, columns.length + ways.size);
      return ways.get(way) as number;
    });
    const count = Math.ceil((columns.length + ways.size) / 4);
    const fours = Array.from({ length: count }, () => new Float64Array(4 * units));
    const put = (unit: number, column: number, value: number) => {
      (fours[column >> 2] as Float64Array)[4 * unit + (column & 3)] = value;
    };
    columns.forEach((values, column) => {
      for (let i = 0; i < units; i++) {
        if (Number.isNaN(values[i])) continue;
        put(i, column, values[i] as number);
        put(i, this.#counts[column] as number, 1);
      }
    });
    this.#fours = fours;
    this.#sums = new Float64Array(4 * count);
    this.#drawn = new Uint32Array(units);
  }

  /** Means with these weights; NaN where nothing is left. */
  of(weights: Float64Array): number[] {
    const [drawn, sums] = [this.#drawn, this.#sums];
    let n = 0;
    for (let i = 0; i < weights.length; i++) if (weights[i] !== 0) drawn[n++] = i;
    for (const [at, four] of this.#fours.entries()) {
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let k = 0; k < n; k++) {
        const unit = drawn[k] as number;
        const weight = weights[unit] as number;
        a += weight * (four[4 * unit] as number);
        b += weight * (four[4 * unit + 1] as number);
        c += weight * (four[4 * unit + 2] as number);
        d += weight * (four[4 * unit + 3] as number);
      }
      sums[4 * at] = a;
      sums[4 * at + 1] = b;
      sums[4 * at + 2] = c;
      sums[4 * at + 3] = d;
    }
    return this.#counts.map((count, column) => (sums[column] as number) / (sums[count] as number));
  }
}

/** Order of the values from low to high, for `weightedQuantile`; what is not a number is left out. */
export function risingOrder(values: ArrayLike<number>): Uint32Array {
  const known = Uint32Array.from({ length: values.length }, (_, i) => i).filter(
    (i) => !Number.isNaN(values[i] as number),
  );
  return known.sort((a, b) => (values[a] as number) - (values[b] as number));
}

/** The value with at least this share of all weight at or below it. */
export function weightedQuantile(
  values: ArrayLike<number>,
  order: Uint32Array,
  weights: Float64Array,
  share: number,
): number {
  let total = 0;
  for (const i of order) total += weights[i] as number;
  let passed = 0;
  for (const i of order) {
    passed += weights[i] as number;
    if (passed > 0 && passed >= share * total) return values[i] as number;
  }
  return Number.NaN;
}
