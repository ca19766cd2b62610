/**
 * How a published extreme would vary if the paper's experiment were repeated. Each point is a mean over few runs, taken at a
 * different hour for each method; the minimum or maximum of many such points lies beyond the minimum or maximum of their true
 * means. So such a number is compared with its own distribution, not with a single value.
 */

import { Random } from "../../base/prng.ts";
import { quantile, sorted } from "../../base/statistics.ts";

/** "At least five samples" behind each point of Figs 5 and 6. */
const PAPER_SAMPLES = 5;
const REPEATS = 400;
const SEED = 2010;

/** Of a statistic over repeats. */
interface Band {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  /** Share of the repeats at or below a value. */
  below(value: number): number;
}

export const BAND_TEXT = `between the 5 % and the 95 % quantile of ${REPEATS} repeats with ${PAPER_SAMPLES} samples per point`;

/** A mean of as many samples as in the paper, drawn with replacement from the simulated ones. */
type DrawMean = (values: readonly number[]) => number;

/** The statistic over repeats: 5 %, 50 % and 95 % quantile. NaN where nothing was run. */
export function bandOf(statistic: (drawMean: DrawMean) => number): Band {
  const random = new Random(SEED);
  const drawMean: DrawMean = (values) => {
    if (values.length === 0) return Number.NaN;
    let sum = 0;
    for (let i = 0; i < PAPER_SAMPLES; i++) sum += values[random.below(values.length)] as number;
    return sum / PAPER_SAMPLES;
  };
  const all = Array.from({ length: REPEATS }, () => statistic(drawMean));
  const none = Number.NaN;
  if (all.some(Number.isNaN)) return { low: none, middle: none, high: none, below: () => none };
  const values = sorted(all);
  return {
    low: quantile(values, 0.05),
    middle: quantile(values, 0.5),
    high: quantile(values, 0.95),
    below: (value) => values.filter((one) => one <= value).length / values.length,
  };
}

/** Misfit of a published extreme: 0 in the middle of the band, 1 at either end. */
export function offBand(published: number, { low, middle, high }: Omit<Band, "below">): number {
  const end = published < middle ? low : high;
  const beyond = Math.abs(Math.log(published / middle));
  // Repeats that do not vary allow no deviation.
  return beyond === 0 ? 0 : beyond / Math.abs(Math.log(end / middle));
}
