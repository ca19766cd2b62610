/** Verdicts of the studies on generated stores: each number lies in its own interval, and its row shows what decided. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StudyFinding } from "../../src/analyze/study/common/finding.ts";
import { reuseOptions, runStudy as runReuse } from "../../src/analyze/study/reuse/index.ts";
import { runStudy as runSystem, systemOptions } from "../../src/analyze/study/system/index.ts";
import { centre, Population, TableEmitter } from "../../src/generate/reuse/index.ts";
import { generateSite, Site, SiteAnswers, SiteTables } from "../../src/generate/sitewide/index.ts";
import { type Batch, Store } from "../../src/store/index.ts";
import type { Queryable } from "../../src/model/index.ts";

/** What `ask` says of a store that `fill` made. */
async function asked<T>(
  fill: (batch: Batch) => Promise<void>,
  ask: (db: Queryable) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-verdicts-"));
  try {
    const store = await Store.create(join(folder, "store"));
    const batch = store.beginBatch();
    await fill(batch);
    await batch.commit();
    const session = await store.query();
    try {
      return await ask(session);
    } finally {
      session.close();
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const centreBatch =
  (seed: number, interArrival: "spread" | "literal" = "spread") =>
  async (batch: Batch) => {
    const population = new Population({ seed, scale: 0.03, background: 0.00001, interArrival });
    const emitter = new TableEmitter(population, batch);
    for (const group of centre(population)) await emitter.add(group);
    await emitter.end();
  };

const siteBatch = (seed: number, scale: number) => async (batch: Batch) => {
  const site = new Site({ seed, scale, cluster: "both", weekend: 1, contention: 2, start: "2018-06-07" });
  const tables = new SiteTables(site, batch);
  await generateSite(site, [tables]);
  await tables.finish();
};

const replicates = 100;

/** Every claim that has a number and an interval; the row has the numbers of the claim that decided. */
function check(findings: readonly StudyFinding[]): number {
  let checked = 0;
  for (const { id, claims, ...finding } of findings) {
    for (const { key, measured, interval } of claims) {
      if (Number.isNaN(measured) || Number.isNaN(interval[0])) continue;
      checked++;
      expect(interval[0], `${id} ${key}: ${measured} in ${interval.join(" to ")}`).toBeLessThanOrEqual(
        measured,
      );
      expect(interval[1], `${id} ${key}: ${measured} in ${interval.join(" to ")}`).toBeGreaterThanOrEqual(
        measured,
      );
    }
    const decider = claims.find(({ key }) => key === finding.decidedBy);
    const { measured, published, interval } = finding;
    expect({ measured, published, interval }, id).toEqual({
      measured: decider?.measured,
      published: decider?.published,
      interval: decider?.interval,
    });
    const states = claims.map(({ state }) => state);
    if (finding.verdict === "refuted") expect(decider?.state, id).toBe("fails");
    if (finding.verdict === "insufficient" && states.includes("open") && !states.includes("fails"))
      expect(decider?.state, id).toBe("open");
  }
  return checked;
}

const findingOf = (findings: readonly StudyFinding[], id: string) =>
  findings.find((one) => one.id === id) as StudyFinding;

describe("every number of a study lies in its own interval", () => {
  it.each([
    [1, {}],
    [2, { hourStatistic: "median" as const }],
    [3, { applicationGap: "pairs" as const }],
  ])("of file reuse, seed %i with %o", async (seed, options) => {
    const { findings } = await asked(centreBatch(seed), (db) =>
      runReuse(db, reuseOptions({ replicates, zone: "America/Los_Angeles", ...options })),
    );
    expect(check(findings)).toBeGreaterThan(15);
  });

  it.each([1, 2, 3])("of a system, seed %i, on each cluster", async (seed) => {
    const all = await asked(siteBatch(seed, 0.003), async (db) => {
      const studies = [];
      for (const cluster of ["", "cab", "quartz"])
        studies.push((await runSystem(db, systemOptions({ replicates, cluster }))).findings);
      return studies;
    });
    for (const findings of all) expect(check(findings)).toBeGreaterThan(10);
  });
});

describe("finding 3 of file reuse", () => {
  const judged = async (interArrival: "spread" | "literal") =>
    asked(centreBatch(1, interArrival), async (db) =>
      findingOf((await runReuse(db, reuseOptions({ replicates }))).findings, "F03"),
    );

  it("does not hold where a fifth of the files rest for 50 h, whatever their 80th percentile is", async () => {
    const finding = await judged("spread");
    expect(finding).toMatchObject({ verdict: "refuted", published: 0.8, decidedBy: "A08.readLongShare" });
    expect(finding.measured).toBeLessThan(0.3);
    expect(finding.reason).toMatch(/As a share of files: .* As a percentile: .* h/);
  });

  it("holds where four of five do", async () => {
    const finding = await judged("literal");
    expect(finding.measured).toBeCloseTo(0.8, 1);
    expect(finding.claims.slice(0, 2).map(({ state }) => state)).not.toContain("fails");
  });
});

describe("heavy users who write efficiently", () => {
  it.each([1, 2, 3, 4])("are as many as published on each cluster, seed %i", async (seed) => {
    const site = new Site({
      seed,
      scale: 0.01,
      cluster: "both",
      weekend: 1,
      contention: 2,
      start: "2018-06-07",
    });
    const answers = new SiteAnswers(site);
    await generateSite(site, [answers]);
    const { items, comparison } = answers.finish();
    for (const [cluster, published] of [
      ["cab", 0.21],
      ["quartz", 0.34],
    ] as const) {
      const planted = items.B06?.planted[cluster] as Record<string, number>;
      const heavy = planted["users.ratioOfSums.heavy"] as number;
      expect(Math.abs((planted.usersEfficientShare as number) - published)).toBeLessThan(0.01 + 0.5 / heavy);
      // As drawn for the jobs.
      expect(planted.inefficientShare).toBeCloseTo(cluster === "cab" ? 0.646 : 0.69, 2);
    }
    expect(comparison.filter(({ key, within }) => key === "usersEfficientShare" && within)).toHaveLength(2);
  });

  it("are counted by bytes over calls unless asked otherwise", async () => {
    const { items } = await asked(siteBatch(1, 0.003), (db) =>
      runSystem(db, systemOptions({ replicates, cluster: "cab" })),
    );
    const { values, published } = items.B06 as NonNullable<typeof items.B06>;
    expect(values.usersEfficient).toBe(values["users.ratioOfSums.efficient"]);
    expect(Math.abs(Number(values.usersEfficientShare) - 0.21)).toBeLessThan(
      0.01 + 0.5 / Number(values.usersHeavy),
    );
    expect(published.usersEfficientShare).toEqual({ cab: 0.21, quartz: 0.34 });
  });
});

describe("advice on a system", () => {
  it("calls uneven metadata targets uneven, and advises nothing where an observation could not be judged", async () => {
    const { findings, items, recommendations } = await asked(siteBatch(1, 0.01), (db) =>
      runSystem(db, systemOptions({ replicates })),
    );
    const o06 = findingOf(findings, "O06");
    expect(Number(items.B08?.values.mostOverMean)).toBeGreaterThan(3);
    expect(o06).toMatchObject({ verdict: "confirmed", decidedBy: "B08.gini" });
    expect(o06.interval[0]).toBeGreaterThan(0.2);
    expect(findingOf(findings, "O15").verdict).toBe("insufficient");
    const advised = recommendations.map(({ id }) => id);
    expect(advised).toContain("unbalanced-mdts");
    expect(advised).not.toContain("contention-hours");
    const row = items.B18?.tables[0]?.rows.find(([rule]) => rule === "Hours that are busy and slow");
    expect(row?.[2]).toBe("not enough data");
  });
});

describe("clusters of a system", () => {
  it("have figures and columns of their own, with the year of the paper", async () => {
    const { both, cab } = await asked(siteBatch(1, 0.003), async (db) => ({
      both: await runSystem(db, systemOptions({ replicates: 20 })),
      cab: await runSystem(db, systemOptions({ replicates: 20, cluster: "cab" })),
    }));
    const ids = Object.values(both.items).flatMap(({ figures }) => figures.map(({ id }) => id));
    for (const id of ["3-users", "4-metadata-and-writes", "6a-months", "6b-weeks", "7a-months", "8b-weeks"])
      for (const cluster of ["cab", "quartz"]) expect(ids).toContain(`figure-${id}-${cluster}`);
    const calendars = Object.values(both.items).flatMap(({ figures }) =>
      figures.filter(({ id }) => /^figure-[678]/.test(id)),
    );
    expect(calendars).toHaveLength(12);
    for (const { title, caption } of calendars) {
      expect(title).toMatch(/2017, (cab|quartz)$/);
      if (caption.startsWith("Days")) expect(caption).toContain("in America/Los_Angeles");
    }
    const columns = both.items.B06?.tables.find(({ id }) => id === "write-classes-by-cluster");
    expect(columns?.columns.map(({ label }) => label).slice(1)).toEqual([
      ...["cab", "quartz", "Cab (paper)", "Quartz (paper)"],
    ]);
    // One cluster alone has the same column, and no part in its names.
    const alone = cab.items.B06?.tables.find(({ id }) => id === "write-classes-by-cluster");
    expect(alone?.rows.map((row) => row[1])).toEqual(columns?.rows.map((row) => row[1]));
    expect(cab.items.B05?.figures.map(({ id }) => id)).toEqual(["figure-3-users"]);
    const users = both.items.B06?.tables
      .find(({ id }) => id === "table-3-writes")
      ?.rows.filter(([level]) => level === "Users")
      .map((row) => row[2]);
    expect(new Set(users)).toEqual(new Set(["cab", "quartz", "Cab (paper)", "Quartz (paper)"]));
  });
});
