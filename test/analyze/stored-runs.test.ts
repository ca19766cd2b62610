/** The first rows of runs, files and programs from SQL, against all rows put in order here. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  firstRowsOfStore,
  hasOrder,
  RANKED,
  RANKED_ORDERS,
  type RankedRow,
  ranked,
  rowsOfStore,
  runsLike,
} from "../../src/analyze/load/index.ts";
import { Random } from "../../src/base/prng.ts";
import { storedAccesses, storedFiles, storedRuns } from "../../src/model/index.ts";
import { Store, type StoreSession } from "../../src/store/index.ts";

const RUNS = 60;
const FILES = 40;
let folder: string;
let db: StoreSession;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-stored-runs-"));
  const store = await Store.create(join(folder, "store"), { memoryBytes: 128 << 20, threads: 1 });
  const random = new Random(7);
  const runs = Array.from({ length: RUNS }, (_, nth) => ({
    id: BigInt(nth + 1),
    user: BigInt(1000 + (nth % 4)),
    program: `program${nth % 5}`,
    ranks: nth % 3 === 0 ? 1n : 8n,
  }));
  const batch = store.beginBatch({ writer: "test" });
  await batch.append(storedRuns, RUNS, {
    run_id: runs.map(({ id }) => id),
    source: runs.map(({ id }) => `/logs/${String(id).padStart(3, "0")}.darshan`),
    user_id: runs.map(({ user }) => user),
    application: runs.map(({ program }) => program),
    application_id: runs.map(({ id }) => id % 5n),
    synthetic: { all: 1 },
    ranks: runs.map(({ ranks }) => ranks),
    run_seconds: runs.map(() => Math.round(600 * random.unit())),
    files: runs.map(({ id }) => id % 7n),
  });
  // Some runs have no access; equal amounts come again and again, so that ties matter.
  const accesses = runs
    .filter(({ id }) => id % 11n !== 0n)
    .flatMap((run) =>
      Array.from({ length: 1 + Number(run.id % 4n) }, () => ({
        run,
        file: BigInt(100 + Math.floor(FILES * random.unit())),
      })),
    );
  await batch.append(storedAccesses, accesses.length, {
    run_id: accesses.map(({ run }) => run.id),
    file_id: accesses.map(({ file }) => file),
    user_id: accesses.map(({ run }) => run.user),
    application_id: accesses.map(({ run }) => run.id % 5n),
    bytes_read: accesses.map(() => BigInt(Math.floor(4 * random.unit())) * 1000n),
    bytes_written: accesses.map(() => BigInt(Math.floor(4 * random.unit())) * 500n),
    opens: accesses.map(() => BigInt(Math.floor(3 * random.unit()))),
    reads: accesses.map(() => BigInt(Math.floor(9 * random.unit()))),
    writes: accesses.map(() => BigInt(Math.floor(9 * random.unit()))),
    read_seconds: accesses.map(() => Math.floor(8 * random.unit()) / 4),
    meta_seconds: accesses.map(() => Math.floor(8 * random.unit()) / 8),
    ...{ partial: { all: 0 }, ranks: { all: 1n } },
    shared: accesses.map(() => (random.unit() < 0.5 ? 1 : 0)),
    slowest_seconds: accesses.map(() => (random.unit() < 0.7 ? Math.floor(8 * random.unit()) / 4 : null)),
  });
  await batch.append(storedFiles, FILES - 3, {
    file_id: Array.from({ length: FILES - 3 }, (_, nth) => BigInt(100 + nth)),
    path: Array.from({ length: FILES - 3 }, (_, nth) => `/scratch/Case${nth % 6}/file${nth}`),
  });
  await batch.commit();
  db = await store.query();
  await store.close();
});
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const plain = (rows: readonly RankedRow[]) => rows.map((row) => ({ ...row }));

describe.each(RANKED)("the first %s", (what) => {
  it.each(RANKED_ORDERS.filter((order) => hasOrder(what, order)))("by %s", async (order) => {
    const every = await rowsOfStore(db, what);
    const { rows, found, all } = await firstRowsOfStore(db, what, { order, limit: 13, userIds: undefined });
    expect([found, all]).toEqual([every.length, every.length]);
    expect(plain(rows)).toEqual(plain(ranked(every, order, 13)));
  });
});

it("searches in all texts of a row, without regard to case, and counts what it finds", async () => {
  const every = await rowsOfStore(db, "files");
  const wanted = every.filter(({ path }) => String(path).toLowerCase().includes("case3"));
  expect(wanted.length).toBeGreaterThan(3);
  const request = { order: "bytes", limit: 3, userIds: undefined, search: "case3" } as const;
  const { rows, found, all } = await firstRowsOfStore(db, "files", request);
  expect([found, all]).toEqual([wanted.length, every.length]);
  expect(plain(rows)).toEqual(plain(ranked(wanted, "bytes", 3)));
  const quote = await firstRowsOfStore(db, "files", { ...request, search: "it's" });
  expect(quote).toMatchObject({ rows: [], found: 0, all: every.length });
});

it("shows users what is theirs, in sums too", async () => {
  const request = { order: "bytes", limit: 100, userIds: ["1001"] } as const;
  const runs = await firstRowsOfStore(db, "runs", request);
  expect(new Set(runs.rows.map(({ userId }) => userId))).toEqual(new Set(["1001"]));
  expect([runs.found, runs.all]).toEqual([RUNS / 4, RUNS / 4]);
  const files = await firstRowsOfStore(db, "files", request);
  const bytes = (rows: readonly RankedRow[]) =>
    rows.reduce((sum, row) => sum + Number(row.bytesRead ?? 0) + Number(row.bytesWritten ?? 0), 0);
  expect(bytes(files.rows)).toBe(bytes(runs.rows));
  expect(await firstRowsOfStore(db, "files", { ...request, userIds: [] })).toMatchObject({
    found: 0,
    all: 0,
  });
});

it("finds runs of the same program, and nothing for whom the run is not", async () => {
  const kin = await runsLike(db, "3", undefined);
  expect(kin.map(({ application }) => application)).toEqual(new Array(RUNS / 5).fill("program2"));
  expect(kin.map(({ runId }) => runId)).toContain("3");
  expect((await runsLike(db, "3", ["1002"])).every(({ userId }) => userId === "1002")).toBe(true);
  expect(await runsLike(db, "3", ["1001"])).toEqual([]);
  expect(await runsLike(db, "3 or true", undefined)).toEqual([]);
});
