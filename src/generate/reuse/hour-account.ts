/** The hours at which runs start: each gets what its load asks for, in a tenth of a centre too. */
import type { Random } from "../../base/prng.ts";
import { Weighted } from "./distributions.ts";
import { HOUR_SHARPNESS, load } from "./scenario.ts";

export const LOAD = Float64Array.from({ length: 24 }, (_, hour) => load(hour));
const WEIGHTS = LOAD.map((value) => value ** HOUR_SHARPNESS);
/** Hours by load. */
export const HOURS = new Weighted(WEIGHTS);

/** Share of each hour; they add up to 1. */
const SHARE = WEIGHTS.map((weight) => weight / WEIGHTS.reduce((sum, other) => sum + other));

/**
 * Hands out hours by weight and keeps account of what each has been given. With independent draws a few large files
 * would decide which hour is the busiest; here an hour that is short of what it should have is taken first.
 */
export class HourAccount {
  readonly #given: Float64Array;
  #total = 0;

  /** `random` decides which hours come first. */
  constructor(random: Random) {
    this.#given = SHARE.map(() => random.unit());
  }

  /** The hour that is shortest. */
  shortest(): number {
    let hour = 0;
    for (let at = 1; at < 24; at++) if (this.#missing(at) > this.#missing(hour)) hour = at;
    return hour;
  }

  /** An hour by weight: the shorter one of two draws. */
  any(random: Random): number {
    const one = HOURS.pick(random.unit());
    const other = HOURS.pick(random.unit());
    return this.#missing(one) >= this.#missing(other) ? one : other;
  }

  /** The hour itself or one next to it: the shorter one of two of the three. */
  near(hour: number, random: Random): number {
    const left = random.below(3);
    const one = (hour + ((left + 1) % 3) + 23) % 24;
    const other = (hour + ((left + 2) % 3) + 23) % 24;
    return this.#missing(one) >= this.#missing(other) ? one : other;
  }

  give(hour: number, weight: number): void {
    this.#total += weight;
    this.#given[hour] = (this.#given[hour] as number) + weight;
  }

  /** What an hour should have by now and has not. */
  #missing(hour: number): number {
    return (SHARE[hour] as number) * this.#total - (this.#given[hour] as number);
  }
}
