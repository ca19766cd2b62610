/**
 * A lock in a folder, for programs on one machine or on several that share a file system. Nothing but `rename` decides:
 *
 *     LOCK/free                                  nobody holds it
 *     LOCK/held~HOST~MACHINE~PID~START~TOKEN     this process does
 *
 * To take the lock is to rename `free` to a private name, to give it back is to rename it to `free`. A holder that died
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
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { UsageError } from "../base/errors.ts";
import { makeFolder } from "./folders.ts";
import { isAlive, ticksOf } from "./processes.ts";
import { writeFile } from "./write-file.ts";

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

/** Another process holds the lock and is alive. */
export class FolderInUse extends UsageError {
  /** Such as `process 4711 on oss1`. */
  readonly holder: string;

  constructor(purpose: string, holder: string, file: string) {
    super(`${purpose}: ${holder} is running (${file})`);
    this.holder = holder;
  }
}

interface LockOptions {
  /**
   * False: throws `FolderInUse` once another process is seen to be alive. That of one on another machine is seen when it
   * touches its file; until then, or until it counts as dead, there is a wait all the same.
   */
  readonly wait?: boolean;
  readonly signal?: AbortSignal;
  /** How long a holder on another machine may be silent before it counts as dead; 3 minutes unless given. */
  readonly silentMs?: number;
  /** Told once for each holder that is waited for, such as `process 4711 on oss1`. */
  readonly onWait?: (holder: string) => void;
  /** Another machine took this process for dead, or somebody removed the lock. */
  readonly onLost?: () => void;
}

/** Takes the lock in the folder `path`, which is made. `purpose` says in messages what is locked: `ingest of counters`. */
export async function lockFolder(
  path: string,
  purpose: string,
  options: LockOptions = {},
): Promise<FolderLock> {
  const { wait = true, signal, onWait, onLost, silentMs = SILENT_MS } = options;
  ensureLock(path);
  const me = nameOfHolder();
  const silence = new Silence(silentMs);
  let told: string | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const name = currentName(path);
    if (name === undefined) ensureLock(path);
    else if (name === FREE || isDead(path, name, silence)) {
      if (take(path, name, me)) return held(path, me, onLost);
      continue;
    } else {
      const holder = describeHolder(name);
      if (!wait && silence.wasBroken(name)) throw new FolderInUse(purpose, holder, join(path, name));
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
    writeFile(join(made, FREE), "", { mode: 0o600 });
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

function held(path: string, name: string, onLost: () => void = () => {}): FolderLock {
  const file = join(path, name);
  const touch = () => {
    try {
      const now = new Date();
      utimesSync(file, now, now);
    } catch (error) {
      // Otherwise a file system is away for a moment, which says nothing about the lock.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") return;
      clearInterval(beat);
      onLost();
    }
  };
  const beat = setInterval(touch, BEAT_MS);
  beat.unref();
  touch();
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
  readonly ticks: string;
}

function nameOfHolder(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9.-]/g, "_")
    .slice(0, 64);
  const token = randomBytes(6).toString("hex");
  return ["held", host, machineId(), process.pid, ticksOf(process.pid), token].join("~");
}

function parseHolder(name: string): Holder {
  const [, host = "", machine = "", pid = "", ticks = ""] = name.split("~");
  return { host, machine, pid: Number(pid), ticks };
}

function describeHolder(name: string): string {
  const { host, machine, pid } = parseHolder(name);
  return `process ${pid} on ${machine === machineId() ? "this machine" : host}`;
}

function isDead(path: string, name: string, silence: Silence): boolean {
  const { machine, ...holder } = parseHolder(name);
  return machine === machineId() ? !isAlive(holder) : silence.isTooLong(join(path, name));
}

/** Since when the holder of another machine has not touched its file, by our own clock. */
class Silence {
  readonly #longestMs: number;
  #file = "";
  #touchedMs = 0;
  #sinceMs = 0;
  /** How often the file was seen with a new time, the first look included. */
  #touches = 0;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  isTooLong(file: string): boolean {
    const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const nowMs = performance.now();
    if (file !== this.#file) this.#touches = 0;
    if (file !== this.#file || touchedMs !== this.#touchedMs) {
      this.#touches++;
      this.#file = file;
      this.#touchedMs = touchedMs;
      this.#sinceMs = nowMs;
    }
    return nowMs - this.#sinceMs >= this.#longestMs;
  }

  /** Whether a holder that is not dead is seen to be alive: on this machine, or by touching its file meanwhile. */
  wasBroken(name: string): boolean {
    return parseHolder(name).machine === machineId() || this.#touches > 1;
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
