/** All rows of some stores become one batch of another on the same file system, by renaming their files. */
import { assert } from "../base/assert.ts";
import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder, writeWhole } from "../node/durable.ts";
import { makeFolder } from "../node/folders.ts";
import { entryPath, MANIFEST, segmentName } from "./layout.ts";
import { type BatchInfo, entryText, plainBatch, type Segment } from "./manifest.ts";
import { Store } from "./store.ts";
import { writeMark } from "./mark.ts";

/**
 * Moves the rows of all stores in `from`, which share no run, into `to`, which is made where it is missing. They are one batch
 * there, so that nobody has to look for runs that are stored twice; it counts from the moment its entry is there, with all its
 * segments. Killed at any step, it can be done again: what has moved stays where it is, and the sources keep their entries.
 */
export async function adoptBatches(to: string, from: readonly string[]): Promise<void> {
  await (await Store.openOrCreate(to)).close();
  const sources: { readonly store: string; readonly batch: BatchInfo }[] = [];
  for (const path of from) {
    const source = await Store.open(path);
    sources.push(...source.batches().map((batch) => ({ store: path, batch })));
    await source.close();
  }
  const newest = sources
    .map(({ batch }) => batch)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .at(-1);
  if (newest === undefined || existsSync(entryPath(to, newest.id))) return;
  assert(
    sources.every(({ batch }) => batch.version === newest.version && batch.pruned === undefined),
    "rows of one batch are of one version, and whole",
  );
  const tables: Record<string, Segment[]> = {};
  const folders = new Set<string>();
  for (const { store, batch } of sources) {
    for (const [table, segments] of Object.entries(batch.tables)) {
      for (const segment of segments) {
        const list = (tables[table] ??= []);
        const file = segmentName(table, newest.id, list.length);
        list.push({ ...segment, file });
        const path = join(to, file);
        makeFolder(dirname(path));
        folders.add(dirname(path));
        if (!existsSync(path)) renameSync(join(store, segment.file), path);
      }
    }
  }
  for (const folder of folders) syncFolder(folder);
  writeWhole(entryPath(to, newest.id), entryText({ ...plainBatch(newest), replaces: [], tables }));
  writeMark(to, true);
  syncFolder(join(to, MANIFEST));
}
