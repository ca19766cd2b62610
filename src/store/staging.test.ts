/** Columns of one value and columns that begin to vary, in the chunk, in the table and in the next segment. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Random } from "../base/prng.ts";
import { MISSING_I64 } from "../model/schema.ts";
import { storedMinutes } from "../model/store-system.ts";
import type { ColumnSource, Value } from "../model/tables.ts";
import { ROW_GROUP_ROWS } from "./batch.ts";
import { Store } from "./index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-staging-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Columns = Readonly<Record<string, ColumnSource>>;

/** Stores the appends and gives the rows in the order of `job_key`, which every append numbers. */
async function stored(appends: readonly (readonly [rows: number, columns: Columns])[]) {
  const store = await Store.create(join(folder, "store"));
  const batch = store.beginBatch();
  for (const [rows, columns] of appends) await batch.append(storedMinutes, rows, columns);
  await batch.commit();
  const session = await store.query();
  const rows = await session.rows("select * from minutes order by job_key");
  session.close();
  await store.close();
  return rows;
}

const keys = (from: number, rows: number) =>
  BigUint64Array.from({ length: rows }, (_, i) => BigInt(from + i));

/** The value of a row as a query gives it, by the rules of a sink. */
function expected(source: ColumnSource | undefined, row: number): Value {
  const value = source === undefined ? null : "all" in source ? source.all : (source[row] as Value);
  return value === MISSING_I64 || Number.isNaN(value) ? null : value;
}

describe("a column", () => {
  it("of one value comes out as it is, whatever the value", async () => {
    const odd = { job_id: 'it\'s \0 "odd"; 語', file_system: null, target: "", why: "a\nb" };
    const numbers = { minute_unix: -7n, seconds: -0, bytes_read: 2n ** 63n - 1n, reads: 0n };
    const columns = Object.fromEntries(
      Object.entries({ ...odd, ...numbers }).map(([k, all]) => [k, { all }]),
    );
    const rows = await stored([[3, { job_key: { all: 2n ** 64n - 1n }, ...columns }]]);
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(row).toMatchObject({ job_key: 2n ** 64n - 1n, ...odd, ...numbers, writes: null });
      expect(Object.is(row.seconds, -0)).toBe(true);
    }
  });

  it.each([0.1, 5e-324, 1.7976931348623157e308, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "holds %f exactly",
    async (seconds) => {
      const [row] = await stored([[1, { job_key: keys(0, 1), seconds: { all: seconds } }]]);
      expect(row?.seconds).toBe(seconds);
    },
  );

  it("may begin to vary in the first chunk, after it, and in the next segment", async () => {
    const appends: [number, Columns][] = [];
    let from = 0;
    const add = (rows: number, columns: Columns) => {
      appends.push([rows, { job_key: keys(from, rows), ...columns }]);
      from += rows;
    };
    const same = { target: { all: "OST0000" }, minute_unix: { all: 1n }, seconds: { all: 60 } } as const;
    add(100, same);
    add(100, { ...same, bytes_read: BigInt64Array.from({ length: 100 }, (_, i) => BigInt(i)) });
    add(5000, { ...same, target: { all: "OST0001" } });
    add(3000, { ...same, seconds: { all: null }, why: { all: "gap" } });
    add(10, { ...same, writes: { all: 5n } });
    add(ROW_GROUP_ROWS, { ...same, writes: { all: 5n } });
    add(20, { ...same, minute_unix: { all: 2n }, opens: { all: 1n }, job_id: { all: "j" } });
    const rows = await stored(appends);
    expect(readdirSync(join(folder, "store", "segments", "minutes"))).toHaveLength(2);
    expect(rows).toHaveLength(from);
    let at = 0;
    for (const [count, columns] of appends)
      for (let i = 0; i < count; i++, at++)
        for (const { name } of storedMinutes.columns)
          if (rows[at]?.[name] !== expected(columns[name], i))
            expect({ at, name, value: rows[at]?.[name] }).toEqual({
              at,
              name,
              value: expected(columns[name], i),
            });
  });

  it("comes out as it went in when appends of all kinds are mixed", async () => {
    const random = new Random(5);
    const texts = ["a", "b", "", null, "'"];
    const integers = [0n, 5n, -1n, MISSING_I64];
    const reals = [0, 60, Number.NaN, 1e-3];
    const source = (type: string, rows: number): ColumnSource | undefined => {
      const kind = random.below(4);
      if (kind === 0) return undefined;
      const pick = <T>(from: readonly T[]) => from[random.below(from.length)] as T;
      const one = () => (type === "text" ? pick(texts) : type === "f64" ? pick(reals) : pick(integers));
      if (kind === 1) return { all: one() };
      const values = Array.from({ length: rows }, one);
      if (kind === 2 || type === "text") return values;
      return type === "f64" ? Float64Array.from(values as number[]) : BigInt64Array.from(values as bigint[]);
    };
    const appends: [number, Columns][] = [];
    for (let from = 0, turn = 0; turn < 60; turn++) {
      const rows = 1 + random.below(turn % 10 === 0 ? 3000 : 40);
      const columns: Record<string, ColumnSource> = { job_key: keys(from, rows) };
      // Some columns have a value late, or never.
      for (const [place, { name, type }] of storedMinutes.columns.entries()) {
        const found = name === "job_key" || 4 * place > turn ? undefined : source(type, rows);
        if (found !== undefined) columns[name] = found;
      }
      appends.push([rows, columns]);
      from += rows;
    }
    const rows = await stored(appends);
    const wanted = appends.flatMap(([count, columns]) =>
      Array.from({ length: count }, (_, i) =>
        Object.fromEntries(storedMinutes.columns.map(({ name }) => [name, expected(columns[name], i)])),
      ),
    );
    expect(rows).toEqual(wanted);
  });
});

describe("texts", () => {
  it("of many rows have the least and the greatest in the file, in whatever order they came", async () => {
    const targets = ["m", "z", "b", null, "k"];
    const store = await Store.create(join(folder, "store"));
    const batch = store.beginBatch();
    await batch.append(storedMinutes, 500, {
      job_key: keys(0, 500),
      target: Array.from({ length: 500 }, (_, i) => targets[i % 5] as string | null),
      // More than a dictionary is worth.
      job_id: Array.from({ length: 500 }, (_, i) => `job ${i}`),
    });
    await batch.append(storedMinutes, 5000, {
      job_key: keys(500, 5000),
      job_id: Array.from({ length: 5000 }, (_, i) => `more ${i}`),
    });
    await batch.commit();
    const session = await store.query();
    const [file] = readdirSync(join(folder, "store", "segments", "minutes"));
    const path = join(folder, "store", "segments", "minutes", file as string);
    expect(
      await session.rows(
        `select path_in_schema as name, stats_min_value as least, stats_max_value as most, stats_null_count as nulls
         from parquet_metadata('${path}') where path_in_schema in ('target', 'job_id') order by name`,
      ),
    ).toEqual([
      { name: "job_id", least: "job 0", most: "more 999", nulls: 0n },
      { name: "target", least: "b", most: "z", nulls: 5100n },
    ]);
    expect(await session.rows("select count(*) as rows, count(distinct job_id) as ids from minutes")).toEqual(
      [{ rows: 5500n, ids: 5500n }],
    );
    expect(await session.rows("select count(*) as rows from minutes where target = 'k'")).toEqual([
      { rows: 100n },
    ]);
    session.close();
    await store.close();
  });
});
