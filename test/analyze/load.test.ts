// Answers about load against plain loops over the rows, on random stores.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  chooseTargets,
  jobAnswer,
  type Measure,
  type Order,
  rank,
  rankTargets,
  storedTargetNames,
  targetCondition,
} from "../../src/analyze/load/index.ts";
import { classOf } from "../../src/analyze/load/efficiency.ts";
import { targetRankingDocument } from "../../src/analyze/load/rank-document.ts";
import { type MemoryStore, memoryStore } from "../../src/analyze/study/common/test-kit.ts";
import { runStudy, systemOptions } from "../../src/analyze/study/system/index.ts";
import { Random } from "../../src/base/prng.ts";
import { jobTotals } from "../../src/store/job-totals.ts";

const T0 = 28_000_000;
const SMALL = 1000;
const FIELDS = ["bytes_read", "bytes_written", "reads", "writes", "opens", "metadata_calls"] as const;
type Field = (typeof FIELDS)[number];
type Row = {
  job_key: number;
  job_id: string;
  file_system: string;
  target: string;
  minute_unix: number;
} & Record<Field, number | null>;

const minutes: Row[] = [];
const targets: Omit<Row, "job_key" | "job_id">[] = [];
const jobs: Record<string, string | number>[] = [];
let db: MemoryStore;

/** Two file systems with targets of the same names; the second has no counters of its own for one of them. */
const NAMES = ["a-OST0000", "a-OST0001", "a-MDT0000", "b-OST0000", "b-OST0001"].map((name) =>
  name.split("-"),
);
const OWNLESS = "b-OST0001";

function plant(): void {
  const random = new Random(7);
  const some = (bound: number) => (random.below(4) === 0 ? 0 : random.below(bound));
  for (let minute = T0; minute < T0 + 240; minute++) {
    for (const [file_system, target] of NAMES as [string, string][]) {
      const mdt = target.startsWith("MDT");
      const sums = Object.fromEntries(FIELDS.map((name) => [name, 0])) as Record<Field, number>;
      for (let i = random.below(5); i > 0; i--) {
        const job = random.below(20);
        const data = {
          bytes_read: some(1e6),
          bytes_written: some(1e6),
          reads: 1 + some(90),
          writes: 1 + some(900),
        };
        const meta = { opens: some(50), metadata_calls: 50 + some(100) };
        const none = { bytes_read: null, bytes_written: null, reads: null, writes: null };
        const counters = mdt ? { ...none, ...meta } : { ...data, opens: null, metadata_calls: null };
        // Ids 17 to 19 are no jobs of the scheduler: two programs with their user, and an empty one.
        const job_id = job < 17 ? String(100 + job) : (["rsync.77", "cp.77", ""][job - 17] as string);
        minutes.push({ job_key: 1000 + job, job_id, file_system, target, minute_unix: minute, ...counters });
        for (const name of FIELDS) sums[name] += (counters as Record<Field, number | null>)[name] ?? 0;
      }
      if (`${file_system}-${target}` === OWNLESS) continue;
      const extra = (name: Field) =>
        mdt === (name === "opens" || name === "metadata_calls") ? sums[name] + random.below(30) : null;
      targets.push({
        file_system,
        target,
        minute_unix: minute,
        ...(Object.fromEntries(FIELDS.map((name) => [name, extra(name)])) as Record<Field, number | null>),
      });
    }
  }
  for (let job = 0; job < 15; job++)
    jobs.push({
      job_key: 1000 + job,
      job_id: String(100 + job),
      source: "both",
      cluster: "c",
      user_id: 500 + (job % 4),
      ...(job % 4 === 3 ? {} : { user_name: `user${job % 4}` }),
      name: `name${job}`,
      nodes: job + 1,
      node_memory_bytes: 1e6,
      start_unix_ns: T0 * 6e10,
      end_unix_ns: (T0 + 240) * 6e10,
      bytes_read: job * 1000,
      bytes_written: job * 5000,
      reads: job,
      writes: 1 + ((job * 7) % 5),
    });
}

beforeAll(async () => {
  plant();
  db = await memoryStore();
  await db.insert("minutes", minutes as never);
  await db.insert("targets", targets as never);
  await db.insert("jobs", jobs as never);
  await db.run(`create view job_totals as ${jobTotals(["scheduler", "clients", "both"])}`);
});
afterAll(() => db.close());

const PARTS: Record<Measure, Field[]> = {
  bytes: ["bytes_read", "bytes_written"],
  read: ["bytes_read"],
  write: ["bytes_written"],
  calls: ["reads", "writes"],
  metadata: ["metadata_calls"],
  opens: ["opens"],
  "small-writes": ["writes"],
};

function amount(row: Record<Field, number | null>, measure: Measure): number {
  if (measure === "small-writes" && !((row.bytes_written ?? 0) < (row.writes ?? 0) * SMALL)) return 0;
  return PARTS[measure].reduce((sum, name) => sum + (row[name] ?? 0), 0);
}

const userOf = (id: string): string | null => {
  const job = jobs.find(({ job_id }) => job_id === id);
  if (job !== undefined) return (job.user_name as string) ?? `uid ${job.user_id}`;
  return /\.77$/.test(id) ? "uid 77" : null;
};

const CASES: [string[], Measure, "job" | "user", number, number][] = [
  [["OST0000"], "bytes", "job", T0, T0 + 240],
  [["a-OST*"], "write", "job", T0 + 10, T0 + 77],
  [["MDT*"], "metadata", "user", T0, T0 + 240],
  [["mdt0000"], "opens", "job", T0 + 100, T0 + 101],
  [["b-*"], "read", "user", T0 + 3, T0 + 200],
  [["*"], "calls", "user", T0, T0 + 240],
  [[], "small-writes", "job", T0, T0 + 240],
];

describe("who and top, against loops", () => {
  it.each(CASES)("%j by %s of each %s", async (patterns, measure, by, from, to) => {
    const all = await storedTargetNames(db);
    const { targets: chosen, unknown } = chooseTargets(all, patterns);
    expect(unknown).toEqual([]);
    const is = (row: { file_system: string; target: string; minute_unix: number }) =>
      row.minute_unix >= from &&
      row.minute_unix < to &&
      chosen.some(({ fileSystem, target }) => fileSystem === row.file_system && target === row.target);
    const sums = new Map<string | null, number>();
    let [ofJobs, ofOwn, own] = [0, 0, 0];
    for (const row of minutes.filter(is)) {
      const key = by === "job" ? row.job_id : userOf(row.job_id);
      sums.set(key, (sums.get(key) ?? 0) + amount(row, measure));
      ofJobs += amount(row, measure);
      if (`${row.file_system}-${row.target}` !== OWNLESS) ofOwn += amount(row, measure);
    }
    for (const row of targets.filter(is)) own += amount(row, measure);
    const limit = 4;
    const found = await rank(db, {
      by,
      order: measure,
      limit,
      source: "servers",
      window: { from, to },
      condition: targetCondition(all, chosen),
      smallBytes: SMALL,
    });
    const value = (one: (typeof found.rows)[number]) =>
      Number(
        {
          bytes: one.bytesRead + one.bytesWritten,
          calls: one.readCalls + one.writeCalls,
          read: one.bytesRead,
          write: one.bytesWritten,
          metadata: one.metadataCalls,
          opens: one.openCalls,
          "small-writes": one.smallWriteCalls,
        }[measure],
      );
    for (const one of found.rows) {
      expect(value(one)).toBe(sums.get(one.id));
      expect(one.when.reduce((a, b) => a + b, 0)).toBe(value(one));
    }
    const falling = [...sums.values()].sort((a, b) => b - a);
    expect(found.rows.map(value)).toEqual(falling.slice(0, limit));
    const unexplained = measure === "small-writes" ? 0 : Math.max(0, own - ofOwn);
    if (measure !== "small-writes") expect(unexplained).toBeGreaterThan(0);
    const total = ofJobs + unexplained;
    expect(found.others.share).toBeCloseTo(falling.slice(limit).reduce((a, b) => a + b, 0) / total, 12);
    expect(found.unexplained?.share).toBeCloseTo(unexplained / total, 12);
    const shares = [
      ...found.rows.map(({ share }) => share),
      found.others.share,
      found.unexplained?.share ?? 0,
    ];
    expect(shares.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
    expect(found.jobs).toBe(new Set(minutes.filter(is).map(({ job_id }) => job_id)).size);
    const first = new Set(found.rows.map(({ id }) => id));
    const left = minutes.filter(is).map(({ job_id }) => job_id);
    const users = left
      .filter((id) => !first.has(by === "job" ? id : userOf(id)))
      .flatMap((id) => userOf(id) ?? []);
    expect(found.others.users).toBe(new Set(users).size);
    // Targets do not count small writes, so nothing can be said of jobs beyond them.
    expect(found.beyond.smallWriteCalls).toBe(0n);
    if (by === "job")
      for (const one of found.rows.filter(({ id }) => Number(id) < 115)) {
        expect(one).toMatchObject({ jobName: `name${Number(one.id) - 100}`, nodes: Number(one.id) - 99 });
        expect(one.user).toBe(userOf(one.id as string));
      }
  });

  it("says nothing of what no job explains where targets have no counters", async () => {
    const found = await rank(db, {
      by: "job",
      order: "bytes",
      limit: 3,
      source: "servers",
      window: { from: T0, to: T0 + 240 },
      condition: "file_system = 'b' and target = 'OST0001'",
      smallBytes: SMALL,
    });
    expect(found.unexplained).toBeNull();
    expect(found.rows.reduce((sum, { share }) => sum + share, found.others.share)).toBeCloseTo(1, 12);
  });

  it("orders by the larger share of bytes and metadata", async () => {
    const ask = (order: Order) =>
      rank(db, {
        by: "job",
        order,
        limit: 30,
        source: "servers",
        window: { from: T0, to: T0 + 240 },
        condition: "true",
        smallBytes: SMALL,
      });
    const found = await ask("share");
    const { bytesRead, bytesWritten, metadataCalls } = found.total;
    const larger = found.rows.map((one) =>
      Math.max(
        Number(one.bytesRead + one.bytesWritten) / Number(bytesRead + bytesWritten),
        Number(one.metadataCalls) / Number(metadataCalls),
      ),
    );
    expect(larger).toEqual([...larger].sort((a, b) => b - a));
    expect(found.rows.map(({ id }) => id)).not.toEqual((await ask("bytes")).rows.map(({ id }) => id));
  });

  it("ranks jobs by what clients counted", async () => {
    const found = await rank(db, {
      by: "user",
      order: "small-writes",
      limit: 2,
      source: "clients",
      window: undefined,
      condition: "true",
      smallBytes: 3000,
    });
    const sums = new Map<string | null, number>();
    for (const job of jobs) {
      const small =
        (job.bytes_written as number) < (job.writes as number) * 3000 ? (job.writes as number) : 0;
      const user = userOf(job.job_id as string);
      sums.set(user, (sums.get(user) ?? 0) + small);
    }
    const falling = [...sums].sort((a, b) => b[1] - a[1] || ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1));
    expect(found.rows.map(({ id, smallWriteCalls }) => [id, Number(smallWriteCalls)])).toEqual(
      falling.slice(0, 2),
    );
    expect(found.others.users).toBe(2);
  });

  it("ranks targets", async () => {
    const found = await rankTargets(db, {
      order: "bytes",
      limit: 2,
      window: { from: T0 + 5, to: T0 + 50 },
      condition: "true",
      smallBytes: SMALL,
    });
    const sums = new Map<string, number>();
    for (const row of targets.filter(({ minute_unix: at }) => at >= T0 + 5 && at < T0 + 50))
      sums.set(
        `${row.file_system}-${row.target}`,
        (sums.get(`${row.file_system}-${row.target}`) ?? 0) + amount(row, "bytes"),
      );
    const falling = [...sums].sort((a, b) => b[1] - a[1]);
    expect(
      found.rows.map((one) => [`${one.fileSystem}-${one.target}`, Number(one.bytesRead + one.bytesWritten)]),
    ).toEqual(falling.slice(0, 2));
    expect(found.rows.reduce((sum, { share }) => sum + share, found.others.share)).toBeCloseTo(1, 12);
    expect(found.source).toBe("targets");
  });

  it("compares the first target with the mean of its kind", async () => {
    const kinds = {
      bytes: "OST",
      write: "OST",
      calls: "OST",
      metadata: "MDT",
      opens: "MDT",
      share: undefined,
    };
    for (const [order, kind] of Object.entries(kinds)) {
      const found = await rankTargets(db, {
        order: order as Order,
        limit: 3,
        window: { from: T0, to: T0 + 240 },
        condition: "true",
        smallBytes: SMALL,
      });
      const { comparison } = found;
      expect(comparison?.kind).toBe(kind ?? "MDT");
      const alike = new Map<string, number>();
      for (const row of targets.filter(({ target }) => target.startsWith(comparison?.kind as string))) {
        const name = `${row.file_system}-${row.target}`;
        alike.set(name, (alike.get(name) ?? 0) + amount(row, comparison?.measure as Measure));
      }
      const values = [...alike.values()];
      expect(comparison?.targets).toBe(values.length);
      const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
      expect(comparison?.firstOverMean).toBeCloseTo(Math.max(...values) / mean, 12);
      const { verdict } = targetRankingDocument(found, "", { command: "", madeBy: "", zone: "UTC" });
      expect(verdict).toContain(
        `times the mean of ${kind === "OST" ? "3 OSTs" : "1 MDT"}${order === "share" ? ", by metadata operations" : ""}.`,
      );
    }
  });

  it("shows no time of small writes that no job explains, since targets do not count them", async () => {
    const found = await rank(db, {
      by: "job",
      order: "small-writes",
      limit: 3,
      source: "servers",
      window: { from: T0, to: T0 + 240 },
      condition: "file_system = 'a' and target = 'OST0000'",
      smallBytes: 1e9,
    });
    expect(found.unexplained).toMatchObject({ smallWriteCalls: 0n, share: 0 });
    expect(found.unexplained?.when.every((value) => value === 0)).toBe(true);
  });
});

describe("users", () => {
  it("are one row by name, whether jobs have the name, the number or a program.uid", async () => {
    const store = await memoryStore();
    const job = (key: number, facts: Record<string, string | number>) => ({
      ...{ job_key: key, job_id: String(key), source: "both", start_unix_ns: T0 * 6e10 },
      ...{ end_unix_ns: (T0 + 9) * 6e10, bytes_read: 0, bytes_written: 1, writes: 1 },
      ...facts,
    });
    await store.insert("jobs", [
      job(1, { cluster: "a", user_id: 1001, user_name: "alice" }),
      job(2, { cluster: "a", user_id: 1001 }),
      job(3, { cluster: "a", user_id: 2002, user_name: "bob" }),
      job(4, { cluster: "b", user_id: 2002, user_name: "carol" }),
      job(5, { cluster: "b", user_id: 2002 }),
      job(6, { user_id: 2002 }),
      job(7, { cluster: "a", user_id: 3003 }),
    ] as never);
    const ids = [1, 2, 3, 4, 5, 6, 7, "cp.1001", "cp.2002", "cp.99", "login"];
    await store.insert(
      "minutes",
      ids.map((id, at) => ({
        ...{ job_key: at + 1, job_id: String(id), file_system: "fs", target: "OST0000", minute_unix: T0 + 1 },
        ...{ bytes_read: 0, bytes_written: 10 ** at, writes: 1 },
      })) as never,
    );
    await store.run(`create view job_totals as ${jobTotals(["scheduler", "clients", "both"])}`);
    const window = { from: T0, to: T0 + 10 };
    const asked = { order: "bytes", limit: 20, condition: "true", smallBytes: 0 } as const;
    const rows = async (by: "job" | "user", source: "servers" | "clients") =>
      (await rank(store, { ...asked, by, source, window })).rows;
    const users = await rows("user", "servers");
    expect(
      Object.fromEntries(users.map(({ id, bytesWritten }) => [String(id), Number(bytesWritten)])),
    ).toEqual({
      alice: 10 ** 0 + 10 ** 1 + 10 ** 7,
      bob: 10 ** 2,
      // On its cluster the number has one name, and on no known cluster two.
      carol: 10 ** 3 + 10 ** 4,
      "uid 2002 (bob or carol)": 10 ** 5 + 10 ** 8,
      "uid 3003": 10 ** 6,
      "uid 99": 10 ** 9,
      null: 10 ** 10,
    });
    const clients = await rows("user", "clients");
    expect(clients.map(({ id, jobs }) => `${id} ${jobs}`).sort()).toEqual(
      ["alice 2", "bob 1", "carol 2", "uid 2002 (bob or carol) 1", "uid 3003 1"].sort(),
    );
    const options = {
      population: "all",
      perCall: "meanOfRatios",
      threshold: "mean",
      maxGapMinutes: 0,
      lateMinutes: 1,
      neighbours: 20,
    } as const;
    const { runs } = await jobAnswer(store, "2", options);
    expect(runs[0]?.facts.user).toBe("alice");
    expect((await jobAnswer(store, "cp.1001", options)).runs[0]?.facts.user).toBe("alice");
    const beside = Object.fromEntries(runs[0]?.neighbours.map(({ jobId, user }) => [jobId, user]) ?? []);
    expect(beside).toMatchObject({ "5": "carol", "cp.1001": "alice", "cp.99": "uid 99", login: null });
    await store.close();
  });

  it("of a study are one too, when a name without a number has one number elsewhere", async () => {
    const store = await memoryStore();
    const job = (key: number, facts: Record<string, string | number>) => ({
      ...{ job_key: key, job_id: String(key), source: "both", cluster: "a", nodes: 1 },
      ...{ start_unix_ns: T0 * 6e10, end_unix_ns: (T0 + 9) * 6e10 },
      ...{ bytes_read: 10, bytes_written: 10 ** key, writes: 1, ...facts },
    });
    await store.insert("jobs", [
      job(1, { user_id: 1001, user_name: "alice" }),
      job(2, { user_name: "alice" }),
      job(3, { user_id: 2002, user_name: "bob" }),
      job(4, { user_id: 2003, user_name: "bob" }),
      job(5, { user_name: "bob" }),
    ] as never);
    await store.run(`create view job_totals as ${jobTotals(["scheduler", "clients", "both"])}`);
    const { items } = await runStudy(store, systemOptions({ replicates: 10 }));
    // alice; bob with either number; and a bob of whom nobody knows which.
    expect(items.B05?.values.users).toBe(4);
    expect(items.B05?.tables[0]?.rows.filter(([name]) => name === "alice")).toHaveLength(1);
    await store.close();
  });
});

describe("job, against loops", () => {
  const options = {
    population: "all",
    perCall: "meanOfRatios",
    threshold: "mean",
    maxGapMinutes: 0,
    lateMinutes: 1,
    neighbours: 100,
  } as const;

  it("has the series, bursts, share, class and targets of every job", async () => {
    const ratios = jobs.map(({ bytes_written, writes }) => (bytes_written as number) / (writes as number));
    const meanOf = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    const limits = [
      meanOf(jobs.map(({ bytes_written }) => bytes_written as number)),
      meanOf(ratios),
    ] as const;
    for (const [at, job] of jobs.entries()) {
      const { runs } = await jobAnswer(db, job.job_id as string, options);
      expect(runs).toHaveLength(1);
      const [run] = runs as [(typeof runs)[0]];
      const mine = minutes.filter(({ job_id }) => job_id === job.job_id);
      let [bursts, io, largest, current] = [0, 0, 0, 0];
      for (let minute = T0; minute <= T0 + 240; minute++) {
        const rows = mine.filter(({ minute_unix }) => minute_unix === minute);
        const written = rows.reduce((sum, row) => sum + (row.bytes_written ?? 0), 0);
        if (rows.some((row) => amount(row, "bytes") > 0)) io++;
        if (written > 0 && current === 0) bursts++;
        current = written > 0 ? current + written : 0;
        largest = Math.max(largest, current);
      }
      expect(run.bursts).toHaveLength(bursts);
      expect(Number(run.largestBurst?.bytes)).toBe(largest);
      expect(run.largestBurstOfMemory).toBeCloseTo(largest / (1e6 * (at + 1)), 12);
      expect(run.ioShare).toMatchObject({ ioMinutes: io, minutes: 241, share: io / 241 });
      const heavy = (job.bytes_written as number) > limits[0];
      expect(run.efficiency).toBe("too few jobs");
      const { limits: own } = run;
      expect(own.jobs).toBe(jobs.length);
      expect(classOf(job.bytes_written as number, job.writes as number, { ...own, jobs: 30 })).toBe(
        !heavy ? "light" : (ratios[at] as number) < limits[1] ? "inefficient" : "efficient",
      );
      expect(run.targets.map((one) => Number(one.bytesWritten)).reduce((a, b) => a + b, 0)).toBe(
        mine.reduce((sum, row) => sum + (row.bytes_written ?? 0), 0),
      );
      const cells = new Set(
        mine
          .filter((row) => amount(row, "bytes") + amount(row, "metadata") > 0)
          .map((row) => `${row.file_system} ${row.target} ${row.minute_unix}`),
      );
      const beside = new Map<string, number>();
      for (const row of minutes)
        if (
          row.job_id !== job.job_id &&
          amount(row, "bytes") + amount(row, "metadata") > 0 &&
          cells.has(`${row.file_system} ${row.target} ${row.minute_unix}`)
        )
          beside.set(row.job_id, (beside.get(row.job_id) ?? 0) + amount(row, "bytes"));
      expect(new Map(run.neighbours.map((one) => [one.jobId, Number(one.bytes)]))).toEqual(beside);
      expect(run.neighboursTotal).toBe(beside.size);
    }
  });

  it("keeps the runs of an id that came twice apart, with their Darshan logs", async () => {
    const store = await memoryStore();
    await store.run(`create view job_totals as ${jobTotals(["scheduler", "clients", "both"])}`);
    const run = (start: number, end: number) => ({
      job_key: 5,
      job_id: "42",
      source: "scheduler",
      cluster: "c",
      nodes: 2,
      state: "REQUEUED",
      submit_unix_ns: start * 6e10,
      start_unix_ns: start * 6e10,
      end_unix_ns: end * 6e10,
    });
    await store.insert("jobs", [run(T0, T0 + 10), run(T0 + 100, T0 + 160)]);
    const at = (minute: number, bytes: number) => ({
      job_key: 5,
      job_id: "42",
      file_system: "a",
      target: "OST0000",
      minute_unix: minute,
      bytes_read: 0,
      bytes_written: bytes,
      reads: 0,
      writes: 1,
    });
    // The last byte of the first run is counted a minute late; the second writes every ten minutes.
    await store.insert("minutes", [
      at(T0 + 3, 100),
      at(T0 + 11, 50),
      ...Array.from({ length: 6 }, (_, i) => at(T0 + 100 + 10 * i, 7)),
    ]);
    const log = (id: number, minute: number, written: number) => ({
      run_id: id,
      source: `/logs/${id}.darshan`,
      job_id: "42",
      start_unix_ns: minute * 6e10,
      bytes_read: 0,
      bytes_written: written,
    });
    await store.insert("runs", [log(1, T0 + 1, 75), log(2, T0 + 101, 21), log(3, T0 - 500_000, 9)]);
    const { runs } = await jobAnswer(store, "42", options);
    store.close();
    expect(
      runs.map(({ series, bursts, darshan }) => [
        series.length,
        bursts.length,
        darshan.map(({ runId }) => runId),
      ]),
    ).toEqual([
      [2, 2, ["1"]],
      [6, 6, ["2"]],
    ]);
    expect(runs.map(({ darshanWrittenShare }) => darshanWrittenShare)).toEqual([0.5, 0.5]);
    expect(runs[1]?.period).toMatchObject({ minutes: 10 });
    expect(runs[1]?.period?.confidence).toBeGreaterThan(0.95);
    // Clients counted nothing, so the class comes from servers; the store has no jobs to compare with.
    expect(runs[0]).toMatchObject({ efficiency: "too few jobs", clients: null });
  });
});
