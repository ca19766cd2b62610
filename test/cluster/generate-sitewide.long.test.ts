/** A synthetic site in slices is that of one process: rows of every table, and answers to the byte. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Desk } from "./desk.ts";

const desk = new Desk();
afterAll(() => desk.remove());
const text = (name: string) => readFileSync(desk.path(name), "utf8");
const OPTIONS = ["--scale", "0.0005", "--seed", "7", "--tables"];
const TABLES = ["jobs", "minutes", "targets", "target_states", "servers", "readings"];

beforeAll(() => {
  desk.json(["generate", "sitewide", "-o", "one", ...OPTIONS]);
});

/** Number of rows and a hash of them that does not depend on their order, by table. */
function tables(store: string) {
  return Object.fromEntries(
    TABLES.map((table) => {
      const sql = `select count(*) as n, bit_xor(hash(t::varchar)) as x, sum(hash(t::varchar)) as s from ${table} t`;
      const [row] = desk.json(["sql", "--store", store, sql]);
      return [table, { ...row }];
    }),
  );
}

it("slices give the rows and answers of one process, also where some of them are empty", () => {
  const one = tables("one/store");
  for (const { n } of Object.values(one)) expect(Number(n)).toBeGreaterThan(0);
  for (const tasks of ["3", "11"]) {
    const run = ["--tasks", tasks, "--local", "2", "--run", `r${tasks}`];
    desk.json(["cluster", "generate", "sitewide", "-o", `site${tasks}`, ...OPTIONS, ...run]);
    expect(tables(`site${tasks}/store`)).toEqual(one);
    for (const file of ["answers.json", "README.txt"])
      expect(text(`site${tasks}/${file}`)).toBe(text(`one/${file}`));
  }
});

it("a missing slice, and what cannot be sliced, is one line", () => {
  const join = desk.plimsoll(["generate", "sitewide", "-o", "none", ...OPTIONS, "--join", "2"]);
  expect([join.status, join.stderr]).toEqual([
    2,
    expect.stringMatching(/1-of-2 is missing: generate that slice first/),
  ]);
  const files = desk.plimsoll(["cluster", "generate", "sitewide", "-o", "none", "--local", "1"]);
  expect([files.status, files.stderr]).toEqual([
    2,
    expect.stringMatching(/^plimsoll: files of a site .*add --tables.*\n$/),
  ]);
  const slice = desk.plimsoll(["generate", "sitewide", "-o", "none", "--slice", "1/2"]);
  expect([slice.status, slice.stderr]).toEqual([
    2,
    expect.stringMatching(/^plimsoll: --slice and --join need --tables.*\n$/),
  ]);
});
