/** What metadata targets handled, in minutes of jobs; or as a whole where jobs were not told apart. */
import type { Queryable } from "../../../model/index.ts";
import { number } from "../common/item.ts";
import { boundsOf, type SystemOptions } from "./options.ts";

interface Mdt {
  readonly name: string;
  readonly opens: number;
  readonly closes: number;
  readonly mknods: number;
  readonly calls: number;
  /** Of what single jobs (minutes, where jobs are not known) opened: squares, and the most. */
  readonly squares: number;
  readonly largest: number;
}

export interface Mdts {
  readonly source: "jobs" | "targets";
  readonly targets: readonly Mdt[];
  /** Opens and closes of single jobs, for intervals; a part of them when there are many. */
  readonly jobOpens: Float64Array;
  readonly jobCloses: Float64Array;
  readonly jobs: number;
  /** Rows of metadata targets outside the period, and the opens and closes in them. */
  readonly outside: { readonly rows: number; readonly opens: number; readonly closes: number };
}

const SAMPLE = 5000;

export async function readMdts(db: Queryable, options: SystemOptions): Promise<Mdts> {
  const { fromUnix, toUnix } = boundsOf(options);
  const minute = (unix: number) => Math.floor(unix / 60);
  const bounds = [
    ...(Number.isFinite(fromUnix) ? [`minute_unix >= ${minute(fromUnix)}`] : []),
    ...(Number.isFinite(toUnix) ? [`minute_unix < ${minute(toUnix)}`] : []),
  ];
  const counted = "starts_with(target, 'MDT') and (opens is not null or closes is not null)";
  const where = [counted, ...bounds].join(" and ");
  const sums = (unit: string, table: string) =>
    db.run(`create or replace temp table sys_mdts as
      select ${unit} as unit, concat(file_system || '-', target) as name, sum(coalesce(opens, 0)) as opens,
        sum(coalesce(closes, 0)) as closes, sum(coalesce(mknods, 0)) as mknods, sum(coalesce(metadata_calls, 0)) as calls
      from ${table} where ${where} group by all`);
  // Whatever the period: numbers of two kinds of counters cannot be compared.
  const ofJobs = await db.rows(`select 1 as one from minutes where ${counted} limit 1`);
  const source = ofJobs.length > 0 ? "jobs" : "targets";
  // The same number on another cluster is another job.
  if (source === "jobs") await sums("if(cluster is null, job_key, hash(job_key, cluster))", "minutes");
  else await sums("cast(minute_unix as ubigint)", "targets");
  const rows = await targetRows(db);
  const [{ n } = { n: 0 }] = await db.rows("select count(distinct unit) as n from sys_mdts");
  const every = Math.max(1, Math.ceil(number(n) / SAMPLE));
  const drawn =
    await db.columns(`select cast(sum(opens) as double) as opens, cast(sum(closes) as double) as closes
    from sys_mdts where hash(unit) % ${every} = 0 group by unit order by unit`);
  return {
    source,
    targets: withIdle(rows, await mdtNames(db)),
    jobOpens: drawn.opens ?? new Float64Array(),
    jobCloses: drawn.closes ?? new Float64Array(),
    jobs: number(n),
    outside: await outsideOf(db, source === "jobs" ? "minutes" : "targets", counted, bounds),
  };
}

async function outsideOf(db: Queryable, table: string, counted: string, bounds: readonly string[]) {
  if (bounds.length === 0) return { rows: 0, opens: 0, closes: 0 };
  const [row] = await db.rows(`select count(*) as n, coalesce(sum(opens), 0) as opens,
      coalesce(sum(closes), 0) as closes from ${table} where ${counted} and not (${bounds.join(" and ")})`);
  return { rows: number(row?.n), opens: number(row?.opens), closes: number(row?.closes) };
}

/** All MDTs that were read, also those that no job touched. */
async function mdtNames(db: Queryable): Promise<string[]> {
  const names = await db.rows(`select distinct concat(file_system || '-', target) as name from
    (select file_system, target from readings union all select file_system, target from targets)
    where starts_with(target, 'MDT')`);
  return names.map(({ name }) => String(name));
}

function withIdle(rows: readonly Mdt[], names: readonly string[]): Mdt[] {
  const known = new Set(rows.map(({ name }) => name));
  const nothing = { opens: 0, closes: 0, mknods: 0, calls: 0, squares: 0, largest: 0 };
  const idle =
    rows.length === 0 ? [] : names.filter((name) => !known.has(name)).map((name) => ({ name, ...nothing }));
  return [...rows, ...idle].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function targetRows(db: Queryable): Promise<Mdt[]> {
  const rows =
    await db.rows(`select name, cast(sum(opens) as double) as opens, cast(sum(closes) as double) as closes,
      cast(sum(mknods) as double) as mknods, cast(sum(calls) as double) as calls,
      sum(cast(opens as double) * cast(opens as double)) as squares, cast(max(opens) as double) as largest
    from sys_mdts group by name order by name`);
  return rows.map((row) => ({
    name: String(row.name),
    opens: number(row.opens),
    closes: number(row.closes),
    mknods: number(row.mknods),
    calls: number(row.calls),
    squares: number(row.squares),
    largest: number(row.largest),
  }));
}
