import { describe, expect, it } from "vitest";
import { PackedNumbers, PackedTexts } from "./packed.ts";
import { Random } from "./prng.ts";
import { allocateWords } from "./words.ts";

describe("packed numbers", () => {
  it("give back what was set, in any order and of any size", () => {
    const random = new Random(3);
    const packed = new PackedNumbers();
    const plain = new Map<number, number>();
    const kinds = [
      () => 0,
      () => random.below(255),
      () => random.below(70_000),
      () => random.below(2 ** 32) + 2 ** 32,
      () => -random.below(1000),
      () => random.unit(),
      () => Number.NaN,
      () => Number.POSITIVE_INFINITY,
      () => -0,
    ];
    for (let i = 0; i < 200_000; i++) {
      // Mostly rows one after another, of a kind; now and then an earlier one.
      const row = random.below(10) === 0 ? random.below(i + 1) : i;
      const kind = kinds[random.below(20) === 0 ? random.below(kinds.length) : (i >> 14) % 3];
      const value = (kind as () => number)();
      packed.set(row, value);
      plain.set(row, value);
    }
    for (let row = 0; row < 200_000; row++) {
      const expected = plain.get(row) ?? Number.NaN;
      if (!Object.is(packed.at(row), expected)) expect([row, packed.at(row)]).toEqual([row, expected]);
    }
    expect(packed.at(10 ** 9)).toBeNaN();
  });

  it("take many words and many rows at once as one by one", () => {
    const random = new Random(5);
    const [rows, stride] = [30_000, 3];
    const { u32, i64 } = allocateWords(stride * rows);
    const values = [0n, 254n, 255n, 65_535n, 2n ** 32n - 1n, 2n ** 40n, 2n ** 60n + 1n, -1n, -7n];
    for (let i = 0; i < i64.length; i++)
      i64[i] = random.below(100) === 0 ? (values[random.below(values.length)] as bigint) : 1n;
    const [bulk, single] = [new PackedNumbers(), new PackedNumbers()];
    const negative: number[] = [];
    for (let row = 0; row < rows; row += 1000) {
      bulk.setWords(5 + row, 1000, u32, 1 + stride * row, stride, (word) => negative.push(word));
      bulk.fill(50_000 + row, 1000, row % 3 === 0 ? 7 : 300);
    }
    const expected: number[] = [];
    for (let row = 0; row < rows; row++) {
      const word = 1 + stride * row;
      if ((i64[word] as bigint) < 0n) expected.push(word);
      else single.setWord(5 + row, u32, word);
    }
    expect(negative).toEqual(expected);
    for (let row = 0; row < rows; row++) {
      if (bulk.exactAt(5 + row) !== single.exactAt(5 + row))
        expect([row, bulk.exactAt(5 + row)]).toEqual([row, single.exactAt(5 + row)]);
      const filled = Math.floor(row / 1000) % 3 === 0 ? 7 : 300;
      if (bulk.at(50_000 + row) !== filled) expect([row, bulk.at(50_000 + row)]).toEqual([row, filled]);
    }
  });

  it("tell values at the edges of what a page can hold", () => {
    const edges = [0, 254, 255, 65_534, 65_535, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 53, -1, 0.5];
    for (const first of edges)
      for (const second of edges) {
        const packed = new PackedNumbers();
        packed.set(1, first);
        packed.set(2, second);
        expect([0, 1, 2].map((row) => packed.at(row))).toEqual([Number.NaN, first, second]);
      }
  });

  it("of pages with one value change in one place only", () => {
    const packed = new PackedNumbers();
    const rows = 5 * 8192;
    for (let row = 0; row < rows; row++) packed.set(row, 7);
    packed.set(10, 8);
    packed.add(8192 + 10, 1);
    packed.set(2 * 8192 + 10, 1e9);
    const others = Array.from({ length: rows }, (_, row) => row).filter((row) => packed.at(row) !== 7);
    expect(others).toEqual([10, 8202, 16_394]);
    expect(others.map((row) => packed.at(row))).toEqual([8, 8, 1e9]);
  });

  it("add words without rounding, and wrap beyond 64 bits", () => {
    const { i64, u32 } = allocateWords(3);
    i64.set([2n ** 53n + 1n, 2n ** 62n, 5n]);
    const packed = new PackedNumbers();
    packed.addWord(0, u32, 0);
    expect(packed.exactAt(0)).toBe(2n ** 53n + 1n);
    packed.addWord(0, u32, 2);
    expect(packed.exactAt(0)).toBe(2n ** 53n + 6n);
    expect(packed.at(0)).toBe(Number(2n ** 53n + 6n));
    packed.addWord(1, u32, 2);
    packed.addWord(1, u32, 2);
    expect(packed.exactAt(1)).toBe(10n);
    for (let i = 0; i < 2; i++) packed.addWord(2, u32, 1);
    // The lowest integer of 64 bits stands for what is missing.
    expect(packed.exactAt(2)).toBeUndefined();
    packed.addWord(2, u32, 2);
    expect(packed.exactAt(2)).toBe(5n);
    packed.set(0, 3);
    expect(packed.exactAt(0)).toBe(3n);
  });
});

describe("packed texts", () => {
  it.each([1, 2, 255, 256, 1000])("of %d different ones are those that were added", (different) => {
    const packed = new PackedTexts();
    const plain = Array.from({ length: 3000 }, (_, row) =>
      row % 7 === 0 ? null : `text ${row < 2000 ? row % different : 0}`,
    );
    for (const text of plain) packed.push(text);
    expect(packed.length).toBe(plain.length);
    expect(plain.map((_, row) => packed.at(row))).toEqual(plain);
    expect(packed.at(plain.length)).toBeNull();
  });
});
