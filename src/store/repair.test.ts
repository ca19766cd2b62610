import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../base/errors.ts";
import {
  storedAccesses,
  storedFiles,
  storedJobs,
  storedMinutes,
  storedReadings,
  storedRuns,
  storedSources,
  storedTargets,
} from "../model/index.ts";
import { checkStore } from "./check.ts";
import { compactStore } from "./compact.ts";
import { dropBatch, repairStore } from "./repair.ts";
import { Store } from "./store.ts";
import { appendRun, contents, idOf, storeWith, temporaryFolder } from "./test-kit.ts";

const root = temporaryFolder();
let number = 0;
let folder: string;
beforeEach(() => {
  folder = join(root, `${++number}`);
});

const segmentOf = (store: Store, batch: number, table: string, segment = 0) =>
  store.batches()[batch]?.tables[table]?.[segment]?.file as string;
const reopened = async () => contents(await Store.open(folder));
const sound = async () => {
  expect(await checkStore(folder, { deep: true })).toMatchObject({ problems: [], rubbish: [], foreign: [] });
};

async function ask(sql: string) {
  const query = await (await Store.open(folder)).query();
  try {
    return await query.rows(sql);
  } finally {
    query.close();
  }
}

describe("a repair", () => {
  it("of a sound store finds nothing and changes nothing", async () => {
    await storeWith(folder, [[1], [2]]);
    const before = readdirSync(folder, { recursive: true });
    expect(await repairStore(folder, { apply: true })).toMatchObject({ batches: 2, losses: [] });
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });

  it.each(["runs", "accesses"])(
    "after a lost segment of %s names what is lost, and gives the rest back",
    async (table) => {
      const store = await storeWith(folder, [[1, 2], [3], [4]]);
      const { id } = store.batches()[0] as { id: string };
      const file = segmentOf(store, 0, table);
      unlinkSync(join(folder, file));
      await expect(contents(store)).rejects.toThrow(/missing; .* see plimsoll store repair/);

      const before = readdirSync(folder, { recursive: true });
      const dry = await repairStore(folder);
      expect(readdirSync(folder, { recursive: true })).toEqual(before);
      expect(dry).toMatchObject({ applied: false, batches: 3 });
      expect(dry.losses).toMatchObject([
        {
          batch: id,
          writer: "test",
          damaged: [{ path: file, what: "segment is missing", table, rows: table === "runs" ? 2 : 6 }],
          lost: { runs: 2, accesses: 6, sources: 2 },
          kept: { runs: 0, accesses: 0, sources: 0, files: 6 },
          inputs: ["/logs/1.darshan", "/logs/2.darshan"],
          aside: `aside/${id}`,
        },
      ]);
      if (table === "accesses")
        expect(dry.losses[0]).toMatchObject({
          from: "2023-11-14T22:13:20.000Z",
          to: "2023-11-14T22:13:20.000Z",
        });

      expect((await repairStore(folder, { apply: true })).losses).toEqual(dry.losses);
      expect(await reopened()).toEqual({ runs: [3, 4], accesses: 6, sources: 2 });
      await sound();
      // The old entry and what was left of its files wait to be looked at.
      expect(JSON.parse(readFileSync(join(folder, "aside", id, `${id}.json`), "utf8"))).toMatchObject({ id });
      expect(JSON.parse(readFileSync(join(folder, "aside", id, "lost.json"), "utf8"))).toEqual(dry.losses[0]);
      expect(existsSync(join(folder, "aside", id, segmentOf(store, 0, "sources")))).toBe(true);
      expect(await checkStore(folder)).toMatchObject({ aside: [`aside/${id}`] });
      // The logs can be stored again, and it stays so after a compaction.
      await storeWith(folder, [[1, 2]]);
      await compactStore(await Store.open(folder), { graceMs: 0 });
      expect(await reopened()).toEqual({ runs: [1, 2, 3, 4], accesses: 12, sources: 4 });
      await sound();
      expect(existsSync(join(folder, "aside", id, segmentOf(store, 0, "sources")))).toBe(true);
    },
  );

  it("keeps runs of the same batch whose rows are all in other segments", async () => {
    const store = await Store.create(folder);
    const batch = store.beginBatch();
    const ids = [1n, 2n, 3n];
    await batch.append(storedRuns, 3, {
      synthetic: { all: 0 },
      run_id: ids,
      application_id: { all: 1n },
      source: ["/a.darshan", "/b.darshan", "/c.darshan"],
      // The first has all of the first segment and more.
      files: [150_000, 100_000, 0],
    });
    for (const [run, count] of [
      [1n, 150_000],
      [2n, 100_000],
    ] as const)
      await batch.append(storedAccesses, count, {
        run_id: { all: run },
        file_id: { all: 7n },
        application_id: { all: 1n },
        shared: { all: 0 },
        partial: { all: 0 },
      });
    await batch.append(storedSources, 3, {
      hash_high: ids,
      hash_low: { all: 0n },
      path: ["/a.darshan", "/b.darshan", "/c.darshan"],
      status: { all: "stored" },
    });
    await batch.commit();
    const [first] = store.batches()[0]?.tables.accesses ?? [];
    expect(first?.rows).toBeLessThan(150_000);
    truncateSync(join(folder, first?.file as string), 40);
    expect((await repairStore(folder, { apply: true })).losses).toMatchObject([
      {
        lost: { runs: 1, accesses: 150_000, sources: 1 },
        kept: { runs: 2, accesses: 100_000 },
        inputs: ["/a.darshan"],
      },
    ]);
    expect(
      await ask(
        "select run_id, count(a.run_id) as n from runs r left join accesses a using (run_id) group by all order by all",
      ),
    ).toEqual([
      { run_id: 2n, n: 100_000n },
      { run_id: 3n, n: 0n },
    ]);
    await sound();
  });

  it("after lost names of files keeps the runs, and lets their logs be read again", async () => {
    const store = await storeWith(folder, [[1], [2]]);
    unlinkSync(join(folder, segmentOf(store, 0, "files")));
    // The other batch names the same files.
    expect((await repairStore(folder)).losses).toMatchObject([{ lost: { files: 3 }, inputs: [] }]);
    unlinkSync(join(folder, segmentOf(store, 1, "files")));
    const { losses } = await repairStore(folder, { apply: true });
    expect(losses).toMatchObject([
      { lost: { files: 3, sources: 1 }, inputs: ["/logs/1.darshan"] },
      { lost: { files: 3, sources: 1 }, inputs: ["/logs/2.darshan"] },
    ]);
    expect(await reopened()).toEqual({ runs: [1, 2], accesses: 6, sources: 0 });
    await storeWith(folder, [[1], [2]]);
    expect(await reopened()).toEqual({ runs: [1, 2], accesses: 6, sources: 2 });
    expect(await ask("select count(distinct file_id) as n from files")).toEqual([{ n: 3n }]);
    // The copies go with a compaction; that the logs are known stays.
    await compactStore(await Store.open(folder), { graceMs: 0 });
    expect(await reopened()).toEqual({ runs: [1, 2], accesses: 6, sources: 2 });
  });

  it("after a lost list of inputs keeps the runs", async () => {
    const store = await storeWith(folder, [[1, 2]]);
    unlinkSync(join(folder, segmentOf(store, 0, "sources")));
    expect((await repairStore(folder, { apply: true })).losses).toMatchObject([
      { lost: { sources: 2 }, kept: { runs: 2, accesses: 6 }, inputs: [] },
    ]);
    expect(await reopened()).toEqual({ runs: [1, 2], accesses: 6, sources: 0 });
  });

  it("does not take a flipped byte for rows", async () => {
    const store = await storeWith(folder, [[1], [2]]);
    const path = join(folder, segmentOf(store, 1, "accesses"));
    const bytes = readFileSync(path);
    bytes[20] = (bytes[20] as number) ^ 1;
    writeFileSync(path, bytes);
    const { losses } = await repairStore(folder, { apply: true });
    expect(losses[0]?.damaged[0]?.what).toMatch(/^checksum differs/);
    expect(await reopened()).toEqual({ runs: [1], accesses: 3, sources: 1 });
    const kept = join(folder, losses[0]?.aside as string, segmentOf(store, 1, "accesses"));
    expect(readFileSync(kept).equals(bytes)).toBe(true);
  });

  it("refuses when every segment is gone: that is a missing mount", async () => {
    const store = await storeWith(folder, [[1]]);
    for (const table of Object.keys(store.batches()[0]?.tables ?? {}))
      unlinkSync(join(folder, segmentOf(store, 0, table)));
    await expect(repairStore(folder, { apply: true })).rejects.toThrow(
      /none of its 4 segments exist; mount or restore/,
    );
    await dropBatch(folder, segmentOf(store, 0, "runs"), { apply: true });
    expect(await reopened()).toEqual({ runs: [], accesses: 0, sources: 0 });
    await sound();
    await storeWith(folder, [[1]]);
    expect((await reopened()).runs).toEqual([1]);
  });
});

describe("a repair of counters and jobs", () => {
  /** A batch as an ingest of a run, a job list, client readings and two targets leaves it. */
  async function systemStore(): Promise<Store> {
    const store = await Store.openOrCreate(folder);
    const batch = store.beginBatch();
    await appendRun(batch, 1);
    await batch.append(storedJobs, 2, {
      synthetic: { all: 0 },
      job_key: [1n, 1n],
      job_id: ["1", "1"],
      source: ["scheduler", "clients"],
      bytes_read: [null, 5],
    });
    const target = {
      file_system: { all: "fs" },
      target: { all: "OST0000" },
      minute_unix: [28_333_333, 28_333_334],
    };
    await batch.append(storedMinutes, 2, { ...target, job_key: { all: 1n }, job_id: { all: "1" } });
    await batch.append(storedTargets, 2, target);
    await batch.append(storedReadings, 2, {
      synthetic: { all: 0 },
      file_system: { all: "fs" },
      target: { all: "OST0000" },
      kind: ["job_stats", "ost_stats"],
      from_unix_ns: [1_700_000_000_000_000_000n, 1_700_000_000_000_000_000n],
      to_unix_ns: [1_700_000_100_000_000_000n, 1_700_000_100_000_000_000n],
    });
    const paths = [
      "/spool/oss1-20231114T221320.000000000Z.ndjson",
      "/spool/readings/n1~1.json",
      "/jobs.sacct",
    ];
    await batch.append(storedSources, 3, {
      hash_high: [11n, 12n, 13n],
      hash_low: { all: 0n },
      path: paths,
      status: { all: "stored" },
    });
    await batch.commit();
    return store;
  }
  const counts = async () =>
    (
      await ask(
        `select (select count(*) from minutes)::int as minutes, (select count(*) from targets)::int as targets,
           (select string_agg(kind, ' ') from readings) as readings, (select string_agg(source, ' ' order by source) from jobs) as jobs,
           (select string_agg(hash_high::varchar, ' ' order by hash_high) from sources where hash_high < 100) as sources,
           (select count(*) from runs)::int as runs`,
      )
    )[0];
  const all = {
    minutes: 2,
    targets: 2,
    readings: "job_stats ost_stats",
    jobs: "clients scheduler",
    sources: "11 12 13",
    runs: 1,
  };

  it.each([
    ["minutes", { minutes: 0, readings: "ost_stats", sources: "12 13" }],
    ["targets", { targets: 0, readings: "job_stats", sources: "12 13" }],
    ["readings", { minutes: 0, targets: 0, readings: null, sources: "12 13" }],
    ["jobs", { jobs: null, sources: null }],
    ["sources", { jobs: "scheduler", sources: null }],
    ["runs", { runs: 0 }],
  ])("after lost %s keeps what cannot count twice", async (table, changed) => {
    const store = await systemStore();
    expect(await counts()).toEqual(all);
    unlinkSync(join(folder, segmentOf(store, 0, table)));
    const { losses } = await repairStore(folder, { apply: true });
    expect(losses).toMatchObject([{ from: "2023-11-14T22:13:00.000Z", to: "2023-11-14T22:15:00.000Z" }]);
    expect(await counts()).toEqual({ ...all, ...changed });
    await sound();
  });
});

describe("a damaged manifest entry", () => {
  it("goes aside with its segments, and what they hold is named", async () => {
    const store = await storeWith(folder, [[1, 2], [3]]);
    const { id } = store.batches()[0] as { id: string };
    writeFileSync(join(folder, "manifest", `${id}.json`), "{");
    await expect(Store.open(folder)).rejects.toThrow(/damaged manifest entry/);
    const dry = await repairStore(folder);
    expect(dry.losses).toMatchObject([
      {
        batch: id,
        created: null,
        damaged: [{ path: `manifest/${id}.json`, what: expect.stringContaining("damaged manifest entry") }],
        lost: { runs: 2, accesses: 6, files: 6, sources: 2 },
        inputs: ["/logs/1.darshan", "/logs/2.darshan"],
      },
    ]);
    await repairStore(folder, { apply: true });
    expect((await reopened()).runs).toEqual([3]);
    await sound();
    expect(readFileSync(join(folder, "aside", id, `${id}.json`), "utf8")).toBe("{");
    await storeWith(folder, [[1, 2]]);
    expect((await reopened()).runs).toEqual([1, 2, 3]);
  });

  it("as the only one leaves an empty store that opens", async () => {
    const store = await storeWith(folder, [[1]]);
    const { id } = store.batches()[0] as { id: string };
    writeFileSync(join(folder, "manifest", `${id}.json`), "");
    await dropBatch(folder, id, { apply: true });
    expect((await reopened()).runs).toEqual([]);
    await sound();
  });

  it("of a batch that was compacted costs nothing; that of a compaction brings back what it replaced", async () => {
    const model = await storeWith(folder, [[1], [2], [3]]);
    const old = model.batches()[1]?.id as string;
    const { batch } = await compactStore(model);
    const copy = `${folder}-copy`;
    cpSync(folder, copy, { recursive: true });
    const damage = (id: string) => writeFileSync(join(folder, "manifest", `${id}.json`), "{");
    damage(old);
    expect(await checkStore(folder)).toMatchObject({ batches: 1, problems: [{}] });
    const { losses } = await repairStore(folder, { apply: true });
    expect(losses).toMatchObject([{ batch: old, lost: {} }]);
    expect((await reopened()).runs).toEqual([1, 2, 3]);
    await compactStore(await Store.open(folder), { graceMs: 0 });
    expect((await reopened()).runs).toEqual([1, 2, 3]);
    await sound();

    folder = copy;
    damage(batch as string);
    await repairStore(folder, { apply: true });
    expect((await reopened()).runs).toEqual([1, 2, 3]);
    expect((await Store.open(folder)).batches().length).toBe(3);
    await sound();
  });

  it("of a newer Plimsoll is left alone", async () => {
    const store = await storeWith(folder, [[1]]);
    const path = join(folder, "manifest", `${store.batches()[0]?.id}.json`);
    const text = readFileSync(path, "utf8").replace(/"version": \d+/, '"version": 99');
    writeFileSync(path, text);
    await expect(repairStore(folder, { apply: true })).rejects.toThrow(/written by a newer Plimsoll/);
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});

describe("a dropped batch", () => {
  it("goes whole, and its inputs can be stored again", async () => {
    const store = await storeWith(folder, [[1, 2], [3]]);
    const { id } = store.batches()[0] as { id: string };
    const dry = await dropBatch(folder, id);
    expect(dry).toMatchObject({
      applied: false,
      losses: [{ batch: id, damaged: [], lost: { runs: 2, files: 6 } }],
    });
    expect((await reopened()).runs).toEqual([1, 2, 3]);
    await dropBatch(folder, id, { apply: true });
    expect(await reopened()).toEqual({ runs: [3], accesses: 3, sources: 1 });
    await sound();
    await expect(dropBatch(folder, id, { apply: true })).rejects.toThrow(/is no longer used/);
    await expect(dropBatch(folder, "20200101T000000000-000001-0000000")).rejects.toThrow(UsageError);
    await expect(dropBatch(folder, "all")).rejects.toThrow(/all is not a batch/);
    expect(
      await ask(`select count(*) as n from ${storedFiles.name} where file_id = ${idOf(1_000_000)}`),
    ).toEqual([{ n: 1n }]);
  });
});
