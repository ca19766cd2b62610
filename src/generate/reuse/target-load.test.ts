import { describe, expect, it } from "vitest";
import { plantedRemovals } from "./removals.ts";
import { playTransfers, Transfers } from "./target-load.ts";

/** Runs of [start of reads, reads alone, start of writes, writes alone, demand, first target, width]. */
function transfersOf(...runs: [number, number, number, number, number, number, number][]): Transfers {
  const transfers = new Transfers();
  for (const [start, read, later, write, demand, first, width] of runs) {
    transfers.add({ start, alone: read }, { start: later, alone: write }, { demand, first, width });
  }
  return transfers;
}

const secondsOf = (transfers: Transfers, slope: number) => {
  const { start, end } = playTransfers(transfers, 4, slope);
  return Array.from(start, (from, i) => (end[i] as number) - from);
};

describe("transfers on targets", () => {
  it("take as long as alone when nobody is there", () => {
    const alone = transfersOf([0, 10, 50, 5, 0.5, 0, 1], [20, 10, 80, 5, 0.5, 0, 1], [0, 9, 50, 0, 1, 1, 1]);
    expect(secondsOf(alone, 2)).toEqual([10, 5, 10, 5, 9, 0]);
  });

  it("are slowed down by what the others want, by the slope, and only meanwhile", () => {
    // Ten seconds alone each; the first has five of them to itself.
    const two = transfersOf([0, 10, 100, 0, 0.5, 0, 1], [5, 10, 100, 0, 0.25, 0, 1]);
    const [first, , second] = secondsOf(two, 2);
    // 5 s left at 1 + 2 × 0.25; meanwhile the other does 7.5 / (1 + 2 × 0.5).
    expect(first).toBeCloseTo(5 + 5 * 1.5, 9);
    expect(second).toBeCloseTo(7.5 + (10 - 7.5 / 2), 9);
    expect(secondsOf(two, 0)).toEqual([10, 0, 10, 0]);
  });

  it("over several targets go at the pace of the most loaded one", () => {
    const wide = transfersOf([0, 10, 100, 0, 0.1, 3, 2], [0, 40, 100, 0, 0.5, 0, 1]);
    expect(secondsOf(wide, 2)[0]).toBeCloseTo(20, 9);
  });

  it("write when the reads of their run are done", () => {
    const late = transfersOf([0, 10, 12, 4, 0.5, 0, 1], [0, 20, 100, 0, 0.5, 0, 1]);
    const { start, end } = playTransfers(late, 4, 1);
    expect(start[1]).toBe(end[0]);
  });

  it("never get more than a target has, with a slope of 1 and more", () => {
    for (const count of [2, 5, 20]) {
      const many = transfersOf(
        ...Array.from({ length: count }, (): [number, number, number, number, number, number, number] => [
          0, 10, 1e6, 0, 1, 0, 1,
        ]),
      );
      // Each moves ten seconds of a whole target.
      expect(secondsOf(many, 1)[0]).toBeGreaterThanOrEqual(10 * count - 1e-9);
    }
  });

  it("have removals whose effect is that of a play without them", () => {
    const three = transfersOf(
      [0, 100, 1e6, 0, 0.8, 0, 1],
      [10, 20, 1e6, 0, 0.1, 0, 1],
      [0, 50, 1e6, 0, 0.8, 1, 1],
    );
    const [removal, ...others] = plantedRemovals(three, playTransfers(three, 4, 2), 4, 2);
    expect(others).toEqual([]);
    expect(removal?.run).toBe(0);
    expect(removal?.changed).toHaveLength(1);
    expect(removal?.changed[0]).toMatchObject({ run: 1, without: 20 });
    expect(removal?.changed[0]?.seconds).toBeCloseTo(52, 9);
  });
});
