/** Plans under a real Slurm: tasks that are killed, requeued, lost with their node, and a merge that is killed. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lockFolder } from "../../src/node/folder-lock.ts";
import { CLUSTER_START_MS, type SlurmCluster, slurmMissing, startSlurmCluster } from "../slurm-cluster.ts";
import { Desk, PROGRAM, values } from "./desk.ts";

const missing = slurmMissing();

describe.skipIf(missing !== undefined)("plans under Slurm", () => {
  let cluster: SlurmCluster;
  let desk: Desk;

  beforeAll(async () => {
    cluster = await startSlurmCluster({ nodes: 3 });
    desk = new Desk(cluster.folder);
    desk.json(["generate", "reuse", "-o", "logs", "--scale", "0.001", "--background", "0.000005"]);
    desk.json(["ingest", "logs/logs", "--store", "one"]);
  }, CLUSTER_START_MS);

  afterAll(async () => {
    await cluster?.stop();
  }, 60_000);

  /** A command that runs beside the test. */
  const start = (words: readonly string[], env = cluster.env) => {
    const child = spawn(process.execPath, [PROGRAM, ...words, "--json"], { cwd: desk.folder, env });
    let [out, err] = ["", ""];
    child.stdout.on("data", (data) => void (out += data));
    child.stderr.on("data", (data) => void (err += data));
    return new Promise<{ status: number | null; json: Result; err: string }>((resolve) =>
      child.once("close", (status) => resolve({ status, json: JSON.parse(out || "{}"), err })),
    );
  };

  interface Result {
    readonly jobs: readonly {
      id: string;
      task: string;
      state: string;
      attempts: number;
      error: string | null;
    }[];
    readonly result: Record<string, unknown>;
  }

  const statesOf = ({ jobs }: Result) => Object.fromEntries(jobs.map(({ task, state }) => [task, state]));

  async function until(what: string, is: () => boolean | Promise<boolean>): Promise<void> {
    for (
      const end = Date.now() + 120_000;
      !(await is());
      await new Promise((resolve) => setTimeout(resolve, 200))
    )
      if (Date.now() > end) throw new Error(`${what} did not come\n${cluster.logs()}`);
  }

  /** The array job of a stage, as the run says. */
  const jobOf = (run: string, stage: string): string | undefined => {
    const path = desk.path(`${run}/run.json`);
    if (!existsSync(path)) return undefined;
    const { submitted } = JSON.parse(readFileSync(path, "utf8"));
    return submitted.findLast((one: { stage: string }) => one.stage === stage)?.job;
  };

  const runs = (store: string) =>
    desk.json(["sql", "--store", store, "select count(*) as runs, sum(run_id % 1000003) as ids from runs"]);

  const slurmState = async (job: string) => {
    const { stdout } = await cluster.run("scontrol", ["show", "--oneliner", "job", job]);
    return /JobState=(\S+)/.exec(stdout)?.[1];
  };

  it("a killed task and one of a node that fails: nothing is lost, nothing is there twice", async () => {
    const words = [
      "cluster",
      "ingest",
      "logs/logs",
      "--store",
      "many",
      "--tasks",
      "5",
      "--run",
      "ingest",
      "--wait",
    ];
    const running = start([...words, "--threads", "1", "--sbatch", "--hold"]);
    await until("submission", () => jobOf("ingest", "merge") !== undefined);
    const job = jobOf("ingest", "map") as string;
    // While this process holds their locks, tasks wait within their jobs.
    const locks = await Promise.all(
      ["map-2", "map-4"].map((name) => lockFolder(desk.path(`ingest/locks/${name}`), name)),
    );
    await cluster.run("scontrol", ["release", job]);
    await cluster.run("scontrol", ["release", jobOf("ingest", "merge") as string]);
    const log = (task: string) => {
      const path = desk.path(`ingest/logs/${task}.log`);
      return existsSync(path) ? readFileSync(path, "utf8") : "";
    };
    await until("waiting tasks", () =>
      ["map-2", "map-4"].every((task) => log(task).includes("is running it; waiting")),
    );
    // One is killed; the node of the other is taken for dead, and its task is requeued.
    await cluster.run("scancel", ["--signal=KILL", "--full", `${job}_2`]);
    const { stdout } = await cluster.run("squeue", ["--noheader", "--format=%N", `--jobs=${job}_4`]);
    const node = stdout.trim();
    await cluster.run("scontrol", ["update", `nodename=${node}`, "state=down", "reason=gone"]);
    await until("requeue", async () => (await slurmState(`${job}_4`)) === "PENDING");
    for (const lock of locks) lock.release();
    await cluster.run("scontrol", ["update", `jobid=${job}_4`, "StartTime=now"]);
    const ended = await running;
    expect([ended.status, statesOf(ended.json)["map-2"], statesOf(ended.json)["map-4"]], ended.err).toEqual([
      1,
      "waiting",
      "done",
    ]);
    expect(ended.err).toMatch(/run the same command with --resume/);
    await cluster.run("scontrol", ["update", `nodename=${node}`, "state=resume"]);
    const again = await start([...words, "--threads", "1", "--resume"]);
    expect([again.status, new Set(again.json.jobs.map(({ state }) => state))], again.err).toEqual([
      0,
      new Set(["done"]),
    ]);
    expect(runs("many")).toEqual(runs("one"));
    const { problems, duplicateRuns } = desk.json(["store", "check", "--deep", "many"]);
    expect([problems, duplicateRuns]).toEqual([[], 0]);
  }, 300_000);

  it("a node that vanishes with all that ran on it: its task is done on another, and stored once", async () => {
    const words = ["cluster", "ingest", "logs/logs", "--store", "left", "--tasks", "3", "--run", "left-run"];
    const running = start([...words, "--wait", "--threads", "1", "--sbatch", "--hold"]);
    await until("submission", () => jobOf("left-run", "merge") !== undefined);
    const job = jobOf("left-run", "map") as string;
    // While this process holds its lock, the task waits within its job.
    const lock = await lockFolder(desk.path("left-run/locks/map-2"), "map-2");
    await cluster.run("scontrol", ["release", job]);
    await cluster.run("scontrol", ["release", jobOf("left-run", "merge") as string]);
    const log = desk.path("left-run/logs/map-2.log");
    await until(
      "a waiting task",
      () => existsSync(log) && /is running it; waiting/.test(readFileSync(log, "utf8")),
    );
    const { stdout } = await cluster.run("squeue", ["--noheader", "--format=%N", `--jobs=${job}_2`]);
    const node = stdout.trim();
    expect(vanish(cluster, node)).toBeGreaterThan(2);
    // As Slurm does by itself after SlurmdTimeout.
    await cluster.run("scontrol", ["update", `nodename=${node}`, "state=down", "reason=gone"]);
    await until("requeue", async () => (await slurmState(`${job}_2`)) === "PENDING");
    lock.release();
    for (const task of [1, 2, 3])
      await cluster.run("scontrol", ["update", `jobid=${job}_${task}`, "StartTime=now"]);
    const { status, json, err } = await running;
    expect([status, err], cluster.logs()).toEqual([0, ""]);
    expect(json.jobs.map(({ state }) => state)).toEqual(["done", "done", "done", "done"]);
    expect(runs("left")).toEqual(runs("one"));
    spawn("slurmd", ["-N", node], { env: cluster.env, stdio: "ignore" });
    await cluster.run("scontrol", ["update", `nodename=${node}`, "state=resume"]);
    await until("the node", async () =>
      /State=IDLE\s/.test((await cluster.run("scontrol", ["show", "--oneliner", "node", node])).stdout),
    );
  }, 300_000);

  it("a merge that is killed and a node that is drained: the study is that of one process", async () => {
    desk.json(["store", "compact", "one", "--buckets", "4", "--grace", "0"]);
    const study = ["--store", "one", "--min-bytes", "1"];
    const words = ["cluster", "study", "reuse", ...study, "--tasks", "4", "--run", "study", "--wait"];
    const running = start([...words, "--sbatch", "--hold"]);
    await until("submission", () => jobOf("study", "merge") !== undefined);
    const lock = await lockFolder(desk.path("study/locks/merge-1"), "merge-1");
    await cluster.run("scontrol", ["update", "nodename=n2", "state=drain", "reason=test"]);
    for (const stage of ["map", "merge"])
      await cluster.run("scontrol", ["release", jobOf("study", stage) as string]);
    const merge = `${jobOf("study", "merge")}_1`;
    await until("merge", async () => (await slurmState(merge)) === "RUNNING");
    await cluster.run("scancel", ["--signal=KILL", "--full", merge]);
    lock.release();
    const ended = await running;
    expect([ended.status, ended.json.result], ended.err).toEqual([1, null]);
    const again = await start([...words, "--resume"]);
    await cluster.run("scontrol", ["update", "nodename=n2", "state=resume"]);
    expect(again.status, again.err).toBe(0);
    // The tasks of the first stage were done, and were not begun again.
    expect(again.json.jobs.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1]);
    expect(values(again.json.result)).toEqual(values(desk.json(["study", "reuse", ...study])));
  }, 300_000);

  it("a task that fails ends the run in one line, and the merge is not left in the queue", async () => {
    const broken = desk.path("broken");
    mkdirSync(broken);
    const words = [
      "cluster",
      "study",
      "reuse",
      "--store",
      "one",
      "--tasks",
      "3",
      "--run",
      "failing",
      "--wait",
    ];
    const running = start([...words, "--sbatch", "--hold"]);
    await until("submission", () => jobOf("failing", "merge") !== undefined);
    // A store that is not there for a moment.
    const away = desk.path("one.away");
    const { renameSync } = await import("node:fs");
    renameSync(desk.path("one"), away);
    for (const stage of ["map", "merge"])
      await cluster.run("scontrol", ["release", jobOf("failing", stage) as string]);
    const ended = await running;
    renameSync(away, desk.path("one"));
    expect([ended.status, statesOf(ended.json)], ended.err).toEqual([
      1,
      { "map-1": "failed", "map-2": "failed", "map-3": "failed", "merge-1": "waiting" },
    ]);
    expect(ended.err.trim().split("\n")).toHaveLength(1);
    expect(ended.err).toMatch(/3 of 4 tasks did not end well: map-1: .*one/);
    await until(
      "an empty queue",
      async () => (await cluster.run("squeue", ["--noheader"])).stdout.trim() === "",
    );
  }, 180_000);

  it("two that submit the same run at once: one does, the other says so", async () => {
    rmSync(desk.path("same"), { recursive: true, force: true });
    const words = [
      "cluster",
      "ingest",
      "logs/logs",
      "--store",
      "same-store",
      "--tasks",
      "2",
      "--run",
      "same",
      "--wait",
    ];
    const both = await Promise.all([start(words), start(words)]);
    expect(both.map(({ status }) => status).sort()).toEqual([0, 2]);
    expect(both.find(({ status }) => status === 2)?.err).toMatch(/same exists/);
    expect(runs("same-store")).toEqual(runs("one"));
  }, 300_000);

  it("two clusters fill one store at once: every log is there once", async () => {
    // Its nodes have the same names, and its jobs the same numbers.
    const other = await startSlurmCluster({ nodes: 2, beside: cluster });
    try {
      const words = ["cluster", "ingest", "logs/logs", "--store", "shared", "--tasks", "2", "--wait"];
      const two = await Promise.all([
        start([...words, "--run", "a"]),
        start([...words, "--run", "b"], other.env),
      ]);
      expect(two.map(({ status, err }) => [status, err])).toEqual([
        [0, ""],
        [0, ""],
      ]);
      expect(runs("shared")).toEqual(runs("one"));
      expect(desk.json(["store", "check", "--deep", "shared"]).problems).toEqual([]);
    } finally {
      await other.stop();
    }
  }, 300_000);

  it("generation in tasks gives the centre of one process", async () => {
    const options = ["--scale", "0.002", "--background", "0.0001", "--tables"];
    const { status, err } = await start([
      "cluster",
      "generate",
      "reuse",
      "-o",
      "tasks",
      ...options,
      "--tasks",
      "3",
      "--wait",
    ]);
    expect([status, err]).toEqual([0, ""]);
    desk.json(["generate", "reuse", "-o", "alone", ...options]);
    expect(runs("tasks/store")).toEqual(runs("alone/store"));
    const [a, b] = ["tasks", "alone"].map((name) =>
      readFileSync(join(desk.folder, name, "answers.json"), "utf8"),
    );
    expect(a).toBe(b);
  }, 300_000);

  it("options that Slurm does not take are told in one line", () => {
    const { status, stderr } = desk.plimsoll(
      ["cluster", "ingest", "logs", "--store", "one", "--run", "bad", "--sbatch", "-p nowhere"],
      cluster.env,
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^plimsoll: sbatch refused the map job: .*nowhere.*\n$|^plimsoll: sbatch refused the map job: .*partition.*\n$/,
    );
    // Nothing was begun, so that the command can be given again without --resume.
    expect(existsSync(desk.path("bad"))).toBe(false);
  });
});

/** Kills the daemon of a node and all that it started, as a power failure does; gives how many there were. */
function vanish({ folder, env }: SlurmCluster, node: string): number {
  const of = (pid: number, name: string) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, "latin1");
    } catch {
      return "";
    }
  };
  const parentOf = (pid: number) => Number(/\) \S (\d+) /.exec(of(pid, "stat"))?.[1] ?? 0);
  const tasks = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) =>
      [`SLURM_CONF=${env.SLURM_CONF}`, `SLURMD_NODENAME=${node}`].every((entry) =>
        `\0${of(pid, "environ")}`.includes(`\0${entry}\0`),
      ),
    );
  // First those that would tell how the others ended.
  const stepd = tasks.map(parentOf).filter((pid) => of(pid, "comm").startsWith("slurmstepd"));
  const daemon = Number(readFileSync(join(folder, `slurmd.${node}.pid`), "utf8"));
  const pids = [...new Set([daemon, ...stepd, ...tasks])];
  for (const pid of pids) process.kill(pid, "SIGKILL");
  return pids.length;
}
