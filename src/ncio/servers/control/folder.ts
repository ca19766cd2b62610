/** The folder of a set of servers while they start: claimed, checked, and cleaned up if they fail to start. */
import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, rmSync, statSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { systemReason, UsageError } from "../../../base/errors.ts";
import { keepLayout, serverFolder, serverFolders } from "./layout.ts";
import { ticksOf } from "./processes.ts";
import { claimFolder, removeState, type TargetsState, writeToken } from "./state.ts";

export interface OpenFolder {
  readonly dir: string;
  /** Created by this start. */
  readonly created: boolean;
  readonly logPath: string;
  serverFolder(server: number): string;
  /** Private, with a short path on a file system with sockets: a socket path has at most 107 bytes. */
  makeSocketFolder(): string;
  readonly socketFolder: () => string;
  writeToken(token: string): void;
  claim(): Omit<TargetsState, "phase" | "servers">;
}

export function openFolder(dir: string, servers: number, stripBytes: number): OpenFolder {
  const created = !existsSync(dir);
  const before = created ? undefined : checkFolder(dir);
  const { staleSocketFolder } = claiming(dir, stripBytes);
  removeSocketFolder(staleSocketFolder);
  let sockets = "";
  const folder: OpenFolder = {
    dir,
    created,
    logPath: join(dir, "servers.log"),
    serverFolder: (server) => serverFolder(dir, server),
    makeSocketFolder: () => (sockets ||= mkdtempSync(join(socketRoot(), "plimsoll-targets-"))),
    socketFolder: () => sockets,
    writeToken: (token) => writeToken(dir, token),
    claim: () => ({
      format: "plimsoll-targets",
      version: 1,
      host: hostname(),
      since: new Date().toISOString(),
      owner: { pid: process.pid, ticks: ticksOf(process.pid) },
      stripBytes,
      socketFolder: sockets,
    }),
  };
  try {
    keepLayout(dir, servers, stripBytes);
  } catch (error) {
    cleanUp(folder, created && before === undefined);
    throw error;
  }
  return folder;
}

/** Removes sockets, state and empty folders; with `all` the whole folder. */
export function cleanUp(
  { dir, logPath, socketFolder }: Pick<OpenFolder, "dir" | "logPath" | "socketFolder">,
  all: boolean,
): void {
  removeSocketFolder(socketFolder());
  if (all) {
    rmSync(dir, { recursive: true, force: true });
    return;
  }
  removeState(dir);
  if (statSync(logPath, { throwIfNoEntry: false })?.size === 0) rmSync(logPath, { force: true });
  for (const folder of serverFolders(dir)) removeIfEmpty(folder);
  if (serverFolders(dir).length === 0) rmSync(join(dir, "layout.json"), { force: true });
}

/** Only a folder with our naming scheme, so that a manipulated state file cannot remove anything else. */
function removeSocketFolder(path: string): void {
  if (/\/plimsoll-targets-[A-Za-z0-9]{6}$/.test(path)) rmSync(path, { recursive: true, force: true });
}

function claiming(dir: string, stripBytes: number) {
  try {
    return claimFolder(dir, stripBytes);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined || code === undefined) throw error;
    throw new UsageError(
      `cannot write in ${dir}: ${systemReason(error, "folder") ?? code}; choose another --dir`,
      {
        cause: error,
      },
    );
  }
}

function checkFolder(dir: string): true {
  if (!statSync(dir).isDirectory()) throw new UsageError(`${dir}: is not a folder; choose another --dir`);
  try {
    accessSync(dir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(`cannot write in ${dir}: permission denied; choose another --dir`, { cause: error });
  }
  return true;
}

function socketRoot(): string {
  const runtime = process.env.XDG_RUNTIME_DIR;
  return runtime !== undefined && runtime.length < 60 && existsSync(runtime) ? runtime : tmpdir();
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // The folder has files, which stay.
  }
}
