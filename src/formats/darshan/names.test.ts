import { describe, expect, it } from "vitest";
import { cpuMsOf } from "../../../test/cpu-time.ts";
import { FormatError, LimitError } from "../../base/errors.ts";
import { Random } from "../../base/prng.ts";
import { NameTable, readNames } from "./names.ts";

interface Entry {
  readonly id: bigint;
  readonly name: string | Uint8Array;
}

const toBytes = (text: string | Uint8Array) =>
  typeof text === "string" ? new TextEncoder().encode(text) : text;

/** Entries as the format lays them out: with a length in 3.00, with a NUL since 3.10. */
function plainNames(entries: readonly Entry[], minor: number, bigEndian: boolean): Uint8Array {
  const head = minor === 0 ? 12 : 8;
  const tail = minor === 0 ? 0 : 1;
  const names = entries.map(({ name }) => toBytes(name));
  const bytes = new Uint8Array(names.reduce((sum, name) => sum + head + name.length + tail, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  entries.forEach(({ id }, index) => {
    const name = names[index] as Uint8Array;
    view.setBigUint64(at, id, !bigEndian);
    if (minor === 0) view.setUint32(at + 8, name.length, !bigEndian);
    bytes.set(name, at + head);
    at += head + name.length + tail;
  });
  return bytes;
}

function read(plain: Uint8Array, minor = 41, bigEndian = false, nameBytesMax = 1000) {
  const damage: FormatError[] = [];
  const facts = { source: "log", offset: 1500, minor, bigEndian, nameBytesMax };
  const table = readNames(plain, facts, (error) => damage.push(error));
  return { table, damage };
}

const listed = (table: NameTable) =>
  [...table.entries()].map(({ id, bytes }) => [id, new TextDecoder().decode(bytes)]);

const SHAPES = [0, 10, 21, 41].flatMap((minor) => [false, true].map((bigEndian) => ({ minor, bigEndian })));

describe.each(SHAPES)("names of format minor $minor, big endian $bigEndian", ({ minor, bigEndian }) => {
  const ENTRIES: Entry[] = [
    { id: 1n, name: "/a" },
    { id: 2n ** 64n - 1n, name: "" },
    { id: 0x0102030405060708n, name: "/größe/\u{1f600}" },
    { id: 0n, name: "<STDOUT>" },
    { id: 1n << 32n, name: "x".repeat(999) },
  ];

  it("are found by their whole 64-bit id, in the order of the file", () => {
    const { table, damage } = read(plainNames(ENTRIES, minor, bigEndian), minor, bigEndian);
    expect(damage).toEqual([]);
    expect(listed(table)).toEqual(ENTRIES.map(({ id, name }) => [id, name]));
    expect(table.size).toBe(5);
    for (const { id, name } of ENTRIES) expect(table.get(id)).toBe(name);
    for (const id of [2n, 1n << 33n, 0xffffffffn, 0x0807060504030201n]) expect(table.get(id)).toBeUndefined();
    expect(table.bytesOf(0x05060708, 0x01020304)).toEqual(toBytes("/größe/\u{1f600}"));
  });

  it("that come again keep the first name, unless that was empty", () => {
    const entries = [
      { id: 5n, name: "first" },
      { id: 6n, name: "" },
      { id: 5n, name: "second" },
      { id: 6n, name: "filled in" },
      { id: 6n, name: "too late" },
      { id: 5n, name: "" },
      { id: 7n, name: "" },
      { id: 7n, name: "" },
    ];
    const { table } = read(plainNames(entries, minor, bigEndian), minor, bigEndian);
    expect(listed(table)).toEqual([
      [5n, "first"],
      [6n, "filled in"],
      [7n, ""],
    ]);
  });

  it("cut anywhere keep the whole ones and report the rest once, with its place", () => {
    const plain = plainNames(ENTRIES.slice(0, 4), minor, bigEndian);
    const ends = ENTRIES.slice(0, 4).map(
      (_, index) => plainNames(ENTRIES.slice(0, index + 1), minor, bigEndian).length,
    );
    for (let length = 0; length <= plain.length; length++) {
      const { table, damage } = read(plain.subarray(0, length), minor, bigEndian);
      const whole = ends.filter((end) => end <= length).length;
      expect(table.size).toBe(whole);
      const start = ends[whole - 1] ?? 0;
      expect(damage.length).toBe(length === start ? 0 : 1);
      if (damage[0] === undefined) continue;
      expect(damage[0]).toBeInstanceOf(FormatError);
      expect(damage[0].offset).toBe(1500);
      expect(damage[0].detail).toContain(`name region: plain byte ${start}: `);
    }
  });

  it("longer than the limit are refused, at the limit they are not", () => {
    const entries = [
      { id: 1n, name: "ok" },
      { id: 2n, name: "x".repeat(100) },
    ];
    const plain = plainNames(entries, minor, bigEndian);
    expect(read(plain, minor, bigEndian, 100).table.size).toBe(2);
    const second = minor === 0 ? 14 : 11;
    expect(() => read(plain, minor, bigEndian, 99)).toThrow(LimitError);
    expect(() => read(plain, minor, bigEndian, 99)).toThrow(
      `log: byte 1500: name region: plain byte ${second}: a name of 100 bytes; the limit is 99 (--max-name-bytes)`,
    );
  });
});

describe("damaged names", () => {
  it("say what is missing", () => {
    const nul = plainNames([{ id: 1n, name: "/abc" }], 41, false);
    expect(read(nul.subarray(0, 5)).damage[0]?.detail).toBe(
      "name region: plain byte 0: an entry needs at least 8 bytes, but only 5 are left",
    );
    expect(read(nul.subarray(0, 12)).damage[0]?.detail).toBe(
      "name region: plain byte 0: a name without its end",
    );
    const prefixed = plainNames([{ id: 1n, name: "/abc" }], 0, false);
    expect(read(prefixed.subarray(0, 11), 0).damage[0]?.detail).toBe(
      "name region: plain byte 0: an entry needs at least 12 bytes, but only 11 are left",
    );
    expect(read(prefixed.subarray(0, 15), 0).damage[0]?.detail).toBe(
      "name region: plain byte 0: a name of 4 bytes, but only 3 are left",
    );
  });

  it("with a length near 2^32 are reported, not believed", () => {
    for (const bigEndian of [false, true]) {
      const plain = plainNames([{ id: 1n, name: "/abc" }], 0, bigEndian);
      plain.fill(0xff, 8, 12);
      expect(read(plain, 0, bigEndian).damage[0]?.detail).toBe(
        "name region: plain byte 0: a name of 4294967295 bytes, but only 4 are left",
      );
    }
  });
});

describe("many names", () => {
  const check = (ids: readonly bigint[], expected?: number) => {
    const table = new NameTable(toBytes("abcdefghij"), expected);
    ids.forEach((id, index) => {
      table.add(Number(id & 0xffffffffn), Number(id >> 32n), index % 10, (index % 10) + 1);
    });
    expect(table.size).toBe(ids.length);
    ids.forEach((id, index) => {
      if (table.get(id) !== "abcdefghij"[index % 10]) expect(`${id}: ${table.get(id)}`).toBe(index);
    });
    let index = 0;
    for (const { id } of table.entries()) if (id !== ids[index++]) expect(id).toBe(ids[index - 1]);
    expect(index).toBe(ids.length);
  };

  it("a table grows from nothing to 100,000", () => {
    const random = new Random(1);
    const ids = new Set<bigint>();
    while (ids.size < 100_000) ids.add((BigInt(random.bits()) << 32n) | BigInt(random.bits()));
    check([...ids]);
    check([...ids], 1);
    check([...ids], 33);
  });

  it("a region of 100,000 names is read whole", () => {
    const entries = Array.from({ length: 100_000 }, (_, i) => ({ id: BigInt(i) * 7919n, name: `/f${i}` }));
    const { table, damage } = read(plainNames(entries, 41, false));
    expect(damage).toEqual([]);
    expect(table.size).toBe(100_000);
    expect(table.get(7919n * 99_999n)).toBe("/f99999");
    expect(table.get(7919n * 50_000n)).toBe("/f50000");
  });

  it("ids that were made to look alike are kept apart, and soon", () => {
    const crafted: Record<string, (i: number) => bigint> = {
      "equal low halves": (i) => BigInt(i) << 32n,
      "equal high halves": (i) => (0xabcdef01n << 32n) | BigInt(i),
      "only the top bits differ": (i) =>
        BigInt(i % 512) * 2n ** 55n + BigInt(Math.floor(i / 512)) * 2n ** 23n,
      "multiples of 2^16": (i) => (BigInt(i) << 16n) | (BigInt(i) << 48n),
      "halves that are equal": (i) => (BigInt(i) << 32n) | BigInt(i),
    };
    for (const make of Object.values(crafted)) {
      const ids = [...new Set(Array.from({ length: 100_000 }, (_, i) => BigInt.asUintN(64, make(i))))];
      // A pile of equal hashes would take minutes.
      expect(cpuMsOf(() => check(ids))).toBeLessThan(5000);
    }
  });
});
