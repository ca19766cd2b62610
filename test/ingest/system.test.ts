/** Texts of counters into a store by the real command: against what was planted, again, growing, damaged. */

import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import {
  ask,
  contents,
  folder,
  ingested,
  ostJobs,
  plant,
  plimsoll,
  T0,
  useFolder,
  write,
} from "./system-kit.ts";

useFolder();

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

  it("packed with gzip they make the same store, and any other input is the same packed, too", async () => {
    for (const path of readdirSync(join(folder, "raw"), { recursive: true, encoding: "utf8" }))
      if (path.endsWith(".txt"))
        write(`packed/${path}.gz`, gzipSync(readFileSync(join(folder, "raw", path))));
    expect(ingested("packed-store", "packed")).toMatchObject({ code: 0, new: 2 * MINUTES });
    expect(await contents("packed-store")).toEqual(await contents("whole"));
    const jobs = "JobIDRaw|User|Start|End\n1|ada|1700000000|1700000060\n";
    write("jobs.txt", jobs);
    write("jobs.txt.gz", gzipSync(jobs));
    expect(ingested("packed-store", "jobs.txt.gz")).toMatchObject({ new: 1 });
    expect(ingested("packed-store", "jobs.txt")).toMatchObject({ known: 1 });
    write("cut/1700000040.job_stats.gz", gzipSync(ostJobs([], T0)).subarray(0, 30));
    expect(plimsoll("ingest", "cut", "--store", "packed-store").err).toMatch(/damaged gzip file/);
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
    expect(half.skipped[0].reason).toMatch(/ends within a line or a job; the intact part was stored/);
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

  it("what is not stored is named, and so is what is lost when the last reading is not given again", () => {
    const file = (place: string, minute: number) =>
      write(
        join(place, `fs-OST0005-${T0 + 60 * minute}.txt`),
        `obdfilter.fs-OST0005.job_stats=\n${ostJobs([{ id: "1", written: 100 * minute, opens: 0 }], T0 + 60 * minute)}obdfilter.fs-OST0005.kbytesfree=1234\n`,
      );
    for (const minute of [0, 1, 2]) file("link1", minute);
    for (const minute of [5, 6]) file("link2", minute);
    for (const minute of [6, 7]) file("link3", minute);
    expect(ingested("link-store", "link1")).toMatchObject({ lostLinks: [], leftOut: { kbytesfree: 3 } });
    const { code, out, err } = plimsoll("ingest", "link2", "--store", "link-store");
    expect(code).toBe(0);
    expect(out).toMatch(/^not stored: counter deltas without a column: punch \[reqs\] 1$/m);
    expect(out).toMatch(/^not stored: parameters that do not count what a target did: kbytesfree 2$/m);
    expect(err).toContain(
      "once a counter series could not be continued, and the counts in between are lost: fs-OST0005 job_stats from 2023-11-14T22:16:00Z to 2023-11-14T22:19:00Z; keep files for 20 minutes",
    );
    expect(ingested("link-store", "link3")).toMatchObject({ lostLinks: [], counts: { readings: 1 } });
  });

  it("counters of clients, locks and services are not those of the target in their path", async () => {
    const stats = (at: number, written: number) =>
      `snapshot_time             ${at}.000005 secs.usecs\nwrite_bytes               ${written / 100} samples [bytes] 1 4096 ${written}\n`;
    const paths = [
      "obdfilter/fs-OST0001/stats",
      "osc/fs-OST0001-osc-ffff8800aa/stats",
      "osc.fs-OST0001-osc-ffff8800bb.stats",
      "osp/fs-OST0001-osc-MDT0000/stats",
      "mdc/fs-MDT0000-mdc-ffff8800aa/md_stats",
      "ldlm/namespaces/filter-fs-OST0001_UUID/pool/stats",
      "obdfilter.fs-OST0001.exports.10.0.0.4@tcp.stats",
    ];
    for (const minute of [0, 1, 2])
      for (const path of paths)
        write(join("devices", `${T0 + 60 * minute}`, path), stats(T0 + 60 * minute, 1000 * minute));
    expect(ingested("devices-store", "devices")).toMatchObject({ code: 0, new: 3, foreign: 18 });
    const [rows] = await ask(
      "devices-store",
      "select file_system, target, sum(bytes_written)::int as w from targets group by all",
    );
    expect(rows).toEqual([{ file_system: "fs", target: "OST0001", w: 2000 }]);
    const named = join("devices", `${T0}`, "osc/fs-OST0001-osc-ffff8800aa/stats");
    const { code, skipped } = ingested("devices-store", named);
    expect(code).toBe(3);
    expect(skipped[0].reason).toMatch(/^no OST or MDT counters; client/);
  });

  it("of a file system that two clusters share go to the cluster that is named, or that the job id names", async () => {
    for (const minute of [0, 1])
      write(
        join("shared", `fs-OST0006-${T0 + 60 * minute}.job_stats`),
        ostJobs(
          ["cab:77", "quartz:77", "dd.1001.login1", "kworker/0:1.0"].map((id, i) => ({
            ...{ id, written: 100 * minute * (i + 1), opens: 0 },
          })),
          T0 + 60 * minute,
        ),
      );
    write("shared-jobs/cab.sacct", `JobIDRaw|User|Start|End\n77|ada|${T0}|${T0 + 600}\n`);
    write("shared-jobs/quartz.sacct", `Cluster|JobIDRaw|User|Start|End\nquartz|77|bob|${T0}|${T0 + 600}\n`);
    const ingest = (...words: string[]) => plimsoll("ingest", ...words, "--store", "shared-store");
    const forms = ["--job-id", "%C:%j", "--job-id", "%e.%u.%h"];
    expect(ingest("shared", ...forms).code).toBe(0);
    expect(ingest("shared-jobs", "--cluster", "cab").code).toBe(0);
    const [rows] = await ask(
      "shared-store",
      "select job_id, cluster, bytes_written::int as w from minutes order by w",
    );
    expect(rows?.map((row) => Object.values(row))).toEqual([
      ["77", "cab", 100],
      ["77", "quartz", 200],
      ["dd.1001", null, 300],
      ["kworker/0:1.0", null, 400],
    ]);
    const { out } = plimsoll("who", "--store", "shared-store", "--json");
    const found = JSON.parse(out).rows.map((row: Record<string, unknown>) => [
      row.jobId,
      row.cluster,
      row.user,
    ]);
    expect(found).toEqual([
      ["kworker/0:1.0", null, "uid 0"],
      ["dd.1001", null, "uid 1001"],
      ["77", "quartz", "bob"],
      ["77", "cab", "ada"],
    ]);
    const job = (...words: string[]) => plimsoll("job", "77", "--store", "shared-store", "--json", ...words);
    const runs = JSON.parse(job("--cluster", "quartz").out).runs;
    expect(runs).toMatchObject([
      { facts: { cluster: "quartz", user: "bob" }, servers: { bytesWritten: 200 } },
    ]);
    expect(job("--cluster", "titan")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--cluster titan: job 77 is on cab and quartz; name one of them"),
    });
    expect(ingest("shared", "--job-id", "%q").code).toBe(2);
    // Without any of it both clusters have the job at that time, and nobody gets what it did.
    const plain = (...words: string[]) => plimsoll("ingest", ...words, "--store", "plain-store").code;
    for (const minute of [0, 1])
      write(
        join("plain", `fs-OST0006-${T0 + 60 * minute}.job_stats`),
        ostJobs([{ id: "77", written: 100 * minute, opens: 0 }], T0 + 60 * minute),
      );
    expect([plain("plain"), plain("shared-jobs", "--cluster", "cab")]).toEqual([0, 0]);
    expect(JSON.parse(plimsoll("who", "--store", "plain-store", "--json").out)).toMatchObject({
      unclear: { jobs: 1, bytesWritten: 100 },
      rows: [{ jobId: "77", cluster: null, possibleClusters: "cab or quartz", user: null }],
    });
    expect(plimsoll("job", "77", "--store", "plain-store").out).toContain(
      "the counters of job 77 could belong to cab or quartz",
    );
  });

  it("a negative counter is left out with a warning, and nothing is counted twice", async () => {
    for (const [minute, read] of [5, 6, -3, 8, 9].entries())
      write(
        join("negative", `fs-OST0009-${T0 + 60 * minute}.stats`),
        `snapshot_time ${T0 + 60 * minute}.000005 secs.usecs\nread_bytes 1 samples [bytes] 1 4096 ${read}\nwrite_bytes 1 samples [bytes] 1 4096 ${100 * minute}\n`,
      );
    expect(ingested("negative-store", "negative")).toMatchObject({
      code: 0,
      counts: { negativeCounters: 1 },
      warnings: ["1 negative counter values skipped, the first is read_bytes of fs-OST0009"],
    });
    const [rows] = await ask(
      "negative-store",
      "select sum(bytes_read)::int as r, sum(bytes_written)::int as w, max(why) as why from targets",
    );
    expect(rows).toEqual([{ r: 4, w: 400, why: null }]);
  });

  it("with --slice they are named and left alone", () => {
    const { code, err } = plimsoll("ingest", "gap", "--store", "sliced", "--slice", "1/2");
    expect(code).toBe(3);
    expect(err).toContain("counter dumps form a series; ingest them without --slice");
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
        "the text of fs-OST0001 ends within a line or a job; the intact part was stored",
      [`bad/fs-OST0001/${at(3)}.job_stats`]: expect.stringMatching(
        /^1 counter lines cannot be read, the first is line \d+; the intact part/,
      ),
      "bad/clock.log": expect.stringMatching(/^the clock goes backwards: a sample of fs-OST0002 is earlier/),
      "bad/fs-OST0003.job_stats": expect.stringMatching(/^no sample time/),
      "bad/1700000100.job_stats": expect.stringMatching(/^no target name/),
      "bad/cut.ndjson": 'line 2: the file is truncated: the last line {"end":…} is missing',
      "bad/new.json": "version 9; this Plimsoll reads version 2; update Plimsoll",
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
    expect(warnings).toEqual(["the clock of fs-OST0001's server is 99 s ahead of the sample times"]);
  });
});
