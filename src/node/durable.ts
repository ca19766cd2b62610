/** Names and bytes that survive a crash of the machine. A failure to sync is never swallowed: callers rely on what is synced. */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { inFile, namedError } from "../base/errors.ts";

/** What a file system answers that cannot sync folders at all, or lets nobody open this one. */
const CANNOT_SYNC = new Set(["EINVAL", "ENOTSUP", "ENOSYS", "EISDIR", "EACCES", "EPERM"]);

const throwUnlessUnable = (error: unknown): void => {
  if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
};

/** Makes the names in a folder durable. Where the file system cannot do that, only a name may be lost with the machine. */
export function syncFolder(folder: string): void {
  try {
    syncPath(folder, "r");
  } catch (error) {
    throwUnlessUnable(error);
  }
}

/** The same while other things go on. */
export async function folderSynced(folder: string): Promise<void> {
  await pathSynced(folder, "r").catch(throwUnlessUnable);
}

/** Makes the bytes of a file durable. */
export function syncFile(path: string): void {
  syncPath(path, "r+");
}

/** The same while other things go on. */
export async function fileSynced(path: string): Promise<void> {
  await pathSynced(path, "r+");
}

function syncPath(path: string, flags: "r" | "r+"): void {
  const descriptor = openSync(path, flags);
  try {
    inFile(path, () => fsyncSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

async function pathSynced(path: string, flags: "r" | "r+"): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } catch (error) {
    throw namedError(error, path);
  } finally {
    await handle.close();
  }
}

interface WholeOptions {
  readonly mode?: number;
  /** False where the file need not outlive a loss of power. */
  readonly sync?: boolean;
  /** Called when the bytes are there, before they get their name. */
  readonly beforeRename?: () => void;
}

/** Names of files that are not whole yet. */
export const PART = /\.part-[0-9a-f]+(?=\/|$)/;

/** The file has all of the data, or is as it was before: written under a name of its own, synced, renamed. */
export function writeWhole(path: string, data: string | Uint8Array, options: WholeOptions = {}): void {
  const { mode = 0o666, sync = true, beforeRename } = options;
  const part = partOf(path);
  try {
    const descriptor = openSync(part, "wx", mode);
    try {
      writeFully(descriptor, typeof data === "string" ? Buffer.from(data) : data);
      if (sync) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    beforeRename?.();
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw namedError(error, path);
  }
  if (sync) syncFolder(dirname(path));
}

/** The same while other things go on. */
export async function wholeWritten(path: string, data: string | Uint8Array): Promise<void> {
  const part = partOf(path);
  await fileWritten(part, data);
  try {
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await folderSynced(dirname(path));
}

/** Writes and syncs a file of a name that nobody else uses, and returns its inode; on failure there is no file. */
export async function fileWritten(path: string, data: string | Uint8Array): Promise<string> {
  const handle = await open(path, "w");
  try {
    await handle.writeFile(data);
    await handle.sync();
    return String((await handle.stat({ bigint: true })).ino);
  } catch (error) {
    await rm(path, { force: true });
    throw namedError(error, path);
  } finally {
    await handle.close();
  }
}

const partOf = (path: string): string => `${path}.part-${randomBytes(6).toString("hex")}`;

/** From `position`, or where the file is. */
export function writeFully(descriptor: number, bytes: Uint8Array, position: number | null = null): void {
  for (let done = 0; done < bytes.length; ) {
    const at = position === null ? null : position + done;
    done += writeSync(descriptor, bytes, done, bytes.length - done, at);
  }
}
