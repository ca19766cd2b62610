import { mkdirSync, readdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { storedRuns } from "../model/store-schema.ts";
import { checkStore } from "./check.ts";
import { newBatchId } from "./layout.ts";
import { Store } from "./store.ts";
import { appendRun, storeWith, temporaryFolder } from "./test-kit.ts";

const root = temporaryFolder();
let number = 0;
let folder: string;
beforeEach(() => {
  folder = join(root, `${++number}`);
});
const DAY = 24 * 3600 * 1000;

describe("a check", () => {
  it("finds nothing in a good store and counts what is there", async () => {
    await storeWith(folder, [[1, 2], [2]]);
    expect(await checkStore(folder, { deep: true })).toMatchObject({
      batches: 2,
      replaced: 0,
      tables: { runs: { segments: 2, rows: 3 }, accesses: { segments: 2, rows: 9 } },
      problems: [],
      duplicateRuns: 1,
      rubbish: [],
      foreign: [],
    });
  });

  it("names every damaged part", async () => {
    const store = await storeWith(folder, [[1], [2], [3], [4], [5]]);
    const [cut, gone, flipped, entry] = store.batches();
    const file = (batch: typeof cut) => batch?.tables.accesses?.[0]?.file as string;
    truncateSync(join(folder, file(cut)), 50);
    unlinkSync(join(folder, file(gone)));
    const bytes = readFileSync(join(folder, file(flipped)));
    bytes[20] = (bytes[20] as number) ^ 1;
    writeFileSync(join(folder, file(flipped)), bytes);
    writeFileSync(join(folder, "manifest", `${entry?.id}.json`), "{");
    const report = await checkStore(folder, { deep: true });
    expect(report.problems).toEqual([
      {
        path: `manifest/${entry?.id}.json`,
        what: "damaged manifest entry: not a complete JSON document (1 characters)",
      },
      { path: file(cut), what: expect.stringMatching(/^50 bytes, the manifest says \d+$/) },
      { path: file(gone), what: "segment is missing" },
      { path: file(flipped), what: "checksum differs from the manifest: content changed" },
    ]);
    // Threads find the same, in the same order.
    const told: number[] = [];
    let share = 0;
    const byThreads = await checkStore(
      folder,
      { deep: true, threads: 2, taskBytes: 5000 },
      {
        progress: ({ total = 0 }) => ({
          add: (bytes) => void told.push((share += bytes / total)),
          ...{ update() {}, end() {} },
        }),
      },
    );
    expect(byThreads.problems).toEqual(report.problems);
    expect(told.at(-1)).toBeCloseTo(1, 9);
    // The segments of a batch whose entry cannot be read are no rubbish.
    expect(report.rubbish).toEqual([]);
    expect((await checkStore(folder)).problems.length).toBe(3);
  });

  it("compares rows, and finds a run twice in one batch", async () => {
    const store = await storeWith(folder, [[1], [2, 2]]);
    const [first, second] = store.batches();
    expect((await checkStore(folder)).problems).toEqual([
      { path: `manifest/${second?.id}.json`, what: "it has 1 runs more than once" },
    ]);
    const path = join(folder, "manifest", `${first?.id}.json`);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace('"rows": 3', '"rows": 4'));
    expect((await checkStore(folder)).problems).toEqual([
      { path: first?.tables.accesses?.[0]?.file, what: "3 rows, the manifest says 4" },
    ]);
  });

  it("removes what stopped writers left when it is old enough, and never what is foreign", async () => {
    const store = await storeWith(folder, [[1]]);
    const orphan = `segments/runs/${newBatchId()}-0.parquet`;
    const part = `manifest/${newBatchId()}.json.part-0123456789ab`;
    const work = `tmp/${newBatchId()}`;
    mkdirSync(join(folder, work));
    for (const path of [
      orphan,
      part,
      `${work}/runs-0.parquet`,
      "notes.txt",
      "segments/runs/mine.csv",
      "manifest/x",
    ])
      writeFileSync(join(folder, path), "12345");
    const young = await checkStore(folder);
    expect(young.problems).toEqual([]);
    expect(young.rubbish.map(({ path, removed }) => [path, removed])).toEqual([
      [part, false],
      [orphan, false],
      [work, false],
    ]);
    expect(young.foreign).toEqual(["notes.txt", "manifest/x", "segments/runs/mine.csv"]);
    expect((await checkStore(folder, { nowMs: Date.now() + 2 * DAY })).rubbish[0]?.removed).toBe(false);
    const old = await checkStore(folder, { nowMs: Date.now() + 2 * DAY, remove: true });
    expect(old.rubbish.map(({ bytes, removed }) => [bytes, removed])).toEqual([
      [5, true],
      [5, true],
      [5, true],
    ]);
    expect((await checkStore(folder)).rubbish).toEqual([]);
    expect(readdirSync(folder)).toContain("notes.txt");
    await store.close();
  });

  it("leaves a writer at work alone; a commit that lost its segments fails and harms nothing", async () => {
    const store = await storeWith(folder, [[1]]);
    const batch = store.beginBatch();
    for (let run = 10; run < 2200; run++)
      await batch.append(storedRuns, 1, {
        synthetic: { all: 0 },
        run_id: { all: BigInt(run) },
        application_id: { all: 1n },
      });
    expect((await checkStore(folder)).rubbish.map(({ removed }) => removed)).toEqual([false]);
    await checkStore(folder, { nowMs: Date.now() + 2 * DAY, remove: true });
    await expect(batch.commit()).rejects.toThrow();
    expect((await checkStore(folder)).problems).toEqual([]);
    const again = store.beginBatch();
    await appendRun(again, 2);
    await again.commit();
    expect((await Store.open(folder)).batches().length).toBe(2);
  });
});
