/** examples/slurm wired as Prolog, Epilog and EpilogSlurmctld of a real Slurm: a job that ends has its sentence in AdminComment. */
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
import { afterAll, beforeAll, expect, it } from "vitest";
import { prepare, program, root } from "./kit.ts";
import { CLUSTER_START_MS, type SlurmCluster, slurmMissing, startSlurmCluster } from "../slurm-cluster.ts";

const SLOW_MS = 180_000;
const NODES = ["n1", "n2"];
const LLITE = "sys/kernel/debug/lustre/llite/scratch-ffff8800aa00bb00";
let cluster: SlurmCluster;
let folder: string;

const stats = (writes: number, bytes: number) =>
  `snapshot_time             1700000000.000000000 secs.nsecs\nwrite_bytes               ${writes} samples [bytes] 1 1048576 ${bytes}\n`;
const statsPath = (node: string) => join(folder, "tree", node, LLITE, "stats");

beforeAll(async () => {
  expect(slurmMissing({ accounting: true })).toBeUndefined();
  prepare();
  folder = mkdtempSync(join(tmpdir(), "plimsoll-epilog-"));
  const settings = join(folder, "collect.conf");
  const example = (name: string) => join(root, "examples/slurm", name);
  const withSettings = (name: string) => {
    const [first = "", ...rest] = readFileSync(example(name), "utf8").split("\n");
    return [first, `export PLIMSOLL_CONF=${settings}`, ...rest].join("\n");
  };
  const controller = join(folder, "controller.sh");
  writeFileSync(
    controller,
    `#!/bin/sh\nexport PLIMSOLL_CONF=${settings}\nexec ${example("epilog-slurmctld.sh")}\n`,
    {
      mode: 0o755,
    },
  );
  writeFileSync(join(folder, "plimsoll"), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, {
    mode: 0o755,
  });
  cluster = await startSlurmCluster({
    ...{ nodes: 2, cpusPerNode: 2, prolog: withSettings("prolog.sh"), epilog: withSettings("epilog.sh") },
    // Who has ended has its comment in slurmdbd.
    accounting: true,
    settings: { EpilogSlurmctld: controller },
  });
  writeFileSync(
    settings,
    [
      `export SLURM_CONF=${join(cluster.folder, "slurm.conf")}`,
      `PLIMSOLL=${folder}/plimsoll`,
      `PLIMSOLL_DIR=${folder}/collected/$SLURMD_NODENAME`,
      `PLIMSOLL_ROOT=${folder}/tree/$SLURMD_NODENAME`,
      `PLIMSOLL_READINGS=${folder}/collected`,
      `PLIMSOLL_STORE=${folder}/store`,
      `PLIMSOLL_LOG=${folder}/epilog.log\n`,
    ].join("\n"),
  );
  for (const node of NODES) {
    mkdirSync(join(statsPath(node), ".."), { recursive: true });
    writeFileSync(statsPath(node), stats(1000, 5_000_000_000));
  }
}, CLUSTER_START_MS);
afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
}, SLOW_MS);

it(
  "a job on two nodes with small writes is told so when it has ended",
  async () => {
    // It waits until its counters have grown, as those of a kernel do while a job runs.
    const go = join(folder, "go");
    const wait = `while [ ! -e ${go} ]; do sleep 0.2; done`;
    const id = await cluster.submit(["-N", "2", "-o", "/dev/null", "--wrap", wait]);
    const before = () =>
      NODES.flatMap((node) => {
        const waiting = join(folder, "collected", node, "before");
        return existsSync(waiting) ? readdirSync(waiting) : [];
      });
    await expect.poll(before, { timeout: 60_000 }).toHaveLength(2);
    for (const node of NODES) writeFileSync(statsPath(node), stats(1000 + 10_000, 5_000_000_000 + 1_000_000));
    writeFileSync(go, "");
    expect((await cluster.waitForJob(id)).state, cluster.logs()).toBe("COMPLETED");
    const comment = async () =>
      (await cluster.run("sacct", ["-n", "-X", "-P", "-j", String(id), "-o", "AdminComment"])).stdout.trim();
    // What went wrong is in the log, which says nothing else after the sentence.
    const told = async () => `${await comment()}\n${readFileSync(join(folder, "epilog.log"), "utf8")}`;
    await expect.poll(told, { timeout: 90_000 }).toMatch(/^job \d+ read 0 b and wrote 2 mb/i);
    expect(await comment()).toMatch(
      /to change: use larger writes \(1 mib or more\); 20,000 writes have 100 b on average/i,
    );
  },
  SLOW_MS,
);
