/** Calls that reach the collector as words, beside the same calls as columns. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AccessRuns } from "../../analyze/metric/access-runs.ts";
import { AccessBatches } from "../../analyze/metric/access-batches.ts";
import { PartCollector } from "../../analyze/metric/parts.ts";
import { bytesSource } from "../../base/source.ts";
import { readHeader } from "../../formats/trace/header.ts";
import { HEADER_BYTES, RECORD_APPENDED, RECORD_BYTES } from "../../formats/trace/layout.ts";
import { readTracePart } from "../../formats/trace/parts.ts";
import { type MadeAccess, makeTrace, START_MONOTONIC as S } from "../../formats/trace/test-kit.ts";

const ORIGIN = {
  pid: 7,
  offsetNs: 3e9,
  fromNs: Number.NEGATIVE_INFINITY,
  toNs: Number.POSITIVE_INFINITY,
};

/** Calls alike, many or few; some end before they start, have a negative size, or lie beyond a change of the high word. */
const stretch = fc
  .record({
    kind: fc.constantFrom(1, 2, 17, 35),
    flags: fc.constantFrom(0, 1, 2, 4, 8, 16, 64, 1 | RECORD_APPENDED),
    file: fc.integer({ min: 0, max: 3 }),
    count: fc.constantFrom(1, 3, 63, 64, 65, 400),
    seed: fc.nat(),
    offsets: fc.boolean(),
  })
  .map(({ count, seed, offsets, ...what }) =>
    Array.from({ length: count }, (_, at): MadeAccess => {
      const mixed = Math.imul(seed + at * 97, 0x9e3779b1) >>> 0;
      const start = S + BigInt(at * 50_000_000 + (mixed % 1000));
      const bytes = mixed % 41 === 0 && !offsets ? -5 : mixed % 5000;
      const end = mixed % 37 === 0 ? start - 1n : start + BigInt(mixed % 90_000);
      return { ...what, bytes, ...(offsets ? { offset: BigInt(mixed) * 3n } : {}), start, end };
    }),
  );

function collected(trace: Uint8Array, only: "read" | "write" | undefined, asWords: boolean) {
  const source = bytesSource(trace, "trace");
  const records = (trace.length - HEADER_BYTES) / RECORD_BYTES;
  const options = { blockBytes: 512, ceilPerAccess: false, includeNonFile: false, detail: true, records };
  const collector = new PartCollector({ ...options, ...(only === undefined ? {} : { only }) }, false);
  let words = 0;
  let facts: unknown;
  const { packed, ...part } = collector.collect(ORIGIN, (take, takeWords) => {
    const counted = (calls: Parameters<NonNullable<typeof takeWords>>[0]) => {
      words += calls.to - calls.from;
      takeWords?.(calls);
    };
    facts = readTracePart(
      source,
      readHeader(source),
      { from: 0, to: records },
      take,
      asWords ? counted : undefined,
    );
  });
  const runs = new AccessRuns();
  if (packed !== undefined)
    runs.append(
      packed,
      0,
      Uint32Array.from({ length: 64 }, (_, at) => at),
    );
  const batches = new AccessBatches(runs, new Float64Array(1));
  const rows: string[] = [];
  const { start, end, tally, bytes } = batches;
  while (batches.next())
    for (let at = 0; at < batches.starts; at++)
      rows.push([start, end, tally, bytes].map((column) => column[at]).join(" "));
  return { answer: { part, facts, rows: rows.sort(), duplicates: collector.duplicates.found }, words };
}

describe("calls as words", () => {
  it("make the same collection as columns", () => {
    let most = 0;
    fc.assert(
      fc.property(
        fc.array(stretch, { minLength: 1, maxLength: 6 }),
        fc.constantFrom("read" as const, "write" as const, undefined),
        fc.constantFrom(1n, 2n),
        fc.boolean(),
        (stretches, only, version, little) => {
          // Version 1 has no offsets: their sums would be too large to be exact.
          const accesses = stretches.flat().map(({ offset, ...access }) => ({
            ...access,
            ...(offset === undefined || version === 1n ? {} : { offset }),
          }));
          const trace = makeTrace({ little, accesses, header: { version } });
          const [columns, words] = [false, true].map((asWords) => collected(trace, only, asWords));
          most = Math.max(most, words?.words ?? 0);
          expect(words?.answer).toEqual(columns?.answer);
        },
      ),
      { numRuns: 120 },
    );
    expect(most).toBeGreaterThan(400);
  });
});
