import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CASES, endOf, PieceCursor, patternOf, pieceBlock } from "../pattern/index.ts";
import { nullStorage } from "../storage/index.ts";
import type { StorageFile } from "../storage.ts";
import { expectedCounts, METHOD_DEFAULTS, METHODS, runOperation, type StorageShape } from "./index.ts";
import { INSIDE } from "./method.ts";
import { onRanks } from "./test-kit.ts";

/** Counts the servers of each request strip by strip. */
class StripCounter {
  messages = 0;
  readonly #shape: Required<Pick<StorageShape, "servers" | "stripBytes">> & { messageBytesMax?: number };

  constructor(shape: Required<Pick<StorageShape, "servers" | "stripBytes">> & { messageBytesMax?: number }) {
    this.#shape = shape;
  }

  range(at: number, bytes: number): void {
    const { servers, stripBytes, messageBytesMax: most = Number.POSITIVE_INFINITY } = this.#shape;
    const round = stripBytes > most ? most : servers * stripBytes * Math.floor(most / stripBytes);
    for (let done = 0; done < bytes; done += round) this.pieces([[at + done, Math.min(round, bytes - done)]]);
  }

  pieces(pieces: readonly (readonly [number, number])[]): void {
    const { servers, stripBytes } = this.#shape;
    const touched = new Set<number>();
    for (const [at, length] of pieces)
      for (let strip = Math.floor(at / stripBytes); strip * stripBytes < at + length; strip++)
        touched.add(strip % servers);
    this.messages += touched.size;
  }
}

function counted(file: StorageFile, counter: StripCounter): StorageFile {
  const typed = (
    start: number,
    type: Parameters<NonNullable<StorageFile["writeType"]>>[1],
    skip: number,
    data: Uint8Array,
  ) => {
    const pieces: [number, number][] = [];
    const block = pieceBlock(256);
    for (
      const cursor = new PieceCursor(type, { start, from: skip, to: skip + data.length });
      cursor.next(block) > 0;
    )
      for (let i = 0; i < block.count; i++)
        pieces.push([block.offsets[i] as number, block.lengths[i] as number]);
    counter.pieces(pieces);
    return undefined;
  };
  const listed: StorageFile["writeList"] = ({ count, offsets, lengths }) => {
    counter.pieces(Array.from({ length: count }, (_, i) => [offsets[i] as number, lengths[i] as number]));
    return undefined;
  };
  const plain = (at: number, bytes: Uint8Array): undefined => counter.range(at, bytes.length) as undefined;
  return {
    ...file,
    write: plain,
    read: plain,
    ...(file.writeList !== undefined && { writeList: listed, readList: listed }),
    ...(file.writeType !== undefined && { writeType: typed, readType: typed }),
  };
}

describe.each(METHODS)("the formula of method %s", (method) => {
  it("gives the messages to servers that counting strip by strip gives", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          ranks: fc.integer({ min: 1, max: 4 }),
          count: fc.integer({ min: 1, max: 40 }),
          size: fc.integer({ min: 1, max: 40 }),
          gap: fc.nat(60),
          case: fc.constantFrom(...CASES),
        }),
        fc.record({
          listPairs: fc.integer({ min: 1, max: 10 }),
          sieveBytes: fc.integer({ min: 20, max: 300 }),
          aggregators: fc.integer({ min: 1, max: 4 }),
          collectiveBytes: fc.integer({ min: 20, max: 500 }),
          alignBytes: fc.constantFrom(1, 32),
          requestBytes: fc.integer({ min: 10, max: 90 }),
          flowPairs: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
          inside: fc.constantFrom(...INSIDE),
        }),
        fc.constantFrom({}, { listMax: 8 }, { listMax: 8, types: true }),
        fc.record({
          servers: fc.integer({ min: 1, max: 5 }),
          stripBytes: fc.constantFrom(8, 24, 64),
          messageBytesMax: fc.constantFrom(90, 200, 1000),
        }),
        fc.constantFrom("write" as const, "read" as const),
        async ({ gap, ...rest }, chosen, offers, strips, direction) => {
          const spec = { pattern: "ncio" as const, ...rest, spacing: rest.size + gap };
          const pattern = patternOf(spec);
          const storage = nullStorage(offers);
          const counter = new StripCounter(strips);
          await onRanks(spec.ranks, async (communicator) => {
            const file = counted(await storage.open("f", "write"), counter);
            const access = pattern.access(communicator.rank);
            const buffer = new Uint8Array(endOf(access.memory));
            await runOperation({
              method,
              direction,
              storage,
              file,
              access,
              buffer,
              communicator,
              options: chosen,
            });
          });
          const shape = { ...storage, ...strips };
          const options = { ...METHOD_DEFAULTS, ...chosen };
          expect(expectedCounts(spec, method, direction, options, shape).messages).toBe(counter.messages);
        },
      ),
      { numRuns: 80 },
    );
  });
});

describe("the formulas", () => {
  const storage = { listMax: 64, hasTypes: true, servers: 4, stripBytes: 65536 };
  const paper = { pattern: "ncio", ranks: 4, count: 4096, size: 8, spacing: 128 } as const;
  const counts = (method: (typeof METHODS)[number], name: (typeof CASES)[number], count = 4096) => {
    const { requests, messages } = expectedCounts(
      { ...paper, count, case: name },
      method,
      "write",
      METHOD_DEFAULTS,
      storage,
    );
    return [requests, messages];
  };

  it("give the numbers of the paper's defaults for four clients and four servers", () => {
    expect(counts("posix", "c-nc")).toEqual([4 * 4096, 4 * 4096]);
    expect(counts("list", "c-nc")).toEqual([4 * 64, 4 * 64]);
    expect(counts("datatype", "c-nc")).toEqual([4, 16]);
    expect(counts("posix", "c-c")).toEqual([4, 4]);
    expect(counts("list", "nc-c")).toEqual([256, 256]);
    // 1048576 / 64 requests of each process, as its section 5.1 says.
    expect(counts("list", "nc-c", 1048576)[0]).toBe(4 * 16384);
  });

  it("need no walk over the regions", () => {
    const huge = { ...paper, ranks: 8, count: 2 ** 36 } as const;
    const shape = { ...storage, hasTypes: false };
    const requests = (method: "posix" | "list", name: (typeof CASES)[number]) =>
      expectedCounts({ ...huge, case: name }, method, "write", METHOD_DEFAULTS, shape).requests;
    expect(requests("posix", "nc-nc")).toBe(2 ** 39);
    expect(requests("list", "c-nc")).toBe(2 ** 33);
  });
});
