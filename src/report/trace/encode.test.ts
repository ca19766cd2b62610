import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Trace } from "../../model/trace.ts";
import { decodeTrace } from "../../../web/report/trace/decode.ts";
import { encodeTrace } from "./encode.ts";
import { checkpointTrace, emptyTrace } from "./test-kit.ts";

const whole = (max: number) => fc.integer({ min: 0, max });
const bytes = fc.oneof(whole(100), fc.constantFrom(4096, 65536, 1 << 20), fc.maxSafeNat());

const anyTrace: fc.Arbitrary<Trace> = fc
  .record({
    calls: fc.array(
      fc.record({
        start: fc.double({ min: -1, max: 1e6, noNaN: true }),
        duration: fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.constant(0)),
        bytes,
        offset: fc.oneof(bytes, fc.constant(Number.NaN)),
        rank: whole(6),
        file: whole(2),
        layer: whole(1),
        write: whole(1),
      }),
      { maxLength: 150 },
    ),
    cells: fc.uniqueArray(whole(99), { maxLength: 40 }),
    values: fc.array(bytes, { minLength: 40, maxLength: 40 }),
    busy: fc.array(fc.double({ min: 0, max: 1e5, noNaN: true }), { minLength: 40, maxLength: 40 }),
    hint: fc.string({ unit: "grapheme" }),
    seconds: fc.double({ min: 0, max: 1e7, noNaN: true }),
    coverage: fc.constantFrom<Trace["coverage"]>(
      { kind: "all" },
      { kind: "none" },
      { kind: "window", startSeconds: 1.25, endSeconds: 7 },
    ),
  })
  .map(({ calls, cells, values, busy, hint, seconds, coverage }) => {
    calls.sort((a, b) => a.start - b.start);
    const cell = Uint32Array.from(cells.sort((a, b) => a - b));
    const numbers = Float64Array.from(values.slice(0, cell.length));
    const file = { bytesRead: 1, bytesWritten: 2, endOffset: 3, stripeBytes: 4, stripeCount: 5 };
    return {
      ...emptyTrace(),
      seconds: seconds + 0,
      ranks: 7,
      files: [
        { ...file, fileId: "18446744073709551615", path: hint },
        { ...file, fileId: "2", path: "</script>" },
      ],
      filesTotal: 9,
      layers: [
        { name: "POSIX", calls: 5 },
        { name: "MPI-IO", calls: 3 },
      ],
      coverage,
      hint,
      calls: {
        count: calls.length,
        startSeconds: Float64Array.from(calls, (call) => call.start),
        endSeconds: Float64Array.from(calls, (call) => call.start + call.duration),
        bytes: Float64Array.from(calls, (call) => call.bytes),
        // Offsets come back exactly as far as their differences are exact.
        offset: Float64Array.from(calls, (call) => Math.floor(call.offset / 4)),
        rank: Uint32Array.from(calls, (call) => call.rank),
        file: Uint32Array.from(calls, (call) => call.file),
        layer: Uint8Array.from(calls, (call) => call.layer),
        write: Uint8Array.from(calls, (call) => call.write),
      },
      bins: [
        {
          lanesBy: "rank",
          layer: 1,
          ranksPerLane: 2,
          lanes: 4,
          columns: 25,
          cell,
          calls: numbers,
          bytesRead: numbers,
          bytesWritten: numbers.toReversed(),
          busySeconds: Float64Array.from(busy.slice(0, cell.length)),
        },
      ],
      offsets: [
        {
          file: 1,
          layer: 0,
          rows: 10,
          rowBytes: 1.5,
          columns: 10,
          cell,
          bytesRead: numbers,
          bytesWritten: numbers,
        },
      ],
    } satisfies Trace;
  });

function closeTo(found: Float64Array, expected: Float64Array, absolute: number, relative: number) {
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < found.length; i++) {
    const limit = absolute + relative * Math.abs(expected[i]!);
    if (!(Math.abs(found[i]! - expected[i]!) <= limit))
      expect.fail(`entry ${i}: ${found[i]} is not ${expected[i]} ± ${limit}`);
  }
}

describe("a trace as bytes", () => {
  it("comes back, times to the nanosecond and busy seconds to 12 binary digits", () => {
    fc.assert(
      fc.property(anyTrace, (trace) => {
        const found = decodeTrace(encodeTrace(trace));
        closeTo(found.calls.startSeconds, trace.calls.startSeconds, 0.5e-9, 2 ** -52);
        closeTo(found.calls.endSeconds, trace.calls.endSeconds, 0.5e-9, 2 ** -52);
        closeTo(found.bins[0]!.busySeconds, trace.bins[0]!.busySeconds, 1e-38, 2 ** -12);
        const { startSeconds, endSeconds } = trace.calls;
        const { busySeconds } = trace.bins[0]!;
        expect({
          ...found,
          calls: { ...found.calls, startSeconds, endSeconds },
          bins: [{ ...found.bins[0]!, busySeconds }],
        }).toEqual(trace);
      }),
      { numRuns: 300 },
    );
  });

  it("has the spans of the application, and none where there are none", () => {
    const spans = [
      {
        category: "ai",
        name: "compute",
        startSeconds: Float64Array.of(0.25, 2),
        endSeconds: Float64Array.of(1.5, 3.000000001),
      },
      { category: "", name: "é", startSeconds: new Float64Array(0), endSeconds: new Float64Array(0) },
    ];
    expect(decodeTrace(encodeTrace({ ...emptyTrace(), spans })).spans).toEqual(spans);
    expect(decodeTrace(encodeTrace(emptyTrace())).spans).toBeUndefined();
    const backwards = [{ ...(spans[0] as (typeof spans)[0]), endSeconds: Float64Array.of(2.5, 3) }];
    expect(() => decodeTrace(encodeTrace({ ...emptyTrace(), spans: backwards }))).toThrow(
      "span 1 starts before",
    );
  });

  it("is empty when nothing was traced", () => {
    expect(decodeTrace(encodeTrace(emptyTrace()))).toEqual(emptyTrace());
  });

  it("never takes damaged bytes for anything but a trace or an error", () => {
    const good = encodeTrace(checkpointTrace({ ranks: 3, calls: 90 }));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(whole(good.length - 1), whole(255)), { minLength: 1, maxLength: 4 }),
        whole(good.length),
        fc.boolean(),
        (changes, length, cut) => {
          const bad = good.slice();
          for (const [at, value] of changes) bad[at] = value;
          try {
            decodeTrace(cut ? bad.subarray(0, length) : bad);
          } catch (error) {
            expect((error as Error).message).toMatch(/^trace: /);
          }
        },
      ),
      { numRuns: 1000 },
    );
    expect(() => decodeTrace(good.subarray(0, good.length - 1))).toThrow(/needs \d+ bytes, \d+ left/);
    expect(() => decodeTrace(new Uint8Array(3))).toThrow("3 bytes are too few");
    expect(() => decodeTrace(new Uint8Array(99))).toThrow("not a trace");
  });

  it("holds 50,000 calls in less than 0.6 MB of base64", () => {
    const trace = checkpointTrace({ ranks: 64, calls: 50_000 });
    const bytes = encodeTrace(trace);
    const base64 = (deflateRawSync(bytes).length * 4) / 3;
    expect(trace.calls.count).toBeGreaterThan(47_000);
    expect(base64).toBeLessThan(0.6e6);
  });
});
