// Numbers as text against the C library of this machine, which is the definition of what we imitate.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "./prng.ts";
import {
  ascii,
  padLeft,
  putFixed,
  putFixedRight,
  putInt64,
  putInt64Right,
  putInteger,
  putIntegerRight,
  putUint64,
  TextWriter,
} from "./text-writer.ts";

/** Reads 64-bit words and prints each in every format that is asked of us. */
const PROGRAM = `
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  unsigned char bytes[8];
  int reals = argc > 1 && strcmp(argv[1], "reals") == 0;
  while (fread(bytes, 1, 8, stdin) == 8) {
    if (reals) {
      double d;
      memcpy(&d, bytes, 8);
      printf("%f|%.1f|%.4f|%.9f|%12.4f|%7.2f|%3.1f\\n", d, d, d, d, d, d, d);
    } else {
      long long i;
      memcpy(&i, bytes, 8);
      printf("%lld|%llu|%16lld|%9lld|%3lld\\n", i, (unsigned long long)i, i, i, i);
    }
  }
  return 0;
}
`;

const COUNT = 50_000;
const scratch = new Uint8Array(4096);
const text = (put: (bytes: Uint8Array, at: number) => number): string => {
  // Not at the start, so that writing in front of the given place is seen.
  scratch.fill(0x7e);
  const end = put(scratch, 64);
  expect(scratch.subarray(0, 64).every((byte) => byte === 0x7e)).toBe(true);
  return Buffer.from(scratch.buffer, 64, end - 64).toString("latin1");
};

function hasCompiler(): boolean {
  return spawnSync("cc", ["--version"]).status === 0;
}

function describeWithC(name: string, body: () => void): void {
  if (hasCompiler()) {
    describe(name, body);
    return;
  }
  if (process.env.PLIMSOLL_REQUIRE_ALL === "1") throw new Error(`${name}: needs a C compiler (cc)`);
  console.warn(`LEFT OUT: ${name}: no C compiler (cc) on this machine`);
  describe.skip(name, () => {
    it(`needs a C compiler (${name})`, () => {});
  });
}

describeWithC("numbers as the C library prints them", () => {
  let folder = "";
  let program = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-print-"));
    const source = join(folder, "print.c");
    program = join(folder, "print");
    writeFileSync(source, PROGRAM);
    const made = spawnSync("cc", ["-O1", "-o", program, source], { encoding: "utf8" });
    expect(made.stderr).toBe("");
    expect(made.status).toBe(0);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const printed = (kind: "reals" | "integers", words: Float64Array | BigInt64Array): string[] => {
    const input = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    const run = spawnSync(program, [kind], { input, maxBuffer: 2 ** 30 });
    expect(run.status).toBe(0);
    const lines = run.stdout.toString("latin1").split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.length).toBe(words.length);
    return lines;
  };

  const ourReal = (value: number): string => {
    // One buffer and no checks in between: this runs 50,000 times.
    let at = putFixed(scratch, 0, value, 6);
    for (const decimals of [1, 4, 9]) {
      scratch[at++] = 124;
      at = putFixed(scratch, at, value, decimals);
    }
    for (const [width, decimals] of [
      [12, 4],
      [7, 2],
      [3, 1],
    ] as const) {
      scratch[at++] = 124;
      at = putFixedRight(scratch, at, width, value, decimals);
    }
    return Buffer.from(scratch.buffer, 0, at).toString("latin1");
  };

  const ourInteger = (low: number, high: number): string => {
    let at = putInt64(scratch, 0, low, high);
    scratch[at++] = 124;
    at = putUint64(scratch, at, low, high);
    for (const width of [16, 9, 3]) {
      scratch[at++] = 124;
      at = putInt64Right(scratch, at, width, low, high);
    }
    return Buffer.from(scratch.buffer, 0, at).toString("latin1");
  };

  const compareReals = (values: Float64Array) => {
    const expected = printed("reals", values);
    for (let i = 0; i < values.length; i++) {
      const found = ourReal(values[i] as number);
      if (found !== expected[i]) expect(`${values[i]}: ${found}`).toBe(`${values[i]}: ${expected[i]}`);
    }
  };

  const compareIntegers = (values: BigInt64Array) => {
    const expected = printed("integers", values);
    for (let i = 0; i < values.length; i++) {
      const value = BigInt.asUintN(64, values[i] as bigint);
      const found = ourInteger(Number(value & 0xffffffffn), Number(value >> 32n));
      if (found !== expected[i]) expect(found).toBe(expected[i]);
    }
  };

  it("50,000 seeded doubles of all magnitudes print alike", () => {
    const random = new Random(20260101);
    const values = new Float64Array(COUNT);
    const halves = new Uint32Array(values.buffer);
    for (let i = 0; i < COUNT; i++) {
      const kind = i % 8;
      if (kind === 0) {
        // Any bits at all, but for NaN, whose sign JavaScript need not keep.
        halves[2 * i] = random.bits();
        halves[2 * i + 1] = random.bits();
        if (Number.isNaN(values[i])) values[i] = Number.POSITIVE_INFINITY;
      } else if (kind === 1) values[i] = random.unit() * 10 ** random.below(18);
      else if (kind === 2) values[i] = -random.unit() * 10 ** random.below(18);
      else if (kind === 3) values[i] = random.unit() * 10 ** -random.below(20);
      // What a clock in microseconds or nanoseconds gives.
      else if (kind === 4) values[i] = random.below(2 ** 40) / 1e6;
      else if (kind === 5) values[i] = random.below(2 ** 45) / 1e9;
      else if (kind === 6) values[i] = random.below(1e9);
      else values[i] = random.exponential(100);
    }
    compareReals(values);
  });

  it("exact ties round to even, and their neighbours to the nearer side", () => {
    const random = new Random(7);
    const values: number[] = [];
    const around = (value: number) => {
      const view = new Float64Array([value]);
      const bits = new BigInt64Array(view.buffer);
      for (const step of [0n, 1n, -2n]) {
        bits[0] = (bits[0] as bigint) + step;
        values.push(view[0] as number, -(view[0] as number));
      }
    };
    for (let odd = 1; odd < 4096; odd += 2)
      for (const divisor of [4, 8, 32, 64, 128, 1024]) around(odd / divisor);
    for (let i = 0; i < 20_000; i++) {
      around((2 * random.below(2 ** 30) + 1) / 2 ** (1 + random.below(20)));
      // Decimal ties that no double holds exactly.
      around((random.below(1e8) + 0.5) / 10 ** random.pick([1, 2, 4, 6, 9]));
    }
    compareReals(Float64Array.from(values));
  });

  it("zero, the largest, the smallest and the powers of ten print alike", () => {
    const values = [0, -0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1 / 0, -1 / 0];
    for (let power = -12; power <= 40; power++) {
      const ten = Number(`1e${power}`);
      values.push(ten, -ten, ten * (1 - 2 ** -53), ten * (1 + 2 ** -52), ten - 1, ten + 0.5, ten * 9.9999999);
    }
    for (let power = 30; power <= 70; power++)
      for (const step of [-1, -0.5, -0.0000005, 0, 0.0000005, 0.5, 1]) values.push(2 ** power + step);
    compareReals(Float64Array.from(values));
  });

  it("50,000 seeded 64-bit integers of all magnitudes print alike, signed, unsigned and to the right", () => {
    const random = new Random(20260102);
    const values = new BigInt64Array(COUNT);
    for (let i = 0; i < COUNT; i++) {
      const bits = (BigInt(random.bits()) << 32n) | BigInt(random.bits());
      const value = bits >> BigInt(random.below(64));
      values[i] = BigInt.asIntN(64, i % 3 === 0 ? -value : value);
    }
    compareIntegers(values);
  });

  it("the integers around every power of two and of ten print alike", () => {
    const values: bigint[] = [0n, -1n];
    for (let power = 0n; power < 64n; power++)
      for (let step = -2n; step <= 2n; step++) values.push(2n ** power + step, -(2n ** power) + step);
    for (let power = 0n; power < 20n; power++)
      for (let step = -2n; step <= 2n; step++) values.push(10n ** power + step, -(10n ** power) + step);
    for (let k = 1n; k < 2000n; k++)
      values.push(k * 4_503_599_627_371n * 1000n - 1n, 9_007_199n * k * 10n ** 9n);
    compareIntegers(BigInt64Array.from(values, (value) => BigInt.asIntN(64, value)));
  });
});

describe("single values", () => {
  it("a value that is not a number prints as nan", () => {
    const positive = new Float64Array(new BigUint64Array([0x7ff8000000000000n]).buffer)[0] as number;
    expect(text((bytes, at) => putFixed(bytes, at, positive, 6))).toMatch(/^-?nan$/);
  });

  it("whole numbers up to 2^53 print all their digits", () => {
    for (const value of [0, 9, 10, 999_999_999, 1e9, 1e15, 2 ** 53 - 1, -1, -10, -(2 ** 53 - 1)]) {
      expect(text((bytes, at) => putInteger(bytes, at, value))).toBe(String(value));
    }
  });

  it("a number wider than its column keeps its digits and does not touch what stands before it", () => {
    for (const value of [0, 7, 12345, 123_456_789, 1_234_567_890, 123_456_789_012, 2 ** 52]) {
      for (const width of [1, 3, 5, 8, 9, 10, 16]) {
        expect(text((bytes, at) => putIntegerRight(bytes, at, width, value))).toBe(
          String(value).padStart(width),
        );
      }
    }
    for (const value of [0.25, 3.75, 123456.125, 9_876_543_210.5]) {
      for (const width of [1, 2, 4, 6, 20]) {
        expect(text((bytes, at) => putFixedRight(bytes, at, width, value, 3))).toBe(
          value.toFixed(3).padStart(width),
        );
      }
    }
  });

  it("text is moved right only when it is shorter than the width", () => {
    expect(text((bytes, at) => padLeft(bytes, at, ascii("abc").length + at, 0))).toHaveLength(3);
    const put = (width: number) =>
      text((bytes, at) => {
        bytes.set(ascii("abc"), at);
        return padLeft(bytes, at, at + 3, width);
      });
    expect(put(2)).toBe("abc");
    expect(put(3)).toBe("abc");
    expect(put(6)).toBe("   abc");
  });
});

describe("TextWriter", () => {
  const VALUES = ["plain", "", "grün", "日本", "\u{1f600}", "\ud800", "x".repeat(300), "ß".repeat(200)];

  const fill = (out: TextWriter, seed: number): string => {
    const random = new Random(seed);
    let expected = "";
    for (let i = 0; i < 500; i++) {
      switch (random.below(6)) {
        case 0: {
          const value = random.pick(VALUES);
          out.text(value);
          // What is not Unicode becomes the replacement character, as everywhere.
          expected += value.replace("\ud800", "\ufffd").replace("\ufffd\ude00", "\u{1f600}");
          break;
        }
        case 1: {
          const value = random.below(2 ** 50);
          out.integer(-value);
          expected += value === 0 ? "0" : `-${value}`;
          break;
        }
        case 2: {
          const high = random.bits();
          out.uint64(5, high);
          expected += ((BigInt(high) << 32n) | 5n).toString();
          break;
        }
        case 3: {
          const high = random.bits();
          out.int64(5, high);
          expected += BigInt.asIntN(64, (BigInt(high) << 32n) | 5n).toString();
          break;
        }
        case 4: {
          const value = random.below(1e6) / 8;
          out.fixed(value, 3);
          expected += value.toFixed(3);
          break;
        }
        default: {
          const count = random.below(120);
          out.raw(new Uint8Array(count).fill(65));
          out.byte(10);
          expected += `${"A".repeat(count)}\n`;
        }
      }
    }
    return expected;
  };

  for (const capacity of [0, 1, 2, 7, 48, 64, 1000, 1 << 16]) {
    it(`gives the same text in pieces, in order, with room for ${capacity} bytes`, () => {
      const pieces: Buffer[] = [];
      const out = new TextWriter((bytes) => void pieces.push(Buffer.from(bytes)), capacity);
      const expected = fill(out, 11);
      out.flush();
      expect(Buffer.concat(pieces).toString("utf8")).toBe(expected);
      expect(pieces.every((piece) => piece.length > 0)).toBe(true);
      if (capacity < 1000) expect(pieces.length).toBeGreaterThan(1);
    });
  }

  it("hands on nothing when there is nothing", () => {
    let calls = 0;
    const out = new TextWriter(() => void calls++, 8);
    out.flush();
    out.text("");
    out.flush();
    expect(calls).toBe(0);
  });

  it("hands on what it has when asked for room that is not left, and keeps the room it promised", () => {
    const pieces: string[] = [];
    const out = new TextWriter((bytes) => void pieces.push(Buffer.from(bytes).toString()), 8);
    out.text("ab");
    out.reserve(6);
    expect(pieces).toEqual([]);
    out.reserve(7);
    expect(pieces).toEqual(["ab"]);
    out.reserve(100);
    expect(out.bytes.length - out.at).toBeGreaterThanOrEqual(100);
    for (let i = 0; i < 100; i++) out.byte(99);
    expect(pieces).toEqual(["ab"]);
    out.flush();
    expect(pieces).toEqual(["ab", "c".repeat(100)]);
  });
});
