/**
 * What is lost when segments of a batch cannot be used, and which of its rows are whole all the same. The rule: whoever
 * gives the same inputs to ingest again after a repair gets back what was lost, and nothing counts twice.
 *
 * - A run is whole when its row and all of its accesses are there; others go, with their place in the list of known inputs.
 * - Counters of a batch go with what `readings` says of them, since nobody knows which minutes are missing. Their roll-ups go
 *   with them. When only roll-ups are lost, minutes stay, and the next compaction sums them up; unless some were pruned.
 * - Counters of clients go when rows of `jobs` or the list of inputs are lost: read again they would add up.
 * - Names of files stay as far as they are there; their logs can be read again, since a run is shown once in any case.
 */
import { assert } from "../base/assert.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { STORE_LEVELS, STORE_SCHEMA, storedFiles } from "../model/index.ts";
import { quoteName } from "./database.ts";
import { levelOf, levelsOfBase } from "./levels.ts";
import { type BatchInfo, plainBatch, rowsOf, type Segment } from "./manifest.ts";
import { tableQuery } from "./views.ts";

export interface DamagedPart {
  /** From the folder of the store: a segment or a manifest entry. */
  readonly path: string;
  readonly what: string;
  /** Of a segment. */
  readonly table?: string;
  readonly rows?: number;
}

export interface BatchLoss {
  readonly batch: string;
  /** When it was committed, and by whom; null when its manifest entry cannot be read. */
  readonly created: string | null;
  readonly writer: string | null;
  readonly damaged: readonly DamagedPart[];
  /** Rows that go, by table: those of damaged segments, and those that are worth nothing without them. */
  readonly lost: Readonly<Record<string, number>>;
  readonly kept: Readonly<Record<string, number>>;
  /** Times of the rows of the batch that can be read, ISO 8601; null when there are none. */
  readonly from: string | null;
  readonly to: string | null;
  /** Inputs that ingest can read again. */
  readonly inputs: readonly string[];
  /** Where the entry and the files of the batch are kept. */
  readonly aside: string;
}

/** Rows of a table that stay; undefined: all. */
type Filters = Readonly<Record<string, string | undefined>>;

export interface Plan {
  /** The batch with the segments that can be used. */
  readonly sound: BatchInfo;
  readonly filters: Filters;
  readonly kept: Readonly<Record<string, number>>;
  readonly inputs: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
}

/** Drops everything of a batch. */
const NOTHING_STAYS = "false";
/** What a collector says of servers beside the counters of targets; each table tells by itself which times it has. */
const STATES = ["target_states", "servers", "exports"];
const COUNTERS = [
  ...["minutes", "targets", "readings", ...STATES],
  ...STORE_LEVELS.map(({ table }) => table.name),
];

/**
 * Looks into what can be read of a batch. `live`: batches that may name its files too, without their damaged segments;
 * `everything`: all of its rows go.
 */
export async function planOf(
  connection: DuckDBConnection,
  store: string,
  sound: BatchInfo,
  damaged: ReadonlySet<string>,
  { live, everything = false }: { live: readonly BatchInfo[]; everything?: boolean },
): Promise<Plan> {
  for (const table of STORE_SCHEMA) {
    // Sums that are not there must not look as if they were kept.
    const own = levelOf(table) === undefined ? [sound] : [{ ...sound, tables: only(sound, table.name) }];
    const query = tableQuery(table, { store, batches: own, hiding: new Set() });
    await connection.run(`create or replace temp view ${part(table.name)} as ${query}`);
  }
  const names = tableQuery(storedFiles, { store, batches: live, hiding: new Set() });
  await connection.run(`create or replace temp view all_names as ${names}`);
  await findLostRuns(connection, damaged);
  const hasOthers = ["jobs", "job_mounts", ...COUNTERS].some(
    (table) => damaged.has(table) || rowsOf([sound], table) > 0,
  );
  const filters = everything
    ? Object.fromEntries(STORE_SCHEMA.map(({ name }) => [name, NOTHING_STAYS]))
    : filtersOf(damaged, hasOthers, sound.pruned !== undefined);
  assert(
    Object.keys(filters).every((name) => STORE_SCHEMA.some((table) => table.name === name)),
    "filters are of tables of a store",
  );
  const kept: Record<string, number> = {};
  for (const { name } of STORE_SCHEMA) {
    const where = filters[name] ?? "true";
    const [[count] = []] = (
      await connection.runAndReadAll(`select count(*) from ${part(name)} where ${where}`)
    ).getRows();
    kept[name] = Number(count);
  }
  const used = Object.fromEntries(
    Object.entries(filters).filter(([name]) => kept[name] !== rowsOf([sound], name)),
  );
  return {
    ...{ sound, filters: used, kept },
    inputs: await forgottenInputs(connection, filters),
    ...(await timesOf(connection)),
  };
}

const only = ({ tables }: BatchInfo, table: string): BatchInfo["tables"] =>
  tables[table] === undefined ? {} : { [table]: tables[table] };

export const part = (table: string): string => quoteName(`part_${table}`);

/** Runs that are not whole, and runs with files whose names are gone. */
async function findLostRuns(connection: DuckDBConnection, damaged: ReadonlySet<string>): Promise<void> {
  const counted = `select run_id, count(*) as n from ${part("accesses")} group by run_id`;
  const whole = damaged.has("accesses")
    ? `select r.run_id from ${part("runs")} r left join (${counted}) a using (run_id) where r.files = coalesce(a.n, 0)`
    : `select run_id from ${part("runs")}`;
  const met = `select run_id from ${part("runs")} union select run_id from ${part("accesses")}`;
  const isHurt = damaged.has("runs") || damaged.has("accesses");
  await connection.run(
    `create or replace temp table lost_runs as ${isHurt ? `(${met}) except (${whole})` : "select null::ubigint as run_id where false"}`,
  );
  const unnamed = `select distinct run_id from ${part("accesses")} a where not exists (select 1 from all_names n where n.file_id = a.file_id)`;
  await connection.run(
    `create or replace temp table unnamed_runs as ${damaged.has("files") ? unnamed : "select null::ubigint as run_id where false"}`,
  );
}

function filtersOf(damaged: ReadonlySet<string>, hasOthers: boolean, isPruned: boolean): Filters {
  const whole = "run_id not in (from lost_runs)";
  const noSums = (base: string) => levelsOfBase(base).some(({ table }) => damaged.has(table.name));
  const none = (base: string) => damaged.has(base) || damaged.has("readings") || (isPruned && noSums(base));
  const noMinutes = none("minutes");
  const noTargets = none("targets");
  const noClients = damaged.has("jobs") || damaged.has("job_mounts") || damaged.has("sources");
  const noStates = STATES.some((table) => damaged.has(table));
  const isRun = `hash_high in (select run_id from ${part("runs")})`;
  const name = "coalesce(path, '')";
  const isLog = hasOthers ? `${name} like '%.darshan'` : "true";
  const forgotten = ["hash_high in (from lost_runs)", "hash_high in (from unnamed_runs)"];
  if (damaged.has("runs")) forgotten.push(`(coalesce(status, '') = 'stored' and not ${isRun} and ${isLog})`);
  // Segments of a collector; they are known by their content, their differences by time.
  if (noMinutes || noTargets || noStates) forgotten.push(`(not ${isRun} and ${name} like '%.ndjson')`);
  if (damaged.has("jobs") || damaged.has("job_mounts"))
    forgotten.push(`(not ${isRun} and ${name} not like '%.darshan')`);
  const kinds = [
    noMinutes ? "kind <> 'job_stats'" : undefined,
    noTargets ? "kind = 'job_stats'" : undefined,
  ].filter((one) => one !== undefined);
  return {
    runs: whole,
    accesses: whole,
    sources: `not (${forgotten.join(" or ")})`,
    jobs: noClients ? "coalesce(source, '') <> 'clients'" : undefined,
    job_mounts: noClients ? NOTHING_STAYS : undefined,
    ...Object.fromEntries(STATES.map((table) => [table, damaged.has(table) ? NOTHING_STAYS : undefined])),
    minutes: noMinutes ? NOTHING_STAYS : undefined,
    targets: noTargets ? NOTHING_STAYS : undefined,
    readings: kinds.length === 0 ? undefined : kinds.join(" and "),
    ...Object.fromEntries(
      STORE_LEVELS.filter(({ base }) => none(base.name) || noSums(base.name)).map(({ table }) => [
        table.name,
        NOTHING_STAYS,
      ]),
    ),
  };
}

async function forgottenInputs(connection: DuckDBConnection, filters: Filters): Promise<string[]> {
  const result = await connection.runAndReadAll(
    `select distinct path from (
       select path from ${part("sources")} where status = 'stored' and not (${filters.sources ?? "true"})
       union all
       select source from ${part("runs")} where not (${filters.runs ?? "true"}))
     where path is not null order by path`,
  );
  return result.getRows().map(([path]) => String(path));
}

async function timesOf(connection: DuckDBConnection): Promise<{ from: string | null; to: string | null }> {
  const minute = "60000000000";
  const spans = [
    `select min(start_unix_ns) as a, max(coalesce(end_unix_ns, start_unix_ns)) as b from ${part("runs")} where coalesce(clock, 'ok') = 'ok'`,
    `select min(start_unix_ns), max(coalesce(end_unix_ns, start_unix_ns)) from ${part("accesses")} where not exists (from ${part("runs")})`,
    `select min(start_unix_ns), max(coalesce(end_unix_ns, start_unix_ns)) from ${part("jobs")}`,
    `select min(minute_unix) * ${minute}, (max(minute_unix) + 1) * ${minute} from ${part("minutes")}`,
    `select min(minute_unix) * ${minute}, (max(minute_unix) + 1) * ${minute} from ${part("targets")}`,
    ...STATES.map(
      (table) => `select min(coalesce(from_unix_ns, to_unix_ns)), max(to_unix_ns) from ${part(table)}`,
    ),
    `select min(from_unix_ns), max(to_unix_ns) from ${part("readings")}`,
  ];
  const [[from, to] = []] = (
    await connection.runAndReadAll(
      `select min(a)::bigint, max(b)::bigint from (${spans.join(" union all ")})`,
    )
  ).getRows();
  const time = (ns: unknown) =>
    typeof ns === "bigint" ? new Date(Number(ns / 1_000_000n)).toISOString() : null;
  return { from: time(from), to: time(to) };
}

/** A batch without the segments that cannot be used. */
export function withoutSegments(batch: BatchInfo, files: ReadonlySet<string>): BatchInfo {
  const tables: Record<string, readonly Segment[]> = {};
  for (const [name, segments] of Object.entries(batch.tables)) {
    const left = segments.filter(({ file }) => !files.has(file));
    if (left.length > 0) tables[name] = left;
  }
  return { ...plainBatch(batch), tables };
}
