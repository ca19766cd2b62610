import { everyPlace, regionsOf } from "./test-kit.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../base/errors.ts";
import {
  CASES,
  dataBytes,
  endOf,
  isContiguous,
  isOrdered,
  type PatternSpec,
  patternOf,
  pieceCount,
} from "./index.ts";

const small = fc.integer({ min: 1, max: 5 });
const natural = fc.nat(2);
const specs: fc.Arbitrary<PatternSpec> = fc.oneof(
  fc
    .record({
      ranks: small,
      count: small,
      size: fc.integer({ min: 1, max: 9 }),
      gap: fc.nat(9),
      case: fc.constantFrom(...CASES),
    })
    .map(({ gap, ...spec }): PatternSpec => ({ pattern: "ncio", ...spec, spacing: spec.size + gap })),
  fc
    .record({
      ranks: small,
      count: small,
      size: small,
      gap: fc.nat(9),
      memoryGap: fc.nat(9),
      case: fc.constantFrom(...CASES),
    })
    .map(
      ({ gap, memoryGap, ...spec }): PatternSpec => ({
        pattern: "hpio",
        ...spec,
        spacing: spec.size + gap,
        memorySpacing: spec.size + memoryGap,
      }),
    ),
  fc
    .record({
      ranks: small,
      blocks: small,
      cells: fc.integer({ min: 1, max: 3 }),
      guard: natural,
      variables: small,
      size: small,
    })
    .map((spec): PatternSpec => ({ pattern: "flash", ...spec })),
  fc
    .record({
      ranks: small,
      cells: fc.integer({ min: 5, max: 30 }),
      variables: fc.integer({ min: 3, max: 5 }),
      size: small,
      order: fc.constantFrom("cell" as const, "variable" as const),
      variable: fc.option(fc.nat(2), { nil: undefined }),
    })
    .map(
      ({ variable, ...spec }): PatternSpec => ({
        pattern: "ipars",
        ...spec,
        ...(variable !== undefined && { variable }),
      }),
    ),
  fc
    .record({
      grid: fc.tuple(
        fc.integer({ min: 3, max: 7 }),
        fc.integer({ min: 3, max: 7 }),
        fc.integer({ min: 3, max: 7 }),
      ),
      ranksGrid: fc
        .tuple(natural, natural, natural)
        .map(([z, y, x]) => [z + 1, y + 1, x + 1] as [number, number, number]),
      size: small,
      ghost: natural,
    })
    .map((spec): PatternSpec => ({ pattern: "subarray", ...spec })),
);

describe("a pattern", () => {
  it("gives a list and datatypes that agree byte for byte, and ranks that never overlap", () => {
    fc.assert(
      fc.property(specs, (spec) => {
        const pattern = patternOf(spec);
        const taken = new Set<number>();
        let end = 0;
        let total = 0;
        for (let rank = 0; rank < pattern.ranks; rank++) {
          const access = pattern.access(rank);
          const memory = everyPlace(access.memory);
          const file = everyPlace(access.file, access.fileStart);
          expect(dataBytes(access.memory)).toBe(dataBytes(access.file));
          expect(new Set(memory).size).toBe(memory.length);
          expect(isOrdered(access.file)).toBe(true);
          const regions = regionsOf(access);
          let n = 0;
          let same = true;
          for (const region of regions)
            for (let i = 0; i < region.length; i++, n++)
              same &&= memory[n] === region.memory + i && file[n] === region.file + i;
          expect([same, n]).toEqual([true, memory.length]);
          // As few regions as there can be.
          const whole = regions.every((region, i) => {
            const last = regions[i - 1];
            return (
              last?.memory !== region.memory - (last?.length ?? 0) || last.file + last.length !== region.file
            );
          });
          expect(whole).toBe(true);
          for (const place of file) {
            taken.add(place);
            end = Math.max(end, place + 1);
          }
          total += file.length;
        }
        expect(taken.size).toBe(total);
        expect(pattern.fileBytes).toBe(end);
      }),
      { numRuns: 400 },
    );
  });

  it("of NCIO lies as its layout says", () => {
    const pattern = patternOf({ pattern: "ncio", ranks: 4, count: 3, size: 8, spacing: 128, case: "nc-nc" });
    expect(regionsOf(pattern.access(2))).toEqual([
      { memory: 0, file: 256, length: 8 },
      { memory: 128, file: 768, length: 8 },
      { memory: 256, file: 1280, length: 8 },
    ]);
    expect(pattern.fileBytes).toBe(11 * 128 + 8);
    const contiguous = patternOf({ pattern: "ncio", ranks: 4, count: 3, size: 8, spacing: 128, case: "c-c" });
    expect(regionsOf(contiguous.access(2))).toEqual([{ memory: 0, file: 48, length: 24 }]);
  });

  it("of FLASH has 24 file regions of 80 blocks each, and a memory region for each variable of each cell", () => {
    const pattern = patternOf({ pattern: "flash", ranks: 16 });
    const { memory, file } = pattern.access(3);
    expect(pieceCount(file)).toBe(24);
    expect(pieceCount(memory)).toBe(24 * 80 * 512);
    expect(endOf(memory)).toBeLessThanOrEqual(80 * 16 ** 3 * 24 * 8);
    expect(pattern.fileBytes).toBe(16 * 24 * 80 * 512 * 8);
  });

  it("of FLASH finds each value at its place", () => {
    const pattern = patternOf({
      pattern: "flash",
      ranks: 2,
      blocks: 2,
      cells: 2,
      guard: 1,
      variables: 3,
      size: 4,
    });
    const regions = regionsOf(pattern.access(1));
    const at = (variable: number, block: number, z: number, y: number, x: number) => ({
      memory: ((((block * 4 + z + 1) * 4 + y + 1) * 4 + x + 1) * 3 + variable) * 4,
      file: ((((variable * 4 + 2 + block) * 2 + z) * 2 + y) * 2 + x) * 4,
      length: 4,
    });
    const expected = [0, 1, 2].flatMap((v) =>
      [0, 1].flatMap((b) =>
        [0, 1].flatMap((z) => [0, 1].flatMap((y) => [0, 1].map((x) => at(v, b, z, y, x)))),
      ),
    );
    expect(regions).toEqual(expected);
  });

  it("of IPARS stores 17 variables of 9,000 cells, or one of them", () => {
    const all = patternOf({ pattern: "ipars", ranks: 4 });
    expect(all.fileBytes).toBe(9000 * 17 * 4);
    expect(isContiguous(all.access(0).file)).toBe(true);
    expect(pieceCount(all.access(0).memory)).toBe(2250 * 17);
    const one = patternOf({ pattern: "ipars", ranks: 4, variable: 16 }).access(3);
    expect([isContiguous(one.memory), pieceCount(one.file), one.fileStart]).toEqual([
      true,
      2250,
      (6750 * 17 + 16) * 4,
    ]);
  });

  it.each<[unknown, string]>([
    [{ pattern: "nciö" }, "unknown pattern: nciö (have: ncio, hpio, flash, ipars, subarray)"],
    [[], "a pattern is an object with the field pattern"],
    [{ pattern: "__proto__" }, "unknown pattern: __proto__"],
    [ncio({ ranks: 0 }), "pattern ncio: ranks is a whole number from 1 to 2^53-1, found 0"],
    [ncio({ count: -4 }), "pattern ncio: count is a whole number from 1 to 2^53-1, found -4"],
    [ncio({ size: 1.5 }), "pattern ncio: size is"],
    [ncio({ count: "4" }), 'found "4"'],
    [
      ncio({ spacing: 7 }),
      "pattern ncio: spacing 7 is below the size 8 of a region; spacing is the distance between region starts",
    ],
    [ncio({ case: "n-c" }), "pattern ncio: case is c-c, nc-c, c-nc, nc-nc"],
    [ncio({ gap: 1 }), "pattern ncio has no field gap (have: ranks, count, size, spacing, case)"],
    [ncio({ count: 2 ** 50 }), "pattern ncio goes beyond 2^53-1 bytes"],
    [{ pattern: "flash", ranks: 2 ** 40 }, "pattern flash goes beyond 2^53-1 bytes"],
    [{ pattern: "flash", ranks: 1, guard: -1 }, "guard is a whole number from 0"],
    [{ pattern: "ipars", ranks: 9001 }, "9001 ranks share 9000 cells"],
    [{ pattern: "ipars", ranks: 1, variable: 17 }, "variable 17 of 17; the first is 0"],
    [{ pattern: "subarray", grid: [4, 4], ranksGrid: [1, 1, 1] }, "grid is three whole numbers"],
    [{ pattern: "subarray", grid: [4, 4, 4], ranksGrid: [1, 5, 1] }, "5 ranks along 4 cells"],
    [
      { pattern: "hpio", ranks: 1, count: 2, size: 8, spacing: 8, memorySpacing: 4, case: "nc-c" },
      "memory spacing 4 is below",
    ],
  ])("refuses %j in one line", (spec, message) => {
    const build = () => patternOf(spec as PatternSpec);
    expect(build).toThrow(UsageError);
    expect(build).toThrow(message);
  });

  it("refuses ranks that it does not have", () => {
    const pattern = patternOf({ pattern: "ipars", ranks: 4 });
    expect(() => pattern.access(4)).toThrow("pattern ipars has ranks 0 to 3, requested 4");
  });
});

function ncio(change: Record<string, unknown>): unknown {
  return { pattern: "ncio", ranks: 4, count: 16, size: 8, spacing: 128, case: "nc-nc", ...change };
}
