import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteWriter } from "./byte-writer.ts";
import { crc32c } from "./crc32c.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Bit by bit, as the definition says. */
function slowly(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) {
    c ^= byte;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
  }
  return ~c >>> 0;
}

describe("CRC-32C", () => {
  it("has the check values of RFC 3720 and of the catalogue", () => {
    expect(crc32c(bytesOf("123456789"))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(255))).toBe(0x62a8ab43);
    expect(crc32c(new Uint8Array(0))).toBe(0);
  });

  it("is that of bit by bit, whole or in two pieces", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
        expect(crc32c(bytes)).toBe(slowly(bytes));
        expect(crc32c(bytes.subarray(cut), crc32c(bytes.subarray(0, cut)))).toBe(crc32c(bytes));
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
