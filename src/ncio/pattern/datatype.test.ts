import { datatypes, everyPlace, orderedDatatypes, piecesOf } from "./test-kit.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../base/errors.ts";
import {
  bytes,
  checkDatatype,
  type Datatype,
  dataBelow,
  dataBytes,
  decodeDatatype,
  encodeDatatype,
  endOf,
  isContiguous,
  isOrdered,
  PieceCursor,
  pack,
  parts,
  pieceBlock,
  pieceCount,
  placeOf,
  unpack,
  vector,
} from "./index.ts";

const anyType = fc.oneof(datatypes, orderedDatatypes);

function placesOf(
  type: Datatype,
  range: { start?: number; from?: number; to?: number },
  capacity: number,
): number[] {
  const places: number[] = [];
  const block = pieceBlock(capacity);
  for (const cursor = new PieceCursor(type, range); cursor.next(block) > 0; )
    for (let i = 0; i < block.count; i++)
      for (let k = 0; k < (block.lengths[i] as number); k++) places.push((block.offsets[i] as number) + k);
  return places;
}

describe("a datatype", () => {
  it("has the pieces that naming every byte gives, from any byte to any other, in blocks of any size", () => {
    fc.assert(
      fc.property(
        anyType,
        fc.nat(),
        fc.nat(),
        fc.nat(50),
        fc.integer({ min: 1, max: 9 }),
        (type, a, b, start, capacity) => {
          const places = everyPlace(type, start);
          expect(dataBytes(type)).toBe(places.length);
          expect(placesOf(type, { start }, capacity).join()).toBe(places.join());
          const [from, to] = [a % (places.length + 1), b % (places.length + 1)].sort((x, y) => x - y);
          expect(placesOf(type, { start, from: from!, to: to! }, capacity).join()).toBe(
            places.slice(from, to).join(),
          );
        },
      ),
      { numRuns: 600 },
    );
  });

  it("merges pieces that touch, so that their number is that of the breaks", () => {
    fc.assert(
      fc.property(anyType, (type) => {
        const places = everyPlace(type);
        const breaks = places.filter((place, i) => i === 0 || place !== (places[i - 1] as number) + 1).length;
        expect(pieceCount(type)).toBe(breaks);
        expect(piecesOf(type).count).toBe(breaks);
        if (breaks > 1) expect(isContiguous(type)).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  it("knows its end, its order, the place of each byte, and the bytes below each place", () => {
    fc.assert(
      fc.property(anyType, fc.nat(), fc.nat(300), (type, n, place) => {
        const places = everyPlace(type);
        expect(endOf(type)).toBe(places.length === 0 ? 0 : Math.max(...places) + 1);
        expect(isOrdered(type)).toBe(places.every((at, i) => i === 0 || at > (places[i - 1] as number)));
        if (places.length > 0) expect(placeOf(type, n % places.length)).toBe(places[n % places.length]);
        if (isOrdered(type)) expect(dataBelow(type, place)).toBe(places.filter((at) => at < place).length);
      }),
      { numRuns: 600 },
    );
  });

  it("is one run when vectors leave no room", () => {
    expect(isContiguous(vector(4, 6, vector(3, 2, bytes(2))))).toBe(true);
    expect(isContiguous(vector(4, 7, vector(3, 2, bytes(2))))).toBe(false);
    expect(isContiguous(vector(1, 100, bytes(2)))).toBe(true);
    expect(piecesOf(parts({ at: 0, of: bytes(4) }, { at: 4, of: bytes(4) })).count).toBe(1);
  });

  it("starts in the middle of a huge vector at once, exactly", () => {
    const count = 2 ** 40;
    const type = vector(count, 4096, bytes(3));
    expect(dataBytes(type)).toBe(3 * count);
    expect(placeOf(type, 3 * (count - 1) + 2)).toBe((count - 1) * 4096 + 2);
    expect(dataBelow(type, (count - 1) * 4096 + 1)).toBe(3 * (count - 1) + 1);
    const tail = piecesOf(type, { from: 3 * (count - 2) + 1 });
    expect([...tail.offsets]).toEqual([(count - 2) * 4096 + 1, (count - 1) * 4096]);
    expect([...tail.lengths]).toEqual([2, 3]);
  });
});

describe("packing", () => {
  it("copies byte for byte, wherever buffers begin, and spreads the same again", () => {
    fc.assert(
      fc.property(anyType, fc.nat(), fc.nat(), fc.nat(7), fc.nat(7), (type, a, b, shift, packedShift) => {
        const places = everyPlace(type);
        const [from, to] = [a % (places.length + 1), b % (places.length + 1)].sort((x, y) => x - y) as [
          number,
          number,
        ];
        const buffer = new Uint8Array(endOf(type) + shift + 9).subarray(shift, shift + endOf(type));
        for (let i = 0; i < buffer.length; i++) buffer[i] = 1 + ((i * 7) % 251);
        const packed = new Uint8Array(to - from + packedShift + 9).subarray(
          packedShift,
          packedShift + to - from,
        );
        pack(type, buffer, packed, { from, to });
        const gathered = Uint8Array.from(places.slice(from, to), (place) => buffer[place] as number);
        expect(Buffer.compare(packed, gathered)).toBe(0);
        const copy = new Uint8Array(buffer.length);
        unpack(type, copy, packed, { from, to });
        const expected = new Uint8Array(buffer.length);
        for (const place of places.slice(from, to)) expected[place] = buffer[place] as number;
        expect(Buffer.compare(copy, expected)).toBe(0);
      }),
      { numRuns: 600 },
    );
  });

  it.each([1, 2, 4, 8, 12, 16, 64, 100, 128, 129, 200])("copies pieces of %i bytes at any stride", (size) => {
    for (const gap of [0, 1, 4, 8, 120])
      for (const count of [1, 2, 33]) {
        const type = vector(count, size + gap, bytes(size));
        const buffer = Uint8Array.from({ length: endOf(type) }, (_, i) => (i * 31) & 255);
        const packed = new Uint8Array(dataBytes(type));
        pack(type, buffer, packed);
        expect([...packed]).toEqual(everyPlace(type).map((place) => buffer[place]));
      }
  });

  it("keeps the bits of numbers that are none", () => {
    const type = vector(2000, 16, bytes(8));
    const buffer = new Uint8Array(endOf(type));
    for (let i = 0; i < 2000; i++) buffer.set([1, 2, 3, 4, 5, 6, 0xf0, i & 1 ? 0x7f : 0xff], 16 * i);
    const packed = new Uint8Array(16000);
    for (let i = 0; i < 20; i++) pack(type, buffer, packed);
    for (let i = 0; i < 2000; i++)
      expect([...packed.subarray(8 * i, 8 * i + 8)]).toEqual([1, 2, 3, 4, 5, 6, 0xf0, i & 1 ? 0x7f : 0xff]);
  });

  it("refuses buffers that the type leaves", () => {
    const type = vector(4, 16, bytes(8));
    expect(() => pack(type, new Uint8Array(55), new Uint8Array(32))).toThrow("lies within its buffer");
    expect(() => pack(type, new Uint8Array(56), new Uint8Array(31))).toThrow("packed data covers its range");
    expect(() => unpack(type, new Uint8Array(56), new Uint8Array(40), { from: 0, to: 33 })).toThrow(
      "within the data of the type",
    );
  });
});

describe("the encoding", () => {
  it("gives the same type back", () => {
    fc.assert(
      fc.property(anyType, (type) => {
        expect(decodeDatatype(encodeDatatype(type))).toEqual(type);
      }),
    );
    const large = vector(2 ** 26, 2 ** 26 - 1, parts({ at: 2 ** 52, of: bytes(129) }));
    expect(decodeDatatype(encodeDatatype(large))).toEqual(large);
    expect(encodeDatatype(vector(1048576, 8192, bytes(8))).length).toBe(8);
  });

  it("fails cleanly on whatever bytes come, or gives a type that holds", () => {
    fc.assert(
      fc.property(
        anyType,
        fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { maxLength: 4 }),
        fc.nat(),
        fc.uint8Array({ maxLength: 12 }),
        (type, changes, cut, noise) => {
          const encoded = encodeDatatype(type);
          for (const { at, byte } of changes) encoded[at % encoded.length] = byte;
          for (const input of [encoded, encoded.subarray(0, cut % (encoded.length + 1)), noise])
            survives(input);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("holds to its limits", () => {
    let deep = bytes(1);
    for (let i = 0; i < 20; i++) deep = vector(1, 1, deep);
    expect(() => decodeDatatype(encodeDatatype(deep))).toThrow("more than 16 nested types");
    const many = parts(...Array.from({ length: 9 }, (_, i) => ({ at: i, of: bytes(1) })));
    expect(() => decodeDatatype(encodeDatatype(many), { depth: 4, parts: 8 })).toThrow("more than 8 parts");
    expect(() => decodeDatatype(Uint8Array.of(3, 255, 255, 255, 127))).toThrow("more than 65536 parts");
    expect(() => decodeDatatype(encodeDatatype(vector(2 ** 30, 2 ** 30, bytes(1))))).toThrow("beyond 2^53-1");
    expect(() => decodeDatatype(encodeDatatype(vector(2 ** 30, 1, bytes(2 ** 30))))).toThrow("beyond 2^53-1");
    expect(() => decodeDatatype(Uint8Array.of(1, 255, 255, 255, 255, 255, 255, 255, 255, 1))).toThrow(
      "beyond",
    );
    expect(() => decodeDatatype(Uint8Array.of(1, 5, 0))).toThrow("1 bytes after the end");
    expect(() => decodeDatatype(Uint8Array.of(2, 5))).toThrow("byte 2: the type ends in the middle");
  });

  it("checks what came as JSON", () => {
    const bad: readonly [unknown, string][] = [
      [null, "a type is an object"],
      [{ kind: "vektor" }, "kind is bytes, vector or parts, found vektor"],
      [{ kind: "bytes", length: -1 }, "length is a whole number"],
      [{ kind: "bytes", length: 1.5 }, "length is a whole number"],
      [{ kind: "bytes", length: "8" }, "length is a whole number"],
      [{ kind: "vector", count: 2, stride: Number.NaN, of: bytes(1) }, "stride is a whole number"],
      [{ kind: "parts", parts: 3 }, "parts is a list"],
      [{ kind: "parts", parts: [null] }, "a type is an object"],
      [{ kind: "parts", parts: [{ at: -1, of: bytes(0) }] }, "at is a whole number"],
    ];
    for (const [value, message] of bad) expect(() => checkDatatype(value)).toThrow(message);
    expect(() => checkDatatype(vector(2 ** 52, 0, bytes(0)))).not.toThrow();
  });
});

function survives(input: Uint8Array): void {
  try {
    const type = decodeDatatype(input);
    checkDatatype(type);
    const block = pieceBlock(64);
    new PieceCursor(type, { to: Math.min(1000, dataBytes(type)) }).next(block);
    expect(Number.isSafeInteger(endOf(type))).toBe(true);
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
  }
}
