import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AccessRuns } from "./access-runs.ts";
import { joinCallSlices, type CallSweepInput, sweepCalls } from "./call-sweep.ts";
import { ALL_TIME, slicesOf } from "./level-times.ts";

interface Call {
  readonly start: number;
  readonly length: number;
  readonly tally: number;
}

const TALLIES = 4;
/** Short and long calls, some without duration, some that all end late. */
const call = fc.record({
  start: fc.integer({ min: 0, max: 3000 }),
  length: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 4000 })),
  tally: fc.integer({ min: 0, max: TALLIES - 1 }),
});
const calls = fc.array(call, { minLength: 1, maxLength: 80 });

function inputOf(list: readonly Call[], flushEvery: number, scale: number): CallSweepInput {
  const runs = new AccessRuns();
  const first = Math.min(...list.map(({ start }) => start));
  let lastEndNs = 0;
  list.forEach(({ start, length, tally }, at) => {
    const row = runs.count++;
    runs.start[row] = (start - first) * scale;
    runs.end[row] = (start - first + length) * scale;
    runs.tally[row] = tally;
    runs.bytes[row] = 1;
    lastEndNs = Math.max(lastEndNs, runs.end[row] as number);
    if (at % flushEvery === flushEvery - 1) runs.flush(0);
  });
  runs.flush(0);
  const groupings = [
    { groupOf: new Uint32Array(TALLIES), groups: 1 },
    { groupOf: Uint32Array.of(0, 1, 1, 2), groups: 3 },
  ];
  const picture = {
    lanes: 2,
    laneOf: Uint32Array.of(0, 0, 1, 1),
    writes: Uint8Array.of(0, 1, 0, 1),
    lastEndNs,
  };
  return { runs: runs.stored(), shift: new Float64Array(1), plan: { groupings, picture } };
}

function unionOf(list: readonly Call[], scale: number): number {
  const busy = new Set<number>();
  for (const { start, length } of list) for (let ns = start; ns < start + length; ns++) busy.add(ns);
  return busy.size * scale;
}

describe("a sweep of accesses", () => {
  it("is the same however time is cut, and has T of groups by count", () => {
    fc.assert(
      fc.property(
        calls,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(1, 1e6),
        fc.uniqueArray(fc.integer({ min: 1, max: 7000 }), { maxLength: 4 }),
        (list, flushEvery, scale, cuts) => {
          const input = inputOf(list, flushEvery, scale);
          const whole = joinCallSlices([sweepCalls(input)]);
          const edges = [
            0,
            ...cuts.sort((a, b) => a - b).map((cut) => cut * scale),
            Number.POSITIVE_INFINITY,
          ];
          const slices = edges.slice(1).map((toNs, at) => ({ fromNs: edges[at] as number, toNs }));
          for (const some of [slices, slicesOf(input.runs, input.shift, 3)]) {
            const cut = joinCallSlices(some.map((slice) => sweepCalls(input, slice)));
            // Idle time behind the last access is in the slices only.
            expect([...cut.levelNs.subarray(1)].filter(Boolean)).toEqual(
              [...whole.levelNs.subarray(1)].filter(Boolean),
            );
            expect({ ...cut, levelNs: 0 }).toEqual({ ...whole, levelNs: 0 });
          }
          const { groupNs } = sweepCalls(input, ALL_TIME);
          expect([...(groupNs[0] as Float64Array)]).toEqual([unionOf(list, scale)]);
          const byGroup = [[0], [1, 2], [3]].map((own) =>
            unionOf(
              list.filter(({ tally }) => own.includes(tally)),
              scale,
            ),
          );
          expect([...(groupNs[1] as Float64Array)]).toEqual(byGroup);
          const total = list.reduce((sum, { length }) => sum + length * scale, 0);
          const laneNs = whole.picture?.laneNs.reduce((sum, ns) => sum + ns, 0);
          expect(laneNs).toBe(total);
          expect(whole.picture?.accessNs.reduce((sum, ns) => sum + ns, 0)).toBe(total);
          expect(whole.picture?.busyNs.reduce((sum, ns) => sum + ns, 0)).toBe(unionOf(list, scale));
        },
      ),
      { numRuns: 150 },
    );
  });
});
