/** One table of a store as one file: Parquet and CSV are written by DuckDB, lines of JSON by us. */
import { closeSync, openSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { CSV_FORMULA, CSV_NUMBER } from "../base/csv.ts";
import { jsonText } from "../base/json.ts";
import type { TableSchema } from "../model/index.ts";
import { syncFile } from "../node/durable.ts";
import { createOutput, takeName, temporaryPath } from "../node/output-file.ts";
import { PARQUET_OUTSIDE } from "./batch.ts";
import { openDatabase, quoteName, quoteText, type StoreOptions } from "./database.ts";
import { ownReadingError, systemErrorOf } from "./engine-error.ts";
import type { Store } from "./store.ts";
import { verifySegments } from "./verify.ts";
import { hideDuplicates, tableQuery } from "./views.ts";
import { withoutNames } from "./without-names.ts";

export type ExportFormat = "parquet" | "csv" | "ndjson";

/** A file that appears when it is whole, of segments whose checksums are right; gives the number of its rows. */
export async function exportFile(
  store: Store,
  table: TableSchema,
  path: string,
  { format, ...options }: StoreOptions & { readonly format: ExportFormat; readonly nameKey?: string },
): Promise<number> {
  // A copy that others trust is made of rows that are as they were stored.
  await verifySegments(store.path, store.batches(), [table.name]);
  if (format === "ndjson") return exportLines(store, table, path, options.nameKey);
  const temporary = temporaryPath(path);
  // DuckDB would say it in its own words.
  closeSync(openSync(temporary, "w"));
  try {
    const rows = await exportTable(store, table, temporary, { ...options, format });
    syncFile(temporary);
    takeName(temporary, path);
    return rows;
  } finally {
    rmSync(temporary, { force: true });
  }
}

async function exportLines(
  store: Store,
  table: TableSchema,
  path: string,
  nameKey: string | undefined,
): Promise<number> {
  const output = createOutput(path);
  const query = await store.query();
  let rows = 0;
  try {
    const { columns, pieces } = await query.raw(named(table, `from ${quoteName(table.name)}`, nameKey));
    for await (const piece of pieces()) {
      const lines = piece.map((row) =>
        jsonText(Object.fromEntries(columns.map(({ name }, i) => [name, row[i]]))),
      );
      output.append(Buffer.from(lines.map((line) => `${line}\n`).join("")));
      rows += piece.length;
    }
    output.commit();
    return rows;
  } catch (error) {
    output.abort();
    throw error;
  } finally {
    query.close();
  }
}

interface ExportOptions extends StoreOptions {
  readonly format: "parquet" | "csv";
  /** Names become codes that this key gives; all stay as they are unless given. */
  readonly nameKey?: string;
}

const named = (table: TableSchema, query: string, key: string | undefined): string =>
  key === undefined ? query : withoutNames(table, query, key);

/**
 * Writes all rows of a table to `path` and gives their number. CSV has a header and is safe to
 * open in a spreadsheet; NULL is an empty field.
 */
export async function exportTable(
  store: Store,
  table: TableSchema,
  path: string,
  { format, nameKey, ...options }: ExportOptions,
): Promise<number> {
  store.refresh();
  const batches = store.batches();
  const database = await openDatabase(store.path, options);
  try {
    const hiding = await hideDuplicates(database.connection, store.path, batches);
    const query = named(table, tableQuery(table, { store: store.path, batches, hiding }), nameKey);
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
