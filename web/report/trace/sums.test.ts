import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsFrom } from "../../../src/report/trace/test-kit.ts";
import { buildLaneIndex, visibleEntries } from "./lane-index.ts";
import { timeTicks } from "./ruler.ts";
import { addEntries, newSums } from "./sums.ts";

const calls = fc
  .array(
    fc.record({
      start: fc.integer({ min: 0, max: 1000 }),
      length: fc.integer({ min: 0, max: 400 }),
      bytes: fc.integer({ min: 0, max: 1e6 }),
      rank: fc.integer({ min: 0, max: 3 }),
      write: fc.integer({ min: 0, max: 1 }),
    }),
    { maxLength: 60 },
  )
  .map((list) =>
    list.map((call) => ({ ...call, end: call.start + call.length, offset: 0, file: 0, layer: 0 })),
  );
const window = fc
  .tuple(fc.integer({ min: 0, max: 1200 }), fc.integer({ min: 1, max: 500 }))
  .map(([from, length]) => [from, from + length] as const);

describe("calls by lane", () => {
  it("finds every call of a window", () => {
    fc.assert(
      fc.property(calls, window, (list, [t0, t1]) => {
        const columns = callsFrom(list);
        const index = buildLaneIndex(columns, 0, 4, (i) => columns.rank[i]!);
        for (let lane = 0; lane < 4; lane++) {
          const [from, to] = visibleEntries(index, lane, t0, t1);
          const found = [...index.call.subarray(from, to)].filter((i) => columns.endSeconds[i]! >= t0);
          const expected = [...columns.rank.keys()].filter(
            (i) => columns.rank[i] === lane && columns.startSeconds[i]! <= t1 && columns.endSeconds[i]! >= t0,
          );
          expect(found).toEqual(expected);
        }
      }),
    );
  });

  it("sums per column what each call has there", () => {
    fc.assert(
      fc.property(calls, window, fc.integer({ min: 1, max: 50 }), (list, [t0, t1], width) => {
        const columns = callsFrom(list);
        const index = buildLaneIndex(columns, 0, 1, () => 0);
        const sums = newSums(width);
        const [from, to] = visibleEntries(index, 0, t0, t1);
        addEntries(index, from, to, { t0, columnsPerSecond: width / (t1 - t0) }, "time", sums);
        for (let c = 0; c < width; c++) {
          const left = t0 + (c * (t1 - t0)) / width;
          const right = t0 + ((c + 1) * (t1 - t0)) / width;
          for (const write of [0, 1]) {
            const inside = list
              .filter((call) => call.write === write)
              .map((call) => Math.max(0, Math.min(call.end, right) - Math.max(call.start, left)));
            const expected = inside.reduce((sum, part) => sum + part, 0) / (right - left);
            expect((write === 1 ? sums.write : sums.read)[c]).toBeCloseTo(expected, 6);
          }
        }
      }),
    );
  });
});

describe("ticks", () => {
  it("are few, in order and within the window, with labels that differ", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e5, noNaN: true }),
        fc.double({ min: -6, max: 5, noNaN: true }),
        (t0, power) => {
          const t1 = t0 + 10 ** power;
          const { values, label } = timeTicks(t0, t1, 10);
          expect(values.length).toBeLessThanOrEqual(12);
          expect(values.length).toBeGreaterThanOrEqual(1);
          expect(new Set(values.map(label)).size).toBe(values.length);
        },
      ),
    );
  });
});
