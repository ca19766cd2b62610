import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { centre, Population, TableEmitter } from "../../generate/reuse/index.ts";
import { Store } from "../../store/index.ts";
import type { CommandEntry } from "../command.ts";
import { runCli } from "../run.ts";
import { fakeWorld } from "../test-kit.ts";
import { STUDY_ITEMS } from "../../analyze/study/reuse/index.ts";
import { sizeOf } from "../../analyze/study/common/options.ts";
import { UsageError } from "../../base/errors.ts";
import { databaseBytes, keepFiles } from "../../studies/reuse.ts";

const table: CommandEntry[] = [
  { name: "study reuse", summary: "study", load: () => import("./reuse.ts") },
  { name: "file", summary: "file", load: () => import("../file.ts") },
];
const folder = mkdtempSync(join(tmpdir(), "plimsoll-study-cli-"));
const full = join(folder, "full");
const empty = join(folder, "empty");

async function makeCentre(path: string, scale: number, background: number): Promise<void> {
  const store = await Store.create(path);
  const population = new Population({ seed: 1, scale, background });
  const batch = store.beginBatch();
  const emitter = new TableEmitter(population, batch);
  for (const group of centre(population)) await emitter.add(group);
  await emitter.end();
  await batch.commit();
  await store.close();
}

beforeAll(async () => {
  await (await Store.create(empty)).close();
  await makeCentre(full, 0.01, 0.00001);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(words, table, world);
  return { code, out: world.out, err: world.err };
}

describe("study reuse", () => {
  it("prints own beside published, with a verdict for each finding", async () => {
    const { code, out, err } = await run("study", "reuse", "--store", full, "--replicates", "20");
    expect(err).toBe("");
    expect(code).toBe(0);
    for (let i = 1; i <= 10; i++)
      expect(out).toMatch(
        new RegExp(`^F${String(i).padStart(2, "0")}  (reproduced|refuted|insufficient)`, "m"),
      );
    expect(out).toContain("published");
  });

  it("gives one JSON document with items and findings", async () => {
    const { code, out } = await run("study", "reuse", "--store", full, "--json", "--replicates", "20");
    expect(code).toBe(0);
    const json = JSON.parse(out);
    expect(Object.keys(json.items)).toEqual(STUDY_ITEMS.map(({ id }) => id));
    expect(json.items.A05).toMatchObject({ definition: "A05@1", options: { classRule: "ratio" } });
    expect(json.items.A05.dropped).toBeDefined();
    expect(json.findings[0]).toMatchObject({ id: "F01", published: 0.71 });
    expect(json.findings[0].interval).toHaveLength(2);
  });

  it("writes report, figures 2 to 10, tables and study.json into a folder, and again over it", async () => {
    const out = join(folder, "out");
    for (let i = 0; i < 2; i++)
      expect((await run("study", "reuse", "--store", full, "-o", out, "--replicates", "20")).code).toBe(0);
    const names = readdirSync(out);
    expect(names).toEqual(
      expect.arrayContaining(["report.html", "study.json", "files.csv", "hot-osts.csv", "hours.csv"]),
    );
    for (const figure of [2, 3, 4, 5, 6, 7, 8, 9, 10])
      for (const kind of ["svg", "csv"])
        expect(names.some((name) => name.startsWith(`figure-${figure}`) && name.endsWith(kind))).toBe(true);
    expect(readFileSync(join(out, "report.html"), "utf8")).toContain("File reuse at this centre");
    expect(readFileSync(join(out, "files.csv"), "utf8").split("\r\n")[0]).toContain("nextAccess");
  });

  it("says so when the store is empty, and still ends well", async () => {
    const { code, out, err } = await run("study", "reuse", "--store", empty);
    expect(code).toBe(0);
    expect(err).toContain("the store has no runs of Darshan logs");
    expect(out).toContain("Not enough data");
  });

  it("says what is wrong with options and stores in one line", async () => {
    expect((await run("study", "reuse")).err).toMatch(/--store is missing/);
    expect((await run("study", "reuse", "--store", full, "--zone", "Mars")).err).toMatch(
      /zone Mars: not a time zone/,
    );
    expect((await run("study", "reuse", "--store", full, "--io-time", "union")).code).toBe(2);
    expect((await run("study", "reuse", "--store", full, "--period", "2018-01-01")).err).toMatch(
      /expected FROM..TO/,
    );
    expect((await run("study", "reuse", "--store", join(folder, "none"))).code).not.toBe(0);
  });

  it("reads sizes with letters of 1000, or of 1024 when asked", () => {
    expect(sizeOf("--min-bytes", "100GB", "si")).toBe(100e9);
    expect(sizeOf("--min-bytes", "100G", "iec")).toBe(100 * 1024 ** 3);
    expect(sizeOf("--min-bytes", "1GiB", "si")).toBe(1024 ** 3);
    expect(() => sizeOf("--min-bytes", "much", "si")).toThrow(/--min-bytes much: expected a size/);
  });
});

describe("file", () => {
  it("shows the history of a file by path and by record id, as text, JSON and page", async () => {
    const store = await Store.open(full);
    const session = await store.query();
    const [row] =
      await session.rows(`select a.file_id, min(f.path) as path, count(*) as n, sum(a.bytes_read) as bytes from accesses a
      join files f on f.file_id = a.file_id group by a.file_id having count(*) between 4 and 40 order by n desc, path limit 1`);
    session.close();
    await store.close();
    const path = String(row?.path);
    const json = JSON.parse((await run("file", path, "--store", full, "--json")).out);
    expect(json.files).toHaveLength(1);
    expect(json.files[0].path).toBe(path);
    expect(json.files[0].accesses.length).toBe(json.files[0].runs);
    const byId = JSON.parse((await run("file", String(row?.file_id), "--store", full, "--json")).out);
    expect(byId).toEqual(json);
    const text = await run("file", path, "--store", full);
    expect(text.out).toContain("Producers and consumers");
    const page = join(folder, "file.html");
    expect((await run("file", path, "--store", full, "-o", page)).code).toBe(0);
    expect(readFileSync(page, "utf8")).toContain("<!doctype html>");
  });

  it("says when nothing touched such a file", async () => {
    const { code, err } = await run("file", "/no/such", "--store", full);
    expect(code).toBe(2);
    expect(err).toContain("/no/such: no run in the store used this file");
  });
});

it("the database gets half of little memory and a quarter of much", () => {
  const mib = 1024 ** 2;
  const parts = [64, 128, 512, 1024, 2048, 4096].map((memory) => databaseBytes(memory * mib) / mib);
  expect(parts).toEqual([64, 64, 256, 512, 512, 1024]);
});

it("accesses get what database and selected files leave; with too many files one line says how much memory they need", () => {
  const [mib, gib] = [2 ** 20, 2 ** 30];
  expect(keepFiles(2 * gib, 0)).toEqual({ accessBytes: 1.5 * gib, spilled: false });
  expect(keepFiles(2 * gib, 1_000_000)).toEqual({ accessBytes: 1.5 * gib - 400_000_000, spilled: false });
  expect(keepFiles(2 * gib, 24_000_000)).toEqual({ accessBytes: gib, spilled: true });
  const asked = (memory: number, files: number) => {
    try {
      keepFiles(memory, files);
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      return Number(/selected files do not fit into --memory: .* --memory (\d+)GiB/.exec(String(error))?.[1]);
    }
    return undefined;
  };
  for (const [memory, files] of [
    [64 * mib, 2_000_000],
    [2 * gib, 50_000_000],
    [2 * gib, 210_000_000],
  ] as const) {
    const enough = asked(memory, files) as number;
    expect([asked(enough * gib, files), asked((enough - 1) * gib || mib, files)]).toEqual([
      undefined,
      enough,
    ]);
  }
});

it("with all files selected gives the same in little memory as in much", { timeout: 120_000 }, async () => {
  const many = join(folder, "many");
  await makeCentre(many, 0.001, 0.0008);
  const words = ["study", "reuse", "--store", many, "--min-bytes", "1", "--min-runs", "1", "--json"];
  const study = async (memory: string) => {
    const { code, out, err } = await run(...words, "--memory", memory, "--replicates", "20");
    expect([code, err]).toEqual([0, ""]);
    const { seconds: _, ...rest } = JSON.parse(out);
    return rest;
  };
  const little = await study("32MiB");
  // What is known of them does not fit beside anything else.
  expect(keepFiles(32 * 2 ** 20, little.files).spilled).toBe(true);
  expect(little).toEqual(await study("2GiB"));
});
