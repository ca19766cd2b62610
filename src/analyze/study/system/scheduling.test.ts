import { describe, expect, it } from "vitest";
import { lightJobs } from "./b19-light-jobs.ts";
import { LocalClock } from "./clock.ts";
import type { Prepared } from "./prepare.ts";
import { type QueuedJobs, schedulingOf } from "./scheduling.ts";

const DAY = 86_400;
const HOUR = 3600;
const MINUTE = 60;

interface Planted {
  readonly day: number;
  readonly user: number;
  /** Seconds of the day. */
  readonly submit: number;
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
  readonly nodes?: number;
}

const queued = (jobs: readonly Planted[]): QueuedJobs => ({
  submit: Float64Array.from(jobs, (one) => one.day * DAY + one.submit),
  start: Float64Array.from(jobs, (one) => one.day * DAY + one.start),
  end: Float64Array.from(jobs, (one) => one.day * DAY + one.end),
  nodes: Float64Array.from(jobs, (one) => one.nodes ?? 8),
  user: Uint32Array.from(jobs, (one) => one.user),
  bytes: Float64Array.from(jobs, (one) => one.bytes),
  day: Int32Array.from(jobs, (one) => one.day),
});

const [TOP, HEAVY, LIGHT] = [0, 1, 2];

/** A day: the top user from 10 to 11 h, another heavy job inside that hour, a light one that waits until after it. */
function day(at: number, waits = true, light = LIGHT): Planted[] {
  const ten = 10 * HOUR;
  return [
    { day: at, user: TOP, submit: ten - MINUTE, start: ten, end: ten + HOUR, bytes: 1000 },
    {
      ...{ day: at, user: HEAVY, submit: ten, start: ten + 10 * MINUTE },
      ...{ end: ten + 40 * MINUTE, bytes: 600 },
    },
    {
      ...{ day: at, user: light, submit: waits ? ten + 5 * MINUTE : ten + 70 * MINUTE },
      ...{ start: ten + 70 * MINUTE, end: ten + 100 * MINUTE, bytes: 10 },
    },
  ];
}
const days = (count: number, ...more: [waits?: boolean]) =>
  Array.from({ length: count }, (_, at) => day(at, ...more)).flat();

describe("light jobs beside heavy users", () => {
  it("moves what the closed form says, where a light job waits each day", () => {
    const found = schedulingOf(queued(days(40)));
    expect(found.besideJobs).toBe(40);
    expect(found.besideBytes).toBeCloseTo(40 * 600, 6);
    // The light job then runs beside the heavy user, so its bytes come back.
    expect(found.best).toMatchObject({ exchanges: 40, delaySeconds: 40 * HOUR });
    expect(found.best.movedBytes).toBeCloseTo(40 * (600 - 10), 6);
    // Nothing is known of the first day: neither who is heavy nor what a user's jobs are.
    expect(found.forecast.exchanges).toBe(39);
    expect(found.forecast.movedBytes).toBeCloseTo(39 * (600 - 10), 6);
    expect([found.saidLight, found.rightlyLight, found.light]).toEqual([39, 39, 40]);
  });

  it("counts bytes by the time that runs share", () => {
    const ten = 10 * HOUR;
    const half = queued([
      { day: 0, user: TOP, submit: ten, start: ten, end: ten + HOUR, bytes: 1000 },
      { day: 0, user: HEAVY, submit: ten, start: ten + HOUR / 2, end: ten + 1.5 * HOUR, bytes: 800 },
      { day: 0, user: LIGHT, submit: ten, start: ten, end: ten + HOUR, bytes: 0 },
    ]);
    expect(schedulingOf(half).besideBytes).toBeCloseTo(400, 6);
  });

  it("exchanges nothing where no light job waits, or only on other nodes", () => {
    expect(schedulingOf(queued(days(40, false)))).toMatchObject({
      besideJobs: 40,
      best: { exchanges: 0 },
      forecast: { exchanges: 0, movedBytes: 0 },
    });
    const other = days(40).map((one) => (one.user === LIGHT ? { ...one, nodes: 4 } : one));
    expect(schedulingOf(queued(other)).best.exchanges).toBe(0);
  });

  it("moves load to heavy users where the last job says the wrong thing", () => {
    // Both users' jobs change from heavy to light and back every day, so each forecast is wrong.
    const jobs = Array.from({ length: 40 }, (_, at) =>
      day(at).map((one) => {
        if (one.user === TOP || at % 2 === 0) return one;
        return { ...one, bytes: one.user === HEAVY ? 10 : 600 };
      }),
    ).flat();
    const found = schedulingOf(queued(jobs));
    expect(found.forecast.exchanges).toBeGreaterThan(10);
    expect(found.forecast.movedBytes).toBeLessThan(0);
    expect(found.rightlyLight).toBe(0);
  });

  it("takes no job that was submitted afterwards, and each job once", () => {
    const ten = 10 * HOUR;
    const second = days(5).flatMap((one) =>
      one.user === HEAVY ? [one, { ...one, user: 3, start: ten + 11 * MINUTE }] : [one],
    );
    const found = schedulingOf(queued(second));
    expect(found.besideJobs).toBe(10);
    expect(found.best.exchanges).toBe(5);
  });
});

describe("the verdict of the test", () => {
  const prepared = (jobs: readonly Planted[]): Prepared => {
    const columns = queued(jobs);
    return {
      jobs: {
        ...columns,
        cluster: new Uint8Array(jobs.length),
        duration: columns.end.map((end, i) => end - (columns.start[i] as number)),
        read: new Float64Array(jobs.length),
        written: columns.bytes,
      },
      counted: Uint32Array.from(jobs.keys()),
      clock: new LocalClock("UTC", 0, 100 * DAY),
      options: { seed: 1, replicates: 200, level: 0.95 },
    } as unknown as Prepared;
  };

  it("helps where it must, and does not where nothing waits", () => {
    const helped = lightJobs(prepared(days(40)));
    expect(helped.verdict).toBe("helps");
    expect(helped.movedShare).toBeCloseTo((39 * 590) / (40 * 600), 10);
    expect(helped.interval.low).toBeGreaterThan(0.8);
    expect(lightJobs(prepared(days(40, false))).verdict).toBe("does not help");
  });

  it("says nothing of few jobs, or where nobody knows when they were submitted", () => {
    expect(lightJobs(prepared(days(10))).verdict).toBe("not enough data");
    const unknown = days(40).map((one) => ({ ...one, submit: Number.NaN }));
    expect(lightJobs(prepared(unknown)).verdict).toBe("not enough data");
    expect(lightJobs(prepared([])).verdict).toBe("not enough data");
  });
});
