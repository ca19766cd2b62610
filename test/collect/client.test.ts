// `collect client` as Slurm calls it: joined readings, jobs at once, trouble that never fails a job, and what a start costs.

import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bytesSource } from "../../src/base/source.ts";
import { clientDelta, CounterTable } from "../../src/formats/lustre/index.ts";
import { readClientReading, sideItems } from "../../src/formats/samples/index.ts";
import { FolderFiles } from "../../src/generate/sitewide/live-files.ts";
import { LiveSite } from "../../src/generate/sitewide/live.ts";
import { cleanEnvironment, plimsollWith, prepare, program, write } from "./kit.ts";

const SECOND = 1_000_000_000n;
const START = 1_700_000_000n * SECOND;
let place: string;
let folder: string;
let count = 0;

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), "plimsoll-collect-client-"));
  prepare();
}, 120_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));
beforeEach(() => {
  folder = join(place, String(count++));
  mkdirSync(folder);
});

const slurm = (job: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  SLURM_JOB_ID: job,
  SLURM_JOB_USER: "ada",
  SLURM_JOB_UID: "5101",
  SLURM_CLUSTER_NAME: "cab",
  SLURMD_NODENAME: "node001",
  SLURM_JOB_NUM_NODES: "2",
  ...more,
});
const collect = (env: NodeJS.ProcessEnv, mode: string, ...words: string[]) =>
  plimsollWith(env, folder, "collect", "client", mode, "--dir", "d", "--root", "tree/node001", ...words);

function readings() {
  const names = existsSync(join(folder, "d/readings")) ? readdirSync(join(folder, "d/readings")).sort() : [];
  return names.map((name) =>
    readClientReading(bytesSource(readFileSync(join(folder, "d/readings", name)), name)),
  );
}
const waiting = () => readdirSync(join(folder, "d/before"));

function delta(reading: ReturnType<typeof readClientReading> | undefined) {
  const table = new CounterTable();
  const side = (which: "before" | "after") => reading?.[which] && sideItems(reading[which], table);
  return clientDelta(side("before"), side("after"));
}
const written = (reading: ReturnType<typeof readClientReading> | undefined) =>
  delta(reading).mounts.map(({ fate, counters }) => [
    fate,
    counters.find(({ name }) => name === "write_bytes")?.sum,
  ]);

const job = (jobId: string) => ({
  ...{ jobId, user: "ada", uid: 5101, nodes: ["node001"], seconds: 60, mdt: 0, osts: [0, 1] },
  ...{ periodSeconds: 10, onSeconds: 5, writeBytes: 1_000_003, readBytes: 7, opens: 3 },
});

describe.each(["2.12", "2.15"] as const)("a node with Lustre %s", (release) => {
  const site = () =>
    new LiveSite(
      { startNs: START, release, clients: 2, jobsPerHour: 0 },
      new FolderFiles(join(folder, "tree")),
    );

  it("leaves one document for a job, with all facts, and nothing else", () => {
    const live = site();
    expect(collect(slurm("12"), "--before")).toEqual({ code: 0, out: "", err: "" });
    expect(waiting()).toEqual(["node001~cab~12.before.json"]);
    const planned = live.startJob(job("12"));
    live.advanceTo(START + 100n * SECOND);
    expect(collect(slurm("12"), "--after")).toEqual({ code: 0, out: "", err: "" });
    expect(waiting()).toEqual([]);
    const [reading] = readings();
    expect(reading).toMatchObject({
      ...{ jobId: "12", node: "node001", cluster: "cab", user: "ada", uid: 5101, nodes: 2, notes: [] },
    });
    expect(reading?.nodeMemoryBytes).toBeGreaterThan(2n ** 28n);
    expect(written(reading)).toEqual([["whole", BigInt(planned.total.bytesWritten)]]);
    expect(delta(reading).lnet.get("send_length")).toBeGreaterThan(BigInt(planned.total.bytesWritten));
    expect(delta(reading).restricted).toBe(false);
    // Only those who may: who ran what is nobody else's business.
    expect(spawnSync("stat", ["-c", "%a", "d", "d/readings"], { cwd: folder, encoding: "utf8" }).stdout).toBe(
      "750\n750\n",
    );
  });

  it("tells two jobs at once apart, and marks both", () => {
    const live = site();
    collect(slurm("1"), "--before");
    collect(slurm("2"), "--before");
    live.startJob(job("1"));
    live.advanceTo(START + 100n * SECOND);
    collect(slurm("2"), "--after");
    // The second one is gone when the first ends; the mark is not.
    collect(slurm("1"), "--after");
    collect(slurm("3"), "--before");
    collect(slurm("3"), "--after");
    const marks = readings().map(({ jobId, notes }) => [
      jobId,
      notes?.some((note) => /another job/.test(note)),
    ]);
    expect(marks).toEqual([
      ["1", true],
      ["2", true],
      ["3", false],
    ]);
    expect(waiting()).toEqual([]);
  });

  it("says that a mount came again, and takes the second run of a requeued job for itself", () => {
    const live = site();
    collect(slurm("9"), "--before");
    live.startJob(job("9"));
    live.advanceTo(START + 100n * SECOND);
    // The node died: no epilog. The job runs again, and Lustre is remounted while it does.
    collect(slurm("9", { SLURM_JOB_RESTART_COUNT: "1" }), "--before");
    live.remount("node001");
    const second = live.startJob(job("9"));
    live.advanceTo(START + 200n * SECOND);
    collect(slurm("9", { SLURM_JOB_RESTART_COUNT: "1" }), "--after");
    expect(readings().length).toBe(1);
    expect(written(readings()[0])).toEqual([
      ["remounted", BigInt(second.total.bytesWritten)],
      ["unmounted", undefined],
    ]);
  });
});

describe("trouble", () => {
  const tree = (text: string | Uint8Array) =>
    write(join(folder, "tree/node001/proc/fs/lustre/llite/fs-ffff8800aa/stats"), text);
  const STATS = "snapshot_time 1700000000.5 secs.usecs\nwrite_bytes 5 samples [bytes] 1 9 30\n";

  it("never fails a job, is told on stderr and in the log, and fails with --strict", () => {
    tree(STATS);
    const lone = collect(slurm("5"), "--after");
    expect(lone.code).toBe(0);
    expect(lone.err).toContain("collect client: job 5 after: no sample before the job");
    expect(readings()[0]?.before).toBeUndefined();
    expect(readFileSync(join(folder, "d/collect.log"), "utf8")).toMatch(
      /^\S+Z plimsoll\[\d+\]: collect client: job 5 after: /m,
    );
    expect(collect(slurm("5"), "--after", "--strict").code).toBe(1);
    expect(collect({}, "--before").err).toContain("neither --job nor SLURM_JOB_ID");
    expect(collect({}, "--before").code).toBe(0);
    expect(collect({}, "--before", "--strict").code).toBe(1);
    expect(collect(slurm("5"), "--list", "--clean").err).toContain("give one of --before");
    for (const dir of [
      "/proc/nothing/here",
      "/dev/null/x",
      "tree/node001/proc/fs/lustre/llite/fs-ffff8800aa/stats",
    ]) {
      const { code, err } = plimsollWith(
        slurm("5"),
        folder,
        "collect",
        "client",
        "--before",
        "--dir",
        dir,
        "--root",
        "tree/node001",
      );
      expect([code, err]).toEqual([0, expect.stringMatching(/^(plimsoll: collect client: .*\n){2}$/)]);
    }
  });

  it("in a file is kept as it is: other bytes, padding, no mount at all", () => {
    mkdirSync(join(folder, "tree/node001"), { recursive: true });
    expect(collect(slurm("6"), "--before").err).toContain("no Lustre, NFS or Storage Scale mount found");
    tree(Buffer.concat([Buffer.from(STATS), Buffer.from([0xff, 0xfe, 10]), Buffer.alloc(4096)]));
    collect(slurm("7"), "--before");
    collect(slurm("7"), "--after");
    const [reading] = readings();
    expect(Buffer.from(reading?.after?.files[0]?.bytes ?? []).toString("latin1")).toBe(`${STATS}\xff\xfe\n`);
    expect(written(reading)).toEqual([["whole", 0n]]);
    expect(reading?.notes).toContain("lnet/stats: no such file");
    write(join(folder, "d/before/node001~cab~8.before.json"), "{cut");
    const damaged = collect(slurm("8"), "--after");
    expect([damaged.code, damaged.err]).toEqual([0, expect.stringContaining("cannot be used")]);
  });

  it("of odd ids makes no odd files", () => {
    tree(STATS);
    const odd = "../../x y\n'é";
    collect(slurm(odd), "--before");
    expect(waiting()).toEqual([
      "node001~cab~..%2F..%2Fx%20y%0A%27%C3%A9.before.json".replace("~..", "~%2E."),
    ]);
    collect(slurm(odd), "--after", "--omit-user");
    expect(readings()[0]).toMatchObject({ jobId: odd, user: undefined, uid: undefined });
  });

  it("of jobs that never ended is listed and cleaned by age", () => {
    tree(STATS);
    for (const id of ["1", "2"]) collect(slurm(id), "--before");
    const old = join(folder, "d/before/node001~cab~1.before.json");
    utimesSync(old, 1_600_000_000, 1_600_000_000);
    write(join(folder, "d/before/x.before.json.part-99"), "half");
    utimesSync(join(folder, "d/before/x.before.json.part-99"), 1, 1);
    const listed = JSON.parse(collect({}, "--list", "--json").out).waiting;
    expect(listed.map(({ path }: { path: string }) => path)).toEqual([
      "d/before/node001~cab~1.before.json",
      "d/before/node001~cab~2.before.json",
    ]);
    expect(collect({}, "--clean", "--stale-after", "7d").out).toMatch(
      /^ *\d+\.\d\d days {2}d\/before\/node001~cab~1\.before\.json\n$/,
    );
    expect(waiting().sort()).toEqual(["node001~cab~2.before.json", "node001~cab~2.shared"]);
    utimesSync(join(folder, "d/before/node001~cab~2.before.json"), 1_600_000_000, 1_600_000_000);
    // The end of any job does the same.
    expect(collect(slurm("3"), "--after").err).toMatch(/removed node001~cab~2: no end in \d+\.\d\d days/);
    expect(waiting().filter((name) => name.endsWith(".json"))).toEqual([]);
  });

  it("of a full disk is said, costs no job, and leaves no halves", () => {
    tree(STATS);
    const disk = join(folder, "disk");
    mkdirSync(disk);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", disk]).status !== 0) {
      if (process.env.PLIMSOLL_REQUIRE_ALL === "1") throw new Error("mounting a tmpfs needs root");
      return;
    }
    try {
      spawnSync("dd", ["if=/dev/zero", `of=${disk}/full`, "bs=4096", "count=100"]);
      for (const mode of ["--before", "--after"]) {
        const { code, err } = plimsollWith(
          slurm("4"),
          folder,
          "collect",
          "client",
          mode,
          "--dir",
          "disk",
          "--root",
          "tree/node001",
        );
        expect([code, err]).toEqual([0, expect.stringContaining("no space left")]);
      }
      const left = readdirSync(disk, { recursive: true, encoding: "utf8" });
      expect(left.filter((name) => /part-|json/.test(name))).toEqual([]);
    } finally {
      spawnSync("umount", ["--lazy", disk]);
    }
  });

  it("of being killed leaves whole files or none", async () => {
    tree(STATS);
    for (let turn = 0; turn < 6; turn++) {
      const args = [program, "collect", "client", "--before", "--dir", "d", "--root", "tree/node001"];
      const child = spawn(process.execPath, args, {
        cwd: folder,
        env: { ...cleanEnvironment(), ...slurm(`k${turn}`) },
      });
      const timer = setTimeout(() => child.kill("SIGKILL"), 60 + 25 * turn);
      await new Promise((resolve) => child.once("close", resolve));
      clearTimeout(timer);
    }
    const names = existsSync(join(folder, "d/before")) ? waiting() : [];
    for (const name of names.filter((one) => one.endsWith(".json")))
      expect(
        readClientReading(bytesSource(readFileSync(join(folder, "d/before", name)), name)).before,
      ).toBeDefined();
  });
});

describe("the cost", () => {
  it("is one small start: no engine of queries, no plots, under 200 ms of one core", () => {
    write(
      join(folder, "tree/node001/proc/fs/lustre/llite/fs-ffff8800aa/stats"),
      "write_bytes 5 samples [bytes] 1 9 30\n",
    );
    writeFileSync(
      join(folder, "cost.cjs"),
      `process.on("exit", () => {
        const { userCPUTime, systemCPUTime } = process.resourceUsage();
        const objects = process.report.getReport().sharedObjects.filter((name) => /\\.node$|duckdb|koffi/.test(name));
        require("node:fs").appendFileSync("cost.txt", JSON.stringify({ ms: (userCPUTime + systemCPUTime) / 1000, objects }) + "\\n");
      });`,
    );
    for (let turn = 0; turn < 5; turn++)
      for (const mode of ["--before", "--after"])
        collect({ ...slurm("1"), NODE_OPTIONS: `--require ${join(folder, "cost.cjs")}` }, mode);
    const costs = readFileSync(join(folder, "cost.txt"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(costs.flatMap(({ objects }) => objects)).toEqual([]);
    expect(costs.length).toBe(10);
    // The least of several: others use this machine too.
    expect(Math.min(...costs.map(({ ms }) => ms))).toBeLessThan(200);
  });
});
