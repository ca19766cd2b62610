import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BpDimension } from "./index-data.ts";
import { boxesOf, elementEdge, type SourceSlab, slabsBetween } from "./slabs.ts";

/** Every point of a box, in row-major order, by counting. */
function points(box: readonly BpDimension[]): string[] {
  return box
    .reduce<number[][]>(
      (all, { local, offset }) =>
        all.flatMap((point) => Array.from({ length: local }, (_, i) => [...point, offset + i])),
      [[]],
    )
    .map((point) => point.join());
}

const anyBox = fc.array(
  fc.record({ local: fc.integer({ min: 1, max: 5 }), offset: fc.nat(3) }).map(({ local, offset }) => ({
    local,
    offset,
    global: local + offset + 2,
  })),
  { minLength: 1, maxLength: 4 },
);

describe("a stretch of a box", () => {
  it("is the boxes that cover it, in order, and few of them", () => {
    fc.assert(
      fc.property(anyBox, fc.nat(), fc.nat(), (box, a, b) => {
        const all = points(box);
        const [from, to] = [a % (all.length + 1), b % (all.length + 1)].sort((x, y) => x - y) as [
          number,
          number,
        ];
        const boxes = boxesOf(box, from, to);
        expect(boxes.flatMap(points)).toEqual(all.slice(from, to));
        expect(boxes.length).toBeLessThanOrEqual(2 * box.length - 1);
        for (const one of boxes)
          expect(one.map(({ global }) => global)).toEqual(box.map(({ global }) => global));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("data of a process", () => {
  const slab = (variable: number, size: number, at: number, ...shape: number[]): SourceSlab => ({
    variable,
    size,
    at,
    dimensions: shape.map((local) => ({ local, global: local, offset: 0 })),
    bytes: shape.reduce((product, n) => product * n, size),
  });
  // Three bytes, then doubles that are not aligned to anything, then shorts.
  const slabs = [slab(0, 1, 0, 3), slab(1, 8, 3, 4, 2), slab(2, 2, 67, 5)];

  it("is cut only between elements", () => {
    expect([0, 2, 3, 10, 11, 66, 67, 68, 77, 90].map((at) => elementEdge(slabs, at))).toEqual([
      0, 2, 3, 3, 11, 59, 67, 67, 77, 77,
    ]);
  });

  it("falls into boxes that tile it, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(77), { maxLength: 6 }), (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), 77].map((at) => elementEdge(slabs, at));
        const pieces = edges.slice(1).flatMap((to, i) => slabsBetween(slabs, edges[i] as number, to));
        let at = 0;
        for (const piece of pieces) {
          expect(piece.at).toBe(at);
          at += piece.bytes;
        }
        expect(at).toBe(77);
      }),
    );
  });
});
