import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandEntry } from "./command.ts";
import { runCli } from "./run.ts";
import { fakeWorld } from "./test-kit.ts";

const table: CommandEntry[] = [
  { name: "papers", summary: "papers", load: () => import("./papers.ts") },
  { name: "study metric", summary: "study", load: () => import("./study/metric.ts") },
];
const folder = mkdtempSync(join(tmpdir(), "plimsoll-papers-"));
const metric = join(folder, "metric");

async function run(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(words, table, world);
  return { code, out: world.out, err: world.err };
}

beforeAll(async () => {
  const words = ["--simulate", "--sets", "2a,4", "--repeats", "3", "-o", metric];
  expect((await run("study", "metric", ...words)).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("papers", () => {
  it("lists everything without a result, and judges nothing that was not given", async () => {
    const { code, out, err } = await run("papers");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^\d+ items\s+of five papers/);
    for (const paper of ["Patel et al.", "He, Sun and Yin", "Lofstead et al.", "Paul et al.", "Ching et al."])
      expect(out).toContain(paper);
    expect(out).toContain("not judged: no study was given");
  });

  it("has the numbers of study.json beside the published ones", async () => {
    const { out } = await run("papers", metric, "--json");
    const items = JSON.parse(out).items.filter(({ paper }: { paper: string }) => paper === "metric");
    const study = JSON.parse(readFileSync(join(metric, "study.json"), "utf8"));
    for (const set of ["2a", "4"])
      for (const name of ["iops", "bandwidth", "arpt", "bps"]) {
        const row = items.find(({ id }: { id: string }) => id === `C06.${set}.${name}`);
        const finding = study.findings.find(({ id }: { id: string }) => id === `C06.${set}.${name}`);
        expect(row.measured).toBe(finding.measured.toFixed(2));
        expect(row.origin).toBe("simulated");
        expect(row.verdict).not.toBe("confirmed");
      }
    const time = items.find(({ id }: { id: string }) => id === "2a.4096.executionSeconds");
    const own = study.items.C06.values["2a"].cases.find(({ x }: { x: number }) => x === 4096);
    expect(time).toMatchObject({
      published: "809.6 s",
      measured: `${Number(own.executionSeconds.toPrecision(4))} s`,
    });
    expect(items.find(({ id }: { id: string }) => id === "C06.1.bps").measured).toBeNull();
  });

  it("writes a page whose rows lead to places that the report has", async () => {
    const page = join(folder, "papers.html");
    expect((await run("papers", metric, "-o", page)).code).toBe(0);
    const report = readFileSync(join(metric, "report.html"), "utf8");
    const links = [...readFileSync(page, "utf8").matchAll(/<a href="metric\/report\.html#([^"]+)">/g)];
    expect(links.length).toBeGreaterThan(10);
    for (const [, anchor] of links) expect(report, anchor).toContain(`id="${anchor}"`);
  });

  it("says in one line what is no result", async () => {
    expect((await run("papers", folder)).err).toContain("no study result in this folder");
    expect((await run("papers", join(metric, "runs.csv"))).err).toContain("not JSON");
    expect((await run("papers", metric, join(metric, "study.json"))).err).toContain(
      "a second result of the same study",
    );
    expect((await run("papers", join(folder, "nothing"))).code).not.toBe(0);
  });
});
