/**
 * Temporary tables that rankings are made of: `load_cells`, what each job did in each stretch of the window, and
 * `load_jobs`, one row for each job with what the scheduler says of it.
 */
import type { Queryable } from "../../model/query.ts";
import { rowSums, SUMS_AGAIN } from "./amounts.ts";
import { labelUsers } from "./users.ts";
import type { Window } from "./window.ts";

/** Stretches that a window is cut into, for small pictures. */
export const STRETCHES = 16;

export const stretchMinutes = ({ from, to }: Window): number =>
  Math.max(1, Math.ceil((to - from) / STRETCHES));
export const stretchesOf = (window: Window): number =>
  Math.ceil((window.to - window.from) / stretchMinutes(window));

export const inWindow = ({ from, to }: Window): string => `minute_unix >= ${from} and minute_unix < ${to}`;
export const stretchSql = (window: Window): string =>
  `((minute_unix - ${window.from}) // ${stretchMinutes(window)})::integer`;

/** A job that the scheduler knows may have begun and ended a little off by the clocks of servers. */
const MARGIN_NS = 86_400_000_000_000n;

/** From what servers counted. */
export async function gatherFromServers(
  db: Queryable,
  window: Window,
  condition: string,
  smallBytes: number,
): Promise<void> {
  await db.run(`create or replace temp table load_cells as
    select job_key, any_value(job_id) as job_id, ${stretchSql(window)} as stretch, ${rowSums(smallBytes)}
    from minutes where ${inWindow(window)} and ${condition} group by job_key, stretch`);
  const [fromNs, toNs] = [BigInt(window.from) * 60_000_000_000n, BigInt(window.to) * 60_000_000_000n];
  // Of several runs under one id the last that began before the end of the window.
  await db.run(`create or replace temp table load_facts as
    select job_key, arg_max({'user_name': user_name, 'user_id': user_id, 'name': name, 'nodes': nodes, 'cluster': cluster,
        'start': start_unix_ns, 'end': end_unix_ns}, coalesce(start_unix_ns, 0)) as facts
    from job_totals
    where job_key in (select job_key from load_cells)
      and (start_unix_ns is null or start_unix_ns < ${toNs + MARGIN_NS})
      and (end_unix_ns is null or end_unix_ns >= ${fromNs - MARGIN_NS})
    group by job_key`);
  await db.run(`create or replace temp table load_jobs as
    select c.job_key, c.job_id, f.facts.user_name as user_name, f.facts.user_id as user_id, f.facts.name as name,
      f.facts.nodes as nodes, f.facts.cluster as cluster, f.facts.start as start_unix_ns, f.facts.end as end_unix_ns,
      c.* exclude (job_key, job_id)
    from (select job_key, any_value(job_id) as job_id, ${SUMS_AGAIN} from load_cells group by job_key) c
    left join load_facts f on f.job_key = c.job_key`);
  await labelUsers(db, "load_jobs");
}

const METADATA = [
  "opens",
  "closes",
  "mkdirs",
  "mknods",
  "links",
  "renames",
  "rmdirs",
  "unlinks",
  "getattrs",
  "setattrs",
];

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
    select job_key, job_id, user_name, user_id, name, nodes, cluster, start_unix_ns, end_unix_ns, bytes_read, bytes_written,
      reads, writes, opens, ${METADATA.map((name) => `coalesce(${name}, 0)`).join(" + ")} as metadata_calls,
      case when bytes_written < writes * ${Math.round(smallBytes)} then writes end as small_writes
    from job_totals where ${time} and bytes_read is not null`);
  await labelUsers(db, "load_jobs");
  await db.run(`create or replace temp table load_cells as
    select job_key, job_id, 0 as stretch, bytes_read, bytes_written, reads, writes, opens, metadata_calls, small_writes
    from load_jobs where false`);
}
