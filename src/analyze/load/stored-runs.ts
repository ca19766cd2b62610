/** Rows of `plimsoll top runs|files|applications` from a store. */
import { UsageError } from "../../base/errors.ts";
import type { NameFilter } from "../../base/glob.ts";
import type { Queryable } from "../../model/index.ts";
import { byApplication, type RANKED, type RankedRow } from "./ranked.ts";

const IO_SECONDS = "(coalesce(read_seconds, 0) + coalesce(write_seconds, 0) + coalesce(meta_seconds, 0))";
const SUMS = `coalesce(sum(bytes_read), 0)::double as "bytesRead", coalesce(sum(bytes_written), 0)::double as "bytesWritten",
  coalesce(sum(opens), 0)::double as opens, coalesce(sum(reads), 0)::double as reads, coalesce(sum(writes), 0)::double as writes,
  coalesce(sum(${IO_SECONDS}), 0)::double as seconds,
  coalesce(sum(meta_seconds), 0)::double as "metadataSeconds"`;

/**
 * Time of the slowest rank in files of its own plus the slowest of each shared file. A store does not say whose a file is,
 * so it is known of runs with one process, and of those with at most one file that not all ranks share.
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
  /** Only runs of users with these numbers. */
  userIds?: readonly string[],
): Promise<readonly RankedRow[]> {
  const own = ownCondition(userIds);
  if (what === "files") {
    const rows = (await db.rows(
      `select coalesce(any_value(path), '') as path, count(distinct run_id)::double as runs, ${SUMS}
       from accesses left join (select file_id, any_value(path) as path from files group by file_id) using (file_id)
       where ${own} group by file_id order by file_id`,
    )) as RankedRow[];
    const kept = filter === undefined ? rows : rows.filter(({ path }) => filter.keeps(String(path)));
    filter?.requireMatches();
    return kept;
  }
  if (filter !== undefined) await keepFiles(db, filter);
  const chosen = filter === undefined ? "accesses" : `(from accesses semi join ${KEPT} using (file_id))`;
  const files = filter === undefined ? "files" : "named";
  const rows = (await db.rows(
    `select cast(run_id as varchar) as "runId", source, application, job_id as "jobId", cast(user_id as varchar) as "userId", ranks::double as ranks,
       (start_unix_ns / 1e9)::double as "startUnixSeconds", run_seconds as "runSeconds", ${files}::double as files,
       "bytesRead", "bytesWritten", opens, reads, writes, seconds, "metadataSeconds", "slowestSeconds",
       partial_modules as "partialModules"
     from runs ${filter === undefined ? "left" : "inner"} join (
       select run_id, count(distinct file_id) as named, ${SUMS}, ${SLOWEST}
       from ${chosen} join (select run_id, ranks as ranks_of_run from runs) using (run_id)
       group by run_id
     ) using (run_id) where ${own} order by source`,
  )) as RankedRow[];
  if (rows.length === 0) throw new UsageError("the store has no runs; plimsoll ingest reads Darshan logs");
  return what === "runs" ? rows : byApplication(rows);
}

const ownCondition = (userIds: readonly string[] | undefined): string => {
  if (userIds === undefined) return "true";
  const numbers = userIds.filter((id) => /^\d{1,18}$/.test(id));
  return numbers.length === 0 ? "false" : `user_id in (${numbers.join(", ")})`;
};

/** Files whose names the patterns keep; a table of this connection. */
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
