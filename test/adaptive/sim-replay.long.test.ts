/** `plimsoll sim replay`: on threads and without, its folder, and bad requests. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { CommandEntry } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";

const table: CommandEntry[] = [
  { name: "sim replay", summary: "replay", load: () => import("../../src/cli/sim/replay.ts") },
];
const folder = mkdtempSync(join(tmpdir(), "plimsoll-replay-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(["sim", "replay", ...words], table, world);
  return { code, out: world.out, err: world.err };
}

const FEW = ["--samples", "2", "--only", "xtp", "--only", "table1"];

describe("sim replay", () => {
  it("gives the same bytes on any number of threads, and others for another seed", async () => {
    const [one, two, none, other] = await Promise.all([
      run(...FEW, "--threads", "1", "--json"),
      run(...FEW, "--threads", "3", "--json"),
      run(...FEW, "--threads", "0", "--json"),
      run(...FEW, "--threads", "0", "--seed", "2", "--json"),
    ]);
    expect(one.err).toBe("");
    expect(one.code).toBe(0);
    expect(two.out).toBe(one.out);
    expect(none.out).toBe(one.out);
    expect(other.out).not.toBe(one.out);
    const { checks, simulated } = JSON.parse(one.out);
    expect(simulated).toBe(true);
    expect(checks).toHaveLength(10);
    for (const check of checks) {
      expect(Object.keys(check).slice(0, 5)).toEqual(["id", "published", "measured", "tolerance", "verdict"]);
      expect(["met", "missed", "not enough samples"]).toContain(check.verdict);
    }
  });

  it("writes the report, the figures and the checks, and replaces an earlier replay only", async () => {
    const out = join(folder, "replay");
    const words = ["--samples", "2", "--only", "fig2", "--threads", "0", "-o", out];
    const { code, out: text } = await run(...words);
    expect(code).toBe(0);
    expect(text).toContain(`Wrote ${out}`);
    expect(text).toContain("check  ");
    expect(readdirSync(out).sort()).toEqual([
      ...["checks.json", "fig-2a.csv", "fig-2a.svg", "fig-2b.csv", "fig-2b.svg", "fig-2c.csv", "fig-2c.svg"],
      ...["fig-2d.csv", "fig-2d.svg", "report.html", "samples.csv"],
    ]);
    expect(readFileSync(join(out, "samples.csv"), "utf8").trim().split("\r\n")).toHaveLength(1 + 4 * 20);
    expect(readFileSync(join(out, "fig-2a.svg"), "utf8")).toContain("simulated");
    expect((await run(...words)).code).toBe(0);
    const foreign = join(folder, "foreign");
    mkdirSync(foreign);
    writeFileSync(join(foreign, "mine"), "");
    expect(await run(...words.slice(0, -1), foreign)).toMatchObject({
      code: 2,
      err: expect.stringContaining("exists and is not an earlier replay"),
    });
    expect(existsSync(foreign)).toBe(true);
  });

  it("refuses in one line what it does not know", async () => {
    const fails = async (words: readonly string[], text: string) => {
      const { code, err } = await run(...words);
      expect(err).toContain(text);
      expect(err.trim().split("\n")).toHaveLength(1);
      expect(code).toBeGreaterThan(0);
    };
    await fails(["--only", "fig55"], "--only fig55: unknown part (did you mean fig5?)");
    await fails(["--quick", "--samples", "3"], "--quick and --samples exclude each other");
    await fails(["--samples", "1"], "--samples");
    const old = join(folder, "old.json");
    writeFileSync(old, JSON.stringify({ kind: "plimsoll machine", version: 0, name: "jaguar", targets: 1 }));
    await fails(
      ["--machine", old, "--only", "J1"],
      "parameter file of version 0; this program reads version 1",
    );
    await fails(["--machine", join(folder, "none.json"), "--only", "J1"], "none.json");
  });
});
