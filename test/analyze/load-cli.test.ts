// who, top, job and quiet-hours as a user runs them, on a synthetic site with known answers.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jobAnswer } from "../../src/analyze/load/index.ts";
import { classOf, limitsOf } from "../../src/analyze/load/efficiency.ts";
import type { CommandEntry } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";
import { LogWriter, memorySink } from "../../src/formats/darshan/writer.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import type { Queryable } from "../../src/model/index.ts";
import { Store } from "../../src/store/index.ts";

const table: readonly CommandEntry[] = [
  { name: "generate sitewide", summary: "a site", load: () => import("../../src/cli/generate/sitewide.ts") },
  { name: "who", summary: "who", load: () => import("../../src/cli/load/who.ts") },
  { name: "top", summary: "top", load: () => import("../../src/cli/load/top.ts") },
  { name: "job", summary: "job", load: () => import("../../src/cli/load/job.ts") },
  { name: "report", summary: "report", load: () => import("../../src/cli/report.ts") },
  { name: "quiet-hours", summary: "quiet", load: () => import("../../src/cli/load/quiet-hours.ts") },
];

let folder: string;
let store: string;
let answers: { items: Record<string, { planted: Record<string, Record<string, number>> }> };

async function run(...words: string[]) {
  const io = fakeWorld();
  const code = await runCli(words, table, io);
  return { code, out: io.out, err: io.err };
}
const ask = (...words: string[]) => run(...words, "--store", store);
async function json(...words: string[]) {
  const { code, out, err } = await ask(...words, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-load-"));
  const site = join(folder, "site");
  const made = await run(
    "generate",
    "sitewide",
    "--output",
    site,
    "--scale",
    "0.002",
    "--cluster",
    "quartz",
    "--tables",
  );
  expect(made.code, made.err).toBe(0);
  store = join(site, "store");
  answers = JSON.parse(readFileSync(join(site, "answers.json"), "utf8"));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function withDb<T>(work: (db: Queryable) => Promise<T>): Promise<T> {
  const opened = await Store.open(store);
  const db = await opened.query();
  try {
    return await work(db);
  } finally {
    db.close();
    await opened.close();
  }
}

const planted = (item: string, group: string) =>
  answers.items[item]?.planted[group] as Record<string, number>;

describe("planted truth", () => {
  it("bursts, memory and I/O share of every job with minutes (B12, B14)", async () => {
    const runs = await withDb(async (db) => {
      const ids = await db.rows("select distinct job_id from minutes order by job_id");
      const found = [];
      for (const { job_id } of ids)
        found.push(
          ...(
            await jobAnswer(db, String(job_id), {
              population: "withWrites",
              perCall: "meanOfRatios",
              threshold: "mean",
              maxGapMinutes: 0,
              lateMinutes: 1,
              neighbours: 1,
            })
          ).runs,
        );
      return found;
    });
    const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    const b12 = planted("B12", "series");
    const b14 = planted("B14", "series");
    const withIo = runs.filter(({ ioShare }) => (ioShare?.ioMinutes ?? 0) > 0);
    const writers = runs.filter(({ ioShare }) => (ioShare?.writeMinutes ?? 0) > 0);
    expect(runs).toHaveLength(b14.jobs as number);
    expect(withIo).toHaveLength(b12.jobsWithIo as number);
    expect(writers).toHaveLength(b12.jobsWithWrites as number);
    expect(mean(withIo.map(({ ioShare }) => ioShare?.share as number))).toBeCloseTo(
      b12.ioShareOfMinutes as number,
      10,
    );
    expect(mean(writers.map(({ ioShare }) => ioShare?.writeShare as number))).toBeCloseTo(
      b12.writeShareOfMinutes as number,
      10,
    );
    expect(runs.reduce((sum, { ioShare }) => sum + (ioShare?.ioMinutes ?? 0), 0)).toBe(b12.ioMinutes);
    expect(runs.reduce((sum, { servers }) => sum + Number(servers?.bytesWritten ?? 0n), 0)).toBe(
      b12.bytesWritten,
    );
    expect(runs.reduce((sum, { bursts }) => sum + bursts.length, 0)).toBe(b14.bursts);
    const below = (limit: number) => runs.filter((run) => run.largestBurstOfMemory < limit).length;
    expect([below(0.05), below(0.15)]).toEqual([b14.below5, b14.below15]);
    // Most of the planted periodic writers are found, and nothing that writes once or always.
    const periodic = runs.filter(({ period }) => (period?.confidence ?? 0) >= 0.95).length;
    const most = planted("B13", "series").periodic as number;
    expect(periodic).toBeGreaterThan(0.5 * most);
    expect(periodic).toBeLessThanOrEqual(most);
  });

  it("classes of writes of every job under each option (B06)", async () => {
    const b06 = planted("B06", "quartz");
    await withDb(async (db) => {
      const jobs = await db.columns(
        "select bytes_written as bytes, writes from job_totals where cluster = 'quartz' and bytes_written is not null and end_unix_ns - start_unix_ns < 86400000000000",
      );
      expect(jobs.bytes?.length).toBeGreaterThan(2000);
      for (const population of ["all", "withIO", "withWrites"] as const)
        for (const perCall of ["meanOfRatios", "ratioOfSums"] as const) {
          const limits = await limitsOf(db, "quartz", { population, perCall, threshold: "mean" });
          const classes = Array.from(jobs.bytes as Float64Array, (bytes, i) =>
            classOf(bytes, jobs.writes?.[i] as number, limits),
          );
          for (const name of ["inefficient", "efficient", "tie"] as const) {
            const key = `${population.replace("IO", "Io")}.${perCall}.${name}`;
            expect(classes.filter((one) => one === name).length, key).toBe(b06[key]);
          }
        }
    });
  });

  it("all bytes that jobs moved (V17)", async () => {
    const { total, unexplained, others, rows, jobs } = await json("top", "jobs", "--limit", "5");
    const b12 = planted("B12", "series");
    expect(jobs).toBe(planted("B14", "series").jobs);
    const ofJobs = [...rows, others].reduce((sum, { bytesWritten }) => sum + Number(bytesWritten), 0);
    expect(ofJobs).toBe(b12.bytesWritten);
    expect(ofJobs + Number(unexplained.bytesWritten)).toBe(Number(total.bytesWritten));
    const shares = [...rows, others, unexplained].reduce((sum, { share }) => sum + share, 0);
    expect(shares).toBeCloseTo(1, 12);
  });
});

describe("on a terminal and as a page", () => {
  it("who", async () => {
    const { out, code, err } = await ask(
      "who",
      "--target",
      "OST0006,OST0007",
      "--from",
      "begin+1d",
      "--to",
      "begin+3d",
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^Who loaded OST0006, OST0007$/m);
    expect(out).toMatch(/^40000\d+ +quser\d+ .* [▁-█]/m);
    expect(out).toMatch(/^not in job statistics /m);
    const users = await ask("who", "--target", "MDT*", "--by", "user", "--limit", "2");
    expect(users.out).toMatch(/^others \(\d+ users?\) /m);
    expect(users.out).toMatch(/^By metadata operations/m);
    expect(users.out).not.toMatch(/Written/);
  });

  it("who takes all targets unless told, and the others have users", async () => {
    const { targets, others, rows, users } = await json("who", "--limit", "2");
    expect(targets.length).toBeGreaterThan(10);
    expect(others.jobs).toBeGreaterThan(0);
    expect(others.users).toBeGreaterThan(0);
    expect(others.users).toBeLessThanOrEqual(users);
    expect(rows).toHaveLength(2);
    const { out } = await ask("who", "--target", "OST0007", "--limit", "2");
    expect(out).toMatch(/^others \(\d+ jobs?\) +\d+ users? /m);
  });

  it("top targets and clients", async () => {
    const { rows, source, whenStepMinutes } = await json(
      "top",
      "targets",
      "--order",
      "opens",
      "--target",
      "MDT*",
      "--limit",
      "3",
    );
    expect(rows).toHaveLength(3);
    expect(source).toBe("targets");
    expect(whenStepMinutes).toBeGreaterThan(0);
    expect(Number(rows[0].openCalls)).toBeGreaterThanOrEqual(Number(rows[1].openCalls));
    const { out } = await ask("top", "users", "--source", "clients", "--order", "small-writes");
    expect(out).toMatch(/Small writes/);
  });

  it("job", async () => {
    const { rows } = await json("top", "jobs", "--order", "write", "--limit", "1");
    const id = rows[0].jobId as string;
    const { out, code } = await ask("job", id, "--zone", "America/Los_Angeles");
    expect(code).toBe(0);
    for (const part of [
      `Job ${id}`,
      "Write bursts",
      "Minutes with I/O",
      "Other jobs on the same targets",
      "no Darshan log",
    ])
      expect(out).toContain(part);
    const page = join(folder, "job.html");
    expect(await ask("job", id, "-o", page)).toMatchObject({ code: 0, out: `Wrote ${page}\n` });
    expect(readFileSync(page, "utf8")).toMatch(/<svg/);
    const answer = await json("job", id, "--population", "withIo", "--late-minutes", "2");
    expect(answer.runs[0].series.length).toBeGreaterThan(0);
    expect(answer.options).toMatchObject({ population: "withIO", lateMinutes: 2 });
  });

  it("quiet-hours", async () => {
    const { out, code } = await ask("quiet-hours", "--zone", "America/Los_Angeles", "--length", "3h");
    expect(code).toBe(0);
    expect(out).toMatch(/^Days +3$/m);
    expect(out).toMatch(/^23:00 /m);
    const few = await ask("quiet-hours", "--from", "end-2d");
    expect(few.out).toMatch(
      /Not enough data: \d days? with samples for the\s+whole\s+window;\s+naming quiet hours takes\s+at least 7/,
    );
    const page = join(folder, "quiet.html");
    expect((await ask("quiet-hours", "-o", page)).code).toBe(0);
  });
});

describe("report --store", () => {
  /** A log without I/O: what is asked is what the servers counted. */
  function logOf(jobId: string, startSeconds: number): string {
    const sink = memorySink();
    const writer = new LogWriter(sink, { encoders: nodeEncoders });
    const endSeconds = startSeconds + 60;
    writer.job({
      uid: 1,
      startSeconds,
      endSeconds,
      nprocs: 1,
      jobId: BigInt(jobId),
      commandLine: "/apps/solver",
    });
    writer.names([]);
    writer.finish();
    const path = join(folder, `${jobId}-${startSeconds}.darshan`);
    writeFileSync(path, sink.bytes());
    return path;
  }
  const largest = async () => {
    const { rows } = await json("top", "jobs", "--order", "write", "--limit", "1");
    const { runs } = await json("job", rows[0].jobId);
    return runs[0] as { facts: { jobId: string; startUnix: number; endUnix: number } };
  };

  it("adds minutes, targets and neighbours of the run that the log is of", async () => {
    const run = await largest();
    const log = logOf(run.facts.jobId, run.facts.startUnix + 60);
    const { servers } = await json("report", log);
    expect(servers).toEqual({ ...run, origin: expect.objectContaining({ share: 1 }) });
    const { out } = await ask("report", log);
    expect(out).toMatch(/Server counters\nSynthetic data: Servers counted .* of\sjob\s\d+/s);
    expect(out).toContain("Targets of the job by bytes.");
    expect(out).toContain(`Full report: plimsoll report ${log} --store ${store} -o report.html`);
    const page = join(folder, "servers.html");
    expect((await ask("report", log, "-o", page)).code).toBe(0);
    expect(readFileSync(page, "utf8")).toMatch(/id="servers".*<svg/s);
  });

  it("says that servers counted nothing: another time, another cluster, another id", async () => {
    const { facts } = await largest();
    const missing = /The store has no server counters of job \d+ at the time of this log\./;
    const later = logOf(facts.jobId, facts.endUnix + 86_400);
    for (const words of [
      [later],
      [logOf(facts.jobId, facts.startUnix), "--cluster", "cab"],
      [logOf("1", 0)],
    ]) {
      expect((await ask("report", ...words)).out.replaceAll(/\s+/g, " ")).toMatch(missing);
      expect((await json("report", ...words)).servers).toBeNull();
    }
  });

  it("needs a store for --cluster, and one job", async () => {
    const log = logOf("5", 0);
    expect(await run("report", log, "--cluster", "cab")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--cluster chooses a job of a store; add --store DIR"),
    });
    const trace = fileURLToPath(new URL("../fixtures/accesses/libaio.strace", import.meta.url));
    expect((await ask("report", trace)).err).toMatch(/--store: the input names no job id; plimsoll job ID/);
  });
});

describe("bad requests get one line", () => {
  it.each([
    [["who", "--target", "OST00O7"], /no such target \(did you mean OST0007\?\)/],
    [["who", "--target", ""], /--target is empty: expected a name such as OST0007/],
    [["who", "--target", "OST*", "--from", "end", "--to", "begin"], /--from .* is not before --to/],
    [["top", "targets", "--source", "clients"], /--source clients: client counters have no targets/],
    [["job", ""], /the job id is empty, and the store has no counters without a job id/],
    [["who", "--target", "OST*", "--from", "soon"], /--from soon: expected a time such as/],
    [["who", "--target", "OST*", "--from", "-2h"], /no minutes from .*: the store has 2018/],
    [
      ["who", "--target", "OST*", "--from", "begin", "--to", "begin+1m"],
      /no minutes of .* has no samples in this time range/,
    ],
    [["top", "jobs", "--source", "clients", "--target", "OST*"], /client counters have no targets/],
    [["top", "things"], /jobs, users, accounts/],
    [["job", "nobody"], /knows no job of this id/],
    [["job", "1", "--threshold", "much"], /--threshold much: expected a size/],
    [["quiet-hours", "--length", "7m"], /multiple of 15m/],
    [["quiet-hours", "--zone", "Mars"], /no such time zone/],
  ])("%j", async (words, message) => {
    const { code, err, out } = await ask(...(words as string[]));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message as RegExp);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  it("an empty store", async () => {
    const empty = join(folder, "empty");
    await (await Store.openOrCreate(empty)).close();
    for (const words of [["who", "--target", "*"], ["top", "targets"], ["top", "jobs"], ["quiet-hours"]]) {
      const { code, err } = await run(...words, "--store", empty);
      expect(code).toBe(2);
      expect(err).toMatch(/the store has no/);
    }
    expect((await run("who", "--target", "x")).err).toMatch(/--store is missing/);
  });
});
