import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf } from "../../../test/cpu-time.ts";
import { type ByteSource, bytesSource } from "../source.ts";
import { CRC_START, crcUpdate } from "./format.ts";
import { bzip2Codec, bzip2Compress } from "./index.ts";
import { decode, join, noise, readAll, records, same, SEED, text } from "./test-kit.ts";

function command(args: string[], input: Uint8Array): Uint8Array {
  return new Uint8Array(
    execFileSync("bzip2", args, { input, maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "ignore"] }),
  );
}

function hasCommand(): boolean {
  try {
    return command(["-c"], text("x")).length > 0;
  } catch {
    return false;
  }
}

const plainBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.tuple(fc.nat(255), fc.nat(1200)).map(([byte, count]) => new Uint8Array(count).fill(byte)),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 7 }), fc.nat(200))
        .map(([unit, times]) => join(...Array<Uint8Array>(times).fill(unit))),
      fc.tuple(fc.nat(3000), fc.nat()).map(([count, seed]) => records(count, seed)),
    ),
    { maxLength: 5 },
  )
  .map((parts) => join(...parts));

describe("round trips", () => {
  test("what is compressed comes back, in slices of any size", () => {
    fc.assert(
      fc.property(
        plainBytes,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 700 }),
        (plain, level, slice) => {
          expect(same(decode(bzip2Compress(plain, level), slice), plain)).toBe(true);
        },
      ),
      { seed: SEED, numRuns: 300 },
    );
  });

  test("short texts over two letters, where rotations are often equal", () => {
    for (let length = 0; length <= 10; length++) {
      for (let bits = 0; bits < 1 << length; bits++) {
        const plain = Uint8Array.from({ length }, (_, index) => 97 + ((bits >> index) & 1));
        expect(same(decode(bzip2Compress(plain)), plain)).toBe(true);
      }
    }
  });

  test("runs around the lengths at which their coding changes", () => {
    for (const length of [3, 4, 5, 254, 255, 256, 258, 259, 260, 510, 514, 1020]) {
      const plain = join(new Uint8Array(length).fill(7), text("x"), new Uint8Array(length).fill(7));
      for (const slice of [1, 3, 255, 4096])
        expect(same(decode(bzip2Compress(plain), slice), plain)).toBe(true);
    }
  });

  test("several blocks, and input that is hard to sort", () => {
    const inputs = [
      records(350_000),
      noise(230_000),
      new Uint8Array(1_000_000),
      text("ab".repeat(500_000)),
      text("aab".repeat(100_000)),
    ];
    for (const plain of inputs) {
      let decoded: Uint8Array = new Uint8Array();
      const ms = cpuMsOf(() => {
        decoded = decode(bzip2Compress(plain, plain.length > 400_000 ? 9 : 1));
      });
      expect(same(decoded, plain)).toBe(true);
      expect(ms).toBeLessThan(5000);
    }
  });

  test("levels outside 1 to 9 are refused", () => {
    expect(() => bzip2Compress(text("x"), 0)).toThrow(RangeError);
    expect(() => bzip2Compress(text("x"), 1.5)).toThrow(RangeError);
  });
});

describe.skipIf(!hasCommand())("the bzip2 command", () => {
  const samples = [
    new Uint8Array(0),
    text("a"),
    text("hello, hello\n".repeat(40)),
    records(1_100_000),
    noise(150_000),
    new Uint8Array(300_000),
  ];

  test("we read what it writes", () => {
    for (const plain of samples) {
      for (const level of ["-1", "-9"]) expect(same(decode(command([level, "-c"], plain)), plain)).toBe(true);
    }
  });

  test("we read its streams end to end", () => {
    const streams = samples.map((plain, index) => command([index % 2 === 0 ? "-1" : "-9", "-c"], plain));
    expect(same(decode(join(...streams)), join(...samples))).toBe(true);
  });

  test("it reads what we write, and its own is not much smaller", () => {
    for (const plain of samples) {
      for (const level of [1, 9]) {
        const ours = bzip2Compress(plain, level);
        expect(same(command(["-dc"], ours), plain)).toBe(true);
        expect(ours.length).toBeLessThanOrEqual(command([`-${level}`, "-c"], plain).length * 1.02 + 8);
      }
    }
  });

  test("it reads our small texts", () => {
    fc.assert(
      fc.property(plainBytes, (plain) => {
        expect(same(command(["-dc"], bzip2Compress(plain)), plain)).toBe(true);
      }),
      { seed: SEED, numRuns: 60 },
    );
  });
});

describe("reading", () => {
  const plain = records(40_000);
  const stream = bzip2Compress(plain);

  test("a stream of the command, kept here for machines without it", () => {
    const hex = "425a6839314159265359c1c080e2000001410000100244a00030cd00c3462997177245385090c1c080e2";
    const known = Uint8Array.from(Buffer.from(hex, "hex"));
    expect(Buffer.from(decode(known)).toString()).toBe("hello\n");
  });

  test("an empty stream and an empty region", () => {
    const empty = bzip2Compress(new Uint8Array(0));
    expect(empty.length).toBe(14);
    expect(decode(empty).length).toBe(0);
    expect(decode(join(empty, empty, stream, empty)).length).toBe(plain.length);
    expect(decode(new Uint8Array(0)).length).toBe(0);
  });

  test("a region inside a file, from a source that overwrites its view and gives a byte at a time", () => {
    const file = join(noise(777), stream, stream, noise(99));
    const view = new Uint8Array(1);
    const source: ByteSource = {
      name: "file",
      byteLength: file.length,
      read(offset, length) {
        expect(length).toBeLessThanOrEqual(1 << 18);
        expect(offset + length).toBeLessThanOrEqual(777 + 2 * stream.length);
        view[0] = file[offset]!;
        return view.subarray(0, Math.min(1, length));
      },
    };
    expect(same(readAll(source, 777, 2 * stream.length, 333), join(plain, plain))).toBe(true);
  });

  test("readers side by side do not disturb each other", () => {
    const readers = [1, 2, 3, 4].map((seed) => {
      const own = records(9000, seed);
      const packed = bzip2Compress(own);
      return {
        own,
        got: new Uint8Array(9000),
        at: 0,
        reader: bzip2Codec.open(bytesSource(packed), 0, packed.length, "region"),
      };
    });
    for (let round = 0; round < 90; round++) {
      for (const one of readers) one.at += one.reader.read(one.got, one.at, one.at + 100);
    }
    for (const one of readers) {
      expect(one.reader.read(new Uint8Array(1), 0, 1)).toBe(0);
      expect(same(one.got, one.own)).toBe(true);
    }
  });

  test("a run that makes 46 MB of a few bytes is spelled out only as far as asked", () => {
    const bomb = bzip2Compress(new Uint8Array(45_000_000));
    expect(bomb.length).toBeLessThan(100);
    const reader = bzip2Codec.open(bytesSource(bomb), 0, bomb.length, "region");
    expect(reader.read(new Uint8Array(10), 0, 10)).toBe(10);
    reader.close();
    expect(reader.read(new Uint8Array(10), 0, 10)).toBe(0);
  });

  test("the checksum is the one of the format", () => {
    expect(~crcUpdate(CRC_START, text("123456789"), 0, 9) >>> 0).toBe(0xfc891918);
    const bytes = noise(100);
    for (let cut = 0; cut <= 100; cut++) {
      const parts = crcUpdate(crcUpdate(CRC_START, bytes, 0, cut), bytes, cut, 100);
      expect(parts).toBe(crcUpdate(CRC_START, bytes, 0, 100));
    }
  });
});
