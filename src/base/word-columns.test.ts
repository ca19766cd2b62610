import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnWordsMax, getColumn, getSpans, putColumn, putSpans } from "./word-columns.ts";

const EDGES = [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 48, 2 ** 53 - 1];
const value = fc.oneof(fc.constantFrom(...EDGES), fc.nat(), fc.integer({ min: 0, max: 2 ** 53 - 1 }));
const list = fc.oneof(
  fc.array(value, { minLength: 1, maxLength: 50 }),
  fc.tuple(value, fc.integer({ min: 1, max: 50 })).map(([one, rows]) => new Array<number>(rows).fill(one)),
);

describe("columns of words", () => {
  it("come back as they were, and end where they say", () => {
    fc.assert(
      fc.property(list, (values) => {
        const rows = values.length;
        const words = new Uint32Array(columnWordsMax(rows) + 3);
        const end = putColumn(Float64Array.from([7, ...values]), 1, rows + 1, words, 3);
        expect(end - 3).toBeLessThanOrEqual(columnWordsMax(rows));
        const back = new Float64Array(rows + 2);
        expect(getColumn(words, 3, back, 2, rows + 2)).toBe(end);
        expect([...back.subarray(2)]).toEqual(values);
      }),
    );
  });

  it("of a value for all rows take three words", () => {
    const words = new Uint32Array(8);
    expect(putColumn(new Float64Array(1000).fill(2 ** 40 + 5), 0, 1000, words, 0)).toBe(3);
    const back = new Float64Array(2);
    getColumn(words, 0, back, 0, 2);
    expect([...back]).toEqual([2 ** 40 + 5, 2 ** 40 + 5]);
  });

  it("of spans come back as starts and ends", () => {
    fc.assert(
      fc.property(list, list, fc.nat(), (gaps, lengths, base) => {
        const half = (one: number) => Math.floor(one / 4);
        const starts = Float64Array.from(lengths, (_, i) => base + half(gaps[i % gaps.length] as number));
        const ends = starts.map((start, i) => start + half(lengths[i] as number));
        const rows = starts.length;
        const words = new Uint32Array(2 * columnWordsMax(rows));
        const extent = { base: 0, last: 0, lastEnd: 0 };
        const end = putSpans(starts.slice(), ends.slice(), 0, rows, words, 0, extent);
        const least = Math.min(...starts);
        expect(extent).toEqual({ base: least, last: Math.max(...starts), lastEnd: Math.max(...ends) });
        expect(end).toBeLessThanOrEqual(words.length);
        const [back, backEnds] = [new Float64Array(rows + 1), new Float64Array(rows + 1)];
        expect(getSpans(words, 0, least, back, backEnds, 1, rows + 1)).toBe(end);
        expect(back.subarray(1)).toEqual(starts);
        expect(backEnds.subarray(1)).toEqual(ends);
      }),
    );
  });
});
