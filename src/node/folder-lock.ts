/**
 * One process at a time for a folder. The lock is a file in it that says who has it, so only who may write there can take it, and a
 * process that was killed has it no longer.
 *
 * Files are `lock.1`, `lock.2` and so on; the highest number counts. Whoever finds its owner gone makes the next one, which only one
 * of several can do, and then removes the others. Numbers never go down: a file stays behind when the lock is released, so that a
 * slow process cannot make a number that has been there before. Whether an owner lives is seen from its process. One on another
 * host, or in another container, cannot be seen: it renews its file every few seconds and counts as gone when it has stopped to.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, type ProcessId, ticksOf } from "./processes.ts";

export interface LockOwner extends ProcessId {
  readonly host: string;
  /** Tells starts of machines and containers apart: only within both a number of a process means the same. */
  readonly boot: string;
  readonly namespace: string;
  readonly since: string;
  readonly id: string;
}

export interface FolderLock {
  readonly taken: true;
  release(): void;
}

export interface LockedBy {
  readonly taken: false;
  readonly owner: LockOwner;
}

export interface LockOptions {
  /** Called when it has to wait for an owner that cannot be seen. */
  onWait?(owner: LockOwner | undefined): void;
  /** Called when another process has taken the lock, since this one was not heard of for too long. */
  onLost?(): void;
  /** Milliseconds between two renewals, and after which an owner that is not heard of is gone. */
  readonly renewMs?: number;
  readonly goneMs?: number;
}

const RENEW_MS = 5000;
/** A process may be busy for seconds and not get to renew its lock. */
const GONE_MS = 30_000;
const POLL_MS = 100;
/** Each turn that comes to nothing is another process that was faster. */
const TURNS_MAX = 100;

/** The folder must be there. Others than its owner cannot read the lock. */
export async function lockFolder(folder: string, options: LockOptions = {}): Promise<FolderLock | LockedBy> {
  const own = ownerNow();
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    const highest = highestIn(folder);
    if (highest > 0) {
      const state = await stateOf(join(folder, fileName(highest)), options);
      if (state === "changed") continue;
      if (state !== "free") return { taken: false, owner: state };
    }
    const path = join(folder, fileName(highest + 1));
    if (!create(path, JSON.stringify(own))) continue;
    // Somebody was faster, and had removed the file of this number.
    if (highestIn(folder) !== highest + 1) {
      rmSync(path, { force: true });
      continue;
    }
    for (const number of numbersIn(folder))
      if (number <= highest) rmSync(join(folder, fileName(number)), { force: true });
    return held(path, own, options);
  }
  throw new Error(`${folder}: too many processes want its lock at once`);
}

function held(path: string, own: LockOwner, { onLost, renewMs = RENEW_MS }: LockOptions): FolderLock {
  const isOwn = () => parseOwner(textOf(path)?.text ?? "")?.id === own.id;
  const renew = () => {
    if (isOwn()) {
      const now = new Date();
      utimesSync(path, now, now);
      return;
    }
    clearInterval(timer);
    onLost?.();
  };
  // A file system that fails for a while says nothing about the lock.
  const timer = setInterval(() => withoutFaults(renew), renewMs);
  timer.unref();
  return {
    taken: true,
    release: () => {
      clearInterval(timer);
      withoutFaults(() => isOwn() && markReleased(path));
    },
  };
}

function withoutFaults(work: () => void): void {
  try {
    work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
}

/** In place, which a full disk allows too. */
function markReleased(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    writeSync(descriptor, RELEASED, 0);
    ftruncateSync(descriptor, RELEASED.length);
  } finally {
    closeSync(descriptor);
  }
}

const RELEASED = "released\n";
const FILE = /^lock\.([1-9]\d{0,14})$/;
const fileName = (number: number) => `lock.${number}`;
const numbersIn = (folder: string) =>
  readdirSync(folder)
    .map((name) => Number(FILE.exec(name)?.[1] ?? 0))
    .filter((number) => number > 0);
const highestIn = (folder: string) => Math.max(0, ...numbersIn(folder));

function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    // Made, and not written: a disk may be full.
    rmSync(path, { force: true });
    throw error;
  }
}

/** Who has the lock in this file; `changed` when that has to be looked at again. */
async function stateOf(path: string, options: LockOptions): Promise<LockOwner | "free" | "changed"> {
  const first = textOf(path);
  if (first === undefined) return "changed";
  if (first.text.startsWith(RELEASED)) return "free";
  const owner = parseOwner(first.text);
  if (owner !== undefined && isVisible(owner)) return isAlive(owner) ? owner : "free";
  // Half-written, or its process cannot be seen: does anything change?
  options.onWait?.(owner);
  const end = performance.now() + (options.goneMs ?? GONE_MS);
  while (performance.now() < end) {
    await sleep(POLL_MS);
    const now = textOf(path);
    if (now?.text !== first.text) return "changed";
    if (now.renewedNs !== first.renewedNs) return owner ?? "changed";
  }
  return "free";
}

/** Read through a descriptor: a shared file system then gives what is there now. */
function textOf(path: string): { readonly text: string; readonly renewedNs: bigint } | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return {
      renewedNs: fstatSync(descriptor, { bigint: true }).mtimeNs,
      text: readFileSync(descriptor, "utf8"),
    };
  } finally {
    closeSync(descriptor);
  }
}

function parseOwner(text: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(text) as LockOwner;
    return Number.isSafeInteger(owner.pid) && typeof owner.id === "string" ? owner : undefined;
  } catch {
    return undefined;
  }
}

function ownerNow(): LockOwner {
  return {
    pid: process.pid,
    ticks: ticksOf(process.pid),
    host: hostname(),
    ...machine(),
    since: new Date().toISOString(),
    id: randomBytes(16).toString("hex"),
  };
}

function isVisible({ boot, namespace }: LockOwner): boolean {
  const here = machine();
  return here.boot !== "" && boot === here.boot && namespace === here.namespace;
}

function machine(): { readonly boot: string; readonly namespace: string } {
  try {
    return {
      boot: readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim(),
      namespace: readlinkSync("/proc/self/ns/pid"),
    };
  } catch {
    return { boot: "", namespace: "" };
  }
}
