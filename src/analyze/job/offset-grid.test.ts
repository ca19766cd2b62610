import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { OffsetGrid } from "./offset-grid.ts";
import { SoundCalls } from "./run-calls.ts";

const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);

interface Access {
  readonly isWrite: boolean;
  readonly offset: number;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
}

function accesses(seed: number, reach: number, seconds: number): Access[] {
  const random = new Random(seed);
  return Array.from({ length: 300 }, () => {
    const start = random.unit() * seconds;
    return {
      isWrite: random.below(2) === 0,
      offset: random.below(reach),
      bytes: random.below([1, 100, 5000, reach][random.below(4)] as number),
      start,
      end: Math.min(seconds, start + random.unit() * random.unit() * seconds),
    };
  });
}

function filled(seconds: number, list: readonly Access[]): OffsetGrid {
  const grid = new OffsetGrid(seconds);
  for (const one of list) grid.add(one.isWrite, calls(one));
  return grid;
}

function calls({ offset, bytes, start, end }: Omit<Access, "isWrite">): SoundCalls {
  return Object.assign(new SoundCalls(), {
    ...{ count: 1, endOffset: offset + bytes, lastEndNs: end * 1e9 },
    ...{ startNs: Float64Array.of(start * 1e9), endNs: Float64Array.of(end * 1e9) },
    ...{ bytes: Float64Array.of(bytes), offset: Float64Array.of(offset) },
  });
}

describe("OffsetGrid", () => {
  it.each([
    [1, 10_000, 1],
    [2, 1_000_000, 60],
    [3, 1e12, 3600],
    [4, 50_000_000, Number.NaN],
  ])("keeps the bytes of each direction (seed %i, offsets to %d, %d s)", (seed, reach, seconds) => {
    const list = accesses(seed, reach, seconds || 17);
    const grid = filled(seconds, list);
    for (const isWrite of [false, true]) {
      const expected = sum(list.filter((one) => one.isWrite === isWrite).map(({ bytes }) => bytes));
      expect(sum(isWrite ? grid.written : grid.read) / expected).toBeCloseTo(1, 9);
    }
    const end = Math.max(...list.map(({ offset, bytes }) => offset + bytes));
    expect(grid.endOffset).toBeGreaterThanOrEqual(end);
    expect(grid.endOffset === 65536 || grid.endOffset / 2 < end).toBe(true);
    if (Number.isNaN(seconds))
      expect(grid.seconds).toBeGreaterThanOrEqual(Math.max(...list.map((one) => one.end)));
  });

  it("puts each byte into its row, also after rows were joined", () => {
    const list = accesses(5, 3_000_000, 10);
    const grid = filled(10, list);
    const rowBytes = grid.endOffset / grid.rows;
    const rows = (plane: Float64Array) =>
      Array.from({ length: grid.rows }, (_, row) =>
        sum(plane.subarray(row * grid.columns, (row + 1) * grid.columns)),
      );
    for (const isWrite of [false, true]) {
      const expected = new Float64Array(grid.rows);
      for (const { offset, bytes } of list.filter((one) => one.isWrite === isWrite))
        for (let row = 0; row < grid.rows; row++)
          expected[row] =
            (expected[row] as number) +
            Math.max(0, Math.min(offset + bytes, (row + 1) * rowBytes) - Math.max(offset, row * rowBytes));
      rows(isWrite ? grid.written : grid.read).forEach((bytes, row) => {
        expect(bytes).toBeCloseTo(expected[row] as number, 1);
      });
    }
  });

  it("marks the columns from start to end, and no others", () => {
    const grid = new OffsetGrid(256);
    grid.add(true, calls({ offset: 0, bytes: 600, start: 10.2, end: 12.7 }));
    const touched = [...grid.written.keys()].filter((cell) => (grid.written[cell] as number) > 0);
    expect(touched).toEqual([10, 11, 12]);
    expect(grid.written[11]).toBe(200);
    // Nothing of it in the other direction; a call at the very end and one beyond it stay in the last column.
    expect(sum(grid.read)).toBe(0);
    grid.add(false, calls({ offset: 0, bytes: 8, start: 256, end: 300 }));
    expect(grid.read[255]).toBe(8);
  });
});
