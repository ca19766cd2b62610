/** A study in parts has every value of the study of one process, whatever the number of parts, and whether the store has buckets. */
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Desk, values } from "./desk.ts";

const desk = new Desk();
afterAll(() => desk.remove());

beforeAll(() => {
  desk.json(["generate", "reuse", "-o", "centre", "--scale", "0.01", "--background", "0.0005", "--tables"]);
  desk.json(["generate", "sitewide", "-o", "site", "--scale", "0.003", "--tables"]);
  // Several batches, logs stored twice, and runs with damage.
  desk.json([
    "generate",
    "reuse",
    "-o",
    "logs",
    "--scale",
    "0.001",
    "--background",
    "0.00001",
    "--files-per-run",
    "4",
  ]);
  for (const slice of ["1/2", "2/2"]) desk.json(["ingest", "logs", "--store", "mixed", "--slice", slice]);
}, 300_000);

/** In `parts` parts, as tasks would. */
function inParts(words: readonly string[], parts: number) {
  rmSync(desk.path("parts"), { recursive: true, force: true });
  for (let i = 1; i <= parts; i++) desk.json([...words, "--parts", "parts", "--part", `${i}/${parts}`]);
  return values(desk.json([...words, "--parts", "parts"]));
}

const reuse = ["study", "reuse", "--store", "centre/store"];
const system = ["study", "system", "--store", "site/store"];
const mixed = ["study", "reuse", "--store", "mixed", "--min-bytes", "1"];

const CASES: [string, readonly string[], readonly number[]][] = [
  ["reuse", reuse, [1, 2, 5]],
  [
    "reuse of a period, as users have their programs",
    [...reuse, "--period", "2017-10-20..2017-12-24", "--application", "exe-uid"],
    [3],
  ],
  [
    "reuse with bytes of all files of a run",
    [...reuse, "--run-bytes", "all", "--class-rule", "cluster"],
    [3],
  ],
  [
    "reuse by median hours and gaps between applications",
    [...reuse, "--hour-statistic", "median", "--application-gap", "different", "--gap", "end-start"],
    [2],
  ],
  [
    "reuse with sums of ranks, in parts that do not fit",
    [...reuse, "--io-time", "sum", "--memory", "32M"],
    [2],
  ],
  ["reuse of all files of a store of several batches", mixed, [1, 4]],
  ["system", system, [1, 2, 5]],
  [
    "system of a cluster and a time",
    [...system, "--cluster", "quartz", "--from", "2018-02-01", "--to", "2020-01-01"],
    [3],
  ],
];

describe.each(["as it was stored", "with buckets by month"])("a store %s", (kind) => {
  beforeAll(() => {
    if (kind === "as it was stored") return;
    for (const store of ["centre/store", "site/store", "mixed"])
      desk.json(["store", "compact", store, "--buckets", "6", "--by", "month", "--grace", "0"]);
  });

  it.each(CASES)(
    "%s",
    (_, words, numbers) => {
      const one = values(desk.json(words));
      for (const parts of numbers) expect(inParts(words, parts)).toEqual(one);
    },
    300_000,
  );
});

it("figures, tables and the report of a study in parts are those of one process", async () => {
  const { readFileSync, readdirSync } = await import("node:fs");
  desk.json([...reuse, "-o", "one"]);
  inParts([...reuse, "-o", "many"], 3);
  const names = readdirSync(desk.path("one")).filter((name) => /\.(csv|svg)$/.test(name));
  expect(names.length).toBeGreaterThan(20);
  // The order in which threads add shows in the last of sixteen digits, also of one process. Figures group thousands by commas.
  const decimals = (name: string) =>
    name.endsWith(".svg") ? /\d{1,3}(?:,\d{3})+\.\d+|\d+\.\d+(?:e[+-]?\d+)?/g : /\d+\.\d+(?:e[+-]?\d+)?/g;
  const text = (folder: string, name: string) =>
    readFileSync(desk.path(`${folder}/${name}`), "utf8").replaceAll(decimals(name), (number) =>
      Number(number.replaceAll(",", "")).toPrecision(10),
    );
  for (const name of names) expect([name, text("many", name)]).toEqual([name, text("one", name)]);
}, 120_000);

describe("parts that do not belong together", () => {
  it("are refused in one line each", () => {
    inParts(reuse, 2);
    const said = (words: readonly string[]) => desk.plimsoll(words).stderr;
    expect(said([...reuse, "--parts", "parts", "--min-bytes", "1"])).toMatch(
      /part of another study or of other options/,
    );
    expect(said([...system, "--parts", "parts"])).toMatch(/part of another study/);
    expect(said([...reuse, "--parts", "nothing"])).toMatch(/nothing/);
    desk.json([...reuse, "--parts", "parts", "--part", "3/3"]);
    expect(said([...reuse, "--parts", "parts"])).toMatch(/parts of different splits|parts are missing/);
    expect(said([...system, "--similarity", "cluster", "--parts", "other", "--part", "1/2"])).toMatch(
      /in one process/,
    );
  }, 120_000);
});
