/** Names and bytes that survive a crash of the machine. */
import { closeSync, fsyncSync, openSync } from "node:fs";
import { inFile } from "../base/errors.ts";

/** What a file system answers that cannot sync folders at all, or lets nobody open this one. */
const CANNOT_SYNC = new Set(["EINVAL", "ENOTSUP", "ENOSYS", "EISDIR", "EACCES", "EPERM"]);

/**
 * Makes the names in a folder durable. Where the file system cannot do that, only a name may be lost with the machine; any
 * other failure (a bad disk, a full one) is thrown, since the caller is about to rely on those names.
 */
export function syncFolder(folder: string): void {
  try {
    syncPath(folder, "r");
  } catch (error) {
    if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Makes the bytes of a file durable. */
export function syncFile(path: string): void {
  syncPath(path, "r+");
}

function syncPath(path: string, flags: "r" | "r+"): void {
  const descriptor = openSync(path, flags);
  try {
    inFile(path, () => fsyncSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}
