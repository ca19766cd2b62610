import { createHash } from "node:crypto";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { STORE_VERSION } from "../model/store-schema.ts";
import { negativeWarning } from "../model/warnings.ts";
import { storedJobs, storedMinutes, storedTargets } from "../model/store-system.ts";
import { compactStore } from "./compact.ts";
import { openDatabase } from "./database.ts";
import { Store } from "./store.ts";
import { temporaryFolder } from "./test-kit.ts";
import { type Upgrade, upgraded } from "./upgrades.ts";

it("an older version is read through all steps to the current one", async () => {
  const upgrades: readonly Upgrade[] = [
    { from: 1, tables: { runs: { added: { seconds: "ms / 1000" }, removed: ["ms"] }, files: {} } },
    {
      from: 3,
      tables: { runs: { changed: { seconds: "seconds * 2" }, added: { colour: "null::VARCHAR" } } },
    },
  ];
  const database = await openDatabase(temporaryFolder());
  const rows = async (version: number, source: string) =>
    (
      await database.connection.runAndReadAll(`from ${upgraded("runs", version, source, upgrades, 4)}`)
    ).getRowObjects();
  expect(await rows(1, "(select 1 as id, 500 as ms)")).toEqual([{ id: 1, seconds: 1, colour: null }]);
  expect(await rows(2, "(select 1 as id, 3 as seconds)")).toEqual([{ id: 1, seconds: 6, colour: null }]);
  expect(await rows(4, "(select 1 as id)")).toEqual([{ id: 1 }]);
  database.close();
});

it("runs of version 3 have the counters left out that their warnings tell of", async () => {
  const database = await openDatabase(temporaryFolder());
  const warnings = [negativeWarning("POSIX", 2), "partial", negativeWarning("STDIO", 30)].join("\n");
  const source = `(select * from (values (1, '${warnings}'), (2, ''), (3, null)) t(id, warnings))`;
  const found = await database.connection.runAndReadAll(`from ${upgraded("runs", 3, source)} order by id`);
  expect(found.getRowObjects().map(({ negative_counters }) => negative_counters)).toEqual([32n, 0n, 0n]);
  database.close();
});

const COUNTERS_OF_6 = `links, unlinks, mkdirs, rmdirs, renames, getattrs, setattrs, getxattrs, setxattrs, statfs, syncs,
  read_usecs, write_usecs, metadata_usecs`;

/** Makes a batch one of an older version: its segments lose the columns that came since. */
async function leaveAs(
  folder: string,
  batchId: string,
  version: number,
  missing: Readonly<Record<string, string>>,
): Promise<void> {
  const entry = join(folder, "manifest", `${batchId}.json`);
  const batch = JSON.parse(readFileSync(entry, "utf8"));
  batch.version = version;
  const database = await openDatabase(folder);
  for (const [table, columns] of Object.entries(missing)) {
    const segment = join(folder, "segments", table, `${batchId}-0.parquet`);
    await database.connection.run(
      `copy (select * exclude (${columns}) from read_parquet('${segment}')) to '${segment}.old' (format parquet)`,
    );
    renameSync(`${segment}.old`, segment);
    batch.tables[table][0].bytes = statSync(segment).size;
    batch.tables[table][0].sha256 = createHash("sha256").update(readFileSync(segment)).digest("hex");
  }
  database.close();
  writeFileSync(entry, JSON.stringify(batch));
  writeFileSync(join(folder, "store.json"), `{"kind":"plimsoll store","version":${version}}`);
}

async function rowsOf(folder: string, query: string): Promise<unknown[][]> {
  const opened = await Store.open(folder);
  const session = await opened.query();
  const found = await session.rows(query);
  session.close();
  await opened.close();
  return found.map((row) => Object.values(row));
}

it("minutes of version 2 have no cluster, beside those of this version, and after a compaction", async () => {
  const folder = join(temporaryFolder(), "s");
  const store = await Store.create(folder);
  const add = async (job: string, cluster: string | null) => {
    const batch = store.beginBatch();
    const names = { file_system: ["fs"], target: ["OST0000"], minute_unix: [1n], bytes_written: [7n] };
    await batch.append(storedMinutes, 1, { ...names, job_key: [1n], job_id: [job], cluster: [cluster] });
    return batch.commit();
  };
  const old = await add("old", null);
  await leaveAs(folder, old, 2, { minutes: `cluster, user_id, node, ${COUNTERS_OF_6}` });
  const rows = () =>
    rowsOf(folder, "select job_id, cluster, bytes_written from minutes order by job_id desc");
  expect(await rows()).toEqual([["old", null, 7n]]);
  store.refresh();
  await add("new", "cab");
  const both = [
    ["old", null, 7n],
    ["new", "cab", 7n],
  ];
  expect(await rows()).toEqual(both);
  expect(await compactStore(await Store.open(folder))).toMatchObject({ replaced: 2 });
  expect(await rows()).toEqual(both);
});

it("a store of version 5 has no operations one by one, no times, and none of the new tables", async () => {
  const folder = join(temporaryFolder(), "s");
  const store = await Store.create(folder);
  const add = async (job: string, renames: bigint | null, node: string | null) => {
    const batch = store.beginBatch();
    const names = { file_system: ["fs"], target: ["MDT0000"], minute_unix: [1n], opens: [7n] };
    await batch.append(storedMinutes, 1, {
      ...{ ...names, job_key: [1n], job_id: [job], renames: [renames], node: [node] },
    });
    await batch.append(storedTargets, 1, { ...names, renames: [renames] });
    await batch.append(storedJobs, 1, {
      ...{ job_key: [1n], job_id: [job], source: ["scheduler"], node_list: [node], synthetic: [0] },
    });
    return batch.commit();
  };
  const old = await add("old", null, null);
  await leaveAs(folder, old, 5, {
    minutes: `user_id, node, ${COUNTERS_OF_6}`,
    targets: COUNTERS_OF_6,
    jobs: "node_list",
  });
  const states = "select count(*) from target_states union all select count(*) from job_mounts";
  expect(await rowsOf(folder, states)).toEqual([[0n], [0n]]);
  store.refresh();
  await add("new", 3n, "n1");
  const query = `select m.job_id, m.opens, m.renames, m.read_usecs, m.node, t.renames, j.node_list
    from minutes m join job_totals j using (job_id) join targets t on t.renames is not distinct from m.renames
    order by m.job_id desc`;
  const both = [
    ["old", 7n, null, null, null, null, null],
    ["new", 7n, 3n, null, "n1", 3n, "n1"],
  ];
  expect(await rowsOf(folder, query)).toEqual(both);
  expect(await compactStore(await Store.open(folder))).toMatchObject({ replaced: 2 });
  expect(await rowsOf(folder, query)).toEqual(both);
});

it("a store of an older version is marked as one of this version with the first new batch", async () => {
  const { storeWith, contents } = await import("./test-kit.ts");
  const { readMark } = await import("./mark.ts");
  const { Store } = await import("./store.ts");
  const folder = join(temporaryFolder(), "s");
  await storeWith(folder, [[1]]);
  writeFileSync(join(folder, "store.json"), '{"kind":"plimsoll store","version":0}');
  expect((await contents(await Store.open(folder))).runs).toEqual([1]);
  expect(readMark(folder, folder).version).toBe(0);
  await storeWith(folder, [[2]]);
  expect(readMark(folder, folder).version).toBe(STORE_VERSION);
});
