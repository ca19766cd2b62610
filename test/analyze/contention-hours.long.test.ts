/** The study of a system and `quiet-hours` name the same hours of contention, and `job` and study the same limits. */
import { expect, it } from "vitest";
import { limitsOf } from "../../src/analyze/load/efficiency.ts";
import { memoryStore } from "../../src/analyze/study/common/test-kit.ts";
import { WRITE_CLASS_DEFAULTS } from "../../src/analyze/study/common/write-classes.ts";
import { quickContention, runStudy, systemOptions } from "../../src/analyze/study/system/index.ts";
import type { Queryable } from "../../src/model/index.ts";
import { jobTotals } from "../../src/store/job-totals.ts";
import { type JobRow, type MinuteRow, randomCorpus } from "./study-system-corpus.ts";
import { job, minute } from "./study-system-kit.ts";

/** Midnight in the zone of the jobs. */
const MIDNIGHT = Date.parse("2018-03-01T08:00Z") / 1000;
const ZONE = "America/Los_Angeles";
const weight = (hour: number) =>
  10 + hour / 10 + 20 * Math.exp(-((hour - 5) ** 2)) + 15 * Math.exp(-((hour - 11) ** 2));

/** Groups of similar jobs that start at every hour; they write the same, in more minutes where others move much. */
function planted(groups: number): { jobs: JobRow[]; minutes: MinuteRow[] } {
  const jobs: JobRow[] = [];
  const minutes: MinuteRow[] = [];
  for (let group = 0; group < groups; group++)
    for (let hour = 0; hour < 24; hour++) {
      const id = String(1000 * (group + 1) + hour);
      const start = MIDNIGHT + 3600 * hour;
      const written = Math.round(1e6 * weight(hour));
      jobs.push(
        job(id, start, 3540, {
          user_id: group + 1,
          bytes_read: 0,
          bytes_written: written,
          writes: 10,
          zone: ZONE,
        }),
      );
      const busy = Math.round(weight(hour));
      for (let at = 0; at < busy; at++) minutes.push(minute(id, start / 60 + at, at === 0 ? 1500 - busy : 1));
    }
  return { jobs, minutes };
}

async function asked<T>(
  corpus: { jobs: JobRow[]; minutes: MinuteRow[] },
  ask: (db: Queryable) => Promise<T>,
) {
  const db = await memoryStore();
  try {
    await db.run(`create view job_totals as ${jobTotals(["scheduler", "clients", "both"])}`);
    await db.insert("jobs", corpus.jobs as never);
    await db.insert("minutes", corpus.minutes as never);
    return await ask(db);
  } finally {
    db.close();
  }
}

it("the study and quiet-hours name the same hours, in the zone of the jobs", async () => {
  const { study, contention } = await asked(planted(12), async (db) => ({
    study: await runStudy(db, systemOptions({ replicates: 100 })),
    contention: await quickContention(db, {}),
  }));
  expect(contention).toMatchObject({ zone: ZONE, verdict: "confirmed", hours: [4, 5, 6, 10, 11, 12] });
  expect(study).toMatchObject({ zoneFrom: "store", options: { zone: ZONE } });
  const advice = study.recommendations.find(({ id }) => id === "contention-hours");
  expect(advice?.statement).toContain(`start at ${contention?.hours.join(", ")} h (${ZONE})`);
  const figure = study.items.B17?.figures.find(({ id }) => id === "figure-14a-data-by-hour");
  expect(figure?.chart.kind === "bars" && figure.chart.categoryLabel).toContain(ZONE);
});

it("neither names hours where there are too few groups", async () => {
  const { study, contention } = await asked(planted(4), async (db) => ({
    study: await runStudy(db, systemOptions({ replicates: 100 })),
    contention: await quickContention(db, {}),
  }));
  expect(contention).toMatchObject({ verdict: "insufficient", hours: [] });
  expect(study.recommendations.map(({ id }) => id)).not.toContain("contention-hours");
});

it("job and study take the limits of heavy and efficient from the same jobs", async () => {
  for (const seed of [1, 2]) {
    const { study, limits } = await asked(randomCorpus(seed), async (db) => ({
      study: await runStudy(db, systemOptions({ replicates: 20, cluster: "quartz" })),
      limits: await limitsOf(db, "quartz", WRITE_CLASS_DEFAULTS),
    }));
    const { values, n } = study.items.B06 as NonNullable<typeof study.items.B06>;
    expect(limits.jobs).toBe(n);
    expect(limits.bytesLimit).toBeCloseTo(Number(values.limitBytes), 0);
    expect(limits.bytesPerCallLimit).toBeCloseTo(Number(values.limitPerCallBytes), 3);
  }
});
