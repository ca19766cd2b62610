/**
 * Who a user is: the name, where `jobs` has one for the number. Some jobs come with a name, some with a number alone, and
 * ids of the kind `program.uid`, which Lustre makes itself, hold a number; all are the same user.
 */
import type { Queryable, SqlRow } from "../../model/index.ts";
import { exact, quoted, text } from "./amounts.ts";

/** The number of the user of a row with `user_id` and `job_id`. */
const NUMBER = `coalesce(user_id, try_cast(regexp_extract(job_id, '^[^.]+\\.(\\d+)$', 1) as bigint))`;

/**
 * Names of these numbers, in one row for each cluster and one for all of them. A number that has several names there is
 * shown with all of them.
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
 * The rows of a table with `job_id`, `cluster`, `user_id` and `user_name`, and `user_label`: the name, or that of the
 * number on this cluster, or on all, or `uid 1001`.
 */
export async function labelUsers(db: Queryable, table: string): Promise<void> {
  await db.run(`alter table ${table} add column user_label varchar`);
  await db.run(`update ${table} set user_label = nullif(user_name, '')`);
  const [nameless] = await db.rows(`select 1 as one from ${table} where user_label is null limit 1`);
  if (nameless === undefined) return;
  await db.run(`create or replace temp table load_user_names as
    ${namesOf(`select ${NUMBER} from ${table} where user_label is null`)}`);
  const label = (of: string) =>
    `(select label from load_user_names n where n.user_id = ${NUMBER.replace("user_id", `${table}.user_id`)} and ${of})`;
  await db.run(`update ${table} set user_label = coalesce(${label(`n.cluster = ${table}.cluster`)}, ${label("n.cluster is null")},
      'uid ' || ${NUMBER}) where user_label is null`);
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

/** The same for a few rows, in their order. */
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
    select * from (values ${rows.join(", ")}) as v(place, job_id, cluster, user_id, user_name)`);
  await labelUsers(db, "load_users");
  const found = await db.rows("select user_label from load_users order by place");
  return found.map(({ user_label }) => text(user_label));
}
