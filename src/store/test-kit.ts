/** Small stores for tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { storedAccesses, storedFiles, storedRuns, storedSources } from "../model/store-schema.ts";
import type { Batch } from "./batch.ts";
import { Store } from "./store.ts";

/** A folder that goes when the tests of this file are done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-store-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const idOf = (run: number): bigint => (BigInt(run) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;

/** Rows of one imaginary run with `accesses` files. */
export async function appendRun(batch: Batch, run: number, accesses = 3): Promise<void> {
  const id = idOf(run);
  await batch.append(storedRuns, 1, {
    synthetic: { all: 0 },
    run_id: [id],
    source: [`/logs/${run}.darshan`],
    job_id: [String(run)],
    user_id: [null],
    application: ["app"],
    application_id: [7n],
    ranks: BigInt64Array.of(4n),
    start_unix_ns: BigInt64Array.of(1_700_000_000_000_000_000n + BigInt(run)),
    run_seconds: Float64Array.of(Number.NaN),
    files: BigInt64Array.of(BigInt(accesses)),
  });
  const files = Array.from({ length: accesses }, (_, index) => idOf(1_000_000 + index));
  await batch.append(storedAccesses, accesses, {
    run_id: { all: id },
    file_id: BigUint64Array.from(files),
    application_id: { all: 7n },
    layer: { all: "POSIX" },
    shared: { all: 0 },
    partial: new Uint8Array(accesses),
    bytes_read: BigInt64Array.from(files, (_, index) => BigInt(run * 10 + index)),
    read_seconds: Float64Array.from(files, () => 0.5),
  });
  await batch.append(storedFiles, accesses, {
    file_id: files,
    path: files.map((_, index) => `/scratch/file ${index}`),
    mount: { all: "/scratch" },
  });
  await batch.append(storedSources, 1, {
    hash_high: [id],
    hash_low: [1n],
    path: [`/logs/${run}.darshan`],
    input_bytes: [100],
    status: ["stored"],
  });
}

/** A store with one batch for each list of runs. */
export async function storeWith(path: string, batches: readonly (readonly number[])[]): Promise<Store> {
  const store = await Store.openOrCreate(path);
  for (const runs of batches) {
    const batch = store.beginBatch({ writer: "test" });
    for (const run of runs) await appendRun(batch, run);
    await batch.commit();
  }
  return store;
}

/** All runs that queries see, as numbers, and the count of their accesses. */
export async function contents(store: Store): Promise<{ runs: number[]; accesses: number; sources: number }> {
  const query = await store.query();
  try {
    const runs = await query.rows("select job_id::int as run from runs order by run");
    const [counts] = await query.rows(
      "select (select count(*) from accesses) as accesses, (select count(*) from sources) as sources",
    );
    return {
      runs: runs.map(({ run }) => Number(run)),
      accesses: Number(counts?.accesses),
      sources: Number(counts?.sources),
    };
  } finally {
    query.close();
  }
}
