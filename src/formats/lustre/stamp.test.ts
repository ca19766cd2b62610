import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isStamp, NO_STAMP, nsBetween } from "./stamp.ts";

describe("columns of stamps", () => {
  it("give the time between two as BigInts do, and zero only for the same", () => {
    const apart = fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 62n }), apart, (then, difference) => {
        const words = BigInt64Array.of(7n, then, then + difference);
        const halves = new Uint32Array(words.buffer);
        expect(BigInt(nsBetween(halves, 1, halves, 2))).toBe(difference);
      }),
    );
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
        fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
        (a, b) => {
          const halves = new Uint32Array(BigInt64Array.of(a, b).buffer);
          expect(nsBetween(halves, 0, halves, 1) === 0).toBe(a === b);
        },
      ),
    );
  });

  it("tell a stamp from none", () => {
    const halves = new Uint32Array(BigInt64Array.of(NO_STAMP, NO_STAMP + 1n, 0n, -1n).buffer);
    expect([0, 1, 2, 3].map((word) => isStamp(halves, word))).toEqual([false, true, true, true]);
  });
});
