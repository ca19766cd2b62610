/**
 * How long servers take for what a job does on an OST in a minute: bytes over the rate of the OST, longer by the planted slope times the
 * share of that rate which all others take in the same minute. The loads come from a first pass over the same jobs.
 */
import { assert } from "../../base/assert.ts";
import type { Site } from "./site.ts";
import type { MinuteSink } from "./spread.ts";

/** Of one OST, bytes per second: 744 GB/s over 248 OSTs on Cori (Patel et al.). No minute of a site asks more of one. */
const OST_RATE = 3e9;
const MINUTE_BYTES = 60 * OST_RATE;

/** First pass: bytes of all jobs by minute and OST. */
export class TargetLoads implements MinuteSink {
  readonly #osts: number;
  readonly #from: number;
  readonly #bytes: Float64Array;

  constructor({ osts }: Pick<Site, "osts">, [from, to]: readonly [from: number, to: number]) {
    this.#osts = osts;
    this.#from = from;
    this.#bytes = new Float64Array((to - from) * osts);
  }

  ost(target: number, minute: number, read: number, written: number): void {
    const at = this.#at(target, minute);
    this.#bytes[at] = (this.#bytes[at] as number) + read + written;
  }

  mdt(): void {}

  /** Share of the OST's rate that others take in a minute in which a job moves `own` bytes there. */
  others(target: number, minute: number, own: number): number {
    return ((this.#bytes[this.#at(target, minute)] as number) - own) / MINUTE_BYTES;
  }

  /** Largest share of its rate that any OST was asked for in a minute. */
  get most(): number {
    return this.#bytes.reduce((most, bytes) => (bytes > most ? bytes : most), 0) / MINUTE_BYTES;
  }

  #at(target: number, minute: number): number {
    const at = (minute - this.#from) * this.#osts + target;
    assert(at >= 0 && at < this.#bytes.length, "a minute of the series");
    return at;
  }
}

/** Microseconds for some bytes beside a load of others. */
export const serverUsecs = (bytes: number, slope: number, others: number): number =>
  Math.round(((1e6 * bytes) / OST_RATE) * (1 + slope * others));

/** What was planted, and sums that give it back: Σ time alone, Σ time, Σ (time alone × others), Σ (time alone × others²). */
export class LoadAnswers {
  #alone = 0;
  #taken = 0;
  #met = 0;
  #metSquared = 0;
  #together = 0;

  add(bytes: number, usecs: number, others: number): void {
    const alone = bytes / OST_RATE;
    this.#alone += alone;
    this.#taken += usecs / 1e6;
    this.#met += alone * others;
    this.#metSquared += alone * others * others;
    this.#together += (usecs / 1e6) * others;
  }

  answers(slope: number, most: number): Record<string, number> {
    return {
      slope,
      ostBytesPerSecond: OST_RATE,
      busiestShare: most,
      secondsAlone: this.#alone,
      seconds: this.#taken,
      // Least squares of (seconds over seconds alone) - 1 on the share of others, each row by its seconds alone.
      fittedSlope: this.#metSquared === 0 ? 0 : (this.#together - this.#met) / this.#metSquared,
      slowdown: this.#alone === 0 ? 1 : this.#taken / this.#alone,
    };
  }
}
