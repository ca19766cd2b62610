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
 * `cluster.env` has SLURM_CONF for programs that are started in another way. Only one cluster runs at a time: who comes
 * second waits. Everything ends with `stop()`, and also when the test process ends without it, even killed: a guard process
 * then ends whatever has this cluster's SLURM_CONF in its environment, and removes the folder.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { hostname, tmpdir } from "node:os";
import { delimiter, join } from "node:path";

export interface SlurmClusterOptions {
  /** 4 unless given; they are called n1, n2, … */
  readonly nodes?: number;
  /** 2 unless given; may be more than the machine has. */
  readonly cpusPerNode?: number;
  /** Scripts that slurmd runs as root on every node before and after a job; whole texts, from `#!` on. They must exit 0. */
  readonly prolog?: string;
  readonly epilog?: string;
  /** More lines of slurm.conf; a line here takes the place of the usual one of that name. */
  readonly settings?: Readonly<Record<string, string>>;
}

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

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly timeoutMs?: number;
}

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const PROGRAMS = ["munged", "munge", "slurmctld", "slurmd", "srun", "sbatch", "scontrol", "scancel"];
const READY_MS = 60_000;
const SLEEP_MS = 50;

/** Why no cluster can be started here; undefined when one can. */
export function slurmMissing(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  const missing = PROGRAMS.filter((name) => programPath(name) === undefined);
  return missing.length === 0 ? undefined : `not installed: ${missing.join(", ")}`;
}

export async function startSlurmCluster(options: SlurmClusterOptions = {}): Promise<SlurmCluster> {
  const missing = slurmMissing();
  if (missing !== undefined) throw new Error(`no Slurm cluster: ${missing}`);
  const lock = await takeLock();
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
    writeFileSync(conf, await configuration(folder, nodes, options));
    const cluster = { folder, nodes, env, ...commands(env), logs: () => readLogs(folder), stop };
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

function clusterEnvironment(conf: string): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(SLURM|SBATCH|PMI|OMPI|PRTE|PMIX)/.test(name),
  );
  const path = [process.env.PATH, "/usr/sbin", "/sbin"].filter(Boolean).join(delimiter);
  return { ...Object.fromEntries(entries), PATH: path, SLURM_CONF: conf };
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

async function configuration(
  folder: string,
  nodes: readonly string[],
  { cpusPerNode = 2, prolog, epilog, settings = {} }: SlurmClusterOptions,
): Promise<string> {
  const [controllerPort, ...ports] = await freePorts(nodes.length + 1);
  const usual: Record<string, string> = {
    ClusterName: "tiny",
    SlurmctldHost: `${hostname()}(127.0.0.1)`,
    SlurmUser: "root",
    SlurmdUser: "root",
    AuthType: "auth/munge",
    AuthInfo: `socket=${join(folder, "munge", "socket")}`,
    SlurmctldPort: String(controllerPort),
    StateSaveLocation: join(folder, "state"),
    SlurmdSpoolDir: join(folder, "spool", "%n"),
    SlurmctldPidFile: join(folder, "slurmctld.pid"),
    SlurmdPidFile: join(folder, "slurmd.%n.pid"),
    SlurmctldLogFile: join(folder, "log", "slurmctld.log"),
    SlurmdLogFile: join(folder, "log", "slurmd.%n.log"),
    // Nodes may have more CPUs than the machine.
    SlurmdParameters: "config_overrides",
    ProctrackType: "proctrack/linuxproc",
    TaskPlugin: "task/none",
    JobAcctGatherType: "jobacct_gather/none",
    AccountingStorageType: "accounting_storage/none",
    JobCompType: "jobcomp/filetxt",
    JobCompLoc: join(folder, "log", "jobcomp.txt"),
    SelectType: "select/cons_tres",
    SelectTypeParameters: "CR_Core",
    SchedulerType: "sched/backfill",
    MpiDefault: "pmi2",
    ReturnToService: "2",
    MaxArraySize: "100001",
    MaxJobCount: "200000",
    PrologFlags: "Alloc",
    PrologEpilogTimeout: "30",
    KillWait: "5",
    ...(prolog === undefined ? {} : { Prolog: join(folder, "prolog.sh") }),
    ...(epilog === undefined ? {} : { Epilog: join(folder, "epilog.sh") }),
    ...settings,
  };
  const host = `NodeHostname=${hostname()} NodeAddr=127.0.0.1`;
  return [
    ...Object.entries(usual).map(([name, value]) => `${name}=${value}`),
    ...nodes.map(
      (node, index) =>
        `NodeName=${node} ${host} Port=${ports[index]} CPUs=${cpusPerNode} RealMemory=1000 State=UNKNOWN`,
    ),
    `PartitionName=batch Nodes=${nodes.join(",")} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO`,
    "",
  ].join("\n");
}

async function startDaemons(folder: string, nodes: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
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

function daemon(folder: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv): void {
  const log = openSync(join(folder, "log", `${program}.out`), "a");
  const child = spawn(program, args, { env, cwd: folder, stdio: ["ignore", log, log], detached: true });
  child.unref();
}

/**
 * Ends the cluster when this process has ended without `stop`: the guard's input is a pipe that closes then. It finds the
 * processes by their environment, since steps of jobs are nobody's children.
 */
function startGuard(folder: string, conf: string): ChildProcess {
  const program = `process.stdin.resume().on("close", () => {
    (${endProcesses.toString()})(${JSON.stringify(conf)}, require("node:fs"), "SIGKILL");
    require("node:fs").rmSync(${JSON.stringify(folder)}, { recursive: true, force: true });
  })`;
  const guard = spawn(process.execPath, ["-e", program], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return guard;
}

/** Sends a signal to every process whose environment names this slurm.conf; gives how many there were. Runs in the guard too. */
function endProcesses(conf: string, fs: typeof import("node:fs"), signal: NodeJS.Signals | 0): number {
  let count = 0;
  for (const name of fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      if (!`\0${fs.readFileSync(`/proc/${name}/environ`, "latin1")}`.includes(`\0SLURM_CONF=${conf}\0`))
        continue;
      process.kill(Number(name), signal);
      count += 1;
    } catch {
      // It has ended meanwhile.
    }
  }
  return count;
}

function stopper(folder: string, conf: string, guard: ChildProcess, lock: Server): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    const fs = await import("node:fs");
    const env = clusterEnvironment(conf);
    const controller = join(folder, "slurmctld.pid");
    if (existsSync(controller))
      await runProgram("scancel", ["--full", "--user=root"], { env, timeoutMs: 5000 });
    // Steps first see their daemons end and then end themselves; who is still there after that is killed.
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const began = Date.now();
      endProcesses(conf, fs, signal);
      while (endProcesses(conf, fs, 0) > 0 && Date.now() - began < 5000) await sleep(SLEEP_MS);
    }
    rmSync(folder, { recursive: true, force: true });
    guard.stdin?.end();
    await new Promise((resolve) => lock.close(resolve));
  };
  return () => {
    stopped ??= stop();
    return stopped;
  };
}

/** A name that the system frees however this process ends. */
async function takeLock(): Promise<Server> {
  for (let waited = 0; ; waited += 200) {
    const server = createServer();
    const taken = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen("\0plimsoll-test-slurm-cluster", () => resolve(true));
    });
    if (taken) return server.unref();
    if (waited > 240_000)
      throw new Error("another Slurm cluster of the tests has been running for 4 minutes");
    await sleep(200);
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Server>((resolve, reject) => {
          const server = createServer().once("error", reject);
          server.listen(0, "127.0.0.1", () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function runProgram(program: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: options.env, cwd: options.cwd, stdio: "pipe" });
    const timer = setTimeout(() => child.kill("SIGKILL"), options.timeoutMs ?? 60_000);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
}

function readLogs(folder: string): string {
  const names = existsSync(join(folder, "log")) ? readdirSync(join(folder, "log")) : [];
  return names
    .map((name) => `== ${name}\n${readFileSync(join(folder, "log", name), "utf8").slice(-4000)}`)
    .join("\n");
}

async function waitUntil(limitMs: number, why: () => string, done: () => Promise<boolean>): Promise<void> {
  const began = Date.now();
  while (!(await done())) {
    if (Date.now() - began > limitMs) throw new Error(`after ${limitMs / 1000} s: ${why()}`);
    await sleep(SLEEP_MS);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function programPath(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
