/** Segments that DuckDB makes of what a query gives. */
import { assert } from "../base/assert.ts";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { fileSynced } from "../node/durable.ts";
import { PARQUET, type WrittenSegment } from "./batch.ts";
import { quoteText } from "./database.ts";
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

async function copy(
  connection: DuckDBConnection,
  query: string,
  path: string,
  store: string,
): Promise<number> {
  try {
    const result = await connection.run(`copy (${query}) to ${quoteText(path)} (${PARQUET})`);
    const [[count] = []] = await result.getRows();
    const rows = Number(count);
    assert(Number.isSafeInteger(rows) && rows >= 0, "DuckDB says how many rows it has written");
    return rows;
  } catch (error) {
    const system = systemErrorOf(error, join(store, SEGMENTS)) as NodeJS.ErrnoException | undefined;
    throw system !== undefined && system.code !== "EACCES" && system.code !== "EIO" ? system : error;
  }
}
