/** One table of a store as one file, written by DuckDB. */
import { resolve } from "node:path";
import { CSV_FORMULA, CSV_NUMBER } from "../base/csv.ts";
import type { TableSchema } from "../model/index.ts";
import { PARQUET_OUTSIDE } from "./batch.ts";
import { openDatabase, quoteName, quoteText, type StoreOptions } from "./database.ts";
import { ownReadingError, systemErrorOf } from "./engine-error.ts";
import type { Store } from "./store.ts";
import { hideDuplicates, tableQuery } from "./views.ts";

interface ExportOptions extends StoreOptions {
  readonly format: "parquet" | "csv";
}

/**
 * Writes all rows of a table to `path` and gives their number. CSV has a header and is safe to
 * open in a spreadsheet; NULL is an empty field.
 */
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
    const [rows, how] =
      format === "parquet" ? [query, PARQUET_OUTSIDE] : [withoutFormulas(table, query), "format csv, header"];
    const result = await database.connection.run(`copy (${rows}) to ${quoteText(resolve(path))} (${how})`);
    const [[count] = []] = await result.getRows();
    return Number(count);
  } catch (error) {
    const system = systemErrorOf(error, path) as NodeJS.ErrnoException | undefined;
    const writing = system?.code === "ENOSPC" || system?.code === "EDQUOT" || system?.code === "EROFS";
    throw writing ? system : await ownReadingError(error, store.path, batches, database);
  } finally {
    database.close();
  }
}

/** The rule of base/csv.ts in SQL: text that a spreadsheet would run as a formula gets an apostrophe in front. */
function withoutFormulas({ columns }: TableSchema, query: string): string {
  const safe = columns
    .filter(({ type }) => type === "text")
    .map(({ name }) => {
      const column = quoteName(name);
      const formula = `regexp_matches(${column}, ${quoteText(CSV_FORMULA.source)}, 's')`;
      const number = `regexp_full_match(${column}, ${quoteText(CSV_NUMBER.source)})`;
      return `case when ${formula} and not ${number} then '''' || ${column} else ${column} end as ${column}`;
    });
  return safe.length === 0 ? query : `select * replace (${safe.join(", ")}) from (${query})`;
}
