import { describe, expect, it } from "vitest";
import { cpuMsOf } from "../../../test/cpu-time.ts";
import { Random } from "../../base/prng.ts";
import { addCalls, type TestCall } from "./test-kit.ts";
import { TraceFactsBuilder, type TraceWay } from "./trace-facts.ts";

type Call = TestCall;

const call = (values: Partial<Call>): Call => ({
  rank: 0,
  file: 1n,
  layer: "POSIX",
  isWrite: true,
  offset: 0,
  bytes: 1,
  startNs: 0,
  endNs: 1,
  ...values,
});

/** Byte by byte and nanosecond by nanosecond. */
function counted(calls: readonly Call[]) {
  const bytes = new Set<number>();
  const byRank = new Set<string>();
  const busy = new Set<number>();
  let [consecutive, strided] = [0, 0];
  for (const rank of new Set(calls.map((one) => one.rank))) {
    const own = calls.filter((one) => one.rank === rank);
    own.forEach(({ offset, bytes: size }, i) => {
      const gap = (at: number) =>
        (own[at]?.offset ?? Number.NaN) - ((own[at - 1]?.offset ?? Number.NaN) + (own[at - 1]?.bytes ?? 0));
      if (gap(i) === 0) consecutive++;
      else if (gap(i) === gap(i - 1) && own[i - 1]?.bytes === size) strided++;
      for (let b = offset; b < offset + size; b++) {
        bytes.add(b);
        byRank.add(`${rank} ${b}`);
      }
    });
  }
  for (const { startNs, endNs } of calls) for (let ns = startNs; ns < endNs; ns++) busy.add(ns);
  return {
    calls: calls.length,
    bytes: calls.reduce((sum, one) => sum + one.bytes, 0),
    seconds: calls.reduce((sum, one) => sum + one.endNs - one.startNs, 0) / 1e9,
    busySeconds: busy.size / 1e9,
    ranks: new Set(calls.map((one) => one.rank)).size,
    distinctBytes: bytes.size,
    distinctByRankBytes: byRank.size,
    consecutiveCalls: consecutive,
    stridedCalls: strided,
    touched: bytes,
  };
}

function expectWay(way: TraceWay, calls: readonly Call[], whole: boolean): void {
  const { touched: _, seconds, busySeconds, ...exact } = counted(calls);
  const { distinctBytes, distinctByRankBytes, ranks, ...others } = exact;
  expect(way).toMatchObject(others);
  if (whole) expect(way).toMatchObject({ distinctBytes, distinctByRankBytes, ranks });
  expect(way.seconds).toBeCloseTo(seconds, 12);
  expect(way.busySeconds).toBeCloseTo(busySeconds, 12);
  if (calls.length > 0) {
    expect(way.firstSeconds).toBeCloseTo(Math.min(...calls.map(({ startNs }) => startNs)) / 1e9, 12);
    expect(way.lastSeconds).toBeCloseTo(Math.max(...calls.map(({ endNs }) => endNs)) / 1e9, 12);
  }
}

describe("TraceFactsBuilder", () => {
  it.each([1, 2, 3, 4, 5, 6])("counts as a count byte by byte does (seed %i)", (seed) => {
    const random = new Random(seed);
    const builder = new TraceFactsBuilder();
    const all: Call[] = [];
    for (const layer of ["POSIX", "MPI-IO"])
      for (const file of [1n, 2n])
        for (let rank = 0; rank < 3; rank++) {
          const stride = random.below(3) * 8;
          let offset = random.below(50);
          const own = Array.from({ length: 1 + random.below(25) }, () => {
            const bytes = random.below(4) === 0 ? random.below(20) : 8;
            const startNs = random.below(400);
            const one = call({
              rank,
              file,
              layer,
              isWrite: random.below(2) === 0,
              offset,
              bytes,
              startNs,
              endNs: startNs + random.below(30),
            });
            offset = random.below(5) === 0 ? random.below(300) : offset + bytes + stride;
            return one;
          });
          all.push(...own);
          addCalls(builder, own, rank, 0);
        }
    const facts = builder.finish()!;
    expect(facts.dropped).toBe(0);
    expect(facts.files).toHaveLength(4);
    for (const one of facts.files) {
      const own = all.filter(({ file, layer }) => String(file) === one.fileId && layer === one.layer);
      const [writes, reads] = [own.filter((c) => c.isWrite), own.filter((c) => !c.isWrite)];
      expectWay(one.write, writes, true);
      expectWay(one.read, reads, true);
      expect(one.busySeconds).toBeCloseTo(counted(own).busySeconds, 12);
      const read = counted(reads).touched;
      expect(one.writtenAndReadBytes).toBe([...counted(writes).touched].filter((b) => read.has(b)).length);
    }
    for (const one of facts.layers) {
      const own = all.filter(({ layer }) => layer === one.layer);
      // Order is per file, so the counts of a layer are those of its files.
      for (const way of ["read", "write"] as const) {
        const calls = own.filter(({ isWrite }) => isWrite === (way === "write"));
        expect(one[way].calls).toBe(calls.length);
        expect(one[way].bytes).toBe(counted(calls).bytes);
        expect(one[way].busySeconds).toBeCloseTo(counted(calls).busySeconds, 12);
      }
      expect(one.busySeconds).toBeCloseTo(counted(own).busySeconds, 12);
    }
  });

  it("leaves out calls that make no sense, and says how many", () => {
    const builder = new TraceFactsBuilder();
    addCalls(
      builder,
      [
        call({}),
        call({ startNs: 5, endNs: 4 }),
        call({ startNs: -1 }),
        call({ startNs: Number.NaN }),
        call({ endNs: 1e18 }),
        call({ bytes: Number.NaN }),
        call({ bytes: Number.POSITIVE_INFINITY }),
      ],
      0,
      0,
    );
    const facts = builder.finish()!;
    expect(facts.dropped).toBe(6);
    expect(facts.files[0]?.write).toMatchObject({ calls: 1, bytes: 1 });
  });

  it("does not know distinct bytes when an offset is not known", () => {
    const builder = new TraceFactsBuilder();
    addCalls(builder, [call({}), call({ offset: Number.NaN })], 0, 0);
    expect(builder.finish()?.files[0]?.write).toMatchObject({
      calls: 2,
      distinctBytes: Number.NaN,
      distinctByRankBytes: Number.NaN,
    });
  });

  it("moves calls of a later log", () => {
    const builder = new TraceFactsBuilder();
    addCalls(builder, [call({ startNs: 0, endNs: 10 })], 0, 0);
    addCalls(builder, [call({ startNs: 0, endNs: 10 })], 1, 1e9);
    const [file] = builder.finish()!.files;
    expect(file?.write).toMatchObject({
      ranks: 2,
      firstSeconds: 0,
      distinctBytes: 1,
      distinctByRankBytes: 2,
    });
    expect(file?.write.lastSeconds).toBe(1 + 1e-8);
    expect(file?.busySeconds).toBeCloseTo(2e-8, 12);
  });

  it("has nothing to say without calls", () => {
    expect(new TraceFactsBuilder().finish()).toBeUndefined();
    expect(new TraceFactsBuilder().empty).toBe(true);
  });
});

describe("load of OSTs from traces", () => {
  it.each([1, 2, 3, 4])("is that of a count byte by byte (seed %i)", (seed) => {
    const random = new Random(seed);
    const builder = new TraceFactsBuilder();
    const expected = new Map<number, { read: number; written: number; seconds: number; calls: number }>();
    for (let n = 0; n < 12; n++) {
      const stripeBytes = 1 + random.below(40);
      const osts = Array.from({ length: 1 + random.below(6) }, () => random.below(9));
      const calls = Array.from({ length: 20 }, () =>
        call({
          file: BigInt(n),
          isWrite: random.below(2) === 0,
          offset: random.below(2000),
          bytes: random.below(random.below(3) === 0 ? 3000 : 60),
          startNs: random.below(1e9),
          endNs: 1e9 + random.below(1e9),
        }),
      );
      addCalls(builder, calls, 0, 0, { stripeBytes, osts });
      for (const { offset, bytes, isWrite, startNs, endNs } of calls)
        for (let b = offset; b < offset + bytes; b++) {
          const ost = osts[Math.floor(b / stripeBytes) % osts.length] as number;
          const sums = expected.get(ost) ?? { read: 0, written: 0, seconds: 0, calls: 0 };
          if (isWrite) sums.written++;
          else sums.read++;
          sums.seconds += (endNs - startNs) / 1e9 / bytes;
          sums.calls += 1 / bytes;
          expected.set(ost, sums);
        }
    }
    expect(new Set(builder.osts.keys())).toEqual(new Set(expected.keys()));
    for (const [ost, sums] of expected) {
      const got = builder.osts.get(ost)!;
      expect({ read: got.bytesRead, written: got.bytesWritten }).toEqual({
        read: sums.read,
        written: sums.written,
      });
      expect(got.seconds).toBeCloseTo(sums.seconds, 6);
      expect(got.calls).toBeCloseTo(sums.calls, 6);
    }
  });

  it("takes POSIX calls with a layout only", () => {
    const builder = new TraceFactsBuilder();
    const layout = { stripeBytes: 10, osts: [1] };
    addCalls(builder, [call({ layer: "MPI-IO" })], 0, 0, layout);
    addCalls(builder, [call({})], 0, 0);
    addCalls(builder, [call({ offset: Number.NaN }), call({ bytes: 0 }), call({ endNs: -1 })], 0, 0, layout);
    expect([...builder.osts]).toEqual([]);
  });

  it("does not walk through the stripes of a huge call", () => {
    const builder = new TraceFactsBuilder();
    const layout = { stripeBytes: 1, osts: [3, 4] };
    expect(cpuMsOf(() => addCalls(builder, [call({ bytes: 2 ** 52 })], 0, 0, layout))).toBeLessThan(500);
    expect(builder.osts.get(3)?.bytesWritten).toBe(2 ** 51);
    expect(builder.osts.get(4)?.bytesWritten).toBe(2 ** 51);
  });
});
