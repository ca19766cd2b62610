/** What the items share, read once: jobs as columns, what each job with minutes did, and the metadata targets. */
import type { Queryable } from "../../../model/index.ts";
import { LocalClock } from "./clock.ts";
import { type Jobs, placesOf, readJobs } from "./jobs.ts";
import { type Mdts, readMdts } from "./mdts.ts";
import { groupMinutes, type MinuteCounts, passMinutes } from "./minutes.ts";
import type { SystemOptions } from "./options.ts";
import { Series } from "./series.ts";
import { type RunSide, readSides } from "./similar-runs.ts";

export interface Prepared {
  readonly options: SystemOptions;
  readonly jobs: Jobs;
  /** Places of the studied jobs, and of those with counters of bytes. */
  readonly studied: Uint32Array;
  readonly counted: Uint32Array;
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
}

export async function prepare(
  db: Queryable,
  options: SystemOptions,
  step: (name: string) => void = () => {},
): Promise<Prepared> {
  const grouped = await groupMinutes(db, options.lateMinutes);
  step("minutes");
  const jobs = await readJobs(db, options);
  step("jobs");
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
  await passMinutes(db, jobs, options, minutes, (run) => series.add(run));
  step("series");
  const mdts = await readMdts(db, options);
  step("targets");
  const names = await db.rows(
    "select user_no, coalesce(min(name), cast(max(key) as varchar)) as name from sys_users group by user_no",
  );
  const userNames = new Map(names.map(({ user_no, name }) => [Number(user_no), String(name)]));
  const sides = options.similarity === "cluster" ? await readSides(db, options) : [];
  const known = studied.length > 0;
  let [first, last] = [from, to];
  for (const { start } of sides)
    for (const one of start) [first, last] = [Math.min(first, one), Math.max(last, one)];
  return {
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
  };
}
