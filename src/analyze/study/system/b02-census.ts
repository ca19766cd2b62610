import { defineItem, share } from "./item.ts";
import { BAD_CLOCK, LONG, NO_USER, OTHER_CLUSTER, OUTSIDE } from "./jobs.ts";
import type { Prepared } from "./prepare.ts";

/** Jobs in each state. */
function states({ jobs }: Prepared): Float64Array {
  const counts = new Float64Array(5);
  for (let job = 0; job < jobs.count; job++) counts[jobs.state[job] as number]!++;
  return counts;
}

function usersOf({ jobs, studied }: Prepared): { users: number; without: number } {
  const seen = new Uint8Array(jobs.users);
  let [users, without] = [0, 0];
  for (const job of studied) {
    const user = jobs.user[job] as number;
    if (user === NO_USER) without++;
    else if (seen[user] === 0) {
      seen[user] = 1;
      users++;
    }
  }
  return { users, without };
}

/** Studied jobs that ran while the servers were read. */
function scheduled({ jobs, studied, minutes }: Prepared): number {
  const [from, to] = [60 * minutes.firstMinute, 60 * (minutes.lastMinute + 1)];
  let count = 0;
  for (const job of studied)
    if ((jobs.end[job] as number) >= from && (jobs.start[job] as number) < to) count++;
  return count;
}

export const b02 = defineItem({
  id: "B02",
  definition: "B02@1",
  title: "Census",
  place: "section IV",
  section: "data",
  about:
    "Studied jobs and their users; jobs with client counters; jobs with server minutes. Coverage is jobs seen over jobs scheduled: for counters, over all studied jobs; for minutes, over the studied jobs that ran between the first and the last minute of the store.",
  reading:
    "With low coverage the minutes are a sample. The paper's 16,795 jobs are about a quarter of the I/O jobs that Quartz must have run in those 34 days; the paper does not say which quarter.",
  byCluster: ["jobs", "users"],
  options: ["cluster", "from", "to", "zone", "maxHours"],
  values: {
    jobs: ["count", "jobs", { cab: 2_854_478, quartz: 1_401_897 }],
    users: ["count", "users", { cab: 994, quartz: 584 }],
    jobsWithoutUser: ["count", "jobs without a user"],
    jobsWithCounters: ["count", "jobs with counters"],
    counterCoverage: ["share", "jobs with counters, share"],
    seriesJobs: ["count", "jobs with minutes", { quartz: 16_795 }],
    seriesJobsUnknown: ["count", "ids with minutes but without a job"],
    minuteRows: ["count", "rows of minutes"],
    jobsWhileMinutes: ["count", "jobs that ran while servers were sampled"],
    minuteCoverage: ["share", "share of these with minutes"],
    bytesRead: ["bytes", "bytes read"],
    bytesWritten: ["bytes", "bytes written"],
    bytes: ["bytes", "bytes"],
    negativeCounters: ["count", "negative counters"],
  },
  narrative: ({ text }) =>
    `${text("jobs")} jobs of ${text("users")} users are studied. ${text("counterCoverage")} of them have client counters; ${text("seriesJobs")} jobs have server minutes, ${text("minuteCoverage")} of those that ran at the time. The jobs with counters read ${text("bytesRead")} and wrote ${text("bytesWritten")}. The paper had 2,854,478 jobs of 994 users (Cab), 1,401,897 of 584 (Quartz), and 16,795 by the minute.`,
  measure(prepared) {
    const { studied, counted, jobs, series, minutes } = prepared;
    const count = states(prepared);
    const { users, without } = usersOf(prepared);
    const inTime = scheduled(prepared);
    let known = 0;
    for (let i = 0; i < series.count; i++) if ((series.job[i] as number) >= 0) known++;
    return {
      n: studied.length,
      unit: "jobs",
      dropped: {
        "jobs of other clusters": count[OTHER_CLUSTER] as number,
        "jobs without plausible start and end times": count[BAD_CLOCK] as number,
        "jobs outside the period": count[OUTSIDE] as number,
        [`jobs that run ${prepared.options.maxHours} h or longer (B03)`]: count[LONG] as number,
        "rows of minutes without a job id": minutes.rowsWithoutJob,
        "rows of minutes with a job number of several clusters": minutes.rowsUnclear,
        "jobs with minutes of other clusters (with a cluster selected, also of unknown ones)":
          minutes.otherCluster,
        "jobs with minutes outside the period": minutes.outsidePeriod,
        [`jobs with minutes that run ${prepared.options.maxHours} h or longer`]: minutes.long,
        "jobs with minutes and implausible times": minutes.badClock,
        "minutes before the start or after the end of their job": minutes.outside,
      },
      values: {
        jobs: studied.length,
        users,
        jobsWithoutUser: without,
        jobsWithCounters: counted.length,
        counterCoverage: share(counted.length, studied.length),
        seriesJobs: series.count,
        seriesJobsUnknown: series.count - known,
        minuteRows: minutes.rows,
        jobsWhileMinutes: inTime,
        minuteCoverage: share(known, inTime),
        bytesRead: jobs.bytesRead,
        bytesWritten: jobs.bytesWritten,
        bytes: jobs.bytesRead + jobs.bytesWritten,
        negativeCounters: jobs.negative,
      },
      notes: [
        ...(studied.length > 0 && counted.length === 0
          ? ["No job has client counters: items that need bytes per job are empty."]
          : []),
        ...(series.count === 0 ? ["No job has server minutes: items that need them are empty."] : []),
      ],
    };
  },
});
