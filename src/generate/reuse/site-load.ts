/**
 * Load of the file system hour by hour. Everybody on it is slower by the load of the hour, read-heavy files more than the
 * others: log time = log time alone + elasticity × log load. What varies from run to run of a file is that, and the
 * transfers that it meets on its own targets (target-load.ts), not luck.
 */
import { Random } from "../../base/prng.ts";
import { localHour, PERIOD_HOURS, PERIOD_START } from "./calendar.ts";
import { normalQuantile } from "../../base/normal.ts";
import { LOAD } from "./hour-account.ts";
import { type FileClass, IO_TIME } from "./scenario.ts";
import { LOAD_STREAM } from "./truth.ts";

export class SiteLoad {
  readonly #log: Float64Array;

  constructor(seed: number) {
    this.#log = logLoads(seed);
  }

  /** How much longer than on an idle system a run takes that starts then. */
  factor(start: number, fileClass: FileClass): number {
    const slot = Math.max(0, Math.min(PERIOD_HOURS - 1, Math.floor((start - PERIOD_START) / 3600)));
    return Math.exp(IO_TIME.elasticity[fileClass] * (this.#log[slot] as number));
  }
}

/** The hours of the clock have their means; over its days an hour has evenly spaced quantiles in random order. */
function logLoads(seed: number): Float64Array {
  const random = Random.stream(seed, LOAD_STREAM, 0);
  const slots: number[][] = Array.from({ length: 24 }, () => []);
  for (let slot = 0; slot < PERIOD_HOURS; slot++)
    (slots[localHour(PERIOD_START + 3600 * slot)] as number[]).push(slot);
  const log = new Float64Array(PERIOD_HOURS);
  slots.forEach((own, hour) => {
    const busy = LOAD[hour] as number;
    for (let left = own.length; left > 0; left--) {
      const at = random.below(left);
      const slot = own[at] as number;
      own[at] = own[left - 1] as number;
      const z = normalQuantile((left - 0.5) / own.length);
      log[slot] = Math.log(IO_TIME.busyFloor + IO_TIME.busyShare * busy) + IO_TIME.spread(busy) * z;
    }
  });
  return log;
}
