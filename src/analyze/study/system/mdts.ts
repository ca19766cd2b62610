/** What metadata targets handled, in minutes of jobs; or as a whole where jobs were not told apart. */
import type { Queryable } from "../../../model/index.ts";
import { number } from "../common/item.ts";
import { partOr } from "../common/parts.ts";
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
  const { ofJobs, names, outside, sums } = mdtSql(options);
  // Whatever the period: numbers of two kinds of counters cannot be compared.
  const counted = await db.rows(`select * from ${partOr(db, "mdt_of_jobs", ofJobs)} limit 1`);
  const source = counted.length > 0 ? "jobs" : "targets";
  await db.run(`create or replace temp table sys_mdts as
    select unit, name, sum(opens) as opens, sum(closes) as closes, sum(mknods) as mknods, sum(calls) as calls
    from ${partOr(db, `mdt_${source}`, sums[source])} group by unit, name`);
  const rows = await targetRows(db);
  const [{ n } = { n: 0 }] = await db.rows("select count(distinct unit) as n from sys_mdts");
  const every = Math.max(1, Math.ceil(number(n) / SAMPLE));
  const found = await db.rows(`select distinct name from ${partOr(db, "mdt_names", names)}`);
  const targets = withIdle(
    rows,
    found.map(({ name }) => String(name)),
  );
  const [out] = await db.rows(`select coalesce(sum(n), 0) as n, coalesce(sum(opens), 0) as opens,
    coalesce(sum(closes), 0) as closes from ${partOr(db, `mdt_outside_${source}`, outside[source])}`);
  return {
    source,
    targets,
    sample: await sampleOf(db, targets, every),
    jobs: number(n),
    outside: { rows: number(out?.n), opens: number(out?.opens), closes: number(out?.closes) },
  };
}

/** What is asked of the rows of metadata targets, of jobs and of targets as a whole. */
export function mdtSql(options: SystemOptions) {
  const { fromUnix, toUnix } = boundsOf(options);
  const minute = (unix: number) => Math.floor(unix / 60);
  const bounds = [
    ...(Number.isFinite(fromUnix) ? [`minute_unix >= ${minute(fromUnix)}`] : []),
    ...(Number.isFinite(toUnix) ? [`minute_unix < ${minute(toUnix)}`] : []),
  ];
  const counted = "starts_with(target, 'MDT') and (opens is not null or closes is not null)";
  const where = [counted, ...bounds].join(" and ");
  const sums = (
    unit: string,
    table: string,
  ) => `select ${unit} as unit, concat(file_system || '-', target) as name,
      sum(coalesce(opens, 0)) as opens, sum(coalesce(closes, 0)) as closes, sum(coalesce(mknods, 0)) as mknods,
      sum(coalesce(metadata_calls, 0)) as calls
    from ${table} where ${where} group by all`;
  const outside = (
    table: string,
  ) => `select count(*) as n, sum(opens) as opens, sum(closes) as closes from ${table}
    where ${bounds.length === 0 ? "false" : `${counted} and not (${bounds.join(" and ")})`}`;
  return {
    ofJobs: `select 1 as one from minutes where ${counted} limit 1`,
    // All MDTs that were read, also those that no job touched.
    names: `select distinct concat(file_system || '-', target) as name from
      (select file_system, target from readings union all select file_system, target from targets)
      where starts_with(target, 'MDT')`,
    sums: {
      // The same number on another cluster is another job.
      jobs: sums("if(cluster is null, job_key, hash(job_key, cluster))", "minutes"),
      targets: sums("cast(minute_unix as ubigint)", "targets"),
    },
    outside: { jobs: outside("minutes"), targets: outside("targets") },
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
