/** The zone of a site: named at ingest or by the log, taken by studies and answers unless another is asked for. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CommandEntry } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";

const table: CommandEntry[] = [
  { name: "generate reuse", summary: "", load: () => import("../../src/cli/generate/reuse.ts") },
  { name: "ingest", summary: "", load: () => import("../../src/cli/ingest.ts") },
  { name: "sql", summary: "", load: () => import("../../src/cli/sql.ts") },
  { name: "study reuse", summary: "", load: () => import("../../src/cli/study/reuse.ts") },
];
const folder = mkdtempSync(join(tmpdir(), "plimsoll-zone-"));
const at = (...names: string[]) => join(folder, ...names);

async function run(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(words, table, world);
  expect(code, `${words.join(" ")}: ${world.err}`).toBe(0);
  return world.out;
}

const zones = async (store: string) =>
  JSON.parse(await run("sql", "--json", "--store", store, "select distinct zone from runs")) as unknown[];
const studied = async (...words: string[]) =>
  JSON.parse(await run("study", "reuse", "--json", "--replicates", "10", ...words)).options.zone as string;

beforeAll(() => {
  mkdirSync(at("real"));
  for (const name of readdirSync("test/fixtures/darshan")
    .filter((one) => one.endsWith(".darshan"))
    .slice(0, 2))
    cpSync(join("test/fixtures/darshan", name), at("real", name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("is the one of the ingest for logs that name none", async () => {
  await run("ingest", at("real"), "--store", at("berlin"), "--zone", "Europe/Berlin");
  expect(await zones(at("berlin"))).toEqual([{ zone: "Europe/Berlin" }]);
  expect(await studied("--store", at("berlin"))).toBe("Europe/Berlin");
  expect(await studied("--store", at("berlin"), "--zone", "Asia/Tokyo")).toBe("Asia/Tokyo");
});

it("is UTC where nobody says one, or only a distance from UTC", async () => {
  await run("ingest", at("real"), "--store", at("none"));
  await run("ingest", at("real"), "--store", at("fixed"), "--zone", "+02:00");
  for (const name of ["none", "fixed"]) {
    expect(await zones(at(name))).toEqual([{ zone: null }]);
    expect(await studied("--store", at(name))).toBe("UTC");
  }
});

it("is in generated logs, and stays theirs", async () => {
  await run("generate", "reuse", "--scale", "0.0001", "--background", "0.0000001", "-o", at("centre"));
  await run("ingest", at("centre", "logs"), "--store", at("made"), "--zone", "Europe/Berlin");
  expect(await zones(at("made"))).toEqual([{ zone: "America/Los_Angeles" }]);
});
