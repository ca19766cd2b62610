/** One table of a store as one file, written by DuckDB. */
import type { TableSchema } from "../model/schema.ts";
import { PARQUET_OUTSIDE } from "./batch.ts";
import { openDatabase, quoteText, type StoreOptions } from "./database.ts";
import { readingError, systemErrorOf } from "./engine-error.ts";
import type { Store } from "./store.ts";
import { hideDuplicates, tableQuery } from "./views.ts";

export interface ExportOptions extends StoreOptions {
  readonly format: "parquet" | "csv";
}

/** Writes all rows of a table to `path` and gives their number. CSV has a header; NULL is an empty field. */
export async function exportTable(
  store: Store,
  table: TableSchema,
  path: string,
  { format, ...options }: ExportOptions,
): Promise<number> {
  store.refresh();
  const batches = store.batches();
  const database = await openDatabase(store.path, options);
  try {
    const hiding = await hideDuplicates(database.connection, store.path, batches);
    const query = tableQuery(table, { store: store.path, batches, hiding });
    const how = format === "parquet" ? PARQUET_OUTSIDE : "format csv, header";
    const result = await database.connection.run(`copy (${query}) to ${quoteText(path)} (${how})`);
    const [[count] = []] = await result.getRows();
    return Number(count);
  } catch (error) {
    const system = systemErrorOf(error, path) as NodeJS.ErrnoException | undefined;
    const writing = system?.code === "ENOSPC" || system?.code === "EDQUOT" || system?.code === "EROFS";
    throw writing ? system : readingError(error, store.path, batches, database.memoryBytes);
  } finally {
    database.close();
  }
}
