import { describe, expect, it } from "vitest";
import { b01 } from "./b01-clusters.ts";
import type { Prepared } from "./prepare.ts";
import { wilson } from "../common/wilson.ts";
import { unusedMemory } from "./unused-memory.ts";

/** Jobs whose largest burst is this share of a memory of 100 bytes; two jobs read more than they write. */
function prepared(shares: readonly number[]): Prepared {
  return {
    series: {
      count: shares.length + 1,
      memory: Float64Array.from([...shares.map(() => 100), Number.NaN]),
      largest: Float64Array.from([...shares.map((share) => 100 * share), 1e9]),
      writeMinutes: new Float64Array(shares.length + 1).fill(1),
    },
    jobs: { read: Float64Array.of(5, 1, 7), written: Float64Array.of(1, 5, 2) },
    counted: [0, 1, 2],
  } as unknown as Prepared;
}
const some = (small: number, large: number) =>
  prepared([...Array.from({ length: small }, () => 0.001), ...Array.from({ length: large }, () => 0.2)]);

describe("memory that I/O leaves unused", () => {
  it("applies where most jobs stay below 1 % of memory by more than chance", () => {
    const { applies, finding } = unusedMemory(some(90, 10));
    expect(applies).toBe(true);
    expect(finding?.statement).toBe(
      "90 % of 100 jobs never write a burst above 1 % of their memory; 2 jobs read more than they write.",
    );
    expect(finding?.evidence.numbers[0]).toMatchObject({ value: 90, of: 100 });
  });

  it("gives no advice where it cannot be judged, and none where it does not hold", () => {
    expect(unusedMemory(some(20, 5)).applies).toBeUndefined();
    expect(unusedMemory(some(52, 48)).applies).toBeUndefined();
    expect(unusedMemory(some(10, 90)).applies).toBe(false);
  });

  it("has an interval whose ends solve (p - share)² = z² p (1 - p) / n", () => {
    for (const [part, n] of [
      [0.9, 100],
      [0.5, 30],
      [1, 40],
    ] as const)
      for (const end of wilson(part, n))
        expect((end - part) ** 2).toBeCloseTo((1.96 ** 2 * end * (1 - end)) / n, 10);
  });
});

describe("Table I", () => {
  const published = b01.published as Readonly<Record<string, { cab: number; quartz: number }>>;

  it("is whole: nodes, cores, clock, memory and peak of both clusters", () => {
    expect(Object.keys(published)).toEqual([
      ...["nodeMemoryBytes", "clusterNodes", "coresPerNode", "totalCores", "clockGhz", "totalMemoryBytes"],
      ...["teraflops", "fileSystemBytes"],
    ]);
  });

  it("adds up for Cab, and for Quartz with 2,688 nodes only", () => {
    expect(published.totalCores!.cab).toBe(published.clusterNodes!.cab * published.coresPerNode!.cab);
    expect(published.totalCores!.quartz / published.coresPerNode!.quartz).toBe(2688);
    expect(published.totalCores!.quartz).not.toBe(
      published.clusterNodes!.quartz * published.coresPerNode!.quartz,
    );
    expect((2688 * published.nodeMemoryBytes!.quartz) / 1e12).toBeCloseTo(
      published.totalMemoryBytes!.quartz / 1e12,
      2,
    );
  });
});
