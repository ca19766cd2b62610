import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CODES_MAX,
  packDifferences,
  packIntegers,
  packSteps,
  unpackIntegers,
  unpackSteps,
} from "./packed-integers.ts";

const EDGES = [0, 1, 65533, 65534, 65535, 65536, 2 ** 32 - 1, 2 ** 32, 2 ** 48, 2 ** 53 - 1];
const value = fc.oneof(
  fc.constantFrom(...EDGES),
  fc.integer({ min: 0, max: 70_000 }),
  fc.integer({ min: 0, max: 2 ** 53 - 1 }),
);

describe("packed integers", () => {
  it("come back as they were, and end where they say", () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 50 }), (list) => {
        const values = Float64Array.from(list);
        const codes = new Uint16Array(CODES_MAX * list.length + 3);
        const end = packIntegers(values, 0, list.length, codes, 3);
        expect(end - 3).toBeLessThanOrEqual(CODES_MAX * list.length);
        const back = new Float64Array(list.length);
        expect(unpackIntegers(codes, 3, back, 0, list.length)).toBe(end);
        expect([...back]).toEqual(list);
        const zeros = new Float64Array(list.length);
        const same = new Uint16Array(codes.length);
        expect(packDifferences(values, zeros, 0, list.length, same, 3)).toBe(end);
        expect(same).toEqual(codes);
      }),
    );
  });

  it("come back as steps, from any start", () => {
    const steps = fc.array(fc.oneof(fc.constantFrom(0, 1, 65533, 65534, 65535, 2 ** 32), fc.nat()), {
      maxLength: 50,
    });
    fc.assert(
      fc.property(steps, fc.integer(), (list, before) => {
        let sum = before;
        const values = Float64Array.from(list, (step) => (sum += step));
        const codes = new Uint16Array(CODES_MAX * list.length);
        const end = packSteps(values, 0, list.length, before, codes, 0);
        const back = new Float64Array(list.length);
        expect(unpackSteps(codes, 0, back, 0, list.length, before)).toBe(end);
        expect(back).toEqual(values);
      }),
    );
  });

  it("take one code when they are small", () => {
    const codes = new Uint16Array(20);
    expect(packIntegers(Float64Array.of(0, 65533), 0, 2, codes, 0)).toBe(2);
    expect(packIntegers(Float64Array.of(65534), 0, 1, codes, 0)).toBe(3);
    expect(packIntegers(Float64Array.of(2 ** 32), 0, 1, codes, 0)).toBe(5);
  });
});
