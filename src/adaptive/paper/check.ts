/**
 * A published number or relation as a check. Its misfit is measured in tolerances: 0 is as published, up to 1 is met, more is
 * missed. Calibration minimises the sum of the same misfits that the report shows.
 */

import type { Random } from "../../base/prng.ts";
import { mean, standardDeviation } from "../../base/statistics.ts";
import { type Measured, type Sample, type Series, seriesKey } from "../sim/experiments/series.ts";
import type { ReplayCheck, Verdict } from "../../model/index.ts";
import type { Machine } from "../sim/machines/index.ts";

export interface Judgement {
  /** Result of the simulation or the arithmetic, as text. */
  readonly simulated: string;
  /** The same as numbers. */
  readonly values: readonly number[];
  /** In tolerances; NaN where nothing was run. */
  readonly misfit: number;
  readonly verdict: Verdict;
  readonly note?: string;
}

export interface Check
  extends Pick<ReplayCheck, "id" | "row" | "place" | "claim" | "published" | "tolerance" | "method"> {
  /** Weight in the loss of a calibration; 0 for facts independent of parameters. */
  readonly weight: number;
  judge(evidence: Evidence): Judgement;
}

/** Samples on which checks are judged. */
export class Evidence {
  readonly machine: (name: string) => Machine;
  readonly #measured: Measured;
  readonly #asked: ((key: string, samples: number) => void) | undefined;

  /** `asked` is called with every series that a check uses. */
  constructor(
    measured: Measured,
    machine: (name: string) => Machine,
    asked?: (key: string, samples: number) => void,
  ) {
    this.#measured = measured;
    this.machine = machine;
    this.#asked = asked;
  }

  heard(asked: (key: string, samples: number) => void): Evidence {
    return new Evidence(this.#measured, this.machine, asked);
  }

  /** A bootstrap resample of each series with one sample fewer, so that the variance of means is unbiased. */
  resampled(random: Random): Evidence {
    const drawn = [...this.#measured].map(([key, samples]): [string, readonly Sample[]] => [
      key,
      samples.length < 2
        ? samples
        : Array.from({ length: samples.length - 1 }, () => samples[random.below(samples.length)] as Sample),
    ]);
    return new Evidence(new Map(drawn), this.machine);
  }

  /** Samples of a series; none when it was not run. */
  samples(series: Omit<Series, "samples" | "seed">): readonly Sample[] {
    const key = seriesKey(series);
    const samples = this.#measured.get(key) ?? [];
    this.#asked?.(key, samples.length);
    return samples;
  }

  bandwidth(series: Omit<Series, "samples" | "seed">): number {
    return mean(this.samples(series).map((one) => one.bandwidth));
  }

  writerBandwidth(series: Omit<Series, "samples" | "seed">): number {
    return mean(this.samples(series).map((one) => one.writerBandwidth));
  }

  /** Standard deviation of the run time over samples, seconds. */
  spread(series: Omit<Series, "samples" | "seed">): number {
    return standardDeviation(
      this.samples(series).map((one) => one.seconds),
      1,
    );
  }
}

/** Met up to one tolerance; NaN (something was not run) is "not run". */
export function judged(
  values: readonly number[],
  simulated: string,
  misfit: number,
  note?: string,
): Judgement {
  const verdict = Number.isNaN(misfit) ? "not run" : misfit <= 1 ? "met" : "missed";
  return { simulated, values, misfit, verdict, ...(note === undefined ? {} : { note }) };
}

/** A fact that is computed, not simulated. */
export const fact = (
  values: readonly number[],
  simulated: string,
  holds: boolean,
  note?: string,
): Judgement => judged(values, simulated, holds ? 0 : 2, note);

/**
 * Misfit of a value: 1 when |value - published| / published is the tolerance (0.1 is 10 %). It follows the
 * logarithm of the ratio, so that a tenth of the published number is as bad as ten times the number.
 */
export const offValue = (value: number, published: number, tolerance: number): number =>
  value < published ? offBelow(value, published, tolerance) : offAbove(value, published, tolerance);

/** 1 when `value` is `limit` minus the tolerance; a tolerance of 100 % or more allows any lower value. */
const offBelow = (value: number, limit: number, tolerance: number): number =>
  tolerance >= 1 ? 0 : Math.log(value / limit) / Math.log(1 - tolerance);

/** 1 when `value` is `limit` plus the tolerance. */
const offAbove = (value: number, limit: number, tolerance: number): number =>
  Math.log(value / limit) / Math.log(1 + tolerance);

/** Misfit of a difference: 1 when it is off by the tolerance. */
export const offBy = (value: number, published: number, tolerance: number): number =>
  Math.abs(value - published) / tolerance;

/** Misfit of "a is less than b": 1 when they are equal, 0 when a is less by the margin (a ratio). */
export const offLess = (a: number, b: number, margin: number): number =>
  worst([0, 1 + Math.log(a / b) / Math.log(1 + margin)]);

/** Misfit of "within": 0 inside, 1 at the tolerance (as of `offValue`) beyond either end. */
export const offRange = (value: number, low: number, high: number, tolerance: number): number =>
  worst([0, offBelow(value, low, tolerance), offAbove(value, high, tolerance)]);

/** The largest; NaN if one is. */
export function worst(misfits: readonly number[]): number {
  let most = 0;
  for (const one of misfits) if (Number.isNaN(one) || one > most) most = one;
  return most;
}

export const fixed = (digits: number) => (value: number) => value.toFixed(digits);
/** A tolerance as printed in tables: the largest difference, in per cent of the published value. */
export const withinPercent = (tolerance: number): string => `${Number((100 * tolerance).toPrecision(6))} %`;
export const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
export const gbps = (mbps: number): string => (mbps / 1000).toFixed(1);
