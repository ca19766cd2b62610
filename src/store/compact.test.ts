import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
      const check = await checkStore(folder, { deep: true, ...options });
      expect(check.problems).toEqual([]);
      expect(check.rubbish.every(({ removed }) => removed)).toBe(true);
      expect((await checkStore(folder)).rubbish).toEqual([]);
    }
  });
});
