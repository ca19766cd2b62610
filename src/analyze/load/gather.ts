/**
 * Temporary tables for rankings. `load_jobs` has one row per job with the amounts that it is ordered by, `load_people`
 * the users and accounts, and cells the amounts of a job per step of the window; all other facts are looked up for the
 * few jobs shown. `identity` is a job id with its cluster, since two clusters may use the same id. If a row could
 * belong to several clusters, `clusters` names them.
 */
import { CLIENT_CALL_COLUMNS, type Queryable } from "../../model/index.ts";
import { clustersOfMinutes } from "../study/common/minute-clusters.ts";
import { AMOUNT_COLUMNS, type Measure, measureColumn, measureSql, SUMS_AGAIN } from "./amounts.ts";
import { loadRows } from "./levels.ts";
import { grainOf, stretchSql } from "./stretches.ts";
import { labelUsers, USER_NUMBER } from "./users.ts";
import type { Window } from "./window.ts";

export const inWindow = ({ from, to }: Window): string => `minute_unix >= ${from} and minute_unix < ${to}`;
/** Tolerance between the clocks of scheduler and servers. */
const MARGIN_NS = 86_400_000_000_000n;

export interface GatheredJobs {
  /** Relation of `identity`, `stretch` and amounts; rows of one cell add up. */
  readonly cells: string;
  /** Jobs with an ambiguous cluster and their amounts; undefined if there can be none. */
  readonly unclear: string | undefined;
  /** Relation with amounts and facts of the jobs whose identities are in a table. */
  named(table: string): Promise<string>;
}

/** Jobs with their users and accounts. */
export const JOBS_OF_PEOPLE =
  "(select j.*, p.user_label, p.account from load_jobs j left join load_people p on p.person = j.person)";

/** From server counters; `measures`: amounts to sort jobs by; `wide`: a table that `named` may need later. */
export async function gatherFromServers(
  db: Queryable,
  window: Window,
  condition: string,
  smallBytes: number,
  measures: readonly Measure[],
  wide = "load_wide",
): Promise<GatheredJobs> {
  const asked = { base: "minutes", window, condition, smallBytes, fresh: `${wide}_fresh` } as const;
  let rows = await loadRows(db, CELL_COLUMNS, asked);
  let known = await clustersOfMinutes(db, rows);
  if (known.matter && (await hasUnclearNumbers(db))) {
    rows = await withMinutesOfUnclear(db, rows, CELL_COLUMNS, asked);
    known = await clustersOfMinutes(db, rows);
  }
  if (!known.matter) return gatherByNumber(db, window, rows, measures);
  await db.run(`create or replace temp table load_cells as
    select *, concat(job_key, '/', if(unclear, '?', cluster)) as identity from (
      select m.job_key, any_value(m.job_id) as job_id, ${known.cluster} as cluster, ${known.unclear} as unclear,
        ${stretchSql(window, "m.")} as stretch, ${SUMS_AGAIN}
      from ${rows} m ${known.joins} group by m.job_key, 3, 4, stretch)`);
  await gatherFacts(db, window, "load_cells", true);
  await db.run(`create or replace temp table ${wide} as
    select c.identity, c.job_key, c.job_id, f.facts.user_id as user_id,
      f.facts.name as name, f.facts.account as account, f.facts.nodes as nodes, coalesce(c.cluster, f.facts.cluster) as cluster,
      f.facts.start as start_unix_ns, f.facts.end as end_unix_ns, nullif(f.facts.user_name, '') as user_label,
      (select array_to_string(clusters, ' or ') from minute_cluster_many k where c.unclear and k.job_key = c.job_key) as clusters,
      c.* exclude (identity, job_key, job_id, cluster, unclear)
    from (select identity, any_value(job_key) as job_key, any_value(job_id) as job_id, any_value(cluster) as cluster,
        any_value(unclear) as unclear, ${SUMS_AGAIN} from load_cells group by identity) c
    left join load_facts f on f.job_key = if(c.unclear, null, c.job_key) and f.of_cluster is not distinct from c.cluster`);
  return ofWide(db, wide, "load_cells", measures);
}

/** Relation with all facts. */
async function ofWide(
  db: Queryable,
  wide: string,
  cells: string,
  measures: readonly Measure[],
): Promise<GatheredJobs> {
  await labelUsers(db, wide);
  const person = "hash(user_label, account)";
  await db.run(`create or replace temp table load_people as
    select ${person} as person, any_value(user_label) as user_label, any_value(account) as account from ${wide} group by person`);
  const amounts = measures.map((one) => `${measureSql(one)} as ${measureColumn(one)}`);
  await db.run(`create or replace temp table load_jobs as
    select ${["identity", `${person} as person`, ...amounts].join(", ")} from ${wide}`);
  return {
    cells,
    unclear: `(from ${wide} where clusters is not null)`,
    named: async (table) => `(from ${wide} where identity in (select identity from ${table}))`,
  };
}

/**
 * The same if no job id is used twice. There may be millions of jobs: each is summed once and joined once with its
 * scheduler row; the few with several rows are handled separately.
 */
async function gatherByNumber(
  db: Queryable,
  window: Window,
  rows: string,
  measures: readonly Measure[],
): Promise<GatheredJobs> {
  // Roll-ups have hardly more rows than there are jobs, so they are read again for steps.
  const isRead = grainOf(window) >= 60;
  const cells = isRead
    ? `(select job_key as identity, *, ${stretchSql(window)} as stretch from ${rows})`
    : "load_cells";
  if (!isRead)
    await db.run(`create or replace temp table load_cells as
      select job_key as identity, ${stretchSql(window)} as stretch, ${SUMS_AGAIN} from ${rows} group by job_key, stretch`);
  const amounts = measures.map((one) => `sum(${measureSql(one)}) as ${measureColumn(one)}`);
  await db.run(`create or replace temp table load_amounts as
    select ${["job_key", ...amounts].join(", ")} from ${rows} group by job_key`);
  const odd = await db.rows(`select 1 as one from jobs where ${inTime(window)} and not ${IS_PLAIN} limit 1`);
  // If every job has one row, the join shows it without counting.
  if (odd.length > 0 || !(await joinPeople(db, window, false))) {
    await db.run(`create or replace temp table load_several as
      select job_key from jobs where ${inTime(window)} group by job_key having not (count(*) = 1 and bool_and(${IS_PLAIN}))`);
    await gatherFacts(db, window, "load_several", false);
    await joinPeople(db, window, true);
  }
  await addUnknown(db, rows);
  await labelUsers(db, "load_people");
  return { cells, unclear: undefined, named: (table) => namedByNumber(db, window, rows, table) };
}

/** A scheduler row, complete unless its job has other rows. */
const IS_PLAIN =
  "(source = 'scheduler' and job_id is not null and coalesce(submit_unix_ns, start_unix_ns) is not null)";

/** Finds users and accounts of all jobs. False: some job has several rows; the facts of `load_several` are elsewhere. */
async function joinPeople(db: Queryable, window: Window, several: boolean): Promise<boolean> {
  const names = ["job_id", "user_id", "user_name", "account", "cluster"];
  const rows = `select job_key, ${names.join(", ")} from jobs where ${inTime(window)}`;
  const all = several
    ? `${rows} and job_key not in (from load_several)
       union all select job_key, ${names.map((name) => `facts.${name}`).join(", ")} from load_facts`
    : rows;
  const found = `(select job_key, ${USER_NUMBER} as user_id, nullif(user_name, '') as user_label,
    nullif(account, '') as account, cluster from (${all}))`;
  await db.run(`create or replace temp table load_jobs as
    select a.job_key as identity, coalesce(f.person, 0) as person, a.* exclude (job_key)
    from load_amounts a left join (select job_key, ${PERSON} as person from ${found}) f on f.job_key = a.job_key`);
  await db.run(`create or replace temp table load_people as
    select ${PERSON} as person, *, null::varchar as job_id from (select distinct * exclude (job_key) from ${found})`);
  const [row] = await db.rows(
    "select (select count(*) from load_jobs) = (select count(*) from load_amounts) as single",
  );
  return row?.single === true;
}

const PERSON = "hash(user_id, user_label, account, cluster)";

/** Jobs that no job list names get the user from their id, if it contains one. */
async function addUnknown(db: Queryable, rows: string): Promise<void> {
  const unknown = await db.rows("select 1 as one from load_jobs where person = 0 limit 1");
  if (unknown.length === 0) return;
  await db.run(`create or replace temp table load_unknown as
    select *, ${PERSON} as person from (
      select job_key, ${USER_NUMBER} as user_id, null::varchar as user_label, null::varchar as account, cluster from (
        select job_key, any_value(job_id) as job_id, any_value(cluster) as cluster, null::bigint as user_id from ${rows}
        where job_key in (select identity from load_jobs where person = 0) group by job_key))
    where user_id is not null`);
  await db.run("update load_jobs j set person = u.person from load_unknown u where u.job_key = j.identity");
  await db.run(`insert into load_people by name
    select distinct * exclude (job_key) from load_unknown where person not in (select person from load_people)`);
}

async function namedByNumber(db: Queryable, window: Window, rows: string, table: string): Promise<string> {
  await db.run(`create or replace temp table load_sums as
    select job_key, any_value(job_id) as job_id, any_value(cluster) as cluster, ${SUMS_AGAIN}
    from ${rows} where job_key in (select identity from ${table}) group by job_key`);
  await gatherFacts(db, window, "load_sums", false);
  await db.run(`create or replace temp table load_wide as
    select c.job_key as identity, c.job_key, c.job_id, f.facts.user_id as user_id, nullif(f.facts.user_name, '') as user_label,
      f.facts.name as name, f.facts.account as account, f.facts.nodes as nodes, coalesce(c.cluster, f.facts.cluster) as cluster,
      f.facts.start as start_unix_ns, f.facts.end as end_unix_ns, null::varchar as clusters,
      c.* exclude (job_key, job_id, cluster)
    from load_sums c left join load_facts f on f.job_key = c.job_key`);
  await labelUsers(db, "load_wide");
  return "load_wide";
}

const CELL_COLUMNS = ["job_key", "job_id", "cluster", ...AMOUNT_COLUMNS];

/** Job ids on several clusters, resolved by the minute. */
export async function hasUnclearNumbers(db: Queryable): Promise<boolean> {
  const rows = await db.rows("select 1 as one from minute_cluster_many limit 1");
  return rows.length > 0;
}

/** The rows, with those of such ids by the minute where minutes exist. */
export async function withMinutesOfUnclear(
  db: Queryable,
  rows: string,
  columns: readonly string[],
  asked: Parameters<typeof loadRows>[2],
): Promise<string> {
  const parts = await db.levels?.("minutes");
  if (parts === undefined) return rows;
  await db.run("create or replace temp table load_many as select job_key from minute_cluster_many");
  const many = "cluster is null and job_key in (from load_many)";
  const from = Math.max(asked.window.from, parts.minutesFrom);
  if (from >= asked.window.to) return rows;
  // The row of an hour or a day has its first minute, which may lie before the window; minutes are pruned by whole days.
  const first = from - (from % 1440);
  const minutes = { ...asked, window: { from, to: asked.window.to, grain: 1 } };
  return `(select * from ${rows} where not (${many} and minute_unix >= ${first})
    union all select * from ${await loadRows(db, columns, minutes)} where ${many})`;
}

/** Condition: the run may overlap the window. */
function inTime({ from, to }: Window): string {
  const ns = (minute: number) => BigInt(minute) * 60_000_000_000n;
  return `(start_unix_ns is null or start_unix_ns < ${ns(to) + MARGIN_NS})
      and (end_unix_ns is null or end_unix_ns >= ${ns(from) - MARGIN_NS})`;
}

/**
 * The last of several runs with one id (and cluster, if relevant) that began before the end of the window, for the jobs
 * of a table.
 */
async function gatherFacts(db: Queryable, window: Window, table: string, byCluster: boolean): Promise<void> {
  await gatherPlainFacts(db, table);
  // Only rows of these jobs: a store has years of others.
  await db.run(`create or replace temp table load_known as select * from jobs
    where job_key in (select job_key from ${table} where job_key not in (select job_key from load_plain))`);
  const totals =
    db.jobTotalsOf?.("load_known") ??
    "select * from job_totals where job_key in (select job_key from load_known)";
  const names = ["job_key", ...PLAIN].join(", ");
  const runs = `select ${names} from (${totals}) where ${inTime(window)}
    union all select ${names} from load_plain where ${inTime(window)}`;
  // A row of a job list without clusters applies to every candidate cluster.
  const relation = byCluster
    ? `(select r.*, c.cluster as of_cluster from (${runs}) r join (select distinct job_key, cluster from load_cells) c
        on c.job_key = r.job_key and (r.cluster is null or r.cluster = c.cluster))`
    : `(select *, null::varchar as of_cluster from (${runs}))`;
  await db.run(`create or replace temp table load_facts as
    select job_key, of_cluster, arg_max(${FACTS}, coalesce(start_unix_ns, 0)) as facts
    from ${relation} group by job_key, of_cluster`);
}

const FACTS = `{'user_name': user_name, 'user_id': user_id, 'name': name, 'account': nullif(account, ''), 'nodes': nodes,
  'cluster': cluster, 'start': start_unix_ns, 'end': end_unix_ns, 'job_id': job_id}`;
const PLAIN = [
  "job_id",
  "user_name",
  "user_id",
  "name",
  "account",
  "nodes",
  "cluster",
  "start_unix_ns",
  "end_unix_ns",
];

/**
 * Jobs with one run and scheduler rows only: the row with the most complete end counts, as in `job_totals`. Nearly all
 * jobs are such, and need none of its joins.
 */
async function gatherPlainFacts(db: Queryable, table: string): Promise<void> {
  const latest = PLAIN.map((name) => `'${name}': ${name}`).join(", ");
  await db.run(`create or replace temp table load_plain as
    select job_key, unnest(facts) from (
      select job_key, arg_max({${latest}}, (coalesce(end_unix_ns, -1), coalesce(start_unix_ns, -1))) as facts
      from jobs where job_key in (select job_key from ${table}) group by job_key
      having bool_and(source = 'scheduler') and min(job_id) = max(job_id) and count(distinct cluster) < 2
        and count(cluster) in (0, count(*)) and min(coalesce(submit_unix_ns, start_unix_ns)) = max(coalesce(submit_unix_ns, start_unix_ns))
        and count(coalesce(submit_unix_ns, start_unix_ns)) = count(*))`);
}

/** From client counters, for jobs that began in the window. No steps: a job has one reading. */
export async function gatherFromClients(
  db: Queryable,
  window: Window | undefined,
  smallBytes: number,
  measures: readonly Measure[],
): Promise<GatheredJobs> {
  const time =
    window === undefined
      ? "true"
      : `start_unix_ns >= ${BigInt(window.from) * 60_000_000_000n} and start_unix_ns < ${BigInt(window.to) * 60_000_000_000n}`;
  await db.run(`create or replace temp table load_wide as
    select concat(job_key, '/', cluster, '/', start_unix_ns) as identity, job_key, job_id, user_id, nullif(user_name, '') as user_label, name, nullif(account, '') as account, nodes,
      cluster, start_unix_ns, end_unix_ns, null::varchar as clusters, bytes_read, bytes_written, reads, writes, opens, ${CLIENT_CALL_COLUMNS.map((name) => `coalesce(${name}, 0)`).join(" + ")} as metadata_calls,
      case when bytes_written < writes * ${Math.round(smallBytes)} then writes end as small_writes
    from job_totals where ${time} and bytes_read is not null`);
  return ofWide(db, "load_wide", "(select *, 0 as stretch from load_wide)", measures);
}
