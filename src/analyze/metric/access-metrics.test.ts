/** C02, C03 and C04 of study C: cases and values that the paper gives, and the properties of T. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AccessColumns, accessMetrics } from "./access-metrics.ts";
import type { CollectorOptions, Metrics } from "./metrics.ts";

interface Access {
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
  readonly moved?: number;
}

const SECOND = 1e9;

/** Times of the accesses are in seconds. */
const overall = (accesses: readonly Access[], options: CollectorOptions = {}): Metrics =>
  accessMetrics(
    {
      startNs: accesses.map(({ start }) => start * SECOND),
      endNs: accesses.map(({ end }) => end * SECOND),
      bytes: accesses.map(({ bytes }) => bytes),
      movedBytes: accesses.map(({ moved }) => moved ?? Number.NaN),
    },
    options,
  ).overall;

/** Accesses of equal size one after the other, without a gap, that take the given time together. */
function sequence(count: number, bytesEach: number, seconds: number): AccessColumns {
  const edge = (i: number) => (i / count) * seconds * SECOND;
  return {
    startNs: Float64Array.from({ length: count }, (_, i) => edge(i)),
    endNs: Float64Array.from({ length: count }, (_, i) => edge(i + 1)),
    bytes: new Float64Array(count).fill(bytesEach),
  };
}

describe("the cases of figure 1", () => {
  const S = 4096;

  it("(a) one request of twice the size in the time of two halves: IOPS is equal, BPS doubles", () => {
    // Two of S take 2 s; merged into one of 2 S they take half of that.
    const two = overall([
      { start: 0, end: 1, bytes: S },
      { start: 1, end: 2, bytes: S },
    ]);
    const merged = overall([{ start: 0, end: 1, bytes: 2 * S }]);
    expect(merged.iops).toBe(two.iops);
    expect(two).toMatchObject({ iops: 1, bps: 8, accesses: 2, ioTimeSeconds: 2 });
    expect(merged).toMatchObject({ iops: 1, bps: 16, accesses: 1, ioTimeSeconds: 1 });
  });

  it("(b) the same request and time with more bytes moved: BW rises, BPS is equal", () => {
    const lean = overall([{ start: 0, end: 2, bytes: S, moved: S }]);
    const holes = overall([{ start: 0, end: 2, bytes: S, moved: 3 * S }]);
    expect(lean).toMatchObject({ bandwidthBytesPerSecond: S / 2, bandwidthOf: "moved", bps: 4 });
    expect(holes).toMatchObject({ bandwidthBytesPerSecond: (3 * S) / 2, bandwidthOf: "moved", bps: 4 });
  });

  it("(c) equal requests at once instead of one after the other: ARPT is equal, BPS doubles", () => {
    const sequential = overall([
      { start: 0, end: 1, bytes: S },
      { start: 1, end: 2, bytes: S },
    ]);
    const concurrent = overall([
      { start: 0, end: 1, bytes: S },
      { start: 0, end: 1, bytes: S },
    ]);
    expect(sequential).toMatchObject({ arptSeconds: 1, bps: 8 });
    expect(concurrent).toMatchObject({ arptSeconds: 1, bps: 16 });
  });
});

describe("T of the golden vectors", () => {
  it.each([
    ["[0,4] [1,3] [2,6] [8,10]", 8],
    ["[0,10] [2,3]", 10],
    ["[0,1] [1,2]", 2],
    ["[0,0]", 0],
    ["", 0],
  ])("%s is %d s", (text, seconds) => {
    const intervals = [...text.matchAll(/\[(\d+),(\d+)\]/g)];
    const list = intervals.map(([, start, end]) => ({ start: Number(start), end: Number(end), bytes: 1 }));
    expect(overall(list).ioTimeSeconds).toBe(seconds);
  });
});

describe("T of 1000 random sets", () => {
  const interval = fc.tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 1e5 }));
  const sets = fc.array(interval, { minLength: 1, maxLength: 50 });
  const timeOf = (list: readonly (readonly [number, number])[]) =>
    accessMetrics({
      startNs: list.map(([start]) => start),
      endNs: list.map(([start, length]) => start + length),
      bytes: list.map(() => 1),
    }).overall.ioTimeNs;

  it("is at most the sum of durations and the whole span, and at least the longest", () => {
    fc.assert(
      fc.property(sets, (list) => {
        const time = timeOf(list);
        const ends = list.map(([start, length]) => start + length);
        expect(time).toBeLessThanOrEqual(list.reduce((sum, [, length]) => sum + length, 0));
        expect(time).toBeLessThanOrEqual(Math.max(...ends) - Math.min(...list.map(([start]) => start)));
        expect(time).toBeGreaterThanOrEqual(Math.max(...list.map(([, length]) => length)));
      }),
      { numRuns: 1000 },
    );
  });

  it("does not change with the order, or when an access is split or one within another is added", () => {
    fc.assert(
      fc.property(sets, fc.nat(), (list, choice) => {
        const time = timeOf(list);
        expect(timeOf([...list].reverse())).toBe(time);
        const [start, length] = list[choice % list.length] as [number, number];
        const at = length === 0 ? 0 : choice % length;
        const rest = list.filter((_, index) => index !== choice % list.length);
        expect(timeOf([...rest, [start, at], [start + at, length - at]])).toBe(time);
        expect(timeOf([...list, [start + at, Math.floor((length - at) / 2)]])).toBe(time);
      }),
      { numRuns: 1000 },
    );
  });

  it("adds up over sets that lie apart", () => {
    fc.assert(
      fc.property(sets, sets, (one, two) => {
        const later = two.map(([start, length]): [number, number] => [start + 2e6, length]);
        expect(timeOf([...one, ...later])).toBe(timeOf(one) + timeOf(two));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("published values of set 2, 16 GiB from a disk", () => {
  it("with 4 KiB: BPS 41,446; IOPS over the execution time within 0.5 % of the published 5156.39", () => {
    const { overall: metrics } = accessMetrics(sequence(4_194_304, 4096, 809.6));
    expect(metrics.bytes).toBe(2n ** 34n);
    expect(metrics.blocks).toBe(2 ** 25);
    expect(Math.round(metrics.bps as number)).toBe(41_446);
    expect(Math.abs((metrics.iops as number) / 5156.39 - 1)).toBeLessThan(0.005);
    expect((metrics.arptSeconds as number) * 4_194_304).toBeCloseTo(809.6, 9);
    // The published IOPS give 813.4 s back.
    expect((metrics.accesses / 5156.39).toFixed(1)).toBe("813.4");
  });

  it("with 64 KiB: BPS 93,701; IOPS within 0.05 % of the published 732.3", () => {
    const { overall: metrics } = accessMetrics(sequence(262_144, 65_536, 358.1));
    expect(Math.round(metrics.bps as number)).toBe(93_701);
    expect(Math.abs((metrics.iops as number) / 732.3 - 1)).toBeLessThan(0.0005);
    expect((metrics.accesses / 732.3).toFixed(1)).toBe("358.0");
  });
});

describe("published sizes of set 4, regions of 256 B with a spacing that sieving reads too", () => {
  it.each([8, 256, 4096])("with a spacing of %d B", (spacing) => {
    const calls = 1000;
    const regions = 4096;
    const each = sequence(calls, regions * 256, 10);
    const moved = new Float64Array(calls).fill(regions * (256 + spacing));
    const { overall: metrics } = accessMetrics({ ...each, movedBytes: moved });
    expect(metrics.bytes).toBe(1_048_576_000n);
    expect(metrics.movedBytes).toBe(4_096_000n * BigInt(256 + spacing));
    const { bps, bandwidthBytesPerSecond } = metrics;
    expect(bps).toBeCloseTo(204_800, 6);
    expect((bandwidthBytesPerSecond as number) / (512 * (bps as number))).toBeCloseTo(1 + spacing / 256, 12);
  });
});

describe("rates", () => {
  it("over no time are null, not infinite", () => {
    const point = overall([{ start: 3, end: 3, bytes: 512 }]);
    expect(point).toMatchObject({ ioTimeSeconds: 0, bps: null, iops: null, bandwidthBytesPerSecond: null });
    expect(point).toMatchObject({ accesses: 1, bytes: 512n, blocks: 1, arptSeconds: 0, stretches: 0 });
    expect(overall([])).toMatchObject({
      ...{ accesses: 0, bytes: 0n, movedBytes: null, blocks: 0, ioTimeSeconds: 0, bps: null, iops: null },
      ...{ bandwidthBytesPerSecond: null, bandwidthOf: "requested", arptSeconds: null },
    });
  });

  it("of many short accesses beside a long one keep the short ones in ARPT", () => {
    const short = 1000;
    const startNs = new Float64Array(short + 1);
    const endNs = new Float64Array(short + 1).fill(1);
    endNs[0] = 2 ** 51;
    const { arptSeconds } = accessMetrics({ startNs, endNs, bytes: new Float64Array(short + 1) }).overall;
    expect(arptSeconds).toBe((2 ** 51 + short) / (short + 1) / 1e9);
  });

  it("of accesses can be over the execution time; the others stay over T", () => {
    const list = [{ start: 0, end: 2, bytes: 1024 }];
    expect(overall(list, { executionSeconds: 10 })).toMatchObject({ iops: 0.1, bps: 1, arptSeconds: 2 });
    const point = [{ start: 3, end: 3, bytes: 512 }];
    expect(overall(point, { executionSeconds: 10 })).toMatchObject({ iops: 0.1, bps: null });
  });
});

describe("blocks", () => {
  const list = [0, 1, 511, 512, 513, 8].map((bytes, i) => ({ start: i, end: i + 1, bytes }));

  it("are bytes by 512, or by another size", () => {
    expect(overall(list)).toMatchObject({ blocks: 1545 / 512, bps: 1545 / 512 / 6 });
    expect(overall(list, { blockBytes: 100 }).blocks).toBe(15.45);
  });

  it("can be rounded up for each access", () => {
    expect(overall(list, { ceilPerAccess: true })).toMatchObject({ blocks: 6, bps: 1 });
    expect(overall(list, { ceilPerAccess: true, blockBytes: 100 }).blocks).toBe(0 + 1 + 6 + 6 + 6 + 1);
  });

  it("are rounded up where a quotient in doubles would be even", () => {
    for (const bytes of [2 ** 52 - 2, 2 ** 51 + 1])
      for (const blockBytes of [1, 3, 512, 1_000_003]) {
        const size = BigInt(blockBytes);
        const { blocks } = overall([{ start: 0, end: 1, bytes }], { ceilPerAccess: true, blockBytes });
        expect(blocks).toBe(Number((BigInt(bytes) + size - 1n) / size));
      }
  });
});

describe("bytes", () => {
  it("are summed exactly beyond 2^53, for any number of rows", () => {
    const count = 300_000;
    const startNs = new Float64Array(count);
    const endNs = new Float64Array(count).fill(1);
    for (const each of [2 ** 52 - 1, 2 ** 51 + 1, 1]) {
      const bytes = new Float64Array(count).fill(each);
      const { overall: metrics } = accessMetrics({ startNs, endNs, bytes, movedBytes: bytes });
      expect(metrics.bytes).toBe(BigInt(count) * BigInt(each));
      expect(metrics.movedBytes).toBe(BigInt(count) * BigInt(each));
    }
  });

  it("that were moved are null when one access does not know them, and BW says that it took the others", () => {
    const known = { start: 0, end: 1, bytes: 10, moved: 40 };
    const unknown = { start: 1, end: 2, bytes: 10 };
    expect(overall([known, known])).toMatchObject({ movedBytes: 80n, bandwidthOf: "moved" });
    const mixed = overall([known, unknown]);
    expect(mixed).toMatchObject({ movedBytes: null, bandwidthOf: "requested", bandwidthBytesPerSecond: 10 });
    expect(mixed.notes).toMatchObject([{ id: "moved-unknown", count: 1 }]);
    // Nothing moved is known too.
    expect(overall([{ ...known, moved: 0 }])).toMatchObject({ movedBytes: 0n, bandwidthBytesPerSecond: 0 });
  });
});

describe("bad accesses", () => {
  it("are dropped and counted by reason", () => {
    const good = { start: 0, end: 1, bytes: 512 };
    const metrics = overall([
      good,
      { ...good, end: -1 },
      { ...good, start: Number.NaN },
      { ...good, end: Number.POSITIVE_INFINITY },
      { ...good, bytes: -1 },
      { ...good, bytes: 0.5 },
      { ...good, bytes: Number.NaN },
      { ...good, bytes: 2 ** 52 },
      // Both: the interval is looked at first.
      { start: 1, end: 0, bytes: -1 },
    ]);
    expect(metrics).toMatchObject({ accesses: 1, bytes: 512n, ioTimeSeconds: 1, arptSeconds: 1 });
    expect(metrics.dropped).toEqual({
      ...{ total: 8, endBeforeStart: 2, timeUnknown: 2, sizeNegative: 1, sizeUnknown: 3, notRecorded: 0 },
    });
  });

  it.each<[CollectorOptions, string]>([
    [{ blockBytes: 0 }, "block size 0 is not a positive whole number of bytes"],
    [{ blockBytes: 0.5 }, "block size 0.5 is not"],
    [{ executionSeconds: 0 }, "execution time 0 s is not positive"],
    [{ executionSeconds: Number.NaN }, "execution time NaN s is not positive"],
    [{ everyNs: 0 }, "windows of 0 ns are not"],
  ])("options that make no sense are refused: %j", (options, message) => {
    expect(() => overall([], options)).toThrow(message);
  });
});
