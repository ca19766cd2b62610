/** Files that must survive a crash, and errors that look like the system's own. */
import { createHash, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { namedError } from "../base/errors.ts";
import { syncFolder } from "../node/durable.ts";

/** Writes a small file under a name of its own, syncs it, and gives it its name. */
export function writeWhole(path: string, text: string, beforeRename?: () => void): void {
  const temporary = `${path}.part-${randomBytes(6).toString("hex")}`;
  const bytes = Buffer.from(text);
  try {
    const descriptor = openSync(temporary, "wx", 0o666);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    beforeRename?.();
    renameSync(temporary, path);
  } catch (error) {
    removeFile(temporary);
    throw namedError(error, path);
  }
  syncFolder(dirname(path));
}

/** Makes a folder and those above it. Node's own way calls a read-only file system "no such file". */
export function ensureFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    ensureFolder(dirname(path));
    ensureFolder(path);
  }
}

export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } catch (error) {
    throw namedError(error, path);
  } finally {
    await file.close();
  }
}

/** SHA-256 of a file, in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(1 << 20);
  const file = await open(path, "r");
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** Removes a file if it can; true when it is gone. */
export function removeFile(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** Size of a file, or undefined when there is none. */
export function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** Whether a file is there, or nobody can tell. */
export function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** An error as Node's own calls throw it, for what another library ran into. */
export function systemError(code: string, syscall: string, path: string, cause?: unknown): Error {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`, { cause }), { code, syscall, path });
}
