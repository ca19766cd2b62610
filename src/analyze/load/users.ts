/**
 * User names from user ids by the table `jobs`. Some jobs have a name, some only an id, and Lustre's own job ids
 * `program.uid` contain an id; all are the same user.
 */
import type { Queryable, SqlRow } from "../../model/index.ts";
import { exact, quoted, text } from "./amounts.ts";

/** SQL for the user id of a row with `user_id` and `job_id`. */
export const USER_NUMBER = `coalesce(user_id, try_cast(regexp_extract(job_id, '^[^.]+\\.(\\d+)$', 1) as bigint))`;

/**
 * Names of these user ids, one row per cluster and one for all clusters. An id with several names is shown with all of
 * them.
 */
const namesOf = (numbers: string): string => `with known as (
    select distinct user_id, user_name, cluster from jobs
    where user_id in (${numbers}) and coalesce(user_name, '') <> ''),
  grouped as (
    select user_id, cluster, list(distinct user_name order by user_name) as names from known
      where cluster is not null group by user_id, cluster
    union all
    select user_id, null, list(distinct user_name order by user_name) from known group by user_id)
  select user_id, cluster, case len(names) when 1 then names[1]
    else concat('uid ', user_id, ' (', array_to_string(names, ' or '), ')') end as label from grouped`;

/**
 * Fills `user_label` of a table with `job_id`, `cluster` and `user_id` where it is NULL: the name on this cluster, else
 * on all clusters, else `uid 1001`.
 */
export async function labelUsers(db: Queryable, table: string): Promise<void> {
  const nameless = await db.rows(`select 1 as one from ${table} where user_label is null limit 1`);
  if (nameless.length === 0) return;
  await db.run(
    `create or replace temp table load_numbered as select *, ${USER_NUMBER} as user_number from ${table}`,
  );
  await db.run(`create or replace temp table load_user_names as
    ${namesOf("select user_number from load_numbered where user_label is null")}`);
  await db.run(`create or replace temp table ${table} as
    select j.* exclude (user_number, user_label),
      coalesce(j.user_label, own.label, every.label, 'uid ' || j.user_number) as user_label
    from load_numbered j
    left join load_user_names own on own.user_id = j.user_number and own.cluster = j.cluster
    left join load_user_names every on every.user_id = j.user_number and every.cluster is null`);
  await db.run("drop table load_numbered");
}

interface UserFacts {
  readonly jobId: string | null;
  readonly cluster: string | null;
  readonly userId: bigint | null;
  readonly userName: string | null;
}

/** Of a row of `job_totals`. */
export const userFacts = (row: SqlRow): UserFacts => ({
  jobId: text(row.job_id),
  cluster: text(row.cluster),
  userId: row.user_id === null || row.user_id === undefined ? null : exact(row.user_id),
  userName: text(row.user_name),
});

/** The same for a few rows, in order. */
export async function userLabels(
  db: Queryable,
  users: readonly UserFacts[],
): Promise<readonly (string | null)[]> {
  if (users.length === 0) return [];
  const value = (one: string | bigint | null) =>
    one === null ? "null" : typeof one === "bigint" ? String(one) : quoted(one);
  const rows = users.map(
    ({ jobId, cluster, userId, userName }, at) =>
      `(${at}, ${value(jobId)}::varchar, ${value(cluster)}::varchar, ${value(userId)}::bigint, ${value(userName)}::varchar)`,
  );
  await db.run(`create or replace temp table load_users as
    select *, nullif(user_name, '') as user_label from (values ${rows.join(", ")}) as v(place, job_id, cluster, user_id, user_name)`);
  await labelUsers(db, "load_users");
  const found = await db.rows("select user_label from load_users order by place");
  return found.map(({ user_label }) => text(user_label));
}
