/** Which segment has not the columns of its table. Asked only when a query of ours has failed. */
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { FormatError } from "../base/errors.ts";
import { STORE_SCHEMA, type TableSchema } from "../model/index.ts";
import { parquetRows } from "./database.ts";
import { messageOf } from "./engine-error.ts";
import { type BatchInfo, segmentsOf } from "./manifest.ts";
import { sqlType } from "./sql-types.ts";
import { upgraded } from "./upgrades.ts";

/** The first such segment of the batches, with the column that is missing or of another type. */
export async function changedSegment(
  connection: DuckDBConnection,
  store: string,
  batches: readonly BatchInfo[],
): Promise<FormatError | undefined> {
  for (const table of STORE_SCHEMA) {
    for (const batch of batches) {
      for (const { file } of segmentsOf([batch], table.name)) {
        const path = join(store, file);
        const what = await changeOf(connection, path, table, batch.version);
        if (what !== undefined) return new FormatError(path, {}, `damaged segment: ${what}`);
      }
    }
  }
  return undefined;
}

async function changeOf(
  connection: DuckDBConnection,
  path: string,
  table: TableSchema,
  version: number,
): Promise<string | undefined> {
  const relation = upgraded(table.name, version, parquetRows([path]));
  let types: ReadonlyMap<string, string>;
  try {
    const described = await connection.runAndReadAll(`describe select * from ${relation}`);
    types = new Map(
      described.getRowObjectsJS().map((row) => [String(row.column_name), String(row.column_type)]),
    );
  } catch (error) {
    return messageOf(error).split("\n", 1)[0];
  }
  for (const { name, type } of table.columns) {
    const found = types.get(name);
    if (found === undefined) return `no column ${name}`;
    if (found !== sqlType(type)) return `column ${name} is ${found}, expected ${sqlType(type)}`;
  }
  return undefined;
}
