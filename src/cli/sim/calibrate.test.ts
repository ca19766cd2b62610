import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readMachine } from "../../adaptive/sim/machines/index.ts";
import { runCli } from "../run.ts";
import { fakeWorld } from "../test-kit.ts";

let folder = "";
const path = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-calibrate-"));
  const machine = {
    kind: "plimsoll machine",
    version: 1,
    name: "ours",
    targets: 4,
    parameters: { diskRate: 100, clientRate: 1000, dirtyLimit: 0, opOverhead: 0 },
    origins: { diskRate: "calibrated" },
  };
  writeFileSync(path("ours.json"), JSON.stringify(machine));
  writeFileSync(path("old.json"), JSON.stringify({ ...machine, version: 7 }));
  writeFileSync(path("targets.csv"), "id,quantity,size_mb,writers,value\nalone,bandwidth,64,4,800\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...words: string[]) {
  const command = (await import("./calibrate.ts")).default;
  const table = [{ name: command.name, summary: "", load: async () => ({ default: command }) }];
  const world = fakeWorld();
  const code = await runCli(["sim", "calibrate", ...words], table, world);
  return { code, out: world.out, err: world.err };
}

describe("sim calibrate", () => {
  it("fits a machine of one's own and writes it", async () => {
    const words = ["--machine", path("ours.json"), "--targets", path("targets.csv"), "-o", path("new.json")];
    const { code, out } = await run(...words, "--evaluations", "80", "--samples", "2", "--json");
    expect(code).toBe(0);
    const result = JSON.parse(out);
    expect(result.simulated).toBe(true);
    expect(result.targets).toHaveLength(1);
    expect(result.targets[0]).toMatchObject({ id: "alone", published: "800 MB/s", verdict: "met" });
    expect(result.loss).toBeLessThan(result.lossBefore);
    const written = readMachine(readFileSync(path("new.json"), "utf8"), "new.json");
    expect(written.parameters).toEqual(result.parameters);
    expect(written.parameters.diskRate / 200).toBeCloseTo(1, 1);
    expect(written.fit?.loss).toBeCloseTo(result.loss, 2);
  });

  it("judges the parameters of Franklin as they are", async () => {
    const { code, out } = await run("--machine", "franklin", "--budget", "0s", "--tests", "100");
    expect(code).toBe(0);
    expect(out).toContain("1 parameter set");
    expect(out).toMatch(/met +E2 mean +6220 MB\/s +\d+ MB\/s/);
    expect(out).toMatch(/diskRate +[\d.]+ MB\/s +free/);
  });

  it.each([
    [["--machine", "titan"], /unknown machine titan/],
    [["--budget", "soon"], /--budget soon: expected a time such as 30s, 5m or 1h/],
    [["--samples", "1"], /--samples 1: must be at least 2/],
  ])("refuses %j", async (words, message) => {
    const { code, err } = await run(...words);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  it("refuses files that it cannot use", async () => {
    const old = await run("--machine", path("old.json"));
    expect([old.code, old.err]).toEqual([
      1,
      expect.stringMatching(/of version 7; this program reads version 1/),
    ]);
    const bare = await run("--machine", path("ours.json"));
    expect([bare.code, bare.err]).toEqual([
      2,
      expect.stringMatching(/no published numbers for ours: give your measurements with --targets/),
    ]);
  });
});
