/**
 * The tables of a store as SQL over its live segments. Two writers may have stored the same log at the same time; then
 * its run is shown from the earliest batch and hidden in the others.
 */
import { assert } from "../base/assert.ts";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  STORE_SCHEMA,
  STORE_VERSION,
  type TableSchema,
  storedReadings,
  storedRuns,
  storedSources,
} from "../model/index.ts";
import { parquetRows, quoteName } from "./database.ts";
import { BUCKET_KEYS, type Bucket, bucketCondition, mayHold } from "./bucket.ts";
import { jobTotals } from "./job-totals.ts";
import { ID_LENGTH } from "./layout.ts";
import { isRolled, levelOf, rollUp } from "./levels.ts";
import { type BatchInfo, rowsOf, segmentsOf } from "./manifest.ts";
import { hasStretches, readingsRelation, stretchCondition } from "./overlaps.ts";
import { sqlType } from "./sql-types.ts";
import { UPGRADES, type Upgrade, upgraded } from "./upgrades.ts";

/** Runs that are hidden, as (run_id, batch). It lives in a schema of its own, out of people's way. */
const HIDDEN = "store.hidden_runs";
/** Those whose input an earlier batch lists too: after a repair the first batch of a run may not. */
const HIDDEN_SOURCES = "store.hidden_sources";
const BATCH = `left(parse_filename(filename), ${ID_LENGTH})`;

/** The column that says which run a row belongs to, if any. */
function runColumn(table: TableSchema): string | undefined {
  if (table.name === storedSources.name) return "hash_high";
  return table.columns.some(({ name }) => name === "run_id") ? "run_id" : undefined;
}

/** Before version 5 only the writer of a batch tells that its rows were generated. */
const isGenerated = ({ version, writer }: BatchInfo) => version < 5 && writer.startsWith("plimsoll generate");
const saysSynthetic = (table: TableSchema) => table.columns.some(({ name }) => name === "synthetic");
const allSynthetic = (relation: string) => `(select * replace (1::UTINYINT as synthetic) from ${relation})`;

const NONE: ReadonlySet<string> = new Set();

export interface ViewSetting {
  readonly store: string;
  readonly batches: readonly BatchInfo[];
  /** Batches in which some runs are hidden (see `hideDuplicates`). */
  readonly hiding: ReadonlySet<string>;
  /** Batches with stretches of counters that another one has (see `hideOverlaps`). */
  readonly copies?: ReadonlySet<string>;
  readonly upgrades?: readonly Upgrade[];
  /** Only every so manieth segment. */
  readonly share?: { readonly index: number; readonly of: number } | undefined;
  /** Only rows of this bucket. */
  readonly bucket?: Bucket | undefined;
}

/** A query that gives all rows of a table in the given batches. What has no roll-ups is summed up. */
export function tableQuery(table: TableSchema, setting: ViewSetting): string {
  const level = levelOf(table);
  if (level === undefined) return storedQuery(table, setting);
  const fresh = setting.batches.filter(
    (batch) => !isRolled(batch, level.base.name) && segmentsOf([batch], level.base.name).length > 0,
  );
  const stored = storedQuery(table, setting);
  if (fresh.length === 0) return stored;
  const minutes = storedQuery(level.base, { ...setting, batches: fresh });
  const names = table.columns.map(({ name }) => quoteName(name)).join(", ");
  return `${stored} union all select ${names} from (${rollUp(level, `(${minutes})`)})`;
}

function storedQuery(table: TableSchema, setting: ViewSetting): string {
  const { store, batches, hiding, copies = NONE, upgrades = UPGRADES, share = { index: 0, of: 1 } } = setting;
  const { bucket } = setting;
  // Rows without buckets are in the first.
  const elsewhere = bucket !== undefined && bucket.index > 1 && BUCKET_KEYS[table.name] === undefined;
  // A cast to the type that a column has costs nothing; in a damaged segment it fails where the column is read.
  const names = table.columns
    .map(({ name, type }) => `${quoteName(name)}::${sqlType(type)} as ${quoteName(name)}`)
    .join(", ");
  assert(share.index >= 0 && share.index < share.of, "a share is one of its number");
  const key = runColumn(table);
  const hides = (id: string) =>
    (key !== undefined && hiding.has(id)) || (hasStretches(table.name) && copies.has(id));
  const groups = new Map<string, BatchInfo[]>();
  for (const batch of batches) {
    if (segmentsOf([batch], table.name).length === 0) continue;
    const group = `${batch.version} ${hides(batch.id)} ${isGenerated(batch)}`;
    groups.set(group, [...(groups.get(group) ?? []), batch]);
  }
  const parts = [...groups.values()].flatMap((group) => {
    const [first] = group as [BatchInfo];
    const { version, id } = first;
    const segments = segmentsOf(group, table.name)
      .filter((one) => !elsewhere && (bucket === undefined || mayHold(one, bucket)))
      .filter((_, i) => i % share.of === share.index);
    const files = segments.map(({ file }) => join(store, file));
    if (files.length === 0) return [];
    const held = bucket === undefined ? undefined : bucketCondition(table.name, segments, bucket);
    assert(new Set(files).size === files.length, "no segment is read twice");
    const source = parquetRows(files, { fileNames: hides(id) });
    const current = version === STORE_VERSION ? source : upgraded(table.name, version, source, upgrades);
    const all = isGenerated(first) && saysSynthetic(table) ? allSynthetic(current) : current;
    const relation = held === undefined ? all : `(select * from ${all} where ${held})`;
    if (!hides(id)) return `select ${names} from ${relation} s`;
    if (table === storedReadings) return `select ${names} from ${readingsRelation(relation)} s`;
    const seen =
      key === undefined
        ? stretchCondition(table.name)
        : `not exists (select 1 from ${table.name === storedSources.name ? HIDDEN_SOURCES : HIDDEN} h where h.run_id = s.${quoteName(key)} and h.batch = ${BATCH})`;
    return `select ${names} from ${relation} s where ${seen}`;
  });
  if (parts.length > 0) return parts.join(" union all ");
  const nothing = table.columns.map(({ name, type }) => `null::${sqlType(type)} as ${quoteName(name)}`);
  return `select ${nothing.join(", ")} where false`;
}

/**
 * Finds runs that more than one of the batches holds and remembers all but the first of each. Gives the batches in
 * which something is hidden. Without duplicates it costs one count of distinct values.
 */
export async function hideDuplicates(
  connection: DuckDBConnection,
  store: string,
  batches: readonly BatchInfo[],
): Promise<Set<string>> {
  await connection.run(`create schema if not exists store`);
  for (const table of [HIDDEN, HIDDEN_SOURCES])
    await connection.run(`create or replace table ${table} (run_id ubigint, batch varchar)`);
  const files = segmentsOf(batches, storedRuns.name).map(({ file }) => join(store, file));
  if (batches.length < 2 || files.length < 2) return new Set();
  const [[distinct] = []] = (
    await connection.runAndReadAll(`select count(distinct run_id) from ${parquetRows(files)}`)
  ).getRows();
  if (Number(distinct) === rowsOf(batches, storedRuns.name)) return new Set();
  await connection.run(
    `insert into ${HIDDEN} select distinct run_id, batch from (
       select run_id, ${BATCH} as batch, min(${BATCH}) over (partition by run_id) as first
       from ${parquetRows(files, { fileNames: true })}
     ) where batch <> first`,
  );
  const sources = segmentsOf(batches, storedSources.name).map(({ file }) => join(store, file));
  if (sources.length > 0)
    await connection.run(
      `insert into ${HIDDEN_SOURCES} select run_id, h.batch from ${HIDDEN} h join (
         select hash_high, min(${BATCH}) as first from ${parquetRows(sources, { fileNames: true })}
         where hash_high in (select run_id from ${HIDDEN}) group by hash_high
       ) s on s.hash_high = h.run_id where h.batch > s.first`,
    );
  const hidden = await connection.runAndReadAll(`select distinct batch from ${HIDDEN}`);
  const ids = new Set(hidden.getRows().map(([batch]) => String(batch)));
  assert(
    [...ids].every((id) => batches.some((batch) => batch.id === id)),
    "runs are hidden in batches that are read",
  );
  return ids;
}

/** Number of hidden (run, batch) pairs. */
export async function hiddenRuns(connection: DuckDBConnection): Promise<number> {
  const [[count] = []] = (await connection.runAndReadAll(`select count(*) from ${HIDDEN}`)).getRows();
  return Number(count);
}

export async function createViews(connection: DuckDBConnection, setting: ViewSetting): Promise<void> {
  for (const table of STORE_SCHEMA) {
    await connection.run(`create view ${quoteName(table.name)} as ${tableQuery(table, setting)}`);
  }
  const found = await connection.runAndReadAll("select distinct source from jobs");
  const sources = found.getRows().map(([source]) => String(source));
  await connection.run(`create view job_totals as ${jobTotals(sources)}`);
}

/** Batches that hold a run which another of them holds too. */
export async function duplicateBatches(
  connection: DuckDBConnection,
  store: string,
  batches: readonly BatchInfo[],
): Promise<Set<string>> {
  if ((await hiddenRuns(connection)) === 0) return new Set();
  const files = segmentsOf(batches, storedRuns.name).map(({ file }) => join(store, file));
  const found = await connection.runAndReadAll(
    `select distinct ${BATCH} from ${parquetRows(files, { fileNames: true })}
     where run_id in (select run_id from ${HIDDEN})`,
  );
  return new Set(found.getRows().map(([batch]) => String(batch)));
}
