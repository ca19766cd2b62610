import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../base/errors.ts";
import { type ByteSource, bytesSource } from "../../base/source.ts";
import { DecimalReader, timeFromText } from "./decimal.ts";
import { Interner } from "./interner.ts";
import { eachWindow } from "./windows.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** Nanoseconds by big integers, rounded half away from zero. */
function exactNs(sign: string, whole: string, fraction: string, unitDigits: number): bigint {
  const padded = fraction.padEnd(unitDigits + 1, "0");
  const kept = BigInt((whole === "" ? "0" : whole) + padded.slice(0, unitDigits));
  const rounded = kept + (Number(padded[unitDigits]) >= 5 ? 1n : 0n);
  return sign === "-" ? -rounded : rounded;
}

describe("decimal numbers in bytes", () => {
  const digits = (max: number) => fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: max });

  it("are exact to the nanosecond in every unit", () => {
    const reader = new DecimalReader();
    fc.assert(
      fc.property(
        fc.constantFrom("", "-", "+"),
        digits(19),
        digits(14),
        fc.constantFrom(9, 6, 3, 0),
        (sign, whole, fraction, unitDigits) => {
          fc.pre(whole + fraction !== "" && whole.length <= 10 + (9 - unitDigits));
          const text = `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}`;
          const bytes = encode(`x${text},`);
          expect(reader.time(bytes, 1, bytes.length, unitDigits)).toBe(bytes.length - 1);
          const ns = BigInt(reader.value[1] as number) * 1_000_000_000n + BigInt(reader.value[2] as number);
          expect(ns).toBe(exactNs(sign, whole, fraction, unitDigits));
          expect(timeFromText(text, unitDigits, reader)).toBe(true);
          expect(BigInt(reader.value[1] as number) * 1_000_000_000n + BigInt(reader.value[2] as number)).toBe(
            ns,
          );
        },
      ),
    );
  });

  it("may have an exponent in the slow way", () => {
    const reader = new DecimalReader();
    const parts = (text: string, unit = 9) =>
      timeFromText(text, unit, reader) && [...reader.value.subarray(1)];
    expect(parts("1.712345678123456789e9")).toEqual([1712345678, 123456789]);
    expect(parts("15e-1")).toEqual([1, 500_000_000]);
    expect(parts("-1.5E3", 6)).toEqual([-1, -500_000_000]);
    expect(parts("1e-30")).toEqual([0, 0]);
    for (const text of ["", ".", "e5", "1e", "nan", "inf", "1e999", "0x10", "1.2.3"])
      expect(parts(text)).toBe(false);
  });

  it("are what Number says where they are plain", () => {
    const reader = new DecimalReader();
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 52), max: 2 ** 52 }), fc.nat(9999), (whole, part) => {
        const bytes = encode(`${whole}.${part};`);
        expect(reader.plain(bytes, 0, bytes.length)).toBe(bytes.length - 1);
        const expected = Number(`${whole}.${part}`);
        expect(Math.abs((reader.value[0] as number) - expected)).toBeLessThanOrEqual(
          Math.abs(expected) * 3e-16 + 1e-12,
        );
        const integer = encode(String(whole));
        reader.plain(integer, 0, integer.length);
        expect(reader.value[0]).toBe(whole === 0 ? 0 : whole);
      }),
    );
    expect(reader.plain(encode("abc"), 0, 3)).toBe(-1);
    expect(reader.plain(encode("-"), 0, 1)).toBe(-1);
  });
});

describe("windows of lines", () => {
  /** A source that copies, as files do, and uses memory again when it may. */
  const copying = (bytes: Uint8Array): ByteSource => ({
    name: "copy",
    byteLength: bytes.length,
    read(offset, length, reuse) {
      const piece = bytes.subarray(offset, offset + length);
      const room = reuse !== undefined && reuse.length >= piece.length ? reuse : new Uint8Array(piece.length);
      room.fill(255);
      room.set(piece);
      return room.subarray(0, piece.length);
    },
  });

  it("hold every line once and whole, whatever their size", () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom("a", "\r", " ", "é"), maxLength: 12 }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(lines, fc.boolean(), fc.integer({ min: 1, max: 40 }), (list, ended, size) => {
        // A newline first: without one, a CR would end lines.
        const text = `\n${list.join("\n")}${ended ? "\n" : ""}`;
        for (const source of [bytesSource(encode(text)), copying(encode(text))]) {
          let seen = "";
          let lasts = 0;
          eachWindow(
            source,
            (bytes, from, end, last) => {
              const piece = bytes.subarray(from, end);
              if (!last) expect(piece.at(-1)).toBe(10);
              else lasts++;
              seen += new TextDecoder().decode(piece);
            },
            size,
          );
          expect(seen).toBe(text);
          expect(lasts).toBe(1);
        }
      }),
    );
  });

  it("have newlines where lines end with CR alone", () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom("a", " ", "é"), maxLength: 12 }), {
      minLength: 2,
      maxLength: 30,
    });
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 40 }), (list, size) => {
        const text = `${list.join("\r")}z`;
        for (const source of [bytesSource(encode(text)), copying(encode(text))]) {
          let seen = "";
          eachWindow(
            source,
            (bytes, from, end) => void (seen += new TextDecoder().decode(bytes.subarray(from, end))),
            size,
          );
          expect(seen).toBe(text.replaceAll("\r", "\n"));
        }
      }),
    );
  });

  it("leave out a byte order mark, and refuse a line without end", () => {
    const seen: number[] = [];
    eachWindow(bytesSource(encode("\ufeffa\n")), (bytes, from, end) =>
      seen.push(...bytes.subarray(from, end)),
    );
    expect(seen).toEqual([97, 10]);
    const endless: ByteSource = {
      name: "dev",
      byteLength: Infinity,
      read: (_, length) => new Uint8Array(length),
    };
    expect(() => eachWindow(endless, () => {})).toThrow(FormatError);
  });
});

it("an interner gives equal bytes equal numbers", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 2000, minLength: 600 }), (words) => {
      const interner = new Interner();
      const twin = new Map<string, number>();
      for (const word of words) {
        if (!twin.has(word)) twin.set(word, twin.size);
        const bytes = encode(`[${word}]`);
        expect(interner.intern(bytes, 1, bytes.length - 1)).toBe(twin.get(word));
      }
      expect(interner.size).toBe(twin.size);
    }),
    { numRuns: 20 },
  );
});
