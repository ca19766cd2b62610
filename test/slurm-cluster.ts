/**
 * A Slurm cluster of several nodes on this machine, for one test file: a munged of its own, slurmctld, and one slurmd per
 * node, on free loopback ports, all below one temporary folder. Needs root and Debian's `slurm-wlm` and `munge`.
 *
 *     const cluster = await startSlurmCluster({ nodes: 4, prolog: "#!/bin/sh\n…" });   // about 5 s
 *     afterAll(() => cluster.stop());
 *     const { code, stdout } = await cluster.run("srun", ["-n", "4", "--mpi=pmi2", "node", "rank.js"]);
 *     const id = await cluster.submit(["-N", "2", "--wrap", "srun hostname"]);          // sbatch, gives the job's id
 *     const ended = await cluster.waitForJob(id);                                       // { state, fields } of its record
 *
 * With `accounting: true` there is also a slurmdbd with a MariaDB, and `sacct` answers; needs `slurmdbd`,
 * `mariadb-server-core` and `mariadb-client-core`.
 *
 * `cluster.env` has SLURM_CONF for programs that are started in another way. Only one cluster runs at a time, who comes
 * second waits; but a test may start a second one `beside` its first. Everything ends with `stop()`, and also when the test process ends without it, even killed: a guard process
 * then ends whatever has this cluster's SLURM_CONF in its environment, and removes the folder.
 */

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ACCOUNTING_PROGRAMS, prepareAccounting } from "./slurm/accounting.ts";
import { configuration, type SlurmClusterOptions as Settings } from "./slurm/configuration.ts";
import { endCluster, startGuard, takeLock } from "./slurm/guard.ts";
import {
  clusterEnvironment,
  daemon,
  notInstalled,
  READY_MS,
  type RunOptions,
  type RunResult,
  readLogs,
  runProgram,
  waitUntil,
} from "./slurm/processes.ts";

export interface SlurmCluster {
  /** Everything of the cluster; every user may enter, and it is gone after `stop`. */
  readonly folder: string;
  readonly nodes: readonly string[];
  /** The environment for programs that talk to this cluster. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs a program with that environment; never throws for an exit code. Ended after `timeoutMs` (60 s). */
  run(program: string, args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** `sbatch`; gives the job's number. */
  submit(args: readonly string[], options?: RunOptions): Promise<number>;
  /** Waits until the job is over and its epilogs are done; gives its record, `JobId=… JobState=…`, as fields. */
  waitForJob(id: number, timeoutMs?: number): Promise<{ state: string; fields: Record<string, string> }>;
  /** What the daemons have logged, for messages of failing tests. */
  logs(): string;
  stop(): Promise<void>;
}

export interface SlurmClusterOptions extends Settings {
  /** A cluster of this test that runs already: both run at once. */
  readonly beside?: SlurmCluster;
}

/** For the hook that starts a cluster: it waits for those of other files. */
export const CLUSTER_START_MS = 1_500_000;

const PROGRAMS = ["munged", "munge", "slurmctld", "slurmd", "srun", "sbatch", "scontrol", "scancel"];

/** Why no cluster can be started here; undefined when one can. */
export function slurmMissing({ accounting = false }: SlurmClusterOptions = {}): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  const missing = notInstalled([...PROGRAMS, ...(accounting ? ACCOUNTING_PROGRAMS : [])]);
  return missing.length === 0 ? undefined : `not installed: ${missing.join(", ")}`;
}

export async function startSlurmCluster(options: SlurmClusterOptions = {}): Promise<SlurmCluster> {
  const missing = slurmMissing(options);
  if (missing !== undefined) throw new Error(`no Slurm cluster: ${missing}`);
  const lock = options.beside === undefined ? await takeLock() : undefined;
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-slurm-"));
  // Users other than root enter it for their jobs' output.
  chmodSync(folder, 0o755);
  const conf = join(folder, "slurm.conf");
  const guard = startGuard(folder, conf);
  const stop = stopper(folder, conf, guard, lock);
  try {
    const nodes = Array.from({ length: options.nodes ?? 4 }, (_, index) => `n${index + 1}`);
    const env = clusterEnvironment(conf);
    makeFolders(folder, nodes);
    writeScripts(folder, options);
    const accounting = options.accounting ? await prepareAccounting(folder) : undefined;
    writeFileSync(conf, await configuration(folder, nodes, options, accounting?.settings ?? {}));
    const cluster = { folder, nodes, env, ...commands(env), logs: () => readLogs(folder), stop };
    await startMunge(folder, env);
    await accounting?.start(env);
    await startDaemons(folder, nodes, env);
    await waitUntil(
      READY_MS,
      () => `the nodes are not ready\n${readLogs(folder)}`,
      async () => {
        const { stdout } = await cluster.run("sinfo", ["--noheader", "--Node", "--format=%N %T"]);
        return stdout.split("\n").filter((line) => / idle$/.test(line)).length === nodes.length;
      },
    );
    return cluster;
  } catch (error) {
    await stop();
    throw error;
  }
}

function commands(env: NodeJS.ProcessEnv): Pick<SlurmCluster, "run" | "submit" | "waitForJob"> {
  const run = (program: string, args: readonly string[], options: RunOptions = {}) =>
    runProgram(program, args, { ...options, env: { ...env, ...options.env } });
  const record = async (id: number) => {
    const { stdout } = await run("scontrol", ["show", "--oneliner", "job", String(id)]);
    const pairs = [...stdout.matchAll(/(?:^|\s)([A-Za-z:/]+)=(\S*)/g)];
    return Object.fromEntries(pairs.map(([, name, value]) => [name as string, value as string]));
  };
  return {
    run,
    async submit(args, options) {
      const { code, stdout, stderr } = await run("sbatch", ["--parsable", ...args], options);
      if (code !== 0) throw new Error(`sbatch: ${stderr.trim()}`);
      return Number.parseInt(stdout, 10);
    },
    async waitForJob(id, timeoutMs = 60_000) {
      let fields: Record<string, string> = {};
      await waitUntil(
        timeoutMs,
        () => `job ${id} is still ${fields.JobState}`,
        async () => {
          fields = await record(id);
          return !/^(PENDING|CONFIGURING|RUNNING|COMPLETING|SUSPENDED)?$/.test(fields.JobState ?? "");
        },
      );
      return { state: fields.JobState as string, fields };
    },
  };
}

function makeFolders(folder: string, nodes: readonly string[]): void {
  for (const name of ["state", "log", "munge", ...nodes.map((node) => `spool/${node}`)])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "munge", "key"), randomBytes(128), { mode: 0o400 });
}

function writeScripts(folder: string, { prolog, epilog }: SlurmClusterOptions): void {
  for (const [name, text] of Object.entries({ prolog, epilog }))
    if (text !== undefined) writeFileSync(join(folder, `${name}.sh`), text, { mode: 0o755 });
}

async function startMunge(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const munge = (name: string) => join(folder, "munge", name);
  const files = ["socket", "key", "pid", "log", "seed"].map((name) =>
    name === "socket" ? `--socket=${munge(name)}` : `--${name}-file=${munge(name)}`,
  );
  // --force: the folder above, /tmp, is everybody's.
  daemon(folder, "munged", ["--foreground", "--force", ...files], env);
  await waitUntil(
    READY_MS,
    () => `munged does not answer\n${readLogs(folder)}`,
    async () => {
      const { code } = await runProgram("munge", [`--socket=${munge("socket")}`, "--no-input"], { env });
      return code === 0;
    },
  );
}

async function startDaemons(folder: string, nodes: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  daemon(folder, "slurmctld", ["-D"], env);
  await waitUntil(
    READY_MS,
    () => `slurmctld does not answer\n${readLogs(folder)}`,
    async () => {
      const { stdout } = await runProgram("scontrol", ["ping"], { env });
      return / UP$/m.test(stdout);
    },
  );
  for (const node of nodes) daemon(folder, "slurmd", ["-D", "-N", node], env);
}

function stopper(
  folder: string,
  conf: string,
  guard: ChildProcess,
  lock: Server | undefined,
): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    const env = clusterEnvironment(conf);
    const controller = join(folder, "slurmctld.pid");
    if (existsSync(controller))
      await runProgram("scancel", ["--full", "--user=root"], { env, timeoutMs: 5000 });
    // Steps first see their daemons end and then end themselves; who is still there after that is killed.
    await endCluster(conf);
    rmSync(folder, { recursive: true, force: true });
    guard.stdin?.end();
    await new Promise((resolve) => (lock === undefined ? resolve(undefined) : lock.close(resolve)));
  };
  return () => {
    stopped ??= stop();
    return stopped;
  };
}
