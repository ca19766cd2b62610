import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FormatError } from "../base/errors.ts";
import { checkStore } from "./check.ts";
import { compactStore } from "./compact.ts";
import { onStorePoint, type StorePoint } from "./hooks.ts";
import { newBatchId } from "./layout.ts";
import { Store } from "./store.ts";
import { appendRun, contents, storeWith, temporaryFolder } from "./test-kit.ts";

const root = temporaryFolder();
let number = 0;
let folder: string;
beforeEach(() => {
  folder = join(root, `${++number}`);
});
afterEach(() => onStorePoint(undefined));

const DAY = 24 * 3600 * 1000;
const CLEAR = { remove: true, graceMs: 0, nowMs: Date.now() + 2 * DAY };
const segments = () => readdirSync(join(folder, "segments/runs")).length;
const mark = () => JSON.parse(readFileSync(join(folder, "store.json"), "utf8"));

/** Every way into a store. */
const WAYS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["open", () => Store.open(folder)],
  ["open or create", () => Store.openOrCreate(folder)],
  ["create", () => Store.create(folder)],
];

describe("a store whose manifest is gone", () => {
  it.each(["folder", "entries"])("is an error everywhere, and loses nothing (%s)", async (what) => {
    const store = await storeWith(folder, [[1], [2]]);
    const writing = store.beginBatch();
    await appendRun(writing, 3);
    const manifest = join(folder, "manifest");
    renameSync(manifest, join(root, `${number}.kept`));
    if (what === "entries") mkdirSync(manifest);
    const line =
      what === "folder"
        ? /the folder manifest is missing, though there are 8 segments; restore it from a backup, or ingest the logs into a new store/
        : /the manifest has no entry, though there are 8 segments; restore it/;
    for (const [name, way] of WAYS) {
      await expect(way(), name).rejects.toThrow(FormatError);
      await expect(way(), name).rejects.toThrow(line);
    }
    await expect(store.query()).rejects.toThrow(line);
    await expect(compactStore(store)).rejects.toThrow(line);
    const report = await checkStore(folder, CLEAR);
    expect(report.problems).toEqual([{ path: "manifest", what: expect.stringMatching(line) }]);
    expect(report.rubbish.filter(({ removed }) => removed)).toEqual([]);
    expect(segments()).toBe(2);
    // A writer that was at work does not make a new manifest with one entry in it.
    await expect(writing.commit()).rejects.toThrow(/though there are 8 segments; .*; nothing was committed/);
    rmSync(manifest, { recursive: true, force: true });
    renameSync(join(root, `${number}.kept`), manifest);
    expect((await contents(await Store.open(folder))).runs).toEqual([1, 2]);
  });

  it("is noticed in a store that was made before the mark told of batches", async () => {
    await storeWith(folder, [[1]]);
    writeFileSync(join(folder, "store.json"), '{"kind": "plimsoll store", "version": 2}');
    const [entry] = readdirSync(join(folder, "manifest"));
    renameSync(join(folder, "manifest", entry as string), join(root, "entry"));
    await expect(Store.open(folder)).rejects.toThrow(
      /the manifest has no entry, though there are 4 segments/,
    );
    renameSync(join(root, "entry"), join(folder, "manifest", entry as string));
    // The next write completes the mark.
    await storeWith(folder, [[2]]);
    expect(mark()).toMatchObject({ batches: true });
  });

  it("and whose segments are gone too is an error as well", async () => {
    await storeWith(folder, [[1]]);
    for (const name of ["manifest", "segments"]) rmSync(join(folder, name), { recursive: true });
    await expect(Store.open(folder)).rejects.toThrow(/the folder manifest is missing, though batches were/);
  });

  it("and whose mark is gone is not taken for an empty folder", async () => {
    await storeWith(folder, [[1]]);
    rmSync(join(folder, "store.json"));
    await expect(Store.open(folder)).rejects.toThrow(/store.json is missing, but there are segments/);
    // With its manifest it is whole; the next writer marks it again.
    expect((await contents(await Store.openOrCreate(folder))).runs).toEqual([1]);
    expect(mark()).toMatchObject({ batches: true });
    for (const name of ["store.json", "manifest"]) rmSync(join(folder, name), { recursive: true });
    await expect(Store.openOrCreate(folder)).rejects.toThrow(
      /segments but neither store.json nor a manifest/,
    );
    expect(segments()).toBe(1);
  });
});

describe("a store without batches", () => {
  it("is empty, also while its first batch is written and after that was killed", async () => {
    const store = await Store.create(folder);
    expect(mark()).toMatchObject({ batches: false });
    const points: StorePoint[] = ["segment-renamed", "segments-renamed", "manifest-written"];
    for (const point of points) {
      onStorePoint((at) => {
        if (at !== point) return;
        onStorePoint(undefined);
        // As a kill would leave it: what is in place stays.
        for (const name of readdirSync(join(folder, "segments")))
          for (const file of readdirSync(join(folder, "segments", name)))
            writeFileSync(join(folder, "segments", name, file.replace(/-\d+\.parquet$/, "-9.parquet")), "");
        throw new Error("stopped");
      });
      const batch = store.beginBatch();
      await appendRun(batch, 1);
      await expect(batch.commit()).rejects.toThrow("stopped");
      expect((await contents(await Store.open(folder))).runs).toEqual([]);
    }
    const report = await checkStore(folder, CLEAR);
    expect(report.problems).toEqual([]);
    // Nobody can tell whether these are all that is left of something.
    const left = report.rubbish.filter(({ removed }) => !removed);
    expect(left.length).toBeGreaterThan(0);
    expect(left[0]?.kept).toMatch(/^the table \w+ has no other segment$/);
    await storeWith(folder, [[2]]);
    expect(mark()).toMatchObject({ batches: true });
    expect((await checkStore(folder, CLEAR)).rubbish.every(({ removed }) => removed)).toBe(true);
    expect((await contents(await Store.open(folder))).runs).toEqual([2]);
  });

  it("that was killed between its first entry and the mark is whole, and marked by the next batch", async () => {
    const store = await Store.create(folder);
    onStorePoint((at) => {
      if (at === "manifest-renamed") throw new Error("stopped");
    });
    const batch = store.beginBatch();
    await appendRun(batch, 1);
    await expect(batch.commit()).rejects.toThrow("stopped");
    onStorePoint(undefined);
    expect(mark()).toMatchObject({ batches: false });
    expect(await contents(await storeWith(folder, [[2]]))).toMatchObject({ runs: [1, 2] });
    expect(mark()).toMatchObject({ batches: true });
  });
});

describe("leftovers", () => {
  it("are only named unless asked; a damaged store keeps them all", async () => {
    const store = await storeWith(folder, [[1]]);
    const orphan = join(folder, "segments/runs", `${newBatchId()}-0.parquet`);
    writeFileSync(orphan, "12345");
    expect((await checkStore(folder, { graceMs: 0, nowMs: CLEAR.nowMs })).rubbish).toMatchObject([
      { removed: false },
    ]);
    rmSync(join(folder, store.batches()[0]?.tables.files?.[0]?.file as string));
    expect((await checkStore(folder, CLEAR)).rubbish).toMatchObject([
      { removed: false, kept: "the store is damaged" },
    ]);
    expect(segments()).toBe(2);
  });
});
