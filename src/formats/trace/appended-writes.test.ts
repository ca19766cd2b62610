import { describe, expect, it } from "vitest";
import { AppendedWrites } from "./appended-writes.ts";

const NOT_KNOWN = Number.NaN;

/** Offsets after a block of writes: file, offset, bytes, and start and end. */
function offsets(
  writes: readonly (readonly [file: number, offset: number, bytes: number, start?: number, end?: number])[],
) {
  const column = (of: (write: (typeof writes)[number], at: number) => number) =>
    Float64Array.from(writes, of);
  const found = column(([, offset]) => offset);
  const appended = new AppendedWrites(
    found,
    column(([, , bytes]) => bytes),
    column(([, , , start], at) => start ?? 10 * at),
    column(([, , , , end], at) => end ?? 10 * at + 5),
  );
  for (const [row, [file]] of writes.entries()) appended.add(file, row);
  return [...found];
}

describe("writes to the end of a file", () => {
  it("between two known ones are known when their bytes fill what lies between", () => {
    expect(
      offsets([
        [1, 100, 10],
        [1, NOT_KNOWN, 20],
        [2, 0, 7],
        [1, NOT_KNOWN, 5],
        [1, 135, 1],
        [1, NOT_KNOWN, 1],
      ]),
    ).toEqual([100, 110, 0, 130, 135, NOT_KNOWN]);
  });

  it("stay unknown when another process wrote too, and before the first known one", () => {
    expect(
      offsets([
        [1, NOT_KNOWN, 3],
        [1, 100, 10],
        [1, NOT_KNOWN, 20],
        [1, 131, 1],
        [1, NOT_KNOWN, 2],
        [1, 134, 2],
      ]),
    ).toEqual([NOT_KNOWN, 100, NOT_KNOWN, 131, 132, 134]);
  });

  it("stay unknown when some were under way at once", () => {
    expect(
      offsets([
        [1, 0, 4, 0, 5],
        [1, NOT_KNOWN, 4, 10, 30],
        [1, NOT_KNOWN, 4, 20, 40],
        [1, 12, 4, 50, 60],
        [1, NOT_KNOWN, 4, 70, 75],
        [1, 20, 4, 80, 90],
      ]),
    ).toEqual([0, NOT_KNOWN, NOT_KNOWN, 12, 16, 20]);
  });
});
