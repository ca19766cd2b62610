/** `plimsoll study system` as a command: output, folders and bad input. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SYSTEM_ITEMS } from "../../src/analyze/study/system/index.ts";
import type { CommandEntry } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";
import { generateSite, Site, SiteTables } from "../../src/generate/sitewide/index.ts";
import { Store } from "../../src/store/index.ts";

const table: CommandEntry[] = [
  { name: "study system", summary: "study", load: () => import("../../src/cli/study/system.ts") },
  { name: "generate sitewide", summary: "make", load: () => import("../../src/cli/generate/sitewide.ts") },
  { name: "ingest", summary: "read", load: () => import("../../src/cli/ingest.ts") },
];
const folder = mkdtempSync(join(tmpdir(), "plimsoll-system-cli-"));
const full = join(folder, "full");
const empty = join(folder, "empty");

beforeAll(async () => {
  await (await Store.create(empty)).close();
  const store = await Store.create(full);
  const site = new Site({ seed: 1, scale: 0.001, cluster: "both", weekend: 1, start: "2018-06-07" } as never);
  const batch = store.beginBatch();
  const tables = new SiteTables(site, batch);
  await generateSite(site, [tables]);
  await tables.finish();
  await batch.commit();
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(["study", "system", ...words], table, world);
  return { code, out: world.out, err: world.err };
}

describe("study system", () => {
  it("prints own beside published, with a verdict for each observation", async () => {
    const { code, out, err } = await run("--store", full, "--replicates", "20");
    expect(err).toBe("");
    expect(code).toBe(0);
    for (let i = 1; i <= 15; i++)
      expect(out).toMatch(
        new RegExp(`^O${String(i).padStart(2, "0")}  (reproduced|refuted|insufficient)`, "m"),
      );
    expect(out).toContain("Recommendations");
  });

  it("gives one JSON document with items and findings", async () => {
    const { code, out } = await run("--store", full, "--json", "--cluster", "cab", "--replicates", "20");
    expect(code).toBe(0);
    const json = JSON.parse(out);
    expect(Object.keys(json.items)).toEqual(SYSTEM_ITEMS.map(({ id }) => id));
    for (const item of Object.values(json.items) as Record<string, unknown>[])
      expect(item).toMatchObject({
        definition: expect.stringMatching(/^B\d\d@\d+$/),
        options: expect.anything(),
        n: expect.any(Number),
        dropped: expect.anything(),
        values: expect.anything(),
      });
    expect(json.items.B06.options).toEqual({
      cluster: "cab",
      from: "",
      to: "",
      zone: "America/Los_Angeles",
      maxHours: 24,
      population: "all",
      perCall: "meanOfRatios",
      userPerCall: "ratioOfSums",
      threshold: "mean",
    });
    for (const one of json.findings) {
      expect(["confirmed", "refuted", "insufficient"]).toContain(one.verdict);
      expect(one.interval).toHaveLength(2);
      expect(one).toHaveProperty("published");
      expect(one).toHaveProperty("measured");
    }
  });

  it("writes report, figures 2 to 14, tables and study.json into a folder, and again over it", async () => {
    const out = join(folder, "out");
    for (let i = 0; i < 2; i++)
      expect(
        (await run("--store", full, "-o", out, "--zone", "America/Los_Angeles", "--replicates", "20")).code,
      ).toBe(0);
    const names = readdirSync(out);
    for (let figure = 2; figure <= 14; figure++)
      for (const kind of ["svg", "csv"])
        expect(
          names.some((name) => new RegExp(`^figure-${figure}[a-c]?-.*\\.${kind}$`).test(name)),
          `figure ${figure} as ${kind}`,
        ).toBe(true);
    expect(names).toEqual(
      expect.arrayContaining([
        "report.html",
        "study.json",
        "table-2-duration-and-nodes.csv",
        "table-3-writes.csv",
        "hours.csv",
      ]),
    );
    const page = readFileSync(join(out, "report.html"), "utf8");
    expect(page).toContain("Job I/O of this system");
    expect(page).toContain("do not add up");
  });

  it("says so when the store is empty, or has not the cluster, and still ends well", async () => {
    const nothing = await run("--store", empty);
    expect(nothing.code).toBe(0);
    expect(nothing.err).toContain("no jobs and no target counters");
    expect(nothing.out).toContain("Not enough data");
    const other = await run("--store", full, "--cluster", "sierra", "--replicates", "20");
    expect(other.code).toBe(0);
    expect(other.err).toContain("cluster sierra: not in the store (it has cab, quartz)");
  });

  it("takes a population in any capitals, and says when the year has no data", async () => {
    const words = ["--store", full, "--json", "--replicates", "20", "--population", "withIo", "--year", "1"];
    const { code, out, err } = await run(...words);
    expect(code).toBe(0);
    const { B06 } = JSON.parse(out).items;
    expect(B06.options.population).toBe("withIO");
    expect(B06.values.heavy).toBe(B06.values["withIo.meanOfRatios.heavy"]);
    expect(err).toMatch(/^plimsoll: The year 1 has no data/);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  it("finds in samples of servers and readings of clients what was planted there (V10)", async () => {
    const [site, store] = [join(folder, "site"), join(folder, "site-store")];
    const sizes = ["--scale", "0.001", "--client-readings", "200", "--sample-minutes", "360"];
    expect(await runCli(["generate", "sitewide", "--output", site, ...sizes], table, fakeWorld())).toBe(0);
    const inputs = ["slurm", "clients", "samples"].map((name) => join(site, name));
    expect(await runCli(["ingest", ...inputs, "--store", store], table, fakeWorld())).toBe(0);
    const { out } = await run("--store", store, "--json", "--replicates", "20");
    const { items } = JSON.parse(out);
    const { clients, samples } = JSON.parse(readFileSync(join(site, "answers.json"), "utf8")).items.V10
      .planted;
    expect(samples.bytesRead + samples.bytesWritten).toBeGreaterThan(1e6);
    expect(items.B02.values).toMatchObject({
      jobsWithCounters: clients.jobs,
      bytesRead: clients.bytesRead,
      bytesWritten: clients.bytesWritten,
      minuteRows: samples.rows,
    });
    expect(items.B12.values).toMatchObject({
      bytesRead: samples.bytesRead,
      bytesWritten: samples.bytesWritten,
    });
    expect(items.B08.values).toMatchObject({ opens: samples.opens, closes: samples.closes });
  });

  it.each([
    [["--store", "x", "--zone", "Mars"], "not a time zone"],
    [["--store", "x", "--threshold", "lots"], "mean, median or a size"],
    [[], "--store is missing"],
    [["--store", "x", "--node-memory", "a=b"], "expected a size"],
  ])("one line for %o", async (words, message) => {
    const { code, err } = await run(...words);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
