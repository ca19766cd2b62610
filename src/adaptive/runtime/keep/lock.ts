/** One writer per dataset: a lock file that names its owner. A lock of a dead process does not count. */
import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "../../../base/errors.ts";
import { isAlive as isAliveHere, ticksOf } from "../../../node/processes.ts";
import { isCode, makeFolders } from "../dataset/folders.ts";
import { writeFile } from "../../../node/write-file.ts";

interface Owner {
  readonly pid: number;
  readonly host: string;
  /** Start of the process in ticks since boot: distinguishes a reused pid. */
  readonly ticks: string;
  readonly since: string;
}

export interface Lock {
  /** Records a child process, so that a later writer can wait for its end. */
  addProcess(pid: number): void;
  release(): void;
}

/** A handover takes microseconds; one that takes longer was interrupted. */
const HANDOVER_STALE_MS = 10_000;

export function takeLock(folder: string, what: string): Lock {
  makeFolders(dirname(folder), folder);
  const path = join(folder, "lock");
  const own = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFile(own, JSON.stringify(ownerNow()));
  try {
    while (!tryLink(own, path)) removeStaleLock(path, what);
  } finally {
    rmSync(own, { force: true });
  }
  return {
    addProcess: (pid) =>
      writeFile(join(folder, "processes"), `${JSON.stringify({ pid, ticks: ticksOf(pid) })}\n`, {
        flag: "a",
      }),
    release: () => {
      rmSync(join(folder, "processes"), { force: true });
      rmSync(path, { force: true });
    },
  };
}

/** Live processes of a dead writer; they end by themselves soon. */
export function livingProcesses(folder: string): number[] {
  let text = "";
  try {
    text = readFileSync(join(folder, "processes"), "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      const { pid, ticks } = JSON.parse(line) as { pid: number; ticks: string };
      return ticks !== "" && ticksOf(pid) === ticks ? [pid] : [];
    } catch {
      return [];
    }
  });
}

function tryLink(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** Removes the lock of a dead process; fails while it is alive. */
function removeStaleLock(path: string, what: string): void {
  const owner = readOwner(path);
  if (owner === undefined) return;
  if (isAlive(owner)) {
    const where = owner.host === hostname() ? "" : ` on ${owner.host}`;
    throw new UsageError(
      `${what} is being written by process ${owner.pid}${where} since ${owner.since}; wait for it, or choose another name`,
    );
  }
  // Only one process may remove it, or the lock of a faster one would be removed too.
  const handover = `${path}.handover`;
  try {
    mkdirSync(handover);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    const age = Date.now() - (statSync(handover, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > HANDOVER_STALE_MS) rmdirSync(handover);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    return;
  }
  try {
    const again = readOwner(path);
    if (again !== undefined && !isAlive(again)) rmSync(path);
  } finally {
    rmdirSync(handover);
  }
}

function readOwner(path: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Owner;
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

const ownerNow = (): Owner => ({
  pid: process.pid,
  host: hostname(),
  ticks: ticksOf(process.pid),
  since: new Date().toISOString(),
});

/** A process on another machine cannot be checked: it counts as alive. */
const isAlive = (owner: Owner): boolean => owner.host !== hostname() || isAliveHere(owner);
