import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { TimeGrid } from "./time-grid.ts";

const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);

interface Span {
  readonly lane: number;
  readonly start: number;
  readonly end: number;
  readonly amounts: readonly [number, number];
}

function spans(seed: number, count: number, lanes: number, seconds: number): Span[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const start = random.unit() * seconds;
    // Some take no time at all, some most of the run.
    const length = [0, 1e-9, 0.01, 1][random.below(4)] as number;
    const end = Math.min(seconds, start + length * random.unit() * seconds);
    return { lane: random.below(lanes), start, end, amounts: [1, random.below(1e6)] };
  });
}

/** The share of a span that lies in each column, by its overlap. */
function overlapped(list: readonly Span[], lanes: number, columns: number, seconds: number): Float64Array {
  const cells = new Float64Array(lanes * columns);
  const width = seconds / columns;
  for (const { lane, start, end, amounts } of list)
    for (let column = 0; column < columns; column++) {
      const overlap = Math.min(end, (column + 1) * width) - Math.max(start, column * width);
      if (overlap > 0 && end > start)
        cells[lane * columns + column] =
          (cells[lane * columns + column] as number) + (amounts[1] * overlap) / (end - start);
    }
  return cells;
}

function filled(grid: TimeGrid, list: readonly Span[]): TimeGrid {
  for (const { lane, start, end, amounts } of list) grid.spread(lane, start, end, amounts);
  return grid;
}

describe("TimeGrid", () => {
  it("spreads by hand-counted shares", () => {
    const grid = new TimeGrid(1, 4, 1, 8);
    grid.spread(0, 1, 5, [100]);
    expect([...(grid.planes[0] as Float64Array)]).toEqual([25, 50, 25, 0]);
    // On a border without length: the column that begins there.
    grid.spread(0, 6, 6, [7]);
    // Ends on a border: nothing beyond it.
    grid.spread(0, 0, 2, [3]);
    expect([...(grid.planes[0] as Float64Array)]).toEqual([28, 50, 25, 7]);
  });

  it("puts what lies beyond a known end into the last column", () => {
    const grid = new TimeGrid(1, 4, 1, 8);
    grid.spread(0, 9, 20, [5]);
    grid.spread(0, 6, 10, [8]);
    expect(grid.seconds).toBe(8);
    expect([...(grid.planes[0] as Float64Array)]).toEqual([0, 0, 0, 13]);
  });

  it.each([1, 2, 3, 4, 5])("keeps all sums, and each cell is its overlap (seed %i)", (seed) => {
    const [lanes, columns, seconds] = [3, 16, 10];
    const list = spans(seed, 300, lanes, seconds);
    const grid = filled(new TimeGrid(lanes, columns, 2, seconds), list);
    expect(sum(grid.planes[0] as Float64Array)).toBeCloseTo(list.length, 6);
    expect(sum(grid.planes[1] as Float64Array)).toBeCloseTo(sum(list.map(({ amounts }) => amounts[1])), 2);
    const moving = list.filter(({ start, end }) => end > start);
    const cells = filled(new TimeGrid(lanes, columns, 2, seconds), moving).planes[1] as Float64Array;
    overlapped(moving, lanes, columns, seconds).forEach((expected, cell) => {
      expect(cells[cell]).toBeCloseTo(expected, 3);
    });
  });

  it.each([1, 2, 3])("an axis that grows ends up as one that was long from the start (seed %i)", (seed) => {
    const [lanes, columns] = [2, 32];
    const list = spans(seed, 200, lanes, 20).filter(({ start, end }) => end > start);
    const grown = filled(new TimeGrid(lanes, columns, 2, Number.NaN), list);
    // 0.001 s doubled until it reaches the last end.
    const latest = Math.max(...list.map(({ end }) => end));
    expect(grown.seconds).toBeGreaterThanOrEqual(latest);
    expect(grown.seconds / 2).toBeLessThan(latest);
    expect(Math.log2(grown.seconds / 0.001) % 1).toBeCloseTo(0, 9);
    const fixed = filled(new TimeGrid(lanes, columns, 2, grown.seconds), list);
    for (const [index, plane] of grown.planes.entries())
      plane.forEach((value, cell) => {
        expect(value).toBeCloseTo(fixed.planes[index]?.[cell] as number, 3);
      });
  });

  it("reach makes a growing axis longer and leaves a known one alone", () => {
    const growing = new TimeGrid(1, 4, 1, Number.NaN);
    growing.spread(0, 0, 0.001, [4]);
    growing.reach(0.004);
    expect(growing.seconds).toBe(0.004);
    expect([...(growing.planes[0] as Float64Array)]).toEqual([4, 0, 0, 0]);
    const known = new TimeGrid(1, 4, 1, 2);
    known.reach(100);
    expect(known.seconds).toBe(2);
  });

  it("foldLane moves a lane into another", () => {
    const list = spans(9, 50, 3, 1);
    const grid = filled(new TimeGrid(3, 8, 2, 1), list);
    const before = (grid.planes[1] as Float64Array).slice();
    grid.foldLane(0, 2);
    const after = grid.planes[1] as Float64Array;
    for (let column = 0; column < 8; column++) {
      expect(after[column]).toBe(0);
      expect(after[8 + column]).toBe(before[8 + column]);
      expect(after[16 + column]).toBe((before[16 + column] as number) + (before[column] as number));
    }
  });
});
