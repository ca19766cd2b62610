// Slurm's programs are scripts here, which say what the test wants; test/cluster has the real ones.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mapAndMerge } from "./plan.ts";
import { outcomeOf } from "./report.ts";
import { runPlan } from "./run.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-run-"));
const path = process.env.PATH;
beforeAll(() => {
  mkdirSync(join(root, "bin"));
  process.env.PATH = `${join(root, "bin")}:${path}`;
});
afterAll(() => {
  process.env.PATH = path;
  rmSync(root, { recursive: true, force: true });
});

function slurm(sbatch: string, squeue: string): void {
  const write = (name: string, lines: string) =>
    writeFileSync(join(root, "bin", name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  write("sbatch", `[ "$1" = --version ] && exit 0; ${sbatch}`);
  write("squeue", squeue);
}

const request = (name: string) => ({
  plan: mapAndMerge("ingest", 2, (i) => ["ingest", `${i}`], ["cluster", "total"]),
  path: join(root, name),
  ...{ program: ["node"], madeBy: "test", resume: false, sbatch: ["-p", "io"], wait: true },
});
const { signal } = new AbortController();

it("submits every stage, and ends when its tasks have left the queue", async () => {
  slurm("echo 17", "exit 0");
  const told: number[] = [];
  const progress = () => ({ update: (done: number) => void told.push(done), add() {}, end() {} });
  const folder = await runPlan(request("r"), { signal, progress });
  expect(folder.submitted.map(({ job, stage, numbers }) => [job, stage, numbers])).toEqual([
    ["17", "map", [1, 2]],
    ["17", "merge", [1]],
  ]);
  expect(told.every((done) => done === 0)).toBe(true);
  const { failed, waiting, result } = outcomeOf(folder);
  expect([failed.length, waiting.length, result]).toEqual([0, 3, null]);
});

it("does not resume a run of another plan, or one that Slurm still has", async () => {
  slurm("echo 17", 'echo "2|PENDING|Priority"');
  const folder = await runPlan({ ...request("q"), wait: false }, { signal });
  const again = { ...request("q"), resume: true };
  await expect(runPlan(again, { signal })).rejects.toThrow(/2 tasks of .* the first is map-2; .* scancel 17/);
  const plan = mapAndMerge("ingest", 3, () => [], []);
  await expect(runPlan({ ...again, plan }, { signal })).rejects.toThrow(/is a run of another command/);
  expect(folder.submitted.length).toBe(2);
});

it.each<[string, string, () => Promise<void>]>([
  ["sbatch refuses it", "echo no such partition >&2; exit 1", async () => {}],
  ["what its tasks share cannot be made", "echo 17", () => Promise.reject(new Error("no such partition"))],
])("leaves nothing when %s", async (_, sbatch, begin) => {
  slurm(sbatch, "exit 0");
  await expect(runPlan({ ...request("n"), begin }, { signal })).rejects.toThrow(/no such partition/);
  expect(existsSync(join(root, "n"))).toBe(false);
});
