import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { parseRunsCsv, simulateRuns } from "../analyze/study/metric/index.ts";
import { runCli } from "../cli/run.ts";
import { fakeWorld } from "../cli/test-kit.ts";
import { KeptRuns } from "./metric-runs.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-kept-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runs = simulateRuns({ sets: ["2a"], repeats: 3, seed: 1 });
const setting = { simulated: false, machine: [], workloads: {}, notes: [] };

it("keeps every run until the study is whole, and --from judges what was kept", async () => {
  const kept = new KeptRuns(join(folder, "study/"));
  expect(kept.note()).toBeUndefined();
  for (let n = 1; n <= runs.length; n++) kept.save(runs.slice(0, n), setting);
  const partial = join(folder, "study.partial");
  const path = join(partial, "runs.csv");
  expect(parseRunsCsv(readFileSync(path, "utf8"), path)).toEqual(runs);
  expect(kept.note()).toContain(`kept ${runs.length} runs in ${partial}`);
  const world = fakeWorld();
  const table = [{ name: "study metric", summary: "study", load: () => import("../cli/study/metric.ts") }];
  expect(await runCli(["study", "metric", "--from", partial, "--sets", "2a", "--json"], table, world)).toBe(
    0,
  );
  expect(JSON.parse(world.out).items.C06.n).toBe(runs.length);
  kept.remove();
  expect(existsSync(partial)).toBe(false);
});
