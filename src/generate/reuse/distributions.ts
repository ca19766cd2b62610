/** Draws from a uniform number: the same number gives the same draw, and neighbours give neighbours. */
import { normalQuantile } from "../../base/normal.ts";

/** Log-normal with the given median and standard deviation of the logarithm. */
export function logNormal(u: number, median: number, sigma: number): number {
  return median * Math.exp(sigma * normalQuantile(u));
}

/** Log-normal factor of mean 1 with the given coefficient of variation. */
export function noiseFactor(u: number, cov: number): number {
  const variance = Math.log(1 + cov * cov);
  return Math.exp(Math.sqrt(variance) * normalQuantile(u) - variance / 2);
}

/** Nearer than this to the largest variation that n numbers can have, all but one of them are next to nothing. */
const COV_MOST = 0.9;

/**
 * Fills `into` from `from` to `to` with log-normal factors of mean 1 whose own coefficient of variation is `cov` to
 * about 0.1 %, and not only that of the distribution they come from: of few draws the variation would be a matter of
 * luck, and too low on average.
 */
export function variedFactors(
  into: Float64Array,
  from: number,
  to: number,
  cov: number,
  random: { unit(): number },
): void {
  const n = to - from;
  for (let i = from; i < to; i++) into[i] = normalQuantile(random.unit());
  const sigma = n < 2 ? cov : spreadFor(into, from, to, Math.min(cov, COV_MOST * Math.sqrt(n - 1)));
  let sum = 0;
  for (let i = from; i < to; i++) sum += into[i] = Math.exp(sigma * (into[i] as number));
  for (let i = from; i < to; i++) into[i] = ((into[i] as number) * n) / sum;
}

/** No factor is further from the middle than exp() of this: where two values tie, no spread would be enough. */
const LOG_FACTOR_MAX = 6;

/** The spread of logarithms that gives these normal values the variation; secant steps between logarithms. */
function spreadFor(normals: Float64Array, from: number, to: number, cov: number): number {
  const { deviation, largest } = centre(normals, from, to);
  const wanted = Math.log(cov * cov);
  const missing = (x: number) =>
    Math.log(Math.max(1e-12, squaredCov(normals, from, to, Math.exp(x)))) - wanted;
  const most = Math.log(LOG_FACTOR_MAX / largest);
  // As if their logarithms had the spread that the distribution has.
  let x = Math.min(most, 0.5 * Math.log(Math.log(1 + cov * cov)) - Math.log(deviation));
  let y = missing(x);
  let slope = 2;
  for (let step = 0; step < 12 && Math.abs(y) > 0.002; step++) {
    const next = Math.min(most, x - Math.max(-1, Math.min(1, y / slope)));
    if (next === x) break;
    const there = missing(next);
    // The variation grows with the spread, ever more slowly: a slope outside these bounds is a rounding error.
    slope = Math.max(0.2, Math.min(3, (there - y) / (next - x)));
    [x, y] = [next, there];
  }
  return Math.exp(x);
}

/** Takes the mean away; gives the standard deviation and the largest distance from the mean. */
function centre(values: Float64Array, from: number, to: number): { deviation: number; largest: number } {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i] as number;
  const mean = sum / (to - from);
  let squares = 0;
  let largest = 0;
  for (let i = from; i < to; i++) {
    const distance = (values[i] as number) - mean;
    values[i] = distance;
    squares += distance ** 2;
    largest = Math.max(largest, Math.abs(distance));
  }
  return { deviation: Math.sqrt(squares / (to - from)), largest };
}

function squaredCov(normals: Float64Array, from: number, to: number, sigma: number): number {
  let sum = 0;
  let squares = 0;
  for (let i = from; i < to; i++) {
    const value = Math.exp(sigma * (normals[i] as number));
    sum += value;
    squares += value * value;
  }
  return ((to - from) * squares) / (sum * sum) - 1;
}

/** Beta(2, 2): the root of u = 3x² - 2x³ in [0, 1], in closed form. */
export function betaTwoTwo(u: number): number {
  return 0.5 - Math.sin(Math.asin(1 - 2 * u) / 3);
}

/** Beta(1, b). */
export function betaOne(u: number, b: number): number {
  return 1 - (1 - u) ** (1 / b);
}

/** Index by weights: draws cost a look into a guide table and a step or two, whatever the number of entries. */
export class Weighted {
  readonly #cumulative: Float64Array;
  readonly #guide: Uint32Array;

  constructor(weights: ArrayLike<number>) {
    this.#cumulative = new Float64Array(weights.length);
    let sum = 0;
    for (let i = 0; i < weights.length; i++) this.#cumulative[i] = sum += weights[i] as number;
    for (let i = 0; i < weights.length; i++) this.#cumulative[i] = (this.#cumulative[i] as number) / sum;
    this.#cumulative[weights.length - 1] = 1;
    this.#guide = new Uint32Array(Math.max(16, weights.length));
    let at = 0;
    for (let g = 0; g < this.#guide.length; g++) {
      while ((this.#cumulative[at] as number) <= g / this.#guide.length) at++;
      this.#guide[g] = at;
    }
  }

  /** The index for a uniform number in [0, 1). */
  pick(u: number): number {
    let at = this.#guide[Math.floor(u * this.#guide.length)] as number;
    while ((this.#cumulative[at] as number) <= u) at++;
    return at;
  }
}

/** Popularity 1 / rank^exponent of `count` entries. */
export function zipf(count: number, exponent: number): Weighted {
  return new Weighted(Float64Array.from({ length: count }, (_, i) => (i + 1) ** -exponent));
}

/** The most even of all steps. It serves for two dimensions, whose indexes have nothing to do with each other. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const root = (prime: number) => Math.sqrt(prime) % 1;
/** Else fractional parts of the roots of primes: no whole-number relation ties one to another. */
const STEPS = [
  root(2),
  root(3),
  root(5),
  root(7),
  root(11),
  GOLDEN,
  root(17),
  GOLDEN,
  ...[23, 29, 31, 37].map(root),
];

/**
 * Evenly spread numbers in [0, 1) for the quantities that a study counts or averages over files. File by file they are
 * as good as random; over the first n files, whatever n is, shares are right to about 1/n instead of 1/√n. That is what
 * lets a tenth of a centre have the shares of a whole one without a second pass that would change earlier files.
 */
export class EvenSpread {
  readonly #shifts: Float64Array;

  constructor(shifts: ArrayLike<number>) {
    this.#shifts = Float64Array.from(shifts);
  }

  static readonly dimensions = STEPS.length;

  at(dimension: number, index: number): number {
    return ((this.#shifts[dimension] as number) + (index + 1) * (STEPS[dimension] as number)) % 1;
  }
}
