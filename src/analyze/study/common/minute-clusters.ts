/**
 * Which cluster minutes of jobs belong to. Job numbers come again on other clusters, and servers often know the number
 * alone. A minute without a cluster belongs to the only cluster that has a job of its number; where there are several, to the
 * one whose job ran at that minute. When two ran, or none, it is unclear, and nobody gets it.
 */
import type { Queryable } from "../../../model/index.ts";
import { LATE_MINUTES, TIME_LEAST_NS, TIME_MOST_NS } from "./run-minutes.ts";

const MINUTE_NS = 60_000_000_000;

interface ClusterTables {
  /** Whether numbers can be on more than one cluster; else there is nothing to look up. */
  readonly matter: boolean;
  /** Joins for rows `m` with `job_key`, `cluster` and the minute. */
  readonly joins: string;
  /** Cluster of a row `m`; NULL when nobody knows one, or it is unclear. */
  readonly cluster: string;
  /** Whether several clusters have the number and none can be told. */
  readonly unclear: string;
}

const ONE_CLUSTER: ClusterTables = {
  matter: false,
  joins: "",
  cluster: "null::varchar",
  unclear: "false",
};

/**
 * Makes the temporary tables `minute_cluster_one` (numbers with one cluster), `minute_cluster_many` (numbers with several, by
 * name) and `minute_cluster_at` (minutes of these), for the rows of `minutes`, a relation with `job_key`, `cluster` and
 * `minute_unix`.
 */
export async function clustersOfMinutes(
  db: Queryable,
  minutes: string,
  lateMinutes = LATE_MINUTES,
): Promise<ClusterTables> {
  const names = await db.rows(
    `select distinct cluster from jobs where cluster is not null
     union select distinct cluster from ${minutes} where cluster is not null`,
  );
  if (names.length < 2) return ONE_CLUSTER;
  await db.run(`create or replace temp table minute_cluster_open as
    select distinct job_key from ${minutes} where cluster is null`);
  await db.run(`create or replace temp table minute_cluster_known as
    select job_key, cluster from jobs where cluster is not null and job_key in (select job_key from minute_cluster_open)
    union select job_key, cluster from ${minutes}
      where cluster is not null and job_key in (select job_key from minute_cluster_open)`);
  await db.run(`create or replace temp table minute_cluster_one as
    select job_key, min(cluster) as cluster from minute_cluster_known group by job_key having count(*) = 1`);
  await db.run(`create or replace temp table minute_cluster_many as
    select job_key, list(cluster order by cluster) as clusters from minute_cluster_known
    group by job_key having count(*) > 1`);
  const several = await db.rows("select 1 as one from minute_cluster_many limit 1");
  // Without such numbers nobody needs to look at the minutes.
  const source = several.length > 0 ? minutes : `(from ${minutes} limit 0)`;
  const first = `start_unix_ns // ${MINUTE_NS}`;
  const last = `coalesce(end_unix_ns, ${TIME_MOST_NS}) // ${MINUTE_NS} + ${lateMinutes}`;
  await db.run(`create or replace temp table minute_cluster_at as
    select m.job_key, m.minute_unix as minute,
      case when count(distinct j.cluster) = 1 then min(j.cluster) end as cluster
    from (select distinct job_key, minute_unix from ${source}
      where cluster is null and job_key in (select job_key from minute_cluster_many)) m
    left join jobs j on j.job_key = m.job_key and j.start_unix_ns between ${TIME_LEAST_NS} and ${TIME_MOST_NS}
      and m.minute_unix between j.${first} and ${last.replace("end_unix_ns", "j.end_unix_ns")}
    group by all`);
  return {
    matter: true,
    // Comparisons of both sides alone: DuckDB would try all pairs of rows for anything else.
    joins: `left join minute_cluster_one mc1 on mc1.job_key = if(m.cluster is null, m.job_key, null)
      left join minute_cluster_at mca
        on mca.job_key = if(m.cluster is null, m.job_key, null) and mca.minute = m.minute_unix`,
    cluster: "coalesce(m.cluster, mc1.cluster, mca.cluster)",
    unclear: "(m.cluster is null and mca.job_key is not null and mca.cluster is null)",
  };
}
