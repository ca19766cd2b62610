/** When the runs of a selected file start. */
import type { Random } from "../../base/prng.ts";
import { atHour, localDay, PERIOD_HOURS, PERIOD_START } from "./calendar.ts";
import { logNormal } from "./distributions.ts";
import { HourAccount } from "./hour-account.ts";
import { literalStarts } from "./literal.ts";
import type { Plan } from "./plans.ts";
import { GAP, PREFERRED_HOUR, type Stratum } from "./scenario.ts";

/** Up to this many runs a file is one of those with much data. */
const FEW_RUNS = 8;
/** 32 random bits that a number between 0 and 1 takes. */
const DRAW = 2;
/** Of a run on such a file; about. */
const AVERAGE_BYTES = 300e9;

/** Draws the starts of one file after another and keeps account of the hours. */
export class StartTimes {
  /** Files by the hour that their runs like to start at. */
  readonly #preferred: Readonly<Record<Stratum, HourAccount>>;
  /** What hours were given: bytes by files with few runs, which have most of them, and runs by the others. */
  readonly #given: Readonly<Record<"few" | Stratum, HourAccount>>;

  constructor(random: Random) {
    const account = () => new HourAccount(random);
    const byStratum = () => ({ RH: account(), WH: account(), onePhase: account(), phases: account() });
    this.#preferred = byStratum();
    this.#given = { few: account(), ...byStratum() };
  }

  /** In rising order, no two alike, in seconds since the Epoch. */
  of(plan: Plan, random: Random): Float64Array {
    const { writes, spacing, gaps } = plan;
    const hourOf = this.#hours(plan, random);
    return gaps === undefined
      ? spreadStarts(writes, spacing, hourOf, random)
      : literalStarts(writes, gaps, hourOf, random);
  }

  /** Keeps account of a file whose starts nobody asks for: all draws are made, and the hours given. */
  pass(plan: Plan, random: Random): void {
    if (plan.gaps !== undefined) {
      this.of(plan, random);
      return;
    }
    const hourOf = this.#hours(plan, random);
    const n = plan.writes.length;
    random.skip(DRAW * n);
    for (let i = 0; i < n; i++) {
      hourOf();
      random.skip(2 * DRAW);
    }
  }

  #hours({ writes, bytes, stratum }: Plan, random: Random): () => number {
    const n = writes.length;
    const few = n <= FEW_RUNS;
    const weight = few ? bytes / n / AVERAGE_BYTES : 1;
    const given = few ? this.#given.few : this.#given[stratum];
    const preferred = this.#preferred[stratum].shortest();
    this.#preferred[stratum].give(preferred, 1);
    return () => {
      const hour = random.unit() < PREFERRED_HOUR ? given.near(preferred, random) : given.any(random);
      given.give(hour, weight);
      return hour;
    };
  }
}

/** `n` - 1 gaps and the first start are drawn, then an hour, which of two, and a second of it for each run: see `pass`. */
function spreadStarts(writes: Uint8Array, u: number, hourOf: () => number, random: Random): Float64Array {
  const n = writes.length;
  const spacing = Math.min(GAP.mostHours, logNormal(u, GAP.medianHours, GAP.sigma));
  const times = new Float64Array(n);
  let span = 0;
  for (let i = 1; i < n; i++) {
    const factor = writes[i] === 1 ? GAP.writeFactor : 1;
    span += spacing * factor * (1 + GAP.jitter * (2 * random.unit() - 1));
    times[i] = span;
  }
  const most = GAP.spanMax * PERIOD_HOURS;
  const shrink = span > most ? most / span : 1;
  const offset = random.unit() * (PERIOD_HOURS - span * shrink);
  for (let i = 0; i < n; i++) {
    const day = localDay(PERIOD_START + 3600 * (offset + (times[i] as number) * shrink));
    times[i] = atHour(day, hourOf(), random.unit() < 0.5) + random.below(3600);
  }
  times.sort();
  for (let i = 1; i < n; i++) times[i] = Math.max(times[i] as number, (times[i - 1] as number) + 1);
  return times;
}
