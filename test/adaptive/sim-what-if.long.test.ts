/** `plimsoll sim what-if` on generated centres, whose answers are known. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandEntry } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";

const table: CommandEntry[] = [
  { name: "sim what-if", summary: "what if", load: () => import("../../src/cli/sim/what-if.ts") },
  { name: "generate reuse", summary: "centre", load: () => import("../../src/cli/generate/reuse.ts") },
];
async function run(...words: readonly string[]) {
  const world = fakeWorld();
  const code = await runCli([...words], table, world);
  return { code, out: world.out, err: world.err };
}

const folder = mkdtempSync(join(tmpdir(), "plimsoll-planted-"));
const centre = join(folder, "centre");
const SCALE = ["--scale", "0.05", "--background", "0.00005", "--tables"];

beforeAll(async () => {
  const { code } = await run("generate", "reuse", "--output", centre, "--seed", "4", ...SCALE);
  expect(code).toBe(0);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

describe("planted removals", () => {
  it("are answered right within 15 % by replays whose median error is at most 10 %", async () => {
    const sheet = JSON.parse(readFileSync(join(centre, "answers.json"), "utf8"));
    expect(sheet.load.removals.length).toBeGreaterThanOrEqual(6);
    const few = join(folder, "few.json");
    writeFileSync(few, JSON.stringify({ load: { removals: sheet.load.removals.slice(0, 4) } }));
    const { code, out } = await run(
      "sim",
      "what-if",
      "--store",
      join(centre, "store"),
      "--answers",
      few,
      "--json",
    );
    expect(code).toBe(0);
    const { answers, fitError, answerError, within } = JSON.parse(out);
    expect(answers).toHaveLength(4);
    expect(fitError).toBeLessThanOrEqual(0.1);
    expect(answerError).toBeLessThanOrEqual(0.15);
    expect(within).toBeGreaterThanOrEqual(3);
  }, 600_000);

  it("are refused where there are none, or where they are of another centre", async () => {
    const store = join(centre, "store");
    const bad = join(folder, "bad.json");
    const judge = async (text: string) => {
      writeFileSync(bad, text);
      const { code, err } = await run("sim", "what-if", "--store", store, "--answers", bad);
      expect(code).toBe(2);
      expect(err.trim().split("\n")).toHaveLength(1);
      return err;
    };
    expect(await judge("{")).toContain("not JSON");
    expect(await judge("{}")).toContain("no load.removals");
    expect(await judge('{"load":{"removals":[]}}')).toContain("no removals are planted");
    const foreign = { job: "7", changed: [{ job: "8", seconds: 2, without: 1 }] };
    expect(await judge(JSON.stringify({ load: { removals: [foreign] } }))).toContain("no run of job 7");
  });
});
