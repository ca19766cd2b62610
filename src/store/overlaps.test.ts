import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { storedMinutes, storedReadings, storedTargets } from "../model/store-system.ts";
import { checkStore } from "./check.ts";
import { compactStore } from "./compact.ts";
import { cutStretches } from "./overlaps.ts";
import { Store } from "./store.ts";
import { temporaryFolder } from "./test-kit.ts";

const root = temporaryFolder();
let number = 0;
let folder: string;
beforeEach(() => {
  folder = join(root, `${++number}`);
});

const MINUTE_NS = 60_000_000_000n;

/** A batch with a row of 100 bytes a minute, for jobs and for the target, between readings at these minutes. */
async function add(store: Store, target: string, from: number, to: number, more: number = 0): Promise<void> {
  const batch = store.beginBatch({ writer: "test" });
  const minutes = Array.from({ length: to - from }, (_, i) => BigInt(from + 1 + i));
  const rows = { file_system: { all: "fs" }, target: { all: target }, seconds: { all: 60 } };
  const values = { ...rows, minute_unix: BigInt64Array.from(minutes), bytes_written: { all: 100n } };
  await batch.append(storedMinutes, minutes.length, {
    ...values,
    job_key: { all: 1n },
    job_id: { all: "1" },
  });
  await batch.append(storedTargets, minutes.length, values);
  for (const kind of ["job_stats", "ost_stats"])
    await batch.append(storedReadings, 1 + more, {
      synthetic: { all: 0 },
      file_system: { all: "fs" },
      target: { all: target },
      kind: { all: kind },
      from_unix_ns: { all: BigInt(from) * MINUTE_NS },
      to_unix_ns: { all: BigInt(to) * MINUTE_NS },
      readings: { all: to - from },
      carried_in: { all: 7 },
    });
  await batch.commit();
}

async function answers(store: Store) {
  const db = await store.query();
  try {
    return [
      await db.rows(
        "select sum(bytes_written)::int as bytes, count(*)::int as n, min(minute_unix)::int as first, max(minute_unix)::int as last from minutes",
      ),
      await db.rows("select sum(bytes_written)::int as bytes from targets"),
      await db.rows(
        `select target, (from_unix_ns // ${MINUTE_NS})::int as f, (to_unix_ns // ${MINUTE_NS})::int as t, sum(carried_in)::int as c
         from readings where kind = 'job_stats' group by all order by all`,
      ),
    ];
  } finally {
    db.close();
  }
}

describe("stretches of counters that more than one batch has", () => {
  it("are cut so that each moment is held once, by the first batch", () => {
    const moment = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(fc.array(fc.tuple(moment, moment), { maxLength: 8 }), (pairs) => {
        const stretches = pairs.flatMap(([a, b], i) =>
          a === b ? [] : [{ batch: `${i}`, from: BigInt(Math.min(a, b)), to: BigInt(Math.max(a, b)) }],
        );
        const owner = new Map<bigint, string>();
        for (const { stretch, left, taken } of cutStretches(stretches)) {
          const parts = [...left.map(([from, to]) => ({ batch: stretch.batch, from, to })), ...taken];
          const seen = new Map<bigint, string>();
          for (const { batch, from, to } of parts)
            for (let at = from; at < to; at++) {
              expect(seen.has(at)).toBe(false);
              seen.set(at, batch);
            }
          expect(seen.size).toBe(Number(stretch.to - stretch.from));
          for (const [at, batch] of seen) {
            expect(batch).toBe(owner.get(at) ?? stretch.batch);
            owner.set(at, batch);
          }
        }
      }),
    );
  });

  it("are named by a check, and a compaction leaves one of each", async () => {
    const store = await Store.create(folder);
    await add(store, "OST0000", 1000, 1040);
    await add(store, "OST0000", 1000, 1040);
    await add(store, "OST0000", 1000, 1040);
    await add(store, "OST0001", 1000, 1040);
    const [first, second, third] = store.batches().map(({ id }) => id);
    const { problems, overlaps } = await checkStore(folder);
    expect(overlaps.map(({ kind, batch, copy }) => [kind, batch, copy])).toEqual([
      ["job_stats", first, second],
      ["job_stats", first, third],
      ["ost_stats", first, second],
      ["ost_stats", first, third],
    ]);
    expect(problems.map(({ path }) => path)).toEqual([`manifest/${second}.json`, `manifest/${third}.json`]);
    expect(problems[0]?.what).toBe(
      `2 counter intervals count more than once, the first is fs-OST0000 job_stats from 1970-01-01T16:40:00.000Z to 1970-01-01T17:20:00.000Z; batch ${first} also has them; plimsoll store compact removes the copies`,
    );
    // Also when each batch is large enough to be left alone; the batch of the other target is.
    expect(await compactStore(store, { targetBytes: 1 })).toMatchObject({
      replaced: 3,
      overlappingStretches: 4,
    });
    expect(store.batches().length).toBe(2);
    expect(await answers(store)).toEqual([
      [{ bytes: 8000, n: 80, first: 1001, last: 1040 }],
      [{ bytes: 8000 }],
      [
        { target: "OST0000", f: 1000, t: 1040, c: 7 },
        { target: "OST0001", f: 1000, t: 1040, c: 7 },
      ],
    ]);
    expect(await checkStore(folder, { deep: true })).toMatchObject({ problems: [], overlaps: [] });
    expect(await compactStore(store, { targetBytes: 1 })).toMatchObject({ batch: undefined });
  });

  it("that overlap in part keep what only they have", async () => {
    const store = await Store.create(folder);
    await add(store, "OST0000", 1010, 1020);
    await add(store, "OST0000", 1030, 1040);
    await add(store, "OST0000", 1000, 1050);
    expect(await compactStore(store)).toMatchObject({ replaced: 3, overlappingStretches: 4 });
    expect(await answers(store)).toEqual([
      [{ bytes: 5000, n: 50, first: 1001, last: 1050 }],
      [{ bytes: 5000 }],
      [
        // What touches is one reading again.
        { target: "OST0000", f: 1000, t: 1050, c: 21 },
      ],
    ]);
  });

  it("within one batch are named, and nothing is taken away by guessing", async () => {
    const store = await Store.create(folder);
    await add(store, "OST0000", 1000, 1010, 1);
    const { problems } = await checkStore(folder);
    expect(problems[0]?.what).toMatch(
      /contains copies of its own samples; ingest the samples into a new store/,
    );
    expect(await compactStore(store)).toMatchObject({ batch: undefined });
  });

  it("that only touch are none", async () => {
    const store = await Store.create(folder);
    await add(store, "OST0000", 1000, 1010);
    await add(store, "OST0000", 1010, 1020);
    expect(await checkStore(folder)).toMatchObject({ problems: [], overlaps: [] });
  });
});
