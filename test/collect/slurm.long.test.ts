/** The scripts of examples/slurm as prolog and epilog of a real Slurm: totals in the store equal what jobs did. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, plimsoll, prepare, program, root } from "./kit.ts";
import { CLUSTER_START_MS, type SlurmCluster, slurmMissing, startSlurmCluster } from "../slurm-cluster.ts";

const SLOW_MS = 180_000;
const NODES = ["n1", "n2"];
const MOUNT = "scratch-ffff8800aa00bb00";
/** Users of Debian that are on every machine. */
const USERS = [
  ["daemon", 1],
  ["games", 5],
] as const;
let cluster: SlurmCluster;

/** The shipped scripts as they are; only what an installation sets is set here. */
function script(name: string): string {
  return readFileSync(join(root, "examples", "slurm", name), "utf8");
}

const tree = (node: string) => join(cluster.folder, "tree", node);
const statsPath = (node: string) => join(tree(node), "sys/kernel/debug/lustre/llite", MOUNT, "stats");

beforeAll(async () => {
  expect(slurmMissing()).toBeUndefined();
  prepare();
  cluster = await startSlurmCluster({
    nodes: 2,
    cpusPerNode: 4,
    // slurm.conf can set what a prolog finds in its environment only through the script, so each is given its settings first.
    prolog: withSettings("prolog.sh"),
    epilog: withSettings("epilog.sh"),
    settings: { SelectTypeParameters: "CR_Core" },
  });
  const wrapper = `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`;
  writeFileSync(join(cluster.folder, "plimsoll"), wrapper, { mode: 0o755 });
  writeFileSync(
    join(cluster.folder, "collect.conf"),
    [
      `PLIMSOLL=${cluster.folder}/plimsoll`,
      `PLIMSOLL_DIR=${cluster.folder}/collected/$SLURMD_NODENAME`,
      `PLIMSOLL_ROOT=${cluster.folder}/tree/$SLURMD_NODENAME`,
      "",
    ].join("\n"),
  );
  for (const node of NODES) {
    mkdirSync(join(statsPath(node), ".."), { recursive: true });
    writeFileSync(statsPath(node), stats(1000, 5_000_000_000, 70));
    const lnet = join(tree(node), "sys/kernel/debug/lnet");
    mkdirSync(lnet, { recursive: true });
    writeFileSync(join(lnet, "stats"), "0 81 0 500 400 0 0 1000000 2000000 0 0\n");
    // Jobs are users', and the stand-in is theirs to move.
    for (const path of [statsPath(node), join(statsPath(node), "..")]) chmodSync(path, 0o777);
  }
  writeFileSync(join(cluster.folder, "work.cjs"), WORK);
}, CLUSTER_START_MS);
afterAll(() => cluster?.stop(), SLOW_MS);

/** The script with the path of its settings, which lie beside slurm.conf. */
function withSettings(name: string): string {
  const text = script(name);
  const [first = "", ...rest] = text.split("\n");
  return [first, "export PLIMSOLL_CONF=$(dirname $SLURM_CONF)/collect.conf", ...rest].join("\n");
}

function stats(writes: number, bytes: number, opens: number): string {
  return (
    "snapshot_time             1700000000.000000000 secs.nsecs\n" +
    `write_bytes               ${writes} samples [bytes] 4096 1048576 ${bytes}\n` +
    `open                      ${opens} samples [regs]\n`
  );
}

/** Moves the stand-in of the node it runs on: as many writes and opens as it is told, under a lock, as a kernel would. */
const WORK = `
const { readFileSync, writeFileSync, renameSync, mkdirSync, rmdirSync } = require("node:fs");
const [path, writes, bytes, opens] = [process.argv[2].replace("NODE", process.env.SLURMD_NODENAME), ...process.argv.slice(3).map(Number)];
for (;;) { try { mkdirSync(path + ".lock"); break; } catch { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); } }
const text = readFileSync(path, "utf8")
  .replace(/(write_bytes +)(\\d+)( samples \\[bytes\\] \\d+ \\d+ )(\\d+)/, (_, a, n, b, sum) => a + (+n + writes) + b + (+sum + bytes))
  .replace(/(open +)(\\d+)/, (_, a, n) => a + (+n + opens));
writeFileSync(path + ".new", text, { mode: 0o777 });
renameSync(path + ".new", path);
rmdirSync(path + ".lock");
`;

/** A job that writes on each of its nodes. */
function wrap(nodes: number, writes: number, bytes: number, opens: number): string[] {
  const path = statsPath("NODE");
  const work = `${process.execPath} ${cluster.folder}/work.cjs ${path} ${writes} ${bytes} ${opens}`;
  return [
    "-N",
    String(nodes),
    `--ntasks-per-node=1`,
    "--mem=1",
    "-o",
    "/dev/null",
    "--wrap",
    `srun --mpi=none ${work}`,
  ];
}

/** As another user, by Slurm's own means: root may submit for anybody. */
const submit = (user: string, args: readonly string[]) =>
  cluster.submit([`--uid=${user}`, "--chdir=/tmp", ...args]);

describe("prolog and epilog of examples/slurm", () => {
  it(
    "give the totals of jobs of two users on two nodes, joined with what the scheduler says",
    async () => {
      const truth = new Map<string, object>();
      let number = 0;
      for (const [user, uid] of USERS)
        for (const nodes of [1, 2, 2]) {
          number++;
          const [writes, bytes, opens] = [10 * number, 1_000_003 * number, number];
          // All of the nodes, so that no two jobs share one: their counters would be in both.
          const id = await submit(user, ["--exclusive", ...wrap(nodes, writes, bytes, opens)]);
          const done = await cluster.waitForJob(id);
          expect(done.state, cluster.logs()).toBe("COMPLETED");
          truth.set(String(id), {
            user_name: user,
            user_id: BigInt(uid),
            nodes: BigInt(nodes),
            nodes_counted: BigInt(nodes),
            nodes_dropped: 0n,
            writes: BigInt(nodes * writes),
            bytes_written: BigInt(nodes * bytes),
            opens: BigInt(nodes * opens),
            lnet_sent_bytes: 0n,
            state: "COMPLETED",
            cluster: "tiny",
            warnings: null,
          });
        }
      // A job that does no I/O and one that fails still have both readings.
      const idle = await submit("daemon", ["-N", "2", "--exclusive", "-o", "/dev/null", "--wrap", "exit 3"]);
      expect((await cluster.waitForJob(idle)).state).toBe("FAILED");
      await readingsOf(idle, 2);
      truth.set(String(idle), {
        ...{ user_name: "daemon", user_id: 1n, nodes: 2n, nodes_counted: 2n, nodes_dropped: 0n },
        ...{
          writes: 0n,
          bytes_written: 0n,
          opens: 0n,
          lnet_sent_bytes: 0n,
          state: "FAILED",
          cluster: "tiny",
          warnings: null,
        },
      });

      const found = await totals("S1");
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(truth));
      for (const node of NODES) {
        const before = readdirSync(join(cluster.folder, "collected", node, "before"));
        expect(before).toEqual([]);
      }
    },
    SLOW_MS,
  );

  it(
    "keep runs of a requeued job apart, and say when jobs shared a node",
    async () => {
      // Its first run waits to be requeued; the second one ends.
      const body = `srun --mpi=none ${process.execPath} ${cluster.folder}/work.cjs ${statsPath("NODE")} 7 7000 1; [ "\${SLURM_RESTART_COUNT:-0}" = 0 ] && sleep 60; exit 0`;
      const args = ["-N", "1", "-w", "n1", "-n", "1", "--exclusive", "--requeue", "-o", "/dev/null"];
      const again = await submit("games", [...args, "--wrap", body]);
      await expect
        .poll(() => Number(/write_bytes +(\d+)/.exec(readFileSync(statsPath("n1"), "utf8"))?.[1]) % 10, {
          timeout: 60_000,
        })
        .toBe(7);
      expect((await cluster.run("scontrol", ["requeue", String(again)])).code).toBe(0);
      await readingsOf(again, 1);
      // Slurm lets a requeued job wait for two minutes; somebody may let it go now.
      await expect
        .poll(
          async () => {
            await cluster.run("scontrol", ["update", `JobId=${again}`, "StartTime=now"]);
            return (await cluster.run("squeue", ["-h", "-j", String(again), "-o", "%T"])).stdout.trim();
          },
          { timeout: 150_000, interval: 500 },
        )
        .not.toBe("PENDING");
      expect((await cluster.waitForJob(again, 120_000)).state).toBe("COMPLETED");
      await readingsOf(again, 2);

      const shared = await Promise.all(
        [0, 1].map(() =>
          submit("daemon", ["-w", "n2", "-n", "1", "--mem=1", "-o", "/dev/null", "--wrap", "sleep 2"]),
        ),
      );
      for (const id of shared) expect((await cluster.waitForJob(id)).state).toBe("COMPLETED");
      for (const id of shared) await readingsOf(id, 1);

      const { code } = plimsoll(cluster.folder, "ingest", "collected", "--store", "S2", "--threads", "1");
      expect(code).toBe(0);
      const [runs, marked] = await ask(
        join(cluster.folder, "S2"),
        `select writes::int as w, nodes_counted::int as n from jobs where job_id = '${again}' order by start_unix_ns`,
        `select count(*)::int as n from jobs where job_id in ('${shared.join("','")}') and warnings like '%another job%'`,
      );
      expect(runs).toEqual([
        { w: 7, n: 1 },
        { w: 7, n: 1 },
      ]);
      expect(marked).toEqual([{ n: 2 }]);
    },
    SLOW_MS,
  );
});

/** Waits for the documents of a job; epilogs end after the job does. */
async function readingsOf(id: number, wanted: number): Promise<void> {
  await expect
    .poll(
      () =>
        NODES.flatMap((node) => {
          const found = spawnSync("ls", [join(cluster.folder, "collected", node, "readings")], {
            encoding: "utf8",
          });
          return found.stdout.split("\n").filter((name) => name.split("~")[2] === String(id));
        }).length,
      { timeout: 30_000, interval: 100 },
    )
    .toBe(wanted);
}

async function totals(store: string): Promise<Map<string, object>> {
  const jobcomp = join("log", "jobcomp.txt");
  const { code, err } = plimsoll(
    cluster.folder,
    "ingest",
    "collected",
    jobcomp,
    // This list says "unknown".
    "--cluster",
    "tiny",
    "--store",
    store,
    "--threads",
    "1",
  );
  expect(code, err).toBe(0);
  const [rows] = await ask(
    join(cluster.folder, store),
    `select job_id, user_name, user_id, nodes, nodes_counted, nodes_dropped, writes, bytes_written, opens, lnet_sent_bytes,
       state, cluster, warnings from job_totals`,
  );
  return new Map((rows ?? []).map(({ job_id, ...rest }) => [String(job_id), rest]));
}
