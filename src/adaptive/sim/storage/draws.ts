/**
 * Random numbers of a run. Every kind of draw has a separate stream, by (seed, kind, number), so that two policies on the same
 * seed get the same speeds and the same background, regardless of their own actions.
 */

import { assert } from "../../../base/assert.ts";
import { normalQuantile } from "../../../base/normal.ts";
import { Random } from "../../../base/prng.ts";

/** Kinds of streams. Never renumber: parameter sets were fitted with them. */
export const STREAM = {
  intensity: 1,
  speed: 2,
  degraded: 3,
  light: 4,
  lightMean: 5,
  heavyArrival: 6,
  heavyJob: 7,
  jitter: 8,
  runSpeed: 9,
  jobWeight: 10,
  samples: 11,
  heavyPresent: 12,
  heavyPlace: 13,
  degradedCount: 14,
  degradedPlace: 15,
  restCount: 16,
  restPlace: 17,
} as const;

/** Which run: `seed` for the series, `sample` of `samples` within it. */
export interface RunSeed {
  readonly seed: number;
  readonly sample: number;
  readonly samples: number;
}

/** The seed of the streams of one sample. */
export const sampleSeed = ({ seed, sample }: RunSeed): number =>
  Random.stream(seed, STREAM.samples, sample).bits();

/**
 * A standard normal draw per sample, stratified: the n samples of a series fall into n intervals of equal probability, in
 * shuffled order. Means over few samples then vary much less, and each sample is still standard normal over seeds.
 */
export const stratifiedNormal = (run: RunSeed, kind: number): number =>
  normalQuantile(stratifiedUnit(run, kind));

/** The same with a number in (0, 1). */
export function stratifiedUnit({ seed, sample, samples }: RunSeed, kind: number): number {
  assert(sample >= 0 && sample < samples, "a sample number is within its series");
  const stratum = shuffledPlace(seed, kind, sample, samples);
  const within = Random.stream(seed, kind, 1 + sample).unit();
  return Math.min((stratum + within) / samples, 1 - Number.EPSILON);
}

/** Position of one sample in a shuffle of n. */
function shuffledPlace(seed: number, kind: number, sample: number, samples: number): number {
  const random = Random.stream(seed, kind, 0);
  const places = Int32Array.from({ length: samples }, (_, i) => i);
  for (let i = samples - 1; i > 0; i--) {
    const j = random.below(i + 1);
    const swapped = places[i] as number;
    places[i] = places[j] as number;
    places[j] = swapped;
  }
  return places[sample] as number;
}

/** Standard normal by Marsaglia's polar method. */
export function normal(random: Random): number {
  for (;;) {
    const u = 2 * random.unit() - 1;
    const v = 2 * random.unit() - 1;
    const square = u * u + v * v;
    if (square > 0 && square < 1) return u * Math.sqrt((-2 * Math.log(square)) / square);
  }
}

/** Lognormal with mean 1 and the given sd of its logarithm, from a standard normal. */
export const logNormal = (sd: number, z: number): number => (sd === 0 ? 1 : Math.exp(sd * z - (sd * sd) / 2));

/** A Poisson count; splits the mean where e^-mean would underflow. */
export function poisson(random: Random, mean: number): number {
  assert(mean >= 0 && mean < Number.POSITIVE_INFINITY, "a Poisson count has a finite mean");
  if (mean > 500) return poisson(random, mean / 2) + poisson(random, mean / 2);
  const floor = Math.exp(-mean);
  let count = 0;
  for (let product = random.unit(); product > floor; product *= random.unit()) count++;
  return count;
}

/** The Poisson quantile at p; for means up to some hundreds. */
export const poissonQuantile = (p: number, mean: number): number => poissonPlace(p, mean).count;

/** The same, with the relative position of p within the probability of this count: in [0, 1], uniform if p is. */
export function poissonPlace(p: number, mean: number): { count: number; within: number } {
  let term = Math.exp(-mean);
  let sum = term;
  let count = 0;
  // The second condition ends sums that rounding keeps below p.
  while (sum < p && count < 10 * (mean + 10)) {
    count++;
    term *= mean / count;
    sum += term;
  }
  return { count, within: Math.min(1, Math.max(0, (p - (sum - term)) / term)) };
}
