import { describe, expect, it } from "vitest";
import type { BarsChart } from "../../model/figure.ts";
import { Operation, type WriteRun } from "../../model/index.ts";
import { runsDocument, secondsSpread } from "./index.ts";

/** Two writers of 1000 bytes, one after the other on one target, the second in what is left of the time. */
function runOf(label: string, seconds: number, more: Partial<WriteRun> = {}): WriteRun {
  return {
    label,
    title: `${label} title`,
    simulated: false,
    policy: label,
    writers: 2,
    targets: 1,
    bytes: 2000,
    seconds,
    commitSeconds: Number.NaN,
    openSeconds: [],
    outcome: "complete",
    calls: {
      count: 2,
      process: Uint32Array.of(0, 1),
      owner: Uint32Array.of(0, 1),
      file: Uint32Array.of(0, 0),
      bytes: Float64Array.of(1000, 1000),
      startNs: Float64Array.of(0, 1e9),
      endNs: Float64Array.of(1e9, 1e9 * seconds),
      operation: new Uint8Array(2).fill(Operation.write),
      layer: new Uint8Array(2),
      flags: new Uint8Array(2),
    },
    ...more,
  };
}

const options = { command: "plimsoll write", madeBy: "test" };

function charts(runs: readonly WriteRun[]): Map<string, BarsChart> {
  const found = new Map<string, BarsChart>();
  for (const section of runsDocument(runs, options).sections)
    for (const block of section.blocks)
      if (block.kind === "figure" && block.figure.chart.kind === "bars")
        found.set(block.figure.id, block.figure.chart);
  return found;
}

describe("runs beside each other", () => {
  const runs = [runOf("static", 5), runOf("paper", 2), runOf("static", 9), runOf("paper", 3)];

  it("have the mean bandwidth of each method, with the least and the greatest", () => {
    const chart = charts(runs).get("bandwidth");
    expect(chart?.categories).toEqual(["static", "paper"]);
    expect(chart?.series[0]).toMatchObject({
      values: [(400 + 2000 / 9) / 2, (1000 + 2000 / 3) / 2],
      low: [2000 / 9, 2000 / 3],
      high: [400, 1000],
    });
  });

  it("have the standard deviation of the time over runs, and imbalance", () => {
    const all = charts(runs);
    expect(all.get("time-spread")?.series[0]?.values).toEqual([Math.sqrt(8), Math.sqrt(0.5)]);
    // Writers took 1 s and the rest.
    expect(all.get("imbalance")?.series[0]?.values).toEqual([6, 1.5]);
    expect(secondsSpread([runOf("paper", 2)])).toBeNaN();
  });

  it("have the time of each writer of the last run of each method", () => {
    const all = charts(runs);
    expect(all.get("writers-static")?.series[0]?.values).toEqual([1, 8]);
    expect(all.get("writers-paper")?.series[0]?.values).toEqual([1, 2]);
  });

  it("are told apart when the same method met another condition", () => {
    const slowed = [{ target: 0, how: "throttled to 1 B/s" }];
    const all = charts([runOf("paper", 2), runOf("paper", 4, { slowed }), runOf("paper", 3)]);
    expect(all.get("bandwidth")?.categories).toEqual(["paper", "paper-2"]);
    expect(all.get("time-spread")?.series[0]?.values).toEqual([Math.sqrt(0.5), Number.NaN]);
  });

  it("of which there is one has the time of its writers, and nothing to compare", () => {
    expect([...charts([runOf("paper", 2)]).keys()]).toEqual(["writers-paper"]);
  });
});
