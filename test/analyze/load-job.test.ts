// One job as the study of a system sees it: runs, minutes that lie outside of them, and what is said where little is known.

import { afterEach, describe, expect, it } from "vitest";
import { jobAnswer, jobDocument, targetsText } from "../../src/analyze/load/index.ts";
import { type MemoryStore, memoryStore } from "../../src/analyze/study/common/test-kit.ts";
import { runStudy, systemOptions } from "../../src/analyze/study/system/index.ts";
import { renderText } from "../../src/report/text/index.ts";
import { jobTotals } from "../../src/store/job-totals.ts";
import { type Corpus, randomCorpus } from "./study-system-corpus.ts";
import { DAY, first, job, minute } from "./study-system-kit.ts";

const OPTIONS = {
  population: "all",
  perCall: "meanOfRatios",
  threshold: "mean",
  maxGapMinutes: 0,
  lateMinutes: 1,
  neighbours: 5,
} as const;
const ABOUT = { command: "plimsoll job", madeBy: "test", zone: "UTC" };

let db: MemoryStore | undefined;
afterEach(() => db?.close());

async function stored({ jobs, minutes }: Corpus): Promise<MemoryStore> {
  db = await memoryStore();
  await db.run(`create view job_totals as ${jobTotals(["scheduler", "clients", "both"])}`);
  if (jobs.length > 0) await db.insert("jobs", jobs as never);
  await db.insert("minutes", minutes as never);
  return db;
}

const uncounted = { bytes_read: null, bytes_written: null, writes: null };
const sharesOf = async (corpus: Corpus, id: string, lateMinutes = 1) =>
  (await jobAnswer(await stored(corpus), id, { ...OPTIONS, lateMinutes })).runs.map(
    ({ ioShare, minutesOutside }) => [ioShare?.ioMinutes, ioShare?.minutes, minutesOutside],
  );

describe("minutes of runs", () => {
  it.each([
    [7, 0],
    [8, 3],
  ])("give the shares of the study on a random site, seed %i, %i minutes late", async (seed, lateMinutes) => {
    const corpus = randomCorpus(seed, 30);
    const store = await stored(corpus);
    const { items } = await runStudy(store, systemOptions({ replicates: 10, lateMinutes }));
    const shares: number[] = [];
    let [io, bursts] = [0, 0];
    for (const id of new Set(corpus.minutes.map(({ job_id }) => job_id)))
      for (const { facts, ioShare, bursts: own } of (await jobAnswer(store, id, { ...OPTIONS, lateMinutes }))
        .runs) {
        const seconds = (facts.endUnix ?? Number.NaN) - (facts.startUnix ?? Number.NaN);
        // The study leaves long jobs out.
        if (ioShare === null || seconds >= 86_400) continue;
        expect(ioShare.ioMinutes).toBeLessThanOrEqual(ioShare.minutes);
        if (ioShare.ioMinutes > 0) shares.push(ioShare.share);
        io += ioShare.ioMinutes;
        bursts += own.length;
      }
    expect(shares.length).toBeGreaterThan(5);
    expect(items.B12?.values).toMatchObject({ jobsWithIo: shares.length, ioMinutes: io });
    expect(items.B12?.values.ioShareOfMinutes).toBeCloseTo(
      shares.reduce((sum, one) => sum + one, 0) / shares.length,
      9,
    );
    expect(items.B14?.values.bursts).toBe(bursts);
  });

  it("go to the last run that has begun, not to the nearest", async () => {
    // The first run has minutes 0 to 2, the second 5 to 14; a minute that is one late counts in the last one.
    const jobs = [job("1", DAY, 140), job("1", DAY + 300, 560)];
    const minutes = [1, 2, 3, 5, 7, 12].map((at) => minute("1", first + at, 10));
    expect(await sharesOf({ jobs, minutes }, "1")).toEqual([
      [2, 3, 0],
      [3, 10, 0],
    ]);
    // Minute 4 is nearer to the second run, which has not begun.
    const later = { jobs, minutes: [...minutes, minute("1", first + 4, 10)] };
    expect(await sharesOf(later, "1")).toEqual([
      [2, 3, 1],
      [3, 10, 0],
    ]);
  });

  it("never are more than the run has", async () => {
    const eight = [2, 3, 5, 8, 10, 11, 13, 14].map((at) => minute("1", first + at, 7));
    expect(await sharesOf({ jobs: [job("1", DAY, 0)], minutes: eight }, "1")).toEqual([
      [undefined, undefined, 8],
    ]);
    expect(await sharesOf({ jobs: [job("1", DAY, 300)], minutes: eight }, "1")).toEqual([[3, 6, 5]]);
    expect(await sharesOf({ jobs: [job("1", DAY, 300)], minutes: eight }, "1", 3)).toEqual([[3, 6, 4]]);
    const early = [-3, 0].map((at) => minute("1", first + at, 7));
    expect(await sharesOf({ jobs: [job("1", DAY, 300)], minutes: early }, "1")).toEqual([[1, 6, 1]]);
  });

  it("of a job without an end, with wrong times or unknown are shown, without a share", async () => {
    const minutes = [1, 2].map((at) => minute("1", first + at, 7));
    for (const jobs of [[job("1", DAY, 60, { end_unix_ns: null })], [job("1", DAY, -60)], []]) {
      const { runs } = await jobAnswer(await stored({ jobs, minutes }), "1", OPTIONS);
      expect(runs).toMatchObject([
        { ioShare: null, minutesOutside: 0, bursts: [{ minutes: 2, bytes: 14n }] },
      ]);
    }
  });
});

/** Every other one writes 900 B, the rest 100 B, each in one call. */
const wrote = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    job(String(at + 1), DAY, 60, { bytes_read: 0, bytes_written: at % 2 === 0 ? 900 : 100, writes: 1 }),
  );

describe("what is said of a job", () => {
  const textOf = async (corpus: Corpus, id: string) => {
    const answer = await jobAnswer(await stored(corpus), id, OPTIONS);
    return renderText(jobDocument(answer, ABOUT), { width: 200, color: false, full: false });
  };

  it("where nobody can be compared with", async () => {
    const jobs = [job("1", DAY, 0, { ...uncounted, node_memory_bytes: null })];
    const text = await textOf({ jobs, minutes: [minute("1", first + 5, 70)] }, "1");
    expect(text).toContain("; no class: too few jobs to compare with (0 of at least 30).");
    expect(text).toMatch(/Bytes per write .* too few jobs .* to classify: 0 of at least 30/);
    expect(text).toContain(
      "1 minute with server counters lies before the start of the run or more than 1 minute after",
    );
    expect(text).toContain("The run has no minute with writes.");
    expect(text).not.toMatch(/NaN|\bit its\b/);
  });

  it("where its class is known", async () => {
    const text = await textOf({ jobs: wrote(30), minutes: [minute("1", first, 900)] }, "1");
    expect(text).toContain("; heavy writer, large calls (efficient).");
    expect(text).toContain("efficient; limits from 30 jobs: 500 B in total, 500 B per call");
    expect(text).toContain("Its writes have no period.");
  });

  it("where too few jobs are there to tell much from little", async () => {
    // One job that writes 90 GB is not above the mean of itself.
    const jobs = [job("1", DAY, 120, { bytes_read: 0, bytes_written: 89_900_000_000, writes: 90 })];
    const corpus = { jobs, minutes: [minute("1", first, 89_900_000_000)] };
    const text = await textOf(corpus, "1");
    expect(text).toContain("; no class: too few jobs to compare with (1 of at least 30).");
    expect(text).not.toMatch(/(light|heavy) writer|limits from/);
    const of = async (more: Partial<Parameters<typeof jobAnswer>[2]>, some: Corpus) =>
      (await jobAnswer(await stored(some), "1", { ...OPTIONS, ...more })).runs[0]?.efficiency;
    expect(await of({}, corpus)).toBe("too few jobs");
    expect(await of({}, { jobs: wrote(29), minutes: [minute("1", first, 900)] })).toBe("too few jobs");
    // A limit that is given needs no jobs, but that of bytes per call does.
    expect(await of({ threshold: 1e12 }, corpus)).toBe("light");
    expect(await of({ threshold: 1e9 }, corpus)).toBe("too few jobs");
  });

  it("where its times are not known", async () => {
    const text = await textOf({ jobs: [], minutes: [minute("dd.0", first, 900)] }, "dd.0");
    expect(text).toContain("start and end are not recorded");
    expect(text).toContain("start or end of the job is unknown");
  });
});

it("a single target has a name, not a number", () => {
  const one = [{ fileSystem: "fs", target: "OST0000" }];
  expect(targetsText(one, one)).toBe("OST0000");
});
