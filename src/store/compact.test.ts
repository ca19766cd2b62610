import { cpSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FormatError } from "../base/errors.ts";
import { checkStore } from "./check.ts";
import { compactStore, removeReplaced } from "./compact.ts";
import { onStorePoint, type StorePoint } from "./hooks.ts";
import { Store } from "./store.ts";
import { appendRun, contents, storeWith, temporaryFolder } from "./test-kit.ts";

const root = temporaryFolder();
let number = 0;
let folder: string;
beforeEach(() => {
  folder = join(root, `${++number}`);
});
afterEach(() => onStorePoint(undefined));

const entries = () => readdirSync(join(folder, "manifest")).filter((name) => name.endsWith(".json")).length;
const HOUR = 3600 * 1000;

/** The segment with one bit flipped that queries over it do not notice. */
async function readableFlip(store: Store, file: string, bytes: Buffer): Promise<Buffer> {
  for (let at = 4; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] as number) ^ 1;
    writeFileSync(join(store.path, file), flipped);
    const query = await store.query();
    const isRead = await query.rows("select sum(hash(a)) from accesses a").then(
      () => true,
      () => false,
    );
    query.close();
    if (isRead) return flipped;
  }
  throw new Error("every flip was noticed");
}

describe("compaction", () => {
  it("joins batches, drops copies of runs and repeated names of files, and removes old files after the grace time", async () => {
    const store = await storeWith(folder, [[1, 2], [2, 3], [4]]);
    const before = await contents(store);
    const report = await compactStore(store);
    expect(report).toMatchObject({ replaced: 3, duplicateRuns: 1, removedBatches: 0 });
    expect(store.batches().map(({ id }) => id)).toEqual([report.batch]);
    expect(await contents(store)).toEqual(before);
    expect(before).toEqual({ runs: [1, 2, 3, 4], accesses: 12, sources: 4 });
    const query = await store.query();
    expect(await query.rows("select count(*) as n from files")).toEqual([{ n: 3n }]);
    query.close();
    expect(entries()).toBe(4);

    expect(await compactStore(store, { nowMs: Date.now() + 2 * HOUR })).toMatchObject({
      batch: undefined,
      removedBatches: 3,
    });
    expect(entries()).toBe(1);
    expect(readdirSync(join(folder, "segments/runs")).length).toBe(1);
    expect(await contents(await Store.open(folder))).toEqual(before);
    const check = await checkStore(folder, { deep: true });
    expect(check).toMatchObject({ problems: [], rubbish: [], foreign: [], duplicateRuns: 0, replaced: 0 });
  });

  it("without grace removes what it replaced at once, whatever the clock of the file server says", async () => {
    const store = await storeWith(folder, [[1], [2]]);
    expect(await compactStore(store, { graceMs: 0 })).toMatchObject({ replaced: 2, removedBatches: 2 });
    await storeWith(folder, [[3]]);
    const ahead = new Date(Date.now() + HOUR);
    onStorePoint((at) => {
      if (at !== "manifest-renamed") return;
      for (const name of readdirSync(join(folder, "manifest")))
        utimesSync(join(folder, "manifest", name), ahead, ahead);
    });
    expect(await compactStore(store, { graceMs: 0 })).toMatchObject({ replaced: 2, removedBatches: 2 });
    expect(entries()).toBe(1);
    expect(readdirSync(join(folder, "segments/runs")).length).toBe(1);
    expect((await contents(await Store.open(folder))).runs).toEqual([1, 2, 3]);
  });

  it("refuses a segment whose content was changed, names it, and leaves everything as it was", async () => {
    const store = await storeWith(folder, [[1], [2], [3]]);
    const file = store.batches()[1]?.tables.accesses?.[0]?.file as string;
    const bytes = readFileSync(join(folder, file));
    // Somewhere in the values: DuckDB reads it without complaint.
    const flipped = await readableFlip(store, file, bytes);
    writeFileSync(join(folder, file), flipped);
    await expect(compactStore(store, { graceMs: 0 })).rejects.toThrow(
      new FormatError(
        join(folder, file),
        {},
        "checksum differs from the manifest: content changed; nothing was written; restore the file from a backup, or see plimsoll store repair",
      ),
    );
    expect(entries()).toBe(3);
    expect(readFileSync(join(folder, file)).equals(flipped)).toBe(true);
    writeFileSync(join(folder, file), bytes);
    expect(await compactStore(store, { graceMs: 0 })).toMatchObject({ replaced: 3, removedBatches: 3 });
    expect((await contents(store)).runs).toEqual([1, 2, 3]);
  });

  it("leaves large batches alone, unless they share a run", async () => {
    const store = await storeWith(folder, [[1], [2]]);
    expect(await compactStore(store, { targetBytes: 1 })).toMatchObject({ batch: undefined });
    await storeWith(folder, [[2, 3], [4]]);
    expect(await compactStore(store, { targetBytes: 1 })).toMatchObject({ replaced: 2, duplicateRuns: 1 });
    expect(store.batches().length).toBe(3);
    expect(await contents(store)).toEqual({ runs: [1, 2, 3, 4], accesses: 12, sources: 4 });
  });

  it("of an empty store or of one batch does nothing", async () => {
    const store = await Store.create(folder);
    expect((await compactStore(store)).batch).toBeUndefined();
    await storeWith(folder, [[1]]);
    expect((await compactStore(store)).batch).toBeUndefined();
  });

  it("beside another compaction or a writer neither loses nor doubles rows", async () => {
    const store = await storeWith(folder, [[1], [2], [1, 3]]);
    const others = await Promise.all([Store.open(folder), Store.open(folder), Store.open(folder)]);
    const writer = store.beginBatch();
    await appendRun(writer, 4);
    await Promise.all([...others.map((other) => compactStore(other)), writer.commit()]);
    expect(await contents(store)).toEqual({ runs: [1, 2, 3, 4], accesses: 12, sources: 4 });
    removeReplaced(folder, 0, Date.now() + 1000);
    store.refresh();
    expect(await contents(store)).toEqual({ runs: [1, 2, 3, 4], accesses: 12, sources: 4 });
    expect((await checkStore(folder, { deep: true })).problems).toEqual([]);
  });

  it("can stop at any moment, also while it removes", async () => {
    const points: StorePoint[] = [
      "segment-written",
      "segments-synced",
      "segment-renamed",
      "segments-renamed",
    ];
    points.push("manifest-written", "settled", "entry-removed", "segment-removed");
    const model = join(root, "model");
    await compactStore(await storeWith(model, [[1], [2], [3]]));
    await storeWith(model, [[3, 4], [5]]);
    const whole = { runs: [1, 2, 3, 4, 5], accesses: 15, sources: 5 };
    const options = { graceMs: 0, nowMs: Date.now() + HOUR };
    for (const point of points) {
      folder = join(root, point);
      cpSync(model, folder, { recursive: true });
      // The second time, since the first is often the simplest.
      let left = 2;
      onStorePoint((at) => {
        if (at === point && --left <= 0) throw new Error(`stopped at ${point}`);
      });
      await compactStore(await Store.open(folder), options).catch(() => {});
      onStorePoint(undefined);
      const store = await Store.open(folder);
      expect(await contents(store), point).toEqual(whole);
      await compactStore(store, options);
      await compactStore(store, options);
      expect(await contents(await Store.open(folder)), point).toEqual(whole);
      expect(entries()).toBe(1);
      const check = await checkStore(folder, { deep: true, remove: true, ...options });
      expect(check.problems).toEqual([]);
      expect(check.rubbish.every(({ removed }) => removed)).toBe(true);
      expect((await checkStore(folder)).rubbish).toEqual([]);
    }
  });
});
