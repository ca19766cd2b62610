// All zlib codecs, the quick one, the one of documented calls only and that of pages, through one suite.

import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Codec, PlainReader } from "../base/codec.ts";
import { FormatError } from "../base/errors.ts";
import { Random } from "../base/prng.ts";
import { type ByteSource, bytesSource } from "../base/source.ts";
import { zlibCodec as pageZlib } from "../../web/page/zlib.ts";
import { hasSteppedZlib, wholeZlib, zlibCodec } from "./zlib.ts";

const JUNK = 37;

/** Bytes that shrink a little, so that streams hold matches, literals and several blocks. */
function sample(length: number, seed: number): Uint8Array {
  const random = new Random(seed);
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++)
    bytes[i] = random.below(4) === 0 || i < 300 ? random.below(256) : (bytes[i - 257] as number);
  return bytes;
}

/** A region of streams with other bytes on both sides, which must not be touched. */
function region(plains: readonly Uint8Array[], level = 6) {
  const packed = Buffer.concat(plains.map((plain) => deflateSync(plain, { level })));
  const file = Buffer.concat([Buffer.alloc(JUNK, 0x78), packed, Buffer.alloc(JUNK, 0x9c)]);
  return { packed, file, plain: Buffer.concat(plains), offset: JUNK, length: packed.length };
}

interface Drained {
  plain: Buffer;
  error: unknown;
}

function drain(reader: PlainReader, step: number): Drained {
  const parts: Buffer[] = [];
  const room = new Uint8Array(step + 2);
  try {
    for (;;) {
      room.fill(0xee);
      const count = reader.read(room, 1, 1 + step);
      // Nothing outside of the place that was given.
      if (room[0] !== 0xee || room[step + 1] !== 0xee) throw new Error("wrote outside of its place");
      if (count === 0) return { plain: Buffer.concat(parts), error: undefined };
      parts.push(Buffer.from(room.subarray(1, 1 + count)));
    }
  } catch (error) {
    return { plain: Buffer.concat(parts), error };
  } finally {
    reader.close();
  }
}

/** A source that never gives more than `window` bytes at a time, and uses memory that is given back. */
function narrowSource(bytes: Uint8Array, window: number): ByteSource {
  return {
    name: "narrow",
    byteLength: bytes.length,
    read(offset, length, reuse) {
      const piece = bytes.subarray(offset, offset + Math.min(length, window));
      const memory =
        reuse !== undefined && reuse.length >= piece.length ? reuse : new Uint8Array(piece.length);
      memory.set(piece);
      return memory.subarray(0, piece.length);
    },
  };
}

function expectDamage(error: unknown, from: number, to: number): void {
  expect(error).toBeInstanceOf(FormatError);
  const { offset, detail } = error as FormatError;
  expect(offset).toBeGreaterThanOrEqual(from);
  expect(offset).toBeLessThanOrEqual(to);
  expect(detail).toMatch(/^box region: /);
}

it("this Node has the engine that the quick codec needs", () => {
  // Otherwise the suite below would run twice over the same codec.
  expect(hasSteppedZlib).toBe(true);
  expect(zlibCodec).not.toBe(wholeZlib);
});

const CODECS: readonly (readonly [string, Codec])[] = [
  ["zlibCodec", zlibCodec],
  ["wholeZlib", wholeZlib],
  ["zlib of pages", pageZlib],
];

describe.each(CODECS)("%s", (_name, codec) => {
  const open = (made: { file: Uint8Array; offset: number; length: number }, careful = false) =>
    codec.open(bytesSource(made.file, "box"), made.offset, made.length, "box region", careful);

  const SIZES = [0, 1, 2, 16383, 16384, 16385, 65535, 65536, 262143, 262144, 262145];

  for (const size of SIZES) {
    it(`gives back one stream of ${size} bytes, whatever the slices`, () => {
      const made = region([sample(size, size + 1)]);
      for (const step of size > 70_000 ? [4096, 1 << 18, 1 << 20] : [1, 7, 4096, Math.max(1, size)]) {
        for (const careful of [false, true]) {
          const { plain, error } = drain(open(made, careful), step);
          expect(error).toBeUndefined();
          expect(plain.equals(made.plain)).toBe(true);
        }
      }
    });
  }

  it("joins many streams of all sizes, empty ones at both ends and in a row", () => {
    const sizes = [0, 1, 0, 0, 500, 16384, 7, 0, 65535, 4096, 4095, 4097, 0, 1, 0];
    const made = region(sizes.map((size, index) => sample(size, 100 + index)));
    for (const step of [1, 7, 4096, 1 << 20]) {
      const { plain, error } = drain(open(made), step);
      expect(error).toBeUndefined();
      expect(plain.equals(made.plain)).toBe(true);
    }
  });

  it("joins 3,000 small streams", () => {
    const made = region(Array.from({ length: 3000 }, (_, index) => sample(index % 200, index)));
    const { plain, error } = drain(open(made), 65536);
    expect(error).toBeUndefined();
    expect(plain.equals(made.plain)).toBe(true);
  });

  it("gives back streams of stored blocks and of the best compression", () => {
    for (const level of [0, 1, 9]) {
      const made = region([sample(70_000, 1), new Uint8Array(300_000), sample(10, 2)], level);
      const { plain, error } = drain(open(made), 4096);
      expect(error).toBeUndefined();
      expect(plain.equals(made.plain)).toBe(true);
    }
  });

  it("gives nothing for a region without bytes", () => {
    const { plain, error } = drain(open({ file: Buffer.alloc(10), offset: 4, length: 0 }), 10);
    expect(error).toBeUndefined();
    expect(plain.length).toBe(0);
  });

  it("says where it stands: at the end of the region after the last byte", () => {
    const made = region([sample(1000, 1), sample(10, 2)]);
    const reader = open(made);
    const room = new Uint8Array(5000);
    while (reader.read(room, 0, room.length) > 0);
    expect(reader.position).toBe(made.offset + made.length);
  });

  it("cut anywhere, it gives an error inside the region and only true bytes before it", () => {
    const first = sample(700, 5);
    const second = sample(900, 6);
    const made = region([first, second]);
    const boundary = deflateSync(first).length;
    for (let length = 1; length < made.length; length++) {
      for (const [step, careful] of [
        [7, false],
        [4096, false],
        [4096, true],
      ] as const) {
        const { plain, error } = drain(open({ ...made, length }, careful), step);
        expect(plain.equals(made.plain.subarray(0, plain.length))).toBe(true);
        if (length === boundary) {
          // The length of the region is the truth: this one ends with its first stream.
          expect(error).toBeUndefined();
          expect(plain.length).toBe(first.length);
        } else expectDamage(error, made.offset, made.offset + length);
      }
    }
  });

  it("of a file that ends inside the region it gives an error at every place", () => {
    const first = sample(700, 5);
    const made = region([first, sample(900, 6)]);
    for (let length = 0; length < made.length; length++) {
      const file = made.file.subarray(0, made.offset + length);
      const { plain, error } = drain(open({ ...made, file }), 4096);
      expect(plain.equals(made.plain.subarray(0, plain.length))).toBe(true);
      expectDamage(error, made.offset, made.offset + length);
    }
  });

  it("with any one bit turned, it gives an error or the same bytes", () => {
    const made = region([sample(40, 5), sample(0, 1), sample(60, 6)]);
    let damaged = 0;
    for (let bit = 0; bit < 8 * made.length; bit++) {
      const file = Buffer.from(made.file);
      const at = made.offset + (bit >> 3);
      file[at] = (file[at] as number) ^ (1 << (bit & 7));
      for (const careful of [false, true]) {
        const { plain, error } = drain(open({ ...made, file }, careful), 4096);
        if (error === undefined) expect(plain.equals(made.plain)).toBe(true);
        else {
          damaged++;
          expectDamage(error, made.offset, made.offset + made.length);
        }
      }
    }
    // Almost all bits matter.
    expect(damaged).toBeGreaterThan(2 * 8 * made.length * 0.95);
  });

  it("takes nothing but streams: bytes behind the last one are an error", () => {
    const made = region([sample(500, 3)]);
    for (const junk of [[0], [0x78], [0x78, 0x9c], [0, 0, 0, 0], [0x1f, 0x8b, 8, 0], [255, 255, 255]]) {
      const file = Buffer.concat([made.file.subarray(0, made.offset + made.length), Buffer.from(junk)]);
      const { plain, error } = drain(open({ ...made, file, length: made.length + junk.length }), 100);
      expect(plain.equals(made.plain)).toBe(true);
      expectDamage(error, made.offset + made.length, file.length);
    }
  });

  it("refuses gzip, raw deflate and a stream that wants a dictionary", () => {
    const wrong = [
      Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
      Buffer.from([3, 0, 0, 0, 0, 0]),
      deflateSync(sample(100, 1), { dictionary: sample(50, 2) }),
    ];
    for (const file of wrong) {
      const { plain, error } = drain(open({ file, offset: 0, length: file.length }), 100);
      expect(plain.length).toBe(0);
      expectDamage(error, 0, file.length);
    }
  });

  it("gives the same error again when it is asked again", () => {
    const made = region([sample(500, 3)]);
    const reader = open({ ...made, length: made.length - 3 });
    const room = new Uint8Array(4096);
    const attempt = () => {
      for (let i = 0; i < 100; i++) if (reader.read(room, 0, 100) === 0) return "end";
      return "more";
    };
    expect(attempt).toThrow(FormatError);
    expect(attempt).toThrow(FormatError);
  });

  it("a careful reader gives at least as many bytes before the damage", () => {
    const made = region([sample(3000, 5), sample(3000, 6)]);
    for (let length = 50; length < made.length; length += 7) {
      const quick = drain(open({ ...made, length }), 4096).plain;
      const careful = drain(open({ ...made, length }, true), 4096).plain;
      expect(careful.length).toBeGreaterThanOrEqual(quick.length);
      expect(careful.equals(made.plain.subarray(0, careful.length))).toBe(true);
    }
    // Damage in the second stream: what came before it is there, but for the last small step.
    const file = Buffer.from(made.file);
    const second = made.offset + deflateSync(sample(3000, 5)).length;
    const middle = (second + made.offset + made.length) >> 1;
    file.fill(0xff, middle, middle + 40);
    const quick = drain(open({ ...made, file }), 1 << 16);
    const careful = drain(open({ ...made, file }, true), 1 << 16);
    expect(quick.error).toBeInstanceOf(FormatError);
    expect(careful.error).toBeInstanceOf(FormatError);
    expect(careful.plain.length).toBeGreaterThanOrEqual(quick.plain.length);
    if (codec !== wholeZlib) expect(careful.plain.length).toBeGreaterThan(quick.plain.length + 1000);
  });

  it("two readers that take turns do not disturb each other", () => {
    const one = region([sample(5000, 1), sample(3000, 2)]);
    const two = region([sample(4000, 3), sample(0, 0), sample(4000, 4)]);
    const readers = [open(one), open(two, true), open(one)] as const;
    const parts: Buffer[][] = [[], [], []];
    const room = new Uint8Array(64);
    for (let turn = 0; turn < 400; turn++) {
      readers.forEach((reader, index) => {
        const count = reader.read(room, 0, 30 + index);
        parts[index]?.push(Buffer.from(room.subarray(0, count)));
      });
    }
    expect(Buffer.concat(parts[0] ?? []).equals(one.plain)).toBe(true);
    expect(Buffer.concat(parts[1] ?? []).equals(two.plain)).toBe(true);
    expect(Buffer.concat(parts[2] ?? []).equals(one.plain)).toBe(true);
  });

  it("after readers that were closed early, twice, or that failed, the next one starts afresh", () => {
    const made = region([sample(5000, 1), sample(3000, 2)]);
    const room = new Uint8Array(100);
    for (let round = 0; round < 20; round++) {
      const early = open(made);
      early.read(room, 0, 1 + 5 * round);
      early.close();
      early.close();
      drain(open({ ...made, length: 100 + round }), 50);
      const { plain, error } = drain(open(made), 4096);
      expect(error).toBeUndefined();
      expect(plain.equals(made.plain)).toBe(true);
    }
  });
});

// wholeZlib takes a region in one read, so a source that gives little at a time is for the quick codec only.
describe("zlibCodec on a source that gives little at a time", () => {
  for (const window of [1, 2, 13, 1000]) {
    it(`joins streams from windows of ${window} bytes`, () => {
      const sizes = [0, 1, 300, 0, 4096, 2000, 0];
      const made = region(sizes.map((size, index) => sample(size, index)));
      for (const step of [1, 7, 4096]) {
        for (const careful of [false, true]) {
          const source = narrowSource(made.file, window);
          const { plain, error } = drain(
            zlibCodec.open(source, made.offset, made.length, "box region", careful),
            step,
          );
          expect(error).toBeUndefined();
          expect(plain.equals(made.plain)).toBe(true);
        }
      }
    });
  }

  it("cut anywhere it still gives an error, and all bytes before the cut that can be known", () => {
    const first = sample(150, 5);
    const made = region([first, sample(150, 6)]);
    const boundary = deflateSync(first).length;
    for (let length = 1; length < made.length; length++) {
      const source = narrowSource(made.file, 1);
      const { plain, error } = drain(zlibCodec.open(source, made.offset, length, "box region"), 7);
      expect(plain.equals(made.plain.subarray(0, plain.length))).toBe(true);
      if (length === boundary) expect(error).toBeUndefined();
      else expectDamage(error, made.offset, made.offset + length);
      if (length >= boundary) expect(plain.length).toBeGreaterThanOrEqual(first.length);
    }
  });

  it("reads regions larger than its own window", () => {
    const random = new Random(4);
    const plain = Uint8Array.from({ length: 900_000 }, () => random.below(256));
    const made = region([plain, plain.subarray(0, 300_000)]);
    expect(made.length).toBeGreaterThan(1_000_000);
    for (const source of [bytesSource(made.file, "box"), narrowSource(made.file, 1 << 20)]) {
      const result = drain(zlibCodec.open(source, made.offset, made.length, "box region"), 1 << 16);
      expect(result.error).toBeUndefined();
      expect(result.plain.equals(made.plain)).toBe(true);
    }
  });
});
