/** The study of a system where something is not known: users, memory, a period or a year without data. */
import { describe, expect, it } from "vitest";
import { verdictOf } from "../../src/analyze/study/common/judge.ts";
import { type MinuteRow, randomCorpus } from "./study-system-corpus.ts";
import { DAY, first, job, minute, study, value } from "./study-system-kit.ts";

const nobody = { user_id: null, user_name: null };
const moved = (bytes_written: number) => ({ bytes_read: 0, bytes_written, writes: 1 });

describe("jobs without a user", () => {
  it("are in no item that asks for users, and are named there", async () => {
    const { items } = await study({ jobs: [job("1", DAY, 60, { ...nobody, ...moved(70) })] });
    expect(items.B05).toMatchObject({ n: 0, dropped: { "jobs without a user": 1 } });
    expect(items.B05?.values).toMatchObject({ users: 0, bytesRead: 0n, bytesWritten: 0n });
    expect(items.B10).toMatchObject({ n: 1, values: { meanShare: 1 } });
    expect(items.B11).toMatchObject({ n: 0, dropped: { "jobs without a user": 1 } });
    expect(items.B11?.values.meanShare).toBeNaN();
  });

  it("do not put the top user below the longest job (B11 over B10)", async () => {
    const jobs = [
      job("1", DAY, 900, { ...nobody, ...moved(90) }),
      job("2", DAY, 600, { ...moved(6), user_id: 1 }),
      job("3", DAY, 60, { ...moved(4), user_id: 2 }),
    ];
    const { items } = await study({ jobs });
    expect(items.B10?.values.meanShare).toBeCloseTo(0.9, 12);
    expect(items.B11?.values).toMatchObject({
      meanShare: 0.6,
      longestJobMeanShare: 0.6,
      daysBelowLongestJob: 0,
    });
    expect(items.B05?.values.bytesWritten).toBe(10n);
    for (const seed of [1, 2, 3]) {
      const random = await study(randomCorpus(seed));
      expect(random.items.B11?.dropped["jobs without a user"]).toBeGreaterThan(0);
      expect(value(random, "B11", "longestJobMeanShare")).toBeLessThanOrEqual(
        value(random, "B11", "meanShare"),
      );
      expect(value(random, "B11", "daysBelowLongestJob")).toBe(0);
    }
  });

  it("are similar to nobody (B17)", async () => {
    const jobs = ["1", "2", "3"].map((id) => job(id, DAY, 60, id === "3" ? {} : nobody));
    const minutes = jobs.map(({ job_id }) => minute(job_id, first, 7));
    const { items } = await study({ jobs, minutes }, { groupJobs: 2 });
    expect(items.B17?.values.groups).toBe(0);
    expect(items.B17?.dropped).toMatchObject({
      "jobs with I/O without a user (b)": 2,
      "jobs with I/O in too small groups (b)": 1,
    });
  });
});

describe("metadata targets outside the period (B08)", () => {
  const onMdt = (at: number, opens: number): MinuteRow => ({
    ...minute("1", Math.floor(Date.parse("2018-03-10T12:00Z") / 60_000) + 1440 * at, 0),
    target: "MDT0000",
    opens,
    closes: opens - 1,
  });
  const minutes = [onMdt(0, 10), onMdt(1, 20), onMdt(2, 40), onMdt(2, 80)];

  it("are named with what they opened", async () => {
    const { items } = await study({ minutes }, { from: "2018-03-10", to: "2018-03-12" });
    expect(items.B08?.values.opens).toBe(30);
    expect(items.B08?.dropped).toEqual({ "rows of MDTs outside the period": 2 });
    expect(items.B08?.notes.join(" ")).toContain("120 opens and 118 closes");
    expect((await study({ minutes })).items.B08?.dropped).toEqual({});
  });

  it("are not replaced by counters of another kind", async () => {
    const { items } = await study({ minutes }, { from: "2019-01-01" });
    expect(items.B08).toMatchObject({ n: 0, dropped: { "rows of MDTs outside the period": 4 } });
    expect(items.B08?.notes[0]).toContain("Over all jobs");
  });
});

it("bursts are counted without a known memory, and compared with none (B14, B15)", async () => {
  const jobs = [job("1", DAY, 300, { node_memory_bytes: null })];
  const minutes = [0, 1, 3].map((at) => minute("1", first + at, 7));
  const { items } = await study({ jobs, minutes });
  expect(items.B14?.values).toMatchObject({ jobs: 0, bursts: 2 });
  for (const key of ["above50", "below5", "writers", "writersBelow5"])
    expect(items.B14?.values[key], key).toBeNaN();
  for (const key of ["neverBeyond1", "below1", "above100"]) expect(items.B15?.values[key], key).toBeNaN();
  for (const id of ["B14", "B15"])
    expect(items[id]?.notes.join()).toContain("No job with minutes has a known memory size");
  const empty = await study({});
  expect(empty.items.B14?.values.bursts).toBeNaN();
  expect(empty.items.B14?.notes).toEqual([]);
});

it("a year without data has no calendars, and says so (B09 to B11)", async () => {
  const jobs = [job("1", DAY, 60, moved(5))];
  for (const [year, notes, figures] of [
    [2018, [], 2],
    [1, ["The year 1 has no data, so there are no calendars; days with data are in 2018."], 0],
  ] as const) {
    const { items } = await study({ jobs }, { year });
    for (const id of ["B09", "B10", "B11"]) {
      expect(items[id]?.notes).toEqual(notes);
      expect(items[id]?.figures).toHaveLength(figures);
    }
  }
});

it.each([
  [1, "groups of similar jobs", "1 group of similar jobs,"],
  [1, "heavy users", "1 heavy user,"],
  [1, "accesses", "1 access,"],
  [1, "MDTs", "1 MDT,"],
  [2, "days", "2 days,"],
])("%i of %s are %s in a reason", (n, unit, text) => {
  expect(verdictOf({ claims: [], n, minimum: 10, unit }).reason).toContain(`: ${text}`);
});
