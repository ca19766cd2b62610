import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteWriter } from "./byte-writer.ts";
import { crc32 } from "./crc32.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Bit by bit, as the definition says. */
function slowly(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) {
    c ^= byte;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  }
  return ~c >>> 0;
}

describe("CRC-32", () => {
  it("has the check value of the catalogue", () => {
    expect(crc32(bytesOf("123456789"))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array(0))).toBe(0);
  });

  it("is that of bit by bit, whole or in two pieces", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
        expect(crc32(bytes)).toBe(slowly(bytes));
        expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(crc32(bytes));
      }),
    );
  });
});

describe("a byte writer", () => {
  it("writes what a DataView would, and grows", () => {
    const out = new ByteWriter(1);
    out.u8(1);
    out.u16(0x0203);
    out.u32(0xfffffffe);
    out.u64(2 ** 52 + 1);
    out.bytes(bytesOf("ab"));
    out.patchU16(1, 0x0405);
    const view = new DataView(out.finish().slice().buffer);
    expect(out.length).toBe(17);
    expect([view.getUint8(0), view.getUint16(1, true), view.getUint32(3, true)]).toEqual([
      1, 0x0405, 0xfffffffe,
    ]);
    expect(view.getBigUint64(7, true)).toBe(2n ** 52n + 1n);
  });
});

describe("the native CRC-32", () => {
  it("is the same", async () => {
    const { crc32: native } = await import("../node/crc32.ts");
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 37) % 256);
    expect(native(bytes.subarray(300), native(bytes.subarray(0, 300)))).toBe(crc32(bytes));
  });
});
