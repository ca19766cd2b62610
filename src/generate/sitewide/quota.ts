/**
 * Draws that are exact over a whole population: member i of n has the quantile of its place in a shuffled row, so that n
 * members have the shares and means of the distribution and not of a sample of it. With a deviation of 2.9 of the
 * logarithm even a million random draws would miss a mean by 6 %.
 */
import { scramble } from "../../base/prng.ts";
import { normalQuantile } from "../../base/normal.ts";

/** A shuffle of 0 … n - 1 that is computed place by place: four Feistel rounds over an even number of bits. */
export class Shuffle {
  readonly size: number;
  readonly #halfBits: number;
  readonly #mask: number;
  readonly #keys: Int32Array;

  constructor(size: number, seed: number, kind: number) {
    this.size = size;
    let bits = 2;
    while (2 ** bits < size) bits += 2;
    this.#halfBits = bits / 2;
    this.#mask = 2 ** this.#halfBits - 1;
    this.#keys = Int32Array.from({ length: 4 }, (_, round) =>
      scramble(scramble(seed ^ 0x5bd1e995) + Math.imul(kind, 0x9e3779b1) + Math.imul(round, 0x85a308d3)),
    );
  }

  /** The place of member `index`. */
  at(index: number): number {
    let place = index;
    // At most four times as many places as members: walks on until the place is one of theirs.
    do place = this.#step(place);
    while (place >= this.size);
    return place;
  }

  /** The middle of its place, as a share of the population. */
  unit(index: number): number {
    return (this.at(index) + 0.5) / this.size;
  }

  #step(place: number): number {
    const keys = this.#keys;
    const mask = this.#mask;
    let left = place >>> this.#halfBits;
    let right = place & mask;
    for (let round = 0; round < 4; round++) {
      const next = left ^ (scramble(right + (keys[round] as number)) & mask);
      left = right;
      right = next;
    }
    return ((left << this.#halfBits) | right) >>> 0;
  }
}

/** Splits n members by shares so that the parts add up to n: where each part ends. */
export function quotas(n: number, shares: readonly number[]): number[] {
  const sum = shares.reduce((all, share) => all + share, 0);
  let so = 0;
  return shares.map((share) => {
    so += share;
    return Math.round((n * so) / sum);
  });
}

/** Quantiles of Beta(a, b) from a table of its distribution; exact to about 1e-4, neighbours give neighbours. */
export class BetaQuantiles {
  readonly #values: Float64Array;

  constructor(a: number, b: number) {
    const steps = 20_000;
    const cumulative = new Float64Array(steps + 1);
    // x = sin²(t) takes the poles at both ends away.
    for (let i = 1; i <= steps; i++) {
      const t = ((i - 0.5) / steps) * (Math.PI / 2);
      const density = Math.sin(t) ** (2 * a - 1) * Math.cos(t) ** (2 * b - 1);
      cumulative[i] = (cumulative[i - 1] as number) + density;
    }
    const points = 4096;
    this.#values = new Float64Array(points + 1);
    let at = 0;
    for (let i = 0; i <= points; i++) {
      const wanted = (i / points) * (cumulative[steps] as number);
      while (at < steps && (cumulative[at + 1] as number) < wanted) at++;
      const width = (cumulative[at + 1] ?? 0) - (cumulative[at] as number);
      const inside = width > 0 ? (wanted - (cumulative[at] as number)) / width : 0;
      this.#values[i] = Math.sin(((at + Math.min(1, inside)) / steps) * (Math.PI / 2)) ** 2;
    }
  }

  at(u: number): number {
    const place = u * (this.#values.length - 1);
    const below = Math.min(Math.floor(place), this.#values.length - 2);
    const low = this.#values[below] as number;
    return low + (place - below) * ((this.#values[below + 1] as number) - low);
  }
}

/** Of n evenly spaced log-normal quantiles times `scale`, kept within bounds: the mean. */
function meanOf(n: number, sigma: number, scale: number, min: number, max: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const value = scale * Math.exp(sigma * normalQuantile((i + 0.5) / n));
    sum += Math.min(max, Math.max(min, value));
  }
  return sum / n;
}

/** The median for which n evenly spaced quantiles, kept within bounds, have this mean. */
export function medianForMean(n: number, sigma: number, mean: number, min: number, max: number): number {
  let scale = mean / Math.exp((sigma * sigma) / 2);
  // The mean grows more slowly than the median where values are cut; a few steps are enough.
  for (let round = 0; round < 12; round++) {
    const reached = meanOf(n, sigma, scale, min, max);
    if (Math.abs(reached / mean - 1) < 1e-4) break;
    scale *= (mean / reached) ** 1.3;
  }
  return scale;
}
