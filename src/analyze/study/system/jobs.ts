/** The jobs of a store as columns: what is asked of millions of them is answered by passes over these. */
import {
  NAME_CALL_COLUMNS as OPERATIONS,
  type NameCall as Operation,
  type Queryable,
  type RawColumn,
} from "../../../model/index.ts";
import { number } from "../common/item.ts";
import { TIME_LEAST_NS, TIME_MOST_NS } from "../common/run-minutes.ts";
import { boundsOf, nodeMemories, type SystemOptions } from "./options.ts";

export { OPERATIONS };

/** Why a job is not studied; 0: it is. */
export const STUDIED = 0;
export const OTHER_CLUSTER = 1;
export const BAD_CLOCK = 2;
export const OUTSIDE = 3;
export const LONG = 4;
export const NO_USER = 0xffffffff;

export interface Jobs {
  readonly count: number;
  readonly clusters: readonly string[];
  readonly users: number;
  readonly state: Uint8Array;
  readonly cluster: Uint8Array;
  readonly user: Uint32Array;
  /** Whole seconds since 1970. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** When it was submitted; NaN where it is not known. */
  readonly submit: Float64Array;
  /** Seconds, with fractions. */
  readonly duration: Float64Array;
  /** NaN: not recorded. */
  readonly nodes: Float64Array;
  /** Memory of a node, recorded or given. */
  readonly memory: Float64Array;
  readonly read: Float64Array;
  readonly written: Float64Array;
  readonly writes: Float64Array;
  readonly operations: Readonly<Record<Operation, Float64Array>>;
  /** Number of its minutes, -1 without any. */
  readonly series: Int32Array;
  /** Number of the job, for ties. */
  readonly id: Float64Array;
  readonly program: Uint32Array;
  /** Exact sums over studied jobs with counters. */
  readonly bytesRead: bigint;
  readonly bytesWritten: bigint;
  /** The same over those that have a user. */
  readonly usersBytesRead: bigint;
  readonly usersBytesWritten: bigint;
  /** Jobs with a wrong number of bytes: negative. */
  readonly negative: number;
}

/** Clusters beyond this share the last number; no site has that number of clusters. */
const CLUSTERS_MAX = 255;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
/** A user: the number, or the name where there is no number. */
const USER = "coalesce(user_id, -1 - cast(hash(user_name) >> 2 as bigint))";
const HAS_USER = "(user_id is not null or coalesce(user_name, '') <> '')";
const NS = 1_000_000_000;

/** What is read of a job. */
const COLUMNS = [
  "job_key",
  "job_id",
  "cluster",
  "user_id",
  "user_name",
  "name",
  "nodes",
  "node_memory_bytes",
  "submit_unix_ns",
  "start_unix_ns",
  "end_unix_ns",
  "bytes_read",
  "bytes_written",
  "writes",
  ...OPERATIONS,
];

/**
 * `sys_jobs`: one row for each run of a job. Rows that are whole are read where they are. Where a scheduler and clients tell
 * of the same job the merged rows become a table: a large result of the view, which is a union, does not stream.
 */
export async function jobRows(db: Queryable): Promise<void> {
  const merged = db.part?.("job_rows");
  if (merged !== undefined)
    return db.run(`create or replace temp view sys_jobs as select ${COLUMNS.join(", ")} from ${merged}`);
  const [parts] = await db.rows("select count(*) as n from jobs where source is distinct from 'both'");
  const whole = number(parts?.n) === 0;
  await db.run("drop view if exists sys_jobs");
  await db.run("drop table if exists sys_merged_jobs");
  if (!whole)
    await db.run(`create temp table sys_merged_jobs as select ${COLUMNS.join(", ")} from job_totals`);
  await db.run(`create or replace temp view sys_jobs as select ${COLUMNS.join(", ")}
    from ${whole ? "jobs" : "sys_merged_jobs"}`);
}

/**
 * `sys_users`: the number of the user for each key that jobs have. A name without a number is the user of the one number
 * that other jobs have with it; where they have several it stays a user of its own.
 */
async function userRows(db: Queryable): Promise<void> {
  await db.run(`create or replace temp table sys_users as
    with keys as (
      select ${USER} as key, min(user_name) as name, bool_or(user_id is not null) as numbered
      from sys_jobs where ${HAS_USER} group by key),
    numbers as (
      select user_name, min(user_id) as number from sys_jobs
      where user_id is not null and user_name in (select name from keys where not numbered)
      group by user_name having count(distinct user_id) = 1)
    select key, cast(dense_rank() over (order by coalesce(number, key)) - 1 as uinteger) as user_no, name
    from keys left join numbers on not numbered and user_name = name`);
}

export async function readJobs(db: Queryable, options: SystemOptions): Promise<Jobs> {
  await jobRows(db);
  const clusters = (
    await db.rows("select distinct coalesce(cluster, '') as name from sys_jobs order by name")
  )
    .map(({ name }) => String(name))
    .slice(0, CLUSTERS_MAX);
  await userRows(db);
  const [counted] = await db.rows("select count(distinct user_no) as users from sys_users");
  const [all] = await db.rows("select count(*) as jobs from sys_jobs");
  const reader = new JobReader(number(all?.jobs), clusters, options);
  await db.scan(jobSql(clusters, options), (rows, columns) => reader.take(rows, columns));
  return reader.done(number(counted?.users));
}

/** In an order that hangs on the jobs alone, not on how they were stored: intervals draw jobs by their place. */
function jobSql(clusters: readonly string[], options: SystemOptions): string {
  const double = (name: string) => `coalesce(cast(${name} as double), 'nan'::double)`;
  const cluster = `case coalesce(j.cluster, '') ${clusters.map((name, i) => `when ${quoted(name)} then ${i}`).join(" ")} else ${CLUSTERS_MAX - 1} end`;
  const clocked = `coalesce(start_unix_ns between ${TIME_LEAST_NS} and ${TIME_MOST_NS}
    and end_unix_ns between start_unix_ns and ${TIME_MOST_NS}, false)`;
  const seconds = (name: string) => `if(${clocked}, cast(${name} // ${NS} as double), 'nan'::double)`;
  const columns = [
    clusters.length === 0 ? "cast(0 as utinyint)" : `cast(${cluster} as utinyint)`,
    `coalesce(u.user_no, ${NO_USER}::uinteger)`,
    seconds("start_unix_ns"),
    seconds("end_unix_ns"),
    `if(${clocked}, cast(end_unix_ns - start_unix_ns as double) / ${NS}, 'nan'::double)`,
    double("if(nodes > 0, nodes, null)"),
    double("if(node_memory_bytes > 0, node_memory_bytes, null)"),
    // Negative: not recorded, or not a number of bytes.
    "coalesce(bytes_read, -1::bigint)",
    "coalesce(bytes_written, -1::bigint)",
    double("writes"),
    ...OPERATIONS.map(double),
    "coalesce(s.series_no, -1::integer)",
    double("try_cast(job_id as bigint)"),
    options.similarity === "program"
      ? "cast(hash(coalesce(j.name, '')) & 4294967295 as uinteger)"
      : "cast(0 as uinteger)",
    "cast(coalesce(bytes_read < 0 or bytes_written < 0, false) as utinyint)",
    `if(submit_unix_ns between ${TIME_LEAST_NS} and ${TIME_MOST_NS},
      cast(submit_unix_ns // ${NS} as double), 'nan'::double)`,
  ];
  return `select ${columns.join(", ")} from sys_jobs j left join sys_users u on u.key = ${USER}
    left join sys_series_of s on s.job_key = j.job_key and s.cluster = coalesce(j.cluster, '')
    order by j.job_key, j.start_unix_ns, j.end_unix_ns, j.cluster, j.job_id`;
}

class JobReader {
  readonly #clusters: readonly string[];
  readonly #wanted: number;
  readonly #bounds: ReturnType<typeof boundsOf>;
  readonly #longest: number;
  readonly #memories: readonly number[];
  readonly #columns;
  #count = 0;
  #negative = 0;
  /** Read and written by all, and by jobs without a user. */
  readonly #sums = [0n, 0n, 0n, 0n];
  readonly #low = new Float64Array(4);
  readonly #high = new Float64Array(4);

  constructor(room: number, clusters: readonly string[], options: SystemOptions) {
    this.#clusters = clusters;
    this.#wanted = options.cluster === "" ? -1 : clusters.indexOf(options.cluster);
    // A cluster that is not there has no jobs.
    if (options.cluster !== "" && this.#wanted === -1) this.#wanted = CLUSTERS_MAX;
    this.#bounds = boundsOf(options);
    this.#longest = options.maxHours * 3600;
    const given = nodeMemories(options.nodeMemory);
    this.#memories = clusters.map((name) => given.get(name) ?? given.get("") ?? Number.NaN);
    const reals = () => new Float64Array(room);
    this.#columns = {
      state: new Uint8Array(room),
      cluster: new Uint8Array(room),
      user: new Uint32Array(room),
      start: reals(),
      end: reals(),
      submit: reals(),
      duration: reals(),
      nodes: reals(),
      memory: reals(),
      read: reals(),
      written: reals(),
      writes: reals(),
      operations: Object.fromEntries(OPERATIONS.map((name) => [name, reals()])) as Record<
        Operation,
        Float64Array
      >,
      series: new Int32Array(room),
      id: reals(),
      program: new Uint32Array(room),
    };
  }

  take(rows: number, columns: readonly RawColumn[]): void {
    const to = this.#columns;
    const at = this.#count;
    const [cluster, user, start, end, duration, nodes, memory, read, written, writes] =
      columns as RawColumn[];
    const copies: [Uint8Array | Uint32Array | Int32Array | Float64Array, RawColumn | undefined][] = [
      [to.cluster, cluster],
      [to.user, user],
      [to.start, start],
      [to.end, end],
      [to.duration, duration],
      [to.nodes, nodes],
      [to.memory, memory],
      [to.writes, writes],
      ...OPERATIONS.map((name, i) => [to.operations[name], columns[10 + i]] as [Float64Array, RawColumn]),
      [to.series, columns[18]],
      [to.id, columns[19]],
      [to.program, columns[20]],
      [to.submit, columns[22]],
    ];
    for (const [column, values] of copies) column.set((values as RawColumn).subarray(0, rows), at);
    const negative = columns[21] as RawColumn;
    for (let i = 0; i < rows; i++) {
      const job = at + i;
      const state = (to.state[job] = this.#stateOf(job));
      if (Number.isNaN(to.memory[job]))
        to.memory[job] = this.#memories[to.cluster[job] as number] ?? Number.NaN;
      this.#negative += negative[i] as number;
      this.#bytes(job, i, read as RawColumn, written as RawColumn, state === STUDIED);
    }
    this.#count += rows;
  }

  #stateOf(job: number): number {
    const { cluster, start, duration } = this.#columns;
    if (this.#wanted !== -1 && cluster[job] !== this.#wanted) return OTHER_CLUSTER;
    if (Number.isNaN(start[job])) return BAD_CLOCK;
    if ((start[job] as number) < this.#bounds.fromUnix || (start[job] as number) >= this.#bounds.toUnix)
      return OUTSIDE;
    return (duration[job] as number) >= this.#longest ? LONG : STUDIED;
  }

  /** Bytes count when both sides are known. */
  #bytes(job: number, row: number, read: RawColumn, written: RawColumn, studied: boolean): void {
    const at = 2 * row;
    const known = (read[at + 1] as number) < 0x80000000 && (written[at + 1] as number) < 0x80000000;
    const { read: r, written: w } = this.#columns;
    r[job] = known ? (read[at + 1] as number) * 4294967296 + (read[at] as number) : Number.NaN;
    w[job] = known ? (written[at + 1] as number) * 4294967296 + (written[at] as number) : Number.NaN;
    if (!known || !studied) return;
    this.#add(0, read, at);
    this.#add(1, written, at);
    if (this.#columns.user[job] !== NO_USER) return;
    this.#add(2, read, at);
    this.#add(3, written, at);
  }

  #add(sum: number, words: RawColumn, at: number): void {
    this.#low[sum] = (this.#low[sum] as number) + (words[at] as number);
    this.#high[sum] = (this.#high[sum] as number) + (words[at + 1] as number);
    // Long before sums of words are no longer exact.
    if ((this.#low[sum] as number) > 2 ** 51 || (this.#high[sum] as number) > 2 ** 51) this.#carry(sum);
  }

  #carry(at: number): void {
    const sum = (BigInt(this.#high[at] as number) << 32n) + BigInt(this.#low[at] as number);
    this.#sums[at] = (this.#sums[at] as bigint) + sum;
    this.#low[at] = this.#high[at] = 0;
  }

  done(users: number): Jobs {
    for (let at = 0; at < this.#sums.length; at++) this.#carry(at);
    const [read, written, ownerlessRead, ownerlessWritten] = this.#sums as [bigint, bigint, bigint, bigint];
    return {
      ...this.#columns,
      count: this.#count,
      clusters: this.#clusters,
      users,
      bytesRead: read,
      bytesWritten: written,
      usersBytesRead: read - ownerlessRead,
      usersBytesWritten: written - ownerlessWritten,
      negative: this.#negative,
    };
  }
}

/** Studied jobs, and of these those with counters, as lists of places. */
export function placesOf(jobs: Jobs): { studied: Uint32Array; counted: Uint32Array } {
  const studied = new Uint32Array(jobs.count);
  const counted = new Uint32Array(jobs.count);
  let [all, known] = [0, 0];
  for (let job = 0; job < jobs.count; job++) {
    if (jobs.state[job] !== STUDIED) continue;
    studied[all++] = job;
    if (!Number.isNaN(jobs.read[job])) counted[known++] = job;
  }
  return { studied: studied.slice(0, all), counted: counted.slice(0, known) };
}
