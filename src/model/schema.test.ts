import { describe, expect, it } from "vitest";
import { MODULES } from "../formats/darshan/modules/index.ts";
import { layers, MISSING_I64, SCHEMA } from "./schema.ts";
import { storedAccesses } from "./store-schema.ts";

const TYPES = ["i64", "u64", "i32", "f64", "text", "flag"];
const UNITS = [
  "",
  "bytes",
  "bytes2",
  "s",
  "s2",
  "ns",
  "min",
  "us",
  "h",
  "calls",
  "processes",
  "nodes",
  "files",
];

it("the tables have different names", () => {
  const names = ["runs", "layers", "rank_loads", "counters"];
  expect(SCHEMA.map(({ name }) => name)).toEqual(names);
});

it("what was not recorded is a value that no counter reaches", () => {
  expect(MISSING_I64).toBe(-9223372036854775808n);
});

describe.each(SCHEMA)("table $name", (table) => {
  it("says what a row is and who fills it", () => {
    expect(table.row).toMatch(/^one /);
    expect(table.filledBy).not.toBe("");
    expect(table.columns.length).toBeGreaterThan(5);
  });

  it("has no column twice, all in snake_case", () => {
    const names = table.columns.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
  });

  it.each(table.columns)("column $name has a type, a unit, a meaning and an origin", (column) => {
    expect(TYPES).toContain(column.type);
    expect(UNITS).toContain(column.unit);
    expect(column.meaning).toMatch(/^\S.{3,}$/);
    expect(column.origin).toMatch(/^\S.{2,}$/);
    expect(`${column.meaning}${column.origin}`).not.toContain("|");
  });

  it("has units that fit the types and the names", () => {
    for (const { name, type, unit } of table.columns) {
      if (type === "text" || type === "flag" || type === "u64") expect(unit, name).toBe("");
      if (unit === "s") expect(name).toMatch(/_seconds$/);
      if (unit === "ns") expect(name).toMatch(/_ns$/);
      if (/_seconds$/.test(name)) expect(["s", "s2"], name).toContain(unit);
      if (/_ns$/.test(name)) expect(unit, name).toBe("ns");
      if (unit.endsWith("2")) expect(name).toMatch(/^variance_/);
      if (/bytes/.test(name)) expect(["bytes", "bytes2"], name).toContain(unit);
    }
  });
});

it("every Darshan counter that is named as an origin exists", () => {
  const known = new Set(
    MODULES.flatMap(({ integers, reals }) => [...integers, ...reals].map(({ name }) => name)),
  );
  const named = [...storedAccesses.columns, ...layers.columns].flatMap(
    ({ origin }) => origin.match(/\b(POSIX|MPIIO|STDIO|DFS|LUSTRE_COMP)_[A-Z0-9_]+/g) ?? [],
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
