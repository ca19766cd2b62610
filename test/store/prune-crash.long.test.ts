// A compaction and a prune that are killed at every step lose nothing, and the next ones finish their work.

import { describe, expect, it } from "vitest";
import { storedMinutes, storedReadings, storedServers, storedTargets } from "../../src/model/index.ts";
import type { StorePoint } from "../../src/store/hooks.ts";
import { checkStore, compactStore, pruneStore, Store } from "../../src/store/index.ts";
import { Child, useStores } from "./crash-kit.ts";

const storeAt = useStores();
const DAY = 1440;
const FIRST = 17_000;
const DAYS = 6;
const NOW = FIRST + DAYS;
const KEEP = { minutes: 2, hours: 4 };
const POINTS: readonly StorePoint[] = [
  "segment-written",
  "segments-synced",
  "segment-renamed",
  "segments-renamed",
  "manifest-written",
  "manifest-renamed",
  "settled",
  "entry-removed",
  "segment-removed",
];

/** Every tenth minute of a day has a row of one byte for each of two jobs and their target. */
async function fill(path: string): Promise<void> {
  const store = await Store.create(path);
  for (let day = 0; day < DAYS; day++) {
    const batch = store.beginBatch({ writer: "test" });
    const minutes = Array.from({ length: DAY / 10 }, (_, i) => BigInt((FIRST + day) * DAY + 10 * i));
    const rows = {
      ...{ file_system: { all: "fs" }, target: { all: "OST0000" }, seconds: { all: 60 } },
      minute_unix: BigInt64Array.from(minutes),
      bytes_written: { all: 1n },
      writes: { all: 1n },
    };
    for (const job of ["1", "2"])
      await batch.append(storedMinutes, minutes.length, {
        ...rows,
        job_key: { all: BigInt(job) },
        job_id: { all: job },
      });
    await batch.append(storedTargets, minutes.length, rows);
    await batch.append(storedServers, minutes.length, {
      ...{ server: { all: "oss0" }, synthetic: { all: 0 }, seconds: { all: 60 }, lnet_errors: { all: 1n } },
      minute_unix: BigInt64Array.from(minutes),
      from_unix_ns: minutes.map((minute) => (minute - 10n) * 60_000_000_000n),
      to_unix_ns: minutes.map((minute) => minute * 60_000_000_000n),
    });
    await batch.append(storedReadings, 1, {
      ...{ synthetic: { all: 0 }, file_system: { all: "fs" }, target: { all: "OST0000" } },
      kind: { all: "job_stats" },
      from_unix_ns: { all: BigInt((FIRST + day) * DAY) * 60_000_000_000n },
      to_unix_ns: { all: BigInt((FIRST + day + 1) * DAY) * 60_000_000_000n },
      readings: { all: minutes.length },
    });
    await batch.commit();
  }
  await store.close();
}

/** Bytes by day of each level. */
async function held(path: string) {
  const store = await Store.open(path);
  const db = await store.query();
  const of = async (table: string, column = "bytes_written") => {
    const rows = await db.rows(
      `select minute_unix // ${DAY} - ${FIRST} as day, sum(${column})::int as bytes from ${table} group by day order by day`,
    );
    return rows.map(({ day, bytes }) => [Number(day), bytes]);
  };
  const names = ["job_days", "job_hours", "minutes", "target_days", "target_hours", "targets"];
  const found = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await of(name)])));
  found.servers = await of("servers", "lnet_errors");
  db.close();
  await store.close();
  return found as Record<string, [number, number][]>;
}

const days = (from: number, bytes: number) =>
  Array.from({ length: DAYS - from }, (_, i) => [from + i, bytes]);

describe("a compaction and a prune", { timeout: 300_000 }, () => {
  it("that are killed at every step keep every day, and minutes as long as they are to be kept", async () => {
    const expected = { minutes: DAYS - KEEP.minutes, hours: DAYS - KEEP.hours };
    for (const point of POINTS)
      for (const time of [1, 2, 9]) {
        const path = storeAt(`${point}-${time}`);
        await fill(path);
        const words = [KEEP.minutes, KEEP.hours, NOW].map(String);
        const child = new Child("prune", path, ...words, point, String(time));
        await Promise.any([child.until(`at ${point}`), child.until("done")]);
        await child.kill();
        const after = await held(path);
        expect(after.job_days).toEqual(days(0, 288));
        expect(after.target_days).toEqual(days(0, 144));
        expect(after.servers).toEqual(days(0, 144));
        expect(after.job_hours?.filter(([day]) => day >= expected.hours)).toEqual(days(expected.hours, 288));
        expect(after.minutes?.filter(([day]) => day >= expected.minutes)).toEqual(
          days(expected.minutes, 288),
        );
        expect(after.targets?.filter(([day]) => day >= expected.minutes)).toEqual(
          days(expected.minutes, 144),
        );

        const store = await Store.open(path);
        const now = NOW * 86_400_000;
        const keepMs = { minutes: KEEP.minutes * 86_400_000, hours: KEEP.hours * 86_400_000 };
        await compactStore(store, { graceMs: 0 });
        await pruneStore(store, { keepMs, graceMs: 0, nowMs: now });
        await store.close();
        expect(await held(path)).toEqual({
          ...{ job_days: days(0, 288), job_hours: days(expected.hours, 288) },
          ...{ target_days: days(0, 144), target_hours: days(expected.hours, 144) },
          ...{ minutes: days(expected.minutes, 288), targets: days(expected.minutes, 144) },
          servers: days(0, 144),
        });
        const check = await checkStore(path, {
          deep: true,
          remove: true,
          graceMs: 0,
          nowMs: Date.now() + 3600_000,
        });
        expect(check).toMatchObject({ problems: [], batches: 1, replaced: 0 });
      }
  });
});
