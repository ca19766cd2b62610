/** State of the servers in a folder: `targets.json`, and a separate file with the token. */
import { closeSync, constants, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { commandLine } from "../../../base/command-line.ts";
import { FormatError, inFile, UsageError } from "../../../base/errors.ts";
import { isAlive, type ProcessId, ticksOf } from "./processes.ts";
import { writeWhole } from "../../../node/durable.ts";
import { makeFolder } from "../../../node/folders.ts";
import { writeFile } from "../../../node/write-file.ts";

export interface ServerEntry extends ProcessId {
  readonly server: number;
  readonly address: string;
  readonly instance: string;
}

export interface TargetsState {
  readonly format: "plimsoll-targets";
  readonly version: 1;
  /** `starting` until all servers have answered. */
  readonly phase: "starting" | "running";
  readonly host: string;
  readonly since: string;
  /** The process that starts them. */
  readonly owner: ProcessId;
  readonly stripBytes: number;
  /** Holds the sockets; empty with TCP. */
  readonly socketFolder: string;
  readonly servers: readonly ServerEntry[];
}

const STATE_FILE = "targets.json";
const TOKEN_FILE = "token";

/**
 * Claims the folder for servers about to start, or fails with the current owner. Leftovers of dead processes are taken over;
 * their socket folder is returned for removal.
 */
export function claimFolder(dir: string, stripBytes: number): { staleSocketFolder: string } {
  makeFolder(dir, 0o700);
  const owner = { pid: process.pid, ticks: ticksOf(process.pid) };
  const since = new Date().toISOString();
  const host = hostname();
  const claim: TargetsState = {
    format: "plimsoll-targets",
    version: 1,
    phase: "starting",
    host,
    since,
    owner,
    stripBytes,
    socketFolder: "",
    servers: [],
  };
  let staleSocketFolder = "";
  while (!tryCreate(join(dir, STATE_FILE), claim)) {
    const found = readState(dir);
    if (found === undefined) continue;
    refuseIfAlive(dir, found);
    staleSocketFolder = found.socketFolder;
    removeStale(dir, found);
  }
  return { staleSocketFolder };
}

/** Fails if servers are still running in the folder. */
function refuseIfAlive(dir: string, { host, phase, owner, servers, since }: TargetsState): void {
  if (host !== hostname())
    throw new UsageError(
      `servers in ${dir} were started on ${host}; stop them there, or remove ${join(dir, STATE_FILE)} if that machine is gone`,
    );
  if (phase === "starting" && isAlive(owner))
    throw new UsageError(
      `process ${owner.pid} is starting servers in ${dir}; wait for it, or choose another --dir`,
    );
  const alive = servers.filter(isAlive).length;
  if (alive > 0)
    throw new UsageError(
      `${alive} of ${servers.length} servers already run in ${dir} since ${since}; stop them with ${commandLine(["plimsoll", "targets", "stop", "--dir", dir])}`,
    );
}

/** If two processes find the same leftover, one moves it away; the other finds nothing, or the claim of the first. */
function removeStale(dir: string, found: TargetsState): void {
  const path = join(dir, STATE_FILE);
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const moved = parseState(readFileSync(aside, "utf8"), aside);
  if (JSON.stringify(moved) === JSON.stringify(found)) rmSync(aside);
  else renameSync(aside, path);
}

export function writeState(dir: string, state: TargetsState): void {
  const text = `${JSON.stringify(state, null, 2)}\n`;
  writeWhole(join(dir, STATE_FILE), text, { mode: 0o600, sync: false });
}

/** Undefined when no servers were started there. */
export function readState(dir: string): TargetsState | undefined {
  const path = join(dir, STATE_FILE);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
  return parseState(text, path);
}

export function removeState(dir: string): void {
  rmSync(join(dir, STATE_FILE), { force: true });
  rmSync(join(dir, TOKEN_FILE), { force: true });
}

/** Readable only by its owner, regardless of the umask and of an existing file. */
export function writeToken(dir: string, token: string): void {
  const path = join(dir, TOKEN_FILE);
  rmSync(path, { force: true });
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  inFile(path, () => writeSync(fd, `${token}\n`));
  closeSync(fd);
}

export function readToken(dir: string): string {
  return readFileSync(join(dir, TOKEN_FILE), "utf8").trim();
}

function tryCreate(path: string, state: TargetsState): boolean {
  try {
    writeFile(path, `${JSON.stringify(state, null, 2)}\n`, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function parseState(text: string, path: string): TargetsState {
  let value: Partial<TargetsState> | null;
  try {
    value = JSON.parse(text) as Partial<TargetsState> | null;
  } catch {
    value = null;
  }
  const sound =
    value !== null &&
    value.format === "plimsoll-targets" &&
    value.version === 1 &&
    typeof value.host === "string" &&
    typeof value.socketFolder === "string" &&
    typeof value.owner?.pid === "number" &&
    Array.isArray(value.servers) &&
    value.servers.every(
      ({ pid, ticks, address }) => isPid(pid) && typeof ticks === "string" && typeof address === "string",
    );
  if (!sound)
    throw new FormatError(
      path,
      {},
      "not a state file of storage servers; kill their processes and remove the file",
    );
  return value as TargetsState;
}

const isPid = (pid: unknown): boolean => Number.isInteger(pid) && (pid as number) > 1;
