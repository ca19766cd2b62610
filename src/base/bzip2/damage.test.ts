import { describe, expect, test } from "vitest";
import { FormatError } from "../errors.ts";
import { bytesSource } from "../source.ts";
import { CRC_START, crcUpdate } from "./format.ts";
import { bzip2Codec, bzip2Compress } from "./index.ts";
import { decode, join, noise, readAll, records, same, SEED, seeded, text } from "./test-kit.ts";

function failure(bytes: Uint8Array, offset = 0, length = bytes.length - offset): FormatError {
  try {
    readAll(bytesSource(bytes, "file"), offset, length);
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
  throw new Error("decoding did not fail");
}

function bitsOf(value: number, width: number): string {
  return (value >>> 0).toString(2).padStart(width, "0");
}

/** A stream with one block, put together bit by bit from what follows the block's checksum. */
function handmade(plain: Uint8Array, body: string): Uint8Array {
  const crc = ~crcUpdate(CRC_START, plain, 0, plain.length);
  const head = [...text("BZh1"), 0x31, 0x41, 0x59, 0x26, 0x53, 0x59].map((byte) => bitsOf(byte, 8)).join("");
  const tail = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90].map((byte) => bitsOf(byte, 8)).join("");
  const bits = head + bitsOf(crc, 32) + body + tail + bitsOf(crc, 32);
  return Uint8Array.from(bits.match(/.{1,8}/g) ?? [], (byte) => Number.parseInt(byte.padEnd(8, "0"), 2));
}

/** The parts of a block "aaa": a run of 3 is the digits 1 and 1, in the codes 0 and 0; 11 is the end mark. */
const AAA = {
  random: "0",
  origin: bitsOf(0, 24),
  map: bitsOf(1 << (15 - 6), 16) + bitsOf(1 << (15 - 1), 16),
  tables: "010",
  selectors: `${bitsOf(1, 15)}0`,
  lengths: "0000101000".repeat(2),
  data: "0011",
};

function aaa(change: Partial<typeof AAA> = {}, plain = "aaa"): Uint8Array {
  return handmade(text(plain), Object.values({ ...AAA, ...change }).join(""));
}

describe("damage", () => {
  const plain = records(6000);
  const stream = bzip2Compress(plain);

  test("every truncation is noticed, in the region and in the file", () => {
    const padded = join(noise(10), stream);
    for (let length = 1; length < stream.length; length++) {
      const cut = failure(padded, 10, length);
      expect(cut.detail).toBe("region: damaged bzip2 data (the input ends inside a stream)");
      expect(cut.offset).toBe(10 + length);
      const short = failure(padded.subarray(0, 10 + length), 10, stream.length);
      expect(short.detail).toBe(`region: the file ends ${stream.length - length} bytes early`);
      expect(short.offset).toBe(10 + length);
    }
  });

  test("2,000 flipped bits never give other bytes", () => {
    const next = seeded(SEED);
    let failed = 0;
    for (let round = 0; round < 2000; round++) {
      const bytes = stream.slice();
      const bit = next(bytes.length * 8);
      bytes[bit >> 3]! ^= 128 >> (bit & 7);
      try {
        expect(same(decode(bytes), plain)).toBe(true);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        expect(error.message).toMatch(/^file: byte \d+: region: damaged bzip2 data \(.+\)$/);
        expect(error.offset).toBeLessThanOrEqual(bytes.length);
        failed++;
      }
    }
    expect(failed).toBeGreaterThan(1900);
  });

  test("noise behind a true beginning", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const bytes = join(stream.subarray(0, 14 + (seed % 120)), noise(400, seed));
      expect(failure(bytes).detail).toMatch(/damaged bzip2 data/);
    }
  });

  test("what is not a stream, in front and behind", () => {
    expect(failure(text("PK\u0003\u0004 not ours")).detail).toBe(
      "region: damaged bzip2 data (not a bzip2 stream)",
    );
    expect(failure(text("BZh0 not ours")).detail).toMatch(/not a bzip2 stream/);
    const behind = failure(join(stream, text("BZip")));
    expect(behind.detail).toBe("region: damaged bzip2 data (bytes behind the last stream)");
    expect(failure(join(stream, text("B"))).detail).toMatch(/ends inside a stream/);
  });

  test("each rule of a block", () => {
    expect(Buffer.from(decode(aaa())).toString()).toBe("aaa");
    // Two letters make four symbols; with codes of two bits each, 10 is the letter that is not in front.
    const letters = bitsOf(1 << (15 - 6), 16) + bitsOf(3 << (15 - 2), 16);
    const quarter = "000100000".repeat(2);
    const cases: [Uint8Array, RegExp][] = [
      [aaa({ random: "1" }), /a randomised block/],
      [aaa({ origin: bitsOf(3, 24) }), /a block of 3 bytes starts at its byte 3/],
      [aaa({ map: bitsOf(0, 16) }), /without symbols/],
      [aaa({ tables: "001" }), /1 Huffman tables/],
      [aaa({ tables: "111" }), /7 Huffman tables/],
      [aaa({ selectors: bitsOf(0, 15) }), /without selectors/],
      [aaa({ selectors: `${bitsOf(1, 15)}110` }), /table that is not there/],
      [aaa({ lengths: "00000" }), /a Huffman code of 0 bits/],
      [aaa({ lengths: "1010010" }), /a Huffman code of 21 bits/],
      [aaa({ lengths: "00001000" }), /more codes than there are/],
      [aaa({ lengths: "00010000".repeat(2), data: "1111" }), /no Huffman code/],
      [aaa({ data: "0".repeat(30) }), /a run longer than a block/],
      [aaa({ data: `${"0".repeat(18)}11` }), /a block longer than its stream allows/],
      [aaa({ map: letters, lengths: quarter, data: "10".repeat(50) }), /without an end mark/],
      [aaa({ data: "10011" }, "aaaa"), /a block ends where the count of a run should be/],
      [aaa({}, "aab"), /the checksum of a block/],
      [join(aaa().subarray(0, -1), text("?")), /the checksum of the stream/],
    ];
    for (const [bytes, reason] of cases) expect(failure(bytes).detail).toMatch(reason);
  });

  test("a failure stays a failure", () => {
    const bytes = join(stream.subarray(0, 200), noise(50));
    const reader = bzip2Codec.open(bytesSource(bytes), 0, bytes.length, "region");
    const into = new Uint8Array(10_000);
    expect(() => reader.read(into, 0, into.length)).toThrow(FormatError);
    expect(() => reader.read(into, 0, into.length)).toThrow(FormatError);
    reader.close();
  });
});
