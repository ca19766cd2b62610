import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import type { CallClock, CallSink } from "../../model/calls.ts";
import { accessMetrics } from "./access-metrics.ts";
import { AccessCollector } from "./collector.ts";
import type { CollectorOptions } from "./metrics.ts";
import { collect, feed, OWN, type TestAccess, underWay } from "./test-kit.ts";

const access = fc
  .record({
    start: fc.integer({ min: -300, max: 300 }),
    length: fc.integer({ min: 0, max: 40 }),
    bytes: fc.integer({ min: 0, max: 5000 }),
    pid: fc.integer({ min: 1, max: 4 }),
    file: fc.constantFrom("/a", "/b", "/c"),
    write: fc.boolean(),
  })
  .map(({ length, ...rest }): TestAccess => ({ ...rest, end: rest.start + length }));
const accesses = fc.array(access, { maxLength: 60 });

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

describe("T and concurrency", () => {
  it("equal a count of every nanosecond", () => {
    fc.assert(
      fc.property(accesses, (list) => {
        const counts = [...underWay(list).values()];
        for (const options of [{}, { by: ["process"] as const }]) {
          const metrics = collect(list, options);
          expect(metrics.ioTimeNs).toBe(counts.length);
          expect(metrics.concurrency.max).toBe(Math.max(0, ...counts));
          expect(metrics.concurrency.mean).toBe(counts.length === 0 ? null : sum(counts) / counts.length);
          const levels = metrics.concurrency.levels.map(({ level, seconds }) => [
            level,
            Math.round(seconds * 1e9),
          ]);
          const expected = [...new Set(counts)]
            .sort((a, b) => a - b)
            .map((level) => [level, counts.filter((one) => one === level).length]);
          expect(levels).toEqual(expected);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("groups", () => {
  it.each(["process", "file", "direction"] as const)("by %s equal collections of their own", (by) => {
    const keyOf = ({ pid, file, write }: TestAccess) =>
      by === "process" ? String(pid) : by === "file" ? file : write ? "write" : "read";
    fc.assert(
      fc.property(accesses, (list) => {
        const [table] = collect(list, { by: [by], top: 100 }).groups;
        const keys = [...new Set(list.map(keyOf))];
        expect(table?.total).toBe(keys.length);
        for (const key of keys) {
          const own = collect(list.filter((one) => keyOf(one) === key));
          expect(table?.rows.find(({ name }) => name === key)).toMatchObject({
            accesses: own.accesses,
            bytes: own.bytes,
            ioTimeNs: own.ioTimeNs,
            bps: own.bps,
            arptSeconds: own.arptSeconds,
          });
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("windows", () => {
  it("have T by count, and sum up to the totals", () => {
    fc.assert(
      fc.property(accesses, fc.integer({ min: 1, max: 90 }), fc.boolean(), (list, everyNs, ceilPerAccess) => {
        const metrics = collect(list, { everyNs, ceilPerAccess });
        const rows = metrics.windows?.rows ?? [];
        const first = Math.min(...list.map(({ start }) => start));
        const busy = new Map<number, number>();
        for (const ns of underWay(list).keys()) {
          const window = Math.floor((ns - first) / everyNs);
          busy.set(window, (busy.get(window) ?? 0) + 1);
        }
        rows.forEach(({ ioTimeSeconds, accesses: count }, window) => {
          expect(Math.round(ioTimeSeconds * 1e9)).toBe(busy.get(window) ?? 0);
          expect(count).toBe(
            list.filter(({ start }) => Math.floor((start - first) / everyNs) === window).length,
          );
        });
        expect(rows.reduce((total, { bytes }) => total + bytes, 0n)).toBe(metrics.bytes);
        expect(sum(rows.map((row) => row.accesses))).toBe(metrics.accesses);
        expect(sum(rows.map((row) => row.blocks))).toBeCloseTo(metrics.blocks, 6);
      }),
      { numRuns: 200 },
    );
  });
});

describe("large input", () => {
  const count = 600_000;
  const random = new Random(5);
  const startNs = Float64Array.from({ length: count }, () => Math.floor(random.unit() * 4e9));
  const endNs = startNs.map((start) => start + Math.floor(random.unit() ** 8 * 1e8));
  const order = [...startNs.keys()].sort((a, b) => (startNs[a] as number) - (startNs[b] as number));

  /** The algorithm of the paper with its slip mended. */
  function plainTime(rows: readonly number[]): number {
    let [total, from, to] = [0, startNs[rows[0] as number] as number, endNs[rows[0] as number] as number];
    for (const row of rows) {
      const [start, end] = [startNs[row] as number, endNs[row] as number];
      if (to < start) {
        total += to - from;
        [from, to] = [start, end];
      } else to = Math.max(to, end);
    }
    return total + to - from;
  }

  it.each([
    ["shuffled", {}],
    ["in order", {}],
    ["shuffled", { by: ["process"], everyNs: 1e8, picture: true, top: 100 }],
  ] as const)("over many chunks, %s, %j, equals the plain algorithm", (kind, options) => {
    const collector = new AccessCollector(options);
    const sink = collector.sink("test");
    sink.clock(OWN);
    const processes = [3, 4, 5].map((pid) => sink.process({ pid }));
    const rows = kind === "shuffled" ? [...startNs.keys()] : order;
    sink.block({
      count,
      startNs: Float64Array.from(rows, (row) => startNs[row] as number),
      endNs: Float64Array.from(rows, (row) => endNs[row] as number),
      bytes: Float64Array.from(rows, (row) => row % 9000),
      process: Uint32Array.from(rows, (row) => processes[row % 3] as number),
      file: new Uint32Array(count).fill(sink.file({ path: "/a" })),
      operation: new Uint8Array(count),
      layer: new Uint8Array(count),
      flags: new Uint8Array(count),
    });
    const metrics = collector.finish();
    expect(metrics.ioTimeNs).toBe(plainTime(order));
    expect(metrics.accesses).toBe(count);
    for (const row of metrics.groups[0]?.rows ?? []) {
      const own = order.filter((at) => at % 3 === Number(row.name) - 3);
      expect(row).toMatchObject({ accesses: own.length, ioTimeNs: plainTime(own) });
    }
    expect(metrics.groups[0]?.rows.length ?? 3).toBe(3);
    if (metrics.windows !== null)
      expect(metrics.windows.rows.reduce((total, { bytes }) => total + bytes, 0n)).toBe(metrics.bytes);
  });
});

describe("bytes moved", () => {
  const outer = { start: 0, end: 10, bytes: 1000, file: "/a" };
  const inner = { start: 1, end: 3, bytes: 700, file: "/a", nested: true };

  it("are those of accesses inside, which count nowhere else", () => {
    const metrics = collect([outer, inner, { ...inner, start: 3, end: 5 }]);
    expect(metrics).toMatchObject({ accesses: 1, nestedAccesses: 2, bytes: 1000n, movedBytes: 1400n });
    expect(metrics).toMatchObject({ ioTimeNs: 10, bandwidthOf: "moved", concurrency: { max: 1, mean: 1 } });
  });

  it("belong to the file, whichever process moved them (collective buffering)", () => {
    const metrics = collect(
      [
        { ...outer, pid: 1 },
        { ...outer, pid: 2 },
        { ...inner, pid: 1, bytes: 2000 },
      ],
      { by: ["process"] },
    );
    expect(metrics).toMatchObject({ bytes: 2000n, movedBytes: 2000n });
    expect(metrics.groups[0]?.rows.map(({ movedBytes }) => movedBytes)).toEqual([2000n, 0n]);
  });

  it("of a file without accesses inside are what was asked for, and a note says so", () => {
    const direct = { start: 20, end: 21, bytes: 5, file: "/b" };
    const metrics = collect([outer, inner, direct]);
    expect(metrics.movedBytes).toBe(705n);
    expect(metrics.notes).toMatchObject([{ id: "moved-stands-in", count: 1 }]);
  });

  it("are taken from the access where it says them, above others or not", () => {
    const metrics = collect([
      { ...outer, moved: 0 },
      { ...inner, moved: 650 },
      { ...outer, moved: 1000 },
    ]);
    expect(metrics.movedBytes).toBe(1650n);
  });
});

describe("filters", () => {
  const list: TestAccess[] = [
    { start: 0, end: 1, bytes: 1, file: "/a", write: true },
    { start: 2, end: 3, bytes: 10, file: "/b" },
    { start: 4, end: 5, bytes: 100, file: "/b", nonFile: true },
    { start: 6, end: 7, bytes: 1000, file: "/b", error: true },
  ];

  it("leave pipes and sockets out unless asked", () => {
    expect(collect(list)).toMatchObject({ bytes: 1011n, failedAccesses: 1, filtered: { nonFile: 1 } });
    expect(collect(list, { includeNonFile: true })).toMatchObject({ bytes: 1111n, filtered: { nonFile: 0 } });
  });

  it("choose a direction, files, and a stretch of time", () => {
    expect(collect(list, { only: "write" })).toMatchObject({ bytes: 1n, filtered: { direction: 2 } });
    expect(collect(list, { only: "read" })).toMatchObject({ bytes: 1010n, filtered: { direction: 1 } });
    const onlyA = collect(list, { file: (path) => path === "/a" });
    expect(onlyA).toMatchObject({ bytes: 1n, filtered: { file: 2 }, files: 1 });
    const { origin } = collect(list).clock;
    const middle = collect(list, { range: { origin, fromNs: 2, toNs: 6 } });
    expect(middle).toMatchObject({ bytes: 10n, filtered: { time: 2 } });
  });
});

describe("clocks", () => {
  const one: TestAccess[] = [{ start: 5, end: 10, bytes: 1 }];
  const gather = (clocks: readonly CallClock[], options: CollectorOptions = {}) => {
    const collector = new AccessCollector(options);
    for (const [at, clock] of clocks.entries()) feed(collector.sink(`in${at}`), one, clock);
    return collector.finish();
  };
  const real = (epochNs: bigint): CallClock => ({ kind: "realtime", epochNs, uncertaintyNs: 40 });

  it("with times of day become one axis, exactly", () => {
    const day = 1_700_000_000_123_456_789n;
    const metrics = gather([real(day + 3n), real(day), real(day + 100n)]);
    expect(metrics).toMatchObject({ ioTimeNs: 8 + 5, spanSeconds: 105e-9, stretches: 2 });
    expect(metrics.clock).toMatchObject({ kind: "realtime", origin: { ns: day + 5n }, uncertaintyNs: 40 });
  });

  it("without are taken to be one, and a note says so", () => {
    const metrics = gather([OWN, OWN]);
    expect(metrics).toMatchObject({ ioTimeNs: 5, clock: { kind: "own", uncertaintyNs: null } });
    expect(metrics.notes.map(({ id }) => id)).toEqual(["duplicates", "one-clock-assumed"].sort().reverse());
  });

  it("of both kinds are refused with their names, unless each begins at 0", () => {
    expect(() => gather([OWN, real(7n)])).toThrow(
      /^in1 has wall-clock times and in0 has relative times.* --align start/,
    );
    const metrics = gather([OWN, real(10n ** 18n), real(5n)], { align: "start" });
    expect(metrics).toMatchObject({ ioTimeNs: 5, accesses: 3, clock: { kind: "aligned" } });
    expect(metrics.clock.origin.inputs.get("in1")).toBe(10n ** 18n + 5n);
    expect(metrics.notes.map(({ id }) => id)).toContain("aligned");
  });

  it("more than 52 days apart are refused", () => {
    expect(() => gather([real(0n), real(2n ** 52n)])).toThrow(
      /^the accesses of in0 and in1 span more than 52 days/,
    );
  });
});

describe("duplicates", () => {
  const list = Array.from(
    { length: 100 },
    (_, i): TestAccess => ({ start: 7 * i, end: 7 * i + 5, bytes: i }),
  );

  it("are counted, used, and named", () => {
    expect(collect(list).notes).toEqual([]);
    const metrics = collect([...list, ...list.slice(0, 3)]);
    expect(metrics.accesses).toBe(103);
    expect(metrics.notes).toMatchObject([{ id: "duplicates", count: 3 }]);
    expect(collect([...list, { ...(list[9] as TestAccess), pid: 2 }]).notes).toEqual([]);
    expect(collect([...list, { ...(list[9] as TestAccess), bytes: 2 }]).notes).toEqual([]);
  });

  it("are none where a program submits and collects requests for several places at once", () => {
    const [start, end, bytes] = [3, 9, 4096];
    const requests = Array.from(
      { length: 50 },
      (_, i): TestAccess => ({ start, end, bytes, offset: 4096 * i }),
    );
    expect(collect(requests).notes).toEqual([]);
    expect(collect([...requests, ...requests.slice(7, 9)]).notes).toMatchObject([
      { id: "duplicates", count: 2 },
    ]);
  });

  it("of a large collection are estimated from a sample", () => {
    const count = 200_000;
    const columns = {
      startNs: Float64Array.from({ length: 2 * count }, (_, i) => 100 * (i % count)),
      endNs: Float64Array.from({ length: 2 * count }, (_, i) => 100 * (i % count) + 50),
      bytes: new Float64Array(2 * count).fill(8),
    };
    const [note] = accessMetrics(columns).overall.notes.filter(({ id }) => id === "duplicates");
    expect(note?.text).toMatch(/^About .* \(by a sample\)/);
    expect((note?.count ?? 0) / count).toBeCloseTo(1, 1);
    const half = { ...columns, startNs: columns.startNs.map((start, i) => start + (i < count ? 0 : 1)) };
    expect(accessMetrics(half).overall.notes.filter(({ id }) => id === "duplicates")).toEqual([]);
  });
});

describe("pictures", () => {
  it("hold all time of accesses and of T, whatever is drawn", () => {
    fc.assert(
      fc.property(accesses, (list) => {
        const metrics = collect(list, { picture: true });
        const { picture } = metrics;
        expect(picture === null).toBe(list.length === 0);
        if (picture === null) return;
        const total = (values: Iterable<number>) => 1e9 * sum([...values]);
        const durations = sum(list.map(({ start, end }) => end - start));
        expect(total(picture.busySeconds)).toBeCloseTo(metrics.ioTimeNs, 4);
        expect(total(picture.accessSeconds)).toBeCloseTo(durations, 4);
        expect(total(picture.readSeconds) + total(picture.writeSeconds)).toBeCloseTo(durations, 4);
        expect(picture.spans).toHaveLength(list.length);
        const pairs = picture.stretches ?? [];
        expect(pairs).toHaveLength(2 * metrics.stretches);
        expect(total(pairs.map((edge, at) => (at % 2 === 0 ? -edge : edge)))).toBeCloseTo(
          metrics.ioTimeNs,
          4,
        );
      }),
      { numRuns: 100 },
    );
  });

  it("join processes beyond the lanes that there are", () => {
    const list = Array.from(
      { length: 40 },
      (_, i): TestAccess => ({ start: i, end: i + 2, bytes: i, pid: i }),
    );
    const { picture } = collect(list, { picture: true });
    expect(picture?.lanes).toHaveLength(24);
    expect(picture?.lanes.at(-1)).toEqual({ name: "17 other processes", processes: 17 });
    expect(picture?.lanes[0]?.name).toBe("17");
  });
});

describe("limits", () => {
  it("of memory end the work with one line", () => {
    const collector = new AccessCollector({ memoryBytes: 1000 });
    const list = Array.from({ length: 2000 }, (_, i): TestAccess => ({ start: i, end: i, bytes: 1 }));
    expect(() => feed(collector.sink("big"), list)).toThrow(
      /^big: .* accesses need more than 1 kB; raise --memory/,
    );
  });

  it("of windows say what to ask for", () => {
    const list = [{ start: 0, end: 1e9, bytes: 1 }];
    expect(() => collect(list, { everyNs: 100 })).toThrow("are 10,000,000, more than 100,000: take --every");
  });

  it("a reader that gives accesses before its clock is a fault", () => {
    const sink = new AccessCollector().sink("x");
    const block = {
      count: 1,
      startNs: new Float64Array(1),
      endNs: new Float64Array(1),
      bytes: new Float64Array(1),
    };
    const codes = { operation: new Uint8Array(1), layer: new Uint8Array(1), flags: new Uint8Array(1) };
    const ids = { process: new Uint32Array(1), file: new Uint32Array(1), ...codes };
    expect(() => sink.block({ ...block, ...ids })).toThrow("before its clock");
  });
});

describe("notes of the files of an input", () => {
  const told = (...notes: Parameters<CallSink["note"]>[0][]) => {
    const collector = new AccessCollector();
    for (const note of notes) {
      const sink = collector.sink("folder");
      sink.clock(OWN);
      sink.note(note);
    }
    return collector.finish().notes;
  };
  const syncs = (count: number, ns: number) => ({
    id: "sync",
    count,
    amounts: [ns],
    text: (n: number, [time = 0]: readonly number[]) => `${n} syncs took ${time} ns`,
  });
  const untraced = (about: string, calls: number) => ({
    ...{ id: "untraced", about, count: calls, amounts: [calls + 1] },
    text: (n: number, [all = 0]: readonly number[]) => `${n} of ${all} calls of ${about}`,
  });

  it("are one note whose sentence has the totals, whether they were alike or not", () => {
    const input = "folder";
    expect(told(syncs(7, 10), syncs(7, 10), syncs(14, 5), syncs(3, 1))).toEqual([
      { id: "sync", count: 31, text: "31 syncs took 26 ns", input },
    ]);
    expect(told(syncs(1, 2))).toEqual([{ id: "sync", count: 1, text: "1 syncs took 2 ns", input }]);
  });

  it("stay apart where they are about different things", () => {
    expect(told(untraced("POSIX", 15), untraced("MPI-IO", 2), untraced("POSIX", 30))).toMatchObject([
      { count: 45, text: "45 of 47 calls of POSIX" },
      { count: 2, text: "2 of 3 calls of MPI-IO" },
    ]);
    const fixed = { id: "truncated", count: 1 };
    expect(
      told({ ...fixed, text: "line 3" }, { ...fixed, text: "line 4" }, { ...fixed, text: "line 3" }),
    ).toMatchObject([
      { count: 2, text: "line 3" },
      { count: 1, text: "line 4" },
    ]);
  });
});
