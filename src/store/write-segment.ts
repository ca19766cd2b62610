/** Segments that DuckDB makes of what a query gives. */
import { assert } from "../base/assert.ts";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { fileSynced } from "../node/durable.ts";
import { sortedNames } from "../node/folders.ts";
import { PARQUET, type WrittenSegment } from "./batch.ts";
import { quotePath, quoteText } from "./database.ts";
import { systemErrorOf } from "./engine-error.ts";
import { hashFile, sizeOf } from "./files.ts";
import { reached } from "./hooks.ts";
import { SEGMENTS } from "./layout.ts";

/** A segment of what a query gives, synced; undefined: no rows. */
export async function writeSegment(
  connection: DuckDBConnection,
  { table, query, path, store }: Record<"table" | "query" | "path" | "store", string>,
): Promise<WrittenSegment | undefined> {
  const rows = await copy(connection, query, path, store);
  if (rows === 0) return undefined;
  await fileSynced(path);
  const segment = { table, path, rows, bytes: sizeOf(path) ?? 0, sha256: await hashFile(path) };
  reached("segment-written");
  return segment;
}

/**
 * Segments of what a query gives, each with rows of one bucket (columns `bucket` and `month`, which are not kept), in one pass
 * over the rows; synced.
 */
export async function writeBuckets(
  connection: DuckDBConnection,
  {
    table,
    query,
    folder,
    store,
    of,
  }: Record<"table" | "query" | "folder" | "store", string> & { of: number },
): Promise<WrittenSegment[]> {
  await copy(
    connection,
    query,
    folder,
    store,
    "partition_by (bucket, month), filename_pattern 'rows_{uuid}'",
  );
  const found = sortedNames(folder).flatMap((bucket) =>
    sortedNames(join(folder, bucket)).flatMap((month) =>
      sortedNames(join(folder, bucket, month)).map((name) => ({
        index: Number(bucket.replace("bucket=", "")),
        path: join(folder, bucket, month, name),
      })),
    ),
  );
  const counts = await rowCounts(
    connection,
    found.map(({ path }) => path),
  );
  const segments: WrittenSegment[] = [];
  for (const { index, path } of found) {
    assert(index >= 1 && index <= of && counts.has(path), "every file holds rows of one bucket");
    await fileSynced(path);
    const rows = counts.get(path) as number;
    const facts = { rows, bytes: sizeOf(path) ?? 0, sha256: await hashFile(path) };
    segments.push({ table, path, ...facts, bucket: { index, of } });
    reached("segment-written");
  }
  return segments;
}

async function rowCounts(
  connection: DuckDBConnection,
  paths: readonly string[],
): Promise<Map<string, number>> {
  if (paths.length === 0) return new Map();
  const found = await connection.runAndReadAll(
    `select file_name, num_rows from parquet_file_metadata([${paths.map(quotePath).join(", ")}])`,
  );
  return new Map(found.getRows().map(([file, rows]) => [String(file), Number(rows)]));
}

async function copy(
  connection: DuckDBConnection,
  query: string,
  path: string,
  store: string,
  more = "",
): Promise<number> {
  try {
    const how = more === "" ? PARQUET : `${PARQUET}, ${more}`;
    const result = await connection.run(`copy (${query}) to ${quoteText(path)} (${how})`);
    const [[count] = []] = await result.getRows();
    const rows = Number(count);
    assert(Number.isSafeInteger(rows) && rows >= 0, "DuckDB says how many rows it has written");
    return rows;
  } catch (error) {
    const system = systemErrorOf(error, join(store, SEGMENTS)) as NodeJS.ErrnoException | undefined;
    throw system !== undefined && system.code !== "EACCES" && system.code !== "EIO" ? system : error;
  }
}
