import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "./prng.ts";
import { sortPairs } from "./radix-sort.ts";

/** Pairs with the number of the row as value, so that a value that left its key is noticed. */
function numbered(keys: readonly number[]): Float64Array {
  return Float64Array.from(keys.flatMap((key, row) => [key, row]));
}

/** Ascending keys, each with the value it came with, every value once. */
function expectSorted(keys: readonly number[], pairs = numbered(keys)): void {
  sortPairs(pairs);
  const seen = new Set<number>();
  for (let i = 0; i < pairs.length; i += 2) {
    const row = pairs[i + 1] as number;
    if (!Object.is(pairs[i], keys[row])) expect([i, pairs[i]]).toEqual([i, keys[row]]);
    if (i > 0 && (pairs[i - 2] as number) > (pairs[i] as number))
      expect(`${pairs[i - 2]} before ${pairs[i]}`).toBe("in order");
    seen.add(row);
  }
  expect(seen.size).toBe(keys.length);
}

/** So many that it is not left to insertion. */
const MANY = 1000;
const many = (draw: (random: Random) => number) => {
  const random = new Random(4);
  return Array.from({ length: MANY }, () => draw(random));
};

const EXTREMES = [
  0,
  -0,
  Number.MIN_VALUE,
  -Number.MIN_VALUE,
  2 ** -1022,
  -(2 ** -1022),
  1,
  -1,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];

describe("sortPairs", () => {
  it("leaves none and one as they are", () => {
    expectSorted([]);
    expectSorted([7]);
  });

  it("sorts few pairs, with zeros of both signs, subnormals and infinities", () => {
    expectSorted([3, 1, 2]);
    expectSorted(EXTREMES);
  });

  it("sorts many pairs of the same extremes", () => {
    expectSorted(many((random) => random.pick(EXTREMES)));
  });

  it("sorts keys of one sign, of both, and of all magnitudes", () => {
    expectSorted(many((random) => random.unit()));
    expectSorted(many((random) => -random.unit()));
    expectSorted(many((random) => random.unit() - 0.5));
    expectSorted(many((random) => (random.unit() - 0.5) * 2 ** (random.below(2000) - 1000)));
  });

  it("sorts keys that differ in one digit only, whichever it is", () => {
    for (let digit = 0; digit < 8; digit++) {
      const view = new DataView(new ArrayBuffer(8));
      expectSorted(
        many((random) => {
          view.setFloat64(0, 1.7e9 / 3);
          // The top digit stays away from NaN.
          view.setUint8(
            digit,
            digit === 0 ? random.pick([0x3f, 0x40, 0x41, 0xbf, 0xc0, 0]) : random.below(256),
          );
          return view.getFloat64(0);
        }),
      );
    }
  });

  it("sorts at the seam between insertion and digits", () => {
    const random = new Random(12);
    for (let count = 190; count <= 210; count++)
      expectSorted(Array.from({ length: count }, () => random.unit() - 0.3));
  });

  it("sorts what is in order already, in reverse, or all equal", () => {
    const ascending = Array.from({ length: MANY }, (_, i) => i - 500);
    expectSorted(ascending);
    expectSorted(ascending.toReversed());
    expectSorted(new Array(MANY).fill(5));
  });

  it("sorts any numbers as the engine does", () => {
    const numbers = fc.array(fc.double({ noNaN: true }), { maxLength: 600, size: "max" });
    fc.assert(
      fc.property(numbers, (keys) => expectSorted(keys)),
      { numRuns: 300 },
    );
  });

  it("stays within a part of a larger array", () => {
    const random = new Random(3);
    const whole = Float64Array.from({ length: 1204 }, () => random.unit());
    const before = whole.slice();
    const part = whole.subarray(602, 1202);
    const keys = [...part].filter((_, i) => i % 2 === 0).sort((a, b) => a - b);
    sortPairs(part);
    expect([...part].filter((_, i) => i % 2 === 0)).toEqual(keys);
    expect(whole.subarray(0, 602)).toEqual(before.subarray(0, 602));
    expect(whole.subarray(1202)).toEqual(before.subarray(1202));
  });

  it("refuses half a pair", () => {
    expect(() => sortPairs(new Float64Array(3))).toThrow("even number of values, not 3");
  });
});
