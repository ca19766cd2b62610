/**
 * Writes numbered batches into a store, or compacts it, until it is done or killed.
 *
 *     write STORE FIRST STEP COUNT [POINT]     batches FIRST, FIRST + STEP, … below COUNT
 *     compact STORE                            again and again
 *     prune STORE MINUTES HOURS NOW POINT COUNT   compacts and prunes, all in days, until POINT comes for the COUNTth time
 *
 * With POINT it says so and stops for ever when the second batch of this process comes to that point of its commit.
 */
import { writeSync } from "node:fs";
import { storedAccesses, storedRuns, storedSources } from "../../src/model/store-schema.ts";
import { onStorePoint } from "../../src/store/hooks.ts";
import { type Batch, compactStore, pruneStore, Store } from "../../src/store/index.ts";

const [mode, path = "", ...words] = process.argv.slice(2);
const [first = 0, step = 1, count = 0] = words.slice(0, 3).map(Number);
const point = words[3];
const say = (text: string) => writeSync(1, `${text}\n`);

const store = await Store.openOrCreate(path);
if (mode === "write") await write();
else if (mode === "prune") {
  const [minutes = 0, hours = 0, now = 0] = words.map((word) => Number(word) * 86_400_000);
  stopAt(words[3] ?? "", Number(words[4]));
  await compactStore(store, { graceMs: 0, nowMs: now });
  await pruneStore(store, { keepMs: { minutes, hours }, graceMs: 0, nowMs: now });
} else {
  say("ready");
  for (;;) await compactStore(store, { graceMs: 300 });
}
await store.close();
say("done");

async function write(): Promise<void> {
  const query = await store.query();
  const [last] = await query.rows(
    `select max(batch) as batch from (select job_id::int as batch from runs) where batch % ${step} = ${first}`,
  );
  query.close();
  say("ready");
  const begin = last?.batch === null ? first : Number(last?.batch) + step;
  for (let number = begin; number < count; number += step) {
    if (number > begin && point !== undefined) stopAt(point);
    const batch = store.beginBatch();
    await fill(batch, number);
    await batch.commit();
    say(`committed ${number}`);
  }
}

/** Three runs of its own, and one that the neighbouring batch has too. */
async function fill(batch: Batch, number: number): Promise<void> {
  const ids = [0, 1, 2].map((index) => BigInt(number * 10 + index));
  const shared = 1_000_000_000n + BigInt(number >> 1);
  const runs = step === 1 ? ids : [...ids, shared];
  const names = runs.map((id) => (id === shared ? -step : number));
  await batch.append(storedRuns, runs.length, {
    synthetic: { all: 0 },
    run_id: runs,
    job_id: names,
    application_id: { all: 1n },
    command_line: { all: "x".repeat(100) },
  });
  for (const id of runs) {
    await batch.append(storedAccesses, 50, {
      run_id: { all: id },
      file_id: BigUint64Array.from({ length: 50 }, (_, index) => BigInt(index)),
      application_id: { all: 1n },
      shared: { all: 0 },
      partial: { all: 0 },
      bytes_read: { all: id },
    });
  }
  await batch.append(storedSources, runs.length, {
    hash_high: runs,
    hash_low: { all: 0n },
    path: names,
    status: { all: "stored" },
  });
}

function stopAt(name: string, times = 1): void {
  let left = times;
  onStorePoint((at) => {
    if (at !== name || --left > 0) return;
    say(`at ${name}`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
}
