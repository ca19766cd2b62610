/** What a repair takes out of a store stays in a folder of its own, until somebody removes that. */
import { assert } from "../base/assert.ts";
import { constants, copyFileSync, existsSync, linkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncFile, syncFolder, writeWhole } from "../node/durable.ts";
import { makeFolder } from "../node/folders.ts";
import { ASIDE, SEGMENTS } from "./layout.ts";
import type { BatchLoss } from "./loss.ts";

/** From the folder of the store. */
export const asideFolder = (batch: string): string => `${ASIDE}/${batch}`;

/**
 * Keeps the manifest entry and the files of a batch beside the store's own, and what is lost as `lost.json`. It may have been
 * begun before.
 */
export function keepAside(store: string, loss: BatchLoss, files: readonly string[], entry: string): void {
  assert(loss.aside === asideFolder(loss.batch), "what is kept aside is found by its batch");
  assert(
    files.every((file) => file.startsWith(`${SEGMENTS}/`)),
    "only segments and their entry are kept aside",
  );
  const folder = join(store, loss.aside);
  makeFolder(folder);
  writeWhole(join(folder, "lost.json"), `${JSON.stringify(loss, undefined, 1)}\n`);
  const kept = new Set([folder, dirname(folder), store]);
  for (const file of [entry, ...files.map((name) => join(store, name))]) {
    if (!existsSync(file)) continue;
    const to = join(folder, file === entry ? basename(entry) : file.slice(store.length + 1));
    makeFolder(dirname(to));
    linkOrCopy(file, to);
    for (let at = dirname(to); at.length > folder.length; at = dirname(at)) kept.add(at);
  }
  for (const one of kept) syncFolder(one);
}

/** A second name for a file; a copy where the file system has no such names. */
export function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EMLINK" && code !== "ENOSYS") throw error;
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    syncFile(to);
  }
}
