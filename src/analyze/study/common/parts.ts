/**
 * Studies in parts. What a study asks of all rows of a store is asked bucket by bucket, in tasks that share nothing, and what
 * these hand over are exact tables: counts and sums of whole numbers, distinct values, and the rows of what is studied. The
 * same query then joins them as would ask the store: no number is estimated, and none is added up in doubles that were not
 * whole.
 */
import type { Queryable } from "../../../model/index.ts";

/** What the parts hand over under this name; where the database is over a store, the query that gives it. */
export const partOr = (db: Queryable, name: string, sql: string): string => db.part?.(name) ?? `(${sql})`;

/** Whether the database is over the parts of a study. */
export const isOfParts = (db: Queryable): boolean => db.part?.("rows") !== undefined;

/** Takes the rows of a query under a name. */
export type HandOver = (name: string, sql: string) => Promise<void>;

/** All rows of a table, also those of other buckets. */
export const everyRow = (db: Queryable, table: "runs" | "jobs"): string =>
  db.part?.(`every_${table}`) ?? table;

/** What every study needs of a bucket: how many rows it has (as SQL), time zones, and what was generated. */
export async function handOverCommon(
  write: HandOver,
  rows: string,
  origins: readonly string[],
): Promise<void> {
  await write("rows", `select (${rows}) as rows`);
  await write("zones", zonesSql("runs", "jobs"));
  for (const table of origins) await write(`origin_${table}`, originSql(table));
}

export const zonesSql = (runs: string, jobs: string): string =>
  `select zone, count(*) as n from (select zone from ${runs} union all select zone from ${jobs})
    where zone is not null group by zone`;

const originSql = (table: string): string =>
  `select count(*) as all_rows, coalesce(sum(synthetic), 0)::BIGINT as made from ${table}`;
