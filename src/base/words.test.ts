import { describe, expect, it } from "vitest";
import { Random } from "./prng.ts";
import {
  allocateWords,
  exactNumber,
  HOST_LITTLE_ENDIAN,
  LOW,
  signedNumber,
  swap32,
  swapWords,
  unsignedNumber,
  viewWords,
  wordNumber,
} from "./words.ts";

/** The same value through a DataView, which names its byte order. */
function halves(value: bigint): { low: number; high: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigInt64(0, BigInt.asIntN(64, value), true);
  return { low: view.getUint32(0, true), high: view.getUint32(4, true) };
}

const VALUES = [
  0n,
  1n,
  -1n,
  255n,
  -256n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  -(2n ** 32n),
  -(2n ** 32n) - 1n,
  2n ** 53n,
  -(2n ** 53n),
  2n ** 53n - 1n,
];

describe("64-bit words in halves", () => {
  it("the views share one zeroed buffer", () => {
    const views = allocateWords(3);
    expect([...views.u8]).toEqual(new Array(24).fill(0));
    views.i64[1] = -2n;
    expect(views.u64[1]).toBe(2n ** 64n - 2n);
    expect(views.u32[2 + LOW]).toBe(0xfffffffe);
    expect(views.u32[2 + 1 - LOW]).toBe(0xffffffff);
    views.f64[2] = 1.5;
    expect(views.u64[2]).toBe(0x3ff8000000000000n);
    expect(views.f64.length).toBe(3);
  });

  it("a buffer that does not hold whole words is refused", () => {
    expect(() => viewWords(new ArrayBuffer(12))).toThrow(RangeError);
  });

  it("the byte order is the one that typed arrays show", () => {
    const bytes = new Uint8Array(new Uint32Array([0x01020304]).buffer);
    expect(HOST_LITTLE_ENDIAN).toBe(bytes[0] === 4);
    expect(LOW).toBe(bytes[0] === 4 ? 0 : 1);
  });

  it("signed halves give the value exactly up to 2^53 in magnitude", () => {
    for (const value of VALUES) {
      const { low, high } = halves(value);
      expect(signedNumber(low, high)).toBe(Number(value));
      // The high half may also come as a signed number.
      expect(signedNumber(low, high | 0)).toBe(Number(value));
    }
    const { low, high } = halves(-(2n ** 63n));
    expect(signedNumber(low, high)).toBe(-(2 ** 63));
  });

  it("unsigned halves give the value, up to 2^64", () => {
    for (const value of VALUES) {
      const { low, high } = halves(value);
      expect(unsignedNumber(low, high)).toBe(Number(BigInt.asUintN(64, value)));
      expect(unsignedNumber(low, high | 0)).toBe(Number(BigInt.asUintN(64, value)));
    }
  });

  it("a word of an array is read as a signed number", () => {
    const views = allocateWords(VALUES.length);
    VALUES.forEach((value, index) => {
      views.i64[index] = value;
    });
    VALUES.forEach((value, index) => {
      expect(wordNumber(views.u32, index)).toBe(Number(value));
    });
  });
});

describe("swapping the byte order", () => {
  it("turns the four bytes of a value around", () => {
    expect(swap32(0x01020304)).toBe(0x04030201);
    expect(swap32(0x000000ff)).toBe(0xff000000);
    expect(swap32(0x80000000)).toBe(0x00000080);
    expect(swap32(0xfffefdfc)).toBe(0xfcfdfeff);
  });

  it("turns the eight bytes of each word in the range around, and of no other", () => {
    const random = new Random(3);
    const views = allocateWords(6);
    for (let i = 0; i < views.u8.length; i++) views.u8[i] = random.below(256);
    const before = views.u8.slice();
    swapWords(views.u32, 1, 4);
    for (let word = 0; word < 6; word++) {
      const old = [...before.subarray(8 * word, 8 * word + 8)];
      const expected = word >= 1 && word < 4 ? old.reverse() : old;
      expect([...views.u8.subarray(8 * word, 8 * word + 8)]).toEqual(expected);
    }
    swapWords(views.u32, 1, 4);
    expect(views.u8).toEqual(before);
    swapWords(views.u32, 2, 2);
    expect(views.u8).toEqual(before);
  });
});

describe("values for JSON", () => {
  it("are numbers as long as a double holds them exactly, then decimal text", () => {
    expect(exactNumber(0n)).toBe(0);
    expect(exactNumber(-7n)).toBe(-7);
    expect(exactNumber(9007199254740991n)).toBe(9007199254740991);
    expect(exactNumber(9007199254740992n)).toBe("9007199254740992");
    expect(exactNumber(-9007199254740991n)).toBe(-9007199254740991);
    expect(exactNumber(-9007199254740993n)).toBe("-9007199254740993");
    expect(exactNumber(18446744073709551615n)).toBe("18446744073709551615");
  });
});
