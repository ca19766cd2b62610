/**
 * The view `job_totals`: one row for each run of a job, made of what a scheduler and the clients said about it in `jobs`.
 * A job id comes again after a requeue, so clients belong to the run that the middle of their readings lies in.
 */
import { assert } from "../base/assert.ts";
import { storedJobs } from "../model/index.ts";
import { quoteName } from "./database.ts";

/** Clients are read a little before and after the times of the scheduler, and by other clocks. */
const MARGIN_NS = 600_000_000_000n;
const LARGEST = 2n ** 63n - 1n;

/** What nodes count; the rest are facts about the job. */
const FIRST_COUNTER = "bytes_read";
const NAMES = storedJobs.columns.map(({ name }) => name).filter((name) => name !== "source");
const COUNTERS = NAMES.slice(NAMES.indexOf(FIRST_COUNTER), NAMES.indexOf("warnings"));
const SUMMED = ["nodes_counted", "nodes_dropped", ...COUNTERS];
assert(COUNTERS.length > 0, "counters of jobs stand between the first of them and the warnings");
/** Facts that a scheduler row may lack and clients know. */
const FROM_CLIENTS = new Set(["nodes", "node_memory_bytes", "user_id", "user_name"]);

assert(
  [...SUMMED, ...FROM_CLIENTS].every((name) => NAMES.includes(name)),
  "what is summed or taken from clients is a column of jobs",
);

/** Warnings of several rows, one below the other. */
const joined = (name: string) => `string_agg(${name}, chr(10) order by ${name}) as ${name}`;
const WARNINGS = `${joined("warnings")}, ${joined("node_warnings")}`;

const list = (names: readonly string[]) => names.map(quoteName).join(", ");

/** Sums of 64-bit counters stay 64 bits wide. (`least` would take NULL for the limit.) */
const sumOf = (name: string) =>
  `case when sum(${quoteName(name)}) > ${LARGEST} then ${LARGEST} else sum(${quoteName(name)}) end::BIGINT as ${quoteName(name)}`;

/** The same run in two lists of a scheduler: the one that knows more of its end counts. */
const RUNS = `select * from jobs where source = 'scheduler'
  qualify row_number() over (
    partition by cluster, job_id, coalesce(submit_unix_ns, start_unix_ns)
    order by end_unix_ns desc nulls last, start_unix_ns desc nulls last, state) = 1`;

/** Client rows; those with the same times of one job need no telling apart. */
const CLIENTS = `select job_key, job_id, cluster, start_unix_ns as began, end_unix_ns as ended,
    any_value(user_id) as user_id, any_value(user_name) as user_name, max(nodes) as nodes,
    max(node_memory_bytes) as node_memory_bytes, ${SUMMED.map(sumOf).join(", ")},
    ${WARNINGS}, max(synthetic) as synthetic, max(zone) as zone
  from jobs where source = 'clients' group by job_key, job_id, cluster, start_unix_ns, end_unix_ns`;

/** How far the middle of a client's time is from the run: 0 within it. */
const DISTANCE = "greatest(r.start_unix_ns - c.middle, c.middle - coalesce(r.end_unix_ns, c.middle), 0)";

/**
 * The run that clients belong to. Clients that do not name a cluster, at a time at which several clusters have a job of that
 * number, belong to none of them.
 */
const MATCHES = `select c.job_key, c.job_id, c.cluster, c.began, c.ended,
    string_agg(distinct r.cluster, ' or ' order by r.cluster) as clusters,
    if(c.cluster is null and count(distinct r.cluster) > 1, null, arg_min({'cluster': r.cluster, 'key': coalesce(r.submit_unix_ns, r.start_unix_ns)},
      {'distance': ${DISTANCE}, 'later': -r.start_unix_ns})) as run
  from (select *, began + (ended - began) // 2 as middle from clients) c join runs_of_jobs r
    on r.job_key = c.job_key and r.job_id = c.job_id
    and (r.cluster = c.cluster or r.cluster is null or c.cluster is null)
    and c.middle >= r.start_unix_ns - ${MARGIN_NS} and c.middle <= coalesce(r.end_unix_ns, c.middle) + ${MARGIN_NS}
  group by c.job_key, c.job_id, c.cluster, c.began, c.ended`;

const SAME_CLIENT = ["job_id", "cluster", "began", "ended"]
  .map((name) => `m.${name} is not distinct from c.${name}`)
  .join(" and ");

const UNCLEAR = "'the samples do not name the cluster of the job: '";

const PLACED = `select c.* exclude (warnings), m.run,
    if(m.run is null and m.clusters is not null, concat_ws(chr(10), c.warnings, ${UNCLEAR} || m.clusters), c.warnings) as warnings
  from clients c left join matches m on m.job_key = c.job_key and ${SAME_CLIENT}`;

const GATHER = `max(nodes) as nodes, max(node_memory_bytes) as node_memory_bytes, any_value(user_id) as user_id,
    any_value(user_name) as user_name, ${SUMMED.map(sumOf).join(", ")},
    ${WARNINGS}, max(synthetic) as synthetic, max(zone) as zone`;

/** Clients of jobs that no scheduler knows: one run as long as no more than the margin lies between them. */
const ALONE = `select job_key, job_id, cluster, min(began) as start_unix_ns, max(ended) as end_unix_ns, ${GATHER}
  from (
    select *, sum(is_new) over (partition by job_id, cluster order by began, ended) as island
    from (
      select *, case when began <= max(ended) over (
          partition by job_id, cluster order by began, ended
          rows between unbounded preceding and 1 preceding) + ${MARGIN_NS} then 0 else 1 end as is_new
      from placed where run is null))
  group by job_key, job_id, cluster, island`;

function mergedColumn(name: string): string {
  const column = quoteName(name);
  if (SUMMED.includes(name)) return `t.${column}`;
  if (FROM_CLIENTS.has(name)) return `coalesce(r.${column}, t.${column}) as ${column}`;
  if (name === "warnings") return `nullif(concat_ws(chr(10), r.warnings, t.warnings), '') as warnings`;
  if (name === "node_warnings") return "t.node_warnings";
  if (name === "zone") return "coalesce(r.zone, t.zone) as zone";
  if (name === "synthetic") return `greatest(r.synthetic, t.synthetic) as synthetic`;
  return `r.${column}`;
}

function aloneColumn({ name, type }: (typeof storedJobs.columns)[number]): string {
  const known =
    SUMMED.includes(name) ||
    FROM_CLIENTS.has(name) ||
    [
      "job_key",
      "job_id",
      "cluster",
      "start_unix_ns",
      "end_unix_ns",
      "warnings",
      "node_warnings",
      "synthetic",
      "zone",
    ].includes(name);
  if (known) return quoteName(name);
  return `null::${type === "text" ? "VARCHAR" : "BIGINT"} as ${quoteName(name)}`;
}

const WHOLE = `select ${list(NAMES)} from jobs where source = 'both'`;

/**
 * Whole rows come last: DuckDB's streams stand still when a large part comes before parts that first have to be gathered.
 */
const MERGED = `with
  runs_of_jobs as (${RUNS}),
  clients as (${CLIENTS}),
  matches as (${MATCHES}),
  placed as (${PLACED}),
  totals as (select job_key, job_id, run, ${GATHER} from placed where run is not null group by job_key, job_id, run)
select ${NAMES.map(mergedColumn).join(", ")} from runs_of_jobs r left join totals t
  on t.job_key = r.job_key and t.job_id = r.job_id and t.run.cluster is not distinct from r.cluster
  and t.run.key is not distinct from coalesce(r.submit_unix_ns, r.start_unix_ns)
union all
select ${storedJobs.columns
  .filter(({ name }) => name !== "source")
  .map(aloneColumn)
  .join(", ")} from (${ALONE})
union all
${WHOLE}`;

/** The query of the view, for a table whose rows come from these sources. Where all rows are whole they are only read. */
export const jobTotals = (sources: readonly string[]): string =>
  sources.every((source) => source === "both") ? WHOLE : MERGED;

/** The same over some of the rows of `jobs`: all of a job, or none. */
export const jobTotalsOf = (relation: string): string =>
  MERGED.replaceAll(/\bfrom jobs\b/g, `from ${relation}`);
