// Headers made byte by byte, in every version and both byte orders.

import { describe, expect, it } from "vitest";
import { FormatError } from "../../base/errors.ts";
import { bytesSource } from "../../base/source.ts";
import { type Header, readHeader } from "./header.ts";

interface Pair {
  readonly offset: number | bigint;
  readonly length: number | bigint;
}

interface Plan {
  readonly minor?: number;
  readonly version?: string;
  readonly bigEndian?: boolean;
  readonly compression?: number;
  readonly partial?: bigint;
  readonly names?: Pair;
  readonly modules?: Readonly<Record<number, Pair & { readonly version: number }>>;
  readonly fileBytes?: number;
}

const MINORS = [0, 10, 20, 21, 41];
const headerBytes = (minor: number) => (minor >= 41 ? 1328 : 360);

/** A file of zeros with a header as the description of the format lays it out. */
function file(plan: Plan): Uint8Array {
  const minor = plan.minor ?? 41;
  const wide = minor >= 41;
  const little = !(plan.bigEndian ?? false);
  const bytes = new Uint8Array(plan.fileBytes ?? 10_000);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(plan.version ?? `3.${String(minor).padStart(2, "0")}`));
  view.setBigInt64(8, 6567223n, little);
  bytes[16] = plan.compression ?? 0;
  if (wide) view.setBigUint64(24, plan.partial ?? 0n, little);
  else view.setUint32(20, Number(plan.partial ?? 0n), little);
  const pair = (at: number, { offset, length }: Pair) => {
    view.setBigUint64(at, BigInt(offset), little);
    view.setBigUint64(at + 8, BigInt(length), little);
  };
  if (plan.names !== undefined) pair(wide ? 32 : 24, plan.names);
  for (const [slot, module] of Object.entries(plan.modules ?? {})) {
    pair((wide ? 48 : 40) + 16 * Number(slot), module);
    view.setUint32((wide ? 1072 : 296) + 4 * Number(slot), module.version, little);
  }
  return bytes;
}

const read = (plan: Plan, allowCut = false): Header => readHeader(bytesSource(file(plan), "log"), allowCut);

function failure(bytes: Uint8Array, name = "log", allowCut = false): { offset?: number; detail: string } {
  try {
    readHeader(bytesSource(bytes, name), allowCut);
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    const { offset, detail } = error as FormatError;
    return offset === undefined ? { detail } : { offset, detail };
  }
  throw new Error("the header was taken");
}

/** The table of slots in the description of the format. */
const SLOTS: readonly (readonly [string, number, number, number])[] = [
  ["NULL", 0, 0, 0],
  ["POSIX", 1, 1, 1],
  ["MPI-IO", 2, 2, 2],
  ["H5F", 3, 3, 3],
  ["H5D", -1, 4, 4],
  ["PNETCDF_FILE", 4, 5, 5],
  ["PNETCDF_VAR", -1, -1, 6],
  ["BG/Q", 5, 6, 7],
  ["LUSTRE", 6, 7, 8],
  ["STDIO", 7, 8, 9],
  ["DXT_POSIX", 8, 9, 10],
  ["DXT_MPIIO", 9, 10, 11],
  ["MDHIM", 10, 11, 12],
  ["APXC", -1, 12, 13],
  ["APMPI", -1, 13, 14],
  ["HEATMAP", -1, 14, 15],
  ["DFS", -1, -1, 16],
  ["DAOS", -1, -1, 17],
];
const nameOf = (minor: number, slot: number) => {
  const column = minor < 20 ? 1 : minor < 41 ? 2 : 3;
  return SLOTS.find((row) => row[column] === slot)?.[0] ?? `<UNKNOWN ${slot}>`;
};

describe.each(MINORS.flatMap((minor) => [false, true].map((bigEndian) => ({ minor, bigEndian }))))(
  "the header of format minor $minor, big endian $bigEndian",
  ({ minor, bigEndian }) => {
    const size = headerBytes(minor);
    const slots = minor >= 41 ? 64 : 16;

    it("gives version, byte order, compression and regions", () => {
      for (const [compression, name] of ["zlib", "bzip2", "none"].entries()) {
        const header = read({
          minor,
          bigEndian,
          compression,
          names: { offset: size + 100, length: 50 },
          modules: { 1: { offset: size + 150, length: 70, version: 3 } },
        });
        expect(header).toMatchObject({
          version: `3.${String(minor).padStart(2, "0")}`,
          minor,
          bigEndian,
          compression: name,
          byteLength: size,
          job: { offset: size, length: 100 },
          names: { offset: size + 100, length: 50 },
        });
        expect(header.modules).toHaveLength(1);
        expect(header.modules[0]).toMatchObject({
          slot: 1,
          name: "POSIX",
          version: 3,
          partial: false,
          region: { offset: size + 150, length: 70 },
        });
      }
    });

    it("names the module of every slot, and numbers those that nobody knows", () => {
      const modules = Object.fromEntries(
        Array.from({ length: slots }, (_, slot) => [
          slot,
          { offset: size + 100 + 10 * slot, length: 10, version: 1 + slot },
        ]),
      );
      const header = read({ minor, bigEndian, modules });
      expect(
        header.modules.map(({ slot, name, version, region }) => ({ slot, name, version, region })),
      ).toEqual(
        Array.from({ length: slots }, (_, slot) => ({
          slot,
          name: nameOf(minor, slot),
          version: 1 + slot,
          region: { offset: size + 100 + 10 * slot, length: 10 },
        })),
      );
      for (const { name, spec } of header.modules)
        expect(spec?.name).toBe(name.startsWith("<") ? undefined : name);
    });

    it("moves each bit of the partial flag with its slot", () => {
      for (let slot = 0; slot < slots; slot++) {
        const header = read({ minor, bigEndian, partial: 1n << BigInt(slot) });
        expect(header.modules).toEqual([
          expect.objectContaining({
            slot,
            name: nameOf(minor, slot),
            partial: true,
            region: { offset: 0, length: 0 },
          }),
        ]);
      }
      const all = read({ minor, bigEndian, partial: 2n ** BigInt(slots) - 1n });
      expect(all.modules.map(({ slot }) => slot)).toEqual(Array.from({ length: slots }, (_, slot) => slot));
    });

    it("ends the job where the next region starts, in whatever order they stand", () => {
      const module = (offset: number) => ({ offset, length: 10, version: 1 });
      expect(read({ minor, bigEndian }).job.length).toBe(10_000 - size);
      expect(read({ minor, bigEndian, modules: { 2: module(size + 40) } }).job.length).toBe(40);
      expect(
        read({
          minor,
          bigEndian,
          names: { offset: 5000, length: 10 },
          modules: { 1: module(size + 77), 2: module(4000) },
        }).job.length,
      ).toBe(77);
    });

    it("says how long it should be when the file ends inside it", () => {
      for (const length of [16, 17, size - 1]) {
        expect(failure(file({ minor, bigEndian }).subarray(0, length))).toEqual({
          offset: length,
          detail: `the header needs ${size} bytes, the file has ${length}`,
        });
      }
    });

    it("takes no region that reaches into the header or beyond the end of the file", () => {
      const at = minor >= 41 ? 32 : 24;
      for (const [offset, length] of [
        [size - 1, 10],
        [0, 10],
        [10_000, 1],
        [9_999, 2],
        [10_001, 1],
        [size + 1, 2 ** 40],
      ] as const) {
        expect(failure(file({ minor, bigEndian, names: { offset, length } }))).toEqual({
          offset: at,
          detail: `according to the header, name region has ${length} bytes at byte ${offset}; the file has 10000 bytes, ${size} of them header`,
        });
      }
      const modulesAt = minor >= 41 ? 48 : 40;
      const modules = { 2: { offset: 9_000, length: 1001, version: 1 } };
      expect(failure(file({ minor, bigEndian, modules }))).toEqual({
        offset: modulesAt + 32,
        detail: `according to the header, MPI-IO region has 1001 bytes at byte 9000; the file has 10000 bytes, ${size} of them header`,
      });
      // The last byte of the file is still inside.
      expect(read({ minor, bigEndian, names: { offset: 9_999, length: 1 } }).names.length).toBe(1);
    });

    it("takes no region whose offset and length are large enough to wrap around", () => {
      const huge = [2n ** 63n, 2n ** 64n - 1n, 2n ** 64n - 2000n, 2n ** 32n, 2n ** 53n + 1n];
      for (const value of huge) {
        for (const pair of [
          { offset: value, length: 10n },
          { offset: 5000n, length: value },
          { offset: value, length: value },
          { offset: value, length: 2n ** 64n - value + 5000n },
        ]) {
          const modules = { 1: { ...pair, length: BigInt.asUintN(64, pair.length), version: 1 } };
          for (const allowCut of [false, true]) {
            // Even of a file that was cut, no offset is believed beyond what a double counts exactly.
            if (allowCut && pair.offset + pair.length < 2n ** 53n) continue;
            const { offset, detail } = failure(file({ minor, bigEndian, modules }), "log", allowCut);
            expect(offset).toBe((minor >= 41 ? 48 : 40) + 16);
            expect(detail).toMatch(/^according to the header, POSIX region has /);
          }
        }
      }
    });

    it("takes no data without a record version", () => {
      const modules = { 1: { offset: 5000, length: 10, version: 0 } };
      expect(failure(file({ minor, bigEndian, modules }))).toEqual({
        offset: (minor >= 41 ? 1072 : 296) + 4,
        detail: "POSIX region has data but record version 0",
      });
      // Without data the version means nothing, whatever it is and wherever the region is said to be.
      for (const version of [0, 4]) {
        const empty = { 1: { offset: 2n ** 63n, length: 0, version } };
        expect(read({ minor, bigEndian, modules: empty }).modules).toEqual([]);
      }
    });

    it("takes no regions that overlap, and names both", () => {
      const pair = (offset: number, length: number) => ({ offset, length, version: 1 });
      expect(
        failure(
          file({ minor, bigEndian, names: { offset: 3000, length: 101 }, modules: { 1: pair(3100, 10) } }),
        ),
      ).toEqual({
        offset: 3100,
        detail: "POSIX region overlaps the name region, which ends at byte 3101",
      });
      expect(
        failure(file({ minor, bigEndian, modules: { 1: pair(5000, 10), 2: pair(4000, 1001) } })),
      ).toEqual({ offset: 5000, detail: "POSIX region overlaps the MPI-IO region, which ends at byte 5001" });
      // One inside another, and two at the same place.
      expect(
        failure(file({ minor, bigEndian, modules: { 1: pair(4000, 1000), 2: pair(4500, 10) } })).detail,
      ).toBe("MPI-IO region overlaps the POSIX region, which ends at byte 5000");
      expect(
        failure(file({ minor, bigEndian, modules: { 1: pair(4000, 10), 2: pair(4000, 10) } })).detail,
      ).toMatch(/overlaps/);
      // Side by side is fine.
      expect(
        read({ minor, bigEndian, modules: { 1: pair(4010, 10), 2: pair(4000, 10) } }).modules,
      ).toHaveLength(2);
    });

    it("takes no file without room for the job", () => {
      const modules = { 1: { offset: size, length: 10, version: 1 } };
      expect(failure(file({ minor, bigEndian, modules }))).toEqual({
        offset: size,
        detail: `no space for the job region: the next region starts at byte ${size}`,
      });
      expect(failure(file({ minor, bigEndian, fileBytes: size })).detail).toMatch(
        /^no space for the job region/,
      );
    });

    it("takes no compression that it does not know", () => {
      for (const compression of [3, 255]) {
        expect(failure(file({ minor, bigEndian, compression }))).toEqual({
          offset: 16,
          detail: `unknown compression type ${compression} (have: 0 zlib, 1 bzip2, 2 none)`,
        });
      }
    });
  },
);

describe("the header", () => {
  it("gives an uncompressed log a job region of 4096 bytes", () => {
    expect(read({ compression: 2 }).job).toEqual({ offset: 1328, length: 4096 });
    expect(read({ compression: 2, names: { offset: 2000, length: 5 } }).job.length).toBe(672);
  });

  it("of a file that was cut keeps regions beyond its end when asked to", () => {
    const plan: Plan = {
      names: { offset: 5000, length: 10 },
      modules: { 1: { offset: 20_000, length: 500, version: 4 } },
    };
    expect(failure(file(plan)).offset).toBe(64);
    expect(read(plan, true).modules[0]?.region).toEqual({ offset: 20_000, length: 500 });
  });

  it("ignores its padding", () => {
    const bytes = file({ partial: 2n });
    bytes.fill(0xff, 17, 24);
    expect(readHeader(bytesSource(bytes)).modules.map(({ name }) => name)).toEqual(["POSIX"]);
  });

  it("of an empty file says so", () => {
    expect(failure(new Uint8Array(0))).toEqual({
      offset: 0,
      detail: "the file is empty; a Darshan log has at least a header of 360 bytes",
    });
  });

  it("of a file too short to tell says how short it is", () => {
    for (const length of [1, 8, 15]) {
      expect(failure(file({}).subarray(0, length))).toEqual({
        offset: length,
        detail: `not a Darshan log: ${length} bytes, the header alone has 360`,
      });
    }
  });

  it("that is all zero is a log whose writing was not finished", () => {
    expect(failure(new Uint8Array(5000))).toEqual({
      offset: 0,
      detail: "the header is empty: an unfinished log, or not a Darshan log",
    });
    expect(failure(new Uint8Array(5000), "user_app_id1.darshan_partial")).toEqual({
      offset: 0,
      detail:
        "the header is empty: the job was still running, or died while writing its log; only complete .darshan logs can be read",
    });
  });

  it("of a gzip file says gunzip and points to the old formats", () => {
    const bytes = new Uint8Array(500);
    bytes.set([0x1f, 0x8b, 8]);
    expect(failure(bytes)).toEqual({
      offset: 0,
      detail:
        "a gzip file: gunzip it first (if it contains a Darshan 1.x or 2.x log, convert it with darshan-convert of that release)",
    });
  });

  it("without the magic number is no header", () => {
    const wrong = file({});
    wrong[10] = 0;
    expect(failure(wrong)).toEqual({
      offset: 8,
      detail: "damaged header: bad magic number behind version 3.41",
    });
    const upper = file({});
    upper[15] = 1;
    expect(failure(upper).offset).toBe(8);
    const upperBig = file({ bigEndian: true });
    upperBig[8] = 1;
    expect(failure(upperBig).offset).toBe(8);
    expect(failure(new TextEncoder().encode("just some text in a file"))).toEqual({
      offset: 8,
      detail: "not a Darshan log (no version at byte 0, no magic number at byte 8)",
    });
  });

  it("with the magic number but without a version is damaged", () => {
    for (const version of ["\0\0\0\0", "3.4", "3.411", "v3.41", "3,41"]) {
      expect(failure(file({ version: version.padEnd(8, "\0") }))).toEqual({
        offset: 0,
        detail: "damaged header: no format version at byte 0",
      });
    }
  });

  it.each([
    ["3.42", "is newer than this reader"],
    ["3.99", "is newer than this reader"],
    ["4.00", "is newer than this reader"],
    ["3.01", "is not supported"],
    ["3.11", "is not supported"],
    ["3.40", "is not supported"],
  ])("of version %s %s", (version, verdict) => {
    for (const bigEndian of [false, true]) {
      expect(failure(file({ version, bigEndian }))).toEqual({
        offset: 0,
        detail: `format version ${version} ${verdict} (reads 3.00, 3.10, 3.20, 3.21, 3.41)`,
      });
    }
  });

  it("of Darshan 1.x or 2.x says what to do", () => {
    for (const version of ["1.24", "2.06"])
      expect(failure(file({ version }))).toEqual({
        offset: 0,
        detail: `a log of Darshan ${version[0]}.x (format ${version}), which is a different format; convert it with darshan-convert of that release`,
      });
  });

  it("names the file in its message", () => {
    expect(() => readHeader(bytesSource(new Uint8Array(0), "some/run.darshan"))).toThrow(
      /^some\/run\.darshan: byte 0: the file is empty/,
    );
  });
});
