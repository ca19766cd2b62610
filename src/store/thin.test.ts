import { join } from "node:path";
import { expect, it } from "vitest";
import { storedExports, storedServers, storedTargetStates } from "../model/index.ts";
import { compactStore } from "./compact.ts";
import { pruneStore } from "./prune.ts";
import { Store } from "./store.ts";
import { temporaryFolder } from "./test-kit.ts";

const folder = temporaryFolder();
const DAY = 1440;
const FIRST = 20_000;
const DAYS = 5;
const minuteNs = (minute: number) => BigInt(minute) * 60_000_000_000n;

/** A target that fills up, a server that is ill for a minute each day, and a client; a batch for each day. */
async function filled(name: string): Promise<Store> {
  const store = await Store.create(join(folder, name));
  for (let day = 0; day < DAYS; day++) {
    const batch = store.beginBatch({ writer: "test" });
    const begin = (FIRST + day) * DAY;
    const every = (step: number) => Array.from({ length: DAY / step }, (_, i) => begin + step * i + step - 1);
    const times = (minutes: readonly number[], step: number) => ({
      from_unix_ns: minutes.map((minute) => minuteNs(minute + 1 - step)),
      to_unix_ns: minutes.map((minute) => minuteNs(minute + 1)),
      synthetic: { all: 0 },
    });
    const fives = every(5);
    await batch.append(storedTargetStates, fives.length, {
      ...{ file_system: { all: "fs" }, target: { all: "OST0000" }, server: { all: "oss0" } },
      ...{ minute_unix: fives.map(BigInt), ...times(fives, 5), bytes_total: { all: 10_000_000n } },
      bytes_free: fives.map((minute) => BigInt(10_000_000 - (minute - FIRST * DAY))),
      ...{ evictions: { all: 1n }, recovery: { all: "COMPLETE" } },
    });
    const ones = every(1);
    await batch.append(storedServers, ones.length, {
      ...{ server: { all: "oss0" }, minute_unix: ones.map(BigInt), ...times(ones, 1), seconds: { all: 60 } },
      health: ones.map((minute) => (minute % DAY === 777 ? "LBUG" : "healthy")),
      ...{ lnet_errors: { all: 2n }, requests: { all: 10n }, request_wait_usecs: { all: 500n } },
    });
    const hours = every(60);
    await batch.append(storedExports, hours.length, {
      ...{ file_system: { all: "fs" }, target: { all: "OST0000" }, server: { all: "oss0" } },
      ...{
        client: { all: "10.0.0.7@o2ib" },
        hour_unix: hours.map((minute) => BigInt(Math.floor(minute / 60))),
      },
      ...{ ...times(hours, 60), seconds: { all: 3600 }, bytes_written: { all: 7n }, writes: { all: 1n } },
    });
    await batch.commit();
  }
  return store;
}

async function ask(store: Store, sql: string) {
  const db = await store.query();
  try {
    return await db.rows(sql);
  } finally {
    db.close();
  }
}

const SUMS = `select (select sum(evictions) from target_states) as evictions,
  (select sum(lnet_errors) from servers) as errors, (select sum(seconds) from servers) as seconds,
  (select sum(bytes_written) from exports) as written, (select sum(to_unix_ns - from_unix_ns) from servers) as ns,
  (select arg_max(bytes_free, to_unix_ns) from target_states where minute_unix < ${(FIRST + 1) * DAY}) as free`;
const COUNTS = `select (select count(*) from target_states) as states, (select count(*) from servers) as servers,
  (select count(*) from exports) as exports, (select count(*) from servers where health = 'LBUG') as ill`;
const nowMs = (FIRST + DAYS) * DAY * 60_000;
const keepMs = { minutes: 1 * DAY * 60_000, hours: 3 * DAY * 60_000 };

it("states become one of an hour and then one of a day: sums and the last of each day stay", async () => {
  const store = await filled("plain");
  const before = await ask(store, SUMS);
  const report = await pruneStore(store, { keepMs, graceMs: 0, nowMs });
  expect(report).toMatchObject({
    batches: 4,
    removed: {
      target_states: 2 * (288 - 1) + 2 * (288 - 24),
      servers: 2 * 1439 + 2 * (1440 - 24),
      exports: 46,
    },
  });
  expect(await ask(store, SUMS)).toEqual(before);
  expect(await ask(store, COUNTS)).toEqual([
    { states: 2n + 48n + 288n, servers: 2n + 48n + 1440n, exports: 2n + 72n, ill: 5n },
  ]);
  // Nothing is left to do, and a compaction changes nothing.
  expect(await pruneStore(store, { keepMs, graceMs: 0, nowMs })).toMatchObject({ batches: 0, removed: {} });
  await compactStore(store, { graceMs: 0 });
  expect(await ask(store, SUMS)).toEqual(before);
  // A day later one more day is thinner, and one that had hours has a single row.
  await pruneStore(store, { keepMs, graceMs: 0, nowMs: nowMs + DAY * 60_000 });
  expect(await ask(store, SUMS)).toEqual(before);
  expect(await ask(store, COUNTS)).toEqual([
    { states: 3n + 48n, servers: 3n + 48n, exports: 3n + 48n, ill: 5n },
  ]);
  await store.close();
});

it("go with their days, and stay where only other levels are pruned", async () => {
  const store = await filled("days");
  await pruneStore(store, { keepMs: { days: 2 * DAY * 60_000 }, graceMs: 0, nowMs });
  expect(await ask(store, COUNTS)).toEqual([{ states: 576n, servers: 2880n, exports: 48n, ill: 2n }]);
  await pruneStore(store, { keepMs: { minutes: 2 * DAY * 60_000 }, graceMs: 0, nowMs });
  expect(await ask(store, COUNTS)).toEqual([{ states: 576n, servers: 2880n, exports: 48n, ill: 2n }]);
  await store.close();
});
