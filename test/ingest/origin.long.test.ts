/** What a generator made says so wherever it goes: logs, store, studies, answers, reports, figures, tables. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandEntry } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";

const table: CommandEntry[] = [
  { name: "generate sitewide", summary: "", load: () => import("../../src/cli/generate/sitewide.ts") },
  { name: "generate single", summary: "", load: () => import("../../src/cli/generate/single.ts") },
  { name: "ingest", summary: "", load: () => import("../../src/cli/ingest.ts") },
  { name: "sql", summary: "", load: () => import("../../src/cli/sql.ts") },
  { name: "study reuse", summary: "", load: () => import("../../src/cli/study/reuse.ts") },
  { name: "top", summary: "", load: () => import("../../src/cli/load/top.ts") },
  { name: "report", summary: "", load: () => import("../../src/cli/report.ts") },
];
const folder = mkdtempSync(join(tmpdir(), "plimsoll-origin-"));
const at = (...names: string[]) => join(folder, ...names);

async function run(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(words, table, world);
  expect(code, `${words.join(" ")}: ${world.err}`).toBe(0);
  return world.out;
}

const flags = async (store: string, name: string) =>
  JSON.parse(
    await run(
      "sql",
      "--json",
      "--store",
      store,
      `select synthetic, count(*) as n from ${name} group by all order by all`,
    ),
  ) as unknown[];

beforeAll(async () => {
  await run("generate", "single", "-o", at("logs"));
  await run(
    "generate",
    "sitewide",
    "--scale",
    "0.0005",
    "--sample-minutes",
    "10",
    "--client-readings",
    "50",
    "-o",
    at("site"),
  );
  mkdirSync(at("real"));
  for (const name of readdirSync("test/fixtures/darshan")
    .filter((one) => one.endsWith(".darshan"))
    .slice(0, 2))
    cpSync(join("test/fixtures/darshan", name), at("real", name));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("generated data", () => {
  it("is told from recorded data in runs, and studies say so", async () => {
    const store = at("store");
    await run("ingest", at("logs"), "--store", store);
    await run("ingest", at("real"), "--store", store);
    const logs = readdirSync(at("logs")).filter((name) => name.endsWith(".darshan")).length;
    const recorded = readdirSync(at("real")).length;
    const json = JSON.parse(await run("study", "reuse", "--store", store, "--replicates", "20", "--json"));
    expect(json.origin.synthetic).toBeGreaterThan(logs / 2);
    expect(json.origin.of - json.origin.synthetic).toBe(recorded);
    expect(json.origin.unit).toBe("runs");
    expect(await run("study", "reuse", "--store", store, "--replicates", "20")).not.toContain(
      "confirmed at this",
    );
    await run("study", "reuse", "--store", store, "--replicates", "20", "-o", at("study"));
    const names = readdirSync(at("study"), { recursive: true }) as string[];
    for (const name of names) {
      const text =
        name.endsWith(".csv") || name.endsWith(".svg") ? readFileSync(at("study", name), "utf8") : "";
      if (name.endsWith(".svg")) expect(text, name).toContain(">partly synthetic</text>");
      if (name.endsWith(".csv")) expect(text.split(/\r?\n/)[0], name).toMatch(/,origin$/);
    }
    expect(readFileSync(at("study", "report.html"), "utf8")).toContain("Partly synthetic data");
  }, 120_000);

  it("of a site says so in jobs, readings and answers", async () => {
    const store = at("site-store");
    await run("ingest", at("site"), "--store", store);
    for (const name of ["jobs", "readings"])
      expect(await flags(store, name), name).toEqual([expect.objectContaining({ synthetic: 1 })]);
    const out = await run("top", "users", "--store", store, "--source", "clients");
    expect(out).toContain("Synthetic data: ");
    const json = JSON.parse(await run("top", "users", "--store", store, "--source", "clients", "--json"));
    expect(json.origin).toMatchObject({ share: 1, unit: "jobs" });
  }, 120_000);

  it("of one log says so in its report; a recorded log does not", async () => {
    const [made] = readdirSync(at("logs")).filter((name) => name.endsWith(".darshan")) as [string];
    const [real] = readdirSync(at("real")) as [string];
    expect(await run("report", at("logs", made))).toContain("Synthetic data: ");
    expect(JSON.parse(await run("report", "--json", at("logs", made))).job.synthetic).toBe(true);
    expect(await run("report", at("real", real))).not.toContain("ynthetic");
    expect(JSON.parse(await run("report", "--json", at("real", real))).job.synthetic).toBe(false);
  }, 60_000);
});
