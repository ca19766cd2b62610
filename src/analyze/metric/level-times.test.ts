import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { AccessRuns } from "./access-runs.ts";
import { type CallSweepInput, joinCallSlices, sweepCalls } from "./call-sweep.ts";
import { ALL_TIME, type LevelTimes, slicesOf } from "./level-times.ts";

type Interval = readonly [number, number];

/** Starts and ends of two sources whose clocks differ; the first start is at 0. */
function inputOf(list: readonly Interval[], flushEvery = Number.POSITIVE_INFINITY): CallSweepInput {
  const runs = new AccessRuns();
  const first = Math.min(...list.map(([start]) => start));
  const shift = Float64Array.of(-first, 1000 - first);
  for (const source of [0, 1]) {
    const clock = source === 0 ? 0 : 1000;
    let sinceFlush = 0;
    for (const [start, end] of list.filter((_, i) => i % 2 === source)) {
      runs.start[runs.count] = start - clock;
      runs.end[runs.count++] = end - clock;
      if (++sinceFlush % flushEvery === 0) runs.flush(source);
      if (runs.count === runs.start.length) runs.makeRoom(source);
    }
    runs.flush(source);
  }
  return { runs: runs.stored(), shift, plan: { groupings: [] } };
}

/** By sorting all events. */
function expected(list: readonly Interval[]): LevelTimes {
  const events = list.flatMap(([start, end]) => [
    [start, 0],
    [end, 1],
  ]) as [number, number][];
  events.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const levelNs: number[] = [];
  let [level, stretches, busy] = [0, 0, false];
  let at = events[0]?.[0] ?? 0;
  for (const [time, ending] of events) {
    if (time > at) {
      levelNs[level] = (levelNs[level] ?? 0) + time - at;
      if (level > 0 && !busy) stretches++;
      busy = level > 0;
      at = time;
    }
    level += ending === 1 ? -1 : 1;
  }
  return { levelNs: Float64Array.from(levelNs, (ns) => ns ?? 0), stretches };
}

/** Idle time is not compared: an edge may lie behind the last end. */
function check(found: LevelTimes, list: readonly Interval[]): void {
  const { levelNs, stretches } = expected(list);
  expect(found.stretches).toBe(stretches);
  const most = Math.max(found.levelNs.length, levelNs.length);
  const padded = (values: Float64Array) =>
    Array.from({ length: most }, (_, level) => values[level] ?? 0).slice(1);
  expect(padded(found.levelNs)).toEqual(padded(levelNs));
}

const inSlices = (input: CallSweepInput, edges: readonly number[]) =>
  joinCallSlices(
    [0, ...edges].map((fromNs, at) =>
      sweepCalls(input, { fromNs, toNs: edges[at] ?? Number.POSITIVE_INFINITY }),
    ),
  );

describe("time at each level", () => {
  it("is the same however time is cut", () => {
    const interval = fc
      .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 20 }))
      .map(([start, length]): Interval => [start, start + length]);
    const edges = fc
      .uniqueArray(fc.integer({ min: 1, max: 130 }), { maxLength: 5 })
      .map((list) => list.sort((a, b) => a - b));
    fc.assert(
      fc.property(
        fc.array(interval, { minLength: 1, maxLength: 40 }),
        edges,
        fc.integer({ min: 1, max: 9 }),
        (list, cuts, flushEvery) => {
          check(sweepCalls(inputOf(list, flushEvery), ALL_TIME), list);
          check(inSlices(inputOf(list, flushEvery), cuts), list);
          const input = inputOf(list, flushEvery);
          check(
            joinCallSlices(slicesOf(input.runs, input.shift, 3).map((slice) => sweepCalls(input, slice))),
            list,
          );
        },
      ),
      { numRuns: 400 },
    );
  });

  it.each([
    ["shuffled", (random: Random) => [Math.floor(random.unit() * 4e9), 20_000]],
    ["over weeks", (random: Random) => [Math.floor(random.unit() * 4e15), 3e9]],
    [
      "all in one second but one",
      (random: Random, i: number) => [i === 7 ? 3e15 : Math.floor(random.unit() * 1e9), 90],
    ],
    ["at few times", (random: Random) => [Math.floor(random.unit() * 3) * 1e9, 10]],
    ["in order, with long accesses", (_: Random, i: number) => [i * 10, i % 1000 === 0 ? 30_000 : 7]],
    ["all ends far behind all starts", (_: Random, i: number) => [i, 5e9 + ((i * 7919) % 1000)]],
  ] as const)("of many chunks %s equals a plain sort", (_, make) => {
    const random = new Random(11);
    const list = Array.from({ length: 150_000 }, (_, i): Interval => {
      const [start = 0, length = 0] = make(random, i);
      return [start, start + Math.floor(random.unit() * length)];
    });
    const first = list.reduce((least, [start]) => Math.min(least, start), Number.POSITIVE_INFINITY);
    const shifted = list.map(([start, end]): Interval => [start - first, end - first]);
    const input = inputOfLarge(shifted);
    check(sweepCalls(input, ALL_TIME), shifted);
    const slices = slicesOf(input.runs, input.shift, 3);
    expect(slices.length).toBeLessThanOrEqual(3);
    check(joinCallSlices(slices.map((slice) => sweepCalls(input, slice))), shifted);
  });
});

function inputOfLarge(list: readonly Interval[]): CallSweepInput {
  const runs = new AccessRuns({ shared: true });
  list.forEach(([start, end], i) => {
    runs.start[runs.count] = start;
    runs.end[runs.count++] = end;
    if (runs.count === runs.start.length) runs.makeRoom(0);
    if (i % 40_000 === 39_999) runs.flush(0);
  });
  runs.flush(0);
  return { runs: runs.stored(), shift: Float64Array.of(0), plan: { groupings: [] } };
}
