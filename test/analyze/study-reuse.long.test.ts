/** The reuse study against an independent reference, golden vectors, and shapes at the edge. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type ReuseOptions,
  reuseOptions,
  runStudy,
  STUDY_ITEMS,
  type Study,
} from "../../src/analyze/study/reuse/index.ts";
import { memoryStore } from "../../src/analyze/study/common/test-kit.ts";
import {
  AnswerSheetBuilder,
  type ReuseOptions as CentreOptions,
  centre,
  Population,
  TableEmitter,
} from "../../src/generate/reuse/index.ts";
import { RECOMPUTED } from "../../src/generate/reuse/test-kit.ts";
import { Store } from "../../src/store/index.ts";
import { type Corpus, randomCorpus } from "./study-reference/corpus.ts";
import {
  type AccessRow,
  type Answers,
  type ReferenceOptions,
  referenceStudy,
  type RunRow,
} from "./study-reference/reference.ts";

const QUICK = { replicates: 20 };

async function study(
  corpus: Pick<Corpus, "runs" | "accesses"> & Partial<Corpus>,
  options: Partial<ReuseOptions> = {},
): Promise<Study> {
  const db = await memoryStore();
  try {
    await db.insert("runs", corpus.runs as never);
    await db.insert("accesses", corpus.accesses as never);
    await db.insert("files", (corpus.files ?? []) as never);
    return await runStudy(db, reuseOptions({ ...QUICK, ...options }));
  } finally {
    db.close();
  }
}

/** Every value of the reference within 1e-9; whole numbers and bytes exactly. */
function compare(found: Study, expected: Answers): void {
  for (const [item, values] of Object.entries(expected)) {
    for (const [key, value] of Object.entries(values)) {
      const measured = found.items[item]?.values[key];
      expect(measured, `${item}.${key} is missing`).toBeDefined();
      if (typeof value === "bigint") expect(measured, `${item}.${key}`).toBe(value);
      else if (Number.isNaN(value)) expect(measured, `${item}.${key}`).toBeNaN();
      else
        expect(
          Math.abs(Number(measured) - value) <= 1e-9 * Math.max(1e-300, Math.abs(value)),
          `${item}.${key}: ${measured}, expected ${value}`,
        ).toBe(true);
    }
  }
}

describe("against the reference", () => {
  it.each([1, 2, 3, 4, 5])("gives every value of a random centre, seed %i", async (seed) => {
    const corpus = randomCorpus({ seed });
    compare(await study(corpus), referenceStudy(corpus.runs, corpus.accesses));
  });

  const settings: Partial<ReferenceOptions>[] = [
    { gap: "end-start" },
    { absentType: "exclude", ddof: 1 },
    { ioTime: "sum", covRuns: "per-type" },
    { zone: "America/Los_Angeles", hourStatistic: "median", minRunsPerCell: 3 },
    { classThreshold: 0.5, application: "exe-uid", applicationGap: "files" },
    { runBytes: "all", applicationGap: "different" },
    { minBytes: 1e12, minRuns: 5, excludeMounts: [] },
  ];
  it.each(settings)("with %o", async (setting) => {
    const corpus = randomCorpus({ seed: 11 });
    compare(await study(corpus, setting), referenceStudy(corpus.runs, corpus.accesses, setting));
  });

  it("keeps all bytes from the accesses to the OSTs and the hours (V17)", async () => {
    const corpus = randomCorpus({ seed: 6 });
    for (const [i, run] of corpus.runs.entries()) corpus.runs[i] = { ...run, clock: "ok" };
    const { items } = await study(corpus);
    const value = (item: string, key: string) => items[item]?.values[key] as bigint;
    expect(value("A12", "bytesOnOsts")).toBe(value("A12", "bytesKnownLayout"));
    expect(value("A12", "bytesKnownLayout") + value("A12", "bytesUnknownLayout")).toBe(value("A04", "bytes"));
    expect(value("A14", "bytes")).toBe(value("A04", "bytes"));
    expect(value("A01", "bytesRead") + value("A01", "bytesWritten")).toBe(value("A01", "bytes"));
  });
});

const HOUR = 3_600_000_000_000n;
const BASE = 1_507_000_000_000_000_000n;
const GB = 1_000_000_000n;

/** One file with accesses given as "R@10": type and hour. */
function sequence(
  words: readonly string[],
  change: Partial<AccessRow> = {},
): { runs: RunRow[]; accesses: AccessRow[] } {
  const runs: RunRow[] = [];
  const accesses = words.map((word, index): AccessRow => {
    const [kind = "", hour = "0"] = word.split("@");
    const start = BASE + BigInt(hour) * HOUR;
    const common = {
      run_id: BigInt(index + 1),
      user_id: 1,
      application_id: 1n,
      start_unix_ns: start,
      end_unix_ns: start + HOUR,
    };
    runs.push({ ...common, clock: "ok", modules: "POSIX" });
    return {
      ...common,
      file_id: 1n,
      mount: "/scratch",
      layer: "POSIX",
      ranks: 4,
      partial: 0,
      bytes_read: kind === "R" || kind === "B" ? 100n * GB : 0n,
      bytes_written: kind === "W" || kind === "B" ? 100n * GB : 0n,
      slowest_seconds: 10,
      read_seconds: 10,
      write_seconds: 0,
      meta_seconds: 0,
      variance_seconds: 1,
      variance_bytes: 1,
      osts: "3",
      ...change,
    };
  });
  return { runs, accesses };
}

describe("by hand", () => {
  it("gives the gaps and streaks of the golden vector (V04)", async () => {
    const { items } = await study(sequence(["R@0", "R@10", "W@20", "R@50", "W@60", "W@70"]));
    expect(items.A08?.values).toMatchObject({ readMeanHours: 25, writeMeanHours: 25 });
    expect(items.A09?.values).toMatchObject({ readMean: 1.5, writeMean: 1.5 });
    expect(items.A07?.values).toMatchObject({ readGaps: 2, writeGaps: 2, readStreaks: 2, writeStreaks: 2 });
  });

  it("breaks ties of start time by run id", async () => {
    // In the order of ids R W R: two read streaks of one. As R R W it would be one of two.
    const { items } = await study(sequence(["R@5", "W@5", "R@5"]));
    expect(items.A09?.values.readMean).toBe(1);
    expect(items.A08?.values.readMeanHours).toBe(0);
  });

  it("lets a balanced access break a streak, and an empty one not", async () => {
    const balanced = await study(sequence(["R@0", "B@1", "R@2"]));
    expect(balanced.items.A09?.values.readMean).toBe(1);
    const empty = sequence(["R@0", "Z@1", "R@2"]);
    expect((await study(empty)).items.A09?.values.readMean).toBe(2);
  });

  it("has no gap and no variation with a single access of a type", async () => {
    const { items } = await study(sequence(["R@0", "W@3"]));
    expect(items.A08?.values.readMeanHours).toBeNaN();
    expect(items.A08?.dropped["files with fewer than two read runs"]).toBe(1);
    expect(items.A14?.values.spearman).toBeNaN();
  });

  it("counts runs that are all balanced and puts them in no class", async () => {
    const { items } = await study(sequence(["B@0", "B@1", "B@2"]));
    expect(items.A06?.values).toMatchObject({
      runs: 3,
      readRuns: 0,
      writeRuns: 0,
      balanced: 3,
      oneSided95: 0,
    });
    expect(items.A06?.values.readShare).toBeNaN();
    expect(items.A05?.values).toMatchObject({ readWrite: 1 });
    expect(items.A09?.values).toMatchObject({ readMean: 0, writeMean: 0 });
  });

  it("selects from the bounds on, and not below (V01)", async () => {
    const exactly = sequence(["R@0", "R@1"], { bytes_read: 50n * GB });
    expect((await study(exactly)).files).toBe(1);
    const below = sequence(["R@0", "R@1"], { bytes_read: 50n * GB - 1n });
    expect((await study(below)).files).toBe(0);
    expect((await study(sequence(["R@0"], { bytes_read: 900n * GB }))).files).toBe(0);
  });

  it("merges the 25 hours of the day on which clocks go back into 24 (V08)", async () => {
    // 5 November 2017, 00:00 in Los Angeles is 07:00 UTC; 01:30 comes twice.
    const midnight = 1_509_865_200_000_000_000n;
    const corpus = sequence(Array.from({ length: 25 }, () => "R@0"));
    const at = (index: number) => ({ start_unix_ns: midnight + BigInt(index) * HOUR + HOUR / 2n });
    const accesses = corpus.accesses.map((one, index) => ({ ...one, ...at(index) }));
    const runs = corpus.runs.map((one, index) => ({ ...one, ...at(index) }));
    const { items } = await study({ runs, accesses }, { zone: "America/Los_Angeles" });
    const counts = items.A14?.tables[0]?.rows.map((row) => row[2]);
    expect(counts).toEqual([1, 2, ...Array(22).fill(1)]);
    expect(items.A14?.values.peakHour).toBe(1);
  });

  it("tells population and sample deviation apart (V09)", async () => {
    const corpus = sequence(["R@0", "R@1"]);
    const accesses = corpus.accesses.map((one, i) => ({
      ...one,
      bytes_read: i === 0 ? 100n * GB : 300n * GB,
    }));
    expect((await study({ ...corpus, accesses })).items.A15?.values.meanCovBytes).toBeCloseTo(0.5, 12);
    expect((await study({ ...corpus, accesses }, { ddof: 1 })).items.A15?.values.meanCovBytes).toBeCloseTo(
      Math.SQRT1_2,
      12,
    );
  });

  it("adds counters beyond 2^53 and up to 2^63 - 1 exactly", async () => {
    const large = 2n ** 63n - 1n;
    const { items } = await study(
      sequence(["R@0", "R@1", "B@2"], { bytes_read: large, bytes_written: large }),
    );
    expect(items.A01?.values.bytesRead).toBe(3n * large);
    expect(items.A04?.values.bytes).toBe(6n * large);
  });

  it("leaves wrong clocks out of times only, and incomplete records out of all but sums", async () => {
    const corpus = sequence(["R@0", "R@10", "R@90", "R@20"]);
    const runs = corpus.runs.map((run, i) => (i === 2 ? { ...run, clock: "in the future" } : run));
    const accesses = corpus.accesses.map((one, i) => (i === 3 ? { ...one, partial: 1 } : one));
    const { items } = await study({ runs, accesses });
    expect(items.A08?.values.readMeanHours).toBe(10);
    expect(items.A07?.dropped).toMatchObject({
      "accesses with a wrong clock": 1,
      "accesses of incomplete modules": 1,
    });
    expect(items.A06?.values.readRuns).toBe(3);
    expect(items.A01?.values).toMatchObject({
      runsWithBadClock: 1,
      partialAccesses: 1,
      bytesRead: 400n * GB,
    });
  });

  it("never takes a counter that is missing or negative for zero", async () => {
    const corpus = sequence(["R@0", "R@10", "W@20", "R@30"]);
    const accesses = corpus.accesses.map((one, i) =>
      i === 2 ? { ...one, bytes_read: null } : i === 3 ? { ...one, bytes_read: -1n } : one,
    );
    const { items } = await study({ runs: corpus.runs, accesses });
    expect(items.A07?.dropped["accesses without recorded bytes"]).toBe(2);
    expect(items.A01?.values.negativeCounters).toBe(1);
    // Two files of one run: what is not known of one is not known of the run.
    const [first] = accesses as [(typeof accesses)[0]];
    const both = { ...first, file_id: 77n, bytes_read: 200n * GB };
    const again = accesses.map((one) => ({ ...one, file_id: 77n, bytes_read: 50n * GB })).slice(1, 2);
    const missing = { ...first, bytes_read: null, bytes_written: 300n * GB };
    const { items: run } = await study({
      runs: corpus.runs,
      accesses: [missing, ...accesses.slice(1, 2), both, ...again],
    });
    expect(run.A06?.dropped["runs without recorded bytes"]).toBe(1);
    const runs = corpus.runs.map((one, i) => ({
      ...one,
      negative_counters: i === 0 ? 5n : null,
    }));
    const { items: warned } = await study({ runs, accesses: corpus.accesses });
    expect(warned.A01?.values.negativeCounters).toBe(5);
  });

  it("studies a period of local days, and counts what lies outside", async () => {
    const corpus = sequence(["R@0", "R@24", "R@48", "R@72"]);
    // BASE is 2017-10-03 03:06:40 UTC.
    const { items } = await study(corpus, { period: "2017-10-03..2017-10-05" });
    expect(items.A01?.values.logs).toBe(2);
    expect(items.A01?.dropped["runs outside the period"]).toBe(2);
    expect(items.A01?.values.bytesRead).toBe(200n * GB);
    // Where the clock is wrong nobody knows on which side a run lies.
    const runs = corpus.runs.map((run, i) => (i === 0 ? { ...run, clock: "end before start" } : run));
    const { items: some } = await study({ ...corpus, runs }, { period: "2017-10-03..2017-10-05" });
    expect(some.A01?.values.logs).toBe(1);
    expect(some.A01?.dropped).toMatchObject({
      "runs outside the period": 2,
      "runs without a clock to place them in the period": 1,
    });
  });

  it("counts nothing, and does not say that it is not known, where a period has no runs", async () => {
    const { items } = await study(sequence(["R@0", "R@24"]), { period: "2001-01-01..2001-01-02" });
    expect(items.A01?.values).toMatchObject({
      logs: 0,
      files: 0,
      accesses: 0,
      partialAccesses: 0,
      zeroByteAccesses: 0,
      negativeCounters: 0,
    });
    const { items: none } = await study(sequence(["R@0", "R@24"]), { minRuns: 9 });
    expect(none.A03?.values.shareOfBytes).toBe(0);
  });

  it("divides the bytes of a file evenly over its OSTs", async () => {
    const { items } = await study(sequence(["R@0", "R@1"], { osts: "1 2 7" }));
    expect(items.A12?.values.leastOverMost).toBeCloseTo(1, 9);
    expect(items.A12?.values.bytesOnOsts).toBe(200n * GB);
    expect(items.A12?.values.stripeWidth1).toBe(0);
  });

  it("knows OSTs without a selected file, and none of those that are not known", async () => {
    const { runs, accesses } = sequence(["R@0", "R@1"], { osts: "1 -1" });
    const other = { ...(accesses[0] as (typeof accesses)[0]), file_id: 99n, bytes_read: 1n, osts: "5" };
    const { items } = await study({ runs, accesses: [...accesses, other] });
    expect(items.A12?.values).toMatchObject({ osts: 2, leastOverMost: 0, bytesOnOsts: 200n * GB });
    expect(items.A12?.notes).toEqual(["1 of 2 OSTs hold no selected file, so the min / max ratio is 0."]);
  });
});

describe("file classes", () => {
  it.each(["ratio", "absolute", "cluster"] as const)(
    "finds planted classes by the rule %s (V02)",
    async (classRule) => {
      const runs: RunRow[] = [];
      const accesses: AccessRow[] = [];
      const kinds = ["R", "R", "W", "B", "B", "B", "B"];
      for (let file = 0; file < 70; file++) {
        const one = sequence([`${kinds[file % 7]}@0`, `${kinds[file % 7]}@9`]);
        for (const [i, access] of one.accesses.entries()) {
          const run_id = BigInt(10 * file + i + 1);
          accesses.push({ ...access, run_id, file_id: BigInt(file + 1) });
          runs.push({ ...one.runs[i]!, run_id });
        }
      }
      const { items } = await study({ runs, accesses }, { classRule });
      expect(items.A05?.values).toMatchObject({ readHeavy: 20, writeHeavy: 10, readWrite: 40 });
      const shares = items.A05?.tables[0]?.rows.slice(0, 5).map((row) => Number(row[3])) ?? [];
      expect(shares).toHaveLength(5);
      expect(shares).toEqual([...shares].sort((a, b) => a - b));
    },
  );
});

describe("too little", () => {
  it("has nothing to say about an empty store, and says so in every item", async () => {
    const empty = await study({ runs: [], accesses: [] });
    expect(empty.files).toBe(0);
    expect(Object.keys(empty.items)).toEqual(STUDY_ITEMS.map(({ id }) => id));
    expect(empty.findings.map(({ verdict }) => verdict)).toEqual(Array(10).fill("insufficient"));
    expect(Object.values(empty.items).flatMap(({ figures }) => figures)).toEqual([]);
  });

  it("says the same when no file is large enough", async () => {
    const { items, findings } = await study(sequence(["R@0", "W@5"], { bytes_read: 5n, bytes_written: 2n }));
    expect(items.A01?.values.files).toBe(1);
    expect(items.A05?.n).toBe(0);
    expect(items.A08?.values.readMeanHours).toBeNaN();
    expect(findings.every(({ verdict }) => verdict === "insufficient")).toBe(true);
  });
});

describe("findings", () => {
  it("gives each of the ten a verdict, published, measured, interval and sensitivity", async () => {
    const { findings } = await study(randomCorpus({ seed: 8, files: 200 }), { replicates: 200 });
    expect(findings.map(({ id }) => id)).toEqual(
      Array.from({ length: 10 }, (_, i) => `F${String(i + 1).padStart(2, "0")}`),
    );
    for (const { interval, measured, verdict, sensitivity } of findings) {
      expect(["confirmed", "refuted", "insufficient"]).toContain(verdict);
      if (!Number.isNaN(measured) && Number.isFinite(measured))
        expect(interval[0]).toBeLessThanOrEqual(interval[1]);
      expect(sensitivity.length).toBeGreaterThan(0);
    }
  });

  it("repeats its intervals for the same seed", async () => {
    const corpus = randomCorpus({ seed: 9 });
    const [a, b, c] = [await study(corpus), await study(corpus), await study(corpus, { seed: 5 })];
    expect(a.findings).toEqual(b.findings);
    expect(a.findings.map(({ interval }) => interval)).not.toEqual(
      c.findings.map(({ interval }) => interval),
    );
  });
});

describe("a synthetic centre", () => {
  const modes: Pick<CentreOptions, "interArrival" | "filesPerRun">[] = [
    {},
    { interArrival: "literal" },
    { filesPerRun: 3 },
  ];
  it.each(modes)(
    "gives back every planted value, and those of the reference (V01 to V09): %o",
    async (mode) => {
      const population = new Population({ seed: 3, scale: 0.02, background: 0.00002, ...mode });
      const folder = mkdtempSync(join(tmpdir(), "plimsoll-study-"));
      try {
        const store = await Store.create(join(folder, "store"));
        const batch = store.beginBatch();
        const emitter = new TableEmitter(population, batch);
        const sheet = new AnswerSheetBuilder(population);
        for (const group of centre(population)) {
          sheet.add(group);
          await emitter.add(group);
        }
        await emitter.end();
        await batch.commit();
        const { items, ids } = sheet.finish();
        const session = await store.query();
        const zone = "America/Los_Angeles";
        const found = await runStudy(session, reuseOptions({ ...QUICK, zone }));
        const planted = Object.entries(items).map(([id, item]) => [id, item.planted] as const);
        const answered = [...planted.map(([id]) => id), ...RECOMPUTED];
        expect(answered.sort()).toEqual(STUDY_ITEMS.map(({ id }) => id));
        compare(found, Object.fromEntries(planted) as Answers);
        const selected = await session.rows("select file_id from reuse_selected order by file_id");
        const hash = createHash("sha256");
        for (const { file_id } of selected) hash.update(`${file_id}\n`);
        expect(hash.digest("hex")).toBe(ids.selectedFiles);
        const runs = (await session.rows("select * from runs")) as unknown as RunRow[];
        const accesses = (await session.rows("select * from accesses")) as unknown as AccessRow[];
        compare(found, referenceStudy(runs, accesses.map(plainRow), { zone }));
        session.close();
        await store.close();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

/** Flags come out of a store as numbers or truth values, mounts may be missing. */
const plainRow = (row: AccessRow): AccessRow => ({
  ...row,
  partial: Number(row.partial ?? 0),
  mount: row.mount ?? "",
});
