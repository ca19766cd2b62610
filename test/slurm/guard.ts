/** What ends a test cluster, whatever happens, and lets only one run at a time. */

import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server } from "node:net";
import * as fs from "node:fs";
import { SLEEP_MS, sleep } from "./processes.ts";

/**
 * Ends the cluster when this process has ended without `stop`: the guard's input is a pipe that closes then. It finds the
 * processes by their environment, since steps of jobs are nobody's children.
 */
export function startGuard(folder: string, conf: string): ChildProcess {
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

/** A name that the system frees however this process ends. */
/** Five files of the long suite have a cluster, one after the other; the longest keeps it for five minutes. */
const LOCK_MS = 1_200_000;

export async function takeLock(): Promise<Server> {
  for (let waited = 0; ; waited += 200) {
    const server = createServer();
    const taken = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen("\0plimsoll-test-slurm-cluster", () => resolve(true));
    });
    if (taken) return server.unref();
    if (waited > LOCK_MS)
      throw new Error("other Slurm clusters of the tests have been running for 20 minutes");
    await sleep(200);
  }
}

/** Ends every process of the cluster: asked first, killed after five seconds. */
export async function endCluster(conf: string): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const began = Date.now();
    endProcesses(conf, fs, signal);
    while (endProcesses(conf, fs, 0) > 0 && Date.now() - began < 5000) await sleep(SLEEP_MS);
  }
}
