import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { CallDurations } from "./durations.ts";
import { collect, type TestAccess } from "./test-kit.ts";

const nearestRank = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.max(1, Math.ceil(share * values.length)) - 1] as number;

function drawn(random: Random, count: number): TestAccess[] {
  return Array.from({ length: count }, () => {
    const start = random.below(1e9);
    return {
      ...{ start, end: start + Math.floor(2 ** (30 * random.unit())), bytes: random.below(5000) },
      ...{ pid: 1 + random.below(4), file: random.below(2) === 0 ? "/a" : "/b", write: random.below(3) > 0 },
    };
  });
}

describe("percentiles of a collection", () => {
  it.each([
    [120, 0],
    [3000, 1 / 128],
  ])("of %i accesses are those of a sort", (count, error) => {
    const list = drawn(new Random(count), count);
    const metrics = collect(list, { by: ["file"], top: 10 });
    const check = (
      own: readonly TestAccess[],
      found: { percentiles: typeof metrics.percentiles } | undefined,
    ) => {
      for (const way of ["read", "write"] as const) {
        const durations = own
          .filter(({ write }) => write === (way === "write"))
          .map(({ start, end }) => end - start);
        const percentiles = found?.percentiles[way];
        for (const [share, value] of [
          [0.5, percentiles?.p50Seconds],
          [0.95, percentiles?.p95Seconds],
          [0.99, percentiles?.p99Seconds],
        ] as const) {
          const right = nearestRank(durations, share) / 1e9;
          expect(Math.abs((value ?? Number.NaN) - right)).toBeLessThanOrEqual(error * right + 1e-15);
        }
        expect(percentiles?.maxSeconds).toBe(Math.max(...durations) / 1e9);
      }
    };
    check(list, metrics);
    for (const file of ["/a", "/b"])
      check(
        list.filter((one) => one.file === file),
        metrics.groups[0]?.rows.find(({ name }) => name === file),
      );
  });

  it("are null without accesses of the direction", () => {
    expect(collect([{ start: 0, end: 5, bytes: 1 }]).percentiles).toMatchObject({ write: null });
    expect(collect([]).percentiles).toEqual({ read: null, write: null });
  });
});

describe("outliers of a collection", () => {
  const usual = (file: string, nanoseconds: number): TestAccess[] =>
    Array.from({ length: 100 }, (_, i) => ({
      ...{ start: 1e9 + i * 1e8, end: 1e9 + i * 1e8 + nanoseconds, bytes: 10, file, pid: 7 },
    }));

  it("are those far beyond others of their file and direction", () => {
    const slow = { start: 3e9 + 5, end: 3e9 + 5 + 80e6, bytes: 77, file: "/quick", pid: 9 };
    // As long as the slow one, but usual in its file.
    const { outliers } = collect([...usual("/quick", 1e6), ...usual("/slow", 80e6), slow]);
    expect(outliers.accesses).toBe(1);
    expect(outliers.longest).toEqual([
      {
        ...{ startSeconds: 2 + 5e-9, seconds: 0.08, p95Seconds: 0.001, direction: "read", rank: null },
        ...{ process: expect.stringContaining("9"), file: "/quick", offset: null, bytes: 77 },
      },
    ]);
  });

  it("are none where calls are few, or only a tick late", () => {
    const late = { start: 0, end: 9e5, bytes: 1, file: "/a" };
    expect(collect([...usual("/a", 1000), late]).outliers).toEqual({ accesses: 0, longest: [] });
    const few = usual("/a", 1e6).slice(0, 10);
    expect(collect([...few, { start: 0, end: 1e9, bytes: 1, file: "/a" }]).outliers.accesses).toBe(0);
  });
});

describe("CallDurations", () => {
  it("keeps the longest, also when collected in parts", () => {
    const random = new Random(3);
    const all = Array.from({ length: 500 }, (_, i) => ({ ns: random.below(1e7), at: i }));
    const [whole, one, two] = [new CallDurations(), new CallDurations(), new CallDurations()];
    for (const { ns, at } of all) {
      whole.add(ns, at, at * 10, 1, 0);
      (at % 2 === 0 ? one : two).add(ns, at, at * 10, 1, 0);
    }
    one.merge(structuredClone(two.data()));
    whole.add(1e9, 1000, Number.NaN, 1, 4);
    one.add(1e9, 1000, Number.NaN, 1, 4);
    expect(one.percentiles).toEqual(whole.percentiles);
    expect(one.outliers).toEqual(whole.outliers);
    expect(one.outliers?.longest).toEqual([
      { durationNs: 1e9, startNs: 1000, offset: Number.NaN, bytes: 1, owner: 4 },
    ]);
  });
});
