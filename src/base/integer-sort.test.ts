import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IntegerSorter, insertionSort } from "./integer-sort.ts";
import { Random } from "./prng.ts";

const sorter = new IntegerSorter();
const expected = (values: Float64Array) => [...values].sort((a, b) => a - b);

function check(values: Float64Array): void {
  const copy = values.slice();
  const order = sorter.order(copy, copy.length);
  expect(copy).toEqual(values);
  const byOrder = order === undefined ? [...values] : Array.from(order, (row) => values[row] as number);
  expect(byOrder).toEqual(expected(values));
  sorter.sort(copy, copy.length);
  expect([...copy]).toEqual(expected(values));
}

describe("sorting distances", () => {
  it("gives what the engine's sort gives, for any range and length", () => {
    const range = fc.constantFrom(
      0,
      1,
      255,
      2 ** 11 - 1,
      2 ** 11,
      2 ** 22 - 1,
      2 ** 22,
      2 ** 31,
      2 ** 32 - 1,
    );
    fc.assert(
      fc.property(range, fc.integer({ min: 0, max: 300 }), fc.integer(), (most, count, seed) => {
        const random = new Random(seed >>> 0);
        const offsets = Uint32Array.from({ length: count }, (_, i) =>
          i === 0 ? most : Math.floor(random.unit() * (most + 1)),
        );
        const values = new Float64Array(count + 1).fill(-1);
        const sorted = [...offsets].sort((a, b) => a - b).map((offset) => offset + 2 ** 50);
        sorter.sortOffsets(offsets, count, most, 2 ** 50, values);
        expect([...values]).toEqual([...sorted, -1]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("sorting by insertion", () => {
  it("gives up on what is far from in order, and loses nothing", () => {
    const nearly = Float64Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? i + 3 : i));
    expect(insertionSort(nearly, nearly.length)).toBe(true);
    expect([...nearly]).toEqual([...nearly].sort((a, b) => a - b));
    const shuffled = Float64Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_000);
    expect(insertionSort(shuffled, shuffled.length)).toBe(false);
    expect([...shuffled].sort((a, b) => a - b)).toEqual([...shuffled.keys()]);
  });
});

describe("sorting whole numbers", () => {
  it("gives what the engine's sort gives, for any range and length", () => {
    const range = fc.constantFrom(1, 100, 2 ** 11, 2 ** 22, 2 ** 32, 2 ** 43, 2 ** 52, 2 ** 53 - 1);
    fc.assert(
      fc.property(range, fc.integer({ min: 0, max: 400 }), fc.integer(), (most, count, seed) => {
        const random = new Random(seed >>> 0);
        const low = -Math.floor((random.unit() * most) / 2);
        check(Float64Array.from({ length: count }, () => low + Math.floor(random.unit() * (most / 2))));
      }),
      { numRuns: 300 },
    );
  });

  it.each(["in order", "reverse", "nearly", "equal", "shuffled", "one far off"])(
    "of many that are %s",
    (kind) => {
      const random = new Random(7);
      const count = 20_000;
      const value = (i: number) => {
        if (kind === "in order") return i;
        if (kind === "reverse") return count - i;
        if (kind === "nearly") return 10 * i + Math.floor(random.unit() * 40);
        if (kind === "equal") return 5;
        if (kind === "shuffled") return Math.floor(random.unit() * 1e12);
        return i === count - 1 ? -1e15 : i;
      };
      check(Float64Array.from({ length: count }, (_, i) => value(i)));
    },
  );

  it("keeps equal values in order, and looks at the first values only", () => {
    const values = Float64Array.from([5, 3, 5, 3, 1, 0]);
    expect([...(sorter.order(values, 5) ?? [])]).toEqual([4, 1, 3, 0, 2]);
    sorter.sort(values, 3);
    expect([...values]).toEqual([3, 5, 5, 3, 1, 0]);
    const many = Float64Array.from({ length: 5000 }, (_, i) => (i * 7919) % 10);
    const order = sorter.order(many, many.length) as Uint32Array;
    for (let i = 1; i < order.length; i++) {
      const [before, here] = [order[i - 1] as number, order[i] as number];
      if (many[before] === many[here]) expect(before).toBeLessThan(here);
    }
  });
});
