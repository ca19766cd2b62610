import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FileLeases } from "../../adaptive/protocol/file-leases.ts";
import { scenarioOf } from "../../adaptive/sim/explore/index.ts";
import { runCli } from "../run.ts";
import { fakeWorld } from "../test-kit.ts";
import command from "./explore.ts";

async function run(...words: string[]) {
  const table = [{ name: command.name, summary: "", load: async () => ({ default: command }) }];
  const world = fakeWorld();
  const code = await runCli(["sim", "explore", ...words], table, world);
  return { code, out: world.out, err: world.err };
}

describe("plimsoll sim explore", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("counts what the runs came to", async () => {
    const { code, out } = await run("--count", "60", "--seed", "5", "--json");
    const result = JSON.parse(out) as Record<string, number | unknown[]>;
    expect(code).toBe(0);
    expect(result.runs).toBe(60);
    expect(Number(result.complete) + Number(result.aborted) + Number(result.nobodyLeft)).toBe(60);
    expect(result.violations).toEqual([]);
  });

  it("replays a seed, event by event", async () => {
    const { code, out } = await run("--replay", "7");
    expect(code).toBe(0);
    expect(out).toContain('"kind":"write-start"');
    expect(out).toMatch(/all invariants held\n$/);
  });

  it("shows a violation with its command and the smallest scenario, and fails", async () => {
    vi.spyOn(FileLeases.prototype, "hasSlot", "get").mockImplementation(function (this: FileLeases) {
      return this.state === "open" && this.active.size < 2;
    });
    const { code, out, err } = await run("--count", "40", "--policy", "paper");
    expect(code).toBe(1);
    expect(err).toMatch(/of 40 runs broke an invariant/);
    const seed = /--replay (\d+) --policy paper/.exec(out)?.[1];
    expect(seed).toBeDefined();
    expect(out).toMatch(/Smallest scenario with the same violation:\n {2}policy paper, 2 writers, 1 targets/);
    expect((await run("--replay", seed as string, "--policy", "paper")).code).toBe(1);
  });

  it("runs a scenario from a file, and refuses what is none", async () => {
    const folder = mkdtempSync(join(tmpdir(), "plimsoll-explore-"));
    const path = join(folder, "scenario.json");
    try {
      writeFileSync(path, JSON.stringify(scenarioOf(3)));
      expect((await run("--scenario", path)).code).toBe(0);
      writeFileSync(path, "{");
      expect(await run("--scenario", path)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/expected a scenario as JSON/),
      });
      writeFileSync(path, JSON.stringify({ ...scenarioOf(3), writers: 1 }));
      expect((await run("--scenario", path)).err).toMatch(/expected one size per writer/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("names the policies it knows", async () => {
    expect(await run("--policy", "mpi")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/unknown policy mpi/),
    });
  });
});
