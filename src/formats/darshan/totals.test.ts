// Totals against a plain reduction of the same records, and against figures worked out by hand.

import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { allocateWords } from "../../base/words.ts";
import { RecordBlock } from "./blocks.ts";
import { type ModuleSpec, mpiio, posix, stdio } from "./modules/index.ts";
import { type CounterRecord, counterRecord, encodeRecord } from "./records.ts";
import { type DerivedFigures, Totals } from "./totals.ts";

/** Records as blocks of at most `size`, as the reader would give them. */
function figuresOf(spec: ModuleSpec, records: readonly CounterRecord[], size = 3): DerivedFigures {
  const totals = new Totals(spec, spec.derived as NonNullable<ModuleSpec["derived"]>);
  for (let from = 0; from < records.length; from += size) {
    const part = records.slice(from, from + size).map((record) => encodeRecord(spec, record));
    const words = part[0]?.f64.length ?? 0;
    const views = allocateWords(words * part.length);
    part.forEach((record, index) => {
      views.u8.set(record.u8, 8 * words * index);
    });
    totals.add(new RecordBlock(views, part.length, words));
  }
  return totals.figures();
}

const integer = (spec: ModuleSpec, figures: DerivedFigures, name: string): bigint => {
  const index = spec.integers.findIndex((counter) => counter.name === name);
  expect(index, name).toBeGreaterThanOrEqual(0);
  return figures.integers[index] as bigint;
};
const real = (spec: ModuleSpec, figures: DerivedFigures, name: string): number => {
  const index = spec.reals.findIndex((counter) => counter.name === name);
  expect(index, name).toBeGreaterThanOrEqual(0);
  return figures.reals[index] as number;
};

/** What the description of the format says of counters of each kind, by their names alone. */
type Rule = "sum" | "max" | "earliest" | "other";
function ruleOf(name: string): Rule {
  const short = name.replace(/^(POSIX|MPIIO|STDIO)_/, "");
  if (/^F_.*_START_TIMESTAMP$/.test(short)) return "earliest";
  if (/^F_.*_END_TIMESTAMP$/.test(short)) return "max";
  if (/^F_(READ|WRITE|META)_TIME$/.test(short)) return "sum";
  if (/^F_MAX_(READ|WRITE)_TIME$/.test(short)) return "max";
  if (/^MAX_BYTE_(READ|WRITTEN)$/.test(short)) return "max";
  if (short.startsWith("F_") || /RANK|MODE|ALIGNMENT$|RENAMED_FROM|_TIME_SIZE$|STRIDE\d|ACCESS\d/.test(short))
    return "other";
  return "sum";
}

describe.each([posix, mpiio, stdio])("totals of $name", (spec) => {
  it("are the sums, the largest and the earliest of all records", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = new Random(seed);
      const records = Array.from({ length: 1 + random.below(12) }, (): CounterRecord => {
        const values: Record<string, number | bigint> = {};
        for (const { name } of spec.integers)
          values[name] = random.below(3) === 0 ? 0 : BigInt(random.below(2 ** 45));
        // Times in 1/1024 s add up without rounding, so the order does not matter.
        for (const { name } of spec.reals)
          values[name] = random.below(4) === 0 ? 0 : random.below(2 ** 20) / 1024;
        return counterRecord(spec, { id: BigInt(random.below(4)), rank: random.below(5) - 1 }, values);
      });
      const figures = figuresOf(spec, records, 1 + random.below(4));
      let checked = 0;
      spec.integers.forEach(({ name }, index) => {
        const all = records.map((record) => record.integers[index] as bigint);
        const rule = ruleOf(name);
        if (rule === "other") return;
        checked++;
        const expected =
          rule === "sum" ? all.reduce((a, b) => a + b, 0n) : all.reduce((a, b) => (b > a ? b : a), 0n);
        expect(integer(spec, figures, name), `${name}, seed ${seed}`).toBe(expected);
      });
      spec.reals.forEach(({ name }, index) => {
        const all = records.map((record) => record.reals[index] as number);
        const rule = ruleOf(name);
        if (rule === "other") return;
        checked++;
        const positive = all.filter((value) => value > 0);
        const expected =
          rule === "sum"
            ? all.reduce((a, b) => a + b, 0)
            : rule === "max"
              ? Math.max(0, ...all)
              : positive.length === 0
                ? 0
                : Math.min(...positive);
        expect(real(spec, figures, name), `${name}, seed ${seed}`).toBe(expected);
      });
      // The rules by name must not have gone blind.
      expect(checked).toBeGreaterThan(15);
      expect(figures.totalBytes).toBe(
        integer(spec, figures, prefixed(spec, "BYTES_READ")) +
          integer(spec, figures, prefixed(spec, "BYTES_WRITTEN")),
      );
    }
  });

  it("do not depend on how records are cut into blocks", () => {
    const random = new Random(5);
    const records = Array.from({ length: 20 }, () =>
      counterRecord(
        spec,
        { id: 9n, rank: random.below(4) },
        Object.fromEntries(
          [...spec.integers, ...spec.reals].map(({ name }) => [name, random.below(1000)] as const),
        ),
      ),
    );
    expect(figuresOf(spec, records, 1)).toEqual(figuresOf(spec, records, 20));
  });
});

function prefixed(spec: ModuleSpec, name: string): string {
  return `${spec.name.replace("-", "")}_${name}`;
}

describe("totals of POSIX", () => {
  const record = (rank: number, values: Record<string, number | bigint>, id = 1n) =>
    counterRecord(posix, { id, rank }, values);

  it("keep -1 where no record knew the value, and where the sum falls below zero", () => {
    const figures = figuresOf(posix, [
      record(0, { POSIX_FILENOS: -1, POSIX_DUPS: -1, POSIX_OPENS: 2 }),
      record(1, { POSIX_FILENOS: -1, POSIX_DUPS: 5, POSIX_OPENS: 3 }),
    ]);
    expect(integer(posix, figures, "POSIX_FILENOS")).toBe(-1n);
    expect(integer(posix, figures, "POSIX_DUPS")).toBe(4n);
    expect(integer(posix, figures, "POSIX_OPENS")).toBe(5n);
  });

  it("take mode, alignment and renamed-from of the last record", () => {
    const figures = figuresOf(posix, [
      record(0, { POSIX_MODE: 384, POSIX_FILE_ALIGNMENT: 4096, POSIX_RENAMED_FROM: 7 }),
      record(1, { POSIX_MODE: 420, POSIX_FILE_ALIGNMENT: 1048576, POSIX_RENAMED_FROM: 0 }),
    ]);
    expect(integer(posix, figures, "POSIX_MODE")).toBe(420n);
    expect(integer(posix, figures, "POSIX_FILE_ALIGNMENT")).toBe(1048576n);
    expect(integer(posix, figures, "POSIX_RENAMED_FROM")).toBe(0n);
  });

  it("pair the longest read and write with their sizes; the first of two equal ones counts", () => {
    const figures = figuresOf(posix, [
      record(0, { POSIX_F_MAX_READ_TIME: 2, POSIX_MAX_READ_TIME_SIZE: 100 }),
      record(1, {
        POSIX_F_MAX_READ_TIME: 3,
        POSIX_MAX_READ_TIME_SIZE: 7,
        POSIX_F_MAX_WRITE_TIME: 1,
        POSIX_MAX_WRITE_TIME_SIZE: 55,
      }),
      record(2, { POSIX_F_MAX_READ_TIME: 3, POSIX_MAX_READ_TIME_SIZE: 999 }),
    ]);
    expect(real(posix, figures, "POSIX_F_MAX_READ_TIME")).toBe(3);
    expect(integer(posix, figures, "POSIX_MAX_READ_TIME_SIZE")).toBe(7n);
    expect(integer(posix, figures, "POSIX_MAX_WRITE_TIME_SIZE")).toBe(55n);
  });

  describe("the four most frequent values", () => {
    type Pairs = readonly (readonly [value: number, count: number])[];
    const withAccesses = (rank: number, pairs: Pairs) =>
      record(
        rank,
        Object.fromEntries(
          pairs.flatMap(([value, count], index) => [
            [`POSIX_ACCESS${index + 1}_ACCESS`, value],
            [`POSIX_ACCESS${index + 1}_COUNT`, count],
          ]),
        ),
      );
    const merged = (...records: Pairs[]) => {
      const figures = figuresOf(
        posix,
        records.map((pairs, rank) => withAccesses(rank, pairs)),
      );
      return [1, 2, 3, 4].map((n) => [
        Number(integer(posix, figures, `POSIX_ACCESS${n}_ACCESS`)),
        Number(integer(posix, figures, `POSIX_ACCESS${n}_COUNT`)),
      ]);
    };

    it("of one record are those of the record", () => {
      expect(
        merged([
          [4096, 9],
          [512, 5],
          [100, 5],
          [7, 1],
        ]),
      ).toEqual([
        [4096, 9],
        [512, 5],
        [100, 5],
        [7, 1],
      ]);
    });

    it("add the counts of equal values", () => {
      expect(
        merged(
          [
            [4096, 9],
            [512, 5],
          ],
          [
            [4096, 1],
            [512, 2],
          ],
        ),
      ).toEqual([
        [4096, 10],
        [512, 7],
        [0, 0],
        [0, 0],
      ]);
    });

    it("let a new value in before those that are rarer, or as rare and smaller", () => {
      expect(
        merged(
          [
            [10, 9],
            [20, 5],
          ],
          [[30, 7]],
        ),
      ).toEqual([
        [10, 9],
        [30, 7],
        [20, 5],
        [0, 0],
      ]);
      expect(
        merged(
          [
            [10, 9],
            [20, 5],
          ],
          [[30, 5]],
        ),
      ).toEqual([
        [10, 9],
        [30, 5],
        [20, 5],
        [0, 0],
      ]);
      expect(
        merged(
          [
            [10, 9],
            [20, 5],
          ],
          [[15, 5]],
        ),
      ).toEqual([
        [10, 9],
        [20, 5],
        [15, 5],
        [0, 0],
      ]);
    });

    it("push the rarest out, and leave out what is rarer than all four", () => {
      expect(
        merged(
          [
            [1, 9],
            [2, 8],
            [3, 7],
            [4, 6],
          ],
          [[5, 7]],
        ),
      ).toEqual([
        [1, 9],
        [2, 8],
        [5, 7],
        [3, 7],
      ]);
      expect(
        merged(
          [
            [1, 9],
            [2, 8],
            [3, 7],
            [4, 6],
          ],
          [[5, 5]],
        ),
      ).toEqual([
        [1, 9],
        [2, 8],
        [3, 7],
        [4, 6],
      ]);
    });

    it("of strides are kept apart from those of sizes", () => {
      const figures = figuresOf(posix, [
        record(0, { POSIX_STRIDE1_STRIDE: 64, POSIX_STRIDE1_COUNT: 3 }),
        record(1, { POSIX_STRIDE1_STRIDE: 128, POSIX_STRIDE1_COUNT: 4 }),
      ]);
      expect(integer(posix, figures, "POSIX_STRIDE1_STRIDE")).toBe(128n);
      expect(integer(posix, figures, "POSIX_STRIDE2_COUNT")).toBe(3n);
      expect(integer(posix, figures, "POSIX_ACCESS1_ACCESS")).toBe(0n);
    });
  });

  it("name the fastest and slowest rank while all records are of one file", () => {
    const ranks = [
      record(0, { POSIX_F_READ_TIME: 1, POSIX_F_META_TIME: 0.5, POSIX_BYTES_READ: 10 }),
      record(1, { POSIX_F_WRITE_TIME: 4, POSIX_BYTES_WRITTEN: 20, POSIX_BYTES_READ: 2 }),
      record(2, { POSIX_F_READ_TIME: 0.25, POSIX_BYTES_READ: 30 }),
    ];
    const figures = figuresOf(posix, ranks);
    expect(integer(posix, figures, "POSIX_FASTEST_RANK")).toBe(2n);
    expect(integer(posix, figures, "POSIX_FASTEST_RANK_BYTES")).toBe(30n);
    expect(real(posix, figures, "POSIX_F_FASTEST_RANK_TIME")).toBe(0.25);
    expect(integer(posix, figures, "POSIX_SLOWEST_RANK")).toBe(1n);
    expect(integer(posix, figures, "POSIX_SLOWEST_RANK_BYTES")).toBe(22n);
    expect(real(posix, figures, "POSIX_F_SLOWEST_RANK_TIME")).toBe(4);
    const two = figuresOf(posix, [...ranks, record(3, { POSIX_F_READ_TIME: 9 }, 2n)]);
    expect(integer(posix, two, "POSIX_FASTEST_RANK")).toBe(-1n);
    expect(integer(posix, two, "POSIX_SLOWEST_RANK")).toBe(-1n);
    expect(real(posix, two, "POSIX_F_SLOWEST_RANK_TIME")).toBe(0);
  });
});

describe("performance and files of POSIX", () => {
  const MIB = 1048576;
  // Ranks 0, 1, 2 write a file each; one more file is shared by all.
  const own = (rank: number, id: bigint, meta: number, write: number, mebibytes: number) =>
    counterRecord(
      posix,
      { id, rank },
      {
        POSIX_F_META_TIME: meta,
        POSIX_F_WRITE_TIME: write,
        POSIX_BYTES_WRITTEN: mebibytes * MIB,
        POSIX_MAX_BYTE_WRITTEN: mebibytes * MIB - 1,
      },
    );
  const shared = counterRecord(
    posix,
    { id: 100n, rank: -1 },
    {
      POSIX_BYTES_READ: 40 * MIB,
      POSIX_MAX_BYTE_READ: 30 * MIB,
      POSIX_F_READ_TIME: 6,
      POSIX_F_SLOWEST_RANK_TIME: 2.5,
      POSIX_SLOWEST_RANK: 1,
      POSIX_F_FASTEST_RANK_TIME: 0.5,
    },
  );
  const records = [
    own(0, 1n, 0.5, 1, 8),
    own(1, 2n, 0.25, 3, 16),
    own(1, 3n, 0.25, 1, 4),
    own(2, 4n, 2, 2, 12),
    shared,
  ];
  const figures = figuresOf(posix, records);

  it("take the rank that spent most in files of its own, and the slowest rank of each shared file", () => {
    // T(0) = 1.5, T(1) = 3.25 + 1.25 = 4.5, T(2) = 4; shared 2.5; 80 MiB in 7 s.
    expect(figures).toMatchObject({
      slowestRank: 1,
      uniqueSeconds: 4.5,
      uniqueMetaSeconds: 0.5,
      uniqueTransferSeconds: 4,
      sharedSeconds: 2.5,
      totalSeconds: 7,
      totalBytes: BigInt(80 * MIB),
      mebibytesPerSecond: 80 / 7,
    });
  });

  it("count files by what was done with them and by who shared them", () => {
    const mib = (count: number) => BigInt(count * MIB);
    expect(figures.files).toEqual({
      total: { count: 5, bytes: mib(80), maxOffset: mib(30) },
      readOnly: { count: 1, bytes: mib(40), maxOffset: mib(30) },
      writeOnly: { count: 4, bytes: mib(40), maxOffset: mib(16) - 1n },
      readWrite: { count: 0, bytes: 0n, maxOffset: 0n },
      unique: { count: 4, bytes: mib(40), maxOffset: mib(16) - 1n },
      shared: { count: 1, bytes: mib(40), maxOffset: mib(30) },
    });
  });

  it("count a file of some ranks as shared, and one that is read and written as such", () => {
    const both = counterRecord(posix, { id: 2n, rank: 2 }, { POSIX_BYTES_READ: 5, POSIX_MAX_BYTE_READ: 4 });
    const more = figuresOf(posix, [...records, both]);
    expect(more.files.unique.count).toBe(3);
    expect(more.files.shared.count).toBe(2);
    expect(more.files.readWrite).toEqual({
      count: 1,
      bytes: BigInt(16 * MIB + 5),
      maxOffset: BigInt(16 * MIB - 1),
    });
  });

  it("count rank 0 as a rank like any other", () => {
    const figures = figuresOf(posix, [own(0, 1n, 1, 3, 8), own(1, 2n, 1, 1, 8)]);
    expect(figures).toMatchObject({
      slowestRank: 0,
      uniqueSeconds: 4,
      sharedSeconds: 0,
      mebibytesPerSecond: 4,
    });
  });

  it("without any time have no speed, and without records no figures", () => {
    expect(figuresOf(posix, [own(0, 1n, 0, 0, 1)]).mebibytesPerSecond).toBe(0);
    const none = figuresOf(posix, []);
    expect(none.files.total.count).toBe(0);
    expect(none.totalBytes).toBe(0n);
    expect(none.totalSeconds).toBe(0);
  });
});
