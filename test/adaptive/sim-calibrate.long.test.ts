/** `plimsoll sim calibrate` on threads. */
import { describe, expect, it } from "vitest";
import type { CommandEntry } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";

const table: CommandEntry[] = [
  { name: "sim calibrate", summary: "calibrate", load: () => import("../../src/cli/sim/calibrate.ts") },
];

async function fitted(...words: string[]) {
  const world = fakeWorld();
  const all = ["--machine", "xtp", "--tests", "60", "--samples", "2", "--seeds", "2", "--json", ...words];
  const code = await runCli(["sim", "calibrate", ...all], table, world);
  expect(world.err).toBe("");
  expect(code).toBe(0);
  const { seconds, ...result } = JSON.parse(world.out);
  expect(seconds).toBeGreaterThan(0);
  return result;
}

describe("sim calibrate", () => {
  it("finds the same parameters on any number of threads, and others on other seeds", async () => {
    const [none, two, other] = await Promise.all([
      fitted("--evaluations", "5", "--threads", "0"),
      fitted("--evaluations", "5", "--threads", "2"),
      fitted("--evaluations", "5", "--threads", "0", "--seed", "7"),
    ]);
    expect(none.evaluations).toBe(5);
    expect(two).toEqual(none);
    expect(other.lossBefore).not.toBe(none.lossBefore);
  });
});
