import { describe, expect, it } from "vitest";
import { Random } from "../../../../base/prng.ts";
import { addMoved, FLAGS, Moved, READ, READ_KNOWN, WRITTEN_KNOWN, wordsPerRow } from "./records.ts";
import { Codes, WordSums } from "./words.ts";

const low = (value: bigint) => Number(value & 0xffffffffn);
const high = (value: bigint) => Number(value >> 32n);

describe("exact sums", () => {
  it("are those of bigints, below and beyond 2^53", () => {
    const random = new Random(1);
    const [sums, others] = [new WordSums(3), new WordSums(1)];
    const expected = [0n, 0n, 0n];
    for (let i = 0; i < 20_000; i++) {
      const bits = BigInt(random.below(63));
      const value = (BigInt(random.bits()) << 31n) >> (62n - bits > 0n ? 62n - bits : 0n);
      const at = random.below(3);
      sums.add(at, low(value), high(value));
      expected[at] = (expected[at] as bigint) + value;
    }
    others.addBigint(0, 2n ** 60n);
    others.add(0, 7, 0);
    sums.addSum(2, others, 0);
    expected[2] = (expected[2] as bigint) + 2n ** 60n + 7n;
    for (let at = 0; at < 3; at++) {
      expect(sums.value(at)).toBe(expected[at]);
      expect(sums.about(at)).toBe(Number(expected[at]));
      expect(sums.isSmall(at)).toBe(false);
    }
    sums.reach(100);
    sums.add(99, 5, 1);
    expect(sums.value(99)).toBe(2n ** 32n + 5n);
    expect(sums.isSmall(99)).toBe(true);
    expect(sums.value(0)).toBe(expected[0]);
  });
});

describe("bytes of accesses", () => {
  it("are added exactly, as far as they are recorded", () => {
    const random = new Random(3);
    const rows = 3000;
    const stride = wordsPerRow(false);
    const words = new Uint32Array(rows * stride);
    const expected = [0n, 0n];
    const amounts: bigint[] = [];
    for (let row = 0; row < rows; row++) {
      const at = row * stride;
      const known = [0, READ_KNOWN, WRITTEN_KNOWN, READ_KNOWN | WRITTEN_KNOWN][random.below(4)] as number;
      const amount = (flag: number) => {
        // What is not recorded is -1.
        if ((known & flag) === 0) return 2n ** 64n - 1n;
        return BigInt(random.bits()) << BigInt(random.below(31));
      };
      const [read, written] = [amount(READ_KNOWN), amount(WRITTEN_KNOWN)];
      words.set([low(read), high(read), low(written), high(written)], at + READ);
      words[at + FLAGS] = known;
      amounts.push(((known & READ_KNOWN) === 0 ? 0n : read) + ((known & WRITTEN_KNOWN) === 0 ? 0n : written));
    }
    const records = {
      words,
      doubles: new Float64Array(words.buffer),
      stride,
      starts: new Uint32Array(),
      widths: new Int32Array(),
    };
    const [moved, sums] = [new Moved(), new WordSums(2)];
    for (const [from, to] of [
      [0, 10],
      [10, rows],
    ] as const) {
      const bytes = moved.of(records, from, to);
      for (let row = from; row < to; row++) {
        expect(bytes[row - from]).toBe(Number(amounts[row]));
        addMoved(sums, row % 2, bytes[row - from] as number, words, row * stride);
        expected[row % 2] = (expected[row % 2] as bigint) + (amounts[row] as bigint);
      }
    }
    expect(expected[0]).toBeGreaterThan(2n ** 62n);
    expect([sums.value(0), sums.value(1)]).toEqual(expected);
  });
});

describe("codes", () => {
  it("number values of two words in the order of their first occurrence", () => {
    const random = new Random(2);
    const codes = new Codes();
    const expected = new Map<string, number>();
    for (let i = 0; i < 20_000; i++) {
      const [a, b] = [random.below(200) * 0x1000000, random.below(100)];
      const key = `${a} ${b}`;
      if (!expected.has(key)) {
        expect(codes.find(a, b)).toBe(-1);
        expected.set(key, expected.size);
      }
      expect(codes.of(a, b)).toBe(expected.get(key));
      expect(codes.find(a, b)).toBe(expected.get(key));
    }
    expect(codes.count).toBe(expected.size);
    for (const [key, code] of expected) expect(`${codes.low(code)} ${codes.high(code)}`).toBe(key);
  });
});
