/** The engine without Slurm: the same plan as processes. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Desk } from "./desk.ts";

const desk = new Desk();
const path = (name: string) => desk.path(name);
const plimsoll = (words: readonly string[]) => desk.plimsoll(words);
afterAll(() => desk.remove());

beforeAll(() => {
  expect(plimsoll(["generate", "single", "-o", "logs"]).status).toBe(0);
});

it("--local runs the tasks as processes; what fails runs again with --resume, and nothing else", () => {
  const words = [
    "cluster",
    "ingest",
    "logs",
    "--store",
    "s",
    "--tasks",
    "2",
    "--local",
    "2",
    "--run",
    "r",
    "--json",
  ];
  expect(plimsoll(words).status).toBe(0);
  const state = path("r/state/map-2.json");
  const first = readFileSync(path("r/state/map-1.json"), "utf8");
  const was = JSON.parse(readFileSync(state, "utf8"));
  // As a node that vanished leaves it: the task has begun, and the merge never did.
  writeFileSync(state, JSON.stringify({ ...was, state: "running" }));
  for (const name of ["state", "out"]) rmSync(path(`r/${name}/merge-1.json`));
  expect(plimsoll(words).stderr).toMatch(/r exists: --resume runs its failed and missing tasks/);
  const missing = plimsoll([...words, "--run", "other", "nowhere"]);
  expect([missing.status, missing.stderr, existsSync(path("other"))]).toEqual([
    1,
    expect.stringMatching(/^plimsoll: cannot read .*nowhere: no such file.*\n$/),
    false,
  ]);
  const other = plimsoll([...words, "--resume", "--batch", "7"]);
  expect([other.status, other.stderr]).toEqual([2, expect.stringMatching(/is a run of another command/)]);
  const again = plimsoll([...words, "--resume"]);
  expect(again.status).toBe(0);
  expect(plimsoll(words).stderr).toMatch(/r exists, and all its tasks are done; choose another folder/);
  const { jobs, result } = JSON.parse(again.stdout);
  expect(jobs.map(({ task, state, attempts }: Record<string, unknown>) => [task, state, attempts])).toEqual([
    ["map-1", "done", 1],
    ["map-2", "done", 2],
    ["merge-1", "done", 1],
  ]);
  for (const { seconds, cpuSeconds, peakBytes } of jobs)
    expect(Math.min(seconds, cpuSeconds, peakBytes)).toBeGreaterThan(0);
  expect(readFileSync(path("r/state/map-1.json"), "utf8")).toBe(first);
  // The second attempt found its logs stored.
  const logs = readdirSync(path("logs")).filter((name) => name.endsWith(".darshan")).length;
  expect(result.new + result.known).toBe(logs);
  const { stdout } = plimsoll(["sql", "--store", "s", "select count(*) as n from runs", "--json"]);
  expect(Number(JSON.parse(stdout)[0].n)).toBe(logs);
});

it("a task that fails is named with its reason, and the merge does not start", () => {
  const words = ["cluster", "study", "reuse", "--store", "s", "--tasks", "2", "--local", "1", "--run", "q"];
  expect(plimsoll([...words, "--json"]).status).toBe(0);
  const parts = path("q/parts");
  // As a full disk or a bad node leaves it: one part is gone, and its task failed.
  rmSync(join(parts, "2-of-2"), { recursive: true });
  rmSync(path("q/state/merge-1.json"));
  const without = plimsoll([...words, "--resume"]);
  expect(without.status).toBe(1);
  expect(without.stderr).toMatch(/merge-1: .*1 of 2 parts are missing, the first is 2\/2/);
  rmSync(path("q/state/map-2.json"));
  expect(plimsoll([...words, "--resume"]).status).toBe(0);
});

/** Mounts need root. */
const mounted = (words: readonly string[]) => spawnSync("mount", words).status === 0;

it("a full scratch fails the task with the name of the file, and --resume goes on when there is room", ({
  skip,
}) => {
  mkdirSync(path("scratch"));
  // Room for the files of the run, a page each, and not for the twenty files of a part.
  if (!mounted(["-t", "tmpfs", "-o", "size=60k", "tmpfs", path("scratch")])) skip("needs root");
  try {
    const words = [
      "cluster",
      "study",
      "reuse",
      "--store",
      "s",
      "--tasks",
      "1",
      "--local",
      "1",
      "--run",
      "scratch/r",
    ];
    const { status, stderr } = plimsoll(words);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^plimsoll: 1 of 2 tasks did not .*no space left.*\n$/),
    ]);
    expect(mounted(["-o", "remount,size=100m", path("scratch")])).toBe(true);
    expect(plimsoll([...words, "--resume"]).status).toBe(0);
  } finally {
    spawnSync("umount", [path("scratch")]);
  }
});

it("a store without room fails the task in one line, and --resume stores every log once when there is room", ({
  skip,
}) => {
  mkdirSync(path("small"));
  // A page for the mark of the store, and not enough for the segments.
  if (!mounted(["-t", "tmpfs", "-o", "size=24k", "tmpfs", path("small")])) skip("needs root");
  try {
    const words = ["cluster", "ingest", "logs", "--store", "small/s", "--tasks", "2", "--local", "2"];
    const { status, stderr } = plimsoll([...words, "--run", "no-room"]);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^plimsoll: [12] of 3 tasks did not .*cannot write .*no space left.*\n$/),
    ]);
    expect(mounted(["-o", "remount,size=100m", path("small")])).toBe(true);
    const resumed = plimsoll([...words, "--run", "no-room", "--resume"]);
    const sums =
      /\n[1-9][\d,]* new, \d+ known, 0 skipped: [\d.,]+ [A-Za-z]?B\nplimsoll store compact small\/s joins/;
    expect([resumed.status, resumed.stdout]).toEqual([0, expect.stringMatching(sums)]);
    const count = (store: string) =>
      plimsoll(["sql", "--store", store, "select count(*) as n, sum(run_id % 1000003) as ids from runs"])
        .stdout;
    expect(count("small/s")).toBe(count("s"));
    expect(plimsoll(["store", "check", "--deep", "small/s"]).stdout).toMatch(/no damage found/);
  } finally {
    spawnSync("umount", [path("small")]);
  }
});

it("a store that can only be read is studied, and not ingested into, in one line and without a run", ({
  skip,
}) => {
  mkdirSync(path("reading"));
  if (!mounted(["--bind", path("s"), path("reading")])) skip("needs root");
  try {
    expect(mounted(["-o", "remount,ro,bind", path("reading")])).toBe(true);
    const tasks = ["--store", "reading", "--tasks", "2", "--local", "2"];
    expect(plimsoll(["cluster", "study", "reuse", ...tasks, "--run", "ro-study"]).status).toBe(0);
    const { status, stderr } = plimsoll(["cluster", "ingest", "logs", ...tasks, "--run", "ro-ingest"]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^plimsoll: .*read-only file system.*\n$/i)]);
    expect(existsSync(path("ro-ingest"))).toBe(false);
  } finally {
    spawnSync("umount", [path("reading")]);
  }
});
