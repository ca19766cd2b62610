/**
 * A lock in a folder, for programs on one machine or on several that share a file system. Nothing but `rename` decides:
 *
 *     LOCK/free                                  nobody holds it
 *     LOCK/held~HOST~MACHINE~PID~START~TOKEN     this process does
 *
 * To take the lock is to rename `free` to a name of one's own, to give it back is to rename it to `free`. A holder that died
 * is renamed away in the same way, so of several that find it dead one gets the lock. The name says all that is needed to
 * find out: on the machine of the holder whether its process still runs, elsewhere whether it still touches the file.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { UsageError } from "../base/errors.ts";
import { makeFolder } from "./folders.ts";

const FREE = "free";
/** How often a holder touches its file. */
const BEAT_MS = 5000;
/** How long it may not have done so before another machine takes it for dead: NFS shows changes up to a minute late. */
const SILENT_MS = 180_000;
const POLL_MS = 500;

export interface FolderLock {
  /** File that exists as long as the lock is held; gone when another machine took the holder for dead. */
  readonly file: string;
  isHeld(): boolean;
  release(): void;
}

export interface LockOptions {
  /** False: throws a `UsageError` when another process holds it. */
  readonly wait?: boolean;
  readonly signal?: AbortSignal;
  /** How long a holder on another machine may be silent before it counts as dead; 3 minutes unless given. */
  readonly silentMs?: number;
  /** Told once for each holder that is waited for, such as `process 4711 on oss1`. */
  readonly onWait?: (holder: string) => void;
}

/** Takes the lock in the folder `path`, which is made. `purpose` says in messages what is locked: `ingest of counters`. */
export async function lockFolder(
  path: string,
  purpose: string,
  options: LockOptions = {},
): Promise<FolderLock> {
  const { wait = true, signal, onWait, silentMs = SILENT_MS } = options;
  ensureLock(path);
  const me = nameOfHolder();
  const silence = new Silence(silentMs);
  let told: string | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const name = currentName(path);
    if (name === undefined) ensureLock(path);
    else if (name === FREE || isDead(path, name, silence)) {
      if (take(path, name, me)) return held(path, me);
      continue;
    } else {
      const holder = describeHolder(name);
      if (!wait) throw new UsageError(`${purpose}: ${holder} is at it (${join(path, name)})`);
      if (told !== name) onWait?.(holder);
      told = name;
    }
    await pause(POLL_MS, signal);
  }
}

/** Makes the folder with its one file. Of several at the same time one rename succeeds; none replaces a lock that is there. */
function ensureLock(path: string): void {
  if (currentName(path) !== undefined) return;
  const made = `${path}.new-${randomBytes(6).toString("hex")}`;
  makeFolder(made);
  try {
    writeFileSync(join(made, FREE), "");
    renameSync(made, path);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}

function currentName(path: string): string | undefined {
  try {
    const names = readdirSync(path);
    return names.find((name) => name.startsWith("held~")) ?? names.find((name) => name === FREE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether the file got our name. An answer of a server that was lost is asked for again by NFS: then we have it already. */
function take(path: string, from: string, to: string): boolean {
  try {
    renameSync(join(path, from), join(path, to));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return existsSync(join(path, to));
  }
}

function held(path: string, name: string): FolderLock {
  const file = join(path, name);
  const touch = () => {
    try {
      const now = new Date();
      utimesSync(file, now, now);
    } catch {
      // Lost, or a file system that is away for a moment: whoever asks `isHeld` hears of it.
    }
  };
  touch();
  const beat = setInterval(touch, BEAT_MS);
  beat.unref();
  return {
    file,
    isHeld: () => existsSync(file),
    release() {
      clearInterval(beat);
      try {
        renameSync(file, join(path, FREE));
      } catch {
        // Another machine has it.
      }
    },
  };
}

/** Who holds a lock, as its file is named. */
interface Holder {
  readonly host: string;
  readonly machine: string;
  readonly pid: number;
  readonly start: string;
}

function nameOfHolder(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9.-]/g, "_")
    .slice(0, 64);
  const token = randomBytes(6).toString("hex");
  return ["held", host, machineId(), process.pid, startOf(process.pid) ?? "0", token].join("~");
}

function parseHolder(name: string): Holder {
  const [, host = "", machine = "", pid = "", start = ""] = name.split("~");
  return { host, machine, pid: Number(pid), start };
}

function describeHolder(name: string): string {
  const { host, machine, pid } = parseHolder(name);
  return `process ${pid} on ${machine === machineId() ? "this machine" : host}`;
}

function isDead(path: string, name: string, silence: Silence): boolean {
  const { machine, pid, start } = parseHolder(name);
  if (machine !== machineId()) return silence.isTooLong(join(path, name));
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  // The number may belong to another program by now.
  const now = startOf(pid);
  return start !== "0" && now !== undefined && now !== start;
}

/** Since when the holder of another machine has not touched its file, by our own clock. */
class Silence {
  readonly #longestMs: number;
  #file = "";
  #touchedMs = 0;
  #sinceMs = 0;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  isTooLong(file: string): boolean {
    const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const nowMs = performance.now();
    if (file !== this.#file || touchedMs !== this.#touchedMs) {
      this.#file = file;
      this.#touchedMs = touchedMs;
      this.#sinceMs = nowMs;
    }
    return nowMs - this.#sinceMs >= this.#longestMs;
  }
}

/** The same for processes that see each other's numbers: one boot of one host, and one space of process numbers. */
function machineId(): string {
  const parts = [hostname()];
  for (const read of [
    () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
    () => readlinkSync("/proc/self/ns/pid"),
  ])
    try {
      parts.push(read());
    } catch {
      // No Linux: the name of the host has to do.
    }
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 12);
}

/** When a process started, in ticks since boot; undefined where that cannot be read. */
function startOf(pid: number): string | undefined {
  try {
    // The name in parentheses may hold blanks and parentheses.
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
