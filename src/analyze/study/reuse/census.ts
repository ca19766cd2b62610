/** What a study counts of everything, selected or not: runs and their clocks, accesses, bytes, calls. */
import type { Queryable } from "../../../model/index.ts";
import { partOr } from "../common/parts.ts";
import { exact, number } from "./item.ts";
import type { ReuseOptions } from "./options.ts";

export interface Input {
  readonly runs: number;
  readonly accesses: number;
  readonly outsidePeriodRuns: number;
  /** Runs that no period can be told of, since their clock cannot be right; 0 when all are studied. */
  readonly unplacedRuns: number;
  readonly badClockRuns: number;
  readonly excludedAccesses: number;
  readonly excludedBytes: bigint;
  readonly partialAccesses: number;
  readonly zeroByteAccesses: number;
  readonly bytesNotRecorded: number;
  readonly negativeCounters: number;
  readonly bytesRead: bigint;
  readonly bytesWritten: bigint;
  /** Distinct ones of the runs of the period. */
  readonly applications: number;
  readonly users: number;
  /** Runs of the period by the modules of their logs. */
  readonly moduleSets: readonly { readonly modules: string; readonly runs: number }[];
  /** Calls of the accesses that record how many of them were sequential. */
  readonly calls: {
    readonly accesses: number;
    readonly reads: number;
    readonly writes: number;
    readonly sequentialReads: number;
    readonly sequentialWrites: number;
  };
}

/** Of a run: its clock cannot be right. */
export const BAD_CLOCK = "(coalesce(clock, 'ok') <> 'ok' or start_unix_ns is null)";

/** Runs whose clock cannot be right, of a relation of runs. */
export const badRunsSql = (runs: string): string => `select run_id from ${runs} where ${BAD_CLOCK}`;

interface Clocks {
  readonly runs: number;
  readonly allRuns: number;
  /** Runs whose clock cannot be right, in the period and in all. */
  readonly badInPeriod: number;
  readonly bad: number;
  /** First and last start with a good clock, seconds since 1970. */
  readonly firstUnix: number;
  readonly lastUnix: number;
}

export async function clocks(db: Queryable, options: ReuseOptions): Promise<Clocks> {
  const period = await clocksOf(db, partOr(db, "period_clocks", clocksSql("reuse_period_runs")));
  const all = options.period === "" ? period : await clocksOf(db, partOr(db, "clocks", clocksSql("runs")));
  return {
    runs: period.runs,
    allRuns: all.runs,
    badInPeriod: period.bad,
    bad: all.bad,
    firstUnix: Number(period.first / 1_000_000_000n),
    lastUnix: Number(period.last / 1_000_000_000n),
  };
}

/** Grouped by what is said of a clock, which is a few texts: that costs half of a test for each run. */
export const clocksSql = (
  table: string,
): string => `select clock, count(*) as runs, count(start_unix_ns) as timed,
  min(start_unix_ns) as first, max(start_unix_ns) as last from ${table} group by clock`;

async function clocksOf(db: Queryable, counted: string) {
  const kinds = await db.rows(`select clock, sum(runs) as runs, sum(timed) as timed, min(first) as first,
    max(last) as last from ${counted} group by clock`);
  const good = kinds.filter(({ clock, timed }) => (clock === null || clock === "ok") && number(timed) > 0);
  const runs = kinds.reduce((sum, kind) => sum + number(kind.runs), 0);
  const [first = 0n, ...others] = good.map((kind) => exact(kind.first));
  return {
    runs,
    bad: runs - good.reduce((sum, kind) => sum + number(kind.timed), 0),
    first: others.reduce((least, one) => (one < least ? one : least), first),
    last: good.reduce((most, kind) => (exact(kind.last) > most ? exact(kind.last) : most), first),
  };
}

const CALLS =
  "(layer <> 'STDIO' and sequential_reads >= 0 and sequential_writes >= 0 and reads >= 0 and writes >= 0)";

export const CENSUS = `select * from
  (select count(*) filter (is_partial) as partial, count(*) filter (r = 0 and w = 0) as zero,
    count(*) filter (r is null or w is null) as unknown,
    count(*) filter (bytes_read < 0 or bytes_written < 0) as negative, sum(r) as bytes_read, sum(w) as bytes_written
    from reuse_input),
  (select count(*) as calls_known, sum(reads) as reads, sum(writes) as writes, sum(sequential_reads) as seq_reads,
    sum(sequential_writes) as seq_writes from reuse_input where ${CALLS}),
  (select count(*) as excluded, sum(coalesce(r, 0)) + sum(coalesce(w, 0)) as excluded_bytes from reuse_excluded)`;
const CENSUS_SUMS = [
  ...["partial", "zero", "unknown", "negative", "bytes_read", "bytes_written"],
  ...["calls_known", "reads", "writes", "seq_reads", "seq_writes", "excluded", "excluded_bytes"],
];
/** Applications and users, each alone unless their pairs are asked for: of pairs there are a hundred times as many. */
export const whoSql = ({ application }: ReuseOptions): string =>
  `select application_id, user_id from reuse_period_runs
    group by ${application === "exe" ? "grouping sets ((application_id), (user_id))" : "application_id, user_id"}`;
export const MODULE_SETS = "select modules, count(*) as n from reuse_period_runs group by modules";
export const RUN_SUMS =
  "select sum(negative_counters) as left_out, max(ranks) as ranks from reuse_period_runs";

export async function census(db: Queryable, options: ReuseOptions, clock: Clocks): Promise<Input> {
  const application = options.application === "exe" ? "application_id" : "(application_id, user_id)";
  const sums = CENSUS_SUMS.map((name) => `sum(${name}) as ${name}`).join(", ");
  // In one call: the database works on all of them while this thread is busy. There are few sets of modules, and
  // many logs.
  await db.run(`
    create or replace table reuse_census as select * from
      (select ${sums} from ${partOr(db, "census", CENSUS)}),
      (select sum(runs) as accesses from reuse_grouped);
    create or replace table reuse_census_runs as select * from
      (select count(distinct ${application}) as applications, count(distinct user_id) as users
        from ${partOr(db, "who", whoSql(options))}),
      (select coalesce(sum(left_out), 0) as left_out from ${partOr(db, "run_sums", RUN_SUMS)});
    create or replace table reuse_module_sets as
      select modules, sum(n) as n from ${partOr(db, "module_sets", MODULE_SETS)} group by modules`);
  const [row] = await db.rows("select * from reuse_census, reuse_census_runs");
  const sets = await db.rows("select modules, n from reuse_module_sets");
  return {
    applications: number(row?.applications),
    users: number(row?.users),
    moduleSets: sets.map(({ modules, n }) => ({ modules: String(modules ?? ""), runs: number(n) })),
    runs: clock.runs,
    accesses: number(row?.accesses) || 0,
    outsidePeriodRuns: clock.allRuns - clock.runs - (clock.bad - clock.badInPeriod),
    unplacedRuns: clock.bad - clock.badInPeriod,
    badClockRuns: clock.badInPeriod,
    excludedAccesses: number(row?.excluded) || 0,
    excludedBytes: exact(row?.excluded_bytes),
    partialAccesses: number(row?.partial),
    zeroByteAccesses: number(row?.zero),
    bytesNotRecorded: number(row?.unknown),
    negativeCounters: number(row?.negative) + number(row?.left_out),
    calls: {
      accesses: number(row?.calls_known),
      reads: number(row?.reads),
      writes: number(row?.writes),
      sequentialReads: number(row?.seq_reads),
      sequentialWrites: number(row?.seq_writes),
    },
    bytesRead: exact(row?.bytes_read),
    bytesWritten: exact(row?.bytes_written),
  };
}
