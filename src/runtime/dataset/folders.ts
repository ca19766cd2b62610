/** Names in folders that must outlive the machine. */
import { open } from "node:fs/promises";

/** The names in the folder are durable; not every file system lets folders be synced. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    // The data itself is safe; only a name may be lost with the machine.
    if (
      !["EINVAL", "EACCES", "EPERM", "ENOTSUP", "EISDIR"].includes(
        (error as NodeJS.ErrnoException).code ?? "",
      )
    )
      throw error;
  }
}

/** Writes and syncs a whole file. */
export async function writeDurably(path: string, bytes: Uint8Array | string): Promise<void> {
  const handle = await open(path, "w");
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export const isCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? "");
