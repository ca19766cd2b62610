/** One user or account: load by day, and its jobs with their write sizes. */
import { type Queryable, SMALL_WRITE_BYTES } from "../../model/index.ts";
import { clustersOfMinutes } from "../study/common/minute-clusters.ts";
import { AMOUNT_COLUMNS, type Amounts, amountsOf, number, quoted, SUMS_AGAIN, text } from "./amounts.ts";
import { hasUnclearNumbers, withMinutesOfUnclear } from "./gather.ts";
import type { JobFacts } from "./job.ts";
import { loadRows } from "./levels.ts";
import type { Window } from "./window.ts";

const DAY = 1440;

interface PersonDay extends Amounts {
  /** First minute of the day (UTC), since 1970. */
  readonly minuteUnix: number;
}

type PersonJob = Amounts &
  Pick<JobFacts, "jobId" | "user" | "account" | "name" | "state" | "nodes" | "startUnix" | "endUnix">;

export interface PersonAnswer {
  readonly window: Window;
  readonly days: readonly PersonDay[];
  /** By bytes. */
  readonly jobs: readonly PersonJob[];
  readonly jobsTotal: number;
  readonly total: Amounts;
  /** Sum over all jobs of the store in this time range, for comparison. */
  readonly everybody: Amounts;
  /** User ids. */
  readonly userIds: readonly string[];
}

interface PersonRequest {
  readonly by: "user" | "account";
  readonly name: string;
  readonly window: Window;
  readonly limit: number;
}

/** Null: the store has no such name. */
export async function personAnswer(
  db: Queryable,
  { by, name, window, limit }: PersonRequest,
): Promise<PersonAnswer | null> {
  await findNumbers(db, by === "user" ? name : null);
  const own =
    by === "account"
      ? `account = ${quoted(name)}`
      : `(user_name = ${quoted(name)} or (coalesce(user_name, '') = '' and ${hasNumber("jobs")}))`;
  await db.run(`create or replace temp table person_jobs as select job_key, any_value(job_id) as job_id, cluster, any_value(user_name) as user_name,
      any_value(account) as account, any_value(name) as name, any_value(state) as state, max(nodes) as nodes,
      min(start_unix_ns) as start_unix_ns, max(end_unix_ns) as end_unix_ns
    from jobs where ${own} group by job_key, cluster`);
  const [known] = await db.rows(
    "select (select count(*) from person_jobs) as jobs, (select count(*) from person_numbers) as numbers",
  );
  if (number(known?.jobs) === 0 && number(known?.numbers) === 0) return null;
  const asked = { base: "minutes", window, condition: "true", smallBytes: SMALL_WRITE_BYTES } as const;
  const rows = await loadRows(db, COLUMNS, asked);
  await db.run(`create or replace temp table person_candidates as select * from ${rows}
    where job_key in (select job_key from person_jobs) or user_id in (select user_id from person_numbers)`);
  await db.run(`create or replace temp table person_rows as select * from ${await withClusters(db, asked)} r
    where exists (select 1 from person_jobs j where j.job_key = r.job_key and (r.cluster is null or j.cluster is null or j.cluster = r.cluster))
      or ${hasNumber("r")}`);
  const days = await db.rows(`select minute_unix // ${DAY} * ${DAY} as day, ${SUMS_AGAIN} from person_rows
    group by 1 order by 1`);
  const jobs =
    await db.rows(`select r.job_id, any_value(j.user_name) as user_name, any_value(j.account) as account, any_value(j.name) as name,
      any_value(j.state) as state, any_value(j.nodes) as nodes, any_value(j.start_unix_ns) as begun, any_value(j.end_unix_ns) as ended, ${SUMS_AGAIN}
    from (select job_key, any_value(job_id) as job_id, ${SUMS_AGAIN} from person_rows group by job_key) r
    left join (select job_key, any_value(columns(* exclude (job_key))) from person_jobs group by job_key) j on j.job_key = r.job_key
    group by r.job_id order by sum(coalesce(bytes_read, 0) + coalesce(bytes_written, 0)) desc, r.job_id limit ${limit}`);
  const [count] = await db.rows("select count(distinct job_key) as jobs from person_rows");
  const [total] = await db.rows(`select ${SUMS_AGAIN} from person_rows`);
  const [everybody] = await db.rows(`select ${SUMS_AGAIN} from ${rows}`);
  const ids = await db.rows("select distinct user_id from person_numbers");
  const seconds = (ns: unknown): number | null => (ns === null || ns === undefined ? null : Number(ns) / 1e9);
  return {
    window,
    days: days.map((row) => ({ minuteUnix: number(row.day), ...amountsOf(row) })),
    jobs: jobs.map((row) => ({
      ...{ jobId: String(row.job_id), user: text(row.user_name), account: text(row.account) },
      ...{ name: text(row.name), state: text(row.state) },
      nodes: row.nodes === null ? null : number(row.nodes),
      ...{ startUnix: seconds(row.begun), endUnix: seconds(row.ended) },
      ...amountsOf(row),
    })),
    jobsTotal: number(count?.jobs),
    total: amountsOf(total ?? {}),
    everybody: amountsOf(everybody ?? {}),
    userIds: ids.map(({ user_id }) => String(user_id)),
  };
}

const COLUMNS = ["job_key", "job_id", "cluster", "user_id", ...AMOUNT_COLUMNS];

/** `person_numbers`: user ids of this name, with the cluster if somebody else has the id on another. */
async function findNumbers(db: Queryable, name: string | null): Promise<void> {
  const uid = /^uid (\d{1,18})$/.exec(name ?? "")?.[1];
  const named = "from jobs where user_id is not null and coalesce(user_name, '') <> ''";
  const alone = `having count(distinct user_name) = 1 and any_value(user_name) = ${quoted(name ?? "")}`;
  await db.run(`create or replace temp table person_numbers as
    select user_id, null::varchar as cluster ${named} group by user_id ${alone}
    union all select user_id, cluster ${named} and cluster is not null group by all ${alone}
    ${uid === undefined ? "" : `union all select ${uid}::bigint, null`}`);
}

const hasNumber = (relation: string): string =>
  `exists (select 1 from person_numbers p where p.user_id = ${relation}.user_id and (p.cluster is null or p.cluster = ${relation}.cluster))`;

/** `person_candidates` with the cluster of each row if known; ambiguous rows are left out. */
async function withClusters(db: Queryable, asked: Parameters<typeof loadRows>[2]): Promise<string> {
  let rows = "person_candidates";
  let known = await clustersOfMinutes(db, rows);
  if (known.matter && (await hasUnclearNumbers(db))) {
    rows = await withMinutesOfUnclear(db, rows, COLUMNS, asked);
    known = await clustersOfMinutes(db, rows);
  }
  return known.matter
    ? `(select m.* replace (${known.cluster} as cluster) from ${rows} m ${known.joins} where not ${known.unclear})`
    : rows;
}
