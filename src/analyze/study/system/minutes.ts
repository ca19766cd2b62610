/**
 * One pass over the minutes of jobs. The database adds up the targets of each job and minute and hands them over job by job;
 * what is asked of a job is read off its series while it is in the cache, and only a few numbers of each are kept.
 */
import { longer } from "../../../base/room.ts";
import type { Queryable, RawColumn } from "../../../model/index.ts";
import { number } from "../common/item.ts";
import { partOr } from "../common/parts.ts";
import { clustersOfMinutes } from "../common/minute-clusters.ts";
import { eachRun, placeIn } from "../common/run-minutes.ts";
import { BAD_CLOCK, type Jobs, LONG, OTHER_CLUSTER, OUTSIDE, STUDIED } from "./jobs.ts";
import { boundsOf, type SystemOptions } from "./options.ts";

/** A job in the minutes that it ran, and what it moved in each. Used again for the next one. */
export interface Run {
  /** Place in the jobs; -1: no job of this id is known, and the run is as long as what was seen of it. */
  job: number;
  firstMinute: number;
  bins: number;
  read: Float64Array;
  written: Float64Array;
}

export interface MinuteCounts {
  /** Rows of the table, and the rows without the id of a job. */
  rows: number;
  rowsWithoutJob: number;
  /** Rows of job numbers that are on several clusters, of which nobody can tell one. */
  rowsUnclear: number;
  /** First and last minute of the table; NaN without any. */
  firstMinute: number;
  lastMinute: number;
  /** Minutes of jobs that lie before their start or too long after their end. */
  outside: number;
  /** Runs that are known and not studied. */
  otherCluster: number;
  badClock: number;
  outsidePeriod: number;
  long: number;
  /** Ids with minutes that no job has. */
  unknown: number;
}

/** First eight bytes of the SHA-256 of nothing: servers write so what no job did. */
const NO_JOB = "16406829232824261652";

/** What is counted while minutes are grouped. */
type GroupedCounts = Pick<
  MinuteCounts,
  "rows" | "rowsWithoutJob" | "rowsUnclear" | "firstMinute" | "lastMinute"
>;

/**
 * `sys_minutes`: bytes of each job and minute; `sys_series`: the jobs in it, by number; `sys_series_of`: which of them a job
 * of the scheduler is, by its id and its cluster (empty: not known).
 */
export async function groupMinutes(db: Queryable, lateMinutes: number): Promise<GroupedCounts> {
  const { unclear, seriesOf } = await groupRows(db, lateMinutes);
  await db.run(`create or replace temp table sys_series as
    select *, cast(row_number() over (order by job_key, cluster) - 1 as integer) as series_no from sys_owners`);
  await db.run(`create or replace temp table sys_series_of as ${seriesOf}`);
  const [all] = await db.rows(`select sum(n) as n from ${partOr(db, "minute_rows", MINUTE_ROWS)}`);
  const [used] = await db.rows(
    "select coalesce(sum(n), 0) as n, min(minute) as first, max(minute) as last from sys_minutes",
  );
  return {
    rows: number(all?.n),
    rowsWithoutJob: number(all?.n) - number(used?.n) - unclear,
    rowsUnclear: unclear,
    firstMinute: number(used?.first),
    lastMinute: number(used?.last),
  };
}

export const MINUTE_ROWS = "select count(*) as n from minutes";
const PLACED = `job_key <> ${NO_JOB}::ubigint and minute_unix between 0 and 2147483647`;

/** Bytes of each job and minute, over all targets. */
export function jobMinutesSql(columns: string): string {
  // Doubles are exact here: no job moves 2^53 bytes in a minute.
  const sum = (name: string) => `sum(if(${name} > 0, cast(${name} as double), 0::double))`;
  return `select job_key, ${columns} cast(minute_unix as integer) as minute,
      ${sum("bytes_read")} as r, ${sum("bytes_written")} as w, count(*) as n
    from minutes where ${PLACED} group by all`;
}

/** Minutes of jobs at times that cannot be; they still say which clusters there are. */
export const ODD_MINUTES = `select distinct job_key, cluster, minute_unix from minutes
  where job_key <> ${NO_JOB}::ubigint and not coalesce(${PLACED}, false)`;

/** Fills `sys_minutes` and `sys_owners`; gives the rows of which nobody can tell the cluster, and `sys_series_of`. */
async function groupRows(
  db: Queryable,
  lateMinutes: number,
): Promise<{ readonly unclear: number; readonly seriesOf: string }> {
  const parts = db.part?.("job_minutes");
  const group = (columns: string) =>
    parts === undefined
      ? jobMinutesSql(columns)
      : `select job_key, ${columns} minute, sum(r) as r, sum(w) as w, cast(sum(n) as bigint) as n from ${parts} group by all`;
  const known = await clustersOfMinutes(
    db,
    parts === undefined
      ? `(select job_key, cluster, minute_unix from minutes where job_key <> ${NO_JOB}::ubigint)`
      : `(select job_key, cluster, cast(minute as bigint) as minute_unix from ${parts} union all from ${db.part?.("odd_minutes")})`,
    lateMinutes,
  );
  if (!known.matter) {
    await db.run(`create or replace temp table sys_minutes as
      select job_key as series_key, minute, r, w, n from (${group("")})`);
    await db.run(`create or replace temp table sys_owners as
      select distinct series_key, series_key as job_key, null::varchar as cluster from sys_minutes`);
    // Whatever cluster a job names, there is no other.
    const seriesOf = `select job_key, c.cluster, series_no from sys_series
      cross join (select distinct coalesce(cluster, '') as cluster from jobs) c`;
    return { unclear: 0, seriesOf };
  }
  await db.run(`create or replace temp table sys_placed as
    select m.job_key, ${known.cluster} as cluster, ${known.unclear} as unclear, m.minute, m.r, m.w, m.n
    from (select *, minute as minute_unix from (${group("cluster,")})) m ${known.joins}`);
  await db.run(`create or replace temp table sys_minutes as
    select hash(job_key, cluster) as series_key, minute, sum(r) as r, sum(w) as w, sum(n) as n
    from sys_placed where not unclear group by series_key, minute`);
  await db.run(`create or replace temp table sys_owners as
    select distinct hash(job_key, cluster) as series_key, job_key, cluster from sys_placed where not unclear`);
  const [row] = await db.rows("select coalesce(sum(n), 0) as n from sys_placed where unclear");
  await db.run("drop table sys_placed");
  // A job whose cluster is not known is the one job of its number that has minutes.
  const seriesOf = `select job_key, coalesce(cluster, '') as cluster, series_no from sys_series
    union all select job_key, '', min(series_no) from sys_series group by job_key
      having count(*) = 1 and count(cluster) = 1`;
  return { unclear: number(row?.n), seriesOf };
}

export async function passMinutes(
  db: Queryable,
  jobs: Jobs,
  options: SystemOptions,
  counts: MinuteCounts,
  take: (run: Run) => void,
): Promise<void> {
  const pass = new Pass(jobs, options, counts, take);
  await db.scan(
    `select s.series_no, m.minute, m.r, m.w from sys_minutes m join sys_series s on s.series_key = m.series_key
      order by s.series_no, m.minute`,
    (rows, columns) => pass.rows(rows, columns),
  );
  pass.end();
}

class Pass {
  readonly #jobs: Jobs;
  readonly #options: SystemOptions;
  readonly #counts: MinuteCounts;
  readonly #take: (run: Run) => void;
  readonly #jobsOf: ReadonlyMap<number, number[]>;
  readonly #bounds: ReturnType<typeof boundsOf>;
  #series = -1;
  #minutes = new Int32Array(2048);
  #read = new Float64Array(2048);
  #written = new Float64Array(2048);
  #length = 0;
  readonly #run: Run = {
    job: -1,
    firstMinute: 0,
    bins: 0,
    read: new Float64Array(2048),
    written: new Float64Array(2048),
  };

  constructor(jobs: Jobs, options: SystemOptions, counts: MinuteCounts, take: (run: Run) => void) {
    this.#jobs = jobs;
    this.#options = options;
    this.#counts = counts;
    this.#take = take;
    this.#bounds = boundsOf(options);
    const jobsOf = new Map<number, number[]>();
    for (let job = 0; job < jobs.count; job++) {
      const series = jobs.series[job] as number;
      if (series < 0) continue;
      const runs = jobsOf.get(series);
      if (runs === undefined) jobsOf.set(series, [job]);
      else runs.push(job);
    }
    this.#jobsOf = jobsOf;
  }

  rows(rows: number, [series, minute, read, written]: readonly RawColumn[]): void {
    for (let i = 0; i < rows; i++) {
      if ((series as RawColumn)[i] !== this.#series) {
        this.end();
        this.#series = (series as RawColumn)[i] as number;
      }
      if (this.#length === this.#minutes.length) this.#grow();
      this.#minutes[this.#length] = (minute as RawColumn)[i] as number;
      this.#read[this.#length] = (read as RawColumn)[i] as number;
      this.#written[this.#length++] = (written as RawColumn)[i] as number;
    }
  }

  #grow(): void {
    this.#minutes = longer(this.#minutes);
    this.#read = longer(this.#read);
    this.#written = longer(this.#written);
  }

  /** All minutes of one id are there. */
  end(): void {
    if (this.#length === 0) return;
    const runs = this.#jobsOf.get(this.#series);
    if (runs === undefined) this.#unknown();
    else this.#known(runs);
    this.#length = 0;
  }

  #unknown(): void {
    const counts = this.#counts;
    counts.unknown++;
    const [first, last] = [this.#minutes[0] as number, this.#minutes[this.#length - 1] as number];
    const { cluster, maxHours } = this.#options;
    if (cluster !== "") return void counts.otherCluster++;
    if (60 * first < this.#bounds.fromUnix || 60 * first >= this.#bounds.toUnix)
      return void counts.outsidePeriod++;
    if ((last - first) / 60 >= maxHours) return void counts.long++;
    this.#fill(-1, first, last, 0, this.#length);
  }

  /** An id comes again after a requeue: each minute belongs to the last run that has begun by then. */
  #known(runs: number[]): void {
    const { start, end, state } = this.#jobs;
    const clocked = runs.filter((job) => !Number.isNaN(start[job]));
    this.#counts.badClock += runs.length - clocked.length;
    if (clocked.length > 1)
      clocked.sort(
        (a, b) => (start[a] as number) - (start[b] as number) || (end[a] as number) - (end[b] as number),
      );
    const begins = clocked.map((job) => Math.floor((start[job] as number) / 60));
    const early = eachRun(this.#minutes, this.#length, begins, (run, from, to) => {
      const job = clocked[run] as number;
      this.#place(job, state[job] as number, from, to);
    });
    this.#counts.outside += early;
  }

  #place(job: number, state: number, from: number, to: number): void {
    const counts = this.#counts;
    if (state === OTHER_CLUSTER) counts.otherCluster++;
    else if (state === OUTSIDE) counts.outsidePeriod++;
    else if (state === LONG) counts.long++;
    else if (state === BAD_CLOCK) counts.badClock++;
    if (state !== STUDIED) return;
    const { start, end } = this.#jobs;
    const [first, last] = [Math.floor((start[job] as number) / 60), Math.floor((end[job] as number) / 60)];
    this.#fill(job, first, last, from, to);
  }

  #fill(job: number, first: number, last: number, from: number, to: number): void {
    const run = this.#run;
    run.job = job;
    run.firstMinute = first;
    run.bins = last - first + 1;
    if (run.bins > run.read.length) {
      run.read = new Float64Array(2 * run.bins);
      run.written = new Float64Array(2 * run.bins);
    }
    run.read.fill(0, 0, run.bins);
    run.written.fill(0, 0, run.bins);
    let inside = 0;
    for (let i = from; i < to; i++) {
      const minute = this.#minutes[i] as number;
      const bin = placeIn(minute, first, last, this.#options.lateMinutes);
      if (bin < 0) continue;
      inside++;
      run.read[bin] = (run.read[bin] as number) + (this.#read[i] as number);
      run.written[bin] = (run.written[bin] as number) + (this.#written[i] as number);
    }
    this.#counts.outside += to - from - inside;
    if (inside > 0) this.#take(run);
  }
}
