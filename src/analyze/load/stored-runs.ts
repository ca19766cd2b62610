/** Rows of `plimsoll top runs|files|applications` from a store. */
import { UsageError } from "../../base/errors.ts";
import type { NameFilter } from "../../base/glob.ts";
import type { Queryable } from "../../model/index.ts";
import { quoted } from "./amounts.ts";
import { byApplication, type RANKED, type RankedOrder, type RankedRow } from "./ranked.ts";

const IO_SECONDS = "(coalesce(read_seconds, 0) + coalesce(write_seconds, 0) + coalesce(meta_seconds, 0))";
const SUMS = `coalesce(sum(bytes_read), 0)::double as "bytesRead", coalesce(sum(bytes_written), 0)::double as "bytesWritten",
  coalesce(sum(opens), 0)::double as opens, coalesce(sum(reads), 0)::double as reads, coalesce(sum(writes), 0)::double as writes,
  coalesce(sum(${IO_SECONDS}), 0)::double as seconds,
  coalesce(sum(meta_seconds), 0)::double as "metadataSeconds"`;

/**
 * Time of the slowest rank in its own files plus the slowest of each shared file. A store does not have the rank of a
 * file, so the time is known only for runs with one process, or with at most one file that is not shared by all ranks.
 */
const SLOWEST = `case
    when count(*) filter (where shared = 1 and slowest_seconds is null and ${IO_SECONDS} > 0) > 0 then null
    when any_value(ranks_of_run) = 1 then coalesce(sum(case when shared = 1 then slowest_seconds else ${IO_SECONDS} end), 0)
    when count(*) filter (where shared = 0 and ${IO_SECONDS} > 0) <= 1
      then coalesce(sum(slowest_seconds) filter (where shared = 1 or ${IO_SECONDS} > 0), 0)
  end::double as "slowestSeconds"`;

export async function rowsOfStore(
  db: Queryable,
  what: (typeof RANKED)[number],
  filter?: NameFilter,
): Promise<readonly RankedRow[]> {
  if (what === "files") {
    const rows = (await db.rows(
      `select * exclude (file_id) from (${filesSql("true")}) order by file_id`,
    )) as RankedRow[];
    const kept = filter === undefined ? rows : rows.filter(({ path }) => filter.keeps(String(path)));
    filter?.requireMatches();
    return kept;
  }
  if (filter !== undefined) await keepFiles(db, filter);
  const rows = (await db.rows(`${runsSql("true", filter !== undefined)} order by source`)) as RankedRow[];
  if (rows.length === 0) throw new UsageError("the store has no runs; plimsoll ingest reads Darshan logs");
  return what === "runs" ? rows : byApplication(rows);
}

/** All runs of the program of a run, including it; none: the run does not exist, or belongs to other users. */
export async function runsLike(
  db: Queryable,
  runId: string,
  userIds: readonly string[] | undefined,
): Promise<readonly RankedRow[]> {
  if (!/^\d{1,20}$/.test(runId)) return [];
  const own = ownCondition(userIds);
  const like = `${own} and application is not distinct from (select any_value(application) from runs where run_id = ${runId})
    and exists (select 1 from runs where run_id = ${runId} and ${own})`;
  return (await db.rows(`${runsSql(like)} order by source`)) as RankedRow[];
}

interface FirstRequest {
  readonly order: RankedOrder;
  readonly limit: number;
  /** Only rows of users with these ids. */
  readonly userIds: readonly string[] | undefined;
  /** Only runs of this program. */
  readonly application?: string | undefined;
  /** Only rows that contain this text. */
  readonly search?: string | undefined;
}

/** The top rows in the order of `ranked`, without reading the others: a store has millions. */
export async function firstRowsOfStore(
  db: Queryable,
  what: (typeof RANKED)[number],
  { order, limit, userIds, application, search }: FirstRequest,
): Promise<{
  readonly rows: readonly RankedRow[];
  readonly found: number;
  readonly all: number;
  /** The SQL of the rows. */
  readonly sql: string;
}> {
  const own = ownCondition(userIds);
  const every = what === "files" ? filesSql(own) : what === "runs" ? runsSql(own) : applicationsSql(own);
  const count = async (sql: string): Promise<number> => Number((await db.rows(sql))[0]?.n ?? 0);
  const all = await count(
    what === "files"
      ? `select count(distinct file_id)::double as n from accesses where ${own}`
      : `select count(${what === "runs" ? "*" : "distinct coalesce(application, '')"})::double as n from runs where ${own}`,
  );
  const wanted = [
    ...(application === undefined ? [] : [`application = ${quoted(application)}`]),
    ...(search === undefined
      ? []
      : [`(${TEXTS[what].map((name) => `contains(lower(${name}), ${quoted(search)})`).join(" or ")})`]),
  ];
  const chosen = `(${every}) where ${wanted.length === 0 ? "true" : wanted.join(" and ")}`;
  const key = order === "rate" ? rateSql(what) : ORDER_SQL[order];
  const [names, tie] =
    what === "files"
      ? ["* exclude (file_id)", "file_id"]
      : [what === "runs" ? "*" : "* exclude (source)", "source"];
  const sql = `select ${names} from ${chosen} order by ${key} desc nulls last, ${tie} limit ${limit}`;
  const rows = await db.rows(sql);
  const found = wanted.length === 0 ? all : await count(`select count(*)::double as n from ${chosen}`);
  return { rows: rows as RankedRow[], found, all, sql };
}

const TEXTS: Readonly<Record<(typeof RANKED)[number], readonly string[]>> = {
  runs: ['"runId"', "source", "application", '"jobId"', '"userId"', '"partialModules"'],
  files: ["path"],
  applications: ["application"],
};
const BYTES = '(coalesce("bytesRead", 0) + coalesce("bytesWritten", 0))';
/** The order of `ranked`. */
const ORDER_SQL: Readonly<Record<Exclude<RankedOrder, "rate">, string>> = {
  ...{ bytes: BYTES, read: '"bytesRead"', write: '"bytesWritten"', opens: "opens" },
  calls: "coalesce(reads, 0) + coalesce(writes, 0)",
  ...{ metadata: '"metadataSeconds"', "io-time": "seconds", "run-time": '"runSeconds"' },
  ...{ files: "files", runs: "runs" },
};
const rateSql = (what: (typeof RANKED)[number]): string =>
  `if("slowestSeconds" > 0, ${what === "runs" ? BYTES : '"ratedBytes"'} / "slowestSeconds", null)`;

const filesSql = (own: string): string =>
  `select file_id, coalesce(any_value(path), '') as path, count(distinct run_id)::double as runs, ${SUMS}
   from accesses left join (select file_id, any_value(path) as path from files group by file_id) using (file_id)
   where ${own} group by file_id`;

/** `named`: only files that `keepFiles` kept. */
const runsSql = (own: string, named = false): string =>
  `select cast(run_id as varchar) as "runId", source, application, job_id as "jobId", cast(user_id as varchar) as "userId", ranks::double as ranks,
     (start_unix_ns / 1e9)::double as "startUnixSeconds", run_seconds as "runSeconds", ${named ? "named" : "files"}::double as files,
     "bytesRead", "bytesWritten", opens, reads, writes, seconds, "metadataSeconds", "slowestSeconds",
     partial_modules as "partialModules"
   from (select * from runs where ${own}) ${named ? "inner" : "left"} join (
     select run_id, count(distinct file_id) as named, ${SUMS}, ${SLOWEST}
     from ${named ? `(from accesses semi join ${KEPT} using (file_id))` : "accesses"}
       join (select run_id, ranks as ranks_of_run from runs where ${own}) using (run_id)
     group by run_id
   ) using (run_id)`;

/** The grouping of `byApplication`. */
const applicationsSql = (own: string): string => {
  const sums = ["runSeconds", "files", "bytesRead", "bytesWritten", "opens", "reads", "writes"];
  sums.push("seconds", "metadataSeconds");
  return `select coalesce(application, '') as application, count(*)::double as runs, min(source) as source,
     count(distinct coalesce("userId", ''))::double as users,
     ${sums.map((name) => `coalesce(sum("${name}"), 0)::double as "${name}"`).join(", ")}, sum("slowestSeconds")::double as "slowestSeconds",
     coalesce(sum(${BYTES}) filter ("slowestSeconds" is not null), 0)::double as "ratedBytes"
   from (${runsSql(own)}) group by 1`;
};

const ownCondition = (userIds: readonly string[] | undefined): string => {
  if (userIds === undefined) return "true";
  const numbers = userIds.filter((id) => /^\d{1,18}$/.test(id));
  return numbers.length === 0 ? "false" : `user_id in (${numbers.join(", ")})`;
};

/** Files with names that match the patterns; a temporary table. */
const KEPT = "files_of_patterns";
const IDS_PER_STATEMENT = 10_000;

async function keepFiles(db: Queryable, filter: NameFilter): Promise<void> {
  const rows = await db.rows(
    `select cast(file_id as varchar) as id, coalesce(any_value(path), '') as path
     from (select distinct file_id from accesses) left join files using (file_id) group by file_id`,
  );
  const ids = rows.filter(({ path }) => filter.keeps(String(path))).map(({ id }) => String(id));
  filter.requireMatches();
  await db.run(`create or replace temp table ${KEPT} (file_id ubigint)`);
  for (let from = 0; from < ids.length; from += IDS_PER_STATEMENT) {
    const values = ids.slice(from, from + IDS_PER_STATEMENT).map((id) => `(${id})`);
    await db.run(`insert into ${KEPT} values ${values.join(",")}`);
  }
}
