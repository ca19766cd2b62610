import { describe, expect, it } from "vitest";
import { AssertionError } from "../base/assert.ts";
import { layers, MISSING_I64, rankLoads, runs, SCHEMA, type TableSchema } from "./schema.ts";
import { TableBuilder, TablesBuilder } from "./tables.ts";

const schema: TableSchema = {
  name: "samples",
  row: "one sample",
  filledBy: "this test",
  columns: (["i64", "u64", "i32", "f64", "text", "flag"] as const).map((type) => ({
    name: `a_${type}`,
    type,
    unit: "",
    meaning: "a value",
    origin: "this test",
  })),
};

/** Columns that always have a value. */
const fixed = { a_u64: 7n, a_i32: 7, a_flag: 1 };

describe("a table", () => {
  it("gives back exact values of every type", () => {
    const builder = new TableBuilder(schema);
    builder.append({ a_i64: -5n, a_u64: 2n ** 64n - 1n, a_i32: -7, a_f64: 0.1, a_text: "grün", a_flag: 1 });
    builder.append({ a_i64: 2n ** 63n - 1n, a_u64: 3, a_i32: 2 ** 31 - 1, a_f64: -0, a_text: "", a_flag: 0 });
    builder.append({ a_i64: 2 ** 53, a_u64: 0n, a_i32: 0, a_f64: 5n, a_text: 12, a_flag: 1 });
    const table = builder.finish();
    expect(table.rows).toBe(3);
    expect(table.column("a_i64")).toEqual(BigInt64Array.of(-5n, 2n ** 63n - 1n, 2n ** 53n));
    expect(table.column("a_u64")).toEqual(BigUint64Array.of(2n ** 64n - 1n, 3n, 0n));
    expect(table.column("a_i32")).toEqual(Int32Array.of(-7, 2 ** 31 - 1, 0));
    expect(table.column("a_f64")).toEqual(Float64Array.of(0.1, -0, 5));
    expect(table.column("a_text")).toEqual(["grün", "", "12"]);
    expect(table.column("a_flag")).toEqual(Uint8Array.of(1, 0, 1));
    expect(table.value("a_u64", 0)).toBe(2n ** 64n - 1n);
    expect(table.value("a_text", 1)).toBe("");
  });

  it("tells a value that was not recorded from zero", () => {
    const builder = new TableBuilder(schema);
    builder.append(fixed);
    builder.append({ ...fixed, a_i64: null, a_f64: null, a_text: null });
    builder.append({ ...fixed, a_i64: undefined, a_f64: Number.NaN, a_text: undefined });
    builder.append({ ...fixed, a_i64: 0, a_f64: 0, a_text: "" });
    const table = builder.finish();
    for (const row of [0, 1, 2]) {
      expect(table.value("a_i64", row)).toBeNull();
      expect(table.value("a_f64", row)).toBeNull();
      expect(table.value("a_text", row)).toBeNull();
    }
    expect(table.value("a_i64", 3)).toBe(0n);
    expect(table.value("a_f64", 3)).toBe(0);
    expect(table.value("a_text", 3)).toBe("");
    // In memory, where whole columns are read at once.
    expect(table.column("a_i64")[0]).toBe(MISSING_I64);
    expect(table.column("a_i64")[0]).toBe(-(2n ** 63n));
    expect(table.column("a_f64")[0]).toBeNaN();
    expect(table.column("a_text")[0]).toBeNull();
  });

  it("has no way to leave out an id or a flag", () => {
    for (const name of Object.keys(fixed)) {
      expect(() => new TableBuilder(schema).append({ ...fixed, [name]: null })).toThrow(/always has a value/);
    }
  });

  it("grows to any number of rows", () => {
    const builder = new TableBuilder(schema);
    const count = 10_001;
    for (let i = 0; i < count; i++)
      builder.append({ a_i64: -i, a_u64: i, a_i32: i, a_f64: i / 2, a_text: `t${i}`, a_flag: i % 2 });
    expect(builder.rows).toBe(count);
    const table = builder.finish();
    for (const { name } of schema.columns) expect(table.column(name)).toHaveLength(count);
    for (const row of [0, 15, 16, 17, 31, 32, 8191, 8192, 10_000]) {
      expect(schema.columns.map(({ name }) => table.value(name, row))).toEqual([
        BigInt(-row),
        BigInt(row),
        row,
        row / 2,
        `t${row}`,
        row % 2,
      ]);
    }
  });

  it("that is finished does not change with what comes later", () => {
    const builder = new TableBuilder(schema);
    builder.append({ ...fixed, a_i64: 1 });
    const table = builder.finish();
    builder.append({ ...fixed, a_i64: 2 });
    expect(table.rows).toBe(1);
    expect(table.column("a_i64")).toEqual(BigInt64Array.of(1n));
  });

  it("without rows has its columns, all empty", () => {
    const table = new TableBuilder(schema).finish();
    expect(table.rows).toBe(0);
    for (const { name } of schema.columns) expect(table.column(name)).toHaveLength(0);
  });

  it("knows no other columns and no other rows", () => {
    const builder = new TableBuilder(schema);
    expect(() => builder.append({ a_typo: 1 })).toThrow(AssertionError);
    expect(() => builder.append({ a_typo: 1 })).toThrow("table samples has no column a_typo");
    expect(builder.rows).toBe(0);
    builder.append({ ...fixed, a_i64: 1 });
    const table = builder.finish();
    expect(() => table.column("a_typo")).toThrow("table samples has no column a_typo");
    expect(() => table.value("a_i64", 1)).toThrow("table samples has no row 1");
    expect(() => table.value("a_i64", -1)).toThrow(AssertionError);
  });
});

describe("the tables together", () => {
  it("are those of the schema, each filled on its own", () => {
    const builder = new TablesBuilder();
    builder.table(runs).append({ run_id: "a", ranks: 4, synthetic: 0 });
    builder.table(rankLoads).append({ run_id: "a", rank: 0 });
    builder.table(rankLoads).append({ run_id: "a", rank: 1 });
    const tables = builder.finish();
    expect([...tables.keys()]).toEqual(SCHEMA.map(({ name }) => name));
    expect([...tables.values()].map(({ rows }) => rows)).toEqual(
      SCHEMA.map(({ name }) => (name === "runs" ? 1 : name === "rank_loads" ? 2 : 0)),
    );
    expect(tables.get("runs")?.value("ranks", 0)).toBe(4n);
    expect(tables.get("layers")?.schema).toBe(layers);
  });

  it("know no table but those of the schema", () => {
    expect(() => new TablesBuilder().table(schema)).toThrow("no table samples");
  });
});
