// Counters of file systems and jobs into a store by the real command: against truth, again, growing, killed, damaged.

import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../src/base/prng.ts";
import { clientReadingText, SegmentWriter } from "../src/formats/samples/index.ts";
import type { SqlRow } from "../src/model/index.ts";
import { Store } from "../src/store/index.ts";
import { describeWithLustreData, lustreData } from "./oracle/lustre-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "bin", "plimsoll");
let folder: string;

function plimsoll(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return { code: status, out: stdout, err: stderr };
}

function ingested(store: string, ...paths: string[]) {
  const { code, out, err } = plimsoll("ingest", ...paths, "--store", store, "--threads", "1", "--json");
  expect(err.replace(/^plimsoll: skipped.*$/gm, "").trim(), err).toBe("");
  return { code, ...JSON.parse(out) };
}

async function ask(store: string, ...queries: readonly string[]): Promise<SqlRow[][]> {
  const opened = await Store.open(join(folder, store));
  const db = await opened.query();
  const results: SqlRow[][] = [];
  for (const sql of queries) results.push(await db.rows(sql));
  db.close();
  await opened.close();
  return results;
}

/** All that a store says of a file system, in an order that does not depend on how it came in. */
const contents = (store: string) =>
  ask(
    store,
    "select * from minutes order by all",
    "select * from targets order by all",
    "select * from job_totals order by all",
    `select file_system, target, kind, min(from_unix_ns) as begin, max(to_unix_ns) as until,
       sum(readings)::int as n, sum(carried_in)::int as c from readings group by all order by all`,
  );

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-ingest-system-"));
  // The first call builds; the others must not wait for it.
  expect(plimsoll("--version").code).toBe(0);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const T0 = 1_700_000_040;
const line = (name: string, unit: string, samples: number, sum?: number) =>
  `  ${`${name}:`.padEnd(16)} { samples: ${samples}, unit: ${unit}${sum === undefined ? "" : `, min: 1, max: 4096, sum: ${sum}`} }\n`;

interface Job {
  readonly id: string;
  readonly written: number;
  readonly opens: number;
}
const ostJobs = (jobs: readonly Job[], at: number) =>
  `job_stats:\n${jobs.map(({ id, written }) => `- job_id:          ${id}\n  snapshot_time:   ${at - 1}\n${line("read_bytes", "bytes", 0, 0)}${line("write_bytes", "bytes", written / 100, written)}${line("punch", "reqs", written / 50)}`).join("")}`;
const mdtJobs = (jobs: readonly Job[], at: number) =>
  `job_stats:\n${jobs.map(({ id, opens }) => `- job_id:          ${id}\n  snapshot_time:   ${at - 1}\n${line("open", "reqs", opens)}${line("close", "reqs", opens)}${line("rename", "reqs", opens)}${line("samedir_rename", "reqs", opens)}`).join("")}`;
const stats = (at: number, written: number) =>
  `snapshot_time             ${at}.000005 secs.usecs\nwrite_bytes               ${written / 100} samples [bytes] 1 4096 ${written}\n`;

/** Dumps of two servers, a file a minute; what was planted comes back, by job, target and minute. */
function plant(place: string, minutes: number, seed: number): Map<string, number> {
  const random = new Random(seed);
  const truth = new Map<string, number>();
  const jobs = Array.from({ length: 30 }, (_, i) => ({ id: `${9000 + i}`, written: 0, opens: 0 }));
  const perTarget = [0, 1, 2].map(() => jobs.map((job) => ({ ...job })));
  const meta = jobs.map((job) => ({ ...job }));
  let total = 0;
  for (let minute = 0; minute < minutes; minute++) {
    const at = T0 + 60 * minute;
    if (minute > 0) {
      for (const [target, list] of perTarget.entries())
        for (const job of list) {
          const bytes = random.below(3) === 0 ? 100 * random.below(5000) : 0;
          job.written += bytes;
          total += bytes;
          if (bytes > 0) truth.set(`${job.id} OST000${target} ${Math.floor(at / 60)}`, bytes);
        }
      for (const job of meta) {
        const opens = random.below(4);
        job.opens += opens;
        if (opens > 0) truth.set(`${job.id} MDT0000 ${Math.floor(at / 60)}`, opens);
      }
    }
    const [a, b, c] = perTarget as [Job[], Job[], Job[]];
    write(
      join(place, "oss1", `${at}.txt`),
      `obdfilter.fs-OST0000.job_stats=\n${ostJobs(a, at)}obdfilter.fs-OST0001.job_stats=\n${ostJobs(b, at)}obdfilter.fs-OST0000.stats=\n${stats(at, total)}`,
    );
    write(
      join(place, `day${minute < minutes / 2 ? 1 : 2}`, `oss2-${at}.txt`),
      `mdt.fs-MDT0000.job_stats=\n${mdtJobs(meta, at)}obdfilter.fs-OST0002.job_stats=\n${ostJobs(c, at)}`,
    );
  }
  return truth;
}

const MINUTES = 40;
let truth: Map<string, number>;

describe("texts of counters, a file a minute", () => {
  beforeAll(() => {
    truth = plant("raw", MINUTES, 7);
  });

  it("become what every job did on every target in every minute", async () => {
    const result = ingested("whole", "raw");
    expect(result).toMatchObject({ code: 0, new: 2 * MINUTES, known: 0, skippedTotal: 0 });
    expect(result.dropped).toMatchObject({ "punch [reqs]": expect.any(Number) });
    const [rows, odd, targets] = await ask(
      "whole",
      "select job_id, target, minute_unix, coalesce(bytes_written, opens) as v, coalesce(metadata_calls, 2 * opens, 0) as m, opens from minutes",
      "select count(*) filter (seconds <> 60 or why is distinct from null and why <> 'begun')::int as n from minutes",
      "select sum(bytes_written)::bigint as w from targets",
    );
    const found = new Map(rows?.map((r) => [`${r.job_id} ${r.target} ${r.minute_unix}`, Number(r.v)]));
    expect(found).toEqual(truth);
    // Renames within a folder are renames, counted once.
    for (const { m, opens } of rows ?? []) if (opens !== null) expect(m).toBe(3n * (opens as bigint));
    expect(odd).toEqual([{ n: 0 }]);
    const written = [...truth].filter(([key]) => key.includes("OST")).reduce((sum, [, v]) => sum + v, 0);
    expect(targets).toEqual([{ w: BigInt(written) }]);
  });

  it("given again they add nothing", async () => {
    const before = await contents("whole");
    expect(ingested("whole", "raw")).toMatchObject({ code: 0, new: 0, known: 2 * MINUTES });
    expect(await contents("whole")).toEqual(before);
  });

  it("given as they come they make the same store, also when old files are gone, and late ones are let in", async () => {
    const part = (name: string, from: number, to: number) => {
      for (const path of readdirSync(join(folder, "raw"), { recursive: true, encoding: "utf8" })) {
        const at = /(\d{10})\.txt$/.exec(path)?.[1];
        const minute = (Number(at) - T0) / 60;
        if (at === undefined || minute < from || minute >= to) continue;
        mkdirSync(dirname(join(folder, name, path)), { recursive: true });
        cpSync(join(folder, "raw", path), join(folder, name, path));
      }
    };
    part("grown1", 10, 20);
    part("grown2", 0, 31);
    part("grown3", 10, MINUTES);
    expect(ingested("grown", "grown1")).toMatchObject({ new: 20 });
    // Earlier ones and later ones at once: nothing twice, and what the first two were compared with has come.
    expect(ingested("grown", "grown2")).toMatchObject({ known: 18, new: 44 });
    expect(ingested("grown", "grown3")).toMatchObject({ known: 42, new: 18 });
    const [whole, grown] = [await contents("whole"), await contents("grown")];
    // What was there at the first reading of the first round is begun only when an earlier one is known.
    expect(grown.slice(1, 2)).toEqual(whole.slice(1, 2));
    const values = "select * exclude (why) from minutes order by all";
    expect(await ask("grown", values)).toEqual(await ask("whole", values));
  });

  it("appended to one file, with a line of time before each, they are the same", async () => {
    const names = readdirSync(join(folder, "raw", "oss1")).sort();
    const text = names
      .map((name, i) => {
        const body = readFileSync(join(folder, "raw", "oss1", name), "utf8");
        const at = name.slice(0, 10);
        const stamp =
          i % 3 === 0 ? `### ${at}` : i % 3 === 1 ? new Date(Number(at) * 1000).toISOString() : at;
        return `${stamp}\n${body}`;
      })
      .join("");
    write("one/server.log", text.slice(0, Math.floor(text.length / 2)));
    const half = ingested("one-store", "one");
    expect(half.code).toBe(3);
    expect(half.skipped[0].reason).toMatch(/ends within a line or a job; what is whole was stored/);
    write("one/server.log", text);
    expect(ingested("one-store", "one")).toMatchObject({ code: 0, new: 1 });
    const of = "select * from minutes where target in ('OST0000', 'OST0001') order by all";
    expect(await ask("one-store", of)).toEqual(await ask("whole", of));
  });

  it("without any time but what Lustre prints, a pass over many files has the time of its stats", async () => {
    const names = readdirSync(join(folder, "raw", "oss1")).sort();
    write(
      "printed/all.txt",
      names.map((name) => readFileSync(join(folder, "raw", "oss1", name), "utf8")).join(""),
    );
    expect(ingested("printed-store", "printed")).toMatchObject({ code: 0, new: 1 });
    const of =
      "select job_id, target, minute_unix, bytes_written from minutes where target like 'OST000[01]' or target in ('OST0000', 'OST0001') order by all";
    expect(await ask("printed-store", of)).toEqual(await ask("whole", of));
  });

  it("a missing minute is one longer row that says so", async () => {
    for (const minute of [0, 1, 2, 5, 6])
      write(
        join("gap", `fs-OST0009-${T0 + 60 * minute}.job_stats`),
        ostJobs([{ id: "1", written: 100 * (minute + 1), opens: 0 }], T0 + 60 * minute),
      );
    expect(ingested("gap-store", "gap")).toMatchObject({ code: 0, counts: { gaps: 1, carriedIn: 2 } });
    const [rows] = await ask(
      "gap-store",
      "select seconds, bytes_written as w, why from minutes order by minute_unix",
    );
    expect(rows?.map((row) => Object.values(row))).toEqual([
      [60, 100n, null],
      [60, 100n, null],
      [180, 300n, "gap"],
      [60, 100n, null],
    ]);
  });

  it("with --slice they are named and left alone", () => {
    const { code, err } = plimsoll("ingest", "gap", "--store", "sliced", "--slice", "1/2");
    expect(code).toBe(3);
    expect(err).toContain("texts of counters belong together; read them without --slice");
  });
});

describe("killed", () => {
  it("at any moment and given again, it ends with the store of an undisturbed run", async () => {
    if (!existsSync(join(folder, "raw"))) plant("raw", MINUTES, 7);
    samples("kill-samples");
    const paths = ["raw", "kill-samples"];
    expect(ingested("undisturbed", ...paths).code).toBe(0);
    const random = new Random(4);
    let kills = 0;
    for (let attempt = 0; attempt < 8; attempt++) {
      const child = spawn(
        process.execPath,
        [program, "ingest", ...paths, "--store", "killed", "--batch", "5", "--threads", "2"],
        { cwd: folder, stdio: "ignore" },
      );
      const ended = new Promise<boolean>((resolve) =>
        child.on("exit", (_, signal) => resolve(signal === "SIGKILL")),
      );
      setTimeout(() => child.kill("SIGKILL"), 300 + random.below(900));
      if (await ended) kills++;
    }
    expect(kills).toBeGreaterThan(2);
    expect(plimsoll("ingest", ...paths, "--store", "killed").code).toBe(0);
    const [killed, undisturbed] = [await contents("killed"), await contents("undisturbed")];
    for (const table of [0, 1, 2]) expect(killed[table]).toEqual(undisturbed[table]);
    const facts = (rows: SqlRow[] | undefined) => rows?.map(({ c: _, ...row }) => row);
    expect(facts(killed[3])).toEqual(facts(undisturbed[3]));
    expect(plimsoll("store", "check", "killed").code).toBe(0);
  }, 120_000);
});

const llite = (written: number, opens: number) =>
  Buffer.from(
    `snapshot_time             ${T0}.5 secs.usecs\nwrite_bytes               ${written} samples [bytes] 1 4096 ${4096 * written}\nopen                      ${opens} samples [reqs]\n`,
  );
const NS = 1_000_000_000n;

/** Client readings of two jobs, a segment, and what a scheduler says of the jobs. */
function samples(place: string): void {
  const side = (at: number, written: number, extra: readonly { path: string; bytes: Uint8Array }[] = []) => ({
    atNs: BigInt(at) * NS,
    files: [{ path: "llite/fs-ffff8800aa/stats", bytes: llite(written, written) }, ...extra],
  });
  const lnet = (sent: number) => [
    { path: "lnet/stats", bytes: Buffer.from(`0 5 0 1 1 0 0 ${sent} ${2 * sent} 0 0\n`) },
  ];
  const reading = (node: string, more: object) =>
    write(
      join(place, `${node}.json`),
      clientReadingText({
        jobId: "9001",
        node,
        cluster: "cab",
        uid: 1000,
        user: "ada",
        nodes: 4,
        nodeMemoryBytes: 2n ** 35n,
        ...more,
      }),
    );
  reading("n1", { before: side(T0, 10, lnet(100)), after: side(T0 + 600, 15, lnet(700)) });
  reading("n2", { before: side(T0 + 1, 0), after: side(T0 + 601, 7) });
  reading("n3", { after: side(T0 + 602, 1000) });
  const track = { path: "llite/fs-ffff8800aa/stats_track_pid", bytes: Buffer.from("4711\n") };
  reading("n4", { before: side(T0, 1, [track]), after: side(T0 + 600, 900, [track]) });
  // The same id again, after a requeue; counters were cleared in between.
  reading("n1-again", { before: side(T0 + 3600, 50), after: side(T0 + 4000, 3) });
  reading("n9", { before: side(T0 + 3600, 50) });
  write(
    join(place, "jobs.sacct"),
    `Cluster|JobIDRaw|JobID|User|UID|State|Submit|Start|End|NNodes|NCPUS|JobName\n${[
      `cab|9001|9001|ada|1000|REQUEUED|${T0 - 60}|${T0 + 2}|${T0 + 599}|4|16|sim`,
      `cab|9001|9001|ada|1000|COMPLETED|${T0 + 3000}|${T0 + 3601}|${T0 + 3999}|4|16|sim`,
      `cab|9002|9002|bob|1001|FAILED|${T0}|${T0 + 1}|${T0 + 2}|1|4|x`,
    ].join("\n")}\n`,
  );
  let text = "";
  const writer = new SegmentWriter(
    { host: "oss7", collector: "test", fromNs: BigInt(T0) * NS, toNs: BigInt(T0 + 60) * NS },
    (part) => {
      text += part;
    },
  );
  const time = { fromNs: BigInt(T0) * NS, toNs: BigInt(T0 + 60) * NS, gap: false, carriedIn: 0 };
  writer.target({ target: "fs-OST0011", kind: "job_stats", ...time, counters: [] });
  for (const id of [Uint8Array.of(0xff, 0x41), Buffer.from("é\0x"), Buffer.from("9001")])
    writer.job({
      target: "fs-OST0011",
      id,
      counters: [
        { name: "write_bytes", unit: "bytes", samples: 2n, sum: 2n ** 62n + 1n, why: "begun" },
        { name: "odd", unit: "reqs", samples: 1n, sum: 0n, why: "grown" },
      ],
    });
  writer.target({
    target: "fs-OST0011",
    kind: "ost_stats",
    ...time,
    counters: [{ name: "read_bytes", unit: "bytes", samples: 1n, sum: 5n, why: "grown" }],
  });
  writer.end();
  write(join(place, "segment.ndjson"), text);
}

describe("what collectors and a scheduler left", () => {
  it("is summed per job, with nodes that say nothing counted; runs of one id are told apart", async () => {
    samples("samples");
    const result = ingested("samples-store", "samples");
    expect(result).toMatchObject({
      code: 0,
      foreign: 1,
      nodesDropped: {
        "no reading before the job": 1,
        "the client counts only some processes (stats_track)": 1,
      },
      dropped: { "odd [reqs]": 3 },
      counts: { nodesCounted: 3, schedulerJobs: 3, waiting: 1 },
    });
    const [jobs, minutes, targets] = await ask(
      "samples-store",
      `select job_id, state, nodes_counted as c, nodes_dropped as d, bytes_written as w, writes as n, opens, bytes_read as r,
         lnet_sent_bytes as s, lnet_received_bytes as l, node_memory_bytes as m, warnings from job_totals order by start_unix_ns, job_id`,
      "select job_id, bytes_written, why, bytes_read from minutes order by job_id",
      "select server, bytes_read from targets",
    );
    expect(jobs?.map((row) => Object.values(row))).toEqual([
      ["9002", "FAILED", null, null, null, null, null, null, null, null, null, null],
      [
        ...["9001", "REQUEUED", 2n, 2n, 12n * 4096n, 12n, 12n, 0n, 600n, 1200n, 2n ** 35n],
        "1 nodes: no reading before the job\n1 nodes: the client counts only some processes (stats_track)",
      ],
      [
        ...["9001", "COMPLETED", 1n, 0n, 3n * 4096n, 3n, 3n, 0n, null, null, 2n ** 35n],
        "1 nodes: counters were cleared during the job; counted from then on",
      ],
    ]);
    // Bytes that are no UTF-8 are Latin-1.
    expect(minutes?.map((row) => Object.values(row))).toEqual([
      ["9001", 2n ** 62n + 1n, "begun", null],
      ["é\0x", 2n ** 62n + 1n, "begun", null],
      ["ÿA", 2n ** 62n + 1n, "begun", null],
    ]);
    expect(targets).toEqual([{ server: "oss7", bytes_read: 5n }]);
    expect(ingested("samples-store", "samples")).toMatchObject({ new: 0, foreign: 1 });
  });

  it("a time that the store has from elsewhere is not counted twice", async () => {
    for (const minute of [0, 1, 2])
      write(
        join("both", `fs-OST0011-${T0 + 60 * minute}.job_stats`),
        ostJobs([{ id: "9001", written: 100 * (minute + 1), opens: 0 }], T0 + 60 * minute),
      );
    expect(ingested("samples-store", "both").counts).toMatchObject({ readings: 1, knownReadings: 2 });
    const [rows] = await ask(
      "samples-store",
      "select bytes_written as w from minutes where job_id = '9001' order by w",
    );
    expect(rows?.map(({ w }) => w)).toEqual([100n, 2n ** 62n + 1n]);
  });
});

describe("damage", () => {
  it("is named, counted, and ends with 3; what is whole is stored", async () => {
    const at = (minute: number) => T0 + 60 * minute;
    const text = (minute: number) =>
      ostJobs(
        [1, 2, 3].map((id) => ({ id: `${id}`, written: 1000 * minute * id, opens: 0 })),
        at(minute),
      );
    const file = (minute: number, body: string) =>
      write(join("bad", "fs-OST0001", `${at(minute)}.job_stats`), body);
    file(0, text(0));
    file(1, text(1).slice(0, -30));
    file(2, `${text(2)}\0\0\0\0`);
    file(3, text(3).replace("samples: 60,", "samples: 6x,"));
    write(
      "bad/clock.log",
      `${at(9)}\nobdfilter.fs-OST0002.job_stats=\n${text(1)}${at(8)}\nobdfilter.fs-OST0002.job_stats=\n${text(2)}`,
    );
    write("bad/fs-OST0003.job_stats", text(1));
    write("bad/1700000100.job_stats", text(1));
    write("bad/cut.ndjson", '{"plimsoll":"server-samples","version":1,"host":"h","fromNs":"1","toNs":"2"}\n');
    write("bad/new.json", '{"plimsoll":"client-reading","version":9,"jobId":"1","node":"n"}\n');
    const { code, skipped, counts } = ingested("bad-store", "bad");
    expect(code).toBe(3);
    expect(
      Object.fromEntries(skipped.map(({ path, reason }: { path: string; reason: string }) => [path, reason])),
    ).toEqual({
      [`bad/fs-OST0001/${at(1)}.job_stats`]:
        "the text of fs-OST0001 ends within a line or a job; what is whole was stored",
      [`bad/fs-OST0001/${at(3)}.job_stats`]: expect.stringMatching(
        /^1 counter lines cannot be read, the first is line \d+; what is whole/,
      ),
      "bad/clock.log": expect.stringMatching(/^the clock goes backwards: a reading of fs-OST0002 is earlier/),
      "bad/fs-OST0003.job_stats": expect.stringMatching(/^nothing says when it was read/),
      "bad/1700000100.job_stats": expect.stringMatching(/^nothing says of which target it is/),
      "bad/cut.ndjson": 'line 2: the file is cut: it has no last line {"end":…}',
      "bad/new.json": "version 9, this Plimsoll knows 1; update Plimsoll",
    });
    expect(counts).toMatchObject({ paddedFiles: 1, brokenLines: 1 });
    const [rows] = await ask(
      "bad-store",
      "select job_id, sum(bytes_written)::bigint as w from minutes where target = 'OST0001' group by 1 order by 1",
    );
    // Job 3 was cut in one reading: its growth is in the next.
    expect(rows?.find(({ job_id }) => job_id === "3")?.w).toBe(9000n);
    expect(rows?.find(({ job_id }) => job_id === "2")?.w).toBe(6000n);
  });

  it("clocks that are apart are told", () => {
    for (const minute of [0, 1])
      write(
        join("apart", `fs-OST0001-${T0 + 60 * minute}.job_stats`),
        ostJobs([{ id: "1", written: 100 * minute, opens: 0 }], T0 + 60 * minute + 100),
      );
    const { code, warnings } = ingested("apart-store", "apart");
    expect(code).toBe(0);
    expect(warnings).toEqual(["the clock of fs-OST0001's server is 99 s ahead of the times of the readings"]);
  });
});

describeWithLustreData("planted series and dumps", () => {
  type TrueDeltas = Readonly<
    Record<string, Readonly<Record<string, readonly [bytes: number, calls: number]>>>
  >;
  const truthOf = (series: string) => {
    const path = lustreData("derived/series", series, "truth.json");
    const { deltas } = JSON.parse(readFileSync(path, "utf8")) as { deltas: TrueDeltas };
    const all = new Map<string, string>();
    for (const [job, values] of Object.entries(deltas))
      for (const [at, [bytes, calls]] of Object.entries(values))
        if (bytes > 0 || calls > 0) all.set(`${job} ${Math.floor(Number(at) / 60)}`, `${bytes} ${calls}`);
    return all;
  };
  const rowsOf = async (store: string) => {
    const [rows] = await ask(
      store,
      "select job_id, minute_unix, bytes_written as b, writes as n, seconds from minutes where writes > 0",
    );
    return new Map(rows?.map((r) => [`${r.job_id} ${r.minute_unix}`, `${r.b} ${r.n}`]));
  };

  it.each(["ost0000_v2.12_expiry", "ost0000_v2.17_expiry", "ost0001_v2.12_restart"])(
    "%s is what the truth says",
    async (series) => {
      const result = ingested(`truth-${series}`, lustreData("derived/series", series));
      expect(result).toMatchObject({ code: 0, new: 31, foreign: 1, skippedTotal: 0 });
      expect(await rowsOf(`truth-${series}`)).toEqual(truthOf(series));
    },
  );

  it.each(["telegraf_lines.txt", "influx1_group_by.csv", "influx1_select_star.csv", "influx2_annotated.csv"])(
    "%s agrees with it",
    async (file) => {
      expect(ingested(`influx-${file}`, lustreData("derived/influx", file))).toMatchObject({
        code: 0,
        new: 1,
      });
      const found = await rowsOf(`influx-${file}`);
      const truthful = truthOf("ost0000_v2.12_expiry");
      let same = 0;
      for (const [key, value] of found) if (truthful.get(key) === value) same++;
      expect(same).toBeGreaterThan(5);
      // Two points of the text were added by hand.
      expect(found.size - same).toBeLessThanOrEqual(2);
    },
  );

  it("every file of the collection is read, named or left alone, and nothing fails", () => {
    const { code, out } = plimsoll("ingest", lustreData("."), "--store", "all", "--json");
    expect([0, 3]).toContain(code);
    const { read, new: added, known, foreign, skippedTotal } = JSON.parse(out);
    expect(added + known + foreign + skippedTotal).toBe(read);
    expect(read).toBeGreaterThan(300);
  });
});
