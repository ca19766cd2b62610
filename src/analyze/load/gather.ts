/**
 * Temporary tables that rankings are made of: `load_cells`, what each job did in each stretch of the window, and
 * `load_jobs`, one row for each job with what the scheduler says of it. `identity` is a job: its id and its cluster, for the
 * same number may be on two clusters. Where nobody can tell which of them a row is of, `clusters` names them.
 */
import { CLIENT_CALL_COLUMNS, type Queryable } from "../../model/index.ts";
import { clustersOfMinutes } from "../study/common/minute-clusters.ts";
import { AMOUNT_COLUMNS, SUMS_AGAIN } from "./amounts.ts";
import { loadRows } from "./levels.ts";
import { grainOf, stretchSql } from "./stretches.ts";
import { labelUsers } from "./users.ts";
import type { Window } from "./window.ts";

export const inWindow = ({ from, to }: Window): string => `minute_unix >= ${from} and minute_unix < ${to}`;
/** A job that the scheduler knows may have begun and ended a little off by the clocks of servers. */
const MARGIN_NS = 86_400_000_000_000n;

/** From what servers counted. Gives a relation of cells: what each job (`identity`) did in each `stretch`. */
export async function gatherFromServers(
  db: Queryable,
  window: Window,
  condition: string,
  smallBytes: number,
): Promise<string> {
  const asked = { base: "minutes", window, condition, smallBytes } as const;
  let rows = await loadRows(db, CELL_COLUMNS, asked);
  let known = await clustersOfMinutes(db, rows, "minute_unix");
  if (known.matter && (await hasUnclearNumbers(db))) {
    rows = await withMinutesOfUnclear(db, rows, asked);
    known = await clustersOfMinutes(db, rows, "minute_unix");
  }
  if (!known.matter) return gatherByNumber(db, window, rows);
  await db.run(`create or replace temp table load_cells as
    select *, concat(job_key, '/', if(unclear, '?', cluster)) as identity from (
      select m.job_key, any_value(m.job_id) as job_id, ${known.cluster} as cluster, ${known.unclear} as unclear,
        ${stretchSql(window, "m.")} as stretch, ${SUMS_AGAIN}
      from ${rows} m ${known.joins} group by m.job_key, 3, 4, stretch)`);
  await gatherFacts(db, window, true);
  await db.run(`create or replace temp table load_jobs as
    select c.identity, c.job_key, c.job_id, f.facts.user_id as user_id,
      f.facts.name as name, f.facts.account as account, f.facts.nodes as nodes, coalesce(c.cluster, f.facts.cluster) as cluster,
      f.facts.start as start_unix_ns, f.facts.end as end_unix_ns, nullif(f.facts.user_name, '') as user_label,
      (select array_to_string(clusters, ' or ') from minute_cluster_many k where c.unclear and k.job_key = c.job_key) as clusters,
      c.* exclude (identity, job_key, job_id, cluster, unclear)
    from (select identity, any_value(job_key) as job_key, any_value(job_id) as job_id, any_value(cluster) as cluster,
        any_value(unclear) as unclear, ${SUMS_AGAIN} from load_cells group by identity) c
    left join load_facts f on f.job_key = if(c.unclear, null, c.job_key) and f.of_cluster is not distinct from c.cluster`);
  await labelUsers(db, "load_jobs");
  return "load_cells";
}

/**
 * The same where a number is one job. There may be millions of them: each is summed up once and joined once, with the row that the
 * scheduler wrote; the few of which the store has more than that one row are looked at more closely.
 */
async function gatherByNumber(db: Queryable, window: Window, rows: string): Promise<string> {
  // Rows of days are hardly more than jobs, so they are read again where stretches are asked for.
  const isRead = grainOf(window) >= 1440;
  const cells = `select job_key as identity, *, ${stretchSql(window)} as stretch from ${rows}`;
  if (!isRead)
    await db.run(`create or replace temp table load_cells as
      select job_key as identity, any_value(job_id) as job_id, any_value(cluster) as cluster,
        ${stretchSql(window)} as stretch, ${SUMS_AGAIN} from ${rows} group by job_key, stretch`);
  const relation = isRead ? `(${cells})` : "load_cells";
  await db.run(`create or replace temp table load_sums as
    select identity as job_key, any_value(job_id) as job_id, any_value(cluster) as cluster, ${SUMS_AGAIN}
    from ${relation} group by identity`);
  await db.run(`create or replace temp table load_several as
    select job_key from jobs where job_key in (select job_key from load_sums) group by job_key
    having not (count(*) = 1 and bool_and(source = 'scheduler' and job_id is not null
      and coalesce(submit_unix_ns, start_unix_ns) is not null))`);
  await gatherFacts(db, window, false);
  const fact = (name: string, of = name) => `if(f.job_key is null, j.${name}, f.facts."${of}")`;
  await db.run(`create or replace temp table load_jobs as
    select c.job_key as identity, c.job_key, c.job_id, ${fact("user_id")} as user_id, nullif(${fact("user_name")}, '') as user_label,
      ${fact("name")} as name, nullif(${fact("account")}, '') as account, ${fact("nodes")} as nodes,
      coalesce(c.cluster, ${fact("cluster")}) as cluster, ${fact("start_unix_ns", "start")} as start_unix_ns,
      ${fact("end_unix_ns", "end")} as end_unix_ns, null::varchar as clusters, c.* exclude (job_key, job_id, cluster)
    from load_sums c
      left join (select job_key, ${PLAIN.join(", ")} from jobs
        where ${inTime(window)} and job_key not in (select job_key from load_several)) j on j.job_key = c.job_key
      left join load_facts f on f.job_key = c.job_key`);
  await labelUsers(db, "load_jobs");
  return relation;
}

const CELL_COLUMNS = ["job_key", "job_id", "cluster", ...AMOUNT_COLUMNS];

/** Numbers on several clusters: which of them ran is known by the minute. */
async function hasUnclearNumbers(db: Queryable): Promise<boolean> {
  const rows = await db.rows("select 1 as one from minute_cluster_many limit 1");
  return rows.length > 0;
}

/** The rows with those of such numbers by the minute, as far as minutes are there. */
async function withMinutesOfUnclear(
  db: Queryable,
  rows: string,
  asked: Parameters<typeof loadRows>[2],
): Promise<string> {
  const parts = await db.levels?.("minutes");
  if (parts === undefined) return rows;
  await db.run("create or replace temp table load_many as select job_key from minute_cluster_many");
  const many = "cluster is null and job_key in (from load_many)";
  const from = Math.max(asked.window.from, parts.minutesFrom);
  if (from >= asked.window.to) return rows;
  const minutes = { ...asked, window: { from, to: asked.window.to, grain: 1 } };
  return `(select * from ${rows} where not (${many} and minute_unix >= ${from})
    union all select * from ${await loadRows(db, CELL_COLUMNS, minutes)} where ${many})`;
}

/** Whether a run may have been at work in the window. */
function inTime({ from, to }: Window): string {
  const ns = (minute: number) => BigInt(minute) * 60_000_000_000n;
  return `(start_unix_ns is null or start_unix_ns < ${ns(to) + MARGIN_NS})
      and (end_unix_ns is null or end_unix_ns >= ${ns(from) - MARGIN_NS})`;
}

/** Of several runs under one id, and on one cluster where that matters, the last that began before the end of the window. */
async function gatherFacts(db: Queryable, window: Window, byCluster: boolean): Promise<void> {
  // Of the rows of these jobs alone: a store has years of others.
  await db.run(`create or replace temp table load_known as select * from jobs
    where job_key in (select job_key from ${byCluster ? "load_cells" : "load_several"})`);
  if (!byCluster) await gatherPlainFacts(db);
  const rest = byCluster
    ? "load_known"
    : "(select * from load_known where job_key not in (select job_key from load_plain))";
  const totals = db.jobTotalsOf?.(rest);
  const some =
    totals === undefined ? `select * from job_totals where job_key in (select job_key from ${rest})` : totals;
  const runs = `select * from (${some}) where ${inTime(window)}`;
  // What a list of jobs without clusters says goes for every cluster that it could be of.
  const relation = byCluster
    ? `(select r.*, c.cluster as of_cluster from (${runs}) r join (select distinct job_key, cluster from load_cells) c
        on c.job_key = r.job_key and (r.cluster is null or r.cluster = c.cluster))`
    : `(select *, null::varchar as of_cluster from (${runs}))`;
  await db.run(`create or replace temp table load_facts as
    select job_key, of_cluster, arg_max(${FACTS}, coalesce(start_unix_ns, 0)) as facts
    from ${relation} group by job_key, of_cluster`);
  if (byCluster) return;
  await db.run(
    `insert into load_facts select job_key, null, ${FACTS} from load_plain where ${inTime(window)}`,
  );
}

const FACTS = `{'user_name': user_name, 'user_id': user_id, 'name': name, 'account': nullif(account, ''), 'nodes': nodes,
  'cluster': cluster, 'start': start_unix_ns, 'end': end_unix_ns}`;
const PLAIN = ["user_name", "user_id", "name", "account", "nodes", "cluster", "start_unix_ns", "end_unix_ns"];

/**
 * Jobs that the scheduler alone tells of, in one run: the row that knows most of its end counts, as in `job_totals`. They are
 * nearly all, and need none of its joins.
 */
async function gatherPlainFacts(db: Queryable): Promise<void> {
  const latest = PLAIN.map((name) => `'${name}': ${name}`).join(", ");
  await db.run(`create or replace temp table load_plain as
    select job_key, unnest(facts) from (
      select job_key, arg_max({${latest}}, (coalesce(end_unix_ns, -1), coalesce(start_unix_ns, -1))) as facts
      from load_known group by job_key
      having bool_and(source = 'scheduler') and min(job_id) = max(job_id) and count(distinct cluster) < 2
        and count(cluster) in (0, count(*)) and min(coalesce(submit_unix_ns, start_unix_ns)) = max(coalesce(submit_unix_ns, start_unix_ns))
        and count(coalesce(submit_unix_ns, start_unix_ns)) = count(*))`);
}

/** From what clients counted, for jobs that began in the window. There are no stretches: a job has one reading. */
export async function gatherFromClients(
  db: Queryable,
  window: Window | undefined,
  smallBytes: number,
): Promise<void> {
  const time =
    window === undefined
      ? "true"
      : `start_unix_ns >= ${BigInt(window.from) * 60_000_000_000n} and start_unix_ns < ${BigInt(window.to) * 60_000_000_000n}`;
  await db.run(`create or replace temp table load_jobs as
    select concat(job_key, '/', cluster, '/', start_unix_ns) as identity, job_key, job_id, user_id, nullif(user_name, '') as user_label, name, nullif(account, '') as account, nodes,
      cluster, start_unix_ns, end_unix_ns, null::varchar as clusters, bytes_read, bytes_written, reads, writes, opens, ${CLIENT_CALL_COLUMNS.map((name) => `coalesce(${name}, 0)`).join(" + ")} as metadata_calls,
      case when bytes_written < writes * ${Math.round(smallBytes)} then writes end as small_writes
    from job_totals where ${time} and bytes_read is not null`);
  await labelUsers(db, "load_jobs");
  await db.run(`create or replace temp table load_cells as
    select identity, job_key, job_id, 0 as stretch, bytes_read, bytes_written, reads, writes, opens, metadata_calls, small_writes
    from load_jobs where false`);
}
