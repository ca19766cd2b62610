/** Batches of one store become batches of another on the same file system, by renaming their files. */
import { assert } from "../base/assert.ts";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder, writeWhole } from "../node/durable.ts";
import { makeFolder } from "../node/folders.ts";
import { entryPath, MANIFEST } from "./layout.ts";
import { Store } from "./store.ts";
import { writeMark } from "./mark.ts";

/**
 * Moves all batches of the store `from` into `to`, which is made where it is missing. A batch counts in `to` from the moment
 * its entry is there, with all its segments. Killed at any step, it can be done again: what has moved stays where it is.
 */
export async function adoptBatches(to: string, from: string): Promise<void> {
  await (await Store.openOrCreate(to)).close();
  const source = await Store.open(from);
  const batches = source.batches();
  await source.close();
  for (const { id, tables, replaces } of batches) {
    assert(replaces.length === 0, "what it replaced would stay behind");
    const folders = new Set<string>();
    for (const { file } of Object.values(tables).flat()) {
      const path = join(to, file);
      makeFolder(dirname(path));
      folders.add(dirname(path));
      if (!existsSync(path)) renameSync(join(from, file), path);
    }
    for (const folder of folders) syncFolder(folder);
    assert(
      Object.values(tables)
        .flat()
        .every(({ file }) => existsSync(join(to, file))),
      "an entry comes after its segments",
    );
    // A copy: as long as the source has its entry, whoever begins again finds what is left to do.
    writeWhole(entryPath(to, id), readFileSync(entryPath(from, id)));
    writeMark(to, true);
    syncFolder(join(to, MANIFEST));
  }
}
