/** Programs of a test cluster: started, waited for, and asked. */

import { spawn } from "node:child_process";
import { existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { delimiter, join } from "node:path";

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

export const READY_MS = 60_000;
export const SLEEP_MS = 50;

/** Those of the programs that are not on this machine. */
export function notInstalled(programs: readonly string[]): string[] {
  return programs.filter((name) => programPath(name) === undefined);
}

export function clusterEnvironment(conf: string): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(SLURM|SBATCH|PMI|OMPI|PRTE|PMIX)/.test(name),
  );
  const path = [process.env.PATH, "/usr/sbin", "/sbin"].filter(Boolean).join(delimiter);
  return { ...Object.fromEntries(entries), PATH: path, SLURM_CONF: conf };
}

export function runProgram(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
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

export function daemon(
  folder: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): void {
  const log = openSync(join(folder, "log", `${program}.out`), "a");
  const child = spawn(program, args, { env, cwd: folder, stdio: ["ignore", log, log], detached: true });
  child.unref();
}

export async function waitUntil(
  limitMs: number,
  why: () => string,
  done: () => Promise<boolean>,
): Promise<void> {
  const began = Date.now();
  while (!(await done())) {
    if (Date.now() - began > limitMs) throw new Error(`after ${limitMs / 1000} s: ${why()}`);
    await sleep(SLEEP_MS);
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export async function freePorts(count: number): Promise<number[]> {
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

export function readLogs(folder: string): string {
  const names = existsSync(join(folder, "log")) ? readdirSync(join(folder, "log")) : [];
  return names
    .map((name) => `== ${name}\n${readFileSync(join(folder, "log", name), "utf8").slice(-4000)}`)
    .join("\n");
}

function programPath(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
