/** Other jobs on the same targets at the same time. */
import type { Queryable } from "../../model/index.ts";
import { exact, number, quoted, text } from "./amounts.ts";
import { totalsOf } from "./totals.ts";
import type { Minute } from "./series.ts";
import { userFacts, userLabels } from "./users.ts";

export interface Neighbour {
  readonly jobId: string | null;
  /** Null: unknown. */
  readonly cluster: string | null;
  readonly user: string | null;
  readonly name: string | null;
  /** On targets of this job, in minutes in which this job used them too. */
  readonly bytes: bigint;
  readonly metadataCalls: bigint;
  readonly targets: number;
  readonly minutes: number;
}

/** Other jobs on the same target in the same minute; only rows of the time of this job are read. */
export async function neighboursOf(
  db: Queryable,
  { jobId, cluster }: { readonly jobId: string; readonly cluster: string | null },
  series: readonly Minute[],
  limit: number,
): Promise<{ rows: Neighbour[]; total: number }> {
  const time = `minute_unix between ${series[0]?.minuteUnix} and ${series.at(-1)?.minuteUnix}`;
  const used = "(bytes_read > 0 or bytes_written > 0 or metadata_calls > 0)";
  // The same id on another cluster is another job. Rows without a cluster may belong to this one.
  const ofCluster = cluster === null ? "" : ` and coalesce(cluster, ${quoted(cluster)}) = ${quoted(cluster)}`;
  const itself = `(job_id = ${quoted(jobId)}${ofCluster})`;
  await db.run(`create or replace temp table load_used as
    select distinct coalesce(file_system, '') as file_system, target, minute_unix from minutes
    where ${itself} and ${time} and ${used}`);
  await db.run(`create or replace temp table load_beside as
    select m.job_key, m.cluster, any_value(m.job_id) as job_id, sum(coalesce(m.bytes_read, 0) + coalesce(m.bytes_written, 0)) as bytes,
      coalesce(sum(m.metadata_calls), 0) as metadata_calls, count(distinct concat(m.file_system, '-', m.target)) as targets,
      count(distinct m.minute_unix) as minutes
    from (select * from minutes where ${time} and ${used} and not ${itself}) m join load_used u
      on u.minute_unix = m.minute_unix and u.target = m.target and u.file_system = coalesce(m.file_system, '')
    group by m.job_key, m.cluster`);
  const [count] = await db.rows("select count(*) as jobs from load_beside");
  await db.run(`create or replace temp table load_nearest as
    select * from load_beside order by bytes desc, metadata_calls desc, job_id, cluster limit ${limit}`);
  const rows =
    await db.rows(`with facts as (select job_key, cluster, any_value(user_name) as user_name, any_value(user_id) as user_id,
        any_value(name) as name
      from ${totalsOf(db, "job_key in (select job_key from load_nearest)")} group by job_key, cluster),
    -- Where nobody says the cluster, facts of the only one count; of two, none does.
    single as (select job_key, any_value(cluster) as cluster, any_value(user_name) as user_name,
        any_value(user_id) as user_id, any_value(name) as name from facts group by job_key having count(*) = 1)
    select t.* exclude (cluster), coalesce(t.cluster, o.cluster) as cluster,
      coalesce(f.user_name, o.user_name) as user_name, coalesce(f.user_id, o.user_id) as user_id,
      coalesce(f.name, o.name) as name
    from load_nearest t left join facts f on f.job_key = t.job_key and f.cluster = t.cluster
      left join single o on o.job_key = t.job_key and coalesce(o.cluster, t.cluster, '') = coalesce(t.cluster, o.cluster, '')
    order by t.bytes desc, t.metadata_calls desc, t.job_id, cluster`);
  const users = await userLabels(db, rows.map(userFacts));
  return {
    total: number(count?.jobs),
    rows: rows.map((row, at) => ({
      jobId: text(row.job_id),
      cluster: text(row.cluster),
      user: users[at] ?? null,
      name: text(row.name),
      bytes: exact(row.bytes),
      metadataCalls: exact(row.metadata_calls),
      targets: number(row.targets),
      minutes: number(row.minutes),
    })),
  };
}
