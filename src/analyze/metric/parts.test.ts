import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallBlock } from "../../model/calls.ts";
import { AccessCollector } from "./collector.ts";
import type { CollectorOptions, Metrics } from "./metrics.ts";
import { PartCollector } from "./parts.ts";

interface Row {
  readonly start: number;
  readonly length: number;
  readonly bytes: number;
  readonly moved: number;
  readonly file: number;
  readonly flags: number;
}

const row = fc.record({
  start: fc.integer({ min: 0, max: 300 }),
  length: fc.integer({ min: -2, max: 40 }),
  bytes: fc.integer({ min: -1, max: 3 }),
  moved: fc.constantFrom(Number.NaN, 1, 2),
  file: fc.integer({ min: 0, max: 2 }),
  flags: fc.integer({ min: 0, max: 31 }),
});

const blockOf = (rows: readonly Row[], process: number, fileOf: (file: number) => number): CallBlock => ({
  count: rows.length,
  startNs: Float64Array.from(rows, ({ start }) => start),
  endNs: Float64Array.from(rows, ({ start, length }) => start + length),
  bytes: Float64Array.from(rows, ({ bytes }) => bytes),
  movedBytes: Float64Array.from(rows, ({ moved }) => moved),
  process: new Uint32Array(rows.length).fill(process),
  file: Uint32Array.from(rows, ({ file }) => fileOf(file)),
  operation: Uint8Array.from(rows, ({ flags }) => flags & 1),
  layer: new Uint8Array(rows.length),
  flags: Uint8Array.from(rows, ({ flags }) => flags & ~1),
});

/** Accesses that start at once come in any order in a picture. */
function comparable({ picture, ...rest }: Metrics) {
  return { ...rest, spans: picture?.spans?.map((span) => JSON.stringify(span)).sort() };
}

const PATHS = ["/a", "/b", ""];
const CLOCK = { kind: "realtime", epochNs: 77n } as const;
const OPTIONS: readonly CollectorOptions[] = [
  {},
  { ceilPerAccess: true, blockBytes: 2, only: "write" },
  { includeNonFile: true, by: ["file", "direction"], everyNs: 50, picture: true },
  { range: { origin: { ns: 77n, inputs: new Map() }, fromNs: 50, toNs: 200 } },
];

describe("parts", () => {
  it("collected by themselves make the same collection", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(row, { maxLength: 30 }), { maxLength: 5 }),
        fc.constantFrom(...OPTIONS),
        fc.integer({ min: 1, max: 3 }),
        (parts, options, workers) => {
          const whole = new AccessCollector(options);
          const sink = whole.sink("one");
          sink.clock(CLOCK);
          const process = sink.process({ pid: 5 });
          for (const rows of parts)
            if (rows.length > 0)
              sink.block(blockOf(rows, process, (file) => sink.file({ path: PATHS[file] as string })));

          const joined = new AccessCollector(options);
          const target = joined.sink("one");
          target.clock(CLOCK);
          const owner = target.process({ pid: 5 });
          const partOptions = joined.partOptions;
          if (partOptions === undefined) throw new Error("parts can be collected");
          const collectors = Array.from(
            { length: workers },
            () => new PartCollector({ ...partOptions, records: 0 }, false),
          );
          parts.forEach((rows, at) => {
            // Files of a part are numbered by their first access, as a reader does.
            const files = [...new Set(rows.map(({ file }) => file))];
            const collector = collectors[at % workers] as PartCollector;
            const part = collector.collect(target.partOrigin(5), (take) =>
              take(blockOf(rows, 0, (file) => files.indexOf(file))),
            );
            const numbers = files.map((file) => target.file({ path: PATHS[file] as string }));
            target.absorb(structuredClone(part), owner, Uint32Array.from(numbers));
          });
          for (const { duplicates } of collectors) joined.addDuplicates(duplicates.table);
          expect(comparable(joined.finish())).toEqual(comparable(whole.finish()));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("are not offered where the names of files decide", () => {
    expect(new AccessCollector({ file: () => true }).partOptions).toBeUndefined();
  });

  it("find duplicates across parts, of many accesses the same sample", () => {
    const rows = Array.from({ length: 200_000 }, (_, i): Row => {
      const one = i % 150_000;
      return { start: one * 11, length: one % 97, bytes: 1, moved: 1, file: 0, flags: 0 };
    });
    const found = (cuts: readonly number[]) => {
      const joined = new AccessCollector();
      const target = joined.sink("one");
      target.clock(CLOCK);
      const owner = target.process({ pid: 5 });
      const files = Uint32Array.of(target.file({ path: "/a" }));
      const partOptions = joined.partOptions;
      if (partOptions === undefined) throw new Error("parts can be collected");
      cuts.forEach((from, at) => {
        const collector = new PartCollector({ ...partOptions, records: 0 }, false);
        const own = rows.slice(from, cuts[at + 1]);
        const part = collector.collect(target.partOrigin(5), (take) => take(blockOf(own, 0, () => 0)));
        target.absorb(part, owner, files);
        joined.addDuplicates(collector.duplicates.table);
      });
      return joined.finish().notes.find(({ id }) => id === "duplicates")?.count;
    };
    const once = found([0]);
    expect(once).toBeGreaterThan(45_000);
    expect(once).toBeLessThan(55_000);
    expect(found([0, 60_000, 61_000, 170_000])).toBe(once);
  });
});
