/**
 * The literal reading of "80 % of files are re-accessed only after 50 to 55 hours": for each type of run, four files of
 * five have a mean gap of at least 50 h, and the means over files stay those that were published. A mean gap is the time
 * from the first to the last run of a type over the number of gaps, so only these runs have to be where they are; those
 * between keep to the hours of the day.
 */
import type { Random } from "../../base/prng.ts";
import { atHour, localDay, PERIOD_HOURS } from "./calendar.ts";
import type { Shape } from "./plans.ts";
import { GAP, LITERAL, type Stratum } from "./scenario.ts";

/** Mean hours between read runs and between write runs. */
export interface LiteralGaps {
  readonly read: number;
  readonly write: number;
  /** This many phases, or runs of a file with one type, fit into the period. */
  readonly repeatsMax: number;
}

const SPAN = GAP.spanMax * PERIOD_HOURS;

/** Gaps of one file after another, by quotas: of any number of files the right share is long, but for one. */
export class LiteralMode {
  readonly #random: Random;
  readonly #counts = new Map<string, number>();

  constructor(random: Random) {
    this.#random = random;
  }

  gaps(stratum: Stratum, { w, r }: Shape): LiteralGaps {
    if (stratum === "phases" && w === 1) {
      // Twice as many reads as writes in the same time: these files are the long ones of one type and the short ones
      // of the other.
      const write = this.#between(LITERAL.writes.long);
      return { read: write / 2, write, repeatsMax: Math.floor(SPAN / write) };
    }
    const read = this.#draw(`reads ${stratum} ${r}`, LITERAL.shortReads, LITERAL.reads);
    if (stratum === "phases") return { read, write: read, repeatsMax: Math.floor(SPAN / (2 * read)) };
    const write = this.#draw(`writes ${stratum}`, LITERAL.shortWrites, LITERAL.writes);
    const most = stratum === "RH" ? read : write;
    return { read, write, repeatsMax: 1 + Math.floor(SPAN / most) };
  }

  #draw(name: string, share: number, { long, short }: { readonly long: Band; readonly short: Band }): number {
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    const isShort = Math.floor((count + 1) * share + 0.5) > Math.floor(count * share + 0.5);
    return this.#between(isShort ? short : long);
  }

  #between([least, most]: Band): number {
    return least + (most - least) * this.#random.unit();
  }
}

type Band = readonly [number, number];

/** Start times in rising order, with exactly these mean gaps but for a second. */
export function literalStarts(
  writes: Uint8Array,
  gaps: LiteralGaps,
  hourOf: () => number,
  random: Random,
): Float64Array {
  const hours = slots(writes, gaps, random);
  const n = writes.length;
  const room = PERIOD_HOURS - (hours[n - 1] as number) - 26;
  const day = Math.floor((random.unit() * Math.max(0, room)) / 24);
  const start = atHour(day, hourOf(), random.unit() < 0.5) + random.below(3600);
  const times = hours.map((hour) => start + Math.round(3600 * hour));
  const fixed = endsOf(writes);
  for (let f = 1; f < fixed.length; f++) {
    const [from, to] = [fixed[f - 1] as number, fixed[f] as number];
    const between = times.subarray(from + 1, to);
    for (let i = 0; i < between.length; i++) {
      between[i] = atHour(localDay(between[i] as number), hourOf(), random.unit() < 0.5) + random.below(3600);
    }
    settle(between, times[from] as number, times[to] as number);
  }
  return times;
}

/** Hours from the first run, evenly spaced within a phase. */
function slots(writes: Uint8Array, { read, write }: LiteralGaps, random: Random): Float64Array {
  const n = writes.length;
  const hours = new Float64Array(n);
  const lastWrite = writes.lastIndexOf(1);
  const mixed = lastWrite >= 0 && lastWrite < n - 1;
  const onePhase = mixed && writes.indexOf(0) > lastWrite;
  const step = mixed && !onePhase ? phaseStep(writes, write) : 0;
  for (let i = 1; i < n; i++) {
    const gap =
      step > 0 ? step : writes[i] === 1 ? write : writes[i - 1] === 1 ? 2 + 40 * random.unit() : read;
    hours[i] = (hours[i - 1] as number) + gap;
  }
  return hours;
}

/** Evenly spaced runs of several phases: the step with which the write runs have this mean gap. */
function phaseStep(writes: Uint8Array, write: number): number {
  const count = writes.reduce((sum, one) => sum + one, 0);
  return (write * (count - 1)) / (writes.lastIndexOf(1) - writes.indexOf(1));
}

/** Places of the first and the last run of each type, in rising order. */
function endsOf(writes: Uint8Array): number[] {
  const ends = [writes.indexOf(0), writes.lastIndexOf(0), writes.indexOf(1), writes.lastIndexOf(1)];
  return [...new Set(ends)].filter((at) => at >= 0).sort((a, b) => a - b);
}

/** In rising order, no two alike, after `low` and before `high`. */
function settle(times: Float64Array, low: number, high: number): void {
  times.sort();
  for (let i = 0; i < times.length; i++)
    times[i] = Math.max(times[i] as number, (i === 0 ? low : (times[i - 1] as number)) + 1);
  for (let i = times.length - 1; i >= 0; i--)
    times[i] = Math.min(times[i] as number, (i === times.length - 1 ? high : (times[i + 1] as number)) - 1);
}
