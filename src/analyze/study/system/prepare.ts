/** What the items share, read once: jobs as columns, what each job with minutes did, and the metadata targets. */
import type { Queryable } from "../../../model/index.ts";
import { once, type StudySteps } from "../common/study.ts";
import type { Rule } from "./b18-rules.ts";
import { lightJobs } from "./b19-light-jobs.ts";
import { LocalClock } from "./clock.ts";
import { type ClusterPart, clusterParts } from "./cluster-parts.ts";
import { type Similar, similarJobs } from "./contention.ts";
import { type Day, summedDays, type UserDay } from "./days.ts";
import type { DrawnInterval } from "../common/intervals.ts";
import { hourIntervals } from "./intervals.ts";
import { type Jobs, NO_USER, placesOf, readJobs } from "./jobs.ts";
import { type Mdts, readMdts } from "./mdts.ts";
import { groupMinutes, type MinuteCounts, passMinutes } from "./minutes.ts";
import type { SystemOptions } from "./options.ts";
import { Series } from "./series.ts";
import { type RunSide, readSides } from "./similar-runs.ts";
import { type UserTotals, userTotals } from "./users.ts";
import { type Writers, writersOf } from "./writers.ts";

export interface Prepared {
  readonly options: SystemOptions;
  readonly jobs: Jobs;
  /** Places of the studied jobs, and of those with counters of bytes. */
  readonly studied: Uint32Array;
  readonly counted: Uint32Array;
  /** Place in `jobs.clusters` of the only cluster that counts; undefined: all do. */
  readonly cluster?: number;
  readonly series: Series;
  readonly minutes: MinuteCounts;
  readonly mdts: Mdts;
  /** Reads and writes of runs in Darshan logs, where these are to be clustered. */
  readonly sides: readonly RunSide[];
  readonly clock: LocalClock;
  /** First and last start of studied jobs; NaN without any. */
  readonly fromUnix: number;
  readonly toUnix: number;
  userName(user: number): string;
  /** Made at the first call. */
  users(): readonly UserTotals[];
  writers(): Writers;
  /** Days on which jobs with counters started and moved bytes. */
  days(): readonly Day[];
  /** The same of the jobs that have a user alone: the longest job is theirs too, so that both can be compared (B11). */
  userDays(): readonly UserDay[];
  similar(): Similar;
  /** What light jobs beside heavy users would have changed. */
  lightJobs(): ReturnType<typeof lightJobs>;
  /** Of the correlation of data and I/O time over the hours. */
  hourInterval(): DrawnInterval;
  /** The same of each cluster for itself. */
  clusterParts(): readonly ClusterPart[];
  /** Known when the observations are judged. */
  readonly rules: readonly Rule[];
}

export async function prepare(
  db: Queryable,
  options: SystemOptions,
  steps: Pick<StudySteps, "timed">,
): Promise<Prepared> {
  const grouped = await steps.timed("minutes", () => groupMinutes(db, options.lateMinutes));
  const jobs = await steps.timed("jobs", () => readJobs(db, options));
  const { studied, counted } = placesOf(jobs);
  let [from, to] = [Infinity, -Infinity];
  for (const job of studied) {
    from = Math.min(from, jobs.start[job] as number);
    to = Math.max(to, jobs.end[job] as number);
  }
  const minutes: MinuteCounts = {
    ...grouped,
    outside: 0,
    otherCluster: 0,
    badClock: 0,
    outsidePeriod: 0,
    long: 0,
    unknown: 0,
  };
  const series = new Series(jobs, options);
  await steps.timed("series", () => passMinutes(db, jobs, options, minutes, (run) => series.add(run)));
  const mdts = await steps.timed("targets", () => readMdts(db, options));
  const names = await db.rows(
    "select user_no, coalesce(min(name), cast(max(key) as varchar)) as name from sys_users group by user_no",
  );
  const userNames = new Map(names.map(({ user_no, name }) => [Number(user_no), String(name)]));
  const sides = options.similarity === "cluster" ? await readSides(db, options) : [];
  const known = studied.length > 0;
  let [first, last] = [from, to];
  for (const { start } of sides)
    for (const one of start) [first, last] = [Math.min(first, one), Math.max(last, one)];
  const owned = once(() => counted.filter((job) => jobs.user[job] !== NO_USER));
  const prepared: Prepared = {
    options,
    jobs,
    studied,
    counted,
    series,
    minutes,
    mdts,
    sides,
    clock: new LocalClock(options.zone, first, last),
    fromUnix: known ? from : Number.NaN,
    toUnix: known ? to : Number.NaN,
    userName: (user) => userNames.get(user) ?? "?",
    users: once(() => userTotals(prepared)),
    writers: once(() => writersOf(prepared)),
    days: once(() =>
      owned().length === counted.length ? prepared.userDays() : summedDays(prepared, counted),
    ),
    userDays: once(() => summedDays(prepared, owned())),
    similar: once(() => similarJobs(prepared)),
    lightJobs: once(() => lightJobs(prepared)),
    hourInterval: once(() => hourIntervals(prepared).rho),
    clusterParts: once(() => clusterParts(prepared)),
    rules: [],
  };
  return prepared;
}
