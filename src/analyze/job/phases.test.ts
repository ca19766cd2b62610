import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { CallTimes, GroupLevels } from "../metric/call-times.ts";
import { GroupUnions } from "../metric/group-unions.ts";
import { concurrencyOf } from "../metric/level-times.ts";
import { busyNsOf } from "../metric/sweep.ts";
import { Phases } from "./phases.ts";

interface Call {
  readonly rank: number;
  readonly start: number;
  readonly end: number;
}

const SECOND = 1e9;

function pathOf(calls: readonly Call[], ranks: number, spanSeconds = 100, apart = false) {
  const times = new CallTimes();
  for (const { rank, start, end } of calls) times.add(start * SECOND, end * SECOND, rank, 0);
  const own = (rank: number) => calls.filter((one) => one.rank === rank);
  const lives = {
    firstNs: Float64Array.from(
      { length: ranks },
      (_, rank) => SECOND * Math.min(...own(rank).map(({ start }) => start)),
    ),
    lastNs: Float64Array.from(
      { length: ranks },
      (_, rank) => SECOND * Math.max(...own(rank).map(({ end }) => end)),
    ),
  };
  const phases = new Phases(
    Uint32Array.from({ length: ranks }, (_, rank) => rank),
    {
      ranks,
      spanNs: spanSeconds * SECOND,
      ...(apart ? { lives } : {}),
    },
  );
  times.sweep([phases]);
  return phases.finish(Array.from({ length: ranks }, (_, rank) => rank));
}

describe("T and concurrency of groups", () => {
  it.each([1, 2, 3, 4])("equal a count of every nanosecond (seed %i)", (seed) => {
    const random = new Random(seed);
    const groups = 3;
    const calls = Array.from({ length: 300 }, () => {
      const start = random.below(3000);
      return { group: random.below(groups), start, end: start + random.below(40) };
    });
    const times = new CallTimes();
    for (const { group, start, end } of calls) times.add(start, end, group, 0);
    const groupOf = Uint32Array.from({ length: groups }, (_, group) => group);
    const unions = new GroupUnions(groupOf, groups);
    const levels = new GroupLevels(groupOf, groups);
    times.sweep([unions, levels]);
    for (let group = 0; group < groups; group++) {
      const level = new Float64Array(3100);
      for (const one of calls)
        if (one.group === group) for (let ns = one.start; ns < one.end; ns++) level[ns]! += 1;
      const busy = level.filter((one) => one > 0);
      expect(unions.busyOf(group)).toBe(busy.length);
      expect(busyNsOf(levels.levels(group).levelNs)).toBe(busy.length);
      const { max, mean } = concurrencyOf(levels.levels(group));
      expect(max).toBe(Math.max(...level));
      expect(mean).toBeCloseTo(busy.reduce((sum, one) => sum + one, 0) / busy.length, 9);
    }
  });

  it("are the same over many batches", () => {
    const random = new Random(5);
    const times = new CallTimes();
    const all: Call[] = [];
    for (let rank = 0; rank < 4; rank++) {
      let at = 0;
      for (let i = 0; i < 80_000; i++) {
        at += random.below(50);
        all.push({ rank, start: at, end: (at += 1 + random.below(50)) });
      }
    }
    for (const { start, end } of all) times.add(start, end, 0, 0);
    const levels = new GroupLevels(new Uint32Array(1), 1);
    const unions = new GroupUnions(new Uint32Array(1), 1);
    times.sweep([levels, unions]);
    const last = Math.max(...all.slice(-1).map(({ end }) => end)) * 2;
    const level = new Int32Array(last);
    for (const { start, end } of all) {
      level[start]! += 1;
      level[end]! -= 1;
    }
    let [now, busy, max, weighted] = [0, 0, 0, 0];
    for (const change of level) {
      now += change;
      if (now > 0) busy++;
      weighted += now;
      max = Math.max(max, now);
    }
    expect(unions.busyOf(0)).toBe(busy);
    expect(concurrencyOf(levels.levels(0))).toMatchObject({ max, mean: weighted / busy });
  });

  it("count short pauses as time in calls when there are too many calls to keep", () => {
    const times = new CallTimes(1);
    const calls = 400_000;
    for (let i = 0; i < calls; i++) times.add(2000 * i, 2000 * i + 1000, 0, 0);
    expect(times.joinedNs).toBe(1e6);
    const unions = new GroupUnions(new Uint32Array(1), 1);
    times.sweep([unions]);
    expect(unions.busyOf(0)).toBeGreaterThanOrEqual(1000 * calls);
    expect(unions.busyOf(0)).toBeLessThanOrEqual(2000 * calls);
  });
});

describe("critical I/O time", () => {
  const everyRank = (ranks: number, seconds: (rank: number) => number, at = 0): Call[] =>
    Array.from({ length: ranks }, (_, rank) => ({ rank, start: at, end: at + seconds(rank) }));

  it("is that of the slowest rank, phase by phase", () => {
    const calls = [
      ...everyRank(4, (rank) => 1 + rank, 0),
      ...everyRank(4, (rank) => 4 - rank, 20),
      ...everyRank(4, () => 2, 40),
    ];
    const path = pathOf(calls, 4);
    expect(path).toMatchObject({ seconds: 10, atOnceSeconds: 10, phases: 3 });
    // Of the last phase, in which all take the same, any one.
    expect(path.waits.get(3)).toEqual({ seconds: 4, nextSeconds: 3 });
    expect(path.waits.get(0)).toEqual({ seconds: 6, nextSeconds: 5 });
  });

  it("adds up all turns where ranks wait for one another", () => {
    const calls = Array.from({ length: 8 }, (_, rank) => ({
      rank,
      start: 1.01 * rank,
      end: 1.01 * rank + 1,
    }));
    const { seconds, atOnceSeconds } = pathOf(calls, 8);
    expect(seconds).toBeCloseTo(8, 6);
    expect(atOnceSeconds).toBeCloseTo(1, 6);
  });

  it("takes ranks that come at any time for independent of each other", () => {
    const calls = Array.from({ length: 8 }, (_, rank) => ({ rank, start: 10 * rank, end: 10 * rank + 1 }));
    expect(pathOf(calls, 8).seconds).toBe(1);
  });

  it("adds up processes that live one after another", () => {
    const calls = Array.from({ length: 8 }, (_, rank) => ({ rank, start: 10 * rank, end: 10 * rank + 1 }));
    expect(pathOf(calls, 8, 100, true)).toMatchObject({ seconds: 8, phases: 8 });
  });

  it("counts calls of a rank at the same time once", () => {
    const calls = [
      { rank: 0, start: 0, end: 2 },
      { rank: 0, start: 1, end: 3 },
      { rank: 1, start: 0, end: 1 },
    ];
    expect(pathOf(calls, 2).seconds).toBe(3);
  });

  it("leaves what one rank does before to its phase", () => {
    const calls = [{ rank: 0, start: 0, end: 1 }, ...everyRank(4, (rank) => (rank === 0 ? 1 : 3), 10)];
    expect(pathOf(calls, 4)).toMatchObject({ seconds: 3, phases: 1 });
  });

  it("is nothing without calls", () => {
    expect(pathOf([], 0)).toEqual({ seconds: 0, atOnceSeconds: 0, phases: 0, waits: new Map() });
  });
});
