/** The parts that the scenario is made of. */
import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { recordId } from "../../formats/darshan/record-id.ts";
import {
  atHour,
  LONG_DAY,
  localDate,
  localDay,
  localHour,
  PERIOD_DAYS,
  PERIOD_HOURS,
  PERIOD_START,
  ZONE,
} from "./calendar.ts";
import { betaOne, betaTwoTwo, EvenSpread, variedFactors, Weighted, zipf } from "./distributions.ts";
import { HourAccount, LOAD } from "./hour-account.ts";
import { Placement } from "./placement.ts";
import { RecordIds } from "./record-ids.ts";

describe("the calendar", () => {
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone: ZONE,
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    hourCycle: "h23",
  });
  const local = (unixSeconds: number) =>
    Object.fromEntries(
      clock.formatToParts(unixSeconds * 1000).map(({ type, value }) => [type, Number(value)]),
    );

  it("shows the hour and the date that the zone's own rules give, in every hour of the period", () => {
    for (let hour = 0; hour < PERIOD_HOURS; hour++) {
      const moment = PERIOD_START + 3600 * hour + 1799;
      const { year, month, day, hour: shown } = local(moment);
      expect([localDate(moment), localHour(moment)]).toEqual([{ year, month, day }, shown]);
    }
    expect(local(PERIOD_START + 3600 * PERIOD_HOURS)).toMatchObject({
      year: 2018,
      month: 2,
      day: 1,
      hour: 0,
    });
  });

  it("has one day of 25 hours, with two hours called 1", () => {
    const hours = Array.from({ length: PERIOD_HOURS }, (_, hour) => PERIOD_START + 3600 * hour);
    const long = hours.filter((moment) => localDay(moment) === LONG_DAY);
    expect(long.map(localHour)).toEqual([0, 1, 1, ...Array.from({ length: 22 }, (_, hour) => hour + 2)]);
    expect(localDate(long[0] as number)).toEqual({ year: 2017, month: 11, day: 5 });
    expect(atHour(LONG_DAY, 1, true) - atHour(LONG_DAY, 1, false)).toBe(3600);
    for (let day = 0; day < PERIOD_DAYS; day++) {
      for (let hour = 0; hour < 24; hour++) {
        for (const later of [false, true]) {
          const moment = atHour(day, hour, later);
          expect([localDay(moment), localHour(moment)]).toEqual([day, hour]);
        }
      }
    }
  });
});

describe("record ids in halves", () => {
  it("are those of Darshan, for names of every length", () => {
    const ids = new RecordIds();
    for (let length = 0; length < 120; length++) {
      const name = `/scratch/${"abcdefghij~!/_".repeat(10)}`.slice(0, length);
      ids.hash(name);
      expect((BigInt(ids.high) << 32n) | BigInt(ids.low), name).toBe(recordId(name));
    }
  });
});

describe("draws", () => {
  it("follow the beta distributions: the share below a draw is the number it came from", () => {
    for (let u = 0.01; u < 1; u += 0.01) {
      const x = betaTwoTwo(u);
      expect(3 * x * x - 2 * x ** 3).toBeCloseTo(u, 9);
      expect(1 - (1 - betaOne(u, 200)) ** 200).toBeCloseTo(u, 9);
    }
  });

  it("pick by weight", () => {
    const weighted = new Weighted([1, 0, 3]);
    const counts = [0, 0, 0];
    for (let i = 0; i < 4000; i++) {
      const at = weighted.pick((i + 0.5) / 4000);
      counts[at] = (counts[at] as number) + 1;
    }
    expect(counts).toEqual([1000, 0, 3000]);
    expect(zipf(100, 1.1).pick(0)).toBe(0);
    expect(zipf(100, 1.1).pick(1 - 2 ** -53)).toBe(99);
  });

  it("are spread evenly over the first files, whatever their number", () => {
    const spread = new EvenSpread(new Array(EvenSpread.dimensions).fill(0.3));
    for (let dimension = 0; dimension < EvenSpread.dimensions; dimension++) {
      for (const count of [100, 850, 8500]) {
        let below = 0;
        for (let i = 0; i < count; i++) if (spread.at(dimension, i) < 0.22) below++;
        expect(Math.abs(below / count - 0.22)).toBeLessThan(6 / count + 0.002);
      }
    }
  });
});

describe("factors with a given variation", () => {
  it("have it, however few they are, and a mean of 1", () => {
    const random = new Random(9);
    const missed = new Set<string>();
    for (const n of [2, 3, 8, 100]) {
      for (const cov of [0.01, 0.3, 0.8, 1.4]) {
        for (let repeat = 0; repeat < 50; repeat++) {
          const factors = new Float64Array(n + 2);
          variedFactors(factors, 1, n + 1, cov, random);
          const own = Array.from(factors.subarray(1, n + 1));
          const mean = own.reduce((a, b) => a + b) / n;
          expect(mean).toBeCloseTo(1, 9);
          expect(Math.min(...own)).toBeGreaterThan(0);
          const found = Math.sqrt(own.reduce((sum, x) => sum + (x - 1) ** 2, 0) / n);
          // Two numbers cannot vary by more than 1, three by more than the root of 2.
          const wanted = Math.min(cov, 0.9 * Math.sqrt(n - 1));
          if (Math.abs(found / wanted - 1) > 0.01) missed.add(`${n} numbers, ${cov}`);
          expect([factors[0], factors[n + 1]]).toEqual([0, 0]);
        }
      }
    }
    // Of three numbers that are to vary by almost as much as they can, the larger two may be too near to each other.
    expect([...missed].filter((which) => !/ (0.8|1.4)$/.test(which))).toEqual([]);
  });
});

describe("accounts of hours", () => {
  it("give each hour its share of any weights", () => {
    const random = new Random(3);
    const account = new HourAccount(random);
    const given = new Array<number>(24).fill(0);
    let total = 0;
    for (let i = 0; i < 2000; i++) {
      const weight = random.exponential(1) ** 2;
      const hour = account.any(random);
      account.give(hour, weight);
      given[hour] = (given[hour] as number) + weight;
      total += weight;
    }
    const order = (list: ArrayLike<number>) => Array.from(list).indexOf(Math.max(...Array.from(list)));
    expect(Math.abs(order(given) - order(LOAD))).toBeLessThanOrEqual(1);
    expect(Math.min(...given)).toBeGreaterThan(0.3 * (total / 24) * (Math.min(...LOAD) / 0.5));
  });

  it("stay near an hour when asked to", () => {
    const random = new Random(3);
    const account = new HourAccount(random);
    for (const hour of [0, 12, 23]) {
      for (let i = 0; i < 100; i++) {
        const distance = Math.abs(account.near(hour, random) - hour);
        expect(Math.min(distance, 24 - distance)).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe("placement", () => {
  it("gives every OST as many files and a load between 13 % and all of the busiest", () => {
    const random = new Random(4);
    const placement = new Placement(1, 25);
    const files = new Array<number>(25).fill(0);
    const load = new Array<number>(25).fill(0);
    for (let round = 0; round < 34; round++) {
      const bytes = Array.from({ length: 25 }, () => 100 + random.exponential(800));
      placement.round(bytes).forEach((ost, file) => {
        files[ost] = (files[ost] as number) + 1;
        load[ost] = (load[ost] as number) + (bytes[file] as number);
      });
    }
    expect(new Set(files)).toEqual(new Set([34]));
    const ratio = Math.min(...load) / Math.max(...load);
    expect(ratio).toBeGreaterThan(0.1);
    expect(ratio).toBeLessThan(0.2);
  });
});
