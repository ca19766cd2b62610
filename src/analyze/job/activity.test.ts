import { describe, expect, it } from "vitest";
import type { HeatRow } from "../../model/streams.ts";
import { activityOfTrace, HeatBuilder } from "./activity.ts";
import { TimeGrid } from "./time-grid.ts";

const row = (layer: string, rank: number, written: readonly number[], binSeconds = 1): HeatRow => ({
  runId: "run",
  layer,
  rank,
  binSeconds,
  bytesRead: Float64Array.from(written, (bytes) => 2 * bytes),
  bytesWritten: Float64Array.from(written),
});

const near = (values: Float64Array) => Array.from(values, (value) => Math.round(value * 1e6) / 1e6);

function single(ranks: number, rows: readonly HeatRow[]) {
  const heats = new HeatBuilder(ranks, 4, true);
  for (const one of rows) heats.add(one, one.rank, 0);
  return heats.finish();
}

describe("heat maps", () => {
  it("of one log keep their own bins", () => {
    const activity = single(3, [row("POSIX", 0, [1, 0, 2, 0]), row("POSIX", 2, [0, 5, 0, 7])]);
    expect(activity).toMatchObject({
      source: "HEATMAP",
      layer: "POSIX",
      binSeconds: 1,
      rows: 3,
      ranksPerRow: 1,
    });
    expect([...activity!.bytesWritten]).toEqual([1, 5, 2, 7]);
    expect([...activity!.bytesRead]).toEqual([2, 10, 4, 14]);
    expect(activity!.rankBytesWritten).toEqual(
      new Map([
        [0, 3],
        [2, 12],
      ]),
    );
    expect([...activity!.cellsWritten]).toEqual([1, 0, 2, 0, 0, 0, 0, 0, 0, 5, 0, 7]);
  });

  it("add up the layers that move data, and show MPI-IO only without them", () => {
    const mpi = row("MPI-IO", 0, [9, 9]);
    expect([...single(1, [mpi, row("POSIX", 0, [1, 2]), row("STDIO", 0, [0, 3])])!.bytesWritten]).toEqual([
      1, 5,
    ]);
    expect(single(1, [mpi])).toMatchObject({ layer: "MPI-IO" });
    // A layer that was recorded without a byte says nothing.
    expect(single(1, [mpi, row("POSIX", 0, [0, 0])])).toMatchObject({ layer: "MPI-IO" });
    expect(single(1, [row("POSIX", 0, [0, 0])])).toBeUndefined();
    expect(single(1, [])).toBeUndefined();
  });

  it("count DAOS below DFS once, and DAOS by itself with the others", () => {
    const dfs = row("DFS", 0, [4, 0]);
    const daos = row("DAOS", 0, [4, 1]);
    const stdio = row("STDIO", 0, [0, 2]);
    const both = single(1, [daos, dfs, stdio]);
    expect(both).toMatchObject({ layer: "STDIO + DFS" });
    expect([...both!.bytesWritten]).toEqual([4, 2]);
    const alone = single(1, [stdio, daos]);
    expect(alone).toMatchObject({ layer: "STDIO + DAOS" });
    expect([...alone!.bytesWritten]).toEqual([4, 3]);
    expect(alone!.rankBytesWritten).toEqual(new Map([[0, 7]]));
    expect([...single(1, [daos])!.bytesWritten]).toEqual([4, 1]);
  });

  it("of several logs are moved to the time and rank of each, without a byte lost", () => {
    const heats = new HeatBuilder(2, 20, false);
    heats.add(row("POSIX", 0, [100, 0, 0, 50]), 0, 0);
    heats.add(row("POSIX", 0, [10, 20]), 1, 10);
    const activity = heats.finish()!;
    expect(activity.binSeconds).toBeCloseTo(0.1, 12);
    const seconds = Array.from({ length: 20 }, (_, second) =>
      activity.bytesWritten.slice(10 * second, 10 * second + 10).reduce((a, b) => a + b, 0),
    );
    expect(near(Float64Array.from(seconds))).toEqual([
      100, 0, 0, 50, 0, 0, 0, 0, 0, 0, 10, 20, 0, 0, 0, 0, 0, 0, 0, 0,
    ]);
    expect(activity.rankBytesRead).toEqual(
      new Map([
        [0, 300],
        [1, 60],
      ]),
    );
  });

  it("group ranks when there are many", () => {
    const heats = new HeatBuilder(1000, 1, true);
    for (let rank = 0; rank < 1000; rank++) heats.add(row("POSIX", rank, [rank]), rank, 0);
    const activity = heats.finish()!;
    expect(activity).toMatchObject({ rows: 125, ranksPerRow: 8 });
    expect(activity.cellsWritten[1]).toBe(8 + 9 + 10 + 11 + 12 + 13 + 14 + 15);
    expect(activity.bytesWritten[0]).toBe((999 * 1000) / 2);
    expect(activity.rankBytesWritten.get(999)).toBe(999);
  });

  it("take memory for what they hold, not for the ranks or bins that a log claims", () => {
    const heats = new HeatBuilder(2 ** 31 - 1, 1, true);
    heats.add(row("POSIX", 2 ** 31 - 2, [7]), 2 ** 31 - 2, 0);
    const activity = heats.finish()!;
    expect(activity).toMatchObject({ rows: 128, ranksPerRow: 2 ** 24 });
    expect(activity.rankBytesWritten).toEqual(new Map([[2 ** 31 - 2, 7]]));

    const bins = new Array<number>(100_000).fill(0).fill(1, 50_000, 50_500);
    const wide = single(1, [row("POSIX", 0, bins, 0.001)])!;
    expect(wide.bytesWritten).toHaveLength(101);
    expect(near(wide.bytesWritten.slice(99))).toEqual([0, 500]);
  });

  it("end with the run, unless bytes were counted later", () => {
    const ranks = [row("POSIX", 0, [1, 2, 3, 0, 0, 0, 0, 0]), row("POSIX", 1, [4, 5, 6, 7, 0, 0, 0, 0])];
    const activity = single(2, ranks)!;
    expect([...activity.cellsWritten]).toEqual([1, 2, 3, 0, 4, 5, 6, 7]);
    expect([...activity.bytesWritten]).toEqual([5, 7, 9, 7]);
    expect(single(1, [row("POSIX", 0, [1, 0, 0, 0, 0, 9, 0])])!.bytesWritten).toHaveLength(6);
  });

  it("leave out rows that make no sense", () => {
    const activity = single(2, [
      row("POSIX", 0, [1]),
      row("POSIX", 2, [100]),
      row("POSIX", 1, [100], 0),
      row("POSIX", 1, [100], Number.NaN),
      row("POSIX", 1, [100], 1e300),
      row("POSIX", 1, [100], Number.POSITIVE_INFINITY),
      row("POSIX", 1, []),
    ]);
    expect([...activity!.bytesWritten]).toEqual([1]);
  });
});

describe("traces", () => {
  it("become columns eight times as wide", () => {
    const grid = new TimeGrid(2, 16, 4, 32);
    for (let column = 0; column < 16; column++)
      grid.spread(column % 2, 2 * column, 2 * column + 2, [1, column, 100 * column, 2]);
    const activity = activityOfTrace(
      {
        grid,
        ranksPerLane: 4,
        layer: "POSIX",
        rankBytesRead: new Map([[0, 1]]),
        rankBytesWritten: new Map([[1, 4]]),
      },
      "DXT",
    );
    expect(activity).toMatchObject({ source: "DXT", binSeconds: 16, rows: 2, ranksPerRow: 4 });
    // 0 + 2 + 4 + 6, 8 + … + 14; then the odd ones.
    expect(near(activity.cellsRead)).toEqual([12, 44, 16, 48]);
    expect(near(activity.bytesRead)).toEqual([28, 92]);
    expect(near(activity.bytesWritten)).toEqual([2800, 9200]);
  });
});
