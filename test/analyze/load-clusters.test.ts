// One job number on two clusters: whose I/O is it, and what is said when nobody can tell.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { jobAnswer, jobDocument, rank, rankingDocument } from "../../src/analyze/load/index.ts";
import { type MemoryStore, memoryStore } from "../../src/analyze/study/common/test-kit.ts";
import { runStudy, systemOptions } from "../../src/analyze/study/system/index.ts";
import { storedJobs, storedMinutes } from "../../src/model/index.ts";
import { renderText } from "../../src/report/text/index.ts";
import { compactStore, Store } from "../../src/store/index.ts";
import { jobTotals } from "../../src/store/job-totals.ts";
import type { JobRow, MinuteRow } from "./study-system-corpus.ts";
import { DAY, first, job, minute } from "./study-system-kit.ts";

const ABOUT = { command: "plimsoll", madeBy: "test", zone: "UTC" };
const JOB_OPTIONS = {
  ...({ population: "all", perCall: "meanOfRatios", threshold: "mean" } as const),
  ...{ maxGapMinutes: 0, lateMinutes: 1, neighbours: 5 },
};

let db: MemoryStore | undefined;
afterEach(() => db?.close());

async function stored(jobs: readonly JobRow[], minutes: readonly MinuteRow[]): Promise<MemoryStore> {
  db = await memoryStore();
  await db.run(`create view job_totals as ${jobTotals(["scheduler", "clients", "both"])}`);
  await db.insert("jobs", jobs as never);
  await db.insert("minutes", minutes as never);
  return db;
}

const on = (cluster: string, user: string, start: number, seconds: number) =>
  job("5", start, seconds, {
    ...{ cluster, user_name: user, user_id: null, name: `of ${cluster}` },
    ...({ bytes_read: null, bytes_written: null, writes: null } as const),
  });
const of = (cluster: string | null, at: number, written: number): MinuteRow =>
  ({ ...minute("5", first + at, written), cluster }) as MinuteRow;

const window = { from: first - 10, to: first + 100 };
const asked = {
  order: "bytes",
  limit: 10,
  source: "servers",
  window,
  condition: "true",
  smallBytes: 0,
} as const;
const rows = async (store: MemoryStore, by: "job" | "user" = "job") =>
  (await rank(store, { ...asked, by })).rows.map(({ id, user, cluster, possibleClusters, bytesWritten }) =>
    by === "user" ? [id, bytesWritten] : [id, cluster, possibleClusters, user, bytesWritten],
  );

/** The same number at the same time, and a while later on one cluster alone. */
const TOGETHER = [
  on("cab", "ada", DAY, 600),
  on("quartz", "bob", DAY, 600),
  on("quartz", "bob", DAY + 3000, 600),
];
/** One after the other. */
const APART = [on("cab", "ada", DAY, 600), on("quartz", "bob", DAY + 3000, 600)];

describe("counters that name the cluster", () => {
  const minutes = [of("cab", 1, 100), of("quartz", 1, 40), of("quartz", 2, 2)];

  it("go to the job of that cluster", async () => {
    const store = await stored(TOGETHER, minutes);
    expect(await rows(store)).toEqual([
      ["5", "cab", null, "ada", 100n],
      ["5", "quartz", null, "bob", 42n],
    ]);
    expect(await rows(store, "user")).toEqual([
      ["ada", 100n],
      ["bob", 42n],
    ]);
    const { runs, unclear, clusters } = await jobAnswer(store, "5", JOB_OPTIONS);
    expect(clusters).toEqual(["cab", "quartz"]);
    expect(unclear).toBeNull();
    expect(runs.map(({ facts, servers }) => [facts.cluster, facts.user, servers?.bytesWritten])).toEqual([
      ["cab", "ada", 100n],
      ["quartz", "bob", 42n],
      ["quartz", "bob", undefined],
    ]);
    // Each is the neighbour of the other.
    expect(runs[0]?.neighbours).toMatchObject([{ jobId: "5", cluster: "quartz", user: "bob", bytes: 40n }]);
    expect(runs[1]?.neighbours).toMatchObject([{ jobId: "5", cluster: "cab", user: "ada", bytes: 100n }]);
  });

  it("are studied with that job", async () => {
    const { items } = await runStudy(
      await stored(TOGETHER, minutes),
      systemOptions({ replicates: 10, cluster: "cab" }),
    );
    expect(items.B02?.values).toMatchObject({ seriesJobs: 1, seriesJobsUnknown: 0 });
    expect(items.B12?.values).toMatchObject({ jobsWithIo: 1, ioMinutes: 1 });
  });

  it("of a cluster that no list of jobs knows are a job without a user", async () => {
    const store = await stored([on("cab", "ada", DAY, 600)], [of("cab", 1, 7), of("quartz", 1, 9)]);
    expect(await rows(store)).toEqual([
      ["5", "quartz", null, null, 9n],
      ["5", "cab", null, "ada", 7n],
    ]);
    const { runs } = await jobAnswer(store, "5", { ...JOB_OPTIONS, cluster: "quartz" });
    expect(runs).toMatchObject([{ facts: { cluster: "quartz", user: null }, servers: { bytesWritten: 9n } }]);
  });
});

describe("counters that do not name the cluster", () => {
  it("go to the cluster whose job ran at that minute", async () => {
    const store = await stored(APART, [of(null, 1, 100), of(null, 55, 40)]);
    expect(await rows(store)).toEqual([
      ["5", "cab", null, "ada", 100n],
      ["5", "quartz", null, "bob", 40n],
    ]);
    const { runs, unclear } = await jobAnswer(store, "5", JOB_OPTIONS);
    expect(unclear).toBeNull();
    expect(runs.map(({ servers }) => servers?.bytesWritten)).toEqual([100n, 40n]);
    const { items } = await runStudy(store, systemOptions({ replicates: 10 }));
    expect(items.B02?.values).toMatchObject({ seriesJobs: 2, seriesJobsUnknown: 0 });
  });

  it("are nobody's where two ran, and where none did, and that is said", async () => {
    const store = await stored(TOGETHER, [of(null, 1, 100), of(null, 30, 9), of(null, 55, 40)]);
    expect(await rows(store)).toEqual([
      ["5", null, "cab or quartz", null, 109n],
      ["5", "quartz", null, "bob", 40n],
    ]);
    expect(await rows(store, "user")).toEqual([
      [null, 109n],
      ["bob", 40n],
    ]);
    const ranking = await rank(store, { ...asked, by: "job" });
    expect(ranking.unclear).toMatchObject({ jobs: 1, bytesWritten: 109n });
    const text = renderText(rankingDocument(ranking, { title: "Who", targets: "all" }, ABOUT), {
      ...{ width: 160, color: false, full: false },
    });
    expect(text).toContain("1 job id is on several clusters, and the counters do not say which: 109 B");
    expect(text).toMatch(/5 +cab or quartz/);

    const answer = await jobAnswer(store, "5", JOB_OPTIONS);
    expect(answer.unclear).toMatchObject({ minutes: 2, bytesWritten: 109n });
    expect(answer.runs.map(({ servers }) => servers?.bytesWritten)).toEqual([undefined, undefined, 40n]);
    const page = renderText(jobDocument(answer, ABOUT), { width: 160, color: false, full: false });
    expect(page).toContain("the counters of job 5 could belong to cab or quartz: 0 B read, 109 B written");
    expect(page).toContain("3 under this id on clusters cab and quartz");

    const { items } = await runStudy(store, systemOptions({ replicates: 10 }));
    expect(items.B02?.values).toMatchObject({ seriesJobs: 1, seriesJobsUnknown: 0 });
    expect(items.B02?.dropped["rows of minutes with a job number of several clusters"]).toBe(2);
  });

  it("go to the only cluster that has such a job, also beside others that name it", async () => {
    const other = { ...on("quartz", "bob", DAY, 600), job_id: "6", job_key: 6n };
    const store = await stored(
      [on("cab", "ada", DAY, 600), other],
      [of(null, 1, 100), of("cab", 2, 1), of(null, 90, 5)],
    );
    expect(await rows(store)).toEqual([["5", "cab", null, "ada", 106n]]);
  });

  it("go to a job whose cluster nobody knows", async () => {
    const unnamed = { ...on("cab", "ada", DAY, 600), cluster: null };
    const other = { ...on("quartz", "bob", DAY, 600), job_id: "6", job_key: 6n };
    const third = { ...on("cab", "eve", DAY, 600), job_id: "7", job_key: 7n };
    const store = await stored([unnamed, other, third], [of("cab", 1, 100)]);
    expect(await rows(store)).toEqual([["5", "cab", null, "ada", 100n]]);
    expect(await rows(await stored([unnamed, other, third], [of(null, 1, 100)]))).toEqual([
      ["5", null, null, "ada", 100n],
    ]);
    const { items } = await runStudy(db as MemoryStore, systemOptions({ replicates: 10 }));
    expect(items.B02?.values).toMatchObject({ seriesJobs: 1, seriesJobsUnknown: 0 });
  });
});

it("I/O of a number on several clusters counts once, with and without roll-ups, also in the first hour of a store", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-clusters-"));
  try {
    const store = await Store.openOrCreate(join(folder, "store"));
    const begin = 29_859_667;
    const ns = (minute: number) => BigInt(minute) * 60_000_000_000n;
    const last = begin + 3000;
    const batch = store.beginBatch({ writer: "test" });
    await batch.append(storedJobs, 2, {
      ...{
        synthetic: { all: 0 },
        source: { all: "scheduler" },
        job_key: { all: 5n },
        job_id: { all: "5" },
        cluster: ["cab", "quartz"],
      },
      ...{ user_name: ["ada", "bob"], start_unix_ns: [ns(begin), ns(begin + 100)] },
      end_unix_ns: [ns(begin + 60), ns(last)],
    });
    const minutes = [begin, begin + 2, begin + 200, last];
    await batch.append(storedMinutes, minutes.length, {
      ...{
        job_key: { all: 5n },
        job_id: { all: "5" },
        file_system: { all: "fs" },
        target: { all: "OST0000" },
      },
      ...{ minute_unix: minutes.map(BigInt), seconds: { all: 60 }, bytes_written: [1n, 10n, 100n, 1000n] },
      writes: { all: 1n },
    });
    await batch.commit();
    const window = { from: begin, to: last + 1 };
    for (const rolled of [false, true]) {
      if (rolled) await compactStore(store, { graceMs: 0 });
      for (const span of [{}, { grain: 1440 }]) {
        const session = await store.query();
        const { total, rows: found } = await rank(session, {
          ...asked,
          window: { ...window, ...span },
          by: "job",
        });
        session.close();
        expect(total.bytesWritten, JSON.stringify({ rolled, span })).toBe(1111n);
        expect(found.map(({ user, bytesWritten }) => [user, bytesWritten])).toEqual([
          ["bob", 1100n],
          ["ada", 11n],
        ]);
      }
    }
    await store.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
