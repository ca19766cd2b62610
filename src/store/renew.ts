/**
 * A batch written again: its minutes summed up to hours and days, and without the rows of a level that are too old. What stays as it
 * is gets a second name. The new batch replaces the old one at once, as a compaction does.
 */
import { rmSync } from "node:fs";
import { assert } from "../base/assert.ts";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  STORE_LEVELS,
  STORE_SCHEMA,
  STORE_VERSION,
  storedReadings,
  type TableSchema,
} from "../model/index.ts";
import { makeFolder } from "../node/folders.ts";
import { linkOrCopy } from "./aside.ts";
import { publish, type WrittenSegment } from "./batch.ts";
import { parquetRows } from "./database.ts";
import { removeFile } from "./files.ts";
import { reached } from "./hooks.ts";
import { newBatchId, TMP } from "./layout.ts";
import { isRolled, levelOf, prunedOf, rollAgain } from "./levels.ts";
import {
  type BatchInfo,
  liveBatches,
  plainBatch,
  type Pruned,
  readManifest,
  rowsOf,
  type Segment,
} from "./manifest.ts";
import { isThinned, THINNED_TABLES, thinned } from "./thin.ts";
import { verifySegments } from "./verify.ts";
import { tableQuery } from "./views.ts";
import { writeSegment } from "./write-segment.ts";

interface Renewal {
  readonly writer: string;
  /** Rows before these minutes go; none: only sums are added. */
  readonly before: Pruned;
}

/** The new batch; undefined when another process replaced the old one meanwhile. */
export async function renewBatch(
  connection: DuckDBConnection,
  store: string,
  batch: BatchInfo,
  { writer, before }: Renewal,
): Promise<BatchInfo | undefined> {
  assert(
    Object.values(before).every((minute) => Number.isInteger(minute) && minute % DAY_MINUTES === 0),
    "whole days go, so no hour and no day is cut",
  );
  const work = join(store, TMP, newBatchId());
  const renamed: string[] = [];
  try {
    // Rows that are copied, or that sums are made of, are as they were stored.
    await verifySegments(store, [batch], rewrittenTables(batch));
    makeFolder(work);
    const segments: WrittenSegment[] = [];
    for (const table of STORE_SCHEMA) {
      const from = cutOf(table, before);
      const next = () => join(work, `${table.name}-${segments.length}.parquet`);
      const parts =
        table === storedReadings && before.days !== undefined
          ? laterReadings(store, batch, before.days)
          : isThinned(table) && Object.keys(before).length > 0
            ? thinnedParts(store, batch, table, before)
            : await partsOf(connection, store, batch, table, from);
      for (const part of parts) {
        if ("segment" in part) {
          const { file, ...facts } = part.segment;
          const path = next();
          linkOrCopy(join(store, file), path);
          segments.push({ table: table.name, path, ...facts });
          continue;
        }
        const made = { table: table.name, query: part.query, path: next(), store };
        const written = await writeSegment(connection, made);
        if (written !== undefined) segments.push(written);
      }
    }
    for (const { base } of STORE_LEVELS)
      assert(
        batch.tables[base.name] === undefined ||
          segments.some(({ table }) => table.endsWith("_days")) ||
          before.days !== undefined,
        "minutes go only when their days stay",
      );
    reached("segments-synced");
    const manifest = readManifest(store);
    if (!liveBatches(manifest).some(({ id }) => id === batch.id)) return undefined;
    assert(
      STORE_SCHEMA.every((table) => isCut(table) || rowsIn(segments, table) === rowsOf([batch], table.name)),
      "tables that have no level keep all of their rows",
    );
    const id = newBatchId([...manifest.entries.keys()].at(-1));
    const pruned = prunedOf([batch, { ...plainBatch(batch), pruned: before }]);
    const gone = pruned !== undefined && Object.keys(pruned).length > 0 ? pruned : undefined;
    return publish({ store, writer }, id, segments, [batch.id], renamed, gone);
  } finally {
    for (const path of renamed) removeFile(path);
    rmSync(work, { recursive: true, force: true });
  }
}

const DAY_MINUTES = 1440;

/** Whether rows of a table may go, or be added as sums. */
const isCut = (table: TableSchema): boolean =>
  table === storedReadings ||
  isThinned(table) ||
  STORE_LEVELS.some(({ base, table: level }) => base === table || level === table);

const rowsIn = (segments: readonly WrittenSegment[], table: TableSchema): number =>
  segments.filter((segment) => segment.table === table.name).reduce((sum, { rows }) => sum + rows, 0);

const rewrittenTables = ({ version }: BatchInfo): string[] | undefined =>
  version < STORE_VERSION
    ? undefined
    : [...STORE_LEVELS.flatMap(({ table, base }) => [table.name, base.name]), ...THINNED_TABLES];

/** The first minute of a table that stays. */
export function cutOf(table: TableSchema, before: Pruned): number | undefined {
  const level = levelOf(table);
  if (level !== undefined) return level.minutes === 60 ? before.hours : before.days;
  return STORE_LEVELS.some(({ base }) => base === table) ? before.minutes : undefined;
}

type Part = { readonly segment: Segment } | { readonly query: string };

/** What becomes the segments of a table: old ones as they are, or rows. */
async function partsOf(
  connection: DuckDBConnection,
  store: string,
  batch: BatchInfo,
  table: TableSchema,
  from: number | undefined,
): Promise<Part[]> {
  const level = levelOf(table);
  const rows = (part: BatchInfo) => `(${tableQuery(table, { store, batches: [part], hiding: new Set() })})`;
  const later = from === undefined ? "true" : `minute_unix >= ${from}`;
  if (level !== undefined && !isRolled(batch, level.base.name))
    return batch.tables[level.base.name] === undefined
      ? []
      : [{ query: rollAgain(level, `(from ${rows(batch)} where ${later})`) }];
  const parts: Part[] = [];
  for (const segment of batch.tables[table.name] ?? []) {
    const whole = batch.version === STORE_VERSION;
    const [first, last] = from === undefined ? [0, 0] : await timesOf(connection, join(store, segment.file));
    if (from !== undefined && last < from) continue;
    if (whole && (from === undefined || first >= from)) parts.push({ segment });
    else {
      const one = { ...plainBatch(batch), tables: { [table.name]: [segment] } };
      parts.push({ query: `from ${rows(one)} where ${later}` });
    }
  }
  return parts;
}

/** States of the time that goes, fewer of them. What was pruned before is as it should be. */
function thinnedParts(store: string, batch: BatchInfo, table: TableSchema, before: Pruned): Part[] {
  if (batch.tables[table.name] === undefined) return [];
  const rows = tableQuery(table, { store, batches: [batch], hiding: new Set() });
  const all = prunedOf([batch, { ...plainBatch(batch), pruned: before }]) ?? before;
  return [{ query: thinned(table, `(${rows})`, all) }];
}

/** A time without rows is one that is not known. */
function laterReadings(store: string, batch: BatchInfo, from: number): Part[] {
  const rows = tableQuery(storedReadings, { store, batches: [batch], hiding: new Set() });
  const ns = BigInt(from) * 60_000_000_000n;
  return [
    {
      query: `select * replace (greatest(from_unix_ns, ${ns}) as from_unix_ns) from (${rows}) where to_unix_ns >= ${ns}`,
    },
  ];
}

/** First and last minute of a segment. */
async function timesOf(connection: DuckDBConnection, path: string): Promise<[number, number]> {
  const found = await connection.runAndReadAll(
    `select min(minute_unix), max(minute_unix) from ${parquetRows([path])}`,
  );
  const [[first, last] = []] = found.getRows();
  assert(
    first !== null && Number(first) <= Number(last),
    "a segment has rows, and the first is not after the last",
  );
  return [Number(first), Number(last)];
}
