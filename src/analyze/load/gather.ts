/**
 * Temporary tables that rankings are made of: `load_cells`, what each job did in each stretch of the window, and
 * `load_jobs`, one row for each job with what the scheduler says of it. `identity` is a job: its id and its cluster, for the
 * same number may be on two clusters. Where nobody can tell which of them a row is of, `clusters` names them.
 */
import { CLIENT_CALL_COLUMNS, type Queryable } from "../../model/index.ts";
import { clustersOfMinutes } from "../study/common/minute-clusters.ts";
import { rowSums, SUMS_AGAIN } from "./amounts.ts";
import { labelUsers } from "./users.ts";
import type { Window } from "./window.ts";

/** Stretches that a window is cut into, for small pictures. */
const STRETCHES = 16;

export const stretchMinutes = ({ from, to }: Window): number =>
  Math.max(1, Math.ceil((to - from) / STRETCHES));
export const stretchesOf = (window: Window): number =>
  Math.ceil((window.to - window.from) / stretchMinutes(window));

export const inWindow = ({ from, to }: Window): string => `minute_unix >= ${from} and minute_unix < ${to}`;
export const stretchSql = (window: Window, table = ""): string =>
  `((${table}minute_unix - ${window.from}) // ${stretchMinutes(window)})::integer`;

/** A job that the scheduler knows may have begun and ended a little off by the clocks of servers. */
const MARGIN_NS = 86_400_000_000_000n;

/** From what servers counted. */
export async function gatherFromServers(
  db: Queryable,
  window: Window,
  condition: string,
  smallBytes: number,
): Promise<void> {
  const rows = `(select * from minutes where ${inWindow(window)} and ${condition})`;
  const known = await clustersOfMinutes(db, rows, "minute_unix");
  await db.run(`create or replace temp table load_cells as
    select *, ${known.matter ? "concat(job_key, '/', if(unclear, '?', cluster))" : "job_key::varchar"} as identity from (
      select m.job_key, any_value(m.job_id) as job_id, ${known.matter ? known.cluster : "any_value(m.cluster)"} as cluster, ${known.unclear} as unclear,
        ${stretchSql(window, "m.")} as stretch, ${rowSums(smallBytes)}
      from ${rows} m ${known.joins} group by m.job_key, ${known.matter ? "3, 4," : ""} stretch)`);
  await gatherFacts(db, window, known.matter);
  const clusters = known.matter
    ? "(select array_to_string(clusters, ' or ') from minute_cluster_many k where c.unclear and k.job_key = c.job_key)"
    : "null::varchar";
  await db.run(`create or replace temp table load_jobs as
    select c.identity, c.job_key, c.job_id, f.facts.user_name as user_name, f.facts.user_id as user_id,
      f.facts.name as name, f.facts.nodes as nodes, coalesce(c.cluster, f.facts.cluster) as cluster,
      f.facts.start as start_unix_ns, f.facts.end as end_unix_ns, ${clusters} as clusters,
      c.* exclude (identity, job_key, job_id, cluster, unclear)
    from (select identity, any_value(job_key) as job_key, any_value(job_id) as job_id, any_value(cluster) as cluster,
        any_value(unclear) as unclear, ${SUMS_AGAIN} from load_cells group by identity) c
    left join load_facts f on f.job_key = if(c.unclear, null, c.job_key)
      ${known.matter ? "and f.of_cluster is not distinct from c.cluster" : ""}`);
  await labelUsers(db, "load_jobs");
}

/** Of several runs under one id, and on one cluster where that matters, the last that began before the end of the window. */
async function gatherFacts(db: Queryable, window: Window, byCluster: boolean): Promise<void> {
  const [fromNs, toNs] = [BigInt(window.from) * 60_000_000_000n, BigInt(window.to) * 60_000_000_000n];
  const runs = `select * from job_totals
    where job_key in (select job_key from load_cells)
      and (start_unix_ns is null or start_unix_ns < ${toNs + MARGIN_NS})
      and (end_unix_ns is null or end_unix_ns >= ${fromNs - MARGIN_NS})`;
  // What a list of jobs without clusters says goes for every cluster that it could be of.
  const relation = byCluster
    ? `(select r.*, c.cluster as of_cluster from (${runs}) r join (select distinct job_key, cluster from load_cells) c
        on c.job_key = r.job_key and (r.cluster is null or r.cluster = c.cluster))`
    : `(select *, null::varchar as of_cluster from (${runs}))`;
  await db.run(`create or replace temp table load_facts as
    select job_key, of_cluster, arg_max({'user_name': user_name, 'user_id': user_id, 'name': name, 'nodes': nodes,
        'cluster': cluster, 'start': start_unix_ns, 'end': end_unix_ns}, coalesce(start_unix_ns, 0)) as facts
    from ${relation} group by job_key, of_cluster`);
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
    select concat(job_key, '/', cluster, '/', start_unix_ns) as identity, job_key, job_id, user_name, user_id, name, nodes,
      cluster, start_unix_ns, end_unix_ns, null::varchar as clusters, bytes_read, bytes_written, reads, writes, opens, ${CLIENT_CALL_COLUMNS.map((name) => `coalesce(${name}, 0)`).join(" + ")} as metadata_calls,
      case when bytes_written < writes * ${Math.round(smallBytes)} then writes end as small_writes
    from job_totals where ${time} and bytes_read is not null`);
  await labelUsers(db, "load_jobs");
  await db.run(`create or replace temp table load_cells as
    select identity, job_key, job_id, 0 as stretch, bytes_read, bytes_written, reads, writes, opens, metadata_calls, small_writes
    from load_jobs where false`);
}
