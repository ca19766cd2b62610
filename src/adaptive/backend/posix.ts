/** Files of the system. On Lustre each target can be one OST: the stripe is set before the file is written. */
import { execFile, spawnSync } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import { promisify } from "node:util";
import { UsageError } from "../../base/errors.ts";
import type { Backend, TargetFile } from "./backend.ts";

export function posix(osts: readonly number[] = []): Backend {
  return {
    name: "posix",
    keeps: true,
    async create(path, target) {
      const ost = osts[target];
      if (ost === undefined) return fileOf(await open(path, "wx+"), path);
      await setStripe(path, ost);
      return fileOf(await open(path, "r+"), path);
    },
    open: async (path) => fileOf(await open(path, "r+"), path),
    identityOf,
  };
}

/** Opens the file: network file systems may answer a stat from the attribute cache. */
async function identityOf(path: string): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return await inodeOf(handle);
  } finally {
    await handle.close();
  }
}

/** Without the device number: nodes that share a file system may number it differently. */
const inodeOf = async (handle: FileHandle): Promise<string> =>
  String((await handle.stat({ bigint: true })).ino);

const NO_LFS = "--lustre needs the program lfs, which was not found";

/** Fails once, and not for each target, when files cannot be placed on OSTs. */
export function requireLfs(): void {
  const { error } = spawnSync("lfs", ["--version"], { stdio: "ignore" });
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") throw new UsageError(NO_LFS);
}

/** Creates the file on one OST. */
async function setStripe(path: string, ost: number): Promise<void> {
  try {
    await promisify(execFile)("lfs", ["setstripe", "-c", "1", "-i", String(ost), path]);
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === "ENOENT") throw new UsageError(NO_LFS);
    throw new Error(`lfs setstripe -c 1 -i ${ost} ${path}: ${stderr?.trim() || (error as Error).message}`);
  }
}

function fileOf(handle: FileHandle, path: string): TargetFile {
  // Errors of calls on a descriptor lack the path; messages need it.
  const named = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      throw Object.assign(error as Error, { path });
    }
  };
  return {
    async write(bytes, at) {
      for (let done = 0; done < bytes.length; ) {
        const rest = handle.write(bytes, done, bytes.length - done, at + done);
        done += (await named(rest)).bytesWritten;
      }
    },
    async read(into, at) {
      let done = 0;
      while (done < into.length) {
        const { bytesRead } = await named(handle.read(into, done, into.length - done, at + done));
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done;
    },
    flush: () => named(handle.datasync()),
    sync: () => named(handle.sync()),
    size: async () => (await named(handle.stat())).size,
    identity: () => named(inodeOf(handle)),
    truncate: (size) => named(handle.truncate(size)),
    close: () => handle.close(),
  };
}
