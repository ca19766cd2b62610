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
}

export interface Mdts {
  readonly source: "jobs" | "targets";
  readonly targets: readonly Mdt[];
  /** What single jobs opened and closed, for intervals; a part of the jobs when there are many. */
  readonly sample: MdtSample;
  readonly jobs: number;
  /** Rows of metadata targets outside the period, and the opens and closes in them. */
  readonly outside: { readonly rows: number; readonly opens: number; readonly closes: number };
}

/** Rows of one job on one target: places of both, opens and closes. */
interface MdtSample {
  readonly jobs: number;
  readonly job: Uint32Array;
  /** Place among the targets. */
  readonly target: Uint32Array;
  readonly opens: Float64Array;
  readonly closes: Float64Array;
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
  const targets = withIdle(rows, await mdtNames(db));
  return {
    source,
    targets,
    sample: await sampleOf(db, targets, every),
    jobs: number(n),
    outside: await outsideOf(db, source === "jobs" ? "minutes" : "targets", counted, bounds),
  };
}

/** Every n-th job by hash, with all its rows. */
async function sampleOf(db: Queryable, targets: readonly Mdt[], every: number): Promise<MdtSample> {
  const drawn = await db.rows(`select dense_rank() over (order by unit) - 1 as job, name,
      cast(opens as double) as opens, cast(closes as double) as closes
    from sys_mdts where hash(unit) % ${every} = 0 order by job, name`);
  const places = new Map(targets.map(({ name }, place) => [name, place]));
  return {
    jobs: drawn.length === 0 ? 0 : number(drawn.at(-1)?.job) + 1,
    job: Uint32Array.from(drawn, ({ job }) => number(job)),
    target: Uint32Array.from(drawn, ({ name }) => places.get(String(name)) as number),
    opens: Float64Array.from(drawn, ({ opens }) => number(opens)),
    closes: Float64Array.from(drawn, ({ closes }) => number(closes)),
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
  const nothing = { opens: 0, closes: 0, mknods: 0, calls: 0 };
  const idle =
    rows.length === 0 ? [] : names.filter((name) => !known.has(name)).map((name) => ({ name, ...nothing }));
  return [...rows, ...idle].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function targetRows(db: Queryable): Promise<Mdt[]> {
  const rows =
    await db.rows(`select name, cast(sum(opens) as double) as opens, cast(sum(closes) as double) as closes,
      cast(sum(mknods) as double) as mknods, cast(sum(calls) as double) as calls
    from sys_mdts group by name order by name`);
  return rows.map((row) => ({
    name: String(row.name),
    opens: number(row.opens),
    closes: number(row.closes),
    mknods: number(row.mknods),
    calls: number(row.calls),
  }));
}
