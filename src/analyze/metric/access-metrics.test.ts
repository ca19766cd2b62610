import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MISSING_I64, ops, runs } from "../../model/schema.ts";
import { type Row, TableBuilder } from "../../model/tables.ts";
import {
  type AccessColumns,
  type AccessMetrics,
  accessMetrics,
  type AccessMetricsOptions,
  opsColumns,
} from "./access-metrics.ts";

interface Access {
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
  readonly moved?: number;
  readonly layer?: string | null;
  readonly direction?: string | null;
  readonly file?: bigint;
}

const SECOND = 1e9;

/** Plain arrays; times of the accesses are in seconds. */
function columnsOf(accesses: readonly Access[]): AccessColumns {
  return {
    startNs: accesses.map(({ start }) => start * SECOND),
    endNs: accesses.map(({ end }) => end * SECOND),
    bytes: accesses.map(({ bytes }) => bytes),
    movedBytes: accesses.map(({ moved }) => moved ?? Number.NaN),
    layer: accesses.map(({ layer }) => layer ?? null),
    direction: accesses.map(({ direction }) => direction ?? null),
    fileId: accesses.map(({ file }) => file ?? 0n),
  };
}

const overall = (accesses: readonly Access[], options: AccessMetricsOptions = {}): AccessMetrics =>
  accessMetrics(columnsOf(accesses), options).overall;

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

describe("the time of the golden vectors", () => {
  it.each([
    [
      [
        [0, 4],
        [1, 3],
        [2, 6],
        [8, 10],
      ],
      8,
    ],
    [
      [
        [0, 10],
        [2, 3],
      ],
      10,
    ],
    [
      [
        [0, 1],
        [1, 2],
      ],
      2,
    ],
    [[[0, 0]], 0],
    [[], 0],
  ] as [[number, number][], number][])("of %j is %d s", (intervals, seconds) => {
    expect(overall(intervals.map(([start, end]) => ({ start, end, bytes: 1 }))).ioTimeSeconds).toBe(seconds);
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
    expect(point).toMatchObject({ accesses: 1, bytes: 512n, blocks: 1, arptSeconds: 0 });
    expect(overall([])).toEqual({
      rows: 0,
      accesses: 0,
      innerAccesses: 0,
      bytes: 0n,
      movedBytes: null,
      blocks: 0,
      ioTimeSeconds: 0,
      bps: null,
      iops: null,
      bandwidthBytesPerSecond: null,
      bandwidthOf: "requested",
      arptSeconds: null,
      dropped: { interval: 0, bytes: 0, otherLayer: 0 },
    });
  });

  it("of many short accesses beside a long one keep the short ones in ARPT", () => {
    const short = 1000;
    const startNs = new Float64Array(short + 1);
    const endNs = new Float64Array(short + 1).fill(1);
    endNs[0] = 2 ** 53;
    const { arptSeconds } = accessMetrics({ startNs, endNs, bytes: new Float64Array(short + 1) }).overall;
    expect(arptSeconds).toBe((2 ** 53 + short) / (short + 1) / 1e9);
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
    const bytes = [2n ** 53n - 2n, 2n ** 53n + 1n, 2n ** 62n + 1n];
    for (const amount of bytes) {
      for (const blockBytes of [1, 3, 512, 1_000_003]) {
        const size = BigInt(blockBytes);
        const { blocks } = accessMetrics(
          { startNs: [0], endNs: [1], bytes: BigInt64Array.of(amount) },
          { ceilPerAccess: true, blockBytes },
        ).overall;
        expect(blocks).toBe(Number((amount + size - 1n) / size));
      }
    }
  });
});

describe("bytes", () => {
  it("are summed exactly beyond 2^53, for any number of rows", () => {
    const count = 3_000_000;
    const columns = {
      startNs: new Float64Array(count),
      endNs: new Float64Array(count).fill(1),
      bytes: new BigInt64Array(count).fill(2n ** 62n + 4294967295n),
    };
    expect(accessMetrics(columns).overall.bytes).toBe(BigInt(count) * (2n ** 62n + 4294967295n));
    const whole = { ...columns, bytes: new Float64Array(count).fill(2 ** 53 - 1) };
    expect(accessMetrics(whole).overall.bytes).toBe(BigInt(count) * (2n ** 53n - 1n));
  });

  it("may be a part of a larger column", () => {
    const bytes = BigInt64Array.of(1n, 20n, 300n, 4000n).subarray(1, 3);
    expect(accessMetrics({ startNs: [0, 1], endNs: [1, 2], bytes }).overall.bytes).toBe(320n);
  });

  it("that were moved are null when one access does not know them, and BW says that it took the others", () => {
    const known = { start: 0, end: 1, bytes: 10, moved: 40 };
    const unknown = { start: 1, end: 2, bytes: 10 };
    expect(overall([known, known])).toMatchObject({ movedBytes: 80n, bandwidthOf: "moved" });
    expect(overall([known, unknown])).toMatchObject({
      movedBytes: null,
      bandwidthOf: "requested",
      bandwidthBytesPerSecond: 10,
    });
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
      { ...good, bytes: 2 ** 63 },
      { ...good, bytes: 2 ** 64 },
      // Both: the interval is looked at first.
      { start: 1, end: 0, bytes: -1 },
    ]);
    expect(metrics).toMatchObject({ rows: 10, accesses: 1, bytes: 512n, ioTimeSeconds: 1, arptSeconds: 1 });
    expect(metrics.dropped).toEqual({ interval: 4, bytes: 5, otherLayer: 0 });
  });

  it("leave their moved bytes out too", () => {
    const list = [
      { start: 0, end: 1, bytes: 1, moved: 2 },
      { start: 1, end: 0, bytes: 1 },
    ];
    expect(overall(list)).toMatchObject({ movedBytes: 2n, bandwidthOf: "moved" });
  });
});

describe("groups", () => {
  const list: Access[] = [
    { start: 0, end: 2, bytes: 512, layer: "POSIX", direction: "write", file: 7n },
    { start: 1, end: 3, bytes: 1024, layer: "POSIX", direction: "read", file: 2n ** 64n - 1n },
    { start: 10, end: 11, bytes: 512, layer: "STDIO", direction: "write", file: 7n },
    { start: 5, end: 4, bytes: 512, direction: "write", file: 7n },
  ];
  const by = (groupBy: "layer" | "direction" | "file") =>
    accessMetrics(columnsOf(list), { groupBy }).groups.map(({ key, metrics }) => [
      key,
      metrics.accesses,
      metrics.bytes,
      metrics.ioTimeSeconds,
      metrics.dropped.interval,
    ]);

  it("are by layer, direction or file, in order of appearance", () => {
    expect(by("layer")).toEqual([
      ["POSIX", 2, 1536n, 3, 0],
      ["STDIO", 1, 512n, 1, 0],
      [null, 0, 0n, 0, 1],
    ]);
    expect(by("direction")).toEqual([
      ["write", 2, 1024n, 3, 1],
      ["read", 1, 1024n, 2, 0],
    ]);
    expect(by("file")).toEqual([
      [7n, 2, 1024n, 3, 1],
      [2n ** 64n - 1n, 1, 1024n, 2, 0],
    ]);
  });

  it("come with the whole, the options as used, the definitions and the layers", () => {
    const result = accessMetrics(columnsOf(list), { groupBy: "layer", blockBytes: 4096 });
    expect(result.overall).toMatchObject({ accesses: 3, ioTimeSeconds: 4, bytes: 2048n });
    expect(result.options).toEqual({ groupBy: "layer", blockBytes: 4096, ceilPerAccess: false });
    expect(result.definitions).toEqual(["C02@1", "C03@1", "C04@1"]);
    expect(result.layers).toEqual(["POSIX", "STDIO"]);
    expect(accessMetrics(columnsOf(list)).groups).toEqual([]);
  });
});

describe("layers that nest", () => {
  // One collective read that sieves: two reads below it move twice what was asked for.
  const list: Access[] = [
    { start: 0, end: 4, bytes: 1024, layer: "MPI-IO", direction: "read", file: 1n },
    { start: 1, end: 2, bytes: 1024, layer: "POSIX", direction: "read", file: 1n },
    { start: 2, end: 3, bytes: 1024, layer: "POSIX", direction: "read", file: 1n },
    { start: 9, end: 9.5, bytes: 100, layer: "STDIO", direction: "write", file: 2n },
  ];

  it("count twice when no layer is chosen, and the result names them", () => {
    const result = accessMetrics(columnsOf(list));
    expect(result.overall.bytes).toBe(3172n);
    expect(result.layers).toEqual(["MPI-IO", "POSIX", "STDIO"]);
  });

  it("give requests and time from the outer one, moved bytes from the inner one", () => {
    const metrics = overall(list, { layer: "MPI-IO", movedLayer: "POSIX" });
    expect(metrics).toMatchObject({
      rows: 4,
      accesses: 1,
      innerAccesses: 2,
      bytes: 1024n,
      movedBytes: 2048n,
    });
    expect(metrics).toMatchObject({ bps: 0.5, iops: 0.25, arptSeconds: 4, ioTimeSeconds: 4 });
    expect(metrics).toMatchObject({ bandwidthBytesPerSecond: 512, bandwidthOf: "inner layer" });
    expect(metrics.dropped).toEqual({ interval: 0, bytes: 0, otherLayer: 1 });
    const { layers } = accessMetrics(columnsOf(list), { layer: "MPI-IO", movedLayer: "POSIX" });
    expect(layers).toEqual(["MPI-IO"]);
  });

  it("give requested bytes when the inner one was not recorded", () => {
    const metrics = overall(list, { layer: "MPI-IO", movedLayer: "DFS" });
    expect(metrics).toMatchObject({
      movedBytes: null,
      bandwidthBytesPerSecond: 256,
      bandwidthOf: "requested",
    });
    expect(overall(list, { layer: "MPI-IO" })).toMatchObject({ movedBytes: null, accesses: 1 });
  });

  it("may be the same one, whose requests then are what was moved", () => {
    const metrics = overall(list, { layer: "POSIX", movedLayer: "POSIX" });
    expect(metrics).toMatchObject({ accesses: 2, innerAccesses: 0, bytes: 2048n, movedBytes: 2048n });
  });

  it("prefer moved bytes that the inner one knows, and do not need its times", () => {
    const known = [list[0] as Access, { ...(list[1] as Access), moved: 5, end: Number.NaN }];
    expect(overall(known, { layer: "MPI-IO", movedLayer: "POSIX" })).toMatchObject({
      movedBytes: 5n,
      innerAccesses: 1,
    });
  });

  it("work by file", () => {
    const { groups } = accessMetrics(columnsOf(list), {
      layer: "MPI-IO",
      movedLayer: "POSIX",
      groupBy: "file",
    });
    expect(groups.map(({ key, metrics }) => [key, metrics.accesses, metrics.movedBytes])).toEqual([
      [1n, 1, 2048n],
      [2n, 0, null],
    ]);
  });
});

describe("requests that make no sense", () => {
  const columns = { startNs: [0], endNs: [1], bytes: [1] };

  it.each<[AccessMetricsOptions, string]>([
    [{ blockBytes: 0 }, "block size 0 is not a positive whole number of bytes"],
    [{ blockBytes: 0.5 }, "block size 0.5 is not"],
    [{ executionSeconds: 0 }, "execution time 0 s is not positive"],
    [{ executionSeconds: Number.NaN }, "execution time NaN s is not positive"],
    [{ movedLayer: "POSIX" }, "moved bytes of layer POSIX need the layer that the application calls"],
    [{ layer: "a", movedLayer: "b", groupBy: "layer" }, "cannot be grouped by layer"],
    [{ groupBy: "file" }, "grouping by file needs the file of each access"],
    [{ layer: "POSIX" }, "choosing layer POSIX needs the layer of each access"],
  ])("%j", (options, message) => {
    expect(() => accessMetrics(columns, options)).toThrow(message);
  });

  it("columns of different lengths", () => {
    expect(() => accessMetrics({ ...columns, bytes: [1, 2] })).toThrow("2 bytes, 1 startNs");
  });
});

describe("columns of the table ops", () => {
  const table = (rows: readonly Row[]) => {
    const builder = new TableBuilder(ops);
    for (const row of rows) builder.append(row);
    return builder.finish();
  };
  const row = { run_id: "a", rank: 0, thread: 0n, file_id: 5n, layer: "POSIX", direction: "read" };
  const rows = [
    { ...row, bytes: 512, moved_bytes: 4096, start_ns: 0, end_ns: 1e9 },
    { ...row, bytes: 512, moved_bytes: 0, start_ns: 2e9, end_ns: 3e9, direction: "write" },
  ];

  it("give the metrics, with what is missing left out", () => {
    const columns = opsColumns(
      table([...rows, { ...row, start_ns: 0, end_ns: 1 }, { ...row, bytes: 1, end_ns: 1 }]),
    );
    expect(columns.bytes[2]).toBe(MISSING_I64);
    const { overall: metrics, groups } = accessMetrics(columns, { groupBy: "direction" });
    expect(metrics).toMatchObject({ accesses: 2, bytes: 1024n, movedBytes: 4096n, ioTimeSeconds: 2, bps: 1 });
    expect(metrics.dropped).toEqual({ interval: 1, bytes: 1, otherLayer: 0 });
    expect(groups.map(({ key, metrics }) => [key, metrics.bps])).toEqual([
      ["read", 1],
      ["write", 1],
    ]);
    expect(accessMetrics(columns, { groupBy: "file" }).groups.map(({ key }) => key)).toEqual([5n]);
  });

  it("do not know moved bytes when none were recorded", () => {
    const columns = opsColumns(table(rows.map((known) => ({ ...known, moved_bytes: null }))));
    expect(accessMetrics(columns).overall).toMatchObject({ movedBytes: null, bandwidthOf: "requested" });
  });

  it("are of one run, since each run has its own clock", () => {
    const two = table([...rows, { ...rows[0], run_id: "b", bytes: 7 }]);
    expect(() => opsColumns(two)).toThrow("ops of 2 runs have no common clock; name one (a, b)");
    expect(() => opsColumns(two, "c")).toThrow("no ops of run c (have: a, b)");
    expect(accessMetrics(opsColumns(two, "b")).overall).toMatchObject({ accesses: 1, bytes: 7n });
    expect(accessMetrics(opsColumns(two, "a"), { groupBy: "file" }).overall.accesses).toBe(2);
    expect(accessMetrics(opsColumns(table([]))).overall.accesses).toBe(0);
  });

  it("are refused of another table", () => {
    expect(() => opsColumns(new TableBuilder(runs).finish())).toThrow("from the table ops, not runs");
  });
});

/** The definitions once more, word by word, with whole numbers, a list of covered nanoseconds and no reuse. */
function twin(list: readonly Access[], blockBytes: number, ceil: boolean) {
  const good = list.filter(({ start, end, bytes }) => end >= start && bytes >= 0);
  const covered = new Set<number>();
  for (const { start, end } of good) for (let ns = start; ns < end; ns++) covered.add(ns);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const seconds = covered.size / 1e9;
  const bytes = sum(good.map((access) => access.bytes));
  const known = good.length > 0 && good.every(({ moved }) => moved !== undefined);
  const moved = known ? sum(good.map((access) => access.moved ?? 0)) : null;
  const blocks = ceil ? sum(good.map((access) => Math.ceil(access.bytes / blockBytes))) : bytes / blockBytes;
  const rate = (amount: number) => (seconds === 0 ? null : amount / seconds);
  return {
    accesses: good.length,
    bytes: BigInt(bytes),
    movedBytes: moved === null ? null : BigInt(moved),
    blocks,
    ioTimeSeconds: seconds,
    bps: rate(blocks),
    iops: rate(good.length),
    bandwidthBytesPerSecond: rate(moved ?? bytes),
    arptSeconds:
      good.length === 0 ? null : sum(good.map(({ start, end }) => end - start)) / good.length / 1e9,
  };
}

describe("metrics of random accesses", () => {
  it("are those of a brute force twin, overall and in each group", () => {
    const access = fc.record(
      {
        start: fc.integer({ min: 0, max: 300 }),
        length: fc.integer({ min: -2, max: 40 }),
        bytes: fc.oneof(fc.integer({ min: -1, max: 3000 }), fc.integer({ min: 0, max: 2 ** 40 })),
        moved: fc.integer({ min: 0, max: 2 ** 40 }),
        layer: fc.constantFrom("POSIX", "MPI-IO", null),
        direction: fc.constantFrom("read", "write"),
        file: fc.bigInt({ min: 2n ** 64n - 4n, max: 2n ** 64n - 1n }),
      },
      { requiredKeys: ["start", "length", "bytes", "layer", "direction", "file"] },
    );
    const lists = fc.array(
      access.map(({ length, ...rest }): Access => ({ ...rest, end: rest.start + length })),
      { maxLength: 40 },
    );
    // Times are nanoseconds here.
    const columns = (list: readonly Access[]): AccessColumns => ({
      ...columnsOf(list),
      startNs: Float64Array.from(list, ({ start }) => start),
      endNs: Float64Array.from(list, ({ end }) => end),
    });
    const groupings = fc.constantFrom("layer" as const, "direction" as const, "file" as const);
    fc.assert(
      fc.property(
        lists,
        fc.constantFrom(512, 1, 100),
        fc.boolean(),
        groupings,
        (list, blockBytes, ceil, groupBy) => {
          const result = accessMetrics(columns(list), { blockBytes, ceilPerAccess: ceil, groupBy });
          expect(result.overall).toMatchObject(twin(list, blockBytes, ceil));
          const keys = [...new Set(list.map((access) => access[groupBy]))];
          expect(result.groups.map(({ key }) => key)).toEqual(keys);
          for (const { key, metrics } of result.groups) {
            const part = list.filter((access) => access[groupBy] === key);
            expect(metrics).toMatchObject(twin(part, blockBytes, ceil));
            const { interval, bytes, otherLayer } = metrics.dropped;
            expect(metrics.accesses + interval + bytes + otherLayer).toBe(part.length);
            expect(metrics.rows).toBe(part.length);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
