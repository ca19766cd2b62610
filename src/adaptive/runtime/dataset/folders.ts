/** Folders and names of a dataset. */
import { mkdirSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "../../../base/errors.ts";

/** Inode of the named file; undefined if it does not exist. */
export async function inodeAt(path: string): Promise<string | undefined> {
  try {
    return String((await stat(path, { bigint: true })).ino);
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

export const isCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? "");

/** Makes missing folders one by one. Node's recursive mkdir never ends in /proc. */
export function makeFolders(...paths: string[]): void {
  for (const path of paths) {
    try {
      mkdirSync(path);
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
  }
}

/** Requires the folder of a dataset: a missing one is more likely misspelt. */
export function requireFolderOf(path: string): void {
  const folder = dirname(path);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`${path}: there is no folder ${folder}; make it first`);
  if (!found.isDirectory()) throw new UsageError(`${path}: ${folder} is not a folder`);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} is a folder; a dataset is a file, and a folder beside it`);
}
